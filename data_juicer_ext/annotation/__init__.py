"""What is a finished figure or question: its class, its label, and which images show the same?"""
