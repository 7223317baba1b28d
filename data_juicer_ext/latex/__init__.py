"""Figures, captions and citing paragraphs out of LaTeX papers as they are really written."""
