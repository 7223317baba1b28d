"""Which files does each trainer read, and how is a row written into them?"""
