"""Ground truth: the true cards of a picture, and labelled pictures from folders."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.frames import Frame, Image
from calibration.rig import Rig
from device.sources import SourceError, read_picture
from models.faces import Faces
from vision.table import FOREIGN, Quad

TRUTH = "truth.json"
CARD_MM = (63.0, 88.0)
Box = tuple[float, float, float, float]
MIN_REGION_VISIBLE = 0.85
"""Minimum visible fraction of an index or of the top strip to read a card by it."""
_UNORDERED = "not in card order"
"""Text in a set's description that says that its corners are unordered."""
_WORDS = {"full": 1.0, "most": 0.75, "part": 0.4}
_SAME_LEVELS, _SAME_SHARE = 60, 0.004
"""A face looks the same upside down if less than this share of its pixels differs by more than this many levels."""


class SetError(SourceError):
    """An unusable set of labelled pictures; the message names the file, what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class TrueCard:
    """One true card."""

    code: str
    """Empty for a back."""
    face_up: bool
    corners_px: Quad | None = None
    box_px: Box | None = None
    """Used where corners are unknown: a box around the card or around one of its indices."""
    visible: float | None = 1.0
    readable: bool = True
    """Whether the visible part distinguishes it from every other card."""
    ways: int = 1
    """1: its corners are in card order; 2: upside down is equally right; 4: they begin anywhere."""
    under_hand: bool | None = False
    """Whether a hand hides part of it; None where unknown or marginal."""
    size_mm: tuple[float, float] = CARD_MM
    marks: tuple[str, ...] | None = None
    """Marks drawn on it by hand; None where unknown."""


@dataclass(frozen=True, slots=True)
class TruePicture:
    """Ground truth of one picture."""

    name: str
    cards: tuple[TrueCard, ...]
    deck: str = ""
    light: str = ""
    material: str = ""
    complete: bool = True
    """Whether every card in the picture is known; otherwise no sighting counts as invented."""


@dataclass(frozen=True, slots=True)
class Case:
    """One picture to read, and what is known in advance."""

    frame: Frame
    truth: TruePicture
    rig: Rig | None = None
    deck: str | None = None
    """The game whose printed deck is on the table."""
    faces: Faces | None = None
    """Another deck, by its pictures."""


def folder_cases(folder: Path, rig: Rig | None, deck: str | None, faces: Faces | None) -> Iterator[Case]:
    """The pictures of a folder with truth.json, in order."""
    path = folder / TRUTH
    data = _loaded(path)
    images = data.get("images")
    if not isinstance(images, dict) or not images:
        raise SetError(f'{path}: no pictures; wanted {{"images": {{file: {{"cards": […]}}}}}}')
    name = deck or folder.resolve().name
    twice = {} if faces is None else {code: same_upside_down(face) for code, face in faces.pictures}
    truths = [_picture(path, file, found, data, name, twice) for file, found in images.items()]
    return (
        Case(Frame(index, float(index), _image(folder, truth.name)), truth, rig, deck, faces)
        for index, truth in enumerate(truths)
    )


def same_upside_down(face: Image) -> bool:
    """Whether a face looks the same upside down."""
    soft = cv2.GaussianBlur(cv2.resize(face, (128, 176), interpolation=cv2.INTER_AREA), (0, 0), 1.5)
    apart = cv2.absdiff(soft, cv2.rotate(soft, cv2.ROTATE_180)).max(axis=2)
    return bool(np.mean(apart > _SAME_LEVELS) < _SAME_SHARE)


def _image(folder: Path, name: str) -> Image:
    path = next((path for path in (folder / "images" / name, folder / name) if path.exists()), None)
    if path is None:
        raise SetError(f"{folder / TRUTH}: tells of {name}, which is neither in {folder} nor in {folder / 'images'}")
    return read_picture(path).image


def _loaded(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise SetError(f"{path}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise SetError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, dict):
        raise SetError(f'{path}: found {type(data).__name__}; wanted {{"images": …}}')
    return data


def _picture(
    path: Path, file: str, found: Any, head: dict[str, Any], deck: str, twice: Mapping[str, bool]
) -> TruePicture:
    where = f"{path}: {file}"
    if not isinstance(found, dict) or not isinstance(found.get("cards"), list):
        raise SetError(f'{where}: wanted {{"cards": […]}}')
    about = found.get("conditions", {}) if isinstance(found.get("conditions", {}), dict) else {}
    light = found.get("light", about.get("light", ""))
    light = light.get("kind", "") if isinstance(light, dict) else light
    size = _numbers(head.get("card_mm", CARD_MM), 2, f"{path}: card_mm")
    unordered = _UNORDERED in str(head.get("about", ""))
    cards = []
    for number, card in enumerate(found["cards"], 1):
        if not isinstance(card, dict):
            raise SetError(
                f"{where}: card {number} is {card!r}; wanted a table with code, face, visible, corners or box"
            )
        ways = 4 if unordered else 2 if twice.get(str(card.get("code"))) else 1
        made = _card(f"{where}: card {number}", card, ways, bool(about.get("hand")), (size[0], size[1]))
        cards.append(made)
    material = found.get("material", about.get("table", ""))
    return TruePicture(file, tuple(cards), deck, str(light), str(material), bool(found.get("complete", True)))


def _card(where: str, card: dict[str, Any], ways: int, hand: bool, size_mm: tuple[float, float]) -> TrueCard:
    face = card.get("face", "up")
    if face not in ("up", "down"):
        raise SetError(f"{where}: face = {face!r}; wanted up or down")
    visible = _visible(where, card)
    regions = card.get("regions")
    readable = (
        not isinstance(regions, dict) or max((float(part) for part in regions.values()), default=0) > MIN_REGION_VISIBLE
    )
    corners, box = None, None
    if "corners" in card:
        points = card["corners"]
        if not isinstance(points, list) or len(points) != 4:
            raise SetError(f"{where}: corners = {points!r}; wanted four points [x, y]")
        a, b, c, d = (_numbers(point, 2, f"{where}: corners") for point in points)
        corners = ((a[0], a[1]), (b[0], b[1]), (c[0], c[1]), (d[0], d[1]))
    elif "box" in card:
        x1, y1, x2, y2 = _numbers(card["box"], 4, f"{where}: box")
        if x1 >= x2 or y1 >= y2:
            raise SetError(f"{where}: box = {card['box']!r}; wanted [x1, y1, x2, y2] with x1 < x2 and y1 < y2")
        box = (x1, y1, x2, y2)
    else:
        raise SetError(f"{where}: neither corners nor box; wanted one of them")
    # A box has no ordered corners, so the way up is unknown.
    ways = 4 if corners is None else ways if face == "up" else max(2, ways)
    code = str(card.get("code") or FOREIGN) if face == "up" else FOREIGN
    # If only the picture is known to show a hand, any partly hidden card may be under it.
    under_hand = None if hand and (visible is None or visible < 0.99) else False
    return TrueCard(code, face == "up", corners, box, visible, readable, ways, under_hand, size_mm)


def _visible(where: str, card: dict[str, Any]) -> float | None:
    found = card.get("visible", None if "box" in card else 1.0)
    if found is None:
        return None
    if isinstance(found, str) and found in _WORDS:
        return _WORDS[found]
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
        raise SetError(f"{where}: visible = {found!r}; wanted a number from 0 to 1, or one of {', '.join(_WORDS)}")
    return float(found)


def _numbers(found: Any, count: int, where: str) -> tuple[float, ...]:
    good = isinstance(found, list | tuple) and len(found) == count
    if not good or not all(isinstance(part, int | float) and not isinstance(part, bool) for part in found):
        raise SetError(f"{where}: found {found!r}; wanted {count} numbers")
    return tuple(float(part) for part in found)
