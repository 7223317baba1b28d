"""Which figures, captions and citing paragraphs does a PDF paper have?"""
