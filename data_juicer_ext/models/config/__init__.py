"""Where is a model, and how may it be called?"""
