"""Which rows go out, into which split, and what is changed in them?"""
