"""Results: how well a game was followed, and figures over many games."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

from device.lab.rehearsal.public import Said, cheats_of, rulings_of, said_of
from models.cards import own_deck
from referee.match import AnyMatch
from referee.verdicts import Ruling

BINS = 10
"""Bins of equal width for comparing probabilities with accuracy."""


@dataclass(frozen=True)  # without slots, for cached_property
class Result:
    """How well a game was followed."""

    played: AnyMatch
    told: AnyMatch
    asked: int
    tables: int
    taps: int = 0
    """Questions answered by a human."""
    spent_s: tuple[float, ...] = ()
    """Time from each table to its rulings."""
    suspected: Counter[Said] = field(default_factory=Counter)
    """Rule violations among the choices of questions."""
    heard: bool = True
    """Whether the referee heard declarations."""
    probabilities: Mapping[int, float] = field(default_factory=dict)
    """The camera's probability of its entries, by their line in the log."""

    @property
    def right(self) -> bool:
        """Whether scores and winners are right."""
        rules, one, other = self.played.rules, self.played.state, self.told.state
        return rules.standings(one) == rules.standings(other) and rules.outcome(one) == rules.outcome(other)

    @property
    def rulings(self) -> int:
        """Number of rulings that should have been made."""
        return rulings_of(self.played, self.heard).total()

    @property
    def missing(self) -> Counter[Said]:
        """Rulings that should have been made but were not."""
        return rulings_of(self.played, self.heard) - rulings_of(self.told)

    @property
    def extra(self) -> Counter[Said]:
        """Rulings that should not have been made."""
        seen = rulings_of(self.told, self.heard) - rulings_of(self.played)
        accused = {one: count for one, count in (rulings_of(self.told) - rulings_of(self.played)).items() if _bad(one)}
        return seen | Counter(accused)

    @property
    def accused(self) -> int:
        """Number of false accusations."""
        return sum(count for one, count in self.extra.items() if _bad(one))

    @cached_property
    def shown(self) -> Counter[Said]:
        """The visible rule violations."""
        return cheats_of(self.played, self.heard)

    @property
    def cheats(self) -> int:
        """Number of visible rule violations."""
        return self.shown.total()

    @property
    def flagged(self) -> int:
        """Number of visible violations that were ruled illegal."""
        return (self.shown & rulings_of(self.told)).total()

    @property
    def questioned(self) -> int:
        """Number of the others that were asked about: what was done is clear, but not who did it."""
        return ((self.shown - rulings_of(self.told)) & self.suspected).total()

    @property
    def confidences(self) -> tuple[tuple[float, bool], ...]:
        """The probability of every entry of the camera, and whether it is a ruling as played."""
        left, deck, found = rulings_of(self.played), own_deck(self.played.rules.game), []
        for entry, verdict in zip(self.told.log, self.told.verdicts, strict=True):
            said = said_of(deck, entry.move, verdict.ruling)
            right = left[said] > 0
            left[said] -= right
            if entry.line in self.probabilities:
                found.append((self.probabilities[entry.line], right))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class RehearsalFigures:
    """Figures over games, which can be added up."""

    games: int = 0
    right: int = 0
    """Games that end with the right score and winners."""
    unasked: int = 0
    """Right games without any question."""
    exact: int = 0
    """Games with every ruling as played and no other."""
    rulings: int = 0
    reported: int = 0
    """Rulings as played that were made."""
    asked: int = 0
    """Number of questions."""
    false_illegal: int = 0
    cheats: int = 0
    """Visible ones."""
    flagged: int = 0
    questioned: int = 0
    confidences: tuple[tuple[float, bool], ...] = ()
    spent_s: tuple[float, ...] = ()

    def __add__(self, other: "RehearsalFigures") -> "RehearsalFigures":
        return RehearsalFigures(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def ece(self) -> float:
        """Expected calibration error of the camera's probabilities."""
        bins: dict[int, list[tuple[float, bool]]] = {}
        for probability, right in self.confidences:
            bins.setdefault(min(int(probability * BINS), BINS - 1), []).append((probability, right))
        off = (abs(sum(probability - right for probability, right in held)) for held in bins.values())
        return sum(off) / len(self.confidences) if self.confidences else 0.0

    def json(self) -> dict[str, int | float]:
        """The figures as JSON values."""
        names = ("games", "right", "unasked", "rulings", "reported", "asked", "false_illegal")
        cheats = ("cheats", "flagged", "questioned")
        return {name: getattr(self, name) for name in (*names, *cheats)} | {"ece": round(self.ece, 4)}

    def __str__(self) -> str:
        return (
            f"{self.right} of {self.games} games end right, {self.unasked} of these unasked, "
            f"{self.exact} with every ruling as played; {self.reported} of {self.rulings} rulings told; "
            f"{self.asked} questions; {self.false_illegal} false ILLEGAL; "
            f"{self.flagged} of {self.cheats} cheats that show flagged, {self.questioned} more asked about; "
            f"ECE {self.ece:.3f}"
        )


def figures_of(results: Iterable[Result]) -> RehearsalFigures:
    """The figures of some games together."""
    return sum(map(_figures, results), RehearsalFigures())


def _figures(one: Result) -> RehearsalFigures:
    missing, extra, rulings = one.missing.total(), one.extra, one.rulings
    return RehearsalFigures(
        games=1,
        right=int(one.right),
        unasked=int(one.right and not one.asked),
        exact=int(not missing and not extra),
        rulings=rulings,
        reported=rulings - missing,
        asked=one.asked,
        false_illegal=one.accused,
        cheats=one.cheats,
        flagged=one.flagged,
        questioned=one.questioned,
        confidences=one.confidences,
        spent_s=one.spent_s,
    )


def _bad(said: Said) -> bool:
    return said[1] == Ruling.ILLEGAL.value
