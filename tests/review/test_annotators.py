from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.review.annotators import annotator_name
from data_juicer_ext.review.forms.form import FormError
from tests.report.hostile import TEXTS


@pytest.mark.parametrize("name", ["Anna", "  Anna  B. ", "Zoë", "李 雷", "o'Neil-2", "अनिल", "محمد", "rater_7@lab+x"])
def test_names(name: str) -> None:
    assert annotator_name(name) == " ".join(name.split())


@pytest.mark.parametrize("name", [*TEXTS, "", " ", "...", "a" * 61, "a/b", "a\\b", "a\u200bb", "\u3164", "a\nb\x00",
                                  None, 5, "Z" + "\u0301" * 4])  # fmt: skip
def test_what_is_no_name(name: object) -> None:
    with pytest.raises(FormError):
        annotator_name(name)


def test_capitals_make_no_other_person() -> None:
    assert annotator_name("ANNA", ["Bert", "Anna"]) == "Anna" and annotator_name("Ann", ["Anna"]) == "Ann"


@given(st.text(max_size=80))
def test_a_name_is_plain_and_its_own_name(text: str) -> None:
    try:
        name = annotator_name(text)
    except FormError:
        return
    assert annotator_name(name) == name and not set(name) & set('<>&"`/\\\n\r\t\x00\u202e')
