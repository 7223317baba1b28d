"""Runs a recipe over a large dataset in shards of papers, into a run folder that can be gone on with."""
