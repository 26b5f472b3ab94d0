"""Teaching a deck through the API: shown, asked, named, counted, packed, played with, and refused where it must be."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from device.teaching.folder import load_taught
from models.crops import Image
from tests.device.dashboard.setup_rooms import Rooms, rooms, wanted
from tests.device.dashboard.shown_cards import AT, done, face, keep_deck, png, send, spread
from tests.device.dashboard.table_side import eventually

TRIO = tuple(str(number) for number in range(1, 13))


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    """A dashboard with a deck of Trio that lacks nothing after one more picture, which is named by its file."""
    with rooms(tmp_path_factory.mktemp("taught")) as found:
        keep_deck(found.app_state.settings.data, "my-trio", TRIO[:-1])
        assert wanted(found.host.get(f"{AT}/decks/my-trio"))["missing"] == ["12"]
        send(found.host, "my-trio", png(face("12")), "12.png", cropped="true")
        yield found


def test_cards_are_found_asked_about_and_named(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        wanted(found.host.post(f"{AT}/decks", json={"name": "ours", "game": "free"}), 201)
        deck = send(found.host, "ours", png(spread(("1", "6", "9"))), "table.png")
        assert (len(deck["waiting"]), len(deck["questions"]), deck["cards"]) == (3, 3, [])
        lesson = deck["lessons"][0]
        assert (lesson["picture"], lesson["size_px"]) == ("table.png", [960, 600])
        assert [len(lesson[key]) for key in ("named", "waiting", "refused")] == [0, 3, 0]
        assert found.host.get(f"{AT}/decks/ours/shown.jpg?width=320").headers["Content-Type"] == "image/jpeg"
        first, second, third = (question["views"] for question in deck["questions"])
        picture = found.host.get(f"{AT}/decks/ours/views/{first[0]}.png")
        assert picture.headers["Content-Type"] == "image/png"
        before = _pixels(picture.content)
        deck = wanted(found.host.post(f"{AT}/decks/ours/label", json={"views": first, "code": "six"}))
        assert [card["code"] for card in deck["cards"]] == ["six"]
        assert [question["views"] for question in deck["questions"]] == [second, third]
        answer = found.host.post(f"{AT}/decks/ours/label", json={"views": second, "code": "six"})
        assert answer.status_code == 422
        assert "differs from what is called six" in answer.json()["error"]["what"]
        doubt = answer.json()["error"]["found"]
        assert (doubt["kind"], doubt["view"], doubt["other"]) == ("differs", second[0], "six")
        assert doubt["texts"]["pl"].startswith("różni się od karty, która już nazywa się six")
        pair = found.host.get(f"{AT}/decks/ours/pairs/{doubt['pair']}.png")
        assert (pair.status_code, pair.headers["Content-Type"]) == (200, "image/png")
        assert found.host.get(f"{AT}/decks/ours/pairs/0098-0099.png").status_code == 404
        insisted = {"views": second, "code": "six", "insist": True}
        deck = wanted(found.host.post(f"{AT}/decks/ours/label", json=insisted))
        assert deck["cards"][0]["views"] == sorted((*first, *second))
        wanted(found.host.post(f"{AT}/decks/ours/undo", json={}), 202)
        assert done(found.host)["stage"] == "done"
        wanted(found.host.post(f"{AT}/decks/ours/turn", json={"view": first[0]}))
        turned = found.host.get(f"{AT}/decks/ours/views/{first[0]}.png").content
        assert np.array_equal(_pixels(turned), before[::-1, ::-1])
        deck = wanted(found.host.post(f"{AT}/decks/ours/count", json={"code": "six", "copies": 4}))
        assert (deck["cards"][0]["count"], deck["undo"]) == (4, True)
        wanted(found.host.post(f"{AT}/decks/ours/undo", json={}), 202)
        assert done(found.host)["stage"] == "done"
        assert wanted(found.host.get(f"{AT}/decks/ours"))["cards"][0]["count"] == 1
        deck = wanted(found.host.post(f"{AT}/decks/ours/size", json={"card_mm": [56, 87]}))
        assert (deck["card_mm"], deck["measured"]) == ([56, 87], True)
        deck = wanted(found.host.post(f"{AT}/decks/ours/forget", json={"word": second[0]}))
        assert deck["waiting"] == third
        assert [question["views"] for question in deck["questions"]] == [third]


def test_two_cards_that_look_alike_are_told_apart(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        wanted(found.host.post(f"{AT}/decks", json={"name": "ours", "game": "free"}), 201)
        send(found.host, "ours", png(face("7")), "a.png", cropped="true")
        darker = np.asarray(face("7") * 0.8, np.uint8)
        deck = send(found.host, "ours", png(darker), "b.png", cropped="true")
        (warning,) = deck["lessons"][0]["warnings"]
        assert (warning["code"], warning["other"], warning["kind"]) == ("b", "a", "looks-like")
        assert deck["told_apart"] == [{"codes": ["a", "b"], "turned": False}]
        label = {"views": deck["cards"][1]["views"], "code": "c"}
        answer = found.host.post(f"{AT}/decks/ours/label", json=label)
        assert (answer.status_code, answer.json()["error"]["found"]["kind"]) == (422, "looks-like")
        deck = wanted(found.host.post(f"{AT}/decks/ours/label", json={**label, "insist": True}))
        assert deck["told_apart"] == [{"codes": ["a", "c"], "turned": False}]


def test_a_camera_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = str(tmp_path / "table.png")
    Path(camera).write_bytes(png(spread(("4", "7"))))
    with rooms(tmp_path, KRUPIER_CAMERA=camera) as found:
        wanted(found.host.post(f"{AT}/decks", json={"name": "my-trio", "game": "trio"}), 201)
        assert wanted(found.host.post(f"{AT}/camera", json={"camera": camera}))["camera"] == camera
        eventually(lambda: wanted(found.host.get(f"{AT}/now"))["frame"] >= 0)
        assert found.host.get(f"{AT}/picture.jpg?width=320").headers["Content-Type"] == "image/jpeg"
        wanted(found.host.post(f"{AT}/decks/my-trio/look", json={}), 202)
        answer = found.host.post(f"{AT}/decks/my-trio/count", json={"code": "4", "copies": 2})
        assert (answer.status_code, answer.json()["error"]["found"]) == (409, "my-trio"), "one thing at a time"
        assert done(found.host)["error"] == ""
        deck = wanted(found.host.get(f"{AT}/decks/my-trio"))
        assert sorted(card["code"] for card in deck["cards"]) == ["4", "7"]
        assert deck["lessons"][0]["picture"].startswith("camera:")
        live = "sim:trio?size=320x240&fps=5&players=3"
        wanted(found.host.post(f"{AT}/camera", json={"camera": live}))
        answer = found.host.post("/api/game", json={"game": "trio", "names": ["Ala", "Bartek", "Celina"]})
        assert (answer.status_code, answer.json()["error"]["found"]) == (409, live)
        eventually(lambda: wanted(found.host.get(f"{AT}/now"))["frame"] >= 0)
        monkeypatch.setattr("device.dashboard.services.teaching.STILL_S", 0.1)
        wanted(found.host.post(f"{AT}/decks/my-trio/look", json={}), 202)
        assert "something moved over the table" in done(found.host)["error"]
        assert wanted(found.host.post(f"{AT}/camera", json={"camera": None}))["camera"] is None


def test_a_whole_deck_is_counted_and_played_with(taught: Rooms) -> None:
    deck = wanted(taught.host.get(f"{AT}/decks/my-trio"))
    assert [(card["code"], card["count"], card["of"]) for card in deck["cards"]] == [(code, 3, 3) for code in TRIO]
    assert (deck["missing"], deck["unfinished"]) == ([], "")
    assert deck["totals"] == [{"kind": "card", "found": 36, "wanted": 36}]
    entry = wanted(taught.host.get(AT))["decks"][0]
    assert (entry["listed"], entry["of_codes"], entry["cards"], entry["of_cards"]) == (12, 12, 36, 36)
    wanted(taught.host.post(f"{AT}/decks/my-trio/finish", json={}), 202)
    assert done(taught.host)["stage"] == "done"
    assert load_taught(taught.app_state.settings.data, "my-trio")[1].learnt is not None
    told = wanted(taught.stranger.get("/api/decks"))["decks"]
    assert told == [{"name": "my-trio", "game": "trio", "cards": 36, "ready": True}]
    game_request = {"game": "trio", "names": ["Ala", "Bartek", "Celina"], "deck": "my-trio"}
    wanted(taught.host.post("/api/game", json=game_request), 201)
    assert taught.app_state.runner is not None
    assert taught.app_state.runner.game.match.opening.deck == "my-trio"
    answer = taught.host.post(f"{AT}/decks/my-trio/delete", json={})
    assert (answer.status_code, answer.json()["error"]["found"]) == (409, "my-trio")
    wanted(taught.host.post("/api/game/end", json={}))


def test_a_deck_that_cannot_be_played_with_is_refused(taught: Rooms) -> None:
    names = ["Ala", "Bartek", "Celina"]
    wanted(taught.host.post(f"{AT}/decks", json={"name": "half", "game": "trio"}), 201)
    for deck, game, status, words in (
        ("nobodys", "trio", 422, "no such deck was taught"),
        ("my-trio", "dawaj2", 422, "that deck is for another game"),
        ("half", "trio", 409, "none of its cards has a name"),
        ("../my-trio", "trio", 422, "body.deck"),
    ):
        answer = taught.host.post("/api/game", json={"game": game, "names": names, "deck": deck})
        assert answer.status_code == status, answer.text
        assert words in answer.json()["error"]["what"]
    send(taught.host, "half", png(face("7")), "7.png", cropped="true")
    answer = taught.host.post("/api/game", json={"game": "trio", "names": names, "deck": "half"})
    assert "cards are missing: 3 of 36" in answer.json()["error"]["what"]
    assert not taught.app_state.playing()
    wanted(taught.host.post(f"{AT}/decks/half/delete", json={}), 204)
    assert taught.host.get(f"{AT}/decks/half").status_code == 404


def test_the_eye_of_the_game_is_taught_too(taught: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[Any] = []
    real = taught.app_state._fit

    def fit(threads: int) -> Any:
        eye_factory = real(threads)
        opened = eye_factory.open_eye

        def open_eye(rig: Any, deck: Any = None, faces: Any = None) -> Any:
            fitted.append(None if faces is None else faces.deck)
            return opened(rig, deck, faces)

        monkeypatch.setattr(eye_factory, "open_eye", open_eye)
        return eye_factory

    monkeypatch.setattr(taught.app_state, "_fit", fit)
    camera = "sim:trio?size=320x240&fps=1&players=3"
    game_request = {
        "game": "trio",
        "names": ["Ala", "Bartek", "Celina"],
        "deck": "my-trio",
        "camera": camera,
        "record": False,
    }
    session = wanted(taught.host.post("/api/game", json=game_request), 201)["session"]
    taught.app_state.close(later=True)
    taught.app_state.closing = False
    wanted(taught.host.post("/api/game/resume", json={"session": session}))
    wanted(taught.host.post("/api/game/end", json={}))
    assert fitted == ["my-trio", "my-trio"]


def test_a_deck_is_packed_and_unpacked(taught: Rooms) -> None:
    packed = taught.host.get(f"{AT}/decks/my-trio/export")
    assert packed.headers["Content-Type"] == "application/zip"
    assert 'filename="my-trio.zip"' in packed.headers["Content-Disposition"]
    head = {"Content-Type": "application/zip"}
    answer = taught.host.post(f"{AT}/import", content=packed.content, headers=head)
    assert "is there already" in answer.json()["error"]["what"]
    answer = taught.host.post(f"{AT}/import?name=my-trio", content=packed.content, headers=head)
    assert answer.status_code == 409
    entry = wanted(taught.host.post(f"{AT}/import?name=again", content=packed.content, headers=head), 201)
    assert (entry["name"], entry["cards"], entry["unfinished"]) == ("again", 36, "")
    for name, data in (("evil", _evil()), ("broken", packed.content[:2000]), ("none", b"no zip")):
        answer = taught.host.post(f"{AT}/import?name={name}", content=data, headers=head)
        assert answer.status_code == 422, answer.text
        assert str(taught.home) not in answer.text
        assert not (taught.app_state.settings.data / "decks" / name).exists()
    wanted(taught.host.post(f"{AT}/decks/again/delete", json={}), 204)
    assert [entry["name"] for entry in wanted(taught.host.get(AT))["decks"]] == ["my-trio"]
    assert not list((taught.app_state.settings.data / "exports").iterdir())


def test_what_is_wrong_with_pictures_is_said(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        wanted(found.host.post(f"{AT}/decks", json={"name": "ours", "game": "free"}), 201)
        at = f"{AT}/decks/ours/picture"
        for kind in ("text/html", "application/json", "video/mp4", ""):
            assert found.host.post(at, content=b"x", headers={"Content-Type": kind}).status_code == 415
        head = {"Content-Type": "image/png"}
        long = {**head, "Content-Length": str(10**10)}
        assert found.host.post(at, content=b"x", headers=long).status_code == 413
        answer = found.host.post(f"{at}?file=card.png", content=b"this is no picture", headers=head)
        assert answer.status_code == 422
        assert answer.json()["error"]["what"].startswith("card.png")
        for file in ("../card.png", "a\\b.png", "a\x07.png"):
            assert found.host.post(at, content=b"x", headers=head, params={"file": file}).status_code == 422
        missing = found.host.post(f"{AT}/decks/nobodys/picture", content=png(face("1")), headers=head)
        assert missing.status_code == 404
        blurred = cv2.GaussianBlur(face("8"), (0, 0), 14)
        deck = send(found.host, "ours", png(np.asarray(blurred, np.uint8)), "blurred.png", cropped="true")
        refused = deck["lessons"][0]["refused"]
        assert "it is blurred" in refused[0]["why"]
        assert (deck["waiting"], deck["cards"]) == ([], [])
        answer = found.host.post(f"{AT}/decks/ours/look", json={})
        assert (answer.status_code, answer.json()["error"]["what"]) == (409, "no camera is open")
        assert found.host.post(f"{AT}/camera", json={"camera": "/etc/passwd"}).status_code == 422
        assert found.host.post(f"{AT}/decks/ours/label", json={"views": ["9999"], "code": "x"}).status_code == 422
        assert found.host.get(f"{AT}/decks/ours/views/9999.png").status_code == 404
        wanted(found.host.post(f"{AT}/decks/ours/corrections", json={}), 202)
        assert "no corrections of ours yet" in done(found.host)["error"]


def test_names_are_checked(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        for name, game, status in (
            ("../evil", "free", 422),
            ("a/b", "free", 422),
            ("", "free", 422),
            ("trio", "trio", 422),
            ("x" * 41, "free", 422),
            ("mine", "chess", 422),
        ):
            assert found.host.post(f"{AT}/decks", json={"name": name, "game": game}).status_code == status, name
        wanted(found.host.post(f"{AT}/decks", json={"name": "mine", "game": "free"}), 201)
        assert found.host.post(f"{AT}/decks", json={"name": "mine", "game": "free"}).status_code == 409
        assert sorted(path.name for path in (found.app_state.settings.data / "decks").iterdir()) == ["mine"]


def test_only_the_host_teaches(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        wanted(found.host.post(f"{AT}/decks", json={"name": "mine", "game": "free"}), 201)
        for client, status in ((found.stranger, 401), (found.player, 403)):
            for path in ("", "/now", "/picture.jpg", "/decks/mine", "/decks/mine/export", "/decks/mine/views/0001.png"):
                assert client.get(f"{AT}{path}").status_code == status, path
            for path in ("/decks", "/camera", "/decks/mine/label", "/decks/mine/delete", "/decks/mine/undo"):
                assert client.post(f"{AT}{path}", json={}).status_code == status, path


def _pixels(data: bytes) -> Image:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8)


def _evil() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        packed.writestr("../../evil.txt", "x")
    return data.getvalue()
