"""Public view: moves as everyone at the table sees them, and the visible rule violations."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from models.cards import Deck, own_deck
from referee.layout import Layout, layouts_of, visible_cards
from referee.match import AnyMatch
from referee.moves import Move
from referee.rules import AnyRules
from referee.verdicts import Ruling

MAX_LEGAL_MOVES = 1500
"""Maximum number of legal moves compared with a wrong one."""
MAX_MOVES_IN_PAIRS = 40
"""Maximum number of first and of second moves in pairs of legal moves."""
MAX_DECLARED = 2
"""Maximum number of invisible moves that may precede a move that looks wrong."""
Said = tuple[str, str]
"""A move as everyone sees it, and its ruling."""


def seen_by_all(deck: Deck, move: Move) -> str:
    """A move without what nobody can know."""
    return layouts_of(deck.game).public(deck, move)


def rulings_of(match: AnyMatch, heard: bool = True) -> Counter[Said]:
    """All moves of a match with their rulings; unless `heard`, only visible ones."""
    deck = own_deck(match.rules.game)
    triples = zip(match.log, match.verdicts, match.states, strict=False)
    return Counter(
        said_of(deck, entry.move, verdict.ruling)
        for entry, verdict, state in triples
        if heard or not _only_said(match.rules, deck, state, entry.move)
    )


def cheats_of(match: AnyMatch, heard: bool = True) -> Counter[Said]:
    """The visible rule violations of a match: declared, or leaving a table that no legal move would leave.

    Nor two legal moves of the same kind: two cards of one player may have been laid by two. Unless `heard`, declared
    moves are not visible, and a move is no violation if it would be legal after a declaration, or if nobody had said
    from which end of a hand an earlier card came.
    """
    rules, deck = match.rules, own_deck(match.rules.game)
    declared = layouts_of(rules.game).DECLARED
    found: Counter[Said] = Counter()
    for at, (entry, verdict, state) in enumerate(zip(match.log, match.verdicts, match.states, strict=False)):
        if verdict.ruling is not Ruling.ILLEGAL:
            continue
        said = entry.move.verb in declared
        if not heard and verdict.about is not None and _was_said(match, verdict.about, at):
            # It only reveals a wrong declaration, which was not heard.
            continue
        if heard if said else _shows(rules, deck, state, entry.move, heard):
            found[said_of(deck, entry.move, verdict.ruling)] += 1
    return found


def _was_said(match: AnyMatch, guilty: int, at: int) -> bool:
    """Whether a play is wrong only because of an earlier declaration: of the move, or of an end of a hand."""
    move = match.log[guilty].move
    silent = replace(move, target=_without_end(move.target))
    if silent == move:
        return move.verb in layouts_of(match.rules.game).DECLARED
    unheard = match.amend(guilty, silent)
    if unheard.verdicts[guilty].ruling is not Ruling.LEGAL:
        unheard = unheard.stand(guilty)
    return unheard.verdicts[at].ruling is not Ruling.ILLEGAL


def _without_end(target: str | None) -> str | None:
    """The origin of a card in Trio, without the end of the hand."""
    return target and target.removesuffix(".low").removesuffix(".high")


def said_of(deck: Deck, move: Move, ruling: Ruling) -> Said:
    """A move and its ruling as everyone sees them; spending more tokens than there are is not visible."""
    if ruling is Ruling.ILLEGAL:
        move = replace(move, counts=tuple(count for count in move.counts if count[0] != "spend"))
    return seen_by_all(deck, move), ruling.value


def _shows(rules: AnyRules, deck: Deck, state: object, move: Move, heard: bool) -> bool:
    layouts = layouts_of(rules.game)
    now = _looks(layouts.layout(deck, rules.apply(state, move)))
    if now == _looks(layouts.layout(deck, state)):
        return False
    # Possible hands are too many to enumerate, so only the first moves are tried.
    allowed = tuple(islice(rules.legal_moves(state), MAX_LEGAL_MOVES))
    alike = (other for other in allowed if other.verb == move.verb)
    between = [rules.apply(state, other) for other in islice(alike, MAX_MOVES_IN_PAIRS)]
    seconds = _allowed_after(rules, between, move.verb, MAX_MOVES_IN_PAIRS)
    talked = [] if heard else list(_after_talk(rules, deck, state))
    # Legal moves may again be too many: the wrong play itself is the likeliest.
    itself = ((after, move) for after in talked if rules.judge(after, move).ruling is Ruling.LEGAL)
    unheard = _allowed_after(rules, talked, move.verb, MAX_LEGAL_MOVES)
    ways = chain(((state, other) for other in allowed), seconds, itself, unheard)
    return all(_looks(layouts.layout(deck, rules.apply(before, other))) != now for before, other in ways)


def _allowed_after(rules: AnyRules, states: Iterable[object], verb: str, most: int) -> Iterator[tuple[object, Move]]:
    """The first legal moves of a kind, with the state before each."""
    for state in states:
        yield from ((state, move) for move in islice(rules.legal_moves(state), most) if move.verb == verb)


def _after_talk(rules: AnyRules, deck: Deck, state: object) -> Iterator[object]:
    """The states after one or more legal moves that are only declared."""
    declared = layouts_of(rules.game).DECLARED
    states: list[object] = [state] if declared else []
    for _ in range(MAX_DECLARED):
        states = [
            rules.apply(before, move)
            for before in states
            for move in islice(rules.legal_moves(before), MAX_LEGAL_MOVES)
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
    """The visible table: cards, marks and pieces."""
    marks = tuple((place.zone, place.spot, place.marks) for place in layout.places if place.cards)
    return visible_cards(layout), layout.counters, marks
