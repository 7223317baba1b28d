"""`dj-ext estimate`: from a recipe and a dataset to an estimate, with a pilot if one is asked for."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.estimate.assumptions import Assumptions, load_assumptions
from data_juicer_ext.estimate.assumptions_in_words import taken_for_granted
from data_juicer_ext.estimate.cost_of_calls import unit_prices
from data_juicer_ext.estimate.from_assumptions import from_assumptions
from data_juicer_ext.estimate.from_pilot import PilotForecast, from_pilot
from data_juicer_ext.estimate.paid_rows import Frame, draw, draw_rows, frame
from data_juicer_ext.estimate.pilot_run import bounded, pilot_folder, run_free, run_pilot, undecided_in
from data_juicer_ext.estimate.pilot_sample import PilotListing, PilotSample, read_sample
from data_juicer_ext.estimate.recipe_steps import Plan, RecipeStep, foreign_callers, keyless, plan
from data_juicer_ext.estimate.result import UNKNOWN, Estimate, PilotTold
from data_juicer_ext.estimate.uncertain_amounts import Range
from data_juicer_ext.models.budget.prices import load_prices
from data_juicer_ext.ops.base.run_op import run_folder
from data_juicer_ext.runner import shard_recipe
from data_juicer_ext.runner.console import Console

DEFAULT_PAPERS = 300


class ProblemsError(DjExtError, ValueError):
    """The recipe, the dataset or what was asked for can't be estimated; `problems` says why, each in words."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class EstimateRequest:
    """What is to be estimated.

    `dataset` and `run_dir` stand in for the recipe's where they are not "". `pilot` is the number of rows
    to run (0: none, and nothing is spent), `max_cost` the US dollars that they may take (0: no limit but
    the recipe's own). `papers` is how many rows of the dataset are read (0: all), `seed` says which.
    """

    recipe: Path
    dataset: str = ""
    pilot: int = 0
    papers: int = DEFAULT_PAPERS
    seed: int = 0
    max_cost: float = 0.0
    run_dir: str = ""
    assume: Path | None = None


def estimate(asked: EstimateRequest, say: Callable[[str], None], console: Console | None = None) -> Estimate:
    """The estimate; `say` gets what a user should read on the way.

    Raises ProblemsError for what can't be estimated, PartError where a step can't be run, TooSmallError
    for a pilot without two decided rows, and other ValueErrors for a wrong file of prices or assumptions.
    """
    assumed = load_assumptions(asked.assume)
    config = shard_recipe.load(asked.recipe)
    with tempfile.TemporaryDirectory(prefix="dj-ext-estimate-") as scratch:
        if problems := _problems(asked, config, Path(scratch)):
            raise ProblemsError(problems)
        planned = plan(config)
        if problems := [*_foreign_problems(asked, planned), *_price_problems(asked, planned.known)]:
            raise ProblemsError(problems)
        found = _frame(asked, config, planned, assumed, Path(scratch), say, console)
        if not planned.steps or not found.rows:
            return _told(asked, config, found, planned, assumed, _nothing(found), None)
        if not asked.pilot:
            return _told(asked, config, found, planned, assumed, from_assumptions(found, planned.known, assumed), None)
        sample, folder = _pilot(asked, config, planned, found, say, console)
    told = PilotTold(
        sample.drawn, len(sample.places), sample.undecided, sample.unreached, sample.calls, sample.hits,
        round(sample.cost, 8), sample.unpriced, sample.untied, str(folder),
    )  # fmt: skip
    return _told(asked, config, found, planned, assumed, from_pilot(found, planned.known, sample), told)


def _problems(asked: EstimateRequest, config: Mapping[str, Any], scratch: Path) -> list[str]:
    """What would stop the run, and what was asked for wrongly. Without a pilot no key is needed."""
    from data_juicer_ext.ops.recipe.recipe_check import check

    recipe = asked.recipe
    if not asked.pilot:
        recipe = scratch / asked.recipe.name
        recipe.write_text(shard_recipe.dump(keyless(config)), encoding="utf-8")
    shown, meant = str(recipe), str(asked.recipe)
    found = [said.replace(shown, meant) for said in check(recipe, asked.dataset)]
    found += shard_recipe.complaints(dict(config))
    for name, value in (("pilot", asked.pilot), ("papers", asked.papers), ("max-cost", asked.max_cost)):
        if value < 0:
            found.append(f"--{name}: {value} will not do; write a positive number, or 0 for none")
    if asked.pilot == 1:
        found.append("--pilot: one row says nothing about the others; 30 are a good start")
    if asked.max_cost and not asked.pilot:
        found.append("--max-cost bounds a pilot; without --pilot nothing is spent")
    return found


def _foreign_problems(asked: EstimateRequest, planned: Plan) -> list[str]:
    """What others' operators would spend cannot be told, and must not be spent without having been asked for."""
    found = [
        f"{name} may call a model, and what it costs can't be told: leave it out, or list it after this package's"
        for name in foreign_callers(planned.free)
    ]
    if asked.pilot and asked.max_cost:
        found += [f"--max-cost can't bound what {name} spends" for name in foreign_callers(planned.paid)]
    return found


def _price_problems(asked: EstimateRequest, steps: Sequence[RecipeStep]) -> list[str]:
    """A limit in US dollars holds no call whose price is unknown."""
    if not asked.pilot or not asked.max_cost:
        return []
    unknown = dict.fromkeys(step.model for step in steps if step.model and unit_prices(step) is None)
    return [
        f"--max-cost can't bound the calls of {model}, whose price is unknown; give it in a file that "
        "DJ_EXT_PRICES names (see docs/models.md)"
        for model in unknown
    ]


def _dataset(asked: EstimateRequest, config: Mapping[str, Any]) -> Path:
    return Path(asked.dataset or str(config.get("dataset_path") or ""))


def _frame(
    asked: EstimateRequest,
    config: dict[str, Any],
    planned: Plan,
    assumed: Assumptions,
    scratch: Path,
    say: Callable[[str], None],
    console: Console | None,
) -> Frame:
    drawn = draw(_dataset(asked, config), asked.papers, asked.seed, shard_recipe.layout(config), scratch / "spool")
    rows: Sequence[Mapping[str, Any]] = drawn.rows
    if planned.free and planned.steps:
        part = "all" if len(rows) == drawn.dataset_rows else f"{len(rows)} of"
        say(f"Reading {part} {drawn.dataset_rows} rows of the dataset; that is free.")
        rows, unreadable = run_free(config, planned.free, rows, scratch, console)
        if unreadable:
            say(unreadable)
    if asked.pilot and planned.steps:
        _check_ids(rows)
    return frame(drawn, rows, planned.known, assumed.characters, by_paper=bool(planned.free))


def _check_ids(rows: Sequence[Mapping[str, Any]]) -> None:
    ids = {str(row.get("row_id") or "") for row in rows}
    if "" in ids or len(ids) < len(rows):
        raise ProblemsError(
            ["--pilot needs rows with a row_id of their own each: what a step does is counted by it (docs/rows.md)"]
        )


def _pilot(
    asked: EstimateRequest,
    config: dict[str, Any],
    planned: Plan,
    found: Frame,
    say: Callable[[str], None],
    console: Console | None,
) -> tuple[PilotSample, Path]:
    places = draw_rows(found.rows, asked.pilot, asked.seed)
    rows = [found.rows[place] for place in places]
    run_dir = run_folder(asked.run_dir or shard_recipe.run_dir_of(config))
    folder = pilot_folder(run_dir, len(rows), asked.seed)
    papers = len({row.get("paper_id") for row in rows})
    say(
        f"Pilot: {len(rows)} of {len(found.rows)} rows at the door of {planned.known[0].tag}, from {papers} papers, "
        f"drawn at random (seed {asked.seed}), in {folder}"
    )
    calling = [step.operator for step in planned.known if step.model]
    process = bounded(planned.paid, calling, asked.max_cost)
    if run_pilot(config, process, rows, folder, run_dir / "store", console):
        say("The budget ended the pilot: only its whole shards count.")
    elif undecided := undecided_in(folder):
        say(undecided)
    return read_sample(folder, rows, places, [listing_of(step) for step in planned.known]), folder


def listing_of(step: RecipeStep) -> PilotListing:
    """What `step` is known by in a ledger."""
    templates = (str(step.op.template), str(step.op.repair_template)) if step.model else ()
    return PilotListing(step.operator, step.tag, templates, step.model)


def _nothing(found: Frame) -> PilotForecast:
    return PilotForecast((), Range.exact(0.0), Range.exact(0.0))


def _told(
    asked: EstimateRequest,
    config: Mapping[str, Any],
    found: Frame,
    planned: Plan,
    assumed: Assumptions,
    predicted: PilotForecast,
    pilot: PilotTold | None,
) -> Estimate:
    told = [step for step in predicted.steps if step.basis != UNKNOWN]
    unpriced = tuple(dict.fromkeys(step.model for step in told if step.cost is None and step.model))
    return Estimate(
        recipe=str(asked.recipe), dataset=str(_dataset(asked, config)), seed=asked.seed,
        dataset_rows=found.dataset_rows, read=found.read, rows=len(found.rows), free=found.free,
        steps=predicted.steps, survivors=predicted.survivors if predicted.steps else None,
        cost=predicted.cost, unpriced=unpriced,
        assumed=tuple(taken_for_granted(found, planned, assumed, pilot)), pilot=pilot,
        prices=load_prices().sources,
    )  # fmt: skip
