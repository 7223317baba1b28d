from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from data_juicer_ext.review.request_guard import HEADERS, Guard, is_local

TOKEN = "a-token-that-is-long-enough"


async def page(request: Request) -> Response:
    return PlainTextResponse("the page")


def client(host: str = "127.0.0.1", token: str = "", base: str = "http://127.0.0.1:8000") -> TestClient:
    app = Starlette(routes=[Route("/{path:path}", page, methods=["GET", "POST"])])
    return TestClient(Guard(app, host, token), base_url=base, follow_redirects=False)


@pytest.mark.parametrize(
    ("bound", "host", "status"),
    [
        ("127.0.0.1", "127.0.0.1:8000", 200),
        ("127.0.0.1", "localhost:9000", 200),  # forwarded from another port
        ("127.0.0.1", "LOCALHOST.", 200),
        ("127.0.0.1", "[::1]:8000", 200),
        ("127.0.0.1", "evil.example:8000", 400),
        ("127.0.0.1", "127.0.0.1.evil.example", 400),
        ("127.0.0.1", "localhost.evil.example", 400),
        ("127.0.0.1", "evil.example@127.0.0.1@x:8000:9", 400),
        ("127.0.0.1", "10.0.0.5:8000", 400),
        ("127.0.0.1", "", 400),
        ("127.0.0.1", "[::1", 400),
        ("0.0.0.0", "10.0.0.5:8000", 200),
        ("0.0.0.0", "evil.example", 400),
        ("reviews.example", "reviews.example:8000", 200),
    ],
)
def test_only_names_of_this_server_are_answered(bound: str, host: str, status: int) -> None:
    assert client(bound).get("/", headers={"host": host}).status_code == status


def test_every_answer_has_the_headers() -> None:
    for answer in (client().get("/"), client().get("/", headers={"host": "evil"}), client().post("/x")):
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy and "*" not in policy


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://127.0.0.1:8000"}, 200),
        ({}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://localhost:8000"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:8000", "sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_answers_come_from_the_own_page(headers: dict[str, str], status: int) -> None:
    assert client().post("/api/start", headers=headers).status_code == status


def test_other_sites_may_link_to_the_page_and_load_nothing_of_it() -> None:
    assert client().get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200
    for site in ("cross-site", "same-site"):
        assert client().get("/api/about", headers={"sec-fetch-site": site}).status_code == 403
    assert client().get("/api/about", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_token_opens_the_page_once_and_a_cookie_then() -> None:
    visitor = client("0.0.0.0", TOKEN)
    for path in (
        "/",
        "/?token=",
        "/?token=wrong",
        f"/?token={TOKEN}x",
        "/api/about",
        f"/api/about?token={TOKEN}",
        "/?token=ü",
    ):
        assert visitor.get(path).status_code == 403 and "set-cookie" not in visitor.get(path).headers
    first = visitor.get(f"/?token={TOKEN}")
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and TOKEN not in cookie
    assert visitor.get("/").status_code == visitor.get("/api/about").status_code == 200
    assert visitor.post("/x", headers={"origin": "http://127.0.0.1:8000"}).status_code == 200
    assert visitor.post("/x").status_code == 403


def test_a_wrong_cookie_opens_nothing() -> None:
    visitor = client("0.0.0.0", TOKEN)
    name = visitor.get(f"/?token={TOKEN}").headers["set-cookie"].partition("=")[0]
    other = client("0.0.0.0", TOKEN)
    for value in (TOKEN, "x", "ü", '"', ""):
        headers = [("cookie", f"{name}={value}".encode())]
        assert other.get("/", headers=headers).status_code == 403


@pytest.mark.parametrize(("host", "local"), [("127.0.0.1", True), ("127.8.0.1", True), ("::1", True),
                                             ("localhost", True), ("0.0.0.0", False), ("::", False),
                                             ("10.0.0.1", False), ("host", False)])  # fmt: skip
def test_what_is_local(host: str, local: bool) -> None:
    assert is_local(host) is local
