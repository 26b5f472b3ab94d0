"""Simulated films: output of `krupier simulate`, with the truth of every settled frame."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibration.frames import Frame
from calibration.rig import Rig
from device.lab.evaluation.stills import known_rig
from device.lab.evaluation.telling import Telling, uncovered
from device.lab.evaluation.truth import Case, SetError, TrueCard, TruePicture
from device.lab.simulator.archive import TRUTH, VIDEO
from device.sources import frames_from
from models.art.decks import art_of
from models.cards import own_deck
from models.faces import WRITTEN_ON
from models.synth.sprites import FaceSprites
from vision.table import FOREIGN

Size = tuple[float, float]


def film_cases(folder: Path, every_s: float, rig: Rig | None = None, blind: bool = False) -> Iterator[Case]:
    """The settled frames of a film that `krupier simulate` wrote."""
    path = folder / TRUTH
    lines = truth_lines(path)
    head = next(lines, None)
    if not isinstance(head, dict) or "game" not in head:
        raise SetError(f"{path}: its first line tells of no game; wanted what `krupier simulate` writes")
    try:
        known = rig or (None if blind else _film_rig(head))
    except (KeyError, TypeError, ValueError) as error:
        raise SetError(
            f"{path}: its first line tells of no camera ({error!r}); wanted what `krupier simulate` writes"
        ) from error
    return _film(folder, head, lines, every_s, known)


def _film(
    folder: Path, head: Mapping[str, Any], lines: Iterator[Any], every_s: float, rig: Rig | None
) -> Iterator[Case]:
    game = str(head["game"])
    deck, art = own_deck(game), art_of(game)
    drawn = FaceSprites(deck, 2.0)
    marked = bool(deck.of(WRITTEN_ON))
    codes = tuple(card.code for card in deck.cards)
    sizes = {card.code: (art.size_of(card).width_mm, art.size_of(card).height_mm) for card in deck.cards}
    telling = Telling(lambda code: drawn.face(code).pixels[:, :, :3], codes)
    due_s = 0.0
    for frame, line in zip(frames_from(str(folder / VIDEO)), lines, strict=False):
        try:
            if not line["settled"] or line["at_s"] < due_s:
                continue
            due_s = line["at_s"] + every_s
            cards = _cards(line["cards"], telling, sizes, marked)
        except (KeyError, TypeError, ValueError) as error:
            raise SetError(f"{folder / TRUTH}: frame {frame.index} is not told as wanted: {error!r}") from error
        truth = TruePicture(f"{folder.name}-{frame.index:06d}", cards, game, "film")
        yield Case(Frame(frame.index, float(line["at_s"]), frame.image), truth, rig, game)


def _cards(
    found: Sequence[Mapping[str, Any]], telling: Telling, sizes: Mapping[str, Size], marked: bool
) -> tuple[TrueCard, ...]:
    """The cards of one frame, bottom to top."""
    quads = [np.array(card["corners"], float) for card in found]
    cards = []
    for number, (card, quad) in enumerate(zip(found, quads, strict=True)):
        up, code = card["face"] == "up", card["code"] or FOREIGN
        seen = uncovered(quad, quads[number + 1 :])
        a, b, c, d = ((float(x), float(y)) for x, y in quad)
        made = TrueCard(
            code,
            up,
            (a, b, c, d),
            visible=float(card["visible"]),
            readable=up and telling.readable(code, seen),
            ways=1 if up and telling.upright(code, seen) else 2,
            size_mm=sizes.get(code, next(iter(sizes.values()))),
            marks=tuple(sorted(card["marks"])) if marked and up else None,
        )
        cards.append(made)
    return tuple(cards)


def _film_rig(head: Mapping[str, Any]) -> Rig:
    camera = head["camera"]
    matrix, rotation = np.array(camera["matrix"], float), np.array(camera["rotation"], float)
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], np.array(camera["translation_mm"], float)])
    width, height = (int(side) for side in head["size_px"])
    distortion = tuple(float(part) for part in camera["distortion"])
    wide, deep = (float(side) for side in head["table_mm"])
    return known_rig((width, height), matrix, distortion, matrix @ plane, (wide, deep))


def truth_lines(path: Path) -> Iterator[Any]:
    """The lines of a film's truth; the first one holds for all frames."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)
    except (OSError, EOFError, zlib.error) as error:
        raise SetError(f"{path}: cannot be read: {error}") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise SetError(f"{path}: not lines of JSON: {error}") from error
