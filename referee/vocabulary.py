"""The vocabulary of a game: its verbs and their arguments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from referee.moves import HIDDEN, Move, NotationError, seat_name

Spelling = Callable[[str], str | None]
"""The canonical spelling of a word, or None if it is no word of the game."""


def hidden_only(word: str) -> str | None:
    """The spelling of cards that are always face down."""
    return word if word == HIDDEN else None


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of act at the table."""

    usage: str
    """An example, quoted in errors and in the guide."""
    cards: Spelling | None = None
    least: int = 0
    most: int = 0
    targets: frozenset[str] = frozenset()
    target_optional: bool = False
    counts: frozenset[str] = frozenset()
    seated: bool = True
    """False for acts of the table, such as turning a number card."""
    order: Callable[[str], int] | None = None
    """A sort key when the order of the cards means nothing, so that every move has one spelling."""


def spell(move: Move, verbs: Mapping[str, Verb], players: int) -> Move:
    """The move in its one canonical spelling; NotationError if it is not in the game's language."""
    verb = verbs.get(move.verb)
    if verb is None:
        near = get_close_matches(move.verb, verbs, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise NotationError(f"{move.verb!r} is not a verb of this game; wanted {', '.join(verbs)}{hint}")
    _check_seat(move, verb, players)
    cards = tuple(_spell_card(word, verb) for word in move.cards)
    if not verb.least <= len(cards) <= verb.most:
        wanted = f"{verb.least}" if verb.least == verb.most else f"{verb.least} to {verb.most}"
        raise NotationError(f"{str(move)!r}: {len(cards)} words after {move.verb}, wanted {wanted}, as {verb.usage!r}")
    if verb.order is not None:
        cards = tuple(sorted(cards, key=verb.order))
    _check_target(move, verb)
    names = [name for name, _ in move.counts]
    for name in names:
        if name not in verb.counts or names.count(name) > 1:
            allowed = ", ".join(sorted(verb.counts)) or "none"
            raise NotationError(f"{str(move)!r}: {name}= is not wanted here (allowed once each: {allowed})")
    counts = tuple(sorted((name, number) for name, number in move.counts if number))
    if cards == move.cards and counts == move.counts:
        return move
    return replace(move, cards=cards, counts=counts)


def _check_seat(move: Move, verb: Verb, players: int) -> None:
    if move.seat is None:
        if verb.seated:
            raise NotationError(f"{str(move)!r}: {move.verb} needs a seat, as {verb.usage!r}")
    elif not verb.seated:
        raise NotationError(f"{str(move)!r}: {move.verb} is for the table, as {verb.usage!r}")
    elif move.seat >= players:
        raise NotationError(f"{seat_name(move.seat)} does not play; wanted P1 to {seat_name(players - 1)}")


def _spell_card(word: str, verb: Verb) -> str:
    spelled = verb.cards(word) if verb.cards else None
    if spelled is None:
        raise NotationError(f"{word!r} cannot stand here; wanted {verb.usage!r}")
    return spelled


def _check_target(move: Move, verb: Verb) -> None:
    if move.target is None:
        if verb.targets and not verb.target_optional:
            raise NotationError(f"{str(move)!r}: no place given; wanted {verb.usage!r}")
    elif move.target not in verb.targets:
        wanted = ", ".join(sorted(verb.targets)) or "no place"
        raise NotationError(f"{str(move)!r}: {move.target!r} is not a place for this; wanted {wanted}")
