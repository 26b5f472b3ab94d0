"""The reader: which card of a deck a crop shows, and which way up, by comparing its features with every face."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
from vision.look.matcher import KnownViews, Matcher
from vision.look.network import ModelError, load_network
from vision.look.tuning import (
    FIRST_COMPARED_SIDES,
    FOREIGN_OFFSET,
    FOREIGN_WEIGHT,
    HIDDEN_READER_WEIGHT,
    MATCHER_WEIGHT,
    MAX_COMPARED_SIDES,
    MAX_COMPARED_VIEWS,
    MIN_COMPARED_PROBABILITY,
    MIN_FOREIGN_PROBABILITY,
    OVEREXPOSURE_GAIN,
    OWN_DECK_SHARPENING,
    READER_WEIGHT,
    SIDE_PROBABILITY_FLOOR,
)
from vision.table import FOREIGN, Guess

REFINEMENTS = "practice.npz"
"""File, beside the network, with what training added to the features of Krupier's own decks."""
MATCHER_STEM, MATCHER_HEAD = "matcher-stem.onnx", "matcher.onnx"
"""Files, beside the network, of the matcher."""
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
    way_probability: float = 1.0
    """Probability of this way up, if the best guess is right: half for a face that looks the same upside down."""


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
    refined: bool = False
    """Whether training refined the features, as it did for Krupier's own decks."""
    views: KnownViews | None = None
    """Every picture of a face and then every back, all upright, as the matcher knows them; None if refined."""
    back_count: int = 0
    """Number of known backs."""
    keypoints: KeypointIndex | None = None
    """The keypoints of all sides, if they were indexed."""
    squares: Features = field(init=False, repr=False)
    """Squared norm of each side's features in every cell, computed once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "squares", squares_of(self.features))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Crops compared one by one with the sides of a taught deck that the reader finds likeliest."""

    side_count: int
    """Number of sides of the deck: every picture of a face, then every back, each upright and upside down."""
    crop_indices: NDArray[np.int64]
    """For every pair the index of the crop."""
    sides: NDArray[np.int64]
    """For every pair the index of the side."""
    log_odds: NDArray[np.float32]
    """For every pair the matcher's log odds against a card that is not in the deck."""
    side_log_probabilities: NDArray[np.float32]
    """For every pair the reader's log probability of the side."""
    foreign_log_probabilities: NDArray[np.float32]
    """For every crop the reader's log probability of a card that is not in the deck."""
    hidden: NDArray[np.float32]
    """For every crop the hidden fraction of the card."""

    def joined(self, further: "Comparison") -> "Comparison":
        """This comparison with further pairs of the same crops."""
        return replace(
            self,
            crop_indices=np.concatenate([self.crop_indices, further.crop_indices]),
            sides=np.concatenate([self.sides, further.sides]),
            log_odds=np.concatenate([self.log_odds, further.log_odds]),
            side_log_probabilities=np.concatenate([self.side_log_probabilities, further.side_log_probabilities]),
        )


def taught_probabilities(compared: Comparison) -> Features:
    """For every crop the probability of each side of a taught deck, and last that of none of them."""
    logits = np.full((len(compared.foreign_log_probabilities), compared.side_count + 1), -np.inf)
    reader_weights = READER_WEIGHT + HIDDEN_READER_WEIGHT * compared.hidden[compared.crop_indices]
    logits[compared.crop_indices, compared.sides] = (
        MATCHER_WEIGHT * compared.log_odds + reader_weights * compared.side_log_probabilities
    )
    logits[:, -1] = FOREIGN_OFFSET + FOREIGN_WEIGHT * compared.foreign_log_probabilities
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(shares / shares.sum(1, keepdims=True), np.float32)


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
        self._matcher = Matcher(weights.with_name(MATCHER_STEM), weights.with_name(MATCHER_HEAD), threads)
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
            refined=refined,
            views=None if refined else self._views(faces, fronts),
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
        if known.views is not None:
            probabilities = taught_probabilities(self._compare(probabilities, crops, visibility, known, known.views))
        return [_face_reading(row, known) for row in probabilities]

    def _views(self, faces: Faces, fronts: Sequence[Image]) -> KnownViews:
        """All pictures of a deck as the matcher knows them."""
        backs = [shrunk(picture, CROP_PX) for picture in faces.backs]
        return self._matcher.learn(np.stack([*fronts, *backs]))

    def compare(self, crops: Image, visibility: Image, known: KnownFaces) -> Comparison:
        """Compare crops with the likeliest sides of a taught deck."""
        if known.views is None:
            raise ValueError(f"{known.deck}: a refined deck; wanted a taught one, whose sides the matcher knows")
        features = self._features(crops, visibility)
        probabilities = self._agreement.probabilities(features, visibility, known.features, known.squares)
        return self._compare(probabilities, crops, visibility, known, known.views)

    def _compare(
        self, probabilities: Features, crops: Image, visibility: Image, known: KnownFaces, views: KnownViews
    ) -> Comparison:
        count, pictures = len(crops), len(views) - known.back_count
        front_count = 2 * pictures * known.exposures
        # The matcher knows every side in one exposure.
        fronts = probabilities[:, :front_count].reshape(count, known.exposures, 2 * pictures).sum(1)
        by_side = np.concatenate([fronts, probabilities[:, front_count:-1]], 1)
        likeliest = _likeliest_sides(by_side, known)[:, :MAX_COMPARED_SIDES]
        ranks = np.arange(likeliest.shape[1])
        likely = np.take_along_axis(by_side, likeliest, 1) >= MIN_COMPARED_PROBABILITY
        first = (ranks < FIRST_COMPARED_SIDES) & (likely | (ranks < 2))
        compared = self._compare_sides(probabilities, by_side, crops, visibility, views, likeliest, first)
        # Before a card is called foreign, further sides are compared.
        foreign = taught_probabilities(compared)[:, -1] > MIN_FOREIGN_PROBABILITY
        more = foreign[:, None] & ~first
        if not more.any():
            return compared
        further = self._compare_sides(probabilities, by_side, crops, visibility, views, likeliest, more)
        return compared.joined(further)

    def _compare_sides(
        self,
        probabilities: Features,
        by_side: Features,
        crops: Image,
        visibility: Image,
        views: KnownViews,
        likeliest: NDArray[np.int64],
        chosen: NDArray[np.bool_],
    ) -> Comparison:
        """Compare every crop with the chosen ones of its likeliest sides."""
        crop_indices, ranks = np.nonzero(chosen)
        sides = likeliest[crop_indices, ranks]
        pairs = np.stack([crop_indices, sides // 2, sides % 2], 1)
        return Comparison(
            by_side.shape[1],
            crop_indices,
            sides,
            self._matcher.log_odds(crops, visibility, views, pairs),
            np.log(by_side[crop_indices, sides] + SIDE_PROBABILITY_FLOOR),
            np.log(probabilities[:, -1] + SIDE_PROBABILITY_FLOOR),
            np.mean(visibility == 0, axis=(1, 2), dtype=np.float32),
        )

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


def _likeliest_sides(by_side: Features, known: KnownFaces) -> NDArray[np.int64]:
    """For every crop the sides of a taught deck, the likeliest first; further views of the same card come last."""
    order = np.argsort(-by_side, axis=1, kind="stable")
    if not known.picture_codes:
        return order
    backs = np.arange(known.back_count) + len(known.codes)
    cards = np.append(np.array(known.picture_codes), backs)[order // 2] * 2 + order % 2
    # The rank of every view among the views of its card in the same orientation.
    grouped = np.argsort(cards, axis=1, kind="stable")
    in_groups = np.take_along_axis(cards, grouped, 1)
    places = np.arange(order.shape[1])
    starts = np.where(np.diff(in_groups, axis=1, prepend=-1) != 0, places, 0)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, grouped, places - np.maximum.accumulate(starts, axis=1), 1)
    return np.take_along_axis(order, np.argsort(ranks >= MAX_COMPARED_VIEWS, axis=1, kind="stable"), 1)


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
    # The matcher has merged the exposures of a face already.
    exposures = 1 if known.views is not None else known.exposures
    front_count = 2 * pictures * exposures
    by_way = probabilities[:front_count].reshape(exposures, pictures, 2).sum(0)
    back, foreign = float(probabilities[front_count:-1].sum()), float(probabilities[-1])
    if known.picture_codes:
        # Several pictures do not make a card likelier: the best one counts.
        best_of = np.zeros((len(codes), 2), by_way.dtype)
        np.maximum.at(best_of, np.array(known.picture_codes), by_way)
        by_way = best_of
        total = float(by_way.sum()) + back + foreign
        by_way, back, foreign = by_way / total, back / total, foreign / total
    by_code = np.append(by_way.sum(1), foreign)
    best = np.argsort(-by_code)[:MAX_GUESSES]
    guesses = tuple(Guess(codes[i] if i < len(codes) else FOREIGN, float(by_code[i])) for i in best)
    best_face = int(best[0]) if best[0] < len(codes) else int(by_way.sum(1).argmax())
    upright, turned = by_way[best_face].tolist()
    way_probability = max(upright, turned) / max(upright + turned, 1e-12)
    return FaceReading(guesses, turned > upright, back, way_probability)
