"""How does a run become a finished set for training and release: rows, splits, files and card?"""
