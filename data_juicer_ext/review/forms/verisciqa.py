"""Questions about figures, rated on the five dimensions of VeriSciQA's appendix E."""

from collections.abc import Sequence
from typing import Any

from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.review.forms.form import TEXT_LIMIT, Form, FormStage, asks, images_of, text_block
from data_juicer_ext.rows import Row

_MOST_OPTIONS = 26


class VeriSciQA(Form):
    """Figure, caption, question, options, answer and rationale: five scores from 1 to 5."""

    name = "verisciqa"

    def takes(self, row: Row) -> bool:
        """Whether a row has an image, a question and options."""
        return bool(images_of(row) and row.get("question") and options_of(row))

    def stages(self, row: Row) -> Sequence[FormStage]:
        """One stage."""
        blocks = [
            *text_block("Caption", row.get("caption")),
            *text_block("Question", row.get("question")),
            options_block(row),
            *text_block("Rationale", row.get("rationale")),
        ]
        return [FormStage("question", blocks, list(asks(self.name, 1, 5).values()))]


def options_of(row: Row) -> list[str]:
    """The options of a question."""
    options = row.get("options")
    return [str(option) for option in options[:_MOST_OPTIONS]] if isinstance(options, (list, tuple)) else []


def options_block(row: Row) -> dict[str, Any]:
    """The options with their letters, the answer marked."""
    answer = str(row.get("answer") or "")
    lettered = [(chr(ord("A") + place), text) for place, text in enumerate(options_of(row))]
    options = [
        {"letter": letter, "text": shown_text(text, TEXT_LIMIT), "answer": letter == answer}
        for letter, text in lettered
    ]
    return {"kind": "options", "title": "Options", "options": options}
