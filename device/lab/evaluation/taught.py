"""Measures how well taught decks are read: held-out decks, taught from one simulated view of each card."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import numpy as np

from calibration.frames import Frame
from calibration.rig import Rig
from device.eyes import EyeFactory
from device.lab.evaluation.score import Judged, Reading, calibration_error_of, overlap, score
from device.lab.evaluation.stills import known_rig
from device.lab.evaluation.telling import MAP_PX, Telling
from device.lab.evaluation.truth import TrueCard, TruePicture
from device.teaching.folder import TeachingError, load_taught
from device.teaching.school import taught_school
from models.codes import FREE
from models.crops import Image, cut
from models.synth.foreign.photo import PhotoCards
from models.synth.render import COVER, HAND, corners_mm, expose, lay_cards, lay_ground, lay_thing, truths
from models.synth.scene import CardSeen, Scene, Sprite, Thing
from models.synth.stills import TABLE_MM, Recipe, StyleCards, Tables, random_camera
from models.synth.styles import random_style
from vision.table import FOREIGN

TABLES_PER_DECK = 8
"""Tables that are read with each taught deck."""
FOREIGN_SHARE = 0.2
"""Share of cards of another deck."""
TEACHING_DIFFICULTY = 0.3
"""Difficulty of the tables that a deck is taught from."""
MIN_WHOLE_VISIBLE = 0.7
"""Minimum visible fraction of a card that counts as whole."""
NAME = "style"
STYLES, PHOTO = "styles", "photo"
"""Families of decks: numbers in held-out styles, or dark photographic art with tiny symbols."""
STRANGE = "strange "
"""Before the codes of cards of another deck."""


class CardSource(Protocol):
    """A deck for simulated tables."""

    def faces(self) -> dict[str, Sprite]:
        """Every card by its code."""

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        """Draw a card: its code, its face and its back."""


@dataclass(frozen=True, slots=True)
class TeachingOrder:
    """Which decks to teach, and how many tables to read with them."""

    count: int
    seed: int
    difficulty: float
    size_px: tuple[int, int]
    family: str = STYLES
    held_out: bool = True
    """Whether to use only styles that training never sees; photographic decks are always held out."""


@dataclass(slots=True)
class Counted:
    """Counts of the measurement."""

    decks: int = 0
    cards: int = 0
    taught: int = 0
    found: int = 0
    readable: int = 0
    exact: int = 0
    whole: int = 0
    """Readable cards that were found and are at least 70 % visible."""
    whole_exact: int = 0
    before: int = 0
    """Readable cards on the first table of each deck, which is also read with our own decks."""
    before_exact: int = 0
    ours: int = 0
    """Cards taken for one of our own decks before anything was taught."""
    strangers: int = 0
    rejected: int = 0
    whole_strangers: int = 0
    whole_rejected: int = 0
    found_strangers: int = 0
    """Strangers that were found, so that a reading had to reject them."""
    found_rejected: int = 0
    taught_readable: int = 0
    """Readable cards that were found and had been taught."""
    taught_exact: int = 0
    taught_whole: int = 0
    """Those of them that are at least 70 % visible."""
    taught_whole_exact: int = 0
    strangers_alike: int = 0
    """Strangers that do not count: their visible part matches a card of the deck, or a hand is on them."""
    to_find: int = 0
    """Readable cards of the taught deck, found or not."""
    readings: list[Reading] = field(default_factory=list)
    """Probabilities of the readings of readable cards, and whether each was right."""
    stranger_readings: list[Reading] = field(default_factory=list)
    """The same for cards that were not taught: right is what rejects them."""

    @property
    def ece(self) -> float | None:
        """The expected calibration error of all readings of readable cards, including strangers."""
        return calibration_error_of(self.readings + self.stranger_readings)

    @property
    def own_ece(self) -> float | None:
        """The expected calibration error of the readings of taught cards."""
        return calibration_error_of(self.readings)


class MixedCards(StyleCards):
    """Cards of one deck, sometimes mixed with another deck."""

    def __init__(self, own: CardSource, others: CardSource) -> None:
        self._mixed = (own, others)

    def faces(self) -> dict[str, Sprite]:
        """The cards to teach."""
        return self._mixed[0].faces()

    def strangers(self) -> dict[str, Sprite]:
        """The cards of the other deck, by their codes on the table."""
        return {STRANGE + code: face for code, face in self._mixed[1].faces().items()}

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        own, others = self._mixed
        if rng.random() >= FOREIGN_SHARE:
            return own.draw(rng)
        code, face, back = others.draw(rng)
        return STRANGE + code, face, back


class MixedTables(Tables):
    """Tables of one deck with foreign cards among them."""

    def __init__(self, recipe: Recipe, seed: int, cards: MixedCards) -> None:
        super().__init__(recipe, seed)
        self._mixed = cards

    def cards(self, number: int) -> MixedCards:
        """The same deck on every table."""
        return self._mixed


def measure_teaching(order: TeachingOrder, eye_factory: EyeFactory, total: Counted) -> Iterator[str]:
    """Teach decks, read tables, add to the counts, and yield the results as lines of text."""
    for number in range(-(-order.count // TABLES_PER_DECK)):
        tables = min(TABLES_PER_DECK, order.count - number * TABLES_PER_DECK)
        yield from _deck(order, number, tables, eye_factory, total)
    decks = "photographic decks" if order.family == PHOTO else "decks in held-out styles"
    decks = decks if order.held_out else "decks in styles"
    yield f"{total.decks} {decks}, one view a card at difficulty {TEACHING_DIFFICULTY:g}"
    yield f"taught: {_share(total.taught, total.cards)} cards; the others were not found whole and sharp"
    yield f"before, by our own decks: {_share(total.before_exact, total.before)} exact, {total.ours} taken for ours"
    yield (
        f"after, at difficulty {order.difficulty:g}: {_share(total.exact, total.readable)} exact of the readable ones "
        + f"found; {_share(total.whole_exact, total.whole)} of those seen at 70 % or more"
    )
    yield (
        f"of the cards that could be taught: {_share(total.taught_exact, total.taught_readable)} exact; "
        + f"{_share(total.taught_whole_exact, total.taught_whole)} of those seen at 70 % or more"
    )
    yield (
        f"found: {_share(total.found, total.to_find)} readable cards; "
        + "readable: at least 20 % seen and enough to tell it from all others"
    )
    yield f"unknown cards rejected: {_share(total.rejected, total.strangers)} that were seen and readable; " + (
        f"{_share(total.whole_rejected, total.whole_strangers)} of those seen at 70 % or more; "
        f"{_share(total.found_rejected, total.found_strangers)} of those found; "
        f"{total.strangers_alike} others do not count: under a hand, or their visible part matches a card of the deck"
    )
    yield f"ECE of the readings: {_error(total.ece)}; of taught cards only: {_error(total.own_ece)}"


def teaching_json(order: TeachingOrder, total: Counted) -> dict[str, Any]:
    """The figures as JSON values."""
    return {
        "family": order.family,
        "decks": total.decks,
        "cards": total.cards,
        "taught": total.taught,
        "to_find": total.to_find,
        "found": total.found,
        "readable": total.readable,
        "exact": total.exact,
        "exact_share": _ratio(total.exact, total.readable),
        "whole": total.whole,
        "whole_exact": total.whole_exact,
        "whole_exact_share": _ratio(total.whole_exact, total.whole),
        "taught_readable": total.taught_readable,
        "taught_exact_share": _ratio(total.taught_exact, total.taught_readable),
        "taught_whole_exact_share": _ratio(total.taught_whole_exact, total.taught_whole),
        "strangers": total.strangers,
        "strangers_rejected": total.rejected,
        "strangers_rejected_share": _ratio(total.rejected, total.strangers),
        "whole_strangers_rejected_share": _ratio(total.whole_rejected, total.whole_strangers),
        "strangers_alike": total.strangers_alike,
        "found_strangers": total.found_strangers,
        "found_strangers_rejected_share": _ratio(total.found_rejected, total.found_strangers),
        "ece": total.ece,
        "own_ece": total.own_ece,
    }


def _deck(order: TeachingOrder, deck: int, count: int, eye_factory: EyeFactory, total: Counted) -> Iterator[str]:
    seed = (order.seed, deck)
    rng = np.random.default_rng(seed)
    cards, name = _cards(order, rng)
    faces = cards.faces()
    telling = telling_of(cards)
    total.decks += 1
    total.cards += len(faces)
    with TemporaryDirectory() as folder:
        taught, refused = _teach(Path(folder), cards, rng, order.size_px, eye_factory, order.held_out)
        total.taught += len(taught)
        yield from (f"deck {deck}: {why}" for why in refused)
        if not taught:
            yield f"deck {deck}: nothing could be taught"
            return
        known = load_taught(Path(folder), NAME)[1]
    recipe = Recipe(order.size_px, order.difficulty, held_out=order.held_out)
    tables = MixedTables(recipe, order.seed * 64 + deck, cards)
    exact, readable = total.exact, total.readable
    for number in range(count):
        scene_rng = np.random.default_rng((*seed, 1, number))
        scene = tables.scene(number, scene_rng)
        frame, truth, rig = pictured(scene, scene_rng, telling)[:3]
        eye = eye_factory.open_eye(rig, None, replace(known, home=None))
        _count(score(eye.look(frame), truth).cards, taught, total)
        if number == 0:
            _before(score(eye_factory.open_eye(rig).look(frame), truth).cards, total)
    yield f"deck {deck} ({name}): {len(taught)} of {len(faces)} taught, " + (
        f"{total.exact - exact} of {total.readable - readable} exact"
    )


def _cards(order: TeachingOrder, rng: np.random.Generator) -> tuple[MixedCards, str]:
    """A deck to teach with another one of the same size, and a description."""
    px_per_mm = 1.25 * order.size_px[0] / TABLE_MM[0]
    if order.family == PHOTO:
        photos = PhotoCards(rng, px_per_mm)
        others = PhotoCards(rng, px_per_mm, photos.style.size)
        return MixedCards(photos, others), f"{photos.style.layout}, {photos.style.differs}"
    style = random_style(rng, order.held_out)
    while style.size.height_mm < 1.2 * style.size.width_mm:
        # Square cards have no long side, and none of our games has them.
        style = random_style(rng, order.held_out)
    other = replace(random_style(rng, order.held_out), size=style.size)
    cards = MixedCards(StyleCards(style, px_per_mm, rng), StyleCards(other, px_per_mm, rng))
    return cards, f"{style.font}, {style.middle}"


def _teach(
    data: Path,
    cards: MixedCards,
    rng: np.random.Generator,
    size_px: tuple[int, int],
    eye_factory: EyeFactory,
    held_out: bool,
) -> tuple[set[str], list[str]]:
    """Lay out all cards, a few per table, and label them; returns the codes of the learnt cards and the refusals."""
    recipe = Recipe(size_px, TEACHING_DIFFICULTY, held_out=held_out)
    tables = Tables(recipe, int(rng.integers(1 << 31)))
    faces = list(cards.faces().items())
    width, height = faces[0][1].size_mm
    columns, rows = int((TABLE_MM[0] - 40) // (1.25 * width)), int((TABLE_MM[1] - 40) // (1.2 * height))
    learnt: set[str] = set()
    refused: list[str] = []
    for start in range(0, len(faces), columns * rows):
        laid = tuple(
            CardSeen(
                place,
                code,
                True,
                Thing(
                    replace(face, gloss=float(rng.uniform(0, 0.9))),
                    (place % columns - (columns - 1) / 2) * 1.25 * width + float(rng.normal(0, 2)),
                    (place // columns - (rows - 1) / 2) * 1.2 * height + float(rng.normal(0, 2)),
                    float(rng.normal(0, 4)),
                ),
            )
            for place, (code, face) in enumerate(faces[start : start + columns * rows])
        )
        made = tables.scene(start, np.random.default_rng(rng.integers(1 << 31)))
        scene = replace(made, cards=laid, clutter=(), hands=(), under=(), camera=random_camera(recipe, rng))
        frame, truth, rig = pictured(scene, rng, None)[:3]
        with taught_school(data, NAME, eye_factory.sight, rig, FREE) as school:
            lesson = school.show(f"table {start}", frame)
            for view in lesson.waiting:
                lies = np.array(view.corners_px)
                same = [card for card in truth.cards if card.corners_px and overlap(card.corners_px, lies) > 0.5]
                try:
                    if same and same[0].code not in learnt:
                        school.label(view.name, same[0].code)
                        learnt.add(same[0].code)
                        continue
                except TeachingError as error:
                    refused.append(str(error))
                school.forget(view.name)
    return learnt, refused


class Pictured(NamedTuple):
    """A photograph of a table, and what is known about it."""

    frame: Frame
    truth: TruePicture
    rig: Rig
    labels: Image
    """For every pixel what is seen there: 0 the table, 1… the cards in their order, `HAND`, `COVER`."""


def pictured(scene: Scene, rng: np.random.Generator, telling: Telling | None) -> Pictured:
    """Photograph a table; `telling` decides which cards can be read."""
    canvas = lay_ground(scene)
    lay_cards(canvas, scene, scene.cards, first=0)
    for thing in scene.clutter:
        lay_thing(canvas, scene.camera, scene.light, thing, COVER)
    for thing in scene.hands:
        lay_thing(canvas, scene.camera, scene.light, thing, HAND)
    frame = Frame(0, 0.0, expose(canvas, scene, rng))
    margin = scene.camera.margin_px
    labels = np.ascontiguousarray(canvas.labels[margin:-margin, margin:-margin])
    cards = []
    for place, truth in enumerate(truths(canvas, scene), 1):
        a, b, c, d = ((float(x), float(y)) for x, y in truth.corners_px)
        up, code = truth.card.face_up, truth.card.code
        own, hidden = _seen(labels, scene, place, truth.card.thing)
        readable = up and hidden < 0.002 and (telling is None or telling.readable(code, own))
        cards.append(TrueCard(code if up else FOREIGN, up, (a, b, c, d), visible=truth.visible, readable=readable))
    camera = scene.camera
    size_px = (camera.width_px, camera.height_px)
    rig = known_rig(size_px, camera.matrix, camera.distortion, camera.homography, TABLE_MM)
    return Pictured(frame, TruePicture(NAME, tuple(cards)), rig, labels)


def telling_of(cards: MixedCards) -> Telling:
    """Decides by the cards of the deck which cards can be read: strangers too must show that they are none of them."""
    faces = {**cards.faces(), **cards.strangers()}
    pixels = {code: np.ascontiguousarray(face.pixels[:, :, :3]) for code, face in faces.items()}
    return Telling(pixels.__getitem__, tuple(cards.faces()))


def _seen(labels: Image, scene: Scene, place: int, thing: Thing) -> tuple[Image, float]:
    """The visibility map of a card, and the fraction hidden by a hand."""
    quad = scene.camera.project_straight(corners_mm(thing))
    own = cut((labels == place).astype(np.uint8) * 255, quad, MAP_PX, smooth=False)
    return own, float(np.mean(cut((labels == HAND).astype(np.uint8) * 255, quad, MAP_PX, smooth=False) > 127))


def _count(cards: tuple[Judged, ...], taught: set[str], total: Counted) -> None:
    for card in cards:
        truth = card.truth
        if not card.counts or not truth.face_up:
            continue
        if not truth.readable:
            total.strangers_alike += truth.code.startswith(STRANGE)
            continue
        if truth.code.startswith(STRANGE):
            rejected = card.seen is None or not card.seen.face_up or card.seen.code == FOREIGN
            total.stranger_readings += _reading(card, rejected)
            total.found_strangers += card.found
            total.found_rejected += rejected and card.found
            total.strangers += 1
            total.rejected += rejected
            if (truth.visible or 0) >= MIN_WHOLE_VISIBLE:
                total.whole_strangers += 1
                total.whole_rejected += rejected
            continue
        total.to_find += 1
        whole = card.found and (truth.visible or 0) >= MIN_WHOLE_VISIBLE
        if truth.code in taught:
            total.readings += _reading(card, card.exact)
            total.taught_readable += card.found
            total.taught_exact += card.exact
            total.taught_whole += whole
            total.taught_whole_exact += whole and card.exact
        else:
            total.stranger_readings += _reading(card, card.seen is not None and card.seen.code == FOREIGN)
        if card.found:
            total.found += 1
            total.readable += 1
            total.exact += card.exact
            total.whole += whole
            total.whole_exact += whole and card.exact


def _reading(card: Judged, right: bool) -> list[Reading]:
    """The probability of a card's reading, if it has one."""
    if card.seen is None or not card.seen.guesses:
        return []
    return [(card.seen.guesses[0].probability, right)]


def _before(cards: tuple[Judged, ...], total: Counted) -> None:
    readable = [card for card in cards if card.counts and card.truth.readable and card.seen is not None]
    total.before += len(readable)
    total.before_exact += sum(card.exact for card in readable)
    total.ours += sum(bool(card.seen and card.seen.code) for card in readable)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(whole, 1):.2f} %)"


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _error(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
