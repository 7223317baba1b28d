"""The routes of a review: what goes out of them, and what they take in."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.testclient import TestClient

from data_juicer_ext.ratings.rating_file import ratings_path, read_ratings
from data_juicer_ext.review.app import MOST_BODY, make_app
from data_juicer_ext.review.shown_figures import ImageEncoder
from tests.report.run_folders import RunFolder
from tests.review import folders
from tests.review.conftest import ORIGIN, Recorder, audit_desk, client_of, rate_desk, recorder_of
from tests.review.folders import SECRETS

STATIC = ("index.html", "main.js", "rate.js", "audit.js", "api.js", "bar.js", "blocks.js", "cards.js", "clock.js",
          "dom.js", "figure.js", "panels.js", "typing.js", "review.css", "icon.svg")  # fmt: skip


def walk(recorded: Recorder, names: tuple[str, ...] = ("Anna", "Bert")) -> dict[str, int]:
    """Go through every route as people do, wrong turns included; the stages that each item took, by its id."""
    for path in ("/", *(f"/static/{name}" for name in STATIC), "/api/about", "/static/none", "/api/item/none", "/none"):
        recorded.get(path)
    stages: dict[str, int] = {}
    for number, name in enumerate(names):
        for item in recorded.post("/api/start", {"annotator": name}).json()["items"]:
            token, finished = item["id"], False
            while not finished:
                view = recorded.get(f"/api/item/{token}").json()
                for index in range(view["images"] + 1):
                    recorded.get(f"/api/image/{token}/{index}")
                    recorded.get(f"/api/image/{token}/{index}?size=full")
                values = {ask["key"]: (ask["low"], ask["high"])[number] for ask in view["asks"]}
                recorded.post(f"/api/rate/{token}", {"stage": 7, "values": values, "reason": "r"})
                recorded.post(f"/api/rate/{token}", {"stage": view["stage"], "values": {}, "reason": "r"})
                answer = {"stage": view["stage"], "values": values, "reason": f"reason of {name}", "seconds": 1}
                finished = recorded.post(f"/api/rate/{token}", answer).json()["finished"]
                stages[token] = stages.get(token, 0) + 1
            recorded.get(f"/api/item/{token}")
    recorded.get("/api/agreement")
    return stages


# A form, a run, what raters are to see of it, and how many of the secrets are in its files.
FORMS: list[tuple[str, Callable[..., RunFolder], tuple[str, ...], int]] = [
    ("verisciqa", folders.questions_run, ("Caption 2", "Which bar is highest", "Bar 2 stands out"), 14),
    ("quality", folders.figures_run, ("Captionword", "citedword"), 13),
    ("siqa", folders.images_run, (), 10),
    ("scidiag", folders.diagrams_run, ("Caption 2 of both",), 7),
]


@pytest.mark.parametrize(("form", "run", "shown", "hidden"), FORMS, ids=[form for form, *_ in FORMS])
def test_nothing_that_raters_must_not_see_goes_out(
    tmp_path: Path, form: str, run: Callable[..., RunFolder], shown: tuple[str, ...], hidden: int
) -> None:
    folder = run(tmp_path)
    content = folder.export.read_text() + "".join(p.read_text() for p in (folder.path / "ledger").glob("*"))
    desk = rate_desk(folder)
    assert desk.form.name == form
    recorded = recorder_of(desk, folder)
    walk(recorded)
    for text in shown:
        assert text.encode() in recorded.bytes  # what is to be seen is among the bytes that are looked through
    assert len([secret for secret in SECRETS.values() if secret in content]) >= hidden
    assert SECRETS["metadata"].encode() in next((folder.path / "images").iterdir()).read_bytes()
    for secret in (
        *SECRETS.values(),
        "s3cret",
        str(folder.path),
        folder.path.parent.name,
        "0.61",
        "Traceback",
        "uvicorn",
    ):
        assert secret.encode() not in recorded.bytes, secret


def test_nobody_sees_what_another_one_has_said(tmp_path: Path) -> None:
    folder = folders.questions_run(tmp_path)
    first, second = (recorder_of(rate_desk(folder), folder) for _ in range(2))
    walk(first, ("Anna",))
    walk(second, ("Bert",))
    assert b"reason of Anna" in first.bytes and b"Anna" not in second.bytes
    alphas = second.get("/api/agreement").json()["alphas"]
    assert {tuple(sorted(one)) for one in alphas} == {
        ("alpha", "annotators", "dimension", "form", "items", "note", "ratings")
    }


def test_the_caption_is_not_sent_before_the_image_is_judged(tmp_path: Path) -> None:
    folder = folders.figures_run(tmp_path)
    recorded = recorder_of(rate_desk(folder), folder)
    for item in recorded.post("/api/start", {"annotator": "Anna"}).json()["items"]:
        recorded.get(f"/api/item/{item['id']}")
        for stage in (1, 2, -1, "0", None, True):
            body = {"stage": stage, "values": {"C": 5, "MR": 5, "overall": 5, "CTX": 5}, "reason": "ahead"}
            assert recorded.post(f"/api/rate/{item['id']}", body).status_code in (409, 422)
    assert b"Captionword" not in recorded.bytes and b"citedword" not in recorded.bytes


def test_pictures_are_encoded_anew_and_shown_to_size(tmp_path: Path) -> None:
    folder = folders.questions_run(tmp_path)
    client = client_of(rate_desk(folder), folder)
    token = client.post("/api/start", json={"annotator": "A"}).json()["items"][0]["id"]
    answer = client.get(f"/api/image/{token}/0")
    image = Image.open(io.BytesIO(answer.content))
    assert (answer.headers["content-type"], image.size, image.info) == ("image/png", (640, 400), {})
    assert answer.headers["cache-control"].startswith("private")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/%2e%2e/app.py", "/static//etc/passwd",
        "/static/forms.py", "/api/image/../../etc/passwd/0", "/api/image/x/0",
        "/api/image/TOKEN/1", "/api/image/TOKEN/-1",
        "/api/image/TOKEN/0%2f..%2f..%2fetc%2fpasswd", "/api/image/TOKEN/..%2f0", "/api/image/TOKEN/" + "9" * 6000,
        "/api/image/TOKEN/%d9%a0", "/api/item/TOKEN/..", "/api/item/..%2f..", "/review/ratings.jsonl",
        "/..%2f..%2fetc%2fpasswd",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_review(tmp_path: Path, path: str) -> None:
    folder = folders.questions_run(tmp_path)
    client = client_of(rate_desk(folder), folder)
    token = client.post("/api/start", json={"annotator": "A"}).json()["items"][0]["id"]
    answer = client.get(path.replace("TOKEN", token))
    assert answer.status_code == 404 and set(answer.json()) == {"problem"}


def test_rows_that_name_other_files_show_no_more_than_images(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / "outside.txt").write_text("s3cret")
    named = ["/etc/passwd", str(tmp_path / "outside.txt"), "../outside.txt", str(tmp_path), "\x00", "gone.png"]
    folder.end([folders.question(folder, 0, images=named)])
    client = client_of(rate_desk(folder, "siqa"), folder)
    [item] = client.post("/api/start", json={"annotator": "A"}).json()["items"]
    for index in range(len(named)):
        answer = client.get(f"/api/image/{item['id']}/{index}")
        assert answer.status_code == 404
        assert answer.json() == {"problem": "This image cannot be shown: it is missing, or cannot be read."}


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"annotator": "' + b"a" * MOST_BODY + b'"}', "application/json", 413),
        (b'{"annotator": "<b>"}', "application/json", 422),
        (b'{"annotator": "A"}', "application/json; charset=utf-8", 200),
    ],
)
def test_what_is_taken_in(tmp_path: Path, body: bytes, kind: str, status: int) -> None:
    folder = folders.questions_run(tmp_path)
    client = client_of(rate_desk(folder), folder)
    answer = client.post("/api/start", content=body, headers={"content-type": kind})
    assert answer.status_code == status and ("problem" in answer.json()) == (status != 200)


@pytest.mark.parametrize("body", [{"stage": 10**400, "values": {}},
                                  {"stage": 0, "values": {"overall_quality": 10**400}},
                                  {"stage": 0, "values": {"x": [[]]}}, {"stage": {}, "values": 1, "reason": []},
                                  {"stage": 0, "values": None, "seconds": "1e999"}])  # fmt: skip
def test_odd_answers_are_refused_plainly(tmp_path: Path, body: Any) -> None:
    folder = folders.questions_run(tmp_path)
    client = client_of(rate_desk(folder), folder)
    token = client.post("/api/start", json={"annotator": "A"}).json()["items"][0]["id"]
    assert client.post(f"/api/rate/{token}", json=body).status_code in (409, 422)
    assert not read_ratings(ratings_path(folder.path))


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folders.questions_run(tmp_path)
    desk = audit_desk(folder)
    client = client_of(desk, folder)
    token = client.post("/api/start", json={"annotator": "A"}).json()["items"][0]["id"]

    def full(number: int) -> None:
        raise OSError(28, f"No space left on {folder.path}")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        answer = client.post(f"/api/rate/{token}", json={"accepted": True})
    assert answer.status_code == 507 and str(tmp_path) not in answer.text and "try again" in answer.json()["problem"]
    assert client.post(f"/api/rate/{token}", json={"accepted": True}).status_code == 200
    assert [rating.accepted for rating in read_ratings(ratings_path(folder.path))] == [True]


def test_errors_of_the_server_tell_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folders.questions_run(tmp_path)
    desk = rate_desk(folder)

    def broken() -> None:
        raise RuntimeError(f"something about {folder.path}")

    monkeypatch.setattr(desk, "about", broken)
    app = make_app(desk, ImageEncoder(folder.path))
    answer = TestClient(app, base_url=ORIGIN, raise_server_exceptions=False).get("/api/about")
    assert answer.status_code == 500 and "something" not in answer.text and "Content-Security-Policy" in answer.headers


def test_an_audit_tells_all_of_a_row(tmp_path: Path) -> None:
    folder = folders.questions_run(tmp_path)
    client = client_of(audit_desk(folder), folder)
    items = client.post("/api/start", json={"annotator": "A"}).json()["items"]
    said = json.dumps([client.get(f"/api/item/{item['id']}").json() for item in items])
    for name in ("row_id", "paper_id", "figure_id", "context", "claim", "model", "place", "votes"):
        assert SECRETS[name] in said
    assert str(folder.path) not in said
