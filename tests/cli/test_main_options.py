"""What every command takes: what holds where nothing is said, and what it does not go without."""

from __future__ import annotations

import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.cli.main import _parser

X = Path("x")
RUN_DIR = Path("dj_ext_run")
ASKED = {"api_model": "x", "model_params": "", "sampling_params": "", "run_dir": RUN_DIR, "max_cost": 0.0}
RESAMPLED = {"resamples": 1000, "seed": 0}

# By the least that a command goes with: all that it is told then.
LEAST: dict[str, dict[str, Any]] = {
    "ops": {"markdown": False},
    "check x": {"recipe": X, "dataset": ""},
    "run x": {"recipe": X, "dataset": "", "run_dir": "", "shard": None, "target": 0, "seed": None, "executor": "",
              "ray_address": "", "again": False, "verbose": False},
    "summary": {"run_dir": RUN_DIR, "pairs": 3},
    "estimate x": {"recipe": X, "dataset": "", "pilot": 0, "max_cost": 0.0, "papers": 300, "seed": 0, "run_dir": "",
                   "assume": None, "json": None, "verbose": False},
    "report": {"run_dir": RUN_DIR, "to": None, "samples": 4, "export": None},
    "review": {"run_dir": RUN_DIR, "mode": "rate", "form": "", "annotator": "", "export": None, "sample": 1000,
               "seed": 0, "order": "", "calibration": None, "criteria": None, "host": "127.0.0.1", "port": 0,
               "token": "", "agreement": False, "keeps": "people's answers"},
    "export --format hf --out x": {
        "run_dir": RUN_DIR, "format": "hf", "out": X, "export": None, "kind": "", "accepted": False, "licences": None,
        "splits": "train=0.8,validation=0.1,test=0.1", "seed": 0, "near_questions": 0.9, "max_per_figure": 0,
        "shuffle_options": False, "with_caption": False, "with_rationale": False, "images": "", "strict": False,
        "overwrite": False, "workers": 0,
    },
    "evaluate quality --pred x --gold x": {"part": "quality", "pred": X, "gold": X, "key": "", "gap": 2.0,
                                           "out": Path("evaluation/quality")},
    "evaluate accuracy --pred x": {"part": "accuracy", "pred": ["x"], "by": [], "subset": 0, "seed": 0,
                                   "rows": "categories", "out": Path("evaluation/accuracy")},
    "evaluate siqa --pred x --gold x": {
        "part": "siqa", "pred": ["x"], "gold": X, "key": "", "consensus": None, "gate": "0.8",
        "outliers": "correlation", "min_correlation": 0.5, "scale": (1.0, 5.0), **RESAMPLED,
        "out": Path("evaluation/siqa"),
    },
    "evaluate preference --pred x --gold x": {"part": "preference", "pred": ["x"], "development": None, "gold": X,
                                              **RESAMPLED, "out": Path("evaluation/preference")},
    "evaluate stability --pred x": {"part": "stability", "pred": ["x"], "development": None,
                                    "out": Path("evaluation/stability")},
    "evaluate agreement --ratings x": {"part": "agreement", "ratings": [X], "form": "", "rows": None, "by": "",
                                       **RESAMPLED, "out": Path("evaluation/agreement")},
    "store stats": {"part": "stats", "place": "dj_ext_run"},
    "store prune": {"part": "prune", "older_than": None, "model": "", "task": "", "dry_run": False,
                    "place": "dj_ext_run"},
    "store export --to x": {"part": "export", "to": X, "place": "dj_ext_run"},
    "fetch x x": {"address": "x", "folder": X, "no_images": False},
    "ingest arxiv x --metadata x --to x": {"part": "arxiv", "tars": [X], "metadata": X, "to": X, "licence": "",
                                           "category": [], "cross_lists": False},
    "split x --out x": {"figures": X, "gold": None, "key": "", "size": 1200, "quota": [], "min_ratings": 3, "seed": 0,
                        "out": X},
    "sample": {"rows": None, "out": None, "per_category": None, "by": "image_category", "seed": 0, "exclude": [],
               "check": None, "max_hamming": 8, "no_confirm": False, "workers": 0},
    "balance x --out x": {"rows": X, "out": X, "yes_share": Fraction(1, 2), "drop": False, "max_per_category": 0,
                          "category_column": "image_category", "seed": 0},
    "diagram criteria --out x --api-model x": {"part": "criteria", "types": "", "draws": 5, "out": X, **ASKED},
    "diagram align --ratings x --rows x --criteria x --out x --api-model x": {
        "part": "align", "ratings": X, "rows": X, "criteria": X, "max_pairs": 6, "out": X, **ASKED,
    },
    "new-operator x": {"name": "x", "kind": "", "model": True, "to": None},
    "recipes": {"to": None},
}  # fmt: skip

# By the least that a command goes with: options that may be added, and what it is told by them.
MORE: dict[str, dict[str, dict[str, Any]]] = {
    "ops": {"--markdown": {"markdown": True}},
    "check x": {"--dataset d": {"dataset": "d"}},
    "run x": {"--dataset d --run-dir r": {"dataset": "d", "run_dir": "r"}, "--again --verbose": {"again": True,
              "verbose": True}, "--shard 5 --target 7 --seed 3": {"shard": 5, "target": 7, "seed": 3},
              "--executor ray --ray-address auto": {"executor": "ray", "ray_address": "auto"}},
    "summary": {"r --pairs 0": {"run_dir": Path("r"), "pairs": 0}},
    "estimate x": {"--pilot 5 --max-cost 1.5 --papers 0": {"pilot": 5, "max_cost": 1.5, "papers": 0},
                   "--assume a --json j --verbose": {"assume": Path("a"), "json": Path("j"), "verbose": True}},
    "report": {"r --to t --samples 1 --export e": {"run_dir": Path("r"), "to": Path("t"), "samples": 1,
                                                   "export": Path("e")}},
    "review": {"--mode audit --form siqa --order given": {"mode": "audit", "form": "siqa", "order": "given"},
               "--sample 9 --seed 2 --port 8080": {"sample": 9, "seed": 2, "port": 8080},
               "--calibration c --criteria k --export e": {"calibration": Path("c"), "criteria": Path("k"),
                                                           "export": Path("e")},
               "--agreement --host h --token t": {"agreement": True, "host": "h", "token": "t"}},
    "export --format hf --out x": {
        "--accepted --shuffle-options --with-caption": {"accepted": True, "shuffle_options": True,
                                                        "with_caption": True},
        "--with-rationale --strict --overwrite": {"with_rationale": True, "strict": True, "overwrite": True},
        "--seed 1 --near-questions 0.5 --max-per-figure 2 --workers 3": {"seed": 1, "near_questions": 0.5,
                                                                         "max_per_figure": 2, "workers": 3},
        "--export e --kind siqa-u --images copy": {"export": Path("e"), "kind": "siqa-u", "images": "copy"},
    },
    "evaluate quality --pred x --gold x": {"--gap 1.5 --key k --out o": {"gap": 1.5, "key": "k", "out": Path("o")}},
    "evaluate accuracy --pred x": {"--pred y z --by a --by b": {"pred": ["x", "y", "z"], "by": ["a", "b"]},
                                   "--subset 5 --seed 1 --rows models": {"subset": 5, "seed": 1, "rows": "models"}},
    "evaluate siqa --pred x --gold x": {
        "--pred y --consensus c --outliers off": {"pred": ["x", "y"], "consensus": Path("c"), "outliers": "off"},
        "--min-correlation 0.2 --scale 0 10 --resamples 5": {"min_correlation": 0.2, "scale": [0.0, 10.0],
                                                             "resamples": 5},
    },
    "evaluate preference --pred x --gold x": {"--development d --pred y": {"development": Path("d"),
                                                                           "pred": ["x", "y"]}},
    "evaluate stability --pred x": {"--development d": {"development": Path("d")}},
    "evaluate agreement --ratings x": {"--ratings a b --rows r --by c": {"ratings": [Path("a"), Path("b")],
                                                                         "rows": Path("r"), "by": "c"}},
    "store prune": {"--older-than 30d --dry-run p": {"dry_run": True, "place": "p"},
                    "--model m --task t": {"model": "m", "task": "t"}},
    "fetch x x": {"--no-images": {"no_images": True}},
    "ingest arxiv x --metadata x --to x": {"--category a --category b --cross-lists": {"category": ["a", "b"],
                                                                                       "cross_lists": True}},
    "split x --out x": {"--size 9 --quota a=1 --quota b=2 --min-ratings 2 --seed 4": {
        "size": 9, "quota": ["a=1", "b=2"], "min_ratings": 2, "seed": 4}, "--gold g": {"gold": Path("g")}},
    "sample": {"r --out o --per-category 5 --by c": {"rows": Path("r"), "out": Path("o"), "per_category": 5,
                                                     "by": "c"},
               "--exclude a b --exclude c --max-hamming 3": {"exclude": [Path("a"), Path("b"), Path("c")],
                                                             "max_hamming": 3},
               "--check a b --no-confirm --workers 2 --seed 1": {"check": [Path("a"), Path("b")], "no_confirm": True,
                                                                 "workers": 2, "seed": 1}},
    "balance x --out x": {"--yes-share 0.25 --drop --max-per-category 7 --seed 2": {
        "yes_share": Fraction(1, 4), "drop": True, "max_per_category": 7, "seed": 2}},
    "diagram criteria --out x --api-model x": {"--draws 3 --max-cost 2.5 --run-dir r": {
        "draws": 3, "max_cost": 2.5, "run_dir": Path("r")}},
    "diagram align --ratings x --rows x --criteria x --out x --api-model x": {"--max-pairs 2": {"max_pairs": 2}},
    "new-operator x": {"--kind filter --no-model --to t": {"kind": "filter", "model": False, "to": Path("t")}},
    "recipes": {"--to t": {"to": Path("t")}},
}  # fmt: skip

WRONG = [
    "run x --shard many", "run x --executor slurm", "run x --seed 1.5", "estimate x --pilot some",
    "estimate x --max-cost much", "summary --pairs few", "report --samples few", "review --mode look",
    "review --form other", "review --order random", "review --port http", "export --format csv --out x",
    "export --format hf --out x --kind pair", "export --format hf --out x --images link",
    "export --format hf --out x --near-questions no", "export --format hf --out x --workers no",
    "evaluate accuracy --pred x --rows both", "evaluate quality --pred x --gold x --gap wide",
    "evaluate siqa --pred x --gold x --outliers z", "evaluate siqa --pred x --gold x --scale 1",
    "evaluate agreement --ratings x --resamples many", "store prune --older-than soon", "split x --out x --size all",
    "sample --check a", "sample --max-hamming near", "balance x --out x --yes-share half",
    "diagram criteria --out x --api-model x --draws few", "new-operator x --kind deduplicator", "store", "evaluate",
    "diagram", "ingest", "",
]  # fmt: skip


def told(line: str) -> dict[str, Any]:
    """What a command is told by a line."""
    found = vars(_parser().parse_args(shlex.split(line)))
    return {name: value for name, value in found.items() if name not in ("run", "command")}


@pytest.mark.parametrize("line", LEAST)
def test_what_holds_where_nothing_is_said(line: str) -> None:
    assert told(line) == LEAST[line]
    assert callable(vars(_parser().parse_args(shlex.split(line)))["run"])


@pytest.mark.parametrize(("line", "more"), [(line, more) for line, options in MORE.items() for more in options])
def test_what_is_said_counts(line: str, more: str) -> None:
    found = told(f"{line} {more}")
    assert {name: found[name] for name in MORE[line][more]} == MORE[line][more]


@pytest.mark.parametrize("line", [line for line in LEAST if " x" in line])
def test_no_command_goes_without_what_it_needs(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = line.split()
    for place, word in enumerate(words):
        if word in ("x", "hf"):
            named = words[place - 1].startswith("--")
            with pytest.raises(SystemExit) as ended:
                told(" ".join([*words[: place - named], *words[place + 1 :]]))
            assert ended.value.code == 2 and "required" in capsys.readouterr().err


@pytest.mark.parametrize("line", WRONG)
def test_what_a_command_does_not_know_is_wrong_use(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        told(line)
    assert ended.value.code == 2 and "error: " in capsys.readouterr().err
