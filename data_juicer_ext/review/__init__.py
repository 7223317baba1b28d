"""Review: people rate or audit the rows of a run on a local page; their answers are JSON lines in the run folder."""
