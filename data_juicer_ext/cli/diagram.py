"""`dj-ext diagram`: criteria for diagrams, written by a model and aligned with what people prefer."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_juicer_ext.errors import UsageError

if TYPE_CHECKING:
    from data_juicer_ext.cli.model_run import ModelRun
    from data_juicer_ext.diagrams.development_set import Gathered

_LISTED = 10  # ratings that could not be used, as far as they are told one by one

_HEAD = """Criteria for judging generated diagrams (docs/scidiag.md). Review them before use: mend wording, change
weights (reading brings them to a sum of 1 within a dimension), take criteria out. An id stays with its criterion."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its two parts."""
    parts = commands.add_parser("diagram", help="criteria for judging generated diagrams").add_subparsers(
        dest="part", required=True
    )
    criteria = parts.add_parser("criteria", help="have a model write criteria with weights, for a person to review")
    criteria.add_argument("--types", default="", metavar="CODES", help="such as AF,CSA (default: all 11)")
    criteria.add_argument(
        "--draws", type=int, default=5, metavar="N", help="draws of the dimensions' weights (default: 5)"
    )
    _add_common(criteria)
    criteria.set_defaults(run=_criteria)
    align = parts.add_parser("align", help="turn people's preferences on a development set into scoring instructions")
    align.add_argument("--ratings", type=Path, required=True, metavar="FILE", help="RUN/review/ratings.jsonl")
    align.add_argument("--rows", type=Path, required=True, metavar="FILE", help="the rows that were rated: an export")
    align.add_argument("--criteria", type=Path, required=True, metavar="FILE", help="the criteria that were rated by")
    align.add_argument(
        "--max-pairs", type=int, default=6, metavar="N", help="pairs of a type that the model sees (default: 6)"
    )
    _add_common(align)
    align.set_defaults(run=_align)


def _add_common(part: argparse.ArgumentParser) -> None:
    add = part.add_argument
    add("--out", type=Path, required=True, metavar="FILE", help="the criteria file to write; a new one")
    add("--api-model", required=True, metavar="NAME", help="a model of the endpoint, or offline")
    add("--model-params", default="", metavar="YAML", help="endpoint settings as in a recipe: '{base_url: ...}'")
    add("--sampling-params", default="", metavar="YAML", help="sent as they are: '{temperature: 1}'")
    add(
        "--run-dir", type=Path, default=Path("dj_ext_run"), metavar="FOLDER",
        help="keeps answers and costs, so that nothing is paid twice (default: %(default)s)",
    )  # fmt: skip
    add("--max-cost", type=float, default=0.0, metavar="USD", help="that all runs into the folder may spend")


def _criteria(given: argparse.Namespace) -> int:
    from data_juicer_ext.diagrams.criteria import criteria_of, document_text
    from data_juicer_ext.diagrams.criteria_drafting import TEMPLATES, draft

    codes = _codes(given.types)
    if not 1 <= given.draws <= 50:
        raise UsageError(f"--draws {given.draws}: a number from 1 to 50 is needed")
    _must_be_new(given.out)
    run = _model_run(given, "diagram_criteria", TEMPLATES)
    made = run.do(lambda ask: draft(codes, given.draws, ask))
    print(run.told())
    for told in made.missing:
        print(f"without a draw of weights: {told}")
    if made.failures:
        return _failed(made.failures, given.out)
    about = {"model": given.api_model, "draws": given.draws, "prompts": _fingerprints(TEMPLATES), "reviewed": False}
    document = {"about": about, "types": made.types}
    found = criteria_of(document, str(given.out))
    _write(given.out, document_text(document, _HEAD))
    for code, criteria in found.types.items():
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in criteria.weights.items())
        print(f"{code}: {len(criteria.criteria)} criteria; {weights} (of {len(made.types[code]['draws'])} draws)")
    print(f"{given.out}: review it, then name it in `criteria_file`")
    return 0


def _align(given: argparse.Namespace) -> int:
    from data_juicer_ext.cli.inputs import rows_of
    from data_juicer_ext.diagrams.criteria import criteria_of, document_text, read_document
    from data_juicer_ext.diagrams.development_set import gather, made_alike
    from data_juicer_ext.diagrams.preference_alignment import TEMPLATES, align, aligned_document
    from data_juicer_ext.ratings.rating_file import read_ratings

    if not 1 <= given.max_pairs <= 50:
        raise UsageError(f"--max-pairs {given.max_pairs}: a number from 1 to 50 is needed")
    if not given.ratings.is_file():
        raise UsageError(f"there is no file {given.ratings}")
    _must_be_new(given.out)
    document = read_document(given.criteria)
    criteria = criteria_of(document, str(given.criteria))
    found = gather(read_ratings(given.ratings), rows_of(given.rows), criteria)
    run = _model_run(given, "diagram_align", TEMPLATES)
    found = made_alike(found, run.run_dir / "images" / "diagrams", run.endpoint.image_limits)
    _tell_unused(found)
    if not any(value for pair in found.pairs for value in pair.preferences.values()):
        raise UsageError(f"{given.ratings} prefers no diagram on any criterion of {given.criteria}")
    made = run.do(lambda ask: align(found.pairs, criteria, ask, given.max_pairs))
    print(run.told())
    if made.failures:
        return _failed(made.failures, given.out)
    about = {"model": given.api_model, "prompts": _fingerprints(TEMPLATES)}
    document = aligned_document(document, made.statements, found.pairs, about)
    criteria_of(document, str(given.out))
    _write(given.out, document_text(document, _HEAD))
    for code, pairs in sorted(made.shown.items()):
        known = criteria.types[code].ids
        count = sum(len(texts) for name, texts in made.statements.items() if name in known)
        print(f"{code}: {count} statements from {pairs} pairs")
    print(f"{len(document['development']['papers'])} development papers, which are not judged with these criteria")
    print(f"{given.out}: review it, then name it in `criteria_file`")
    return 0


def _tell_unused(found: Gathered) -> None:
    for told in found.unused[:_LISTED]:
        print(f"not used: {told}")
    if len(found.unused) > _LISTED:
        print(f"not used: {len(found.unused) - _LISTED} more")


def _codes(text: str) -> list[str]:
    from data_juicer_ext.diagrams.diagram_types import TYPES

    codes = list(dict.fromkeys(code.strip().upper() for code in text.split(",") if code.strip()))
    if unknown := [code for code in codes if code not in TYPES]:
        raise UsageError(f"--types: {', '.join(unknown)} is no diagram type (types: {', '.join(TYPES)})")
    return codes or list(TYPES)


def _must_be_new(path: Path) -> None:
    if path.exists():
        raise UsageError(f"{path} exists already, perhaps reviewed by a person; name another file")


def _write(path: Path, text: str) -> None:
    from data_juicer_ext.storage.atomic_file import replace_text

    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, text)


def _failed(failures: list[str], out: Path) -> int:
    for told in failures:
        print(f"failed: {told}")
    print(f"{out} was not written. The same command goes on, and pays for no answer twice")
    return 1


def _fingerprints(templates: Mapping[str, Any]) -> dict[str, str]:
    from data_juicer_ext.prompts import fingerprint

    return {name: fingerprint(name) for name in templates}


def _settings(name: str, text: str) -> dict[str, Any] | None:
    """A YAML or JSON mapping from the command line; None for an empty text."""
    import yaml

    if not text.strip():
        return None
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{name} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{name} {text}: a mapping is needed, such as '{{base_url: http://127.0.0.1:8000/v1}}'")
    return value


def _model_run(given: argparse.Namespace, operator: str, templates: Mapping[str, tuple[str, ...]]) -> ModelRun:
    from data_juicer_ext.cli.model_run import ModelRun

    return ModelRun(
        operator, given.api_model, _settings("--model-params", given.model_params),
        _settings("--sampling-params", given.sampling_params), given.run_dir.absolute(), given.max_cost,
        templates, "scidiag/repair",
    )  # fmt: skip
