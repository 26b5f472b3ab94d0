"""The API as a stranger finds it: nothing breaks it, and who has not paired can change nothing."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance

from device.dashboard.request_limits import MOST_BYTES, SAFE
from tests.device.dashboard.table_side import CODES, Rooms, rooms, save_small_rig
from tests.device.dashboard.test_app_state import NO_CAMERA, good

OPEN_TO_ALL = {"/api/pair", "/api/unpair"}
FOR_PLAYERS = {"/api/game/line", "/api/game/challenge", "/api/table/card"}
FEW = settings(
    max_examples=12,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    folder = tmp_path_factory.mktemp("api")
    save_small_rig(folder)
    with rooms(folder) as made:
        good(made.host.post("/api/game", json=NO_CAMERA))
        yield made


UPLOADED = {
    "/api/calibration/film": "image/jpeg",
    "/api/recordings/import": "application/octet-stream",
    "/api/teaching/decks/{name}/picture": "image/png",
    "/api/teaching/import": "application/zip",
}
"""Where something else than JSON is sent."""


def mutating(at: Rooms) -> list[tuple[str, str]]:
    """Every route that is not only for reading, from the API's own document and from the application itself."""
    paths = at.spectator.get("/api/openapi.json").json()["paths"]
    described = {
        (method.upper(), path) for path, ways in paths.items() for method in ways if method.upper() not in SAFE
    }
    there = {
        (method, route.path)
        for route in at.app._app.routes
        for method in getattr(route, "methods", None) or ()
        if method not in SAFE
    }
    assert there <= described, "a route that the document does not name"
    return sorted(described)


def sensible(path: str) -> str:
    """A path with something in its places."""
    return re.sub(r"\{[^}]*\}", "1", path)


def body_for(path: str) -> dict[str, Any]:
    known: dict[str, dict[str, Any]] = {
        "/api/game/line": {"text": "P1 pass ? @ P2"},
        "/api/game/challenge": {"line": 5},
        "/api/game/decide": {"line": 5, "stand": True},
        "/api/game/pause": {"paused": True},
        "/api/game": NO_CAMERA,
        "/api/table/card": {"track": 1, "code": "7B1"},
        "/api/settings": {"changes": {"fps": "3"}},
    }
    return known.get(path, {})


def kept(at: Rooms) -> tuple[Any, ...]:
    """Everything that a request might change."""
    state = at.state()
    files = sorted((path, path.stat().st_mtime_ns) for path in at.folder.rglob("*") if path.is_file())
    return state["game"], state["rulings"], at.app_state.settings, files


def test_unpaired_clients_change_nothing(at: Rooms) -> None:
    routes = mutating(at)
    assert len(routes) >= 15
    before = kept(at)
    for method, path in routes:
        if path not in OPEN_TO_ALL:
            answer = at.spectator.request(method, sensible(path), json=body_for(path))
            film = answer.status_code == 415 and path in UPLOADED
            assert answer.status_code == 401 or film, f"{method} {path}: {answer.status_code}"
            assert answer.json()["error"]["what"]
    assert kept(at) == before


def test_an_upload_needs_a_host_too(at: Rooms) -> None:
    before = kept(at)
    for client in (at.spectator, at.player):
        for path, kind in UPLOADED.items():
            answer = client.post(f"{path}?name=x", content=b"\xff\xd8" * 100, headers={"Content-Type": kind})
            assert answer.status_code in (401, 403)
    assert kept(at) == before


def test_players_do_only_what_players_may(at: Rooms) -> None:
    before = kept(at)
    for method, path in mutating(at):
        if path not in OPEN_TO_ALL | FOR_PLAYERS and path not in UPLOADED:
            answer = at.player.request(method, sensible(path), json=body_for(path))
            assert answer.status_code == 403, f"{method} {path}: {answer.status_code}"
    assert kept(at) == before


@pytest.mark.parametrize("cookie", ["host", "a.b.c", "W10.Zm9v.YmFy", "x" * 3000])
def test_made_up_cookies_open_nothing(at: Rooms, cookie: str) -> None:
    answer = httpx.post(f"{at.url}/api/game/end", json={}, headers={"Cookie": f"krupier={cookie}"})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"Origin": "http://evil.example"}, b"{}", 403),
        ({"Origin": "null"}, b"{}", 403),
        ({"Sec-Fetch-Site": "cross-site"}, b"{}", 403),
        ({"Host": "evil.example"}, b"{}", 421),
        ({"Content-Type": "text/plain"}, b"{}", 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=b", 415),
        ({}, b" " * (MOST_BYTES + 1), 413),
    ],
)
def test_not_even_the_host_from_elsewhere(at: Rooms, headers: dict[str, str], content: bytes, status: int) -> None:
    before = kept(at)
    for method, path in mutating(at):
        if path in UPLOADED and ("Content-Type" in headers or status == 413):
            continue
        sent = {"Content-Type": "application/json", **headers}
        if path in UPLOADED:
            sent["Content-Type"] = UPLOADED[path]
        answer = at.host.request(method, sensible(path), content=content, headers=sent)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
    assert kept(at) == before


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b'"x"', b'{"text": 1}', b"\xff\xfe", b'{"text": "a\\u0000b"}', b"[" * 30000]
)
def test_what_is_no_form_is_refused(at: Rooms, content: bytes) -> None:
    before = kept(at)
    answer = at.player.post("/api/game/line", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422), answer.text
    assert set(answer.json()["error"]) == {"what", "found", "wanted"}
    assert kept(at) == before


def test_methods_that_are_not_there(at: Rooms) -> None:
    for method in ("PUT", "PATCH", "DELETE", "TRACE"):
        answer = at.host.request(method, "/api/state", headers={"Content-Type": "application/json"})
        assert answer.status_code == 405
        assert answer.json()["error"]["what"]


def test_hostile_words_come_back_as_data(at: Rooms) -> None:
    word = "<script>alert('x')</script>"
    answer = at.player.post("/api/game/line", json={"text": word})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/json"
    for path in (f"/web/{word}", f"/api/faces/{word}", f"/{word}"):
        found = at.spectator.get(path)
        assert found.status_code == 404
        assert found.headers["content-type"] == "application/json"


@pytest.mark.parametrize("role", ["spectator", "host"])
def test_made_up_requests_break_nothing(at: Rooms, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """schemathesis, over a real socket; what it makes up may start and end games, but no camera is there."""
    monkeypatch.setattr(type(at.pairing), "_slow_down", lambda self, address: None)
    schema = schemathesis.openapi.from_dict(at.spectator.get("/api/openapi.json").json())
    schema.config.base_url = at.url
    client: httpx.Client = getattr(at, role)
    cookies = dict(client.cookies)
    tried = 0
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        # The moving picture never ends; it has its own test.
        if found.ok().path != "/api/picture.mjpeg":
            tried += made_up(found.ok(), cookies)
    assert tried > 100
    assert good(at.spectator.get("/api/state"))["version"]


def made_up(operation: Any, cookies: dict[str, str]) -> int:
    """Send requests that are made up for one route, and check every answer; how many there were."""
    tried = 0

    def fuzz(case: Any) -> None:
        nonlocal tried
        tried += 1
        headers = {} if operation.method.upper() in SAFE else {"Content-Type": "application/json"}
        answer = case.call(cookies=cookies, headers=headers, timeout=60)
        # No schema knows the rules of a game, or which sessions there are.
        case.validate_response(answer, excluded_checks=[positive_data_acceptance])

    FEW(given(case=operation.as_strategy())(fuzz))()
    return tried


def test_codes_are_nowhere_to_be_read(at: Rooms) -> None:
    for path in ("/api/state", "/api/me", "/api/games", "/api/openapi.json", "/api/health", "/api/qr.svg", "/api/docs"):
        for client in (at.spectator, at.player):
            text = client.get(path).text
            assert CODES.host not in text
            assert CODES.player not in text
    assert CODES.host not in json.dumps(at.host.get("/api/me").json())
    assert not list(Path(at.folder).rglob("*.code"))
