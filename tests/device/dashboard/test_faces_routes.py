"""Faces: the pages show the drawings of models/art, or the views of a taught deck, small and cached by content."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

import cv2
import numpy as np
import pytest

from device.dashboard.services.faces import CARD_WIDTHS_PX, FacePictures, fitting_width
from device.teaching.folder import VIEWS, find_deck
from models.art.decks import art_of
from models.art.picture import draw_pixels
from models.art.pieces import table_drawings
from models.cards import own_deck, own_decks
from models.crops import Image
from models.marks import PLACES
from tests.device.dashboard.setup_rooms import Rooms, rooms, wanted
from tests.device.dashboard.shown_cards import face, keep_deck

MAX_DIFFERENCE = 6.0
"""Mean difference of grey values between a drawing and its picture with few colours."""
MAX_BYTES = 6000
"""Of a card as wide as a phone shows it."""


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[Rooms]:
    with rooms(tmp_path) as made:
        yield made


def decoded(data: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@pytest.mark.parametrize("game", own_decks())
def test_a_face_is_the_drawing_that_is_printed(dashboard: Rooms, game: str) -> None:
    art, deck = art_of(game), own_deck(game)
    for card in (deck.cards[0], deck.cards[-1]):
        answer = dashboard.stranger.get(f"/api/faces/{game}/{quote(card.code, safe='')}.webp", params={"width": 120})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp"), answer.text
        assert len(answer.content) < MAX_BYTES
        size = art.size_of(card)
        drawn = draw_pixels(partial(art.draw_face, card=card), size, 120 / size.width_mm)
        shown = decoded(answer.content)
        assert shown.shape == drawn.shape
        assert cv2.absdiff(shown, drawn).mean() < MAX_DIFFERENCE


def test_every_kind_of_card_has_its_back(dashboard: Rooms) -> None:
    about = wanted(dashboard.stranger.get("/api/faces/lucky_box"))
    backs = [dashboard.stranger.get("/api/faces/lucky_box/back.webp", params={"kind": kind}) for kind in about["backs"]]
    assert {answer.status_code for answer in backs} == {200}
    assert len({answer.content for answer in backs}) == len(about["backs"]) == 2


def test_pieces_and_marks_come_from_the_drawings_too(dashboard: Rooms) -> None:
    for game in own_decks():
        about = wanted(dashboard.stranger.get(f"/api/faces/{game}"))
        assert set(about["pieces"]) == set(table_drawings(game))
        assert set(about["marks"]) == (set(PLACES) if game == "lucky_box" else set())
    assert set(wanted(dashboard.stranger.get("/api/faces/kto_drugi"))["pieces"]) >= {"track", "figure-P1"}
    for path in ("kto_drugi/track", "kto_drugi/figure-P1", "lucky_box/moon"):
        assert dashboard.stranger.get(f"/api/pieces/{path}.webp").status_code == 200


def test_a_browser_keeps_pictures_by_their_version(dashboard: Rooms) -> None:
    version = wanted(dashboard.stranger.get("/api/faces/dawaj2"))["version"]
    dated = dashboard.stranger.get("/api/faces/dawaj2/7B1.webp", params={"v": version})
    assert "immutable" in dated.headers["cache-control"]
    other = dashboard.stranger.get("/api/faces/dawaj2/7B1.webp", params={"v": "older"})
    assert (other.headers["cache-control"], other.headers["etag"]) == ("no-cache", dated.headers["etag"])
    again = dashboard.stranger.get("/api/faces/dawaj2/7B1.webp", headers={"If-None-Match": dated.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/api/faces/chess/7B1.webp",
        "/api/faces/dawaj2/7X1.webp",
        "/api/faces/dawaj2/..%2F..%2Fdeck.webp",
        "/api/faces/dawaj2/back.webp?kind=joker",
        "/api/faces/dawaj2/7B1.webp?deck=nobodys",
        "/api/faces/dawaj2/7B1.webp?deck=..%2F..",
        "/api/pieces/chess/moon.webp",
        "/api/pieces/dawaj2/moon.webp",
    ],
)
def test_an_unknown_picture_is_refused(dashboard: Rooms, path: str) -> None:
    answer = dashboard.stranger.get(path)
    assert answer.status_code == 404
    assert set(answer.json()["error"]) - {"texts", "wanted_texts"} == {"what", "found", "wanted"}


def test_a_taught_deck_shows_its_own_views(dashboard: Rooms) -> None:
    data = dashboard.app_state.settings.data
    keep_deck(data, "my-trio", ("7", "5"), "trio")
    home = find_deck(data, "my-trio")
    cv2.imwrite(str(home / VIEWS / "0001.png"), np.full((352, 252, 3), (30, 60, 200), np.uint8))
    shown = decoded(dashboard.stranger.get("/api/faces/trio/7.webp", params={"deck": "my-trio"}).content)
    assert np.abs(shown.astype(int) - (30, 60, 200)).max() < 12
    assert dashboard.stranger.get("/api/faces/trio/9.webp", params={"deck": "my-trio"}).status_code == 404
    assert dashboard.stranger.get("/api/faces/dawaj2/7.webp", params={"deck": "my-trio"}).status_code == 404


def test_a_changed_view_has_another_version(tmp_path: Path) -> None:
    keep_deck(tmp_path, "my-trio", ("7",), "trio")
    pictures = FacePictures(lambda: tmp_path)
    before = pictures.version("trio", "my-trio"), pictures.card("trio", "my-trio", "7", "", 120)
    cv2.imwrite(str(find_deck(tmp_path, "my-trio") / VIEWS / "0001.png"), face("5"))
    after = pictures.version("trio", "my-trio"), pictures.card("trio", "my-trio", "7", "", 120)
    assert before[0] != after[0]
    assert before[1].tag != after[1].tag


def test_pictures_come_in_few_widths() -> None:
    assert [fitting_width(width, CARD_WIDTHS_PX) for width in (1, 80, 81, 5000)] == [80, 80, 120, CARD_WIDTHS_PX[-1]]
