"""Guesses: which cards of a game an untaught face may be, from the number, colour and stars printed on it."""

from models.prints import CardPrint, prints_of
from vision.table import Guess
from vision.unknown.prints import PrintReading
from vision.unknown.tuning import MIN_GUESS_PROBABILITY


def guess_card(game: str, printed: PrintReading) -> tuple[Guess, ...]:
    """The possible cards, best first; none for games whose cards show more than numbers and colours."""
    cards = prints_of(game)
    colours = {word: _colour(printed, word) for word in dict.fromkeys(card.colour for card in cards) if word}
    total = sum(colours.values()) or 1.0
    candidates = []
    for card in cards:
        probability = _numbers(printed, card, cards)
        if card.stars is not None:
            probability = probability * _stars(printed, card.stars)
        if card.colour:
            # A game has only a few colours, so the others are ruled out.
            probability = probability * colours[card.colour] / total
        candidates.append((card.code, probability))
    best = sorted(candidates, key=lambda each: -each[1])
    return tuple(Guess(code, probability) for code, probability in best if probability >= MIN_GUESS_PROBABILITY)


def _numbers(printed: PrintReading, card: CardPrint, cards: tuple[CardPrint, ...]) -> float:
    """The probability of the numbers of a card; cards with the same pair share it."""
    if len(card.numbers) == 1:
        return _number(printed, card.numbers[0])
    a, b = card.numbers
    ways = ((printed.upper, printed.lower), (printed.lower, printed.upper))
    same = sum(other.numbers == card.numbers for other in cards)
    return sum(one.number(a) * other.number(b) for one, other in ways) / same


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
