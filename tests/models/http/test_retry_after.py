"""The wait that headers ask for, in every form that providers use."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_juicer_ext.models.http.retry import RESET_CAP_S, wait_asked

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"Retry-After": formatdate(NOW + 90, usegmt=True)}, 90.0),
        ({"Retry-After": formatdate(NOW - 90, usegmt=True)}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "20.5s"}, 20.5),
        ({"x-ratelimit-reset-tokens": "0m3s"}, 3.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, RESET_CAP_S),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "5"}, None),
        (
            {
                "x-ratelimit-reset-requests": "50s",
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-tokens": "2s",
                "x-ratelimit-remaining-tokens": "0",
            },
            2.0,
        ),
        ({"Retry-After": "4", "x-ratelimit-reset-requests": "50s"}, 4.0),
        ({"X-RateLimit-Reset": str(NOW + 12)}, 12.0),
        ({"X-RateLimit-Reset": str(int((NOW + 12) * 1000))}, 12.0),
        ({"X-RateLimit-Reset": "12"}, 12.0),
        ({"x-ratelimit-reset-requests": "in 5s"}, None),
    ],
)
def test_wait_asked(headers: dict[str, str], wait: float | None) -> None:
    assert wait_asked(headers, NOW) == (None if wait is None else pytest.approx(wait, abs=1e-3))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset"]), st.text(max_size=99)))
def test_any_header_gives_a_wait_or_none(headers: dict[str, str]) -> None:
    wait = wait_asked(headers, NOW)
    assert wait is None or 0.0 <= wait < float("inf")
