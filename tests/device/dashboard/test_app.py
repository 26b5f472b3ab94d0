"""The application: pages and their headers, who one is, the live socket, the API's own page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from device.dashboard.merge import merged, without_nulls
from device.dashboard.pages import TYPES
from device.dashboard.request_limits import HEADERS
from referee.rules import games
from tests.device.dashboard.table_side import CODES, Rooms, eventually, rooms, save_small_rig
from tests.device.dashboard.test_app_state import NO_CAMERA, good, refused
from tests.device.evening import said

WEB = Path(__file__).parents[3] / "device" / "dashboard" / "web"


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Rooms]:
    save_small_rig(tmp_path)
    with rooms(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    """One for all who only read."""
    with rooms(tmp_path_factory.mktemp("quiet")) as made:
        yield made


def heard(socket: ClientConnection) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(socket.recv(20))
    return found


def test_every_page_comes_with_its_kind_and_its_hash(quiet: Rooms) -> None:
    files = [path for path in WEB.rglob("*") if path.suffix in TYPES]
    assert files
    for path in files:
        url = f"/web/{path.relative_to(WEB)}"
        answer = quiet.spectator.get(url)
        assert answer.status_code == 200, url
        assert answer.headers["content-type"] == TYPES[path.suffix]
        assert all(answer.headers[key] == value for key, value in HEADERS.items())
        again = quiet.spectator.get(url, headers={"If-None-Match": f'"x", W/{answer.headers["etag"]}'})
        assert again.status_code == 304
        assert again.content == b""


@pytest.mark.parametrize("path", ["/", "/tv", "/overlay", "/setup", "/setup/"])
def test_views_without_their_ending(quiet: Rooms, path: str) -> None:
    answer = quiet.spectator.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert quiet.spectator.head(path).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/web/", "/web", "/web/../app.py", "/web/%2e%2e/app.py", "/web/..%2fapp.py", "/web//etc/passwd", "/web/css",
     "/web/%2fetc%2fpasswd", "/web/css/", "/web/.hidden", "/web/x%00.js", "/web/..%5capp.py", "/setup/../../app.py",
     "/setup/..%2f..%2fapp", "/nothing"],
)  # fmt: skip
def test_nothing_else_of_the_disk(quiet: Rooms, path: str) -> None:
    answer = quiet.spectator.get(path)
    assert answer.status_code in (404, 307), path
    assert "error" in answer.json() if answer.status_code == 404 else answer.headers["location"]
    assert all(answer.headers[key] == value for key, value in HEADERS.items())


def test_links_do_not_lead_out(tmp_path: Path) -> None:
    from device.dashboard.pages import PageFiles

    (tmp_path / "web").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "web" / "leak.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "web" / "strange.exe").write_text("x")
    page_files = PageFiles(tmp_path / "web")
    assert page_files._path("leak.txt") is None
    assert page_files._path("strange.exe") is None


def test_who_one_is(at: Rooms) -> None:
    assert good(at.spectator.get("/api/me"))["role"] == "spectator"
    assert good(at.player.get("/api/me")) == {
        "role": "player",
        "name": "Ala",
        "join": "http://192.168.1.7:8080",
        "code": None,
    }
    assert good(at.host.get("/api/me"))["code"] == CODES.player
    with at.client() as other:
        answer = other.post("/api/pair", json={"code": CODES.player, "name": "Ola"})
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert good(other.get("/api/me"))["role"] == "player"
        assert good(other.post("/api/unpair", json={}))["role"] == "spectator"
        assert good(other.get("/api/me"))["role"] == "spectator"


def test_wrong_codes_are_slowed_down(at: Rooms) -> None:
    with at.client() as other:
        answers = [other.post("/api/pair", json={"code": "000000", "name": "Ala"}) for _ in range(6)]
    assert [answer.status_code for answer in answers][:3] == [403] * 3
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_the_way_in_is_drawn_and_only_the_host_sees_the_code(quiet: Rooms) -> None:
    seen = {client: client.get("/api/qr.svg") for client in (quiet.spectator, quiet.player, quiet.host)}
    for answer in seen.values():
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert answer.text.startswith("<svg")
    assert seen[quiet.spectator].text == seen[quiet.player].text != seen[quiet.host].text
    assert all(CODES.host not in answer.text for answer in seen.values())


def test_the_catalogue_and_faces(quiet: Rooms) -> None:
    listed: list[dict[str, Any]] = quiet.spectator.get("/api/games").json()
    assert tuple(game["name"] for game in listed) == games()
    for game in listed:
        assert game["title"]["pl"]
        assert set(game["options"]) == {str(n) for n in range(game["seats"]["min"], game["seats"]["max"] + 1)}
        faces = good(quiet.spectator.get(f"/api/faces/{game['name']}"))["faces"]
        assert set(faces) == {card["code"] for card in game["codes"]}
    assert good(quiet.spectator.get("/api/faces/dawaj2"))["faces"]["7B1"] == {
        "kind": "card", "count": 1, "digit": 7, "colour": "blue", "stars": 1,
    }  # fmt: skip
    refused(quiet.spectator.get("/api/faces/chess"), 404)


def test_the_api_describes_itself(quiet: Rooms) -> None:
    api = good(quiet.spectator.get("/api/openapi.json"))
    page = quiet.spectator.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" not in page.text
    assert "style=" not in page.text
    for path in api["paths"]:
        assert path in page.text
    for path, ways in api["paths"].items():
        for way in ways.values():
            assert way.get("description"), f"{path} says nothing about itself"


def test_a_follower_knows_what_everybody_knows(at: Rooms) -> None:
    with at.follow() as socket:
        first = heard(socket)
        known = without_nulls(first["state"])
        good(at.host.post("/api/game", json=NO_CAMERA))
        for text in said()[:5]:
            good(at.player.post("/api/game/line", json={"text": text}))
        number = first["number"]
        wanted = at.state()
        while number < wanted["number"]:
            message = heard(socket)
            if message["kind"] == "change":
                assert message["number"] == number + 1
                number, known = message["number"], merged(known, message["patch"])
        assert known["rulings"] == without_nulls(wanted)["rulings"]
        assert known["game"] == without_nulls(wanted)["game"]
    eventually(lambda: at.app_state.hub.clients == 0)


def test_who_slept_catches_up(at: Rooms) -> None:
    with at.follow() as socket:
        first = heard(socket)
    good(at.host.post("/api/game", json=NO_CAMERA))
    for text in said()[:3]:
        good(at.player.post("/api/game/line", json={"text": text}))
    with at.follow(f"?server={first['state']['server']}&since={first['number']}") as socket:
        message = heard(socket)
        assert (message["kind"], message["number"]) == ("change", first["number"] + 1)
    for query in ("?server=another&since=1", "?since=-5", "?since=x&server=", "?since=99999999999999999999999"):
        with at.follow(query) as socket:
            assert heard(socket)["kind"] == "state"


def test_time_goes_on_when_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.dashboard.app.PULSE_S", 0.1)
    with rooms(tmp_path) as at:
        good(at.host.post("/api/game", json=NO_CAMERA))
        with at.follow() as socket:
            eventually(lambda: (message := heard(socket))["kind"] == "tick" and message["now_s"] > 0)


def test_followers_have_nothing_to_say(at: Rooms) -> None:
    with at.follow() as socket:
        heard(socket)
        socket.send("hello")
        socket.send(b"\x00\x01")
        good(at.host.post("/api/game", json=NO_CAMERA))
        assert heard(socket)["kind"] == "change"
        socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosed):
            list(socket)


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_other_pages_do_not_follow(quiet: Rooms, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as refusal, quiet.follow(**headers):
        pass
    assert refusal.value.response.status_code == 403


def test_too_many_are_sent_away(at: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.dashboard.routers.live.MOST_CLIENTS", 1)
    with at.follow() as first:
        heard(first)
        with at.follow() as second, pytest.raises(ConnectionClosed):
            heard(second)
    monkeypatch.setattr("device.dashboard.routers.picture.MOST_VIEWERS", 0)
    refused(at.spectator.get("/api/picture.mjpeg"), 429)
