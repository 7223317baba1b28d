"""Two diagrams for one caption, anonymous and in a seeded order, compared on five points (SciDiag, appendix E)."""

from collections.abc import Mapping, Sequence
from typing import Any

from data_juicer_ext.errors import UsageError
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.review.forms.criteria import OVERALL, Criteria, RatedCriterion, criteria_of
from data_juicer_ext.review.forms.form import Form, FormQuestion, FormStage, Values, asks, images_of, text_block, texts
from data_juicer_ext.rows import Row

_LOW, _HIGH = -2, 2


class SciDiag(Form):
    """Criterion by criterion, then overall; on the page negative is left, in the file negative is the reference.

    `side` is +1 where the generated diagram stands on the right. `criteria` are those of a file, by diagram type;
    a row's own criteria come before them.
    """

    name = "scidiag"
    pair = True

    def __init__(self, criteria: Criteria | None = None) -> None:
        self.criteria = criteria or {}

    def takes(self, row: Row) -> bool:
        """Whether a row has two images. Raises UsageError where the criteria file lacks its type."""
        if len(images_of(row)) != 2:
            return False
        self._criteria(row)
        return True

    def stages(self, row: Row) -> Sequence[FormStage]:
        """One stage."""
        dimensions = asks(self.name, _LOW, _HIGH)
        overall = dimensions.pop(OVERALL)
        criteria = [_ask(criterion, overall.levels) for criterion in self._criteria(row)] or list(dimensions.values())
        return [FormStage("pair", text_block("Caption", row.get("caption")), [*criteria, overall])]

    def stored(self, row: Row, values: Values, side: int) -> dict[str, Any]:
        """Overall and criteria, positive where the generated diagram is better."""
        signed = {key: side * value for key, value in values.items()}
        return {OVERALL: signed.pop(OVERALL), "criteria": signed}

    def given(self, row: Row, ratings: Mapping[str, Any], side: int) -> Values:
        """The answer by sides."""
        criteria = ratings.get("criteria")
        flat = {**(criteria if isinstance(criteria, dict) else {}), OVERALL: ratings.get(OVERALL)}
        return {key: side * value for key, value in super().given(row, flat, side).items()}

    def _criteria(self, row: Row) -> tuple[RatedCriterion, ...]:
        if own := criteria_of(row):
            return own
        name = str(row.get("diagram_type") or "")
        if self.criteria and name not in self.criteria:
            raise UsageError(f"--criteria: there are none for diagrams of type {name!r} (row {row.get('row_id')})")
        return self.criteria.get(name, ())


def _ask(criterion: RatedCriterion, levels: Mapping[int, str]) -> FormQuestion:
    key, dimensions = criterion.criterion_id, texts("scidiag")["dimensions"]
    title = dimensions.get(criterion.dimension, {}).get("title") or criterion.dimension or key
    return FormQuestion(key, shown_text(title, 80), shown_text(criterion.text, 600), _LOW, _HIGH, levels)
