"""Limits for every request, checked before any route sees it, and security headers for every answer."""

import ipaddress
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from device.dashboard.refusals import Refusal

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
SAFE = ("GET", "HEAD", "OPTIONS")
MOST_BYTES = 64 * 1024
_PORT = re.compile(r"[0-9]{1,5}\Z")


@dataclass(frozen=True, slots=True)
class UploadLimit:
    """A path that accepts other content than a little JSON."""

    path: re.Pattern[str]
    types: tuple[str, ...]
    most_bytes: int


class RequestLimits:
    """Checks host, origin, content type and size of requests, and adds security headers to answers."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], uploads: Collection[UploadLimit] = ()) -> None:
        """`hosts` are the names of this machine; IP addresses and localhost are always accepted."""
        self._app, self._uploads = app, tuple(uploads)
        self._hosts = {name.lower() for name in hosts} | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        try:
            self._check(scope, headers)
        except Refusal as refusal:
            await _refuse(scope, refusal, send)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, scope["path"])
        limited = _Limited(receive, self._most_bytes(scope["path"]))
        try:
            await self._app(scope, limited.receive, answer.send)
        except _TooLongError:
            if answer.begun:
                raise
            await _refuse(scope, limited.refusal, send)

    def _check(self, scope: Scope, headers: Mapping[str, str]) -> None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            raise Refusal(421, "that is not this machine's name", host, "its address, or its own name")
        if scope["type"] == "websocket" or scope["method"] not in SAFE:
            _check_origin(headers, host)
        if scope["type"] == "http" and scope["method"] not in SAFE:
            self._check_body(scope["path"], headers)

    def _is_ours(self, host: str) -> bool:
        name, port = _split(host.lower())
        if name is None or (port and not _PORT.match(port)):
            return False
        if name.removesuffix(".") in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _check_body(self, path: str, headers: Mapping[str, str]) -> None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        upload = self._upload(path)
        types = ("application/json",) if upload is None else upload.types
        length = headers.get("content-length", "")
        if kind not in types:
            raise Refusal(415, "that kind of content is not taken here", kind, " or ".join(types))
        most = self._most_bytes(path)
        if length.isdecimal() and int(length) > most:
            raise Refusal(413, "that is too long", int(length), f"at most {most} bytes")

    def _upload(self, path: str) -> UploadLimit | None:
        return next((upload for upload in self._uploads if upload.path.fullmatch(path)), None)

    def _most_bytes(self, path: str) -> int:
        upload = self._upload(path)
        return MOST_BYTES if upload is None else upload.most_bytes


class _TooLongError(Exception):
    """A body is longer than its limit."""


class _Limited:
    """Reads a body, but not beyond its limit."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most, self._read = receive, most, 0

    @property
    def refusal(self) -> Refusal:
        return Refusal(413, "that is too long", self._read, f"at most {self._most} bytes")

    async def receive(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self._read > self._most:
            raise _TooLongError
        return message


class _Answer:
    """Adds the security headers to an answer."""

    def __init__(self, send: Send, path: str) -> None:
        self._send, self._path = send, path
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            message = {**message, "headers": _safe(message.get("headers", []), self._path)}
        await self._send(message)


def _check_origin(headers: Mapping[str, str], host: str) -> None:
    """Refuse what a browser sends from another site; other programs send no Origin header."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None:
        parts = _url(origin)
        if parts is None or parts[0] not in ("http", "https") or parts[1].lower() != host.lower():
            raise Refusal(403, "that comes from another page", origin, f"http://{host}")
    elif site not in (None, "same-origin", "none"):
        raise Refusal(403, "that comes from another page", site, "same-origin")


def _url(text: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return None if parts.path or parts.query or parts.fragment else (parts.scheme, parts.netloc)


def _split(host: str) -> tuple[str | None, str]:
    """Name and port of a Host header."""
    if host.startswith("["):
        name, bracket, rest = host[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            return None, ""
        return name, rest[1:]
    name, _, port = host.partition(":")
    return name or None, port


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by name; a repeated header is joined, so that a check sees both values."""
    found: dict[str, str] = {}
    for key, value in scope["headers"]:
        name, text = key.decode("latin-1").lower(), value.decode("latin-1")
        found[name] = text if name not in found else f"{found[name]}, {text}"
    return found


def _safe(headers: Collection[tuple[bytes, bytes]], path: str) -> list[tuple[bytes, bytes]]:
    there = {key.lower() for key, _ in headers}
    added = [(key.encode(), value.encode()) for key, value in HEADERS.items() if key.encode() not in there]
    if path.startswith("/api") and b"cache-control" not in there:
        added.append((b"cache-control", b"no-store"))
    return [*headers, *added]


async def _refuse(scope: Scope, refusal: Refusal, send: Send) -> None:
    if scope["type"] == "websocket":
        # Before it is accepted: the server answers 403.
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.what})
        return
    body = json.dumps(refusal.body).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    # The rest of the body is not read, so the connection cannot be reused.
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": _safe(headers, scope["path"])})
    await send({"type": "http.response.body", "body": body})
