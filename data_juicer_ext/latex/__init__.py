"""Which figures, captions and citing paragraphs does a LaTeX paper have?"""
