"""What a referee makes of tables: a perfect eye for any state, and what the belief says after some tables."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from models.cards import own_deck
from referee.edits import Edit, Play
from referee.inference import rates
from referee.inference.belief import Belief, initial_belief, observe
from referee.inference.history import History, Model
from referee.inference.observation import Difference
from referee.inference.questions import Decision
from referee.inference.referee import Referee
from referee.layout import Place, Spread, layouts_of
from referee.match import AnyMatch
from referee.moves import HIDDEN
from referee.observed import ObservedCard, ObservedTable, Spot
from referee.verdicts import Ruling
from tests.referee.games_played import rules_of
from tests.referee.table_talk import say
from vision.table import Arm

LOOKS = 3
"""How many looks find every card, as people leave a table alone for a moment."""


@cache
def model_of(game: str) -> Model:
    """The rules and the layouts of a game with Krupier's own deck."""
    return Model(rules_of(game), own_deck(game), layouts_of(game))


def card(game: str, word: str, chance: float = 1.0, *others: tuple[str, float]) -> ObservedCard:
    """One card that lies there, read as a word of the game with this chance, and as other printed cards."""
    if word == HIDDEN:
        return ObservedCard(0, False, (), False, looks=LOOKS)
    model = model_of(game)
    face = model.layouts.faces(model.deck, word)[0]
    chances = sorted(((face.code, chance), *others), key=lambda pair: -pair[1])
    return ObservedCard(0, True, tuple(chances), face.turned, looks=LOOKS)


def perfect_eye(game: str, state: object, **figures: int) -> ObservedTable:
    """A table just as it should be in a state, but for some figures: P2=5."""
    layout = model_of(game).layout(state)
    cards: dict[Spot, tuple[ObservedCard, ...]] = {}
    for place in layout.places:
        marks = place.marks or ((),) * len(place.cards)
        lying = tuple(
            replace(card(game, word), marks=crossed) for word, crossed in zip(place.cards, marks, strict=True)
        )
        if lying:
            cards[place.zone, place.spot] = lying[-_shown(place) :]
    pieces: dict[tuple[str, str], dict[Spot, int]] = {}
    for counter in layout.counters:
        spot = str(figures[counter.owner]) if counter.owner in figures else counter.spot
        pieces.setdefault((counter.kind, counter.owner), {})[counter.zone, spot] = counter.count
    return ObservedTable(cards, pieces, LOOKS)


def _shown(place: Place) -> int:
    return {Spread.PILE: 1, Spread.PAIR: 2}.get(place.spread, len(place.cards))


def laid(seen: ObservedTable, changed: dict[Spot, tuple[ObservedCard, ...]]) -> ObservedTable:
    """The same table with other cards in some places; places without cards are left out."""
    cards = {spot: lying for spot, lying in ({**seen} | changed).items() if lying}
    return ObservedTable(cards, seen.pieces, seen.looks, seen.arms, seen.hasty)


def reached(seen: ObservedTable, *reaches: str) -> ObservedTable:
    """The same table after arms came over it: "P2 P1 P2" for the second player into the zones of the first and his."""
    arms = tuple(
        Arm(((seat, 0.95),), (), 0.0, 0.0, tuple((zone, "") for zone in zones))
        for seat, *zones in (text.split() for text in reaches)
    )
    return ObservedTable(seen, seen.pieces, seen.looks, arms, seen.hasty)


def hasty(seen: ObservedTable) -> ObservedTable:
    """The same table when somebody played on before it was sure."""
    return ObservedTable(seen, seen.pieces, seen.looks, seen.arms, hasty=True)


@dataclass(frozen=True)
class Found:
    """A belief with short ways to ask it."""

    model: Model
    belief: Belief

    @property
    def told(self) -> list[str]:
        """The moves of the likeliest history; what is not legal is marked."""
        return told_of(self.belief.best)

    @property
    def violations(self) -> list[tuple[str, str]]:
        """Its moves that are not legal, each with its rule."""
        return [
            (str(step.move), self.model.judge(step.before, step.move).rule)
            for step in self.belief.best.steps
            if step.ruling is not Ruling.LEGAL
        ]

    @property
    def accused(self) -> bool:
        """Whether it accuses anybody."""
        return any(step.ruling is Ruling.ILLEGAL for step in self.belief.best.steps)

    @property
    def likely(self) -> list[list[str]]:
        """The moves of every history that is worth asking about."""
        pairs = zip(self.belief.histories, self.belief.probabilities(), strict=True)
        return [told_of(history) for history, weight in pairs if weight >= rates.MIN_CHOICE_PROBABILITY]

    @property
    def left(self) -> tuple[Difference, ...]:
        """What the likeliest history does not explain."""
        return self.belief.tables[-1].differences(self.model.layout(self.belief.best.shown))


def told_of(history: History) -> list[str]:
    """The moves of a history; what is not legal is marked."""
    return [f"{step.move}{'' if step.ruling is Ruling.LEGAL else '!'}" for step in history.steps]


def found(match: AnyMatch, tables: ObservedTable | Iterable[ObservedTable]) -> Found:
    """What is believed after some tables when all of the match before them is certain."""
    return found_from(match.rules.game, match.state, tables, len(match.log))


def found_from(game: str, state: object, tables: ObservedTable | Iterable[ObservedTable], settled: int = 0) -> Found:
    """What is believed after some tables that follow a certain state."""
    model, belief = model_of(game), initial_belief(state, settled)
    for table in (tables,) if isinstance(tables, ObservedTable) else tables:
        belief = observe(model, belief, table)
    return Found(model, belief)


def after(match: AnyMatch, *texts: str) -> Any:
    """The state after some moves more, legal or not."""
    state = match.state
    for text in texts:
        state = match.rules.apply(state, say(match, text))
    return state


class Watched:
    """A match that a referee writes, table by table, and that people may edit in between."""

    def __init__(self, match: AnyMatch) -> None:
        self.match, game = match, match.rules.game
        self.referee = Referee(match.rules, own_deck(game), layouts_of(game))

    def see(self, *tables: ObservedTable) -> Decision:
        """What the last of some tables changes; all edits are made."""
        decision = Decision()
        for table in tables:
            decision = self.referee.observe(self.match, table)
            self.edit(*decision.edits)
        return decision

    def edit(self, *edits: Edit) -> None:
        """Somebody edits the log."""
        for edit in edits:
            self.match = self.match.edit(edit, max((entry.line for entry in self.match.log), default=0) + 1)

    def say(self, *texts: str) -> None:
        """A human writes moves."""
        self.edit(*(Play(say(self.match, text), human=True) for text in texts))

    def lies(self, *texts: str) -> ObservedTable:
        """The table after some moves more, legal or not."""
        return perfect_eye(self.match.rules.game, after(self.match, *texts))

    @property
    def log(self) -> list[str]:
        """What is written; what is not legal is marked, twice if it stands."""
        return [
            f"{entry.move}{'' if verdict.ruling is Ruling.LEGAL else '!'}{'!' if entry.stands else ''}"
            for entry, verdict in zip(self.match.log, self.match.verdicts, strict=True)
        ]
