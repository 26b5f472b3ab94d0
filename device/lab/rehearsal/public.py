"""What is public: moves as everybody at the table sees them, and the broken rules that show."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from models.cards import Deck, own_deck
from referee.layout import Layout, layouts_of, lies
from referee.match import AnyMatch
from referee.moves import Move, seat_name
from referee.rules import AnyRules
from referee.verdicts import Ruling

MOST = 1500
"""So many allowed moves at most are compared with a wrong one."""
MOST_TWICE = 40
"""And so many with so many after each of them."""
MOST_SAID = 2
"""So many moves that nobody can see may have come before one that looks wrong."""
Said = tuple[str, str]
"""A move as everybody sees it, and what was ruled of it."""


def seen_by_all(deck: Deck, move: Move) -> str:
    """A move without what nobody can know.

    In Kto drugi, who laid a card face down, and which copy of a value lies there; in Trio, which end of a hand was
    meant, whose hand takes a card back, and which of two partners began to exchange cards; in dnp the area of a set is
    seen whether it was named or not.
    """
    if move.verb == "swap" and move.seat is not None and move.target:
        one, other = sorted((seat_name(move.seat), move.target))
        return f"{one} swap @ {other}"
    if deck.game == "trio":
        target = _without_end(move.target) or ""
        hand = move.verb == "return" and target.startswith("P")
        return str(replace(move, target="P" if hand else target or None))
    if deck.game == "dnp" and move.verb == "play":
        return str(replace(move, target=None))
    if deck.game != "kto_drugi":
        return str(move)
    if move.verb == "lay":
        return f"lay @ {move.target}"
    values = {card.code: f"{card.number('value'):+d}" for card in deck.of("race")}
    known = sorted(values.get(word, word) for word in move.cards)
    return str(Move(move.seat if move.verb == "turn" else None, move.verb, tuple(known), move.target, move.counts))


def rulings_of(match: AnyMatch, heard: bool = True) -> Counter[Said]:
    """All moves of a match with what was ruled; if nothing is `heard`, only those that somebody could see."""
    deck = own_deck(match.rules.game)
    triples = zip(match.log, match.verdicts, match.states, strict=False)
    return Counter(
        said_of(deck, entry.move, verdict.ruling)
        for entry, verdict, state in triples
        if heard or not _only_said(match.rules, deck, state, entry.move)
    )


def cheats_of(match: AnyMatch, heard: bool = True) -> Counter[Said]:
    """The broken rules of a match that show: said aloud, or leaving a table that no allowed move would leave.

    Nor two of the same kind: two cards that one player lays may have been laid by two. If nothing is `heard`, what is
    said does not show, nor does what would have been allowed after something that is only said, or had nobody said
    which end of a hand an earlier card was.
    """
    rules, deck = match.rules, own_deck(match.rules.game)
    declared = layouts_of(rules.game).DECLARED
    found: Counter[Said] = Counter()
    for at, (entry, verdict, state) in enumerate(zip(match.log, match.verdicts, match.states, strict=False)):
        if verdict.ruling is not Ruling.ILLEGAL:
            continue
        said = entry.move.verb in declared
        if not heard and verdict.about is not None and _was_said(match, verdict.about, at):
            # It only gives away what was said wrongly, and nobody heard that.
            continue
        if heard if said else _shows(rules, deck, state, entry.move, heard):
            found[said_of(deck, entry.move, verdict.ruling)] += 1
    return found


def _was_said(match: AnyMatch, guilty: int, at: int) -> bool:
    """Whether a play is wrong only because of what was said with an earlier one: the move, or an end of a hand."""
    move = match.log[guilty].move
    silent = replace(move, target=_without_end(move.target))
    if silent == move:
        return move.verb in layouts_of(match.rules.game).DECLARED
    unheard = match.amend(guilty, silent)
    if unheard.verdicts[guilty].ruling is not Ruling.LEGAL:
        unheard = unheard.stand(guilty)
    return unheard.verdicts[at].ruling is not Ruling.ILLEGAL


def _without_end(target: str | None) -> str | None:
    """Where a card of Trio comes from, without which end of a hand it is."""
    return target and target.removesuffix(".low").removesuffix(".high")


def said_of(deck: Deck, move: Move, ruling: Ruling) -> Said:
    """A move and its ruling as everybody sees them; nobody sees more tokens spent than there are."""
    if ruling is Ruling.ILLEGAL:
        move = replace(move, counts=tuple(count for count in move.counts if count[0] != "spend"))
    return seen_by_all(deck, move), ruling.value


def _shows(rules: AnyRules, deck: Deck, state: object, move: Move, heard: bool) -> bool:
    layouts = layouts_of(rules.game)
    now = _looks(layouts.layout(deck, rules.apply(state, move)))
    if now == _looks(layouts.layout(deck, state)):
        return False
    # Hands that might be shown are without number: the first moves must do.
    allowed = tuple(islice(rules.legal_moves(state), MOST))
    alike = (other for other in allowed if other.verb == move.verb)
    between = [rules.apply(state, other) for other in islice(alike, MOST_TWICE)]
    seconds = _allowed_after(rules, between, move.verb, MOST_TWICE)
    talked = [] if heard else list(_after_talk(rules, deck, state))
    # What is allowed then may be without number as well: the wrong play itself is the likeliest.
    itself = ((after, move) for after in talked if rules.judge(after, move).ruling is Ruling.LEGAL)
    unheard = _allowed_after(rules, talked, move.verb, MOST)
    ways = chain(((state, other) for other in allowed), seconds, itself, unheard)
    return all(_looks(layouts.layout(deck, rules.apply(before, other))) != now for before, other in ways)


def _allowed_after(rules: AnyRules, states: Iterable[object], verb: str, most: int) -> Iterator[tuple[object, Move]]:
    """The first allowed moves of a kind, with the state before each."""
    for state in states:
        yield from ((state, move) for move in islice(rules.legal_moves(state), most) if move.verb == verb)


def _after_talk(rules: AnyRules, deck: Deck, state: object) -> Iterator[object]:
    """The states after one allowed move that is only said, or some in a row."""
    declared = layouts_of(rules.game).DECLARED
    states: list[object] = [state] if declared else []
    for _ in range(MOST_SAID):
        states = [
            rules.apply(before, move)
            for before in states
            for move in islice(rules.legal_moves(before), MOST)
            if move.verb in declared and _only_said(rules, deck, before, move)
        ]
        yield from states


def _only_said(rules: AnyRules, deck: Deck, state: object, move: Move) -> bool:
    """Whether a move is declared and leaves no trace on the table."""
    layouts = layouts_of(rules.game)
    if move.verb not in layouts.DECLARED:
        return False
    return _looks(layouts.layout(deck, rules.apply(state, move))) == _looks(layouts.layout(deck, state))


def _looks(layout: Layout) -> tuple[object, ...]:
    """What anybody sees: cards, marks on them, and pieces."""
    marks = tuple((place.zone, place.spot, place.marks) for place in layout.places if place.cards)
    return lies(layout), layout.counters, marks
