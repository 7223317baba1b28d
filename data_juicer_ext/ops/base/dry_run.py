"""What an operator shows to an estimate, which goes through a recipe without a model's answers."""

from collections.abc import Mapping
from typing import Any

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.ops.base.outcome import Outcome

Likely = tuple[float, float, float]  # low, likely, high: the outer two are the ends of an 80% interval


class DryRun:
    """Mixed into operators that call a model. What is left as it is here goes by the shipped assumptions."""

    # Rows that go on from one row (for a filter the share that it keeps), and tokens of one answer.
    rows_expected: Likely | None = None
    answer_tokens: Likely | None = None
    # How many rows it makes of one, where the file of assumptions has a name for that: this name, and what they are.
    rows_assumption: tuple[str, str] | None = None

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One row to its outcome."""
        raise NotImplementedError

    async def rehearse(self, row: dict[str, Any], calls: Calls) -> None:
        """Ask what a row would have asked, though every call fails here.

        As far as `decide` goes without an answer; an operator whose later calls hang on earlier ones says more.
        """
        await self.decide(row, calls)

    def row_after(self, row: dict[str, Any], characters: Mapping[str, int]) -> dict[str, Any]:
        """What a row would be like after this operator, with `filler` in place of what a model would have written.

        `characters` has the assumed lengths of a claim, a question and an option.
        """
        return row

    def draw_all(self) -> bool:
        """Make every draw from now on; whether it would else stop early."""
        return False


def filler(length: int) -> str:
    """A text of so many characters, at least one."""
    return ("words " * (length // 6 + 1))[: max(1, length)]
