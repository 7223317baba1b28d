"""SciDiag: a judge of generated diagrams against people's preferences."""
