"""Judging figures: what may be scored, on which rubric, by which protocol, and what the code decides itself."""
