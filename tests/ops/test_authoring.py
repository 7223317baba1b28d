from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext import prompts
from data_juicer_ext.ops import authoring
from data_juicer_ext.ops.authoring import Outcome, RuleFilter, operator, plug_in
from data_juicer_ext.ops.base.registration import EXTENSION_OPERATORS
from data_juicer_ext.ops.recipe.operator_reference import own_classes
from data_juicer_ext.testing import run_operator


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is registered in a test is forgotten after it."""
    monkeypatch.setattr(OPERATORS, "_modules", dict(OPERATORS.modules))
    before = list(EXTENSION_OPERATORS)
    monkeypatch.setattr(prompts, "_added", {})
    yield
    EXTENSION_OPERATORS[:] = before


class Odd(RuleFilter):
    """Keeps odd numbers."""

    def decide(self, row: dict[str, Any]) -> Outcome:
        return Outcome("keep" if row["number"] % 2 else "drop", "parity")


@pytest.mark.usefixtures("registry")
def test_an_operator_is_registered_with_the_host_and_with_us(tmp_path: Path) -> None:
    assert operator("odd_filter")(Odd) is Odd
    assert operator("odd_filter")(Odd) is Odd  # a module that is loaded again
    assert own_classes()["odd_filter"] is OPERATORS.modules["odd_filter"] is Odd
    assert EXTENSION_OPERATORS.count("odd_filter") == 1
    ran = run_operator("odd_filter", [{"row_id": str(n), "number": n} for n in range(3)], tmp_path)
    assert [row["number"] for row in ran.rows] == [1]


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(
    ("name", "says"), [("odd", "has to end in"), ("text_length_filter", "is there already, in data_juicer.ops")]
)
def test_a_name_that_can_not_be_is_an_error(name: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        operator(name)(Odd)
    assert OPERATORS.modules.get(name) is not Odd


def test_everything_that_is_offered_is_there() -> None:
    assert sorted(authoring.__all__) == authoring.__all__ and all(
        hasattr(authoring, name) for name in authoring.__all__
    )


CODE = """
from data_juicer_ext.ops.authoring import Outcome, RuleFilter, operator

@operator("even_filter")
class EvenFilter(RuleFilter):
    "Keeps even numbers."

    def decide(self, row):
        return Outcome("drop" if row["number"] % 2 else "keep", "parity")
"""


@pytest.mark.usefixtures("registry")
def test_a_package_is_plugged_in_with_its_prompts_and_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "plugged_ops"
    (package / "prompts" / "plugged_ops").mkdir(parents=True)
    (package / "prompts" / "plugged_ops" / "ask.jinja").write_text("Ask.", encoding="utf-8")
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "even_filter.py").write_text(CODE, encoding="utf-8")
    (package / "scratch.py").write_text("raise AssertionError('no operator')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("plugged_ops")
    plug_in("plugged_ops")
    assert "even_filter" in own_classes() and "plugged_ops.scratch" not in sys.modules
    assert prompts.render("plugged_ops/ask")[0].text == "Ask."
