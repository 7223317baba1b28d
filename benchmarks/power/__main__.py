"""How many small faults, put into the product one at a time, its tests notice: a seeded sample over all packages.

    python -m benchmarks.power [--seed 17] [--per-package 3 | --total 200] [--only latex] [--jobs 1] [--out FILE]

Works in copies of the tree. Per fault the nearest tests run first and the first failure ends it; a failure counts only
if the same test passes without the fault. A fault after which its module cannot be imported (`incompetent`), and one
that `equivalent.yaml` names with the reason, is left out of the share. Each result is a JSON line in `--out`; the same
command goes on where it was stopped, and then prints the share per package and what survived.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from benchmarks.power.faults import KINDS, Fault, diff, faults_in
from benchmarks.power.nearby_tests import PRODUCT, NearbyTests, concerns_ray
from benchmarks.power.trial import Trial

EQUIVALENT = Path(__file__).with_name("equivalent.yaml")
COUNTED = ("caught", "timeout", "survived")


@dataclass(frozen=True)
class Mutant:
    """A fault in the module at `path`, which is relative to the tree."""

    package: str
    path: Path
    fault: Fault
    changed: str
    diff: str

    def facts(self) -> dict[str, Any]:
        fault = {"kind": self.fault.kind, "operator": type(self.fault.operator).__name__, "line": self.fault.line}
        return {"package": self.package, "file": str(self.path), **fault, "diff": self.diff}


def sample(tree: Path, seed: int, per_package: int, total: int, only: str) -> list[Mutant]:
    """At least `per_package` faults of each package, up to `total` by the packages' lines, in a shuffled order."""
    packages: dict[str, dict[Path, str]] = defaultdict(dict)
    for path in sorted(tree.joinpath(PRODUCT).rglob("*.py")):
        inside = path.relative_to(tree)
        packages[inside.parts[1] if len(inside.parts) > 2 else PRODUCT][inside] = path.read_text(encoding="utf-8")
    lines = {name: sum(text.count("\n") for text in modules.values()) for name, modules in packages.items()}
    over = max(0, total - per_package * len(packages)) / sum(lines.values())
    chosen: list[Mutant] = []
    seen = 0
    for name, modules in packages.items():
        wanted = per_package + round(over * (seen + lines[name])) - round(over * seen)
        seen += lines[name]
        if only in ("", name):
            chosen += sample_of_package(name, modules, wanted, random.Random(f"{seed} {name}"))
    random.Random(seed).shuffle(chosen)
    return chosen


def sample_of_package(package: str, modules: dict[Path, str], wanted: int, draw: random.Random) -> list[Mutant]:
    """A module by its lines, then the kind of fault that was drawn least, then a place: one fault a line."""
    left: dict[Path, dict[str, list[Fault]]] = {}
    drawn: Counter[str] = Counter()
    chosen: list[Mutant] = []
    while len(chosen) < wanted and (fruitful := [path for path in modules if left.get(path, True)]):
        path = draw.choices(fruitful, [modules[path].count("\n") + 1 for path in fruitful])[0]
        if path not in left:
            left[path] = faults_in(modules[path])
        if not left[path]:
            continue
        kind = min(left[path], key=lambda kind: (drawn[kind], draw.random()))
        fault = draw.choice(left[path][kind])
        changed = fault.applied(modules[path])
        left[path] = without_line(left[path], fault.line)
        if changed is not None:
            drawn[kind] += 1
            chosen.append(Mutant(package, path, fault, changed, diff(modules[path], changed)))
    return chosen


def without_line(kinds: dict[str, list[Fault]], line: int) -> dict[str, list[Fault]]:
    rest = {kind: [fault for fault in faults if fault.line != line] for kind, faults in kinds.items()}
    return {kind: faults for kind, faults in rest.items() if faults}


class Equivalents:
    """The faults of `equivalent.yaml`, by file and diff; where the file was moved, by the diff alone."""

    def __init__(self, tree: Path) -> None:
        self.reasons: dict[tuple[str, str], str] = {}
        for entry in yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8")) or []:
            module, changed = tree / entry["file"], entry["diff"].rstrip("\n")
            text = module.read_text(encoding="utf-8").splitlines() if module.is_file() else []
            if not {line[1:] for line in changed.splitlines() if line.startswith("-")} <= set(text):
                print(f"equivalent.yaml: {entry['file']} has no such line now:\n{changed}")
            self.reasons[entry["file"] if text else "", changed] = entry["why"]

    def reason(self, facts: Mapping[str, Any]) -> str | None:
        return self.reasons.get((facts["file"], facts["diff"])) or self.reasons.get(("", facts["diff"]))


class Trials:
    """Tries mutants, `jobs` at a time, each in a copy of its own."""

    def __init__(self, tree: Path, place: Path, jobs: int, memory: float) -> None:
        self.tree = tree
        self.nearby = NearbyTests(tree)
        self.idle: queue.Queue[Trial] = queue.Queue()
        for number in range(jobs):
            self.idle.put(Trial(tree, place / str(number), memory))

    def facts(self, mutant: Mutant) -> dict[str, Any]:
        """What was changed, which tests were asked, and what came of it."""
        trial, start = self.idle.get(), time.monotonic()
        marks = "not slow" if concerns_ray(self.tree, mutant.path) else "not slow and not ray"
        stages = self.nearby.stages(mutant.path)
        try:
            outcome, by = trial.outcome(mutant.path, mutant.changed, stages, marks)
        finally:
            self.idle.put(trial)
        seconds = round(time.monotonic() - start, 1)
        return mutant.facts() | {"outcome": outcome, "by": by, "seconds": seconds, "tests": [*chain(*stages)]}


def results_of(mutants: list[Mutant], args: argparse.Namespace, out: Path) -> Iterator[dict[str, Any]]:
    """The facts of each mutant: ruled out by hand, known from `out`, or tried now and written there."""
    equivalents = Equivalents(args.tree)
    before = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    known = {(result["file"], result["line"], result["diff"]): result for result in before}
    left = []
    for mutant in mutants:
        facts = mutant.facts()
        if (why := equivalents.reason(facts)) is not None:
            yield facts | {"outcome": "equivalent", "by": why}
        elif (result := known.get((facts["file"], facts["line"], facts["diff"]))) is not None:
            yield result
        else:
            left.append(mutant)
    with tempfile.TemporaryDirectory(prefix="power-") as place, ThreadPoolExecutor(args.jobs) as pool:
        trials = Trials(args.tree, Path(place), args.jobs, args.memory)
        for number, result in enumerate(pool.map(trials.facts, left), 1):
            with out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(result) + "\n")
            print(
                f"{number}/{len(left)} {result['outcome']:11} {result['seconds']:6}s {result['file']}:{result['line']}"
            )
            yield result


def told(results: list[dict[str, Any]]) -> None:
    """Prints what survived, and the share that was noticed, per package."""
    packages: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        packages[result["package"]][result["outcome"]] += 1
        packages["all"][result["outcome"]] += 1
    for result in results:
        if result["outcome"] == "survived":
            print(f"\nsurvived: {result['file']}:{result['line']} ({result['kind']})\n{result['diff']}")
    print(f"\n{'package':20}{'noticed':>10}{'of':>6}{'share':>8}   left out")
    for name, counts in sorted(packages.items(), key=lambda item: (item[0] == "all", item[0])):
        left_out = ", ".join(f"{counts[kind]} {kind}" for kind in ("equivalent", "incompetent") if counts[kind])
        of = sum(counts[kind] for kind in COUNTED)
        noticed = of - counts["survived"]
        print(f"{name:20}{noticed:10}{of:6}{noticed / max(of, 1):8.0%}   {left_out}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.power", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--per-package", type=int, default=3, help="faults of each package, at least")
    parser.add_argument("--total", type=int, default=0, help="faults over all packages, by their lines")
    parser.add_argument("--only", default="", metavar="PACKAGE", help="faults of this package alone")
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time")
    parser.add_argument("--memory", type=float, default=6.0, help="GiB that one trial may take")
    parser.add_argument(
        "--tree", type=lambda given: Path(given).resolve(), default=Path.cwd(), help="the checkout, which is only read"
    )
    parser.add_argument("--out", type=Path, help="JSON lines; what they hold is not tried again")
    parser.add_argument("--list", action="store_true", help=f"the sample, of {len(KINDS)} kinds of faults, untried")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    mutants = sample(args.tree, args.seed, args.per_package, args.total, args.only)
    if args.list:
        print("\n".join(f"{mutant.path}:{mutant.fault.line} {mutant.fault.kind}\n{mutant.diff}" for mutant in mutants))
        return
    out = args.out or Path(tempfile.mkstemp(prefix="power-", suffix=".jsonl")[1])
    print(f"{len(mutants)} faults; results in {out}", flush=True)
    told(list(results_of(mutants, args, out)))


if __name__ == "__main__":
    main()
