"""Calls to models: typed requests and results, clients, and the embedded offline model."""
