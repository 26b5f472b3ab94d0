"""The referee of one match: it keeps the belief, and decides how every table changes the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.cards import Deck
from referee.edits import Correct, Play, Redo, Stand, Undo
from referee.inference.belief import Belief, hear, initial_belief, observe
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import TableEvidence
from referee.inference.questions import Decision, decide
from referee.layout import Layouts
from referee.match import AnyMatch, Entry
from referee.moves import HIDDEN, Move
from referee.observed import ObservedCard, ObservedTable, Spot
from referee.rules import AnyRules
from referee.verdicts import Ruling

Line = tuple[Move, bool]
"""A move of the log, and whether it stands."""


@dataclass(frozen=True, slots=True)
class Overruled:
    """A place where people have overruled the camera: what it observes, and what is really there."""

    observed: tuple[ObservedCard, ...]
    actual: tuple[ObservedCard, ...]


class Referee:
    """Works out the moves that led to each table."""

    def __init__(self, rules: AnyRules, deck: Deck, layouts: Layouts) -> None:
        self._model = Model(rules, deck, layouts)
        self._belief: Belief | None = None
        self._lines: tuple[Line, ...] = ()
        """The expected log after the last decision."""
        self._seen: ObservedTable | None = None
        """The last table."""
        self._overruled: dict[Spot, Overruled] = {}

    def observe(self, match: AnyMatch, seen: ObservedTable) -> Decision:
        """Decide on a table; edits by people since the last table are taken as certain."""
        self._model.tidy()
        belief = self._followed(match)
        self._seen = seen
        self._overruled = {
            spot: one for spot, one in self._overruled.items() if _alike(seen.get(spot, ()), one.observed)
        }
        belief = observe(self._model, belief, _corrected(seen, self._overruled))
        decision = decide(self._model, belief, match)
        self._belief, self._lines = belief, _after(match, decision)
        return decision

    def _followed(self, match: AnyMatch) -> Belief:
        """The belief after the declarations and edits by people since the last table."""
        belief, lines = self._belief, tuple(map(_line, match.log))
        if belief is None:
            return _certain(self._model, match)
        if lines == self._lines:
            return belief
        more = match.log[len(self._lines) :]
        declared = self._model.layouts.DECLARED
        if lines[: len(self._lines)] != self._lines or any(
            not entry.pinned or entry.stands or entry.move.verb not in declared for entry in more
        ):
            belief = _certain(self._model, match)
            if self._seen is not None:
                self._overruled = _overruled(self._model, belief, self._seen)
            return belief
        for entry in more:
            belief = hear(self._model, belief, entry.move)
        return belief


def _certain(model: Model, match: AnyMatch) -> Belief:
    """The belief that takes the whole log as certain."""
    last = match.log[-1] if match.log else None
    belief = initial_belief(match.state, len(match.log))
    if last is None or last.stands or match.verdicts[-1].ruling is not Ruling.ILLEGAL:
        return belief
    shown: Any = model.rules.apply(match.state, last.move)
    if shown is match.state:
        return belief
    illegal = Step(Act.ILLEGAL, last.move, Ruling.ILLEGAL, match.state, shown, 0, 0.0, True)
    return Belief((History((illegal,), match.state, shown),), settled=len(match.log) - 1)


def _overruled(model: Model, belief: Belief, seen: ObservedTable) -> dict[Spot, Overruled]:
    """The places where the table contradicts the log that people have just edited; people are right."""
    places = {(place.zone, place.spot): place for place in model.layout(belief.best.shown).places}
    found = {}
    for difference in TableEvidence(model.deck, model.layouts, seen).differences(model.layout(belief.best.shown)):
        spot = difference.place
        if spot in places or spot in seen:
            words = places[spot].cards if spot in places else ()
            found[spot] = Overruled(
                seen.get(spot, ()), tuple(_observed_card(model, word, seen.looks) for word in words)
            )
    return found


def _observed_card(model: Model, word: str, looks: int) -> ObservedCard:
    """A card as a perfect camera would observe it."""
    if word == HIDDEN:
        return ObservedCard(0, False, (), False, looks=looks)
    face = model.layouts.faces(model.deck, word)[0]
    return ObservedCard(0, True, ((face.code, 1.0),), face.turned, looks=looks)


def _alike(cards: tuple[ObservedCard, ...], before: tuple[ObservedCard, ...]) -> bool:
    """Whether a place looks the same as before."""

    def key(card: ObservedCard) -> tuple[object, ...]:
        return card.face_up, card.turned, card.likely(most=1)

    return [key(card) for card in cards] == [key(card) for card in before]


def _corrected(seen: ObservedTable, overruled: Mapping[Spot, Overruled]) -> ObservedTable:
    """The table with the overruled places replaced."""
    if not overruled:
        return seen
    cards = dict(seen) | {spot: one.actual for spot, one in overruled.items()}
    there = {spot: at_spot for spot, at_spot in cards.items() if at_spot}
    return ObservedTable(there, seen.pieces, seen.looks, seen.arms, seen.hasty)


def _line(entry: Entry) -> Line:
    return entry.move, entry.stands


def _after(match: AnyMatch, decision: Decision) -> tuple[Line, ...]:
    """The lines of the log after a decision."""
    lines = [_line(entry) for entry in match.log]
    numbers: list[int | None] = [entry.line for entry in match.log]
    for edit in decision.edits:
        match edit:
            case Play(move):
                lines.append((move, False))
                numbers.append(None)
            case Undo():
                lines.pop()
                numbers.pop()
            case Stand(line):
                at = len(lines) - 1 if line is None else numbers.index(line)
                lines[at] = (lines[at][0], True)
            case Correct(line, move):
                lines[numbers.index(line)] = (move, False)
            case Redo():
                pass
    return tuple(lines)
