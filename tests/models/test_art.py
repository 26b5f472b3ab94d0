"""Our decks: every face can be told from every other, also by a strip, also upside down."""

from functools import partial

import numpy as np
import pytest

from models.art.decks import Art, art_of, pieces_of
from models.art.picture import Image, draw_pdf, draw_pixels, draw_png
from models.cards import Card, own_deck, own_decks

every_deck = pytest.mark.parametrize("game", own_decks())
STRIP_MM = 15
PX_PER_MM = 2
CLEARLY_PX = 45
"""So many pixels that differ are a digit of 5 mm."""


def face(art: Art, card: Card, px_per_mm: float = PX_PER_MM) -> Image:
    return draw_pixels(partial(art.draw_face, card=card), art.size_of(card), px_per_mm)


def different(one: Image, other: Image) -> int:
    """How many pixels differ clearly."""
    return int(np.count_nonzero(np.abs(one.astype(int) - other.astype(int)).max(2) > 60))


@every_deck
def test_every_face_renders_and_is_unique(game: str) -> None:
    art, faces = art_of(game), {}
    for card in own_deck(game).cards:
        pixels = face(art, card)
        assert pixels.shape[:2] == (88 * PX_PER_MM, 63 * PX_PER_MM)
        faces[card.code] = pixels
    assert len({pixels.tobytes() for pixels in faces.values()}) == len(faces)


@every_deck
@pytest.mark.parametrize("edge", ["upper", "lower", "left", "right"])
def test_a_strip_along_any_edge_is_enough(game: str, edge: str) -> None:
    """What a camera at 2 px/mm sees of 15 mm differs from the same strip of every other card, clearly."""
    art, depth = art_of(game), STRIP_MM * PX_PER_MM
    turns = {"upper": 0, "right": 1, "lower": 2, "left": 3}[edge]
    strips = [(card.code, np.rot90(face(art, card), turns)[:depth]) for card in own_deck(game).cards]
    for number, (code, strip) in enumerate(strips):
        for other_code, other in strips[:number]:
            assert different(strip, other) >= CLEARLY_PX, (code, other_code)


@every_deck
def test_which_way_up_shows_in_either_strip(game: str) -> None:
    art, rows = art_of(game), STRIP_MM * PX_PER_MM
    for card in own_deck(game).cards:
        pixels = face(art, card)
        turned = pixels[::-1, ::-1]
        assert different(pixels[:rows], turned[:rows]) >= 20, card.code


@every_deck
def test_a_white_edge_forgives_the_scissors(game: str) -> None:
    art, deck = art_of(game), own_deck(game)
    pictures = [face(art, card, 4) for card in deck.cards[::7]]
    pictures += [
        draw_pixels(partial(art.draw_back, kind=card.kind), art.size_of(card), 4)
        for card in {card.kind: card for card in deck.cards}.values()
    ]
    for pixels in pictures:
        for edge in (pixels[:6], pixels[-6:], pixels[:, :6], pixels[:, -6:]):
            assert np.mean(edge) > 240


def test_backs_tell_the_decks_apart() -> None:
    backs = []
    for game in own_decks():
        art, deck = art_of(game), own_deck(game)
        card = deck.cards[0]
        backs.append(draw_pixels(partial(art.draw_back, kind=card.kind), art.size_of(card), PX_PER_MM))
    for number, back in enumerate(backs):
        for other in backs[:number]:
            assert different(back, other) > 0.3 * back.shape[0] * back.shape[1]


def test_a_dnp_back_does_not_tell_which_way_up_the_card_is() -> None:
    art, card = art_of("dnp"), own_deck("dnp").cards[0]
    back = draw_pixels(partial(art.draw_back, kind=card.kind), art.size_of(card), 4)
    assert different(back, back[::-1, ::-1]) == 0


def test_the_same_drawing_gives_the_same_bytes() -> None:
    art, card = art_of("dawaj2"), own_deck("dawaj2").cards[0]
    drawing, size = partial(art.draw_face, card=card), art.size_of(card)
    assert draw_pdf(drawing, size) == draw_pdf(drawing, size)
    assert draw_png(drawing, size, 100) == draw_png(drawing, size, 100)


@every_deck
def test_the_box_holds_every_card_and_what_else_is_needed(game: str) -> None:
    pieces = list(pieces_of(own_deck(game)))
    cards = sum(card.count for card in own_deck(game).cards)
    extras = {"dawaj2": 0, "trio": 0, "dnp": 4, "kto_drugi": 2 + 6, "lucky_box": 30 + 24 + 6}
    assert len(pieces) == cards + extras[game]
