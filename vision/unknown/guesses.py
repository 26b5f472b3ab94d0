"""Guessing: which cards of a game a face may be that nobody has taught, by what is printed on it."""

from collections.abc import Iterable

from models.cards import Card
from models.codes import COLOURS, card_of, listed
from vision.table import Guess
from vision.unknown.prints import Printed

GAMES = ("dawaj2", "dnp", "trio")
"""Games whose cards say no more than numbers, colours and stars."""
DIGITS, STARS = range(1, 10), range(3)
LEAST = 0.01
"""A guess that is less likely is not worth a word."""


def guessed(game: str, printed: Printed) -> tuple[Guess, ...]:
    """The cards that it may be, best first; none for games whose cards say more than numbers and colours."""
    if game == "dawaj2":
        chances = _dawaj2(printed)
    elif game == "trio":
        chances = [(card.code, _number(printed, card.number("number"))) for card in listed("trio").values()]
    elif game == "dnp":
        chances = list(_dnp(printed, listed("dnp").values()))
    else:
        return ()
    best = sorted(chances, key=lambda each: -each[1])
    return tuple(Guess(code, chance) for code, chance in best if chance >= LEAST)


def _dawaj2(printed: Printed) -> list[tuple[str, float]]:
    colours = {letter: _colour(printed, word) for letter, word in COLOURS.items()}
    total = sum(colours.values()) or 1.0
    cards = (card_of("dawaj2", f"{digit}{letter}{stars}") for digit in DIGITS for letter in COLOURS for stars in STARS)
    return [
        (
            card.code,
            _number(printed, card.number("digit")) * _stars(printed, card.number("stars"))
            # There are only three colours, so the likeliest of them it is.
            * colours[card.code[1]] / total,
        )
        for card in cards
    ]  # fmt: skip


def _dnp(printed: Printed, cards: Iterable[Card]) -> Iterable[tuple[str, float]]:
    """A pair, one value at each end; which symbol it carries is not read."""
    cards = tuple(cards)
    for card in cards:
        a, b = card.number("a"), card.number("b")
        ways = ((printed.upper, printed.lower), (printed.lower, printed.upper))
        same = sum((other.number("a"), other.number("b")) == (a, b) for other in cards)
        yield card.code, sum(one.number(a) * other.number(b) for one, other in ways) / same


def _number(printed: Printed, value: int) -> float:
    """How likely this one number stands on a card: at both ends, or at one of them."""
    upper, lower = printed.upper, printed.lower

    def joint(one: float, other: float) -> float:
        return one * other + one * lower.nothing + other * upper.nothing

    total = upper.nothing * lower.nothing + sum(
        joint(one, other) for one, other in zip(upper.numbers, lower.numbers, strict=True)
    )
    return joint(upper.number(value), lower.number(value)) / max(total, 1e-9)


def _stars(printed: Printed, count: int) -> float:
    return _weighed(printed, printed.upper.stars[count], printed.lower.stars[count])


def _colour(printed: Printed, word: str) -> float:
    return _weighed(printed, printed.upper.colour(word), printed.lower.colour(word))


def _weighed(printed: Printed, upper: float, lower: float) -> float:
    """What both ends say, the more the surer it is that a number stands there."""
    up, low = (1.0001 - end.nothing for end in (printed.upper, printed.lower))
    return (upper * up + lower * low) / (up + low)
