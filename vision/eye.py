"""The eye: one look at a frame. Straightens, finds, cuts out and reads; remembers nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame
from models.crops import STRIDE_PX, Floats, Image, cut
from models.marks import CHANNELS, PATCH_PX
from vision.aligner import Aligner, moved
from vision.bareness import EDGE, OWN_EDGE, is_bare
from vision.bearings import window_without_rig
from vision.finder import Finder, Finding, Found
from vision.layers import bottom_to_top, doubles, shared_cells
from vision.marks import MarkReader, words_of
from vision.network import THREADS, load_network
from vision.reader import KnownFaces, Reader, Reading, seen_maps
from vision.sightings import Look, Sighting
from vision.table import FOREIGN, Quad
from vision.window import Window

WEIGHTS = Path(__file__).parent.parent / "models" / "weights"
MARK_INPUTS = {"patches": (None, CHANNELS, PATCH_PX, PATCH_PX)}
Text = tuple[Reading, tuple[str, ...], bool]
"""What is printed on a card, what is drawn on it, and whether nothing is."""
SURE_SIDE = 0.5
FOUND, FOUND_UNREAD = (10.7, 4.6, -4.6, -2.8), (9.7, 5.6, -4.3)
"""What makes a probability of the finder's votes, the visible part and the reading; fitted to simulated tables."""
LEAST_FOUND, LEAST_FOUND_UNREAD = 0.8, 0.65
"""Less likely cards are not told; where the deck is not known, a reading cannot help the finder."""
MOVED = 0.06
"""A card that lies further than this from where it was found, in its own widths or radians, is looked at again."""
STRANGE, HOLLOW = 0.03, 0.2
SLIVER, HOLLOW_SLIVER = 0.2, 0.5
"""What is so unlike every card, or of which so little is seen, is none if its place shows so much of the table."""
SAME_PX = 5.3
"""Two cards that lie as near to each other as this, in the view, are one."""
LEAST_READ = 0.03
"""A card of which less is seen is not read."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The networks that an eye looks with, loaded once and shared."""

    finder: Finder
    aligner: Aligner
    reader: Reader
    marks: MarkReader


def load_sight(weights: Path = WEIGHTS, threads: int = THREADS) -> Sight:
    """The networks in a folder."""
    marks = load_network(weights / "marks.onnx", MARK_INPUTS, threads)
    return Sight(
        Finder(weights / "finder.onnx", threads),
        Aligner(weights / "aligner.onnx", threads),
        Reader(weights / "reader.onnx", threads),
        MarkReader(marks),
    )


class Eye:
    """Looks at the table through one window and knows one deck, or several and chooses."""

    def __init__(self, window: Window, sight: Sight, decks: Sequence[KnownFaces], sized: bool = True) -> None:
        self._window, self._sight, self._decks = window, sight, tuple(decks)
        self._card_px = window.card_px if sized else None

    def look(self, frame: Frame) -> Look:
        """Everything that lies on the table in this frame."""
        window = self._window
        finding = self._sight.finder.find(window.straight(frame.image), self._card_px)
        if not finding.cards:
            return Look(frame.index, frame.at_s, (), finding.hands)
        detail, scale = window.detail(frame.image)
        found_view = np.stack([card.quad_px for card in finding.cards])
        everybody = list(range(len(found_view)))
        quads_view, lies = self._aligned(detail, scale, finding, found_view, everybody)
        finding, kept = _single(finding, quads_view)
        quads_view = quads_view[kept]
        # Who lay far from where the finder saw it is looked at once more.
        far = np.flatnonzero(np.abs(lies[kept]).max(1) > MOVED).tolist()
        if far:
            quads_view[far], _ = self._aligned(detail, scale, finding, quads_view[far], far)
        quads_mm = window.to_mm(quads_view)
        quads_px = window.to_frame(quads_mm)
        cells = (quads_view + 0.5) / STRIDE_PX - 0.5
        readings = self._read(detail, finding, (quads_px + 0.5) * scale - 0.5, cells)
        order = bottom_to_top(finding.shared)
        known = len(self._decks) == 1
        cards = []
        for number in order:
            reading, marks, bare = readings.get(number, (None, (), False))
            if bare or _is_hollow(finding.cards[number], reading if known else None):
                continue
            cards.append(_sighting(finding.cards[number], quads_mm[number], quads_px[number], reading, marks, known))
        least = LEAST_FOUND if known else LEAST_FOUND_UNREAD
        return Look(frame.index, frame.at_s, tuple(card for card in cards if card.found > least), finding.hands)

    def _aligned(
        self, detail: Image, scale: Floats, finding: Finding, quads_view: Floats, numbers: list[int]
    ) -> tuple[Floats, Floats]:
        """The corners of some cards made exact, and by how much they were off."""
        near_px = (self._window.to_frame(self._window.to_mm(quads_view)) + 0.5) * scale - 0.5
        lies = self._sight.aligner.align(detail, near_px, finding.owners, quads_view, numbers)
        return moved(quads_view, lies, self._card_px is not None), lies

    def _read(self, detail: Image, finding: Finding, quads_px: Floats, cells: Floats) -> dict[int, Text]:
        worth = [i for i, card in enumerate(finding.cards) if card.visible >= LEAST_READ]
        if not worth or not self._decks:
            return {}
        crops = np.stack([cut(detail, quads_px[i]) for i in worth])
        seen = seen_maps(finding.owners, cells)[worth]
        deck, readings = self._best(crops, seen)
        marks = self._marks(crops, seen, deck, readings)
        edge = OWN_EDGE if deck.practised else EDGE
        bare = [not _is_known(reading) and is_bare(crops[i], seen[i], edge) for i, reading in enumerate(readings)]
        return dict(zip(worth, zip(readings, marks, bare, strict=True), strict=True))

    def _best(self, crops: Image, seen: Image) -> tuple[KnownFaces, list[Reading]]:
        """The deck that explains the crops best, and what they say by it."""
        every = [(deck, self._sight.reader.read(crops, seen, deck)) for deck in self._decks]
        return max(every, key=lambda each: sum(_known(reading) for reading in each[1]))

    def _marks(self, crops: Image, seen: Image, deck: KnownFaces, readings: Sequence[Reading]) -> list[tuple[str, ...]]:
        """What players drew on each card."""
        found: list[tuple[str, ...]] = [()] * len(readings)
        written = [i for i, reading in enumerate(readings) if reading.guesses[0].code in deck.clean]
        ways = [-1 if readings[i].turned else 1 for i in written]
        marks = self._sight.marks.read(
            [crops[i][::way, ::way] for i, way in zip(written, ways, strict=True)],
            [seen[i][::way, ::way] for i, way in zip(written, ways, strict=True)],
            [deck.clean[readings[i].guesses[0].code] for i in written],
        )
        for i, places in zip(written, marks, strict=True):
            found[i] = words_of(places)
        return found


class BareEye:
    """Looks at pictures that nobody calibrated: each time it finds out scale and slant first."""

    def __init__(self, sight: Sight, decks: Sequence[KnownFaces]) -> None:
        self._sight, self._decks = sight, tuple(decks)

    def look(self, frame: Frame) -> Look:
        """Everything that lies on the table in this frame."""
        window = window_without_rig(frame.image, self._sight.finder, self._decks[0].card_mm)
        # Somebody who does not say which deck it is may have one whose cards are of another size.
        return Eye(window, self._sight, self._decks, sized=len(self._decks) == 1).look(frame)


def _single(finding: Finding, quads_view: Floats) -> tuple[Finding, list[int]]:
    """The finding without cards that turned out to be another one, and which of them are left."""
    worth = np.array([card.visible * card.sure for card in finding.cards])
    twice = doubles(quads_view, worth, SAME_PX)
    kept = [number for number in range(len(finding.cards)) if number not in twice]
    if not twice:
        return finding, kept
    names = np.full(len(finding.cards) + 1, -1, np.int16)
    names[[number + 1 for number in kept]] = np.arange(len(kept))
    for double, other in twice.items():
        names[double + 1] = names[other + 1]
    owners = names[finding.owners + 1]
    shared = shared_cells(owners, (quads_view[kept] + 0.5) / STRIDE_PX - 0.5)
    cards = tuple(finding.cards[number] for number in kept)
    return replace(finding, cards=cards, owners=owners, shared=shared), kept


def _is_known(reading: Reading) -> bool:
    """Whether it is more likely than not a face or a back of the deck."""
    faces = sum(guess.probability for guess in reading.guesses if guess.code != FOREIGN)
    return max(faces, reading.back) >= SURE_SIDE


def _is_hollow(found: Found, reading: Reading | None) -> bool:
    """Whether too much of its place shows neither a card nor a hand: squares and stripes of a cloth, a napkin.

    Something has to hide what is not seen of a card. A cup may, or the edge of the picture: then what is seen is read.
    """
    strange = reading is not None and _known(reading) < STRANGE and found.hollow > HOLLOW
    return strange or (found.visible < SLIVER and found.hollow > HOLLOW_SLIVER)


def _known(reading: Reading) -> float:
    """How sure it is that this is a card of the deck."""
    return 1.0 - sum(guess.probability for guess in reading.guesses if guess.code == FOREIGN)


def _sighting(
    found: Found, quad_mm: Floats, quad_px: Floats, reading: Reading | None, marks: tuple[str, ...], known: bool
) -> Sighting:
    if reading is not None and reading.turned:
        quad_mm, quad_px = np.roll(quad_mm, 2, axis=0), np.roll(quad_px, 2, axis=0)
    face_up = _lies_face_up(found, reading)
    return Sighting(
        _corners(quad_mm),
        _corners(quad_px),
        face_up,
        _found(found, reading if known else None),
        found.visible,
        found.under_hand,
        reading.guesses if reading is not None and face_up else (),
        marks if face_up else (),
    )


def _found(found: Found, reading: Reading | None) -> float:
    """How likely it is that a card lies there: by the finder, by how much is seen, and by whether it can be read."""
    if reading is None:
        sure, visible, bias = FOUND_UNREAD
        return 1 / (1 + exp(-(sure * found.sure + visible * found.visible + bias)))
    strange = sum(guess.probability for guess in reading.guesses if guess.code == FOREIGN)
    sure, visible, foreign, bias = FOUND
    return 1 / (1 + exp(-(sure * found.sure + visible * found.visible + foreign * strange + bias)))


def _lies_face_up(found: Found, reading: Reading | None) -> bool:
    """The finder tells faces from backs by what cards look like in general; the reader knows this deck's."""
    if reading is None:
        return found.face_up
    faces = sum(guess.probability for guess in reading.guesses if guess.code != FOREIGN)
    if max(faces, reading.back) < SURE_SIDE:
        return found.face_up
    return faces > reading.back


def _corners(quad: NDArray[np.float64]) -> Quad:
    (a, b), (c, d), (e, f), (g, h) = quad.tolist()
    return (a, b), (c, d), (e, f), (g, h)
