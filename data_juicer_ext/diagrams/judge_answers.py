"""What a judge of two diagrams has to answer: for each criterion a score of the first and of the second.

The answer knows the diagrams by the order in which they were shown; only `order_scores` knows which is which.
"""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from data_juicer_ext.diagrams.scoring import HIGHEST, OrderScores, Sides

PARSER_VERSION = "diagram-judge-1"
_REASON_CHARACTERS = 2_000


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number is needed")
    return value


def _cut(value: Any) -> Any:
    return value.strip()[:_REASON_CHARACTERS] if isinstance(value, str) else "" if value is None else value


Score = Annotated[float, BeforeValidator(_no_bool), Field(ge=0, le=HIGHEST, allow_inf_nan=False)]


class CriterionScores(BaseModel):
    """One criterion's scores, 0 to 10, and what they rest on."""

    first: Score
    second: Score
    reason: Annotated[str, BeforeValidator(_cut)] = ""


class JudgeAnswer(BaseModel):
    """The answer to one request; its fields are made for the criteria of a type."""

    model_config = ConfigDict(populate_by_name=False)


@lru_cache(maxsize=64)
def answer_model(ids: tuple[str, ...]) -> type[JudgeAnswer]:
    """The answer's model for criteria of these ids: every one is needed, anything else is left out."""
    fields: dict[str, Any] = {
        f"c{place}": (CriterionScores, Field(alias=identity)) for place, identity in enumerate(ids)
    }
    made: type[JudgeAnswer] = create_model("Answer", __base__=JudgeAnswer, **fields)
    return made


def order_scores(answer: JudgeAnswer, generated_first: bool) -> OrderScores:
    """The scores of an answer, told apart by which diagram was shown first."""
    given: dict[str, CriterionScores] = {
        field.alias or name: getattr(answer, name) for name, field in type(answer).model_fields.items()
    }
    scores = {
        identity: Sides(scored.first, scored.second) if generated_first else Sides(scored.second, scored.first)
        for identity, scored in given.items()
    }
    return OrderScores(generated_first, scores, {identity: scored.reason for identity, scored in given.items()})
