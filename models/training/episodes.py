"""Training episodes of the reader: the taught views of some cards of a deck, and crops that must be read by them."""

from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.queues import Queue

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import CROP_PX, Image
from models.synth.foreign.decks import FAMILIES, DeckArt, at_1_px_per_mm, indistinct, random_deck_art
from models.training.views import (
    CardView,
    CardViews,
    PhotoConditions,
    PrintedCard,
    mixed_card,
    outline_of,
    printed_card,
    random_camera_view,
)

FACES, QUERIES, STRANGERS = (30, 73), 72, (8, 21)
"""Range of the number of taught faces, number of crops, and range of the strangers among them; upper ends excluded."""
FAMILY_SHARES = {"playing": 0.2, "numbers": 0.2, "pictures": 0.18, "plain": 0.08, "words": 0.1, "styled": 0.24}
DECKS_AT_ONCE, EPISODES_PER_DECK = 4, 3
"""Decks that are kept for the next episodes, and the mean number of episodes with each."""
LOOK_ALIKE_SHARE = 0.7
"""Share of the taught faces that are chosen because they resemble one already chosen."""
HELD_BACK = (6, 13)
"""Range of the number of faces of a deck that are not taught, so that they are strangers."""
STRANGER_SHARES = {"same deck": 0.36, "mixed": 0.2, "same family": 0.27, "other family": 0.11, "back": 0.06}
"""Kinds of strangers; a mixed one has the middle, the corners or the ends of another face of the deck."""
MIX_TRIES, MIN_MIXED_LEVELS, MIN_MIXED_VALUES = 4, 40, 30
"""Attempts to mix two faces, and what tells the mixture from all faces of the deck: levels, and channel values."""
COVER_SHARES = (0.42, 0.33, 0.17, 0.08)
"""Share of crops under no, one, two and three other cards."""
TOUCHED_SHARE = 0.06
"""Share of crops with a hand or a thing on the card."""
MIN_VISIBLE, COVER_TRIES = 0.07, 4
"""Minimum visible fraction of a crop, and the number of attempts to cover a card so."""
TAUGHT_ERROR = 0.6
"""Crop errors of taught views relative to those in play: they lie alone and are looked at longer."""
EPISODES_AHEAD = 6
"""Episodes that are drawn before they are needed."""
_RIM = 4
"""Outermost millimetres, which do not tell a mixture: the corners of a card are round."""
FAR_DECK_FACES = 12
"""Number of faces that are drawn of a deck of strangers."""


@dataclass(frozen=True, slots=True)
class Episode:
    """Taught views of N faces, and M crops with their answers."""

    family: str
    taught: Image
    """N x 176 x 128 x 3, upright."""
    crops: Image
    """M x 176 x 128 x 3."""
    seen: Image
    """M x 44 x 32: 255 where the finder takes the card for visible."""
    face: NDArray[np.int64]
    """Index of the true face of each crop; -1 for a stranger."""
    turned: NDArray[np.bool_]
    visible: NDArray[np.float32]
    """Visible fraction of each crop."""
    alike: NDArray[np.bool_]
    """2N x 2N, each face upright and then turned: which cannot be told apart, such as 6 and 9 without a mark."""

    def right(self) -> NDArray[np.bool_]:
        """M x (2N + 1): the right answers of each crop; the last column means a stranger."""
        answers = np.zeros((len(self.face), len(self.alike) + 1), bool)
        known = self.face >= 0
        answers[known, :-1] = self.alike[2 * self.face[known] + self.turned[known]]
        answers[~known, -1] = True
        return answers


@dataclass(frozen=True, slots=True)
class StudiedDeck:
    """A deck ready for views, with the distances between its faces."""

    family: str
    cards: tuple[PrintedCard, ...]
    backs: tuple[PrintedCard, ...]
    distances: NDArray[np.float32]
    """Mean difference of each pair of faces, in levels."""
    small: Image
    """The faces at about one pixel per millimetre."""
    turned_alike: NDArray[np.bool_]
    """Which face upright (row) looks like which face upside down (column)."""


def studied(deck: DeckArt) -> StudiedDeck:
    """Prepare a deck for episodes."""
    width_mm = deck.size_mm[0]
    first = deck.faces[0].pixels
    alpha = outline_of((first.shape[1], first.shape[0]), deck.corner_mm * first.shape[1] / width_mm)
    small = np.stack([at_1_px_per_mm(face.pixels) for face in deck.faces])
    rows = np.stack([cv2.resize(face, (32, 44), interpolation=cv2.INTER_AREA).ravel() for face in small])
    distances = np.stack([np.abs(rows - row.astype(np.int16)).mean(1) for row in rows]).astype(np.float32)
    upside_down = np.ascontiguousarray(small[:, ::-1, ::-1])
    return StudiedDeck(
        deck.family,
        tuple(printed_card(face.pixels, alpha, width_mm) for face in deck.faces),
        tuple(printed_card(back, alpha, width_mm) for back in deck.backs),
        distances,
        small,
        np.stack([indistinct(upside_down, face) for face in small]),
    )


def episodes(rng: np.random.Generator) -> Iterator[Episode]:
    """Endless episodes, each with one of a few decks that are replaced by new ones all the time."""
    views = CardViews(rng)
    decks = [_new_deck(rng) for _ in range(DECKS_AT_ONCE)]
    while True:
        yield make_episode(rng, views, decks[int(rng.integers(len(decks)))])
        if rng.random() < 1 / EPISODES_PER_DECK:
            decks[int(rng.integers(len(decks)))] = _new_deck(rng)


def episodes_in_process(seed: int) -> Iterator[Episode]:
    """The same from another process, which draws while the network learns; every episode comes twice."""
    # A forked process would inherit threads of OpenCV that do not run in it.
    context = get_context("spawn")
    queue: Queue[Episode] = context.Queue(EPISODES_AHEAD)
    context.Process(target=_fill, args=(queue, seed), daemon=True).start()
    while True:
        episode = queue.get()
        yield episode
        yield episode


def _fill(queue: "Queue[Episode]", seed: int) -> None:
    cv2.setNumThreads(1)
    for episode in episodes(np.random.default_rng(seed)):
        queue.put(episode)


def make_episode(rng: np.random.Generator, views: CardViews, deck: StudiedDeck) -> Episode:
    """One episode with some faces of a deck."""
    chosen, held_back = _chosen(rng, deck)
    taught = _teach(rng, views, [deck.cards[index] for index in chosen])
    strangers = _strangers(rng, deck, held_back, int(rng.integers(*STRANGERS)))
    known = rng.integers(0, len(chosen), QUERIES - len(strangers))
    cards = [deck.cards[chosen[index]] for index in known] + strangers
    cameras = [random_camera_view(rng, float(rng.uniform(0.15, 1))) for _ in range(int(rng.integers(2, 9)))]
    turned = rng.random(QUERIES) < 0.5
    above = (*deck.cards, *deck.backs)
    shots = [
        _query(rng, views, card, cameras[int(rng.integers(len(cameras)))], bool(turn), above)
        for card, turn in zip(cards, turned, strict=True)
    ]
    return Episode(
        deck.family,
        taught,
        np.stack([shot.pixels for shot in shots]),
        np.stack([shot.seen for shot in shots]),
        np.concatenate([known, np.full(len(strangers), -1)]).astype(np.int64),
        turned,
        np.array([shot.visible for shot in shots], np.float32),
        _alike(deck, chosen),
    )


def _new_deck(rng: np.random.Generator, family: str | None = None, most: int | None = None) -> StudiedDeck:
    """A new deck, by default of a random family; decks in which nearly all cards look the same are drawn again."""
    while True:
        name = family or str(rng.choice(list(FAMILIES), p=[FAMILY_SHARES[name] for name in FAMILIES]))
        deck = random_deck_art(rng, name, most)
        if len(deck.faces) >= min(most or FACES[0], 20):
            return studied(deck)
        if most is not None and len(deck.faces) >= most // 2:
            return studied(deck)


def _chosen(rng: np.random.Generator, deck: StudiedDeck) -> tuple[list[int], list[int]]:
    """The faces to teach, look-alikes together, and those to hold back, each the nearest to a taught one."""
    count = len(deck.cards)
    back = min(int(rng.integers(*HELD_BACK)), count // 4)
    wanted = min(int(rng.integers(*FACES)), count - back)
    chosen = [int(rng.integers(count))]
    nearest = deck.distances[chosen[0]].copy()
    left = np.ones(count, bool)
    left[chosen[0]] = False
    while len(chosen) < wanted:
        open_ones = np.flatnonzero(left)
        close = rng.random() < LOOK_ALIKE_SHARE
        following = int(open_ones[nearest[open_ones].argmin()] if close else rng.choice(open_ones))
        chosen.append(following)
        left[following] = False
        nearest = np.minimum(nearest, deck.distances[following])
    # A face that is another one upside down would not be a stranger.
    strange = left & ~deck.turned_alike[chosen].any(0) & ~deck.turned_alike[:, chosen].any(1)
    rest = np.flatnonzero(strange)
    return chosen, [int(index) for index in rest[np.argsort(nearest[rest])][:back]]


def _teach(rng: np.random.Generator, views: CardViews, cards: list[PrintedCard]) -> Image:
    """One view of each card, taken in one or a few photographs; most often in good light."""
    cameras = []
    for _ in range(1 if rng.random() < 0.5 else int(rng.integers(2, 6))):
        hardness = float(rng.uniform(0.05, 0.4) if rng.random() < 0.85 else rng.uniform(0.4, 0.8))
        camera = random_camera_view(rng, hardness)
        cameras.append(camera if camera.px_per_mm > 1.6 else random_camera_view(rng, 0.1))
    taken = np.empty((len(cards), CROP_PX[1], CROP_PX[0], 3), np.uint8)
    for place, card in enumerate(cards):
        camera = cameras[int(rng.integers(len(cameras)))]
        taken[place] = views.take(rng, card, camera, error=TAUGHT_ERROR).pixels
    return taken


def _query(
    rng: np.random.Generator,
    views: CardViews,
    card: PrintedCard,
    camera: PhotoConditions,
    turned: bool,
    above: tuple[PrintedCard, ...],
) -> CardView:
    count = int(rng.choice(len(COVER_SHARES), p=COVER_SHARES))
    touched = bool(rng.random() < TOUCHED_SHARE)
    for _ in range(COVER_TRIES):
        covers = tuple(above[int(rng.integers(len(above)))] for _ in range(count))
        view = views.take(rng, card, camera, turned, covers, touched)
        if view.visible >= MIN_VISIBLE:
            return view
    return views.take(rng, card, camera, turned)


def _strangers(rng: np.random.Generator, deck: StudiedDeck, held_back: list[int], count: int) -> list[PrintedCard]:
    kinds = list(rng.choice(list(STRANGER_SHARES), count, p=list(STRANGER_SHARES.values())))
    found: list[PrintedCard] = []
    near = _new_deck(rng, deck.family, FAR_DECK_FACES) if {"same family", "mixed"} & {*kinds} or not held_back else deck
    others = [name for name in FAMILIES if name != deck.family]
    far = _new_deck(rng, str(rng.choice(others)), FAR_DECK_FACES) if "other family" in kinds else deck
    for kind in kinds:
        if kind == "same deck" and held_back:
            found.append(deck.cards[held_back[int(rng.integers(len(held_back)))]])
        elif kind == "back":
            found.append(deck.backs[int(rng.integers(len(deck.backs)))])
        elif kind == "mixed" and (mixture := _mixture(rng, deck)) is not None:
            found.append(mixture)
        else:
            source = far if kind == "other family" else near
            found.append(source.cards[int(rng.integers(len(source.cards)))])
    return found


def _mixture(rng: np.random.Generator, deck: StudiedDeck) -> PrintedCard | None:
    """A card that shows parts of two faces and is none of the deck; None if none was found."""
    for _ in range(MIX_TRIES):
        one, other = rng.permutation(len(deck.cards))[:2]
        mixed = mixed_card(deck.cards[one], deck.cards[other], _mixing_mask(rng))
        small = at_1_px_per_mm(np.ascontiguousarray(mixed.levels[0][:, :, :3]))
        both = np.concatenate([deck.small, deck.small[:, ::-1, ::-1]])
        differs = np.abs(both.astype(np.int16) - small) > MIN_MIXED_LEVELS
        if differs[:, _RIM:-_RIM, _RIM:-_RIM].sum((1, 2, 3)).min() >= MIN_MIXED_VALUES:
            return mixed
    return None


def _mixing_mask(rng: np.random.Generator) -> Image:
    """Where a mixture shows the second face: its middle, two opposite corners, or both ends."""
    width, height = CROP_PX
    mask = np.zeros((height, width), np.uint8)
    kind = rng.random()
    if kind < 0.5:
        x, y = (int(side * rng.uniform(0.12, 0.28)) for side in (width, height))
        mask[y : height - y, x : width - x] = 255
        return mask
    wide = int(width * rng.uniform(0.2, 0.45)) if kind < 0.8 else width
    mask[: int(height * rng.uniform(0.15, 0.3)), :wide] = 255
    return np.asarray(mask | mask[::-1, ::-1], np.uint8)


def _alike(deck: StudiedDeck, chosen: list[int]) -> NDArray[np.bool_]:
    count = len(chosen)
    alike = np.zeros((count, 2, count, 2), bool)
    alike[:, 0, :, 0] = alike[:, 1, :, 1] = np.eye(count, dtype=bool)
    turned = deck.turned_alike[np.ix_(chosen, chosen)]
    alike[:, 0, :, 1], alike[:, 1, :, 0] = turned, turned.T
    return alike.reshape(2 * count, 2 * count)
