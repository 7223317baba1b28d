"""Lets Ray work on the blocks of a dataset apart, so that all workers get some.

Ray joins the steps of a recipe into one task, and bundles blocks for it until they hold as many rows
as the largest batch that any of the steps asks for. Data-Juicer asks for 1,000 in the steps that it
adds itself (the column for stats, the rows that a filter keeps): a dataset of up to 1,000 papers was
one task, and one worker did it all.
"""


def install() -> None:
    """Let Data-Juicer's own steps on Ray take blocks as they come."""
    from data_juicer.core.data import ray_dataset

    ray_dataset.DEFAULT_BATCH_SIZE = None
