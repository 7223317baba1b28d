"""The forms that people fill in: what each shows of a row, what it asks, and how the answers are stored."""
