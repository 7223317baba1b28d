"""Evaluation: how far scores agree with people's, and the splits that keep such a comparison fair."""
