"""What is claimed about a figure, what is asked about it, and what does a model's answer to a question mean?"""
