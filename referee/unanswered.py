"""Unanswered: what becomes of a question when play goes on without an answer.

As long as the card lies there, a later look may tell. Once only the choices lead to what lies there now, the likeliest
one is written, so that the game goes on; it is remembered as a guess, and if a later table speaks against it, another
choice takes its place before anybody is accused. So does an answer by which earlier moves would have been told anew.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

from referee.explain import CLOSE, PRICES, Explainer, Explanation
from referee.hindsight import TAKEN_BACK
from referee.layout import Layout
from referee.match import AnyMatch
from referee.moves import Move
from referee.rules import AnyRules
from referee.verdicts import Ruling

LOOKED_AT = 120
"""Stories that are looked at for each choice."""
REMEMBERED = 6
"""Guesses that are kept."""
Lines = tuple[tuple[str, ...], Layout]
"""What is to be written, and what lies there by it."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Moves that were written because something had to be, and what may have been played instead."""

    index: int
    """How many moves were written before them."""
    written: tuple[Move, ...]
    others: tuple[tuple[Move, ...], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One that nobody gave: what would have been written instead of the last moves."""

    index: int
    """How many moves were written before them."""
    instead_of: tuple[Move, ...]
    moves: tuple[Move, ...]


class Unanswered:
    """The question that nobody has answered yet, and the guesses that were made of earlier ones."""

    def __init__(self, rules: AnyRules) -> None:
        self._rules = rules
        self._state: Any = None
        self._choices: tuple[tuple[Move, ...], ...] = ()
        self._guesses: deque[Guess] = deque(maxlen=REMEMBERED)
        self._answers: deque[Answer] = deque(maxlen=REMEMBERED)

    def ask(self, state: Any, choices: tuple[tuple[Move, ...], ...]) -> None:
        """These choices, likeliest first, are asked about in a state."""
        self._state, self._choices = state, choices

    def remember(self, match: AnyMatch, ways: tuple[tuple[str, ...], ...]) -> None:
        """These lines may be written by a human who answers; if nobody does, later tables may still speak for some."""
        for lines in ways:
            undone = lines.count("undo")
            if undone and lines[:undone] == ("undo",) * undone:
                index = len(match.log) - undone
                written = tuple(entry.move for entry in match.log[index:])
                answer = Answer(index, written, tuple(Move.parse(line) for line in lines[undone:]))
                if answer not in self._answers:
                    self._answers.append(answer)

    def forget(self) -> None:
        """What was asked about is known now."""
        self._choices = ()

    def guessed(self, match: AnyMatch, search: Explainer, found: Explanation) -> Lines | None:
        """The likeliest choice and what came after it, if nothing else leads to what lies there now."""
        if self._state != match.state:
            self._choices = ()
        ways: list[tuple[float, tuple[Move, ...], Layout]] = []
        told = found.best.told
        other = bool(told) and not any(told <= set(map(str, choice)) for choice in self._choices)
        other = other and len({_shape(choice) for choice in self._choices}) > 1
        # If something else happened than any of them, what was asked about was laid there and taken back before; which
        # card it is may still be read.
        least = found.best.score + CLOSE - (TAKEN_BACK if other else 0.0)
        for choice in self._choices:
            way = self._way(match.state, choice, search)
            if way is not None and way[0] > least:
                ways.append(way)
        if not ways:
            return None
        _, written, layout = max(ways, key=lambda way: way[0])
        others = tuple(moves for _, moves, _ in ways if moves != written and _shape(moves) == _shape(written))
        self._guesses.append(Guess(len(match.log), written, others))
        self._choices = ()
        return tuple(map(str, written)), layout

    def mended(self, match: AnyMatch, search: Explainer, found: Explanation) -> Lines | None:
        """Another choice instead of one that was guessed, if with it nobody has done anything wrong now."""
        for guess in reversed(self._guesses):
            entries = match.log[guess.index : guess.index + len(guess.written)]
            if tuple(entry.move for entry in entries) != guess.written or any(entry.pinned for entry in entries):
                continue
            for other in guess.others:
                changed, lines = match, list[str]()
                for number, (entry, move) in enumerate(zip(entries, other, strict=True), guess.index):
                    if entry.move != move:
                        changed = changed.correct(number, move)
                        lines.append(f"correct {entry.line} {move}")
                if _worse(match, changed):
                    continue
                story = search.explain(changed.state, LOOKED_AT).best
                if story.fair and story.score > found.best.score + CLOSE:
                    left = tuple(moves for moves in guess.others if moves != other)
                    self._guesses.append(Guess(guess.index, other, left))
                    moves = (str(move) for move in search.finished(story).moves)
                    return (*lines, *moves), story.layout
        return None

    def otherwise(self, match: AnyMatch, search: Explainer, found: Explanation) -> Lines | None:
        """An answer that nobody gave and all that was written since, if with it nobody has done anything wrong now."""
        for answer in reversed(self._answers):
            after = answer.index + len(answer.instead_of)
            entries = match.log[answer.index :]
            same = tuple(entry.move for entry in match.log[answer.index : after]) == answer.instead_of
            if not same or after == len(match.log) or any(entry.stands or entry.pinned for entry in entries):
                continue
            moves = (*answer.moves, *(entry.move for entry in match.log[after:]))
            told = (None,) * len(answer.moves) + tuple(verdict.ruling for verdict in match.verdicts[after:])
            state, right = match.states[answer.index], True
            for move, ruling in zip(moves, told, strict=True):
                legal = self._rules.judge(state, move).ruling is Ruling.LEGAL
                right = right and (legal or ruling is not Ruling.LEGAL)
                state = self._rules.apply(state, move) if legal else state
            story = search.explain(state, LOOKED_AT).best if right else None
            if story is not None and story.fair and story.score > found.best.score + CLOSE:
                lines = ("undo",) * len(entries) + tuple(map(str, (*moves, *search.finished(story).moves)))
                return lines, story.layout
        return None

    def _way(
        self, state: Any, choice: tuple[Move, ...], search: Explainer
    ) -> tuple[float, tuple[Move, ...], Layout] | None:
        """What happened if it was this choice: how likely that is, all moves, and what lies there then."""
        for move in choice:
            if self._rules.judge(state, move).ruling is not Ruling.LEGAL:
                return None
            state = self._rules.apply(state, move)
        story = search.explain(state, LOOKED_AT).best
        if not story.fair:
            return None
        score = story.score - PRICES[Ruling.LEGAL] * len(choice)
        return score, (*choice, *search.finished(story).moves), story.layout


def _shape(moves: tuple[Move, ...]) -> tuple[tuple[int | None, str], ...]:
    """Who did what, without the cards."""
    return tuple((move.seat, move.verb) for move in moves)


def _worse(before: AnyMatch, after: AnyMatch) -> bool:
    """Whether something that was allowed is not, after a correction."""
    return any(
        old.ruling is Ruling.LEGAL and new.ruling is not Ruling.LEGAL
        for old, new in zip(before.verdicts, after.verdicts, strict=True)
    )
