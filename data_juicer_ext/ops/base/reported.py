"""What an operator says of itself to reports, dataset cards and summaries, as attributes of its class."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.ops.host.running_recipe import steps
from data_juicer_ext.runs.operator_words import OperatorWords


class Reported:
    """Mixed into every operator of this package; one of another package says its own words in the same way."""

    # What its kept rows are called in the funnel ("claims"); where empty, "after" and the listing's tag.
    funnel_label = ""
    # The line of VeriSciQA's table 1 that counts what is left after it.
    table_1_line = ""
    # The kinds of error that a refusal may stand for, of which it is one: those of any reason, or a mapping of reasons
    # to theirs, in which "" stands for all reasons that are not named.
    error_kinds: ClassVar[Sequence[str] | Mapping[str, Sequence[str]]] = ()
    # What a filter checks, as the card says it after "A row was kept if".
    kept_if = ""

    @classmethod
    def words(cls) -> OperatorWords:
        """These words as the note of a run carries them."""
        given = cls.error_kinds if isinstance(cls.error_kinds, Mapping) else {"": cls.error_kinds}
        kinds = {reason: (some,) if isinstance(some, str) else tuple(some) for reason, some in given.items() if some}
        return OperatorWords(cls.funnel_label, cls.table_1_line, kinds, cls.kept_if)


def words_of(process: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The words of the operators in a recipe's `process` by name, in its order; {} for one that says nothing."""
    found: dict[str, dict[str, Any]] = {}
    for name, _ in steps(process):
        kind = OPERATORS.modules.get(name)
        found[name] = kind.words().as_json() if isinstance(kind, type) and issubclass(kind, Reported) else {}
    return found
