"""Measures how well taught decks are read: held-out styles, taught from one simulated view of each card."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from calibration.frames import Frame
from calibration.rig import Rig
from device.eyes import EyeFactory
from device.lab.evaluation.score import Judged, overlap, score
from device.lab.evaluation.stills import known_rig
from device.lab.evaluation.telling import MAP_PX, Telling
from device.lab.evaluation.truth import TrueCard, TruePicture
from device.teaching.folder import TeachingError, load_taught
from device.teaching.school import taught_school
from models.codes import FREE
from models.crops import Image, cut
from models.synth.render import COVER, HAND, Canvas, corners_mm, expose, lay_cards, lay_ground, lay_thing, truths
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
_STRANGE = "strange "


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


class MixedCards(StyleCards):
    """Cards of one style, sometimes mixed with another style."""

    def __init__(self, own: StyleCards, others: StyleCards) -> None:
        self._mixed = (own, others)

    def faces(self) -> dict[str, Sprite]:
        """The cards to teach."""
        return self._mixed[0].faces()

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        own, others = self._mixed
        if rng.random() >= FOREIGN_SHARE:
            return own.draw(rng)
        code, face, back = others.draw(rng)
        return _STRANGE + code, face, back


class MixedTables(Tables):
    """Tables of one deck with foreign cards among them."""

    def __init__(self, recipe: Recipe, seed: int, cards: MixedCards) -> None:
        super().__init__(recipe, seed)
        self._mixed = cards

    def cards(self, number: int) -> MixedCards:
        """The same deck on every table."""
        return self._mixed


def measure_teaching(
    count: int, seed: int, difficulty: float, size_px: tuple[int, int], eye_factory: EyeFactory, held_out: bool = True
) -> Iterator[str]:
    """Teach decks, read `count` tables, and yield the results as lines of text."""
    total = Counted()
    for number in range(-(-count // TABLES_PER_DECK)):
        tables = min(TABLES_PER_DECK, count - number * TABLES_PER_DECK)
        yield from _deck((seed, number), tables, difficulty, size_px, eye_factory, held_out, total)
    styles = "held-out styles" if held_out else "styles"
    yield f"{total.decks} decks in {styles}, one view a card at difficulty {TEACHING_DIFFICULTY:g}"
    yield f"taught: {_share(total.taught, total.cards)} cards; the others were not found whole and sharp"
    yield f"before, by our own decks: {_share(total.before_exact, total.before)} exact, {total.ours} taken for ours"
    yield (
        f"after, at difficulty {difficulty:g}: {_share(total.exact, total.readable)} exact of the readable ones found; "
        + (f"{_share(total.whole_exact, total.whole)} of those seen at 70 % or more")
    )
    yield f"found: {total.found} cards; readable: at least 20 % seen and enough to tell it from all others"
    yield f"unknown cards rejected: {_share(total.rejected, total.strangers)} that were seen and readable; " + (
        f"{_share(total.whole_rejected, total.whole_strangers)} of those seen at 70 % or more"
    )


def _deck(
    seed: tuple[int, int],
    count: int,
    difficulty: float,
    size_px: tuple[int, int],
    eye_factory: EyeFactory,
    held_out: bool,
    total: Counted,
) -> Iterator[str]:
    rng = np.random.default_rng(seed)
    px_per_mm = 1.25 * size_px[0] / TABLE_MM[0]
    style = random_style(rng, held_out)
    while style.size.height_mm < 1.2 * style.size.width_mm:
        # Square cards have no long side, and none of our games has them.
        style = random_style(rng, held_out)
    other = replace(random_style(rng, held_out), size=style.size)
    cards = MixedCards(StyleCards(style, px_per_mm, rng), StyleCards(other, px_per_mm, rng))
    faces = {code: np.ascontiguousarray(face.pixels[:, :, :3]) for code, face in cards.faces().items()}
    telling = Telling(faces.__getitem__, tuple(faces))
    total.decks += 1
    total.cards += len(faces)
    with TemporaryDirectory() as folder:
        taught, refused = _teach(Path(folder), cards, rng, size_px, eye_factory, held_out)
        total.taught += taught
        yield from (f"deck {seed[1]}: {why}" for why in refused)
        if not taught:
            yield f"deck {seed[1]}: nothing could be taught"
            return
        known = load_taught(Path(folder), NAME)[1]
    tables = MixedTables(Recipe(size_px, difficulty, held_out=held_out), seed[0] * 64 + seed[1], cards)
    exact, readable = total.exact, total.readable
    for number in range(count):
        scene_rng = np.random.default_rng((*seed, 1, number))
        scene = tables.scene(number, scene_rng)
        frame, truth, rig = _picture(scene, scene_rng, telling)
        _count(score(eye_factory.open_eye(rig, None, replace(known, home=None)).look(frame), truth).cards, total)
        if number == 0:
            _before(score(eye_factory.open_eye(rig).look(frame), truth).cards, total)
    yield f"deck {seed[1]} ({style.font}, {style.middle}): {taught} of {len(faces)} taught, " + (
        f"{total.exact - exact} of {total.readable - readable} exact"
    )


def _teach(
    data: Path,
    cards: MixedCards,
    rng: np.random.Generator,
    size_px: tuple[int, int],
    eye_factory: EyeFactory,
    held_out: bool,
) -> tuple[int, list[str]]:
    """Lay out all cards, a few per table, and label them; returns the number of learnt cards and the refusals."""
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
        frame, truth, rig = _picture(scene, rng, None)
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
    return len(learnt), refused


def _picture(scene: Scene, rng: np.random.Generator, telling: Telling | None) -> tuple[Frame, TruePicture, Rig]:
    canvas = lay_ground(scene)
    lay_cards(canvas, scene, scene.cards, first=0)
    for thing in scene.clutter:
        lay_thing(canvas, scene.camera, scene.light, thing, COVER)
    for thing in scene.hands:
        lay_thing(canvas, scene.camera, scene.light, thing, HAND)
    frame = Frame(0, 0.0, expose(canvas, scene, rng))
    cards = []
    for place, truth in enumerate(truths(canvas, scene), 1):
        a, b, c, d = ((float(x), float(y)) for x, y in truth.corners_px)
        up, code = truth.card.face_up, truth.card.code
        own, hidden = _seen(canvas, scene, place, truth.card.thing)
        strange = code.startswith(_STRANGE)
        readable = up and hidden < 0.002 and (telling is None or strange or telling.readable(code, own))
        cards.append(TrueCard(code if up else FOREIGN, up, (a, b, c, d), visible=truth.visible, readable=readable))
    camera = scene.camera
    size_px = (camera.width_px, camera.height_px)
    rig = known_rig(size_px, camera.matrix, camera.distortion, camera.homography, TABLE_MM)
    return frame, TruePicture(NAME, tuple(cards)), rig


def _seen(canvas: Canvas, scene: Scene, place: int, thing: Thing) -> tuple[Image, float]:
    """The visibility map of a card, and the fraction hidden by a hand."""
    margin = scene.camera.margin_px
    inside = canvas.labels[margin:-margin, margin:-margin]
    quad = scene.camera.project_straight(corners_mm(thing))
    own = cut((inside == place).astype(np.uint8) * 255, quad, MAP_PX, smooth=False)
    return own, float(np.mean(cut((inside == HAND).astype(np.uint8) * 255, quad, MAP_PX, smooth=False) > 127))


def _count(cards: tuple[Judged, ...], total: Counted) -> None:
    for card in cards:
        truth = card.truth
        if not card.counts or not truth.face_up or not truth.readable:
            continue
        if truth.code.startswith(_STRANGE):
            rejected = card.seen is None or not card.seen.face_up or card.seen.code == FOREIGN
            total.strangers += 1
            total.rejected += rejected
            if (truth.visible or 0) >= MIN_WHOLE_VISIBLE:
                total.whole_strangers += 1
                total.whole_rejected += rejected
        elif card.found:
            total.found += 1
            total.readable += 1
            total.exact += card.exact
            if (truth.visible or 0) >= MIN_WHOLE_VISIBLE:
                total.whole += 1
                total.whole_exact += card.exact


def _before(cards: tuple[Judged, ...], total: Counted) -> None:
    readable = [card for card in cards if card.counts and card.truth.readable and card.seen is not None]
    total.before += len(readable)
    total.before_exact += sum(card.exact for card in readable)
    total.ours += sum(bool(card.seen and card.seen.code) for card in readable)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(whole, 1):.2f} %)"
