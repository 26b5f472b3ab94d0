"""Sample generation: simulated tables, made once, stored in files and reused in many training rounds."""

from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from models.cards import Deck, own_deck, own_decks
from models.crops import Image
from models.faces import drawn_faces, shrunk
from models.synth.foreign.cards import ForeignCards
from models.synth.scene import Sprite
from models.synth.stills import DeckCards, Recipe, StyleCards, Tables
from models.training.samples import CUT_PX, Sample, make_sample

BACK = "back "
"""Prefix of the names of backs."""
SHARD = 96
"""Tables per file."""
SIZES_PX = ((1280, 896), (1024, 717), (1536, 1075))
"""Picture sizes that show a table of 640 mm at 2, 1.6 and 2.4 px/mm."""


@dataclass(frozen=True, slots=True)
class Order:
    """Which samples to make, and where to store them."""

    folder: Path
    seed: int
    shards: int
    difficulty: float = 0.75
    style_share: float = 0.45
    wild: bool = True
    groups: tuple[int, int] = (1, 5)
    foreign_share: float = 0.0
    floors: bool = False


def gather(order: Order, workers: int = 2) -> None:
    """Make the missing files."""
    order.folder.mkdir(parents=True, exist_ok=True)
    wanted = [number for number in range(order.shards) if not shard_path(order.folder, number).exists()]
    with get_context("spawn").Pool(workers) as pool:
        for number in pool.imap_unordered(partial(_make_shard, order), wanted):
            print(f"gathered {shard_path(order.folder, number)}", flush=True)


def shard_path(folder: Path, number: int) -> Path:
    """The file of one shard."""
    return folder / f"tables-{number:04d}.npz"


def template(sprite: Sprite) -> Image:
    """A face at the size of the stored cards, for comparison by the reader."""
    return shrunk(np.ascontiguousarray(sprite.pixels[:, :, :3]), CUT_PX)


def deck_templates(deck: Deck) -> dict[str, Image]:
    """Every face of one of our own decks, then its backs, at the size of the stored cards."""
    faces = drawn_faces(deck)
    backs = {f"{BACK}{number}": shrunk(picture, CUT_PX) for number, picture in enumerate(faces.backs)}
    return {code: shrunk(picture, CUT_PX) for code, picture in faces.pictures} | backs


def _make_shard(order: Order, number: int) -> int:
    cv2.setNumThreads(1)
    size = SIZES_PX[number % len(SIZES_PX)]
    recipe = Recipe(
        size,
        order.difficulty,
        wild=order.wild,
        bent=False,
        groups=order.groups,
        foreign_share=order.foreign_share,
        floors=order.floors,
    )
    seed = order.seed * 100_003 + number
    tables = Tables(recipe, seed, tuple(own_deck(game) for game in own_decks()), order.style_share)
    samples: list[tuple[str, Sample]] = []
    faces: dict[str, tuple[str, Image]] = {}
    for table in range(SHARD):
        sample = make_sample(tables, seed, table)
        if sample is None:
            continue
        cards = tables.cards(table)
        name = cards.deck.name if isinstance(cards, DeckCards) else f"style-{number}-{table // 8}"
        if isinstance(cards, StyleCards | ForeignCards):
            faces |= {f"{name} {code}": (name, template(face)) for code, face in cards.faces().items()}
        samples.append((name, sample))
    _write(shard_path(order.folder, number), samples, faces)
    return number


def _write(path: Path, samples: list[tuple[str, Sample]], faces: dict[str, tuple[str, Image]]) -> None:
    """Write pictures as concatenated high-quality JPEG, everything else as plain arrays."""
    views = [_packed(sample.view) for _, sample in samples]
    crops = [(name, index, crop) for index, (name, sample) in enumerate(samples) for crop in sample.crops]
    cut_out = [_packed(crop.pixels) for _, _, crop in crops]
    printed = [_packed(face) for _, face in faces.values()]
    part = path.with_suffix(".part.npz")
    np.savez(
        part,
        view_bytes=np.concatenate(views),
        view_sizes=np.array([len(data) for data in views]),
        labels=np.stack([sample.labels for _, sample in samples]),
        quads=np.concatenate([sample.quads for _, sample in samples]),
        face_up=np.concatenate([sample.face_up for _, sample in samples]),
        visible=np.concatenate([sample.visible for _, sample in samples]),
        counts=np.array([len(sample.quads) for _, sample in samples]),
        crop_bytes=np.concatenate(cut_out),
        crop_sizes=np.array([len(data) for data in cut_out]),
        crop_seen=np.stack([crop.seen for _, _, crop in crops]),
        crop_codes=np.array([crop.code for _, _, crop in crops]),
        crop_decks=np.array([name for name, _, _ in crops]),
        crop_turned=np.array([crop.turned for _, _, crop in crops]),
        crop_visible=np.array([crop.visible for _, _, crop in crops], np.float32),
        face_bytes=np.concatenate(printed) if printed else np.zeros(0, np.uint8),
        face_sizes=np.array([len(data) for data in printed], int),
        face_codes=np.array([key.split(" ", 1)[1] for key in faces], np.str_),
        face_decks=np.array([name for name, _ in faces.values()], np.str_),
    )
    part.rename(path)


def _packed(pixels: Image) -> Image:
    good, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])
    if not good:
        raise ValueError("a picture could not be packed as JPEG")
    return np.asarray(data, np.uint8).ravel()
