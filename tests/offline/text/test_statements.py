"""What a clause states, by the shapes of the small grammar."""

from __future__ import annotations

import pytest

from data_juicer_ext.offline.text.statements import VERBS, Value, statement


@pytest.mark.parametrize(
    ("clause", "subject", "verb", "number"),
    [
        ("The loss of A is 3.5", "The loss of A", "is", 3.5),
        ("In 2019 the loss fell to 3", "In 2019 the loss", "fell", 3.0),
        ("In 3 of 5 runs the error reaches 12%", "In 3 of 5 runs the error", "reaches", 12.0),
    ],
)
def test_the_value_is_the_number_after_the_verb(clause: str, subject: str, verb: str, number: float) -> None:
    found = statement(clause)
    assert isinstance(found, Value) and (found.subject, found.verb, found.quantity.value) == (subject, verb, number)


def test_a_subject_with_a_clause_of_its_own_states_nothing() -> None:
    assert statement("The rate rises and the loss falls to 3") is None
    assert statement("They both reach 5") is None and statement("Both reach 5") is not None


def test_every_form_of_a_verb_leads_to_one_that_a_question_can_ask_with() -> None:
    bases = set(VERBS.values())
    assert {base for base in bases if base not in VERBS} == {"be"}
    assert all(VERBS[base] == base for base in bases - {"be"})
