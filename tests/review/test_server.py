from __future__ import annotations

import pytest

from data_juicer_ext.review.server import address_of, bound, token_for


def test_a_token_is_made_where_others_can_reach_the_server() -> None:
    assert token_for("127.0.0.1", "") == "" and token_for("localhost", "") == ""
    made = {token_for(host, "") for host in ("0.0.0.0", "10.0.0.1", "somewhere", "::")}
    assert len(made) == 4 and all(len(token) >= 32 for token in made)
    assert token_for("127.0.0.1", "x" * 16) == token_for("0.0.0.0", "x" * 16) == "x" * 16


@pytest.mark.parametrize("token", ["short", "x" * 15, "with a line\nfeed and more"])
def test_a_token_that_is_no_use(token: str) -> None:
    with pytest.raises(ValueError, match="--token"):
        token_for("127.0.0.1", token)


def test_addresses() -> None:
    with bound("127.0.0.1", 0) as at:
        port = at.getsockname()[1]
        assert address_of("127.0.0.1", at, "") == f"http://127.0.0.1:{port}/"
        assert address_of("127.0.0.1", at, "a b&c/") == f"http://127.0.0.1:{port}/?token=a%20b%26c%2F"
        assert address_of("localhost", at, "") == f"http://localhost:{port}/"
        assert address_of("::1", at, "").startswith("http://[::1]:")
        assert "0.0.0.0" not in address_of("0.0.0.0", at, "")
        at.listen()
        with pytest.raises(OSError):
            bound("127.0.0.1", port)
