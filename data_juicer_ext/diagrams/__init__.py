"""Judging generated diagrams beside their references, by criteria of their type (SciDiag)."""
