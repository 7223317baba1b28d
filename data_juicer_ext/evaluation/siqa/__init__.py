"""SIQA-S: scores of scientific images against people's mean opinion scores."""
