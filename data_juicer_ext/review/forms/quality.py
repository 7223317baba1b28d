"""Figure quality under evidence gating: the image is judged before its caption is seen, that before the citing text.

SciFigQual, sections 3.1 and 3.3: a dimension without evidence is not asked, and every score needs a reason.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from data_juicer_ext.judging.citing_text import context_set
from data_juicer_ext.judging.evidence_gating import DIMENSIONS
from data_juicer_ext.judging.judge_inputs import Case, case_of
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.review.forms.form import TEXT_LIMIT, Form, FormStage, Values, asks, images_of, text_block
from data_juicer_ext.rows import Row, value_in

_SCORES = (*DIMENSIONS, "overall")


class Quality(Form):
    """Up to three stages, scores from 1 to 10; dimensions that the gate closes are stored as null."""

    name = "quality"

    def takes(self, row: Row) -> bool:
        """Whether a row has an image, and a caption or citing text to judge it by."""
        case = _case(row)
        return bool(images_of(row) and case is not None and case.dimensions)

    def stages(self, row: Row) -> Sequence[FormStage]:
        """The image; then what there is of caption and citing text, MR and overall with the last of them."""
        case, ask = _case(row) or Case(), asks(self.name, 1, 10)
        stages = [FormStage("image", [], [ask["VC"], ask["SL"]], True)]
        if "C" in case.dimensions:
            stages.append(FormStage("caption", text_block("Caption", row.get("caption")), [ask["C"]], True))
        if "CTX" in case.dimensions:
            stages.append(FormStage("citing text", [_citing(row)], [ask["CTX"]], True))
        last = stages.pop()
        return [*stages, FormStage(last.name, last.blocks, [*last.asks, ask["MR"], ask["overall"]], True)]

    def stored(self, row: Row, values: Values, side: int) -> dict[str, Any]:
        """All scores, null where the gate is closed."""
        return {name: values.get(name) for name in _SCORES}


def _case(row: Row) -> Case | None:
    try:
        return case_of(row)
    except (ValueError, TypeError):  # a column that should hold JSON does not, or holds something odd
        return None


def _citing(row: Row) -> dict[str, Any]:
    places = [place for place in _list(row.get("context_places")) if isinstance(place, Mapping)]
    labels = [str(label) for label in _list(row.get("labels"))]
    passages = context_set(places, str(row.get("number") or ""), labels)
    texts = [shown_text(passage.text, TEXT_LIMIT) for passage in passages]
    return {"kind": "paragraphs", "title": "Citing text", "paragraphs": texts}


def _list(value: Any) -> list[Any]:
    found = value_in(value)
    return found if isinstance(found, list) else []
