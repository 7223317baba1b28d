"""What is the running text of a PDF, and which figures does it name?"""
