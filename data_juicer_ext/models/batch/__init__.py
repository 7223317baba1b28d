"""How are requests sent through a provider's batch interface, at half the price?"""
