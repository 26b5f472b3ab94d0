"""Pictures of cards and pieces for the pages: Krupier's own drawings, or the views of a taught deck."""

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import models.art
from device.dashboard.caching import content_hash, entity_tag
from device.dashboard.refusals import Refusal, refusing
from device.dashboard.services.catalogue import faces
from device.dashboard.services.pictures import webp
from device.teaching.folder import VIEWS, find_deck, has_deck, load_index, read_view
from models.art.decks import art_of
from models.art.picture import draw_webp
from models.art.pieces import table_drawings
from models.cards import Deck, own_deck, own_decks
from models.codes import BACK
from models.faces import WRITTEN_ON
from models.marks import CELLS, PLACES, place_centre
from models.taught import TaughtDeck, View

CARD_WIDTHS_PX = (80, 120, 160, 240, 360)
"""Pictures of cards are made in few widths, so that many viewers share them."""
BOARD_WIDTHS_PX = (24, 36, 48, 72, 120, 480, 960, 1440)
"""The same for tokens, figures and boards."""
MAX_PICTURES = 2000
"""Pictures kept in memory; one takes 1 to 10 kB."""
TAUGHT_CORNER_MM = 3.0
"""Corner radius of the cards of a taught deck: views do not say theirs."""


@dataclass(frozen=True, slots=True)
class FacePicture:
    """A small picture as WebP, with its ETag."""

    data: bytes
    tag: str


class FacePictures:
    """Draws pictures when they are first asked for and keeps them; any thread may call."""

    def __init__(self, data: Callable[[], Path]) -> None:
        """`data` is the folder with the taught decks: a setting, which may change."""
        self._data = data
        self._lock = Lock()
        self._pictures: OrderedDict[tuple[object, ...], FacePicture] = OrderedDict()
        self._versions: dict[str, str] = {}

    def describe(self, deck: Deck, taught: str | None) -> dict[str, Any]:
        """What a page must know to show a deck: texts and sizes of its cards and pieces, and its version."""
        if taught is not None and has_deck(self._data(), taught):
            home = find_deck(self._data(), taught)
            index = load_index(home)
            width_mm, height_mm = index.card_mm or _drawn_size(deck)[:2]
            corner_mm = TAUGHT_CORNER_MM
            backs = [""] if index.of(BACK) else []
        else:
            width_mm, height_mm, corner_mm = _drawn_size(deck)
            backs = list(dict.fromkeys(card.kind for card in deck.cards))
        written_on = any(card.kind == WRITTEN_ON for card in deck.cards)
        return {
            "game": deck.game,
            "deck": taught,
            "version": self.version(deck.game, taught),
            "card": {"width_mm": width_mm, "height_mm": height_mm, "corner_mm": corner_mm},
            "faces": faces(deck),
            "backs": backs,
            "pieces": {
                name: {"width_mm": size.width_mm, "height_mm": size.height_mm, "corner_mm": size.corner_mm}
                for name, (_, size) in table_drawings(deck.game).items()
            },
            "marks": {word: _mark_json(word) for word in PLACES} if written_on else {},
        }

    def version(self, game: str, taught: str | None) -> str:
        """A hash that changes whenever a picture of the deck may have changed."""
        if taught is not None and has_deck(self._data(), taught):
            home = find_deck(self._data(), taught)
            return content_hash(json.dumps(_view_times(home, load_index(home))).encode())
        known = self._versions.get(game)
        if known is None:
            known = self._versions[game] = content_hash(_drawing_sources(game))
        return known

    def card(self, game: str, taught: str | None, code: str, kind: str, width_px: int) -> FacePicture:
        """The face of a card, or for the code `back` the back of a kind of cards; Refusal 404 if there is none."""
        width_px = fitting_width(width_px, CARD_WIDTHS_PX)
        if taught is not None:
            return self._view(taught, game, code, width_px)
        deck = _known_deck(game)
        art = art_of(game)
        cards = {card.code: card for card in deck.cards}
        if code == BACK:
            card = next((one for one in deck.cards if one.kind == kind or not kind), None)
            if card is None:
                raise Refusal(404, "no such kind of card", kind, list(dict.fromkeys(one.kind for one in deck.cards)))
            drawing = partial(art.draw_back, kind=card.kind)
        elif code in cards:
            card = cards[code]
            drawing = partial(art.draw_face, card=card)
        else:
            raise Refusal(404, "no such card in this deck", code, " ".join(cards))
        key = (game, code, card.kind, width_px)
        return self._kept(key, lambda: draw_webp(drawing, art.size_of(card), width_px))

    def piece(self, game: str, name: str, width_px: int) -> FacePicture:
        """A figure, a token or a board; Refusal 404 if the game has none of that name."""
        _known_deck(game)
        drawings = table_drawings(game)
        if name not in drawings:
            raise Refusal(404, "no such piece in this game", name, " ".join(drawings) or "a game with pieces")
        drawing, size = drawings[name]
        width_px = fitting_width(width_px, BOARD_WIDTHS_PX)
        return self._kept((game, name, width_px), lambda: draw_webp(drawing, size, width_px))

    def _view(self, taught: str, game: str, code: str, width_px: int) -> FacePicture:
        """The first view of a card of a taught deck."""
        if not has_deck(self._data(), taught):
            raise Refusal(404, "no such deck was taught", taught, "the name of a taught deck")
        with refusing():
            home = find_deck(self._data(), taught)
            index = load_index(home)
            views = index.of(code) if index.game == game else ()
            if not views:
                raise Refusal(404, "no such card in this deck", code, " ".join(index.codes))
            view = views[0]
            key = (taught, view.file, _changed_ns(home, view), width_px)
            return self._kept(key, lambda: webp(read_view(home, view), width_px))

    def _kept(self, key: tuple[object, ...], draw: Callable[[], bytes]) -> FacePicture:
        # A second caller waits for the first one's picture instead of drawing it again.
        with self._lock:
            picture = self._pictures.get(key)
            if picture is None:
                data = draw()
                picture = self._pictures[key] = FacePicture(data, entity_tag(data))
                while len(self._pictures) > MAX_PICTURES:
                    self._pictures.popitem(last=False)
            else:
                self._pictures.move_to_end(key)
        return picture


def fitting_width(width_px: int, widths_px: tuple[int, ...]) -> int:
    """The smallest of our widths that is not below the wanted one; else the largest."""
    return next((one for one in widths_px if one >= width_px), widths_px[-1])


def _known_deck(game: str) -> Deck:
    if game not in own_decks():
        raise Refusal(404, "no such game", game, list(own_decks()))
    return own_deck(game)


def _drawn_size(deck: Deck) -> tuple[float, float, float]:
    size = art_of(deck.game).size_of(deck.cards[0])
    return size.width_mm, size.height_mm, size.corner_mm


def _drawing_sources(game: str) -> bytes:
    """Everything that the look of a drawn deck depends on: its list of cards, and the code that draws it."""
    shared = sorted(path for folder in models.art.__path__ for path in Path(folder).glob("*.py"))
    own = getattr(art_of(game), "__file__", None)
    files = [*shared, *([Path(own)] if own else [])]
    return repr(own_deck(game)).encode() + b"".join(path.read_bytes() for path in files)


def _view_times(home: Path, index: TaughtDeck) -> list[tuple[str, str, int]]:
    return [(view.code, view.file, _changed_ns(home, view)) for view in index.views]


def _changed_ns(home: Path, view: View) -> int:
    try:
        return (home / VIEWS / view.file).stat().st_mtime_ns
    except OSError:
        # The file is gone; reading it will say so.
        return 0


def _mark_json(word: str) -> dict[str, Any]:
    """Where a mark goes on a card, in mm from its upper left corner: cells are crossed, bonuses circled."""
    x_mm, y_mm = place_centre(word)
    return {"x_mm": x_mm, "y_mm": y_mm, "shape": "cross" if word in CELLS else "circle"}
