"""Which form rows are rated with."""

from collections.abc import Iterable
from pathlib import Path

from data_juicer_ext.errors import UsageError
from data_juicer_ext.review.forms.criteria import read_criteria
from data_juicer_ext.review.forms.form import Form, images_of
from data_juicer_ext.review.forms.quality import Quality
from data_juicer_ext.review.forms.scidiag import SciDiag
from data_juicer_ext.review.forms.siqa import SIQA
from data_juicer_ext.review.forms.verisciqa import VeriSciQA
from data_juicer_ext.rows import Row

NAMES = ("verisciqa", "quality", "siqa", "scidiag")
_DIAGRAM_COLUMNS = ("judgement", "instance_id", "generator")
_RATING_COLUMNS = ("rating", "rating_perception", "descriptions")


def form_named(name: str, criteria: Path | None = None) -> Form:
    """A form by its name. Raises UsageError for another name, or criteria for a form that takes none."""
    if criteria is not None and name != "scidiag":
        raise UsageError(f"--criteria is for the form scidiag, not for {name}")
    made: dict[str, Form] = {"verisciqa": VeriSciQA(), "quality": Quality(), "siqa": SIQA()}
    if name == "scidiag":
        return SciDiag(read_criteria(criteria) if criteria else None)
    if name not in made:
        raise UsageError(f"--form {name}: there are {', '.join(NAMES)}")
    return made[name]


def guessed(rows: Iterable[Row]) -> str:
    """The form that fits rows, by the columns of the first ones. Raises UsageError where none does."""
    row = None
    for row in rows:
        if name := _fitting(row):
            return name
    if row is None:
        raise UsageError("there are no kept rows to rate")
    raise UsageError("no form fits these rows; name one by --form, and see which columns it needs in docs/review.md")


def _fitting(row: Row) -> str:
    if VeriSciQA().takes(row):
        return "verisciqa"
    if len(images_of(row)) == 2 and any(name in row for name in _DIAGRAM_COLUMNS):
        return "scidiag"
    if any(name in row for name in _RATING_COLUMNS) and SIQA().takes(row):
        return "siqa"
    return next((form.name for form in (Quality(), SIQA()) if form.takes(row)), "")
