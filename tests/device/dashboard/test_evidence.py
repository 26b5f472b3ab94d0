"""Evidence, pictures and labelled examples: made when they are asked for, never in the referee's way."""

import json
from pathlib import Path
from threading import Event
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.frames import Frame, Image
from device.dashboard.refusals import Refusal
from device.dashboard.services.evidence import MOST_LINES, MOST_TABLES, MOST_WAITING, EvidenceStore, changed
from device.dashboard.services.labels import LABELS, SIZE_PX, CardLabel, keep_label
from device.dashboard.services.pictures import CameraPictures, fitting
from device.files import OutputError
from tests.device.dashboard.table_side import small_rig
from tests.device.small_table import COLOURS, picture

CODES = ("9G0", "5P1", "6B3")


def data_of(*codes: str) -> dict[str, Any]:
    """The small table as the journal keeps it: slots 18 x 26 pixels, five mm each."""
    lefts = (20, 60, 100)
    cards = []
    for track, (code, left) in enumerate(zip(codes, lefts, strict=False)):
        x, y = 5.0 * left - 400, -75.0
        corners = [[x, y], [x + 90, y], [x + 90, y + 130], [x, y + 130]]
        cards.append({"track": track, "code": code, "face_up": True, "zone": "P1", "corners_mm": corners})
    return {"cards": cards}


def frame(index: int, *codes: str) -> Frame:
    return Frame(index, index / 10, picture(codes))


def opened(jpeg: bytes | None) -> Image:
    assert jpeg is not None
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def shows(image: Image, code: str) -> bool:
    """Whether a card's colour is somewhere in a picture."""
    near = np.abs(image.astype(int) - np.array(COLOURS[code])).sum(2) < 60
    return int(near.sum()) > 60


def test_before_and_after_a_ruling() -> None:
    evidence = EvidenceStore(small_rig())
    assert evidence.ruling(5) is False
    assert evidence.picture(5, after=True, whole=False) is None
    evidence.table(frame(1, "9G0"), data_of("9G0"))
    evidence.table(frame(2, "9G0", "5P1"), data_of("9G0", "5P1"))
    assert evidence.ruling(5) is True
    before, after = (opened(evidence.picture(5, after=late, whole=True)) for late in (False, True))
    assert before.shape == after.shape == (90, 160, 3)
    assert shows(before, "9G0")
    assert not shows(before, "5P1")
    assert shows(after, "5P1")
    evidence.close()


def large(index: int, *codes: str) -> Frame:
    """The same from a better camera."""
    return Frame(index, index / 10, np.asarray(cv2.resize(picture(codes), (1280, 720)), np.uint8))


def test_only_what_changed_is_cut_out() -> None:
    for rig, cut in ((small_rig(8), True), (None, False)):
        evidence = EvidenceStore(rig)
        evidence.table(large(1, "9G0", "5P1"), data_of("9G0", "5P1"))
        evidence.table(large(2, "9G0", "5P1", "6B3"), data_of("9G0", "5P1", "6B3"))
        evidence.ruling(5)
        before, after = (opened(evidence.picture(5, after=late, whole=False)) for late in (False, True))
        assert before.shape == after.shape
        assert shows(after, "6B3")
        assert not shows(before, "6B3")
        assert (after.shape[1] < 400) is cut, "without a rig nobody knows where it is"
        assert shows(after, "9G0") is not cut
        assert opened(evidence.picture(5, after=True, whole=True)).shape == (720, 1280, 3)
        evidence.close()


def test_what_counts_as_changed() -> None:
    assert changed(data_of("9G0")["cards"], data_of("9G0")["cards"]) == []
    assert len(changed(data_of("9G0")["cards"], data_of("5P1")["cards"])) == 2
    assert changed([], data_of("9G0")["cards"]) == [data_of("9G0")["cards"][0]["corners_mm"]]


def test_a_small_picture_is_not_cut_smaller() -> None:
    evidence = EvidenceStore(small_rig())
    evidence.table(frame(1, "9G0"), data_of("9G0"))
    evidence.table(frame(2, "9G0", "5P1"), data_of("9G0", "5P1"))
    evidence.ruling(5)
    assert opened(evidence.picture(5, after=True, whole=False)).shape == (90, 160, 3)
    evidence.close()


def test_only_so_many_are_kept() -> None:
    evidence = EvidenceStore(small_rig())
    for number in range(200):
        evidence.table(frame(number, "9G0"), data_of("9G0"))
        evidence._packed[number].result()
    assert len(evidence._packed) <= MOST_TABLES + 4
    for line in range(5, 5 + MOST_LINES + 20):
        evidence.table(frame(1000 + line, "9G0"), data_of("9G0"))
        evidence._packed[1000 + line].result()
        assert evidence.ruling(line)
    assert evidence.picture(5, after=True, whole=True) is None
    assert evidence.picture(5 + MOST_LINES + 19, after=False, whole=True) is not None
    assert len(evidence._packed) <= 2 * MOST_LINES + MOST_TABLES + 4
    evidence.close()


def test_where_packing_does_not_keep_up_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    go = Event()
    monkeypatch.setattr(
        "device.dashboard.services.evidence.jpeg", lambda image, width, quality: b"x" if go.wait(30) else b""
    )
    evidence = EvidenceStore(small_rig())
    for number in range(MOST_WAITING + 3):
        evidence.table(frame(number, "9G0"), data_of("9G0"))
    assert evidence.ruling(5) is False, "of the last one there is no picture"
    go.set()
    evidence.close()


def test_pictures_are_made_once_for_all() -> None:
    pictures = CameraPictures()
    with pytest.raises(Refusal) as refusal:
        pictures.jpeg(640)
    assert refusal.value.status == 404
    pictures.show(Frame(1, 0.1, np.zeros((720, 1280, 3), np.uint8)))
    first = pictures.jpeg(600)
    assert pictures.jpeg(640) is first
    assert opened(first).shape == (360, 640, 3)
    assert opened(pictures.jpeg(4000)).shape == (720, 1280, 3), "never larger than it is"
    pictures.show(Frame(2, 0.2, np.zeros((720, 1280, 3), np.uint8)))
    assert pictures.jpeg(640) is not first
    pictures.show(None)
    with pytest.raises(Refusal):
        pictures.jpeg(640)
    assert [fitting(width, 1280) for width in (64, 320, 321, 1280, 5000)] == [320, 320, 480, 1280, 1280]


def label(code: str = "5P1", session: str = "00001-dawaj2") -> CardLabel:
    corners = ((-100.0, -75.0), (-10.0, -75.0), (-10.0, 55.0), (-100.0, 55.0))
    return CardLabel(code, "6B3", "Ala", session, 2, corners, (("6B3", 0.97),), 1.0)


def test_a_corrected_card_becomes_an_example(tmp_path: Path) -> None:
    for index in (7, 8):
        path = keep_label(tmp_path / "dawaj2", label(), frame(index, "9G0", "5P1"), small_rig())
        assert path is not None
        image = cv2.imread(str(path))
        assert image is not None
        assert image.shape == (SIZE_PX[1], SIZE_PX[0], 3)
        assert np.abs(image[40:-40, 40:-40].reshape(-1, 3).mean(0) - COLOURS["5P1"]).max() < 8
    rows = [json.loads(line) for line in (tmp_path / "dawaj2" / LABELS).read_text("utf-8").splitlines()]
    assert [(row["code"], row["was"], row["frame"]) for row in rows] == [("5P1", "6B3", 7), ("5P1", "6B3", 8)]
    assert all((tmp_path / "dawaj2" / row["file"]).is_file() for row in rows)


def test_hostile_words_become_no_paths(tmp_path: Path) -> None:
    path = keep_label(tmp_path / "x", label("../../a/b", "../\0evil"), frame(7, "9G0", "5P1"), small_rig())
    assert path is not None
    assert path.parent == tmp_path / "x"
    assert len(list((tmp_path / "x").iterdir())) == 2
    assert not list(tmp_path.glob("a*"))


def test_without_a_rig_or_a_disk(tmp_path: Path) -> None:
    assert keep_label(tmp_path / "x", label(), frame(7, "5P1"), None) is None
    (tmp_path / "y").write_text("a file")
    with pytest.raises(OutputError, match="cannot be written"):
        keep_label(tmp_path / "y", label(), frame(7, "5P1"), small_rig())
