"""Hindsight: earlier tables keep speaking, and the last moves are told anew when a later table fits them badly."""

from collections import deque
from collections.abc import Set
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from typing import Any

from models.cards import Deck
from referee.explain import PRICES, Explainer, Explanation, Step, Story
from referee.fit import Fit
from referee.layout import Layout, Layouts
from referee.match import AnyMatch, Entry
from referee.moves import Move
from referee.rules import AnyRules
from referee.verdicts import Ruling

LOOK_BACK = 120
"""Stories that are looked at for each of the last moves."""
TAKEN_BACK = 3.0
"""What it costs to say of a table that was told that its last act was taken back since."""
FORGIVEN = 3
"""Only in so many steps of the game, from table to table, something that was seen can have been taken back."""
ABOUT = 1.0
"""What fits so much worse fits about as well."""
ALIKE = 2
"""However often a table was looked at, afterwards it speaks like so many looks."""
RECENT, REMEMBERED = 8, 24
"""So many moves may still be taken back because a later table tells better, and so many tables speak for them: more
than moves, for what is played wrongly and taken back is seen as well."""


@dataclass(frozen=True, slots=True)
class Retold:
    """Another story of the last moves."""

    gain: float
    """How much likelier it is now."""
    lines: tuple[str, ...]
    layout: Layout
    """What lies there by it."""
    state: Any
    forgiven: bool = False
    """Whether by it something that was clearly seen has been taken back."""


@dataclass(frozen=True, slots=True)
class Past:
    """A table that was told: after how many moves, and the looks at it."""

    moves: int
    state: Any
    layout: Layout
    """What it was told to show, wrong plays included."""
    looks: tuple[Fit, ...]

    def fit(self, layout: Layout) -> float:
        """How well it agrees with a layout; what one look misses the next ones often miss as well."""
        return sum(look.of(layout) for look in self.looks) * min(1.0, ALIKE / len(self.looks))


class Hindsight:
    """What was seen of one match so far, and what else it may mean."""

    def __init__(self, rules: AnyRules, deck: Deck, layouts: Layouts) -> None:
        self._rules, self._deck, self._layouts = rules, deck, layouts
        self._past: deque[Past] = deque(maxlen=REMEMBERED)
        self._states: tuple[Any, ...] = ()
        """The states of the match when the last table was told."""
        self._last: tuple[Layout, tuple[Fit, ...]] | None = None
        """What the table that was told last shows, and the looks at it."""

    def told(self, layout: Layout, looks: tuple[Fit, ...]) -> None:
        """Keep a table that is being told, by what it is told to show."""
        self._last = (layout, looks)

    def remember(self, match: AnyMatch) -> None:
        """Keep what the last table looked like, now that it is known what was written about it."""
        if match.states[: len(self._states)] != self._states:
            # Moves were taken back, corrected or told anew since: the tables that showed them may show others now.
            same = sum(
                1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(match.states, self._states, strict=False))
            )
            told = list(self._past)
            self._past.clear()
            for past in told:
                self._past.append(past if past.moves < same - 1 else self._placed(match, past))
        self._states = match.states
        if self._last is not None:
            self._past.append(Past(len(match.log), match.state, *self._last))
            self._last = None

    def _placed(self, match: AnyMatch, past: Past) -> Past:
        """A table among moves that were told anew since: where it fits best, after the tables before it."""
        first = max(self._past[-1].moves if self._past else 0, len(match.log) - RECENT)
        layouts = [self._layouts.layout(self._deck, state) for state in match.states[first:]]
        fits = [past.fit(layout) for layout in layouts]
        best = fits.index(max(fits))
        # A wrong play that is taken back lies in none of them.
        layout = layouts[best] if fits[best] >= past.fit(past.layout) else past.layout
        return Past(first + best, match.states[first + best], layout, past.looks)

    def looked_back(self, match: AnyMatch, search: Explainer, found: Explanation, let: Set[int]) -> Retold:
        """Another story of the last moves, the best there is.

        What a human said stays, but for moves that were only let stand (`let`: how many were written before each).
        """
        best: tuple[float, int, Story, bool] | None = None
        price = -self._agrees(match, len(match.log), found.best)[0]
        for count in range(1, min(RECENT, len(match.log)) + 1):
            index = len(match.log) - count
            entry = match.log[index]
            if entry.pinned and index not in let and not self._said(entry):
                break
            price += min(PRICES[match.verdicts[index].ruling], TAKEN_BACK)
            if self._said(entry) or match.states[index] == match.states[index + 1]:
                continue
            story = self._retold(match, search, index)
            if story is not None:
                agrees, forgiven = self._agrees(match, index, story)
                gain = story.score - (found.best.score - price) + agrees
                if best is None or gain > best[0] + PRICES[Ruling.LEGAL]:
                    best = (gain, count, story, forgiven)
        if best is None:
            return Retold(-inf, (), found.best.layout, match.state)
        gain, count, story, forgiven = best
        steps = search.finished(story).steps
        lines = _corrections(match, match.log[len(match.log) - count :], steps)
        if lines is None:
            moves = self._with_wrongly_said(match, len(match.log) - count, [step.move for step in steps])
            # What was told as it is told now stays.
            written = (entry.move for entry in match.log[len(match.log) - count :])
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(written, moves, strict=False)))
            lines = ("undo",) * (count - same) + tuple(map(str, moves[same:]))
        return Retold(gain, lines, story.layout, search.finished(story).state, forgiven)

    def _with_wrongly_said(self, match: AnyMatch, index: int, moves: list[Move]) -> list[Move]:
        """Moves told anew, with what people said meanwhile against the rules: it was said, whatever else happened."""
        states = [match.states[index]]
        for move in moves:
            states.append(self._rules.apply(states[-1], move))
        told = list(moves)
        for entry, verdict in zip(match.log[index:], match.verdicts[index:], strict=True):
            if self._said(entry) and verdict.ruling is Ruling.ILLEGAL:
                # Last, or first: where it is wrong again.
                if self._rules.judge(states[-1], entry.move).ruling is Ruling.ILLEGAL:
                    told.append(entry.move)
                elif self._rules.judge(states[0], entry.move).ruling is Ruling.ILLEGAL:
                    told.insert(0, entry.move)
        return told

    def speaks_for(self, match: AnyMatch, one: Layout, other: Layout) -> float:
        """How clearly a table since the last move shows one layout rather than another."""
        tables = (past for past in self._past if past.moves == len(match.log))
        return max((past.fit(one) - past.fit(other) for past in tables), default=0.0)

    def _retold(self, match: AnyMatch, search: Explainer, index: int) -> Story | None:
        """What else may have happened from an index on, with what people said meanwhile.

        A second look repairs what was told; it accuses nobody, and what people said stays as right as it was.
        """
        entries = zip(match.log[index:], match.verdicts[index:], strict=True)
        said = [entry.move for entry, verdict in entries if self._said(entry) and verdict.ruling is Ruling.LEGAL]
        return search.retell(match.states[index], said, LOOK_BACK)

    def _said(self, entry: Entry) -> bool:
        """Whether people have to say such a move, because it leaves no trace."""
        return entry.move.verb in self._layouts.DECLARED

    def _agrees(self, match: AnyMatch, index: int, story: Story) -> tuple[float, bool]:
        """How much better, or worse, another story of the moves from an index on fits the tables seen meanwhile.

        And whether it does so because something that was seen may have been taken back.
        """
        layouts, state = [], match.states[index]
        for move in (None, *story.moves):
            state = state if move is None else self._rules.apply(state, move)
            layouts.append(self._layouts.layout(self._deck, state))
        total, against, gone = 0.0, 0.0, set[Layout]()
        forgiven, reached = False, 0
        late = len({past.moves for past in self._past if past.moves > index}) > FORGIVEN
        for past in self._past:
            if past.moves > index or past.moves == len(match.log):
                # A story goes on: what a table shows comes after what the tables before it showed.
                fits = [past.fit(layout) for layout in layouts[reached:]]
                better = max(fits) - past.fit(past.layout)
                if better < -TAKEN_BACK:
                    against += better
                    gone.add(past.layout)
                    continue
                # One act that was seen may have been taken back, if then all lay there as before.
                back = len(gone) == 1 and fits[0] == max(fits) and not forgiven and not late
                total += better + (max(against, -TAKEN_BACK) if back else against)
                against, gone, forgiven = 0.0, set(), forgiven or back
                reached += next(step for step, fit in enumerate(fits) if fit > max(fits) - ABOUT)
        back = len(gone) == 1 and not story.told and not forgiven and not late
        return total + (max(against, -TAKEN_BACK) if back else against), forgiven or back


def _corrections(match: AnyMatch, entries: tuple[Entry, ...], steps: tuple[Step, ...]) -> tuple[str, ...] | None:
    """The moves that are others now, if each stands for one that was there and all that follow stay as they were."""
    if len(entries) > len(steps):
        return None
    lines = []
    for entry, step in zip(entries, steps, strict=False):
        if (entry.move.seat, entry.move.verb) != (step.move.seat, step.move.verb):
            return None
        if entry.move != step.move:
            if entry.pinned:
                return None
            match = match.correct(match.index_of(entry.line), step.move)
            lines.append(f"correct {entry.line} {step.move}")
    first = len(match.log) - len(entries)
    if not lines or any(verdict.ruling is not Ruling.LEGAL for verdict in match.verdicts[first:]):
        return None
    return (*lines, *(str(step.move) for step in steps[len(entries) :]))
