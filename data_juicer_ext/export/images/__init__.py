"""Which image files go out with the rows, and what is taken out of them?"""
