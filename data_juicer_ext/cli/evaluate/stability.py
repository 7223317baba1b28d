"""`dj-ext evaluate stability`: how far repeated runs of a judge agree."""

import argparse

from data_juicer_ext.cli.evaluate.judges import add_judges, judges_of, read_inputs
from data_juicer_ext.cli.inputs import add_out, show


def add_to(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the part."""
    part = parts.add_parser("stability", help="repeated runs of a judge: ICC, variances, flip rates, dispersion")
    add_judges(part)
    add_out(part, "stability")
    part.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from data_juicer_ext.evaluation.stability.judge_stability import evaluate
    from data_juicer_ext.evaluation.stability.stability_report import as_text, write

    judges = judges_of(given, read_inputs(given))
    found = [evaluate(name, judged, refused) for name, (judged, refused) in judges.items()]
    return show(as_text(found), write(found, given.out))
