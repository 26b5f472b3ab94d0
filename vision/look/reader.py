"""The reader: which card of a deck a crop shows, and which way up, by agreement with every face of the deck."""

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
from vision.hypotheses.keypoints import Memory, memorised
from vision.look.network import ModelError, load_network
from vision.table import FOREIGN, Guess

PRACTICE = "practice.npz"
FEATURES = (24, 22, 16)
"""Of a crop: how many numbers a cell has, and rows and columns of cells."""
_GUESSES = 5
BURNT_OUT = 1.8
"""In the sun a camera shows faces so much too bright that pale prints vanish; foreign ones are known so, too."""


PRACTISED = 1.25
"""A deck that it has practised the network reads better than it says: chances to this power, from simulated tables."""
STRANGER = 10.0
"""The network takes strangers too readily for cards of a deck that it has not practised; found on simulated styles."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a crop says."""

    guesses: tuple[Guess, ...]
    """Best first."""
    turned: bool
    """Whether the crop shows the best guess upside down."""
    back: float = 0.0
    """How likely it is the back of a card of this deck."""


@dataclass(frozen=True, slots=True)
class KnownFaces:
    """A deck as the reader remembers it."""

    deck: str
    card_mm: tuple[float, float]
    codes: tuple[str, ...]
    features: Features
    """Of every face, of every face in other light, and then of every back; each upright and upside down in turn."""
    clean: dict[str, Image]
    """The faces of cards on which players draw, at the size of a crop."""
    looks: int = 1
    """In how many lights every face is known."""
    views: tuple[int, ...] = ()
    """For every picture of a face which of the codes it shows; empty if there is one of each."""
    caution: float = 1.0
    """How many times likelier than the network says it is that a card is none of this deck."""
    practised: bool = False
    """Whether it is one of our own decks, which the network has practised."""
    backs: int = 0
    """How many backs are known."""
    memory: Memory | None = None
    """The landmarks of all sides, if they were memorised."""
    squares: Features = field(init=False, repr=False)
    """How much each face says in every cell: worked out once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "squares", squares_of(self.features))


class Reader:
    """The network that compares crops with faces."""

    def __init__(self, weights: Path, threads: int = 2) -> None:
        (width, height), (columns, rows) = CROP_PX, SEEN_PX
        wanted = {"crops": (None, height, width, 3), "seen": (None, rows, columns)}
        self._network = load_network(weights, wanted, threads)
        notes = self._network.notes
        try:
            self._agreement = read_agreement(notes.get("agreement", ""))
        except AgreementError as error:
            raise ModelError(f"{weights}: how it agrees with faces: {error}") from error
        self._practice = _practice(weights.with_name(PRACTICE), notes.get("practice", ""))
        self.sha256 = hashlib.sha256(weights.read_bytes()).hexdigest()
        """Which network it is: features of another one mean something else."""

    def learn(self, faces: Faces) -> KnownFaces:
        """Remember a deck by its faces; a card may be shown by several pictures."""
        practised = faces.game in self._practice
        # A deck that was practised has been seen in all lights.
        gains = () if practised else (BURNT_OUT,)
        codes = tuple(dict.fromkeys(code for code, _ in faces.pictures))
        places = {code: number for number, code in enumerate(codes)}
        views = tuple(places[code] for code, _ in faces.pictures) if len(codes) < len(faces.pictures) else ()
        fronts = [shrunk(picture, CROP_PX) for _, picture in faces.pictures]
        key = self.key(faces)
        sides = 2 * ((1 + len(gains)) * len(fronts) + len(faces.backs))
        if faces.learnt is not None and faces.learnt.key == key and faces.learnt.features.shape == (sides, *FEATURES):
            features = faces.learnt.features
        else:
            burnt = [np.clip(face * np.float32(gain), 0, 255).astype(np.uint8) for gain in gains for face in fronts]
            features = self.features(fronts + burnt + [shrunk(picture, CROP_PX) for picture in faces.backs])
            if practised:
                features = features + self._practised(faces)
        # Of several pictures of a card that players draw on the first is the one without a mark.
        clean = {code: face for (code, _), face in reversed(list(zip(faces.pictures, fronts, strict=True)))}
        clean = {code: face for code, face in clean.items() if code in faces.written_on}
        caution = 1.0 if practised else STRANGER
        looks, backs = 1 + len(gains), len(faces.backs)
        memory = memorised([*faces.pictures, *((FOREIGN, back) for back in faces.backs)], faces.card_mm)
        return KnownFaces(
            faces.deck, faces.card_mm, codes, features, clean, looks, views, caution, practised, backs, memory
        )

    def features(self, sides: Sequence[Image]) -> Features:
        """What the network makes of pictures of the size of a crop, each upright and upside down in turn."""
        both = np.stack([way for side in sides for way in (side, side[::-1, ::-1])])
        everything = np.full((len(both), SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
        return self._features(both, everything)

    def key(self, faces: Faces) -> str:
        """A word that changes with the network and with anything that it would learn of these faces."""
        digest = hashlib.sha256(f"{self.sha256} {BURNT_OUT} {faces.game}".encode())
        for code, picture in (*faces.pictures, *(("", back) for back in faces.backs)):
            digest.update(f"{code} {picture.shape}".encode())
            digest.update(np.ascontiguousarray(picture).data)
        return digest.hexdigest()

    def read(self, crops: Image, seen: Image, known: KnownFaces) -> list[Reading]:
        """What each crop shows; `seen` says where (255) the card itself is seen."""
        if not len(crops):
            return []
        chances = self._agreement.probabilities(self._features(crops, seen), seen, known.features, known.squares)
        return [_reading(row, known) for row in chances]

    def _features(self, crops: Image, seen: Image) -> Features:
        (features,) = self._network.run_each({"crops": crops, "seen": seen})
        return features

    def _practised(self, faces: Faces) -> Features:
        """What practice adds to the features of each face, upright and upside down."""
        added = self._practice[faces.game]
        cards = own_deck(faces.game).cards
        places = {card.code: number for number, card in enumerate(cards)}
        numbers = [places.get(code) for code, _ in faces.pictures]
        numbers += [len(cards) + number for number in range(len(faces.backs))]
        nothing = np.zeros_like(added[0])
        rows = [nothing if number is None else added[2 * number + turned] for number in numbers for turned in (0, 1)]
        return np.stack(rows).astype(np.float32)


def _practice(path: Path, wanted: str) -> dict[str, Features]:
    """What the reader learnt about our own decks beyond their drawings, by game."""
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


def _reading(chances: NDArray[Any], known: KnownFaces) -> Reading:
    codes, pictures = known.codes, len(known.views) or len(known.codes)
    if known.practised:
        chances = chances**PRACTISED
        chances = chances / chances.sum()
    fronts = 2 * pictures * known.looks
    # In any light it is the same face.
    ways = chances[:fronts].reshape(known.looks, pictures, 2).sum(0)
    back, foreign = float(chances[fronts:-1].sum()), float(chances[-1])
    if known.views:
        # A card that was shown more often is not more likely for that.
        times = np.bincount(known.views, minlength=len(codes))
        ways = np.stack([np.bincount(known.views, way, len(codes)) for way in ways.T], 1) / times[:, None]
    if known.views or known.caution != 1.0:
        foreign *= known.caution
        whole = float(ways.sum()) + back + foreign
        ways, back, foreign = ways / whole, back / whole, foreign / whole
    total = np.append(ways.sum(1), foreign)
    best = np.argsort(-total)[:_GUESSES]
    guesses = tuple(Guess(codes[i] if i < len(codes) else FOREIGN, float(total[i])) for i in best)
    first = int(best[0]) if best[0] < len(codes) else int(ways.sum(1).argmax())
    return Reading(guesses, bool(ways[first, 1] > ways[first, 0]), back)
