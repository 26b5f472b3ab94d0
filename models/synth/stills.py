"""Stills: random tables with ground truth for training and evaluation, with our own decks or random styles."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from models.cards import Deck
from models.synth.arrangements import ARRANGEMENTS, CardSpot
from models.synth.camera import SynthCamera
from models.synth.clutter import MAKERS as CLUTTER
from models.synth.clutter import make_clutter
from models.synth.floors import floor_ground
from models.synth.foreign.cards import ForeignCards, random_foreign_cards
from models.synth.furniture import all_boards, all_pieces, marker_sprite
from models.synth.hands import LENGTH_MM, make_hand
from models.synth.materials import MAKERS as MATERIALS
from models.synth.materials import Ground, make_ground, photographed_grounds
from models.synth.mats import make_mat, make_screen
from models.synth.oddments import make_oddment
from models.synth.render import MAX_CARDS, RenderedPicture, render
from models.synth.rough import rough_ground
from models.synth.scene import CARD_MM, CardSeen, Light, Optics, Scene, Sprite, Thing
from models.synth.sprites import FaceSprites, worn
from models.synth.styles import HUES, Print, Style, random_style
from models.synth.wild import wild_ground

TABLE_MM = (640.0, 448.0)
GROUND_MM = (1100.0, 800.0)
HELD_OUT_MATERIALS = ("cloth", "stone")
"""Table tops reserved for evaluation; training never sees them."""
WILD, ROUGH, FLOORS, MATS, SCREENS, ODDMENTS = 24, 20, 24, 12, 4, 24
"""Numbers of wild grounds (as many as real materials), rough grounds, floors, mats, screens and oddments."""
FOREIGN_FACES = 14
"""Number of different cards of a foreign deck on a table."""
MAT_SHARE = 0.25
"""Fraction of the tables with wild grounds that have a playmat with card places."""
HELD_OUT_KELVIN = (3000.0, 3500.0)
"""Colour temperatures reserved for evaluation, which also uses all others."""


class Cards(Protocol):
    """Source of a table's cards: a printed deck or a random style."""

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        """Draw a card: its code, its face and its back."""


class DeckCards:
    """Cards of one of our own decks."""

    def __init__(self, deck: Deck, px_per_mm: float, kind: str | None = None) -> None:
        self._faces = FaceSprites(deck, px_per_mm)
        self._codes = [card.code for card in deck.cards if kind is None or card.kind == kind]
        self.deck = deck

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        code = self._codes[rng.integers(len(self._codes))]
        return code, self._faces.face(code), self._faces.back(code)


class StyleCards:
    """Cards of a random style; codes are number, colour, stars: 7-blue-1."""

    def __init__(self, style: Style, px_per_mm: float, rng: np.random.Generator) -> None:
        colours = [str(name) for name in rng.choice(list(HUES), int(rng.integers(3, 6)), replace=False)]
        signed, top = bool(rng.random() < 0.2), int(rng.choice((9, 12)))
        prints = [
            Print(int(rng.integers(0, top + 1)), str(rng.choice(colours)), int(rng.integers(0, 3)), signed)
            for _ in range(8)
        ]
        # Cards that differ in one feature only are the ones that get confused.
        for like in prints[:6]:
            other = (
                replace(like, number=int(rng.integers(0, top + 1))),
                replace(like, colour=str(rng.choice(colours))),
                replace(like, stars=int(rng.integers(0, 3))),
            )
            prints.append(other[int(rng.integers(3))])
        self._cards = [(f"{p.words}-{p.colour}-{p.stars}", style.face(p, px_per_mm)) for p in prints]
        self._back = style.back(px_per_mm)

    def faces(self) -> dict[str, Sprite]:
        """Every card by its code."""
        return dict(self._cards)

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        code, face = self._cards[rng.integers(len(self._cards))]
        return code, face, self._back


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of the tables to make."""

    size_px: tuple[int, int] = (640, 448)
    difficulty: float = 0.5
    """From 0 (flat light, everything still, plain table) to 1 (the worst of everything)."""
    held_out: bool = False
    """Use only fonts and layouts that training never sees."""
    textures: Path | None = None
    table_mm: tuple[float, float] = TABLE_MM
    wild: bool = False
    """Whether most tables have unrealistic patterns or rough textures, and some have mats."""
    printed: bool = True
    """Whether markers and the track may be on the tables."""
    bent: bool = True
    """Whether the lens distorts; pictures that are rectified anyway do not need it."""
    groups: tuple[int, int] = (1, 5)
    """Range of the number of stacks, fans, heaps and so on; the upper end is exclusive."""
    foreign_share: float = 0.0
    """Share of tables with a foreign deck; the others have one of our own decks or a random style."""
    floors: bool = False
    """Whether some tables are floors: parquet, tiles, rugs, printed pages."""


class Tables:
    """Makes tables; table `n` does not depend on the tables made before it."""

    def __init__(self, recipe: Recipe, seed: int, decks: tuple[Deck, ...] = (), style_share: float = 1.0) -> None:
        self._recipe, self._seed, self._style_share = recipe, seed, style_share if decks else 1.0
        self._px_per_mm = 1.25 * recipe.size_px[0] / recipe.table_mm[0]
        rng = np.random.default_rng((seed, 0))
        kept = [name for name in MATERIALS if (name in HELD_OUT_MATERIALS) is recipe.held_out]
        self._grounds = [make_ground(name, rng) for name in kept for _ in range(24 // len(kept))]
        if recipe.wild:
            self._grounds += [wild_ground(rng) for _ in range(WILD)]
        self._grounds += photographed_grounds(recipe.textures) if recipe.textures else []
        # Rough grounds are large, so each is made when a table first needs it.
        self._rough: dict[int, Ground] = {}
        self._grounds += [floor_ground(rng) for _ in range(FLOORS if recipe.floors else 0)]
        self._hands = [make_hand(rng) for _ in range(8)]
        self._clutter = [make_clutter(str(name), rng) for name in CLUTTER for _ in range(3)]
        self._clutter += all_pieces(2.0)
        self._prints = [marker_sprite(int(rng.integers(50))) for _ in range(4)]
        self._track = all_boards(1.5)[0]
        self._mats = [make_mat(rng) for _ in range(MATS if recipe.wild else 0)]
        self._clutter += [make_screen(rng) for _ in range(SCREENS if recipe.wild else 0)]
        self._clutter += [make_oddment(rng) for _ in range(ODDMENTS if recipe.wild else 0)]
        self._decks = [DeckCards(deck, self._px_per_mm) for deck in decks]
        self._styles: dict[int, StyleCards] = {}
        self._foreign: dict[int, ForeignCards] = {}

    def make(self, number: int) -> RenderedPicture:
        """Render table `number`."""
        rng = np.random.default_rng((self._seed, 1, number))
        return render(self.scene(number, rng), rng)

    def scene(self, number: int, rng: np.random.Generator) -> Scene:
        """The scene of table `number`."""
        hard = self._recipe.difficulty
        ground = self._ground(int(rng.integers(len(self._grounds) + (ROUGH if self._recipe.wild else 0))))
        cards = self._laid(self.cards(number), rng)
        # Unrealistic tables get more clutter.
        often = 3.0 if self._recipe.wild else 2.0
        clutter = tuple(self._dropped(rng) for _ in range(int(rng.poisson(often * hard))))
        hands = tuple(self._reaching(rng) for _ in range(int(rng.random() < 0.35 * hard)))
        return Scene(
            random_camera(self._recipe, rng),
            ground.pixels,
            GROUND_MM,
            ground.gloss,
            under=self._printed(rng),
            cards=cards,
            clutter=clutter,
            hands=hands,
            light=random_light(hard, rng, self._recipe.held_out),
            optics=random_optics(hard, self._recipe.size_px[0], rng),
        )

    def cards(self, number: int) -> Cards:
        """The deck of table `number`; eight neighbours share one, since drawing a deck costs as much as a table."""
        family = number // 8
        rng = np.random.default_rng((self._seed, 2, family))
        if self._recipe.foreign_share and rng.random() < self._recipe.foreign_share:
            if family not in self._foreign:
                self._foreign = {family: random_foreign_cards(rng, self._px_per_mm, FOREIGN_FACES)}
            return self._foreign[family]
        if self._decks and rng.random() >= self._style_share:
            return self._decks[rng.integers(len(self._decks))]
        if family not in self._styles:
            style = random_style(rng, self._recipe.held_out)
            self._styles = {family: StyleCards(style, self._px_per_mm, rng)}
        return self._styles[family]

    def material(self, scene: Scene) -> str:
        """Material of the table in one of these scenes."""
        every = (*self._grounds, *self._rough.values())
        return next((ground.name for ground in every if ground.pixels is scene.ground), "")

    def _ground(self, number: int) -> Ground:
        rough = number - len(self._grounds)
        if rough < 0:
            return self._grounds[number]
        if rough not in self._rough:
            self._rough[rough] = rough_ground(np.random.default_rng((self._seed, 3, rough)))
        return self._rough[rough]

    def _laid(self, cards: Cards, rng: np.random.Generator) -> tuple[CardSeen, ...]:
        hard = self._recipe.difficulty
        laid: list[CardSeen] = []
        for _ in range(int(rng.integers(*self._recipe.groups))):
            name = str(rng.choice(list(ARRANGEMENTS)))
            _, face, _ = cards.draw(rng)
            spots: list[CardSpot] = ARRANGEMENTS[name](rng, *face.size_mm, self._recipe.table_mm)
            down = rng.random() < (0.85 if name == "pile" else 0.15)
            wear = max(0.0, float(rng.normal(0.25, 0.3))) * hard
            for level, spot in enumerate(spots):
                code, face, back = cards.draw(rng)
                face_up = not down and rng.random() < 0.93
                sprite = worn(face if face_up else back, wear, rng) if wear > 0.15 else face if face_up else back
                sprite = replace(sprite, gloss=float(rng.uniform(0, 0.9)))
                curl = max(0.0, float(rng.normal(0, 3))) * hard
                thing = Thing(sprite, spot.x_mm, spot.y_mm, spot.turn_deg, level * CARD_MM, curl_mm=curl)
                laid.append(CardSeen(len(laid), code, face_up, thing))
        return tuple(laid[:MAX_CARDS])

    def _printed(self, rng: np.random.Generator) -> tuple[Thing, ...]:
        """Printed things of the rig or a game, under everything else."""
        if not self._recipe.printed:
            return ()
        width, height = self._recipe.table_mm
        things = []
        if self._mats and rng.random() < MAT_SHARE:
            mat = self._mats[rng.integers(len(self._mats))]
            turn = float(rng.choice((0, 90, 180, 270))) + float(rng.normal(0, 6))
            things.append(Thing(mat, rng.uniform(-0.15, 0.15) * width, rng.uniform(-0.15, 0.15) * height, turn))
        if rng.random() < 0.1 * self._recipe.difficulty:
            turn = float(rng.choice((0, 90))) + float(rng.normal(0, 3))
            things.append(Thing(self._track, rng.uniform(-0.2, 0.2) * width, rng.uniform(-0.3, 0.3) * height, turn))
        if rng.random() < 0.6 * self._recipe.difficulty:
            for sprite, (x, y) in zip(self._prints, ((-1, -1), (1, -1), (1, 1), (-1, 1)), strict=True):
                place = (x * rng.uniform(0.38, 0.48) * width, y * rng.uniform(0.38, 0.48) * height)
                things.append(Thing(sprite, *place, float(rng.normal(0, 8))))
        return tuple(things)

    def _dropped(self, rng: np.random.Generator) -> Thing:
        sprite = self._clutter[rng.integers(len(self._clutter))]
        width, height = self._recipe.table_mm
        return Thing(sprite, rng.uniform(-width, width) / 2, rng.uniform(-height, height) / 2, rng.uniform(0, 360))

    def _reaching(self, rng: np.random.Generator) -> Thing:
        """A hand from any side, its fingertips somewhere over the table."""
        turn = float(rng.uniform(0, 360))
        angle = np.deg2rad(turn)
        width, height = self._recipe.table_mm
        x, y = rng.uniform(-0.4, 0.4) * width, rng.uniform(-0.4, 0.4) * height
        # The sprite's middle is half a forearm behind the fingertips.
        back = LENGTH_MM / 2 - 40
        hand = self._hands[rng.integers(len(self._hands))]
        return Thing(hand, x - np.sin(angle) * back, y + np.cos(angle) * back, turn, float(rng.uniform(5, 60)))


def random_camera(recipe: Recipe, rng: np.random.Generator) -> SynthCamera:
    """A camera roughly above the middle of the table."""
    hard, (width, height) = recipe.difficulty, recipe.size_px
    focal = width * float(rng.uniform(0.7, 1.1))
    need = max(recipe.table_mm[0] / width, recipe.table_mm[1] / height) * float(rng.uniform(0.95, 1.12))
    lift = focal * need
    offset = rng.normal(0, 0.12 * hard, 2) * lift
    bend = float(rng.uniform(0, 0.24)) * hard * recipe.bent
    return SynthCamera(
        width,
        height,
        focal,
        (-bend, 0.2 * bend, 0.0, 0.0, 0.0),
        (float(offset[0]), float(offset[1]), lift),
        (float(rng.normal(0, 8)) * hard, float(rng.normal(0, 8)) * hard),
        float(rng.normal(0, 2)) * hard,
    )


def random_light(hard: float, rng: np.random.Generator, held_out: bool = False) -> Light:
    """A random lamp; held-out colours only if requested."""
    kelvin = float(rng.uniform(5200 - 2500 * hard, 5200 + 1300 * hard))
    if not held_out and HELD_OUT_KELVIN[0] < kelvin < HELD_OUT_KELVIN[1]:
        kelvin += HELD_OUT_KELVIN[1] - HELD_OUT_KELVIN[0]
    return Light(
        kelvin=kelvin,
        angle_deg=float(rng.uniform(0, 360)),
        slant=float(rng.uniform(0.2, 0.5 + 0.9 * hard)),
        softness=float(rng.uniform(0, 1)),
        falloff=float(rng.uniform(0, 0.6)) * hard,
        level=float(rng.uniform(1 - 0.5 * hard, 1.08)),
        glare=float(rng.uniform(0, 0.9)) * hard if rng.random() < 0.5 else 0.0,
        shade=float(rng.uniform(0, 0.6)) * hard if rng.random() < 0.4 else 0.0,
    )


def random_optics(hard: float, width_px: int, rng: np.random.Generator) -> Optics:
    """Random sharpness, grain and compression."""
    return Optics(
        defocus_px=float(rng.uniform(0, 1.1)) * hard * width_px / 640,
        motion_px=_shake(hard * width_px / 640, rng) if rng.random() < 0.25 * hard else (0.0, 0.0),
        noise=float(rng.uniform(0.5, 1.5 + 6 * hard)),
        vignette=float(rng.uniform(0, 0.5)) * hard,
        gamma=float(rng.uniform(1 - 0.25 * hard, 1 + 0.25 * hard)),
        jpeg=int(rng.integers(45, 96)) if rng.random() < 0.6 * hard else 0,
    )


def _shake(reach_px: float, rng: np.random.Generator) -> tuple[float, float]:
    """Motion blur of a bumped table or a swinging camera."""
    length, angle = float(rng.uniform(0.5, 3)) * reach_px, float(rng.uniform(0, np.pi))
    return length * float(np.cos(angle)), length * float(np.sin(angle))
