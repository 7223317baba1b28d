"""Which answers are paid for already?"""
