"""What can rules read off a figure?"""
