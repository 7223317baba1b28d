"""Finished sets for training and release: chosen rows, splits by paper, and the files that trainers read."""
