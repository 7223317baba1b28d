"""How many small faults, put into the product one at a time, do its tests notice?"""
