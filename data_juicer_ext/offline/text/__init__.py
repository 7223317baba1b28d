"""What can rules read in a text: claims, questions, answers?"""
