"""How good is a figure: what may be scored, on which rubric, and what does the code decide (SciFigQual)?"""
