"""A provider's own count of what is left, mirrored."""

from __future__ import annotations

import math

import pytest

from data_juicer_ext.models.limits.rate_limit_headers import Allowance


def headers(left: object, reset: str, size: object = "") -> dict[str, str]:
    given = {
        "x-ratelimit-remaining-tokens": str(left),
        "x-ratelimit-reset-tokens": reset,
        "x-ratelimit-limit-tokens": str(size),
    }
    return {name: value for name, value in given.items() if value}


def test_nothing_known_nothing_waits() -> None:
    allowance = Allowance("tokens")
    allowance.told({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s"}, 0.0)
    assert [allowance.take(10_000, now) for now in (0.0, 1.0)] == [0.0, 0.0]


def test_what_is_left_goes_at_once_and_the_rest_at_the_rate_of_the_refill() -> None:
    allowance = Allowance("tokens")
    allowance.told(headers(500, "5s", 1000), 0.0)  # 100 a second
    assert allowance.take(500, 0.0) == 0.0
    assert [allowance.take(100, 0.0) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_it_refills_up_to_its_size() -> None:
    allowance = Allowance("tokens")
    allowance.told(headers(0, "10s", 1000), 0.0)
    assert allowance.take(900, 60.0) == 0.0
    assert allowance.take(600, 60.0) == pytest.approx(5.0)


def test_without_the_size_all_wait_for_the_reset() -> None:
    allowance = Allowance("tokens")
    allowance.told(headers(0, "7.5"), 0.0)
    assert [allowance.take(1, 1.0), allowance.take(1, 2.0)] == [6.5, 5.5]
    assert allowance.take(1, 8.0) == 0.0


def test_what_waits_is_not_counted_twice() -> None:
    allowance = Allowance("tokens")
    allowance.told(headers(0, "10s", 1000), 0.0)
    assert allowance.take(100, 0.0) == 1.0
    allowance.told(headers(0, "10s", 1000), 0.5)  # the provider has not seen the waiting call yet
    assert allowance.take(100, 0.5) == pytest.approx(2.0)
    allowance.paid(100, 1.0)
    allowance.paid(100, 2.0)
    allowance.told(headers(300, "7s", 1000), 6.0)
    assert allowance.take(300, 6.0) == 0.0


def test_what_has_just_gone_out_may_not_be_counted_yet() -> None:
    allowance = Allowance("tokens")
    for now in (0.0, 0.1, 0.2):
        assert allowance.take(100, now) == 0.0
        allowance.paid(100, now)
    allowance.told(headers(500, "5s", 1000), 0.3)  # to the first call; two are on their way
    assert allowance.take(300, 0.3) == 0.0
    assert allowance.take(100, 0.3) == pytest.approx(1.0)
    allowance.told(headers(500, "5s", 1000), 9.0)  # by then they have long been counted
    assert allowance.take(100, 9.0) == 0.0


@pytest.mark.parametrize(
    "said", [headers(0, ""), headers("", "9s"), headers("many", "9s"), headers(0, "9s", 0), headers(math.inf, "9s"), {}]
)
def test_headers_that_say_nothing_end_what_was_known(said: dict[str, str]) -> None:
    allowance = Allowance("tokens")
    allowance.told(headers(0, "5s", 1000), 0.0)
    allowance.told(said, 0.0)
    assert allowance.take(5000, 0.0) == 0.0
