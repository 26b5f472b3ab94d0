"""Candidates: which card of a game a view may show, from our drawings, from its print and from similar views."""

from collections.abc import Mapping, Sequence

import numpy as np

from models.cards import own_deck, own_decks
from models.crops import CROP_PX, SEEN_PX, Image
from models.faces import drawn_faces, shrunk
from models.prints import prints_of
from models.taught import TaughtDeck, shortfall
from vision.look.networks import WEIGHTS, Networks
from vision.look.reader import FaceReading, KnownFaces
from vision.table import FOREIGN, Guess
from vision.unknown.guesses import guess_card
from vision.unknown.prints import PrintReader, load_prints
from vision.unknown.teaching import KnownView, differing_mm2, match_view
from vision.unknown.tuning import MIN_OTHER_MM2

MIN_DRAWN_PROBABILITY = 0.97
"""Minimum probability to recognise a card of our own print."""
MAX_CANDIDATES = 4
"""Maximum number of candidates in a question."""


class Candidates:
    """Suggests cards of one game; drawings and the print reader are loaded when they are first needed."""

    def __init__(self, game: str, sight: Networks) -> None:
        self._game, self._sight = game, sight
        self._own: tuple[KnownFaces, Mapping[str, Image]] | None = None
        self._prints: PrintReader | None = None

    def drawn(self, image: Image) -> tuple[str, bool]:
        """The code of a card of our own print, and whether it is upside down."""
        found = self._by_drawing(image)
        if found is None or self._own is None:
            return "", False
        best = found.guesses[0]
        if best.code == FOREIGN or best.probability < MIN_DRAWN_PROBABILITY:
            return "", False
        upright = image[::-1, ::-1] if found.turned else image
        if differing_mm2(self._own[1][best.code], upright) > MIN_OTHER_MM2:
            return "", False
        return best.code, found.turned

    def guesses(self, crop: Image, deck: TaughtDeck, known: Sequence[KnownView]) -> tuple[str, ...]:
        """Candidates for a view: by print, by our drawings, by similar views; missing cards come first."""
        named = [other for other in known if other.code]
        like = [
            guess.code for guess in match_view(crop, named, self._sight.reader).guesses[:2] if guess.probability > 0.1
        ]
        drawing = self._by_drawing(crop)
        drawn = [] if drawing is None else [guess.code for guess in drawing.guesses[:4] if guess.probability > 0.02]
        missing = set(shortfall(deck).missing)
        printed = [guess.code for guess in self._by_print(crop)[:3]]
        partners = [code for pair in deck.told_apart if set(like) & set(pair.codes) for code in pair.codes]
        every = [code for code in dict.fromkeys([*printed, *drawn, *like, *partners]) if code != FOREIGN]
        return tuple(sorted(every, key=lambda code: code not in missing)[:MAX_CANDIDATES])

    def _by_drawing(self, image: Image) -> FaceReading | None:
        """Read a card with our own drawings of this game."""
        if self._game not in own_decks():
            return None
        if self._own is None:
            faces = drawn_faces(own_deck(self._game))
            self._own = (self._sight.reader.learn(faces), dict(faces.pictures))
        everything = np.full((1, SEEN_PX[1], SEEN_PX[0]), 255, np.uint8)
        return self._sight.reader.read(shrunk(image, CROP_PX)[None], everything, self._own[0])[0]

    def _by_print(self, image: Image) -> tuple[Guess, ...]:
        """Candidates by number, colour and stars: good enough to suggest, not to trust."""
        if not prints_of(self._game):
            return ()
        if self._prints is None:
            self._prints = load_prints(WEIGHTS)
        return guess_card(self._game, self._prints.read(shrunk(image, CROP_PX)[None])[0])
