"""What an estimate rests on, in words."""

from collections.abc import Iterator

from data_juicer_ext.estimate.assumptions import Assumptions
from data_juicer_ext.estimate.from_assumptions import rows_from_one
from data_juicer_ext.estimate.paid_rows import Frame
from data_juicer_ext.estimate.recipe_steps import Plan, RecipeStep
from data_juicer_ext.estimate.result import PilotTold
from data_juicer_ext.estimate.uncertain_amounts import Range
from data_juicer_ext.models.http.messages import CHARACTERS_PER_TOKEN


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
        yield f"text: {CHARACTERS_PER_TOKEN} characters per token; a pilot takes the provider's own counts"
        yield from found.sent.assumed
        yield from _rates(steps, assumed)
    for name in dict.fromkeys(step.operator for step in steps if _two_models(step)):
        yield f"calls of {name} without an image are priced as those of its vision model"
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
        tokens = assumed.completion_of(step.operator, step.answer_tokens)
        yield f"{step.tag}: {_gives(step, assumed)}, {_shown(tokens)} tokens an answer"
    for model in dict.fromkeys(step.model for step in steps if assumed.thinks(step.model)):
        yield f"{model} thinks: {_shown(assumed.thinking_tokens)} more tokens an answer"
    yield f"calls made again because an answer could not be read: {assumed.repairs.likely:.0%} of all"
    if any(step.frugal for step in steps):
        yield f"votes that stop when they are certain make {assumed.frugal_draws.likely:.0%} of their draws"
    yield "nothing comes from the provider's cache of prompts"
    yield f"source of these: {', '.join(assumed.sources)}"


def _gives(step: RecipeStep, assumed: Assumptions) -> str:
    rows = rows_from_one(step, assumed)
    if step.several is not None:
        return f"{_shown(rows)} {step.several[1]}"
    if rows.high > 1:
        return f"{_shown(rows)} rows from one"
    return f"keeps {rows.likely:.0%} ({rows.low:.0%} to {rows.high:.0%})"


def _shown(given: Range) -> str:
    return f"{given.likely:g} ({given.low:g} to {given.high:g})"


def _two_models(step: RecipeStep) -> bool:
    other = getattr(step.op, "text_endpoint", None)
    return other is not None and other.model != step.model
