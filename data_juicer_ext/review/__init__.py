"""How do people rate and audit the rows of a run on a local page?"""
