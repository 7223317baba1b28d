"""For tests of operators: one of them over some rows, in this process, and what became of each row.

    with answering("my_operators/caption_topic", lambda fields, images: "no JSON"):
        ran = run_operator("caption_topic_mapper", rows, tmp_path)
    assert ran.rows == [] and ran.verdicts == {"r1": ("undecided", "unparsable")}

Importing it imports Data-Juicer.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer.core.data import NestedDataset
from data_juicer.ops import load_ops

from data_juicer_ext.offline.plugin_rules import Rule, instead
from data_juicer_ext.ops.base.run_op import run_folder, taking_part
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import decisions

__all__ = ["Ran", "answering", "run_operator"]


@dataclass(frozen=True)
class Ran:
    """What an operator made of some rows.

    `rows` are those that went on, without Data-Juicer's own columns; `decisions` the lines of the ledger;
    `undecided` the rows that were set aside, each with `undecided` (operator, tag, reason, message).
    """

    rows: list[dict[str, Any]]
    decisions: list[dict[str, Any]]
    undecided: list[dict[str, Any]]

    @property
    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Verdict and reason by `row_id`."""
        return {entry["row_id"]: (entry["verdict"], entry["reason"]) for entry in self.decisions}


def run_operator(name: str, rows: Sequence[Mapping[str, Any]], run_dir: Path, **parameters: Any) -> Ran:
    """Run the operator `name` over rows as the default executor does, as a run of its own into `run_dir`.

    Every row has the same columns. Ends in SystemExit, its message on the standard error, where a recipe with these
    parameters would be refused.
    """
    dataset = NestedDataset.from_list([dict(row) for row in rows])
    run = run_records.begin(run_folder(str(run_dir)), {})
    with taking_part(run):
        operators = load_ops([{name: {**parameters, "run_dir": str(run_dir)}}])
        left = dataset.process(operators, open_monitor=False).to_list()
    kept = [{key: value for key, value in row.items() if not key.startswith("__dj__")} for row in left]
    return Ran(kept, decisions(run.run_dir, run.run_id), run_records.end(run))


@contextlib.contextmanager
def answering(task: str, rule: Rule) -> Iterator[list[Mapping[str, Any]]]:
    """Within it the offline model answers `task` (a prompt template) by `rule`, a text or a `Failure`.

    Gives the list of what the template was rendered with, one mapping per call, in the order of the calls.
    """
    asked: list[Mapping[str, Any]] = []

    def noted(fields: Mapping[str, Any], images: tuple[str, ...]) -> Any:
        asked.append(fields)
        return rule(fields, images)

    with instead(task, noted):
        yield asked
