"""Single values of `model_params`, each with what is said of a wrong one."""

from __future__ import annotations

from typing import Any

import pytest

from data_juicer_ext.models.config.parameter_checks import (
    RANGES,
    ConfigError,
    base_url,
    choice,
    expand_environment,
    key_name,
    number,
    path,
)


@pytest.mark.parametrize("name", RANGES)
def test_the_ends_of_a_range_will_do_and_what_lies_beyond_will_not(name: str) -> None:
    kind, low, high = RANGES[name]
    for value in (low, high, str(int(low)) if low == int(low) else low):
        assert number(name, value) == kind(float(value)) and isinstance(number(name, value), kind)
    step = 1 if kind is int else 1e-4 * max(1.0, high)
    for wrong in (low - step, high + step, True, None, "many", float("nan"), [1]):
        with pytest.raises(ConfigError, match=rf"model_params.{name}: .* will not do, allowed: a (whole )?number from"):
            number(name, wrong)
    if kind is int:
        with pytest.raises(ConfigError, match="a whole number"):
            number(name, low + 0.5)


def test_variables_are_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "h")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.delenv("GONE", raising=False)
    assert expand_environment("a${HOST}b${EMPTY:-c}${GONE:-}${EMPTY}$HOST ${GONE:-x y}") == "ahbc$HOST x y"
    with pytest.raises(ConfigError, match=r"variable GONE is not set: .*\$\{GONE:-default\}"):
        expand_environment("${HOST}${GONE}")


def test_a_word_is_one_of_those_allowed() -> None:
    assert choice({}, "mode", "direct", ("direct", "batch")) == "direct"
    assert choice({"mode": "batch"}, "mode", "direct", ("direct", "batch")) == "batch"
    with pytest.raises(ConfigError, match=r"model_params\.mode: 'slow' is unknown, allowed: direct, batch"):
        choice({"mode": "slow"}, "mode", "direct", ("direct", "batch"))


@pytest.mark.parametrize(
    ("given", "name"),
    [(" MY_KEY ", "MY_KEY"), ("None", "none"), ("none", "none"), ("_k9", "_k9"), ("K" * 128, "K" * 128)],
)
def test_the_name_of_a_key(given: str, name: str) -> None:
    assert key_name(given) == name


@pytest.mark.parametrize("given", ["sk-1234567890", "", None, "9KEY", "K" * 129, "A KEY", "KEY\nX"])
def test_what_may_be_a_key_is_not_repeated(given: Any) -> None:
    with pytest.raises(ConfigError, match="is not the name of an environment variable") as problem:
        key_name(given)
    assert not given or str(given) not in str(problem.value)


@pytest.mark.parametrize(
    "given", ["https://api.example.org/v1", "http://localhost:8000", "http://[::1]:80/v1/", " https://h/v1/ "]
)
def test_addresses(given: str) -> None:
    assert base_url(given) == given.strip().rstrip("/")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("api.example.org", "no http or https URL"),
        ("ftp://h/v1", "no http or https URL"),
        ("http://", "no http or https URL"),
        ("http://h:port", "no http or https URL"),
        ("https://me@h/v1", "a user, password, query or fragment"),
        ("https://me:secret@h/v1", "a user, password, query or fragment"),
        ("https://h/v1?key=secret", "a user, password, query or fragment"),
        ("https://h/v1#x", "a user, password, query or fragment"),
        ("https://h/v1/chat/completions", "leave /chat/completions out"),
    ],
)
def test_what_is_no_address_is_told_and_no_secret_of_it(given: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as problem:
        base_url(given)
    assert "secret" not in str(problem.value)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (None, "/chat/completions"), ("", "/chat/completions"), ("chat/completions/", "/chat/completions"),
        ("/openai/deployments/x/chat/completions", "/openai/deployments/x/chat/completions"),
    ],
)  # fmt: skip
def test_paths(given: str | None, found: str) -> None:
    assert path(given) == found


@pytest.mark.parametrize(
    ("given", "says"),
    [("https://h/chat/completions", "a URL goes into"), ("/completions", "ns' is unknown")],
)
def test_other_paths_are_refused(given: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        path(given)
