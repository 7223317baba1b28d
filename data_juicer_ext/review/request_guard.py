"""What stands before the page: whose requests are answered, and what every answer tells the browser to refuse.

The page is for people at known addresses. A web site that a rater has open besides must neither read rows (DNS
rebinding) nor send answers (forged requests), and what rows say must not become anything but text.
"""

import hashlib
import hmac
import ipaddress
import secrets
import socket
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_LOCAL_NAMES = frozenset({"localhost"})


def is_local(host: str) -> bool:
    """Whether an address to bind to can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """An application behind these rules, in this order; each request that breaks one gets an error and no more.

    1. Host: an IP address, `localhost`, or a name of this machine or of `--host`; else 400.
    2. With a `token`: it is in the address once, which sets a cookie, and in the cookie then; else 403.
    3. POST: from a page of this very server (Origin), else 403. Nothing but the first page to other sites.
    """

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1", token: str = "") -> None:
        self._app, self._token = app, token.encode("utf-8")
        self._local = is_local(host)
        own = set() if self._local else {host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
        self._names = _LOCAL_NAMES | own
        # The cookie holds no token, and cookies of servers at other ports go by other names.
        self._secret = secrets.token_bytes(32)
        self._cookie = f"dj_ext_review_{hashlib.sha256(self._secret).hexdigest()[:8]}"
        self._session = hmac.new(self._secret, self._token, hashlib.sha256).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refusal(scope)
        await (answer or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self._host_is_ours(headers.getlist("host")):
            return PlainTextResponse("This server does not go by that name: open it by its address.", 400)
        if self._token and (answer := self._without_token(scope, headers)) is not None:
            return answer
        site = headers.get("sec-fetch-site", "same-origin")
        if site in ("cross-site", "same-site") and scope["path"] != "/":
            return PlainTextResponse("Not for other sites.", 403)
        if scope["method"] not in ("GET", "HEAD") and not _from_own_page(headers):
            return PlainTextResponse("Answers are taken from this server's own page alone.", 403)
        return None

    def _host_is_ours(self, hosts: list[str]) -> bool:
        name = _name_of(hosts[0]) if len(hosts) == 1 else ""
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return address.is_loopback or not self._local

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        """A redirect that sets the cookie, for the right token; a refusal; None where the cookie is right."""
        if _same(_cookie_of(headers, self._cookie), self._session.encode("ascii")):
            return None
        given = parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=8).get("token", [""])[0]
        if scope["path"] != "/" or scope["method"] != "GET" or not _same(given.encode("utf-8"), self._token):
            return PlainTextResponse("Open the address that the server printed: it holds the token.", 403)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict")
        return answer


def _same(given: bytes, expected: bytes) -> bool:
    """Compared in a time that tells nothing, their length included."""
    return hmac.compare_digest(hashlib.sha256(given).digest(), hashlib.sha256(expected).digest())


def _name_of(host: str) -> str:
    """The name or address in a Host header, without its port; "" for nonsense."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _cookie_of(headers: Headers, name: str) -> bytes:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return b""
    return found.value.encode("utf-8") if found else b""


def _from_own_page(headers: Headers) -> bool:
    """Whether Origin names the server that the request went to; browsers send it with every POST."""
    origin = headers.getlist("origin")
    return len(origin) == 1 and origin[0] in {f"{scheme}://{headers['host']}" for scheme in ("http", "https")}
