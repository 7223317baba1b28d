"""How do arXiv's bulk archives and metadata become paper rows with their licence?"""
