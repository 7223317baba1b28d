"""The offline model: a deterministic, rule-based baseline behind the interface of every model.

No network, no weights of its own (figures are read by OCR where it is installed). It answers the
tasks of `prompts/verisciqa/` and `prompts/scifigqual/` in the format that those prompts ask of any
model, and abstains from questions when it does not know.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from data_juicer_ext.figures.ocr import OcrMissingError, UnreadableImageError, read_picture
from data_juicer_ext.models.types import Answer, Failure, Request, Result, Usage
from data_juicer_ext.offline.figure.answering import look
from data_juicer_ext.offline.judging.annotation import ANNOTATION_TASKS
from data_juicer_ext.offline.judging.diagrams import DIAGRAM_TASKS
from data_juicer_ext.offline.judging.quality import QUALITY_TASKS
from data_juicer_ext.offline.judging.siqa import SIQA_TASKS
from data_juicer_ext.offline.plugin_rules import rule_for
from data_juicer_ext.offline.text.answering import best_options
from data_juicer_ext.offline.text.claims import figure_claims
from data_juicer_ext.offline.text.clauses import clauses_of
from data_juicer_ext.offline.text.questions import LETTERS, question_for
from data_juicer_ext.offline.text.sentences import readable

MODEL_NAME = "offline"
_ALPHABET = "ABCDEFGHIJ"


class OfflineModel:
    """Answers requests by rules; `name` is "offline".

    It reads `request.task`, `request.fields` and the images of the last user message that has any. Equal requests get
    equal answers. Tasks: `verisciqa/claim_extraction`, `verisciqa/mcq_generation`, `verisciqa/source_consistency`,
    `verisciqa/visual_dependence`, `verisciqa/vision_vote`, those of `annotation/` (see `offline/annotation.py`), of
    `scifigqual/` (see `offline/quality.py`), those of `siqa/` (see `offline/siqa.py`), those of `scidiag/` (see
    `offline/diagrams.py`), and those that other packages add (see `plugin_rules.py`).
    """

    name = MODEL_NAME

    async def ask(self, request: Request) -> Result:
        """Answer one request in a thread of its own.

        Failures: `bad_request` (unknown task or a field missing), `bad_image` (no readable image),
        `internal` (OCR is not installed, or a defect here). It never raises.
        """
        started = time.monotonic()
        result = await asyncio.to_thread(self._answer, request)
        seconds = time.monotonic() - started
        if isinstance(result, Failure):
            return Failure(result.kind, result.message, result.retryable, seconds)
        return Answer(result, MODEL_NAME, usage=_usage(request, result), seconds=seconds)

    def _answer(self, request: Request) -> str | Failure:
        task = rule_for(request.task) or _TASKS.get(request.task)
        if task is None:
            known = ", ".join(_TASKS)
            message = (
                f"the offline model knows no task {request.task!r}, only: {known}; a package of operators adds "
                "its own with `offline_rule`"
            )
            return Failure("bad_request", message, False)
        shown = [message.images for message in request.messages if message.role == "user" and message.images]
        images = shown[-1] if shown else ()
        try:
            return task(request.fields, images)
        except KeyError as error:
            return Failure("bad_request", f"{request.task}: the field {error} is missing", False)
        except Exception as error:
            return Failure("internal", f"{request.task}: {type(error).__name__}: {error}", False)


def _usage(request: Request, text: str) -> Usage:
    sent = sum(len(message.text) for message in request.messages)
    return Usage(prompt_tokens=-(-sent // 4), completion_tokens=-(-len(text) // 4), estimated=True)


def _strings(value: Any) -> list[str]:
    """A field that holds texts: a list of them, or one text with blank lines between."""
    if isinstance(value, str):
        return [part for part in value.split("\n\n") if part.strip()]
    return [str(item) for item in value]


def _options(value: Sequence[Any]) -> list[tuple[str, str]]:
    return list(zip(_ALPHABET, (str(option) for option in value), strict=False))


def _labels(fields: Mapping[str, Any]) -> list[str]:
    return [label for label in (str(fields.get("label", "")), *map(str, fields.get("labels", ()))) if label]


def _option(letters: Sequence[str]) -> str:
    return f"<option>{', '.join(letters) or 'None'}</option>"


def _extract_claims(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    claims = figure_claims(_strings(fields["paragraphs"]), _labels(fields))
    lines = "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
    return f"<Patterns>\n{lines}\n</Patterns>" if claims else "<Patterns>None</Patterns>"


def _make_question(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    asked = question_for(str(fields["claim"]), str(fields["caption"]), _strings(fields["paragraphs"]))
    if asked is None:
        return "None"
    lines = "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, asked.options, strict=False))
    options = f"<options>\n{lines}\n</options>"
    return f"<question>{asked.text}</question>\n{options}\n<answer>{asked.answer}</answer>"


def _check_source(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    clauses = clauses_of(_strings(fields["paragraphs"]), _labels(fields))
    letters, why = best_options(str(fields["question"]), _options(fields["options"]), clauses)
    analysis = f"The text says: {why}." if len(letters) == 1 else why
    return f"<analysis>{analysis}</analysis>\n{_option(letters)}"


def _answer_blind(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    clauses = clauses_of([str(fields["caption"])])
    letters, _ = best_options(str(fields["question"]), _options(fields["options"]), clauses)
    return _option(letters if len(letters) == 1 else [])


def _look(fields: Mapping[str, Any], images: tuple[str, ...]) -> str | Failure:
    if not images:
        return Failure("bad_image", "the request has no image", False)
    try:
        pictures = [read_picture(image) for image in images]
    except UnreadableImageError as error:
        return Failure("bad_image", str(error), False)
    except OcrMissingError as error:
        return Failure("internal", str(error), False)
    question, caption = str(fields["question"]), readable(str(fields["caption"]))
    finding = look(question, _options(fields["options"]), caption, pictures)
    return f"<rationale>{finding.rationale}</rationale>\n{_option([finding.letter] if finding.letter else [])}"


_TASKS: dict[str, Callable[[Mapping[str, Any], tuple[str, ...]], str | Failure]] = {
    "verisciqa/claim_extraction": _extract_claims,
    "verisciqa/mcq_generation": _make_question,
    "verisciqa/source_consistency": _check_source,
    "verisciqa/visual_dependence": _answer_blind,
    "verisciqa/vision_vote": _look,
    **QUALITY_TASKS,
    **SIQA_TASKS,
    **ANNOTATION_TASKS,
    **DIAGRAM_TASKS,
}
