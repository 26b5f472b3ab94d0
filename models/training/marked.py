"""Training cards with marks: Lucky Box cards in play on simulated tables, cropped upright."""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.cards import own_deck
from models.crops import Image
from models.marks import CARD_PX, PLACES
from models.synth.marks import ghosted, marked, random_marker, strayed
from models.synth.scene import CARD_MM, CardSeen, Sprite, Thing
from models.synth.sprites import worn
from models.synth.stills import Cards, DeckCards, Recipe, Tables
from models.training.samples import make_sample

SIZES_PX = ((1280, 896), (1024, 717), (1536, 1075), (896, 627))
"""Picture sizes that show a table of 640 mm at 2, 1.6, 2.4 and 1.4 px/mm."""
SHARD = 60
"""Tables per file."""
COLUMNS, ROWS = 6, 3
"""Rough grid of card positions on a table."""


@dataclass(frozen=True, slots=True)
class CutOut:
    """Card crops with the marks on them."""

    pixels: Image
    seen: Image
    codes: NDArray[np.str_]
    truth: NDArray[np.bool_]
    """For every card and place, whether it is marked."""

    def __len__(self) -> int:
        return len(self.codes)


class MarkedCards(DeckCards):
    """Box cards in play: crossed, circled, wiped and smeared. Their codes include the marks, as 17 r1c2 b4."""

    def __init__(self, px_per_mm: float) -> None:
        super().__init__(own_deck("lucky_box"), px_per_mm, kind="box")

    def draw(self, rng: np.random.Generator) -> tuple[str, Sprite, Sprite]:
        code, face, back = super().draw(rng)
        words = _some_places(rng)
        marker, seed = random_marker(rng), int(rng.integers(1 << 31))
        if rng.random() < 0.5:
            face = ghosted(face, _some_places(rng), random_marker(rng), seed + 1)
        face = marked(face, words, marker, seed) if words else face
        if rng.random() < 0.4:
            face = strayed(face, marker, seed + 2)
        return " ".join([code, *words]), face, back


class MarkedTables(Tables):
    """Tables with only box cards in play: side by side, a few slightly overlapping."""

    def __init__(self, recipe: Recipe, seed: int) -> None:
        super().__init__(recipe, seed)
        self._boxes = MarkedCards(1.25 * recipe.size_px[0] / recipe.table_mm[0])

    def cards(self, number: int) -> DeckCards:
        return self._boxes

    def _laid(self, cards: Cards, rng: np.random.Generator) -> tuple[CardSeen, ...]:
        hard, table_mm = self._recipe.difficulty, np.array(self._recipe.table_mm)
        laid: list[CardSeen] = []
        for place in rng.permutation(COLUMNS * ROWS)[: int(rng.integers(8, 16))]:
            code, face, _ = cards.draw(rng)
            wear = max(0.0, float(rng.normal(0.1, 0.3))) * hard
            sprite = replace(worn(face, wear, rng), gloss=float(rng.uniform(0, 0.9)))
            share = (np.array([place % COLUMNS, place // COLUMNS]) + 0.5) / (COLUMNS, ROWS) - 0.5
            x_mm, y_mm = share * table_mm + rng.normal(0, 14, 2)
            turn_deg = (
                float(rng.uniform(0, 360)) if rng.random() < 0.4 else float(rng.choice((0, 180))) + rng.normal(0, 4)
            )
            curl_mm = max(0.0, float(rng.normal(0, 3))) * hard
            thing = Thing(sprite, float(x_mm), float(y_mm), turn_deg, len(laid) * CARD_MM, curl_mm=curl_mm)
            laid.append(CardSeen(len(laid), code, True, thing))
        return tuple(laid)


def gathered(folder: Path, seed: int, number: int, held_out: bool = False) -> CutOut:
    """One file of cards, made if it is missing."""
    path = folder / f"marks-{'held-out' if held_out else 'seen'}-{seed}-{number:03d}.npz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        cards = make_cards(seed * 100_003 + number, SHARD, SIZES_PX[number % len(SIZES_PX)], held_out)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, pixels=cards.pixels, seen=cards.seen, codes=cards.codes, truth=cards.truth)
        part.rename(path)
        print(f"gathered {len(cards)} cards: {path}", flush=True)
    with np.load(path) as file:
        return CutOut(file["pixels"], file["seen"], file["codes"], file["truth"])


def make_cards(
    seed: int, tables: int, size_px: tuple[int, int], held_out: bool = False, difficulty: float = 0.75
) -> CutOut:
    """Upright card crops from `tables` tables."""
    maker = MarkedTables(Recipe(size_px, difficulty, held_out, bent=False), seed)
    samples = (make_sample(maker, seed, number, COLUMNS * ROWS) for number in range(tables))
    crops = [crop for sample in samples if sample is not None for crop in sample.crops if crop.code]
    words = [crop.code.split() for crop in crops]
    return CutOut(
        np.stack([cv2.resize(_upright(crop.pixels, crop.turned), CARD_PX) for crop in crops]),
        np.stack([_upright(crop.seen, crop.turned) for crop in crops]),
        np.array([code for code, *_ in words]),
        np.array([[place in marks for place in PLACES] for _, *marks in words]),
    )


def joined(parts: list[CutOut]) -> CutOut:
    """Concatenate several sets of cards."""
    return CutOut(
        np.concatenate([part.pixels for part in parts]),
        np.concatenate([part.seen for part in parts]),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.truth for part in parts]),
    )


def _some_places(rng: np.random.Generator) -> list[str]:
    """Random places to mark: none, a few, or nearly all."""
    share = float(rng.choice((0.0, 1.0), p=(0.85, 0.15))) if rng.random() < 0.1 else float(rng.uniform(0, 0.9))
    return [place for place in PLACES if rng.random() < share]


def _upright(picture: Image, turned: bool) -> Image:
    return np.ascontiguousarray(picture[::-1, ::-1]) if turned else picture
