"""`dj-ext evaluate accuracy`: how often models answer a finished set right."""

import argparse

from data_juicer_ext.cli.inputs import add_out, add_predictions, read_input, show

OPERATOR = "mcq_answer_mapper"


def add_to(parts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the part."""
    part = parts.add_parser("accuracy", help="models on a finished set: overall, by domain, figure and question type")
    add_predictions(part, f"answers: exports of {OPERATOR} (file or folder) or run folders, a model or more each")
    part.add_argument("--by", action="append", default=[], metavar="COLUMN", help="a further column to break down by")
    part.add_argument("--subset", type=int, default=0, metavar="N", help="N questions, stratified; without, all")
    part.add_argument("--seed", type=int, default=0, metavar="N", help="another subset (default: 0)")
    part.add_argument(
        "--rows", choices=("categories", "models"), default="categories",
        help="of the tables by group (default: categories, as in the VeriSciQA paper)",
    )  # fmt: skip
    add_out(part, "accuracy")
    part.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> int:
    from data_juicer_ext.evaluation.accuracy.accuracy_report import as_text, write
    from data_juicer_ext.evaluation.accuracy.model_accuracy import evaluate
    from data_juicer_ext.evaluation.accuracy.model_answers import GROUPS, AnswerSource, read_answers

    inputs = [read_input(text, OPERATOR) for text in given.pred]
    by = list(dict.fromkeys([*GROUPS, *given.by]))
    answers = read_answers([AnswerSource(i.place, i.rows, i.undecided, i.name) for i in inputs], by)
    found = evaluate(answers, by, given.subset, given.seed)
    return show(as_text(found, given.rows), write(found, given.out, given.rows))
