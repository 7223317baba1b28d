"""The page and its interface: fixed files, items, pictures, answers. All paths are known before anything is asked."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.report.safe_text import shown_text
from data_juicer_ext.review.forms.form import FormError
from data_juicer_ext.review.request_guard import Guard
from data_juicer_ext.review.review_session import Desk, LockedError, UnknownItemError
from data_juicer_ext.review.shown_figures import ImageEncoder
from data_juicer_ext.rows import to_json

MOST_BODY = 65_536  # bytes of a request
_STATIC = Path(__file__).parent / "static"
_TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
          ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}  # fmt: skip
Respond = Callable[[], Any]


def make_app(desk: Desk[Any], pictures: ImageEncoder, host: str = "127.0.0.1", token: str = "") -> ASGIApp:
    """The application of one review, behind its guard."""
    api = _Api(desk, pictures)
    files = {path.name: (path.read_bytes(), _TYPES[path.suffix]) for path in _STATIC.iterdir() if path.suffix in _TYPES}

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in files:
            raise HTTPException(404, "no such file")
        return Response(files[name][0], headers={"Content-Type": files[name][1]})

    routes = [
        Route("/", file),
        Route("/static/{name:str}", file),
        Route("/api/about", api.about),
        Route("/api/start", api.start, methods=["POST"]),
        Route("/api/item/{token:str}", api.item),
        Route("/api/image/{token:str}/{index:str}", api.image),
        Route("/api/rate/{token:str}", api.rate, methods=["POST"]),
        Route("/api/agreement", api.agreement),
    ]
    handlers: dict[Any, Any] = {HTTPException: _told, Exception: _failed}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), host, token)


class _Api:
    """Requests turned into calls of the desk, each in a thread, as it may wait for the disk."""

    def __init__(self, desk: Desk[Any], pictures: ImageEncoder) -> None:
        self._desk, self._pictures = desk, pictures

    async def about(self, request: Request) -> Response:
        return await _answer(self._desk.about)

    async def start(self, request: Request) -> Response:
        body = await _body(request)
        return await _answer(lambda: self._desk.start(body.get("annotator")))

    async def item(self, request: Request) -> Response:
        token = request.path_params["token"]
        return await _answer(lambda: self._desk.item(token))

    async def rate(self, request: Request) -> Response:
        token, body = request.path_params["token"], await _body(request)
        return await _answer(lambda: self._desk.save(token, body))

    async def agreement(self, request: Request) -> Response:
        return await _answer(lambda: {"alphas": [_shown(vars(alpha)) for alpha in self._desk.agreement()]})

    async def image(self, request: Request) -> Response:
        token, index = request.path_params["token"], _index(request.path_params["index"])
        full = request.query_params.get("size") == "full"
        try:
            picture = await run_in_threadpool(lambda: self._pictures.of(self._desk.image(token, index), full))
        except (UnknownItemError, ImageError):  # whose texts may name files
            raise HTTPException(404, "This image cannot be shown: it is missing, or cannot be read.") from None
        # Ids are new with each server, so what a browser keeps is never shown for another item.
        return Response(picture.data, media_type=picture.mime, headers={"Cache-Control": "private, max-age=3600"})


def _index(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else -1


def _shown(values: dict[str, Any]) -> dict[str, Any]:
    return {name: shown_text(value, 200) if isinstance(value, str) else value for name, value in values.items()}


async def _body(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "Answers are JSON.")
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > MOST_BODY:
            raise HTTPException(413, f"An answer has at most {MOST_BODY:,} bytes.")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise HTTPException(400, "This is no JSON.") from None
    if not isinstance(body, dict):
        raise HTTPException(400, "This is no JSON object.")
    return body


async def _answer(ask: Respond) -> Response:
    """What the desk answers, as JSON; what goes wrong there becomes a status and a text for the rater."""
    try:
        return _json(await run_in_threadpool(ask))
    except UnknownItemError as error:
        raise HTTPException(404, str(error)) from error
    except LockedError as error:
        raise HTTPException(409, str(error)) from error
    except FormError as error:
        raise HTTPException(422, str(error)) from error
    except OSError as error:
        print(f"dj-ext review: {error}", file=sys.stderr)
        raise HTTPException(507, "This could not be written to disk. Nothing is lost here: try again.") from error


def _json(value: Any, status: int = 200) -> Response:
    return Response(to_json(value).encode("utf-8"), status, media_type="application/json")


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json({"problem": error.detail}, error.status_code)


async def _failed(request: Request, error: Exception) -> Response:
    """Nothing of what went wrong goes out: a traceback names files."""
    return _json({"problem": "The server met an error; what it is stands in its terminal."}, 500)
