"""Short ways to set up a table and to talk to the referee in tests."""

from collections.abc import Iterable

from referee.match import AnyMatch, Match
from referee.moves import Move
from referee.rules import AnyRules, Opening
from referee.verdicts import Ruling, Verdict
from referee.vocabulary import spell
from tests.referee.games_played import NAMES


def open_match(rules: AnyRules, players: int, **options: str) -> AnyMatch:
    """A new match."""
    return Match.open(rules, Opening(rules.game, NAMES[:players], tuple(options.items())))


def say(match: AnyMatch, text: str) -> Move:
    """A move in the words of the match's game."""
    return spell(Move.parse(text), match.rules.verbs(len(match.opening.names)), len(match.names))


def ask(match: AnyMatch, text: str) -> Verdict:
    """What the referee would say of a move now."""
    return match.rules.judge(match.state, say(match, text))


def ruling(match: AnyMatch, text: str) -> tuple[Ruling, str]:
    """The ruling and the rule of a move now."""
    verdict = ask(match, text)
    return verdict.ruling, verdict.rule


def play(match: AnyMatch, moves: str | Iterable[str]) -> AnyMatch:
    """Play moves (separated by ; or one a line) that must all be legal."""
    for text in moves.replace("\n", ";").split(";") if isinstance(moves, str) else moves:
        if text.strip():
            match = match.play(say(match, text))
            assert match.verdicts[-1].ruling is Ruling.LEGAL, (text, match.verdicts[-1])
    return match
