"""How far do repeated runs of a judge agree with each other (SciDiag)?"""
