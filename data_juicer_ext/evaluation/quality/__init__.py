"""How close are figure quality scores to people's gold, and on which test split (SciFigQual)?"""
