"""What an estimate rests on, in words."""

from __future__ import annotations

from collections.abc import Iterator

from data_juicer_ext.estimate.assumptions import Assumptions
from data_juicer_ext.estimate.from_assumptions import CLAIMS
from data_juicer_ext.estimate.paid_rows import Frame
from data_juicer_ext.estimate.ranges import Range
from data_juicer_ext.estimate.recipe_steps import Plan, RecipeStep
from data_juicer_ext.estimate.result import PilotTold
from data_juicer_ext.models.http.messages import CHARACTERS_A_TOKEN


def taken_for_granted(found: Frame, planned: Plan, assumed: Assumptions, pilot: PilotTold | None) -> Iterator[str]:
    """A sentence for everything that was not measured."""
    steps = [step for step in planned.known if step.model]
    if not steps:
        return
    if found.read < found.dataset_rows:
        yield (
            f"the {found.read} rows of the dataset that were read, drawn at random, stand for all "
            f"{found.dataset_rows} (give or take {found.tokens_apart:.0%})"
        )
    if pilot is not None:
        yield from _of_pilot(pilot, steps)
    else:
        yield f"text: {CHARACTERS_A_TOKEN} characters a token; a pilot takes the provider's own counts"
        yield from found.sent.assumed
        yield from _rates(steps, assumed)
    if any(_two_models(step) for step in steps):
        yield "calls of figure_quality_mapper without an image are priced as those of its vision model"
    for tag in found.sent.silent if pilot is None else ():
        yield f"{tag}: its prompts hang on columns that are not there yet; only a pilot can tell what it costs"
    for name in planned.foreign:
        yield f"{name} is not this package's: what it costs, makes and drops is not counted"


def _of_pilot(pilot: PilotTold, steps: list[RecipeStep]) -> Iterator[str]:
    yield f"the {pilot.decided} rows of the pilot that were decided stand for all others"
    if pilot.undecided:
        yield f"{pilot.undecided} rows of the pilot were left undecided by failed calls: as good as the others"
    if pilot.unreached:
        yield f"{pilot.unreached} rows of the pilot were not run to their end: its budget was reached"
    if pilot.hits and pilot.hits == pilot.calls and any(not step.is_free for step in steps):
        yield "all answers of the pilot came from the store: their tokens are the mean of such answers there"
    elif pilot.hits:
        yield f"{pilot.hits} answers of the pilot came from the store: their tokens are reckoned by those of the others"
    if pilot.untied:
        yield f"{pilot.untied} decisions of the pilot can't be traced to a drawn row: they are not counted"


def _rates(steps: list[RecipeStep], assumed: Assumptions) -> Iterator[str]:
    for step in steps:
        kept = assumed.kept_by(step.operator, step.tag)
        gives = (
            f"{_shown(assumed.claims_per_figure)} claims from a figure that is cited"
            if step.operator == CLAIMS
            else f"keeps {kept.likely:.0%} ({kept.low:.0%} to {kept.high:.0%})"
        )
        yield f"{step.tag}: {gives}, {_shown(assumed.completion_of(step.operator))} tokens an answer"
    for model in dict.fromkeys(step.model for step in steps if assumed.thinks(step.model)):
        yield f"{model} thinks: {_shown(assumed.thinking_tokens)} more tokens an answer"
    yield f"calls made again because an answer could not be read: {assumed.repairs.likely:.0%} of all"
    if any(step.frugal for step in steps):
        yield f"votes that stop when they are certain make {assumed.frugal_draws.likely:.0%} of their draws"
    yield "nothing comes from the provider's cache of prompts"
    yield f"source of these: {', '.join(assumed.sources)}"


def _shown(given: Range) -> str:
    return f"{given.likely:g} ({given.low:g} to {given.high:g})"


def _two_models(step: RecipeStep) -> bool:
    other = getattr(step.op, "text_endpoint", None)
    return other is not None and other.model != step.model
