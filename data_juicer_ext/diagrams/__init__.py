"""How good is a generated diagram beside its reference, by criteria of its type (SciDiag)?"""
