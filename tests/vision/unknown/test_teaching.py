"""Views of cards compared: sharpness, the same face or another, groups, contradictions; several views of a card."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from models.cards import own_deck
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import Faces, drawn_faces, shrunk
from vision.look.networks import WEIGHTS
from vision.look.reader import Reader
from vision.table import FOREIGN
from vision.unknown.survey import whole_picture
from vision.unknown.teaching import (
    DoubtKind,
    Similarity,
    blur_mm,
    compare_views,
    difference,
    find_doubt,
    group_views,
    known_view,
    match_view,
)
from vision.unknown.tuning import MAX_BLUR_MM, MAX_SAME_MM2, MIN_OTHER_MM2, SAME_TINT


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(WEIGHTS / "reader.onnx", 1)


@pytest.fixture(scope="module")
def faces() -> Faces:
    return replace(drawn_faces(own_deck("trio")), game="")


@pytest.fixture(scope="module")
def drawn(faces: Faces) -> dict[str, Image]:
    return dict(faces.pictures)


def lit(face: Image, level: float = 0.8, blue: float = 0.9, shift: int = 3) -> Image:
    """A face under another lamp, not cut quite the same."""
    other = np.clip(face * np.array([level * blue, level, level], np.float32), 0, 255).astype(np.uint8)
    return np.roll(other, (shift, -shift), (0, 1))


def test_blur_does_not_depend_on_how_much_is_printed(drawn: dict[str, Image]) -> None:
    plain = np.full_like(drawn["7"], 240)
    cv2.rectangle(plain, (100, 150), (140, 200), (20, 20, 20), -1)
    for face in (drawn["7"], plain):
        assert blur_mm(face) < 0.8
        assert blur_mm(np.asarray(cv2.GaussianBlur(face, (0, 0), 7), np.uint8)) > MAX_BLUR_MM


def test_the_same_face_in_another_light_and_another_face(drawn: dict[str, Image]) -> None:
    assert compare_views(drawn["7"], lit(drawn["7"])) is Similarity.SAME
    assert compare_views(drawn["7"], lit(drawn["8"])) is Similarity.OTHER
    starred = drawn["7"].copy()
    cv2.circle(starred, (126, 250), 14, (0, 0, 0), -1)
    assert compare_views(drawn["7"], starred) is not Similarity.SAME, (
        "what differs in a small place only is not the same"
    )


def test_views_that_are_known(reader: Reader, drawn: dict[str, Image]) -> None:
    known = [known_view(reader, code, drawn[code]) for code in ("6", "9", "12")]
    match = match_view(lit(drawn["9"])[::-1, ::-1], known, reader)
    assert (match.code, match.turned, match.same) == ("9", True, True)
    assert not match_view(drawn["5"], known, reader).same
    assert match_view(drawn["5"], [], reader).code == FOREIGN


def test_doubts_about_a_name(reader: Reader, drawn: dict[str, Image]) -> None:
    known = [known_view(reader, code, drawn[code], f"view of {code}") for code in ("6", "9", "12")]
    assert find_doubt(lit(drawn["9"]), "9", known, reader) is None
    assert find_doubt(drawn["5"], "5", known, reader) is None
    doubt = find_doubt(lit(drawn["9"]), "5", known, reader)
    assert doubt is not None
    assert (doubt.kind, doubt.code, doubt.view) == (DoubtKind.LOOKS_LIKE, "9", "view of 9")
    doubt = find_doubt(drawn["5"], "12", known, reader)
    assert doubt is not None
    assert (doubt.kind, doubt.code) == (DoubtKind.DIFFERS, "12")
    assert doubt.difference.mm2 > MIN_OTHER_MM2


def suited(face: Image, filled: bool) -> Image:
    """A face with a small symbol in two corners: a disc, or a disc with a grey middle."""
    marked = face.copy()
    for point in ((30, 90), (face.shape[1] - 30, face.shape[0] - 90)):
        cv2.circle(marked, point, 9, (20, 20, 20), -1)
        if filled:
            cv2.circle(marked, point, 4, (140, 140, 140), -1)
    return marked


def test_a_small_symbol_is_a_difference(reader: Reader, drawn: dict[str, Image]) -> None:
    one, other = suited(drawn["7"], False), suited(drawn["7"], True)
    found = difference(one, lit(other), SAME_TINT)
    assert found.mm2 < MAX_SAME_MM2, "it is lost in the area"
    assert not found.is_same, "but not in a window of its size"
    assert compare_views(one, lit(one)) is Similarity.SAME
    doubt = find_doubt(lit(other), "b", [known_view(reader, "a", one)], reader)
    assert doubt is not None
    assert doubt.kind is DoubtKind.LOOKS_LIKE
    assert not doubt.is_turned_twin


def test_look_alikes_are_never_named_automatically(reader: Reader, drawn: dict[str, Image]) -> None:
    one, other = suited(drawn["7"], False), suited(drawn["7"], True)
    known = [known_view(reader, "a", one), known_view(reader, "b", other), known_view(reader, "c", drawn["12"])]
    apart = {frozenset(("a", "b"))}
    assert match_view(lit(one), known[::2], reader).same
    assert not match_view(lit(one), known[::2], reader, apart).same, "a person told it apart from another card"
    twice = [known[0], known_view(reader, "again", lit(one, 0.9)), known[2]]
    assert not match_view(lit(one), twice, reader).same, "it is the same as two cards"
    assert find_doubt(lit(one), "a", known, reader, apart) is None, "told apart once is enough"
    assert match_view(lit(drawn["12"]), known, reader, apart).same


def test_a_face_that_is_another_one_turned(reader: Reader, drawn: dict[str, Image]) -> None:
    face = np.full_like(drawn["6"], 245)
    cv2.putText(face, "6", (70, 230), cv2.FONT_HERSHEY_SIMPLEX, 5, (30, 30, 200), 14)
    known = [known_view(reader, "6R", face), known_view(reader, "12", drawn["12"])]
    doubt = find_doubt(lit(face)[::-1, ::-1], "9R", known, reader)
    assert doubt is not None
    assert doubt.is_turned_twin
    doubt = find_doubt(lit(face), "9R", known, reader)
    assert doubt is not None
    assert not doubt.is_turned_twin, "it is the same face the same way up"


def test_equal_views_are_grouped(reader: Reader, drawn: dict[str, Image]) -> None:
    shown = {"a": drawn["3"], "b": drawn["4"], "c": lit(drawn["3"]), "d": lit(drawn["4"])[::-1, ::-1]}
    views = {name: known_view(reader, "", image) for name, image in shown.items()}
    assert sorted(group_views(views, reader)) == [("a", "c"), ("b", "d")]


def test_several_views_of_a_card_are_one_card(reader: Reader, faces: Faces) -> None:
    more = replace(faces, pictures=(*faces.pictures, *((code, lit(face, 0.5)) for code, face in faces.pictures[:4])))
    once, often = reader.learn(faces), reader.learn(more)
    assert often.codes == once.codes
    assert len(often.picture_codes) == len(faces.pictures) + 4
    crops = np.stack([shrunk(lit(face, 0.6), CROP_PX) for _, face in faces.pictures])
    seen = np.full((len(crops), SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
    readings = reader.read(crops, seen, often)
    assert [reading.guesses[0].code for reading in readings] == list(often.codes)
    assert all(sum(guess.probability for guess in reading.guesses) <= 1 + 1e-6 for reading in readings)
    assert not any(reading.turned for reading in readings)


def test_more_views_are_no_prior(reader: Reader, faces: Faces) -> None:
    """A strip that may be of several cards is not taken for the one that was shown often."""
    many = replace(faces, pictures=(*faces.pictures, *(faces.pictures[:1] * 9)))
    crop = shrunk(faces.pictures[1][1], CROP_PX)[None]
    strip = np.zeros((1, SEEN_PX[1], SEEN_PX[0]), np.uint8)
    strip[:, :9, :9] = 255
    shown_often = faces.pictures[0][0]
    for visible in (strip, np.full_like(strip, 255)):
        chances = []
        for deck in (faces, many):
            (reading,) = reader.read(crop, visible, reader.learn(deck))
            chances.append(sum(guess.probability for guess in reading.guesses if guess.code == shown_often))
        assert chances[1] <= chances[0] + 0.05


def test_a_card_with_print_in_its_corners_only_is_not_blank() -> None:
    card = np.full((CROP_PX[1], CROP_PX[0], 3), (190, 215, 235), np.uint8)
    assert "nothing is printed" in whole_picture(card).fault
    cv2.putText(card, "6", (7, 20), cv2.FONT_HERSHEY_DUPLEX, 0.45, (170, 120, 60), 2, cv2.LINE_AA)
    card[88:] = card[:88][::-1, ::-1]
    assert whole_picture(card).fault == ""
