"""What would stop a recipe, and which operators are there?"""
