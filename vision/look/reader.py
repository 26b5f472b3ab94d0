"""The reader: which card of a deck a crop shows, and which way up, by comparing its features with every face."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.agreement import AgreementError, Features, read_agreement, squares_of
from models.cards import own_deck
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import Faces, shrunk
from vision.hypotheses.keypoints import KeypointIndex, build_index
from vision.look.network import ModelError, load_network
from vision.look.tuning import FOREIGN_FACTOR, OVEREXPOSURE_GAIN, OWN_DECK_SHARPENING
from vision.table import FOREIGN, Guess

REFINEMENTS = "practice.npz"
"""File, beside the network, with what training added to the features of Krupier's own decks."""
FEATURE_SHAPE = (24, 22, 16)
"""Shape of the features of a crop: channels, rows and columns of cells."""
MAX_GUESSES = 5
"""A reading lists at most this many guesses."""


@dataclass(frozen=True, slots=True)
class FaceReading:
    """Which side of a card a crop shows, with probabilities."""

    guesses: tuple[Guess, ...]
    """Faces of the deck, or `FOREIGN`; best first."""
    turned: bool
    """Whether the crop shows the best guess upside down."""
    back: float = 0.0
    """Probability that the crop shows the back of a card of this deck."""


@dataclass(frozen=True, slots=True)
class KnownFaces:
    """A deck as the reader knows it: the features of every side."""

    deck: str
    card_mm: tuple[float, float]
    codes: tuple[str, ...]
    features: Features
    """Of every face, then of every overexposed face, then of every back; each upright and upside down in turn."""
    clean_faces: dict[str, Image]
    """By code, the unmarked faces of the cards on which players draw, at the size of a crop."""
    exposures: int = 1
    """Number of exposures in which every face is known."""
    picture_codes: tuple[int, ...] = ()
    """For every picture of a face the index of its code; empty if there is one picture of each card."""
    foreign_factor: float = 1.0
    """Factor on the probability that a card is not of this deck."""
    refined: bool = False
    """Whether training refined the features, as it did for Krupier's own decks."""
    back_count: int = 0
    """Number of known backs."""
    keypoints: KeypointIndex | None = None
    """The keypoints of all sides, if they were indexed."""
    squares: Features = field(init=False, repr=False)
    """Squared norm of each side's features in every cell, computed once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "squares", squares_of(self.features))


class Reader:
    """The network that turns crops and faces into features, and compares them."""

    def __init__(self, weights: Path, threads: int = 2) -> None:
        (width, height), (columns, rows) = CROP_PX, SEEN_PX
        inputs = {"crops": (None, height, width, 3), "seen": (None, rows, columns)}
        self._network = load_network(weights, inputs, threads)
        metadata = self._network.metadata
        try:
            self._agreement = read_agreement(metadata.get("agreement", ""))
        except AgreementError as error:
            raise ModelError(f"{weights}: how it agrees with faces: {error}") from error
        self._refinements = _load_refinements(weights.with_name(REFINEMENTS), metadata.get("practice", ""))
        self.sha256 = hashlib.sha256(weights.read_bytes()).hexdigest()
        """Identifies the network: features of different networks cannot be compared."""

    def learn(self, faces: Faces) -> KnownFaces:
        """Compute what the reader needs to know of a deck; a card may have several pictures."""
        refined = faces.game in self._refinements
        # Training has shown refined decks in every light.
        gains = () if refined else (OVEREXPOSURE_GAIN,)
        codes = tuple(dict.fromkeys(code for code, _ in faces.pictures))
        index_of = {code: index for index, code in enumerate(codes)}
        several = len(codes) < len(faces.pictures)
        fronts = [shrunk(picture, CROP_PX) for _, picture in faces.pictures]
        # Of several pictures of a card that players draw on, the first is the one without marks.
        clean = {code: face for (code, _), face in reversed(list(zip(faces.pictures, fronts, strict=True)))}
        return KnownFaces(
            faces.deck,
            faces.card_mm,
            codes,
            self._deck_features(faces, fronts, gains),
            {code: face for code, face in clean.items() if code in faces.written_on},
            exposures=1 + len(gains),
            picture_codes=tuple(index_of[code] for code, _ in faces.pictures) if several else (),
            foreign_factor=1.0 if refined else FOREIGN_FACTOR,
            refined=refined,
            back_count=len(faces.backs),
            keypoints=build_index([*faces.pictures, *((FOREIGN, back) for back in faces.backs)], faces.card_mm),
        )

    def features(self, sides: Sequence[Image]) -> Features:
        """Features of pictures of the size of a crop, each upright and upside down in turn."""
        both_ways = np.stack([way for side in sides for way in (side, side[::-1, ::-1])])
        all_visible = np.full((len(both_ways), SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
        return self._features(both_ways, all_visible)

    def key(self, faces: Faces) -> str:
        """Cache key of a deck's features: changes with the network and with every picture of the deck."""
        digest = hashlib.sha256(f"{self.sha256} {OVEREXPOSURE_GAIN} {faces.game}".encode())
        for code, picture in (*faces.pictures, *(("", back) for back in faces.backs)):
            digest.update(f"{code} {picture.shape}".encode())
            digest.update(np.ascontiguousarray(picture).data)
        return digest.hexdigest()

    def read(self, crops: Image, visibility: Image, known: KnownFaces) -> list[FaceReading]:
        """Read crops; their visibility maps are 255 where the card itself is visible."""
        if not len(crops):
            return []
        features = self._features(crops, visibility)
        probabilities = self._agreement.probabilities(features, visibility, known.features, known.squares)
        return [_face_reading(row, known) for row in probabilities]

    def _features(self, crops: Image, visibility: Image) -> Features:
        (features,) = self._network.run_batched({"crops": crops, "seen": visibility})
        return features

    def _deck_features(self, faces: Faces, fronts: Sequence[Image], gains: Sequence[float]) -> Features:
        """Features of all sides of a deck: those that were kept from an earlier run, if they still hold."""
        kept = faces.learnt
        sides = 2 * ((1 + len(gains)) * len(fronts) + len(faces.backs))
        if kept is not None and kept.key == self.key(faces) and kept.features.shape == (sides, *FEATURE_SHAPE):
            return kept.features
        overexposed = [np.clip(face * np.float32(gain), 0, 255).astype(np.uint8) for gain in gains for face in fronts]
        backs = [shrunk(picture, CROP_PX) for picture in faces.backs]
        features = self.features([*fronts, *overexposed, *backs])
        return features + self._deck_refinements(faces) if faces.game in self._refinements else features

    def _deck_refinements(self, faces: Faces) -> Features:
        """What training added to the features of each side, upright and upside down."""
        added = self._refinements[faces.game]
        cards = own_deck(faces.game).cards
        index_of = {card.code: index for index, card in enumerate(cards)}
        indices = [index_of.get(code) for code, _ in faces.pictures]
        indices += [len(cards) + back for back in range(len(faces.backs))]
        nothing = np.zeros_like(added[0])
        rows = [nothing if index is None else added[2 * index + turned] for index in indices for turned in (0, 1)]
        return np.stack(rows).astype(np.float32)


def _load_refinements(path: Path, wanted: str) -> dict[str, Features]:
    """By game, what training added to the features of the deck's drawings."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}; it belongs to reader.onnx") from error
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise ModelError(f"{path}: its sha256 is {found}; reader.onnx wants {wanted}: another or a broken file")
    with np.load(BytesIO(data)) as parts:
        games = [name for name in parts.files if f"{name}-worth" in parts.files]
        return {game: parts[game] * parts[f"{game}-worth"][:, None, None, None] for game in games}


def _face_reading(probabilities: NDArray[Any], known: KnownFaces) -> FaceReading:
    """A reading from the probabilities of all known sides and, last, of a foreign card."""
    codes, pictures = known.codes, len(known.picture_codes) or len(known.codes)
    if known.refined:
        probabilities = probabilities**OWN_DECK_SHARPENING
        probabilities = probabilities / probabilities.sum()
    front_count = 2 * pictures * known.exposures
    # Every exposure of a face is the same face.
    by_way = probabilities[:front_count].reshape(known.exposures, pictures, 2).sum(0)
    back, foreign = float(probabilities[front_count:-1].sum()), float(probabilities[-1])
    if known.picture_codes:
        # Several pictures do not make a card likelier.
        picture_counts = np.bincount(known.picture_codes, minlength=len(codes))
        summed = [np.bincount(known.picture_codes, way, len(codes)) for way in by_way.T]
        by_way = np.stack(summed, 1) / picture_counts[:, None]
    if known.picture_codes or known.foreign_factor != 1.0:
        foreign *= known.foreign_factor
        total = float(by_way.sum()) + back + foreign
        by_way, back, foreign = by_way / total, back / total, foreign / total
    by_code = np.append(by_way.sum(1), foreign)
    best = np.argsort(-by_code)[:MAX_GUESSES]
    guesses = tuple(Guess(codes[i] if i < len(codes) else FOREIGN, float(by_code[i])) for i in best)
    best_face = int(best[0]) if best[0] < len(codes) else int(by_way.sum(1).argmax())
    return FaceReading(guesses, bool(by_way[best_face, 1] > by_way[best_face, 0]), back)
