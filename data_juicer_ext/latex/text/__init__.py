"""Which running text cites a figure, and how do captions read as plain text?"""
