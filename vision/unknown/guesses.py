"""Guesses: which cards of a game an untaught face may be, from the number, colour and stars printed on it."""

from collections.abc import Iterable

from models.cards import Card
from models.codes import card_of, listed
from models.decks.dawaj2.codes import COLOURS
from vision.table import Guess
from vision.unknown.prints import PrintReading
from vision.unknown.tuning import MIN_GUESS_PROBABILITY

GAMES = ("dawaj2", "dnp", "trio")
"""Games whose cards show nothing but numbers, colours and stars."""
DIGITS, STARS = range(1, 10), range(3)


def guess_card(game: str, printed: PrintReading) -> tuple[Guess, ...]:
    """The possible cards, best first; none for games whose cards show more than numbers and colours."""
    if game == "dawaj2":
        candidates = _dawaj2(printed)
    elif game == "trio":
        candidates = [(card.code, _number(printed, card.number("number"))) for card in listed("trio").values()]
    elif game == "dnp":
        candidates = list(_dnp(printed, listed("dnp").values()))
    else:
        return ()
    best = sorted(candidates, key=lambda each: -each[1])
    return tuple(Guess(code, probability) for code, probability in best if probability >= MIN_GUESS_PROBABILITY)


def _dawaj2(printed: PrintReading) -> list[tuple[str, float]]:
    colours = {letter: _colour(printed, word) for letter, word in COLOURS.items()}
    total = sum(colours.values()) or 1.0
    cards = (card_of("dawaj2", f"{digit}{letter}{stars}") for digit in DIGITS for letter in COLOURS for stars in STARS)
    return [
        (
            card.code,
            _number(printed, card.number("digit")) * _stars(printed, card.number("stars"))
            # The game has only three colours, so the others are ruled out.
            * colours[card.code[1]] / total,
        )
        for card in cards
    ]  # fmt: skip


def _dnp(printed: PrintReading, cards: Iterable[Card]) -> Iterable[tuple[str, float]]:
    """A pair of values, one at each end; the symbol is not read."""
    cards = tuple(cards)
    for card in cards:
        a, b = card.number("a"), card.number("b")
        ways = ((printed.upper, printed.lower), (printed.lower, printed.upper))
        same = sum((other.number("a"), other.number("b")) == (a, b) for other in cards)
        yield card.code, sum(one.number(a) * other.number(b) for one, other in ways) / same


def _number(printed: PrintReading, value: int) -> float:
    """The probability of a number on a card, at both ends or at one of them."""
    upper, lower = printed.upper, printed.lower

    def joint(one: float, other: float) -> float:
        return one * other + one * lower.no_number + other * upper.no_number

    total = upper.no_number * lower.no_number + sum(
        joint(one, other) for one, other in zip(upper.numbers, lower.numbers, strict=True)
    )
    return joint(upper.number(value), lower.number(value)) / max(total, 1e-9)


def _stars(printed: PrintReading, count: int) -> float:
    return _mean(printed, printed.upper.stars[count], printed.lower.stars[count])


def _colour(printed: PrintReading, word: str) -> float:
    return _mean(printed, printed.upper.colour(word), printed.lower.colour(word))


def _mean(printed: PrintReading, upper: float, lower: float) -> float:
    """The mean of both ends, weighted by the probability that each shows a number."""
    up, low = (1.0001 - end.no_number for end in (printed.upper, printed.lower))
    return (upper * up + lower * low) / (up + low)
