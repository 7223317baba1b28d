"""New orders of options, so that the right answers spread over the letters."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.qa.option_order import permutation, shown
from data_juicer_ext.rows import object_in, to_json
from data_juicer_ext.siqa.dimensions import HOW, YES_NO

# A rationale that calls an option by its letter would be wrong after a move.
_CALLS_LETTER = re.compile(
    r"\b(?i:options?|choices?|answers?)(?:\s(?i:is|are))?:?\s\(?[A-Z]\b|\([A-Z]\)|(?:\A|\s)[A-Z][.)]\s"
)
_FIXED = (list(YES_NO), list(HOW))


class LetterBalance:
    """Gives rows, one after the other, an order in which the letter of the answer is one of the rarest so far.

    Options that mean something only where they stand keep their place: sorted numbers and degrees, "all of the above",
    options that name letters, Yes and No; likewise those of a row whose rationale names a letter. `moved` counts rows.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._used: dict[int, Counter[str]] = {}
        self.moved = 0

    def placed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row with options and answer in their new order, and the order in its provenance (`options_order`)."""
        options, answer = list(row["options"]), str(row["answer"])
        used = self._used.setdefault(len(options), Counter())
        order = tuple(range(len(options)))
        if options not in _FIXED and not _CALLS_LETTER.search(str(row.get("rationale") or "")):
            place = ord(answer) - ord("A")
            parts = (str(self._seed), str(row["row_id"]))
            orders = [permutation(options, parts, draw) for draw in range(len(options))]
            order = min(orders, key=lambda one: used[_letter(one.index(place))])
            answer = _letter(order.index(place))
        used[answer] += 1
        if order == tuple(range(len(options))):
            return dict(row)
        self.moved += 1
        provenance = to_json({**object_in(row.get("provenance")), "options_order": list(order)})
        return {**row, "options": shown(options, order), "answer": answer, "provenance": provenance}


def _letter(place: int) -> str:
    return chr(ord("A") + place)
