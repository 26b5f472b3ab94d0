"""The cards of dnp: what a deck must have for the game."""

from models.cards import Card, Deck, DeckError

GROUPS = {"base": 2, "C": 3, "B": 4, "A": 5}
"""The set-up groups, each with the smallest number of players that uses it."""
VALUES = range(1, 11)


def pair_of(card: Card) -> str:
    """The two values of a card, the smaller first."""
    low, high = sorted((card.number("a"), card.number("b")))
    if low == high or low not in VALUES or high not in VALUES:
        raise DeckError(f"card {card.code!r}: a = {low}, b = {high}, wanted two different values from 1 to 10")
    if card.word("group") not in GROUPS:
        raise DeckError(f"card {card.code!r}: group = {card.word('group')!r}, wanted {', '.join(GROUPS)}")
    return f"{low}/{high}"


def star_of(deck: Deck) -> str:
    """The one card with a star."""
    stars = [card for card in deck.cards if card.has("star")]
    if sum(card.count for card in stars) != 1:
        raise DeckError(f"{sum(card.count for card in stars)} cards with a star; dnp wants exactly 1")
    star = pair_of(stars[0])
    if stars[0].word("group") != "base":
        raise DeckError(f"card {stars[0].code!r}: the star card must be in group 'base', so that it is always in play")
    if sum(pair_of(card) == star for card in deck.cards) > 1:
        raise DeckError(f"card {stars[0].code!r}: another card has the values of the star card; wanted none")
    return star
