"""Labels questions by the vote of several models."""

import asyncio
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.annotation.label_votes import in_audit, label, majority_of
from data_juicer_ext.annotation.question_check import question_problem
from data_juicer_ext.calls.row_calls import get_model
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.ops.authoring import (
    Calls,
    ConfigError,
    Failure,
    ModelMapper,
    Outcome,
    between,
    count,
    operator,
    request,
)
from data_juicer_ext.ops.base.model_kinds import ask_letter, images_of, mapped_back, order_of
from data_juicer_ext.ops.base.model_op import checked_endpoint, checked_sampling
from data_juicer_ext.qa.letter_answers import PARSER_VERSION
from data_juicer_ext.qa.option_order import shown
from data_juicer_ext.qa.verdicts import Draw, draw_label
from data_juicer_ext.rows import add_provenance

OP_NAME = "mcq_label_vote_mapper"

_SETTINGS = ("api_model", "api_endpoint", "model_params", "sampling_params")


@operator(OP_NAME)
class MCQLabelVoteMapper(ModelMapper):
    """Labels questions by the majority of several models that answer each from its image, apart from each other.

    Ties, and questions without a majority, are refused. One call per model and question, and one repair. A failed call
    leaves the row undecided unless the other votes settle it whatever the missing one was.

    Input columns: QA rows, with or without an answer.
    Output columns: the same rows with `answer` (the majority's letter), `answer_before` (the letter that the row came
        with), `audit` ("yes" for a sample that people should check, else "no"), and every model's vote in `provenance`.
    Source: SIQA, section 3.3.
    """

    needs = ("row_id", "images", "question", "options", "answer")
    makes = ("answer", "answer_before", "audit", "provenance")
    template = "annotation/label_vote"
    repair_template = "annotation/repair"
    fields = ("caption", "question", "options")
    parser_version = PARSER_VERSION
    without_parameters = _SETTINGS

    def __init__(
        self,
        models: list[dict[str, Any]] | None = None,
        majority: int = 0,
        permute_options: bool = True,
        with_caption: bool = True,
        audit_share: float = 0.05,
        audit_seed: int = 0,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param models: the models that vote, 2 to 15, each with `api_model` and, as other operators have them,
            `model_params`, `sampling_params` and `api_endpoint`. One that is listed twice is drawn twice.
            Where empty, two draws of the embedded model.
        :param majority: how many models have to choose the label, 1 to their number; 0: more than half.
        :param permute_options: show each model the options in an order of its own (seeded by the row).
        :param with_caption: show the caption, where a row has one.
        :param audit_share: the share of the labelled rows that get `audit` "yes", 0 to 1, drawn by their `row_id`.
        :param audit_seed: another sample.
        """
        with self.checked_parameters():
            listed = _checked(models if models is not None else [{"api_model": "offline"}] * 2)
            self.majority = count("majority", majority, 0, len(listed)) or majority_of(len(listed))
            between("audit_share", audit_share, 0.0, 1.0)
            self.audit_seed = count("audit_seed", audit_seed, 0, 2**63)
            voters = [_voter(number, given) for number, given in enumerate(listed, 1)]
        self.permute_options, self.with_caption, self.audit_share = permute_options, with_caption, float(audit_share)
        # The host fills in the parameters of the base class too; what counts is what each model has.
        kwargs |= {name: listed[0].get(name) for name in _SETTINGS}
        super().__init__(*args, **kwargs)
        self.endpoints, self.samplings = map(list, zip(*voters, strict=True))
        # Equal requests get one answer: a model that is listed again makes a draw of its own.
        self.draws = [voters[:place].count(voter) for place, voter in enumerate(voters)]

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One question to its label."""
        if problem := question_problem(row):
            return Outcome("drop", "bad_question", message=problem)
        if not images_of(row):
            return Outcome("drop", "no_image", message="there is no image to answer from")
        asking = [calls, *(calls.beside(self._model(endpoint, calls), endpoint) for endpoint in self.endpoints[1:])]
        votes = await asyncio.gather(*(self._vote(row, place, one) for place, one in enumerate(asking)))
        found = label(votes, len(row["options"]), self.majority)
        told = [
            {"model": one.model_name or one.endpoint.model, "sampling": sampling, "vote": draw_label(vote)}
            for one, sampling, vote in zip(asking, self.samplings, votes, strict=True)
        ]
        detail = {"votes": told, "majority": self.majority, "answer_before": row["answer"]}
        if found.verdict != "keep":
            return Outcome(found.verdict, found.reason, detail=detail, message=found.message)
        audit = "yes" if in_audit(str(row["row_id"]), self.audit_share, self.audit_seed) else "no"
        noted = add_provenance(row.get("provenance") or "{}", answer_before=row["answer"], label_votes=told)
        return self.kept(row, "labelled", {**detail, "label": found.letter, "audit": audit}, answer=found.letter,
                         answer_before=row["answer"], audit=audit, provenance=noted)  # fmt: skip

    def _model(self, endpoint: EndpointConfig, calls: Calls) -> Any:
        """The model of an endpoint. An operator made for an estimate has no run: whoever listens hears all calls."""
        return get_model(endpoint, self.place) if hasattr(self, "place") else calls.model

    async def _vote(self, row: dict[str, Any], place: int, calls: Calls) -> Draw:
        """How one model's answer is read, in the letters of the row, or why there is none."""
        order = order_of(row, self.tag, place, self.permute_options)
        options = shown(row["options"], order)
        caption = str(row.get("caption") or "") if self.with_caption else ""
        asked = request(self.template, self.samplings[place], images_of(row), self.draws[place], caption=caption,
                        question=row["question"], options=options)  # fmt: skip
        answer = await ask_letter(calls, asked, options, self.repair_template)
        return answer if isinstance(answer, Failure) else mapped_back(answer[0], order)


def _voter(number: int, given: Mapping[str, Any]) -> tuple[EndpointConfig, dict[str, Any]]:
    try:
        endpoint = checked_endpoint(given["api_model"], given.get("api_endpoint"), given.get("model_params"))
        return endpoint, checked_sampling(given.get("sampling_params"))
    except ConfigError as error:
        raise ConfigError(f"models, number {number}: {error}") from error


def _checked(models: Any) -> list[dict[str, Any]]:
    if not isinstance(models, list) or not 2 <= len(models) <= 15 or not all(isinstance(m, Mapping) for m in models):
        raise ConfigError(f"models: expected a list of 2 to 15 mappings with `api_model`, got {models!r}"[:300])
    for number, given in enumerate(models, 1):
        if unknown := [str(name) for name in given if name not in _SETTINGS]:
            allowed = ", ".join(_SETTINGS)
            raise ConfigError(f"models, number {number}: {', '.join(unknown)} is unknown, allowed: {allowed}")
        if not given.get("api_model"):
            raise ConfigError(f"models, number {number} has no `api_model`")
    return [dict(given) for given in models]
