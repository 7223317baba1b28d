"""What does each form show of a row, what does it ask, and how is it stored?"""
