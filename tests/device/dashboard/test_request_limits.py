"""Guards: hosts, origins, kinds and lengths of content, and the headers of every answer."""

import asyncio
import re
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from device.dashboard.request_limits import CONTENT_POLICY, HEADERS, MOST_BYTES, RequestLimits, UploadLimit

UPLOAD = UploadLimit(re.compile("/api/film"), ("video/mp4",), 10 * MOST_BYTES)
JSON = {"content-type": "application/json"}


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads everything and says how much that was."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask(
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: tuple[bytes, ...] = (b"{}",),
    kind: str = "http",
    path: str = "/api/x",
) -> list[Message]:
    """What a request is answered, with a body that comes in parts."""
    given = {"host": "localhost:8080", **(headers or {})}
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "headers": [(key.encode(), value.encode("latin-1")) for key, value in given.items() if value],
    }
    parts = [{"type": "http.request", "body": part, "more_body": i < len(body) - 1} for i, part in enumerate(body)]
    sent: list[Message] = []

    async def receive() -> Message:
        return parts.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(RequestLimits(echo, {"rig", "rig.local"}, (UPLOAD,))(scope, receive, send))
    return sent


def status(*args: Any, **more: Any) -> int:
    found: int = ask(*args, **more)[0]["status"]
    return found


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8080",
        "127.0.0.1:8080",
        "192.168.1.7",
        "[::1]:8080",
        "[fe80::1]",
        "rig:80",
        "Rig.Local",
        "rig.",
    ],
)
def test_this_machine_by_any_name(host: str) -> None:
    assert status(headers={"host": host}) == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "evil.local", "127.0.0.1.nip.io", "localhost@evil", "[::1", "[::1]x",
     "localhost:80:80", "localhost:http", ":8080", "0x7f.1", "rig, localhost"],
)  # fmt: skip
def test_no_other_name(host: str) -> None:
    assert status(headers={"host": host}) == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost", "http://localhost:8081", "http://localhost:8080/", "ftp://localhost:8080",
     "http://localhost:8080.evil.example", "http://evil@localhost:8080", "http://[", "file://"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_other_pages_change_nothing(origin: str, method: str) -> None:
    assert status(method, {**JSON, "origin": origin}) == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "whatever"])
def test_other_sites_change_nothing(site: str) -> None:
    assert status("POST", {**JSON, "sec-fetch-site": site}) == 403


def test_our_own_page_does() -> None:
    assert status("POST", {**JSON, "origin": "http://localhost:8080", "sec-fetch-site": "same-origin"}) == 200
    assert status("POST", {**JSON, "origin": "https://LOCALHOST:8080"}) == 200
    assert status("POST", JSON) == 200, "programs send no origin"
    assert status("GET", {"origin": "http://evil.example"}) == 200, "who only reads cannot read the answer"


def test_sockets_are_for_our_own_pages() -> None:
    assert ask(kind="websocket")[0]["type"] == "websocket.accept"
    assert ask(kind="websocket", headers={"origin": "http://localhost:8080"})[0]["type"] == "websocket.accept"
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert ask(kind="websocket", headers=headers)[0]["type"] == "websocket.close", headers


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "video/mp4"]
)
def test_only_json_is_taken(kind: str) -> None:
    assert status("POST", {"content-type": kind}) == 415


def test_json_with_a_charset_is_json() -> None:
    assert status("POST", {"content-type": "Application/JSON; charset=utf-8"}) == 200


def test_uploads_have_their_own_kind_and_length() -> None:
    assert status("POST", {"content-type": "video/mp4"}, (b"x" * (5 * MOST_BYTES),), path="/api/film") == 200
    assert status("POST", JSON, path="/api/film") == 415
    assert status("POST", {"content-type": "video/mp4"}, path="/api/film/more") == 415
    assert status("POST", {"content-type": "video/mp4"}, (b"x" * (11 * MOST_BYTES),), path="/api/film") == 413


def test_long_bodies_are_refused_announced_or_not() -> None:
    assert status("POST", {**JSON, "content-length": str(MOST_BYTES + 1)}) == 413
    chunk = b"x" * 1000
    assert status("POST", JSON, (chunk,) * (MOST_BYTES // 1000 + 1)) == 413
    assert status("POST", JSON, (b"x" * MOST_BYTES,)) == 200
    assert status("GET", {}, (chunk,) * (MOST_BYTES // 1000 + 1)) == 413, "also where nobody wants a body"


@pytest.mark.parametrize("headers", [{}, {"host": "evil.example"}])
def test_every_answer_keeps_the_browser_safe(headers: dict[str, str]) -> None:
    found = {key.decode(): value.decode() for key, value in ask(headers=headers)[0]["headers"]}
    for key, value in HEADERS.items():
        assert found[key] == value
    assert found["cache-control"] == "no-store"
    assert "unsafe" not in CONTENT_POLICY
