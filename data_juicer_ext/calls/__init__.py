"""Which model answers a row's requests, and what did the row's calls take?"""
