"""SciDiag: how far repeated runs of a judge agree with each other."""
