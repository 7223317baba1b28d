"""Which kinds of error the refusals of a run stand for, as far as its operators say so."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data_juicer_ext.report.funnel import FunnelStep


@dataclass(frozen=True)
class ImpliedErrors:
    """Refusals that stand for the same error kinds; `kinds` is () for those that imply none."""

    kinds: tuple[str, ...]
    refused: int
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        """The kinds in words."""
        return " or ".join(self.kinds) or "none implied"


def by_error_kind(steps: Sequence[FunnelStep]) -> list[ImpliedErrors]:
    """The refusals of a run by what they imply, E1 first, and last those that imply nothing."""
    refused: Counter[tuple[str, ...]] = Counter()
    tags: dict[tuple[str, ...], dict[str, None]] = {}
    for step in steps:
        for reason, count in step.refusals.items():
            kinds = step.words.kinds_of(reason)
            refused[kinds] += count
            tags.setdefault(kinds, {})[step.tag] = None
    order = sorted(refused, key=lambda kinds: (not kinds, kinds))
    return [ImpliedErrors(kinds, refused[kinds], tuple(tags[kinds])) for kinds in order]
