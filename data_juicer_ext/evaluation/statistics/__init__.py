"""Which statistics compare scores: agreement, correlation, reliability, and their intervals?"""
