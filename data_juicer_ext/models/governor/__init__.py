"""How do the workers of a cluster share one endpoint's limits, budget and keys?"""
