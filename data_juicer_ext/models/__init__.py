"""How is a model called: what goes out, what comes back, under which limits, and what is kept of it?"""
