"""Which diagram of a pair is shown first: drawn by hash, so that a rerun shows the same order."""

from data_juicer_ext.rows import content_id, seeded


def generated_first(row_id: str, run_index: int = 0) -> bool:
    """Whether a pair's generated diagram is shown first in a run: true for about half of all pairs.

    It hangs on nothing but the arguments, so neither the content of the diagrams nor their place in a file
    leads to an order.
    """
    return seeded("diagram order", row_id, run_index)[0] < 128


def run_row_id(row_id: str, run_index: int) -> str:
    """The `row_id` of a pair's row of a run: the pair's own for run 0, one made of it for the others."""
    return content_id("run", row_id, str(run_index)) if run_index else row_id
