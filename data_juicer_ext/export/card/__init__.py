"""What does the dataset card say, and how is it counted?"""
