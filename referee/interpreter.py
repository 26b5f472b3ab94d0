"""The interpreter: from table to table, what is to be written into the record, asked, or shown as unexplained."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from models.cards import Deck
from referee.explain import PRICES, UNEXPLAINED, Explainer, Explanation, Step, Story
from referee.fit import Difference, Fit
from referee.layout import Layout, Layouts
from referee.match import AnyMatch, Entry
from referee.moves import Move
from referee.rules import AnyRules
from referee.seen import Seen
from referee.verdicts import Ruling

LAST = "stand last"
"""The line that lets the one before it stand."""
REVISED = 4.0
"""By so much another story of the last moves must be likelier before they are taken back."""
LOOK_BACK = 120
"""Stories that are looked at for each of them."""
LEAST_LOOKS, MOST_LOOKS = 2, 4
"""So often every table is looked at, and one that is not clear."""
RECENT = 6
"""So many moves may still be taken back because a later table tells better."""


@dataclass(frozen=True, slots=True)
class Question:
    """Stories that are about equally likely: a human chooses, or a later table does."""

    choices: tuple[tuple[str, ...], ...]
    """Each as the lines that would be written."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one table says."""

    lines: tuple[str, ...] = ()
    """Lines of the record, in order."""
    question: Question | None = None
    left: tuple[Difference, ...] = ()
    """What nothing explains."""
    again: bool = False
    """Whether the table should be looked at once more before anything is told."""


@dataclass(frozen=True, slots=True)
class Past:
    """A table that was told: after how many moves, and the looks at it."""

    moves: int
    state: Any
    looks: tuple[Fit, ...]

    def fit(self, layout: Layout) -> float:
        """How well it agrees with a layout."""
        return sum(look.of(layout) for look in self.looks)


class Interpreter:
    """Interprets the tables of one match; remembers what is not told yet, and which wrong play still lies there."""

    def __init__(self, rules: AnyRules, deck: Deck, layouts: Layouts) -> None:
        self._rules, self._deck, self._layouts = rules, deck, layouts
        self._wrong: tuple[Any, frozenset[str]] | None = None
        """The state in which a wrong play was flagged, and what was told about it."""
        self._held: tuple[Any, tuple[Seen, ...]] = (None, ())
        """The state in which a table was not clear, and all looks at it."""
        self._past: deque[Past] = deque(maxlen=RECENT)
        self._last: tuple[Fit, ...] = ()
        """The looks at the table that was told last."""

    def interpret(self, match: AnyMatch, seen: Seen, again: bool = False) -> Told:
        """What happened since the last table; `again` if it is the last table, looked at once more."""
        self._remember(match)
        state, looks = self._held
        looks = (*looks, seen) if again and state == match.state else (seen,)
        search = Explainer(self._rules, self._deck, self._layouts, *looks)
        found = search.explain(match.state)
        if len(looks) >= (LEAST_LOOKS if found.sure else MOST_LOOKS):
            told = self._told(match, search, found, len(looks))
            if told is not None:
                self._held, self._last = (None, ()), search.fits
                return told
        self._held = (match.state, looks)
        return Told(again=True)

    def _remember(self, match: AnyMatch) -> None:
        """Keep what the last table looked like, now that it is known what was written about it."""
        while self._past and (
            self._past[-1].moves > len(match.log) or match.states[self._past[-1].moves] != self._past[-1].state
        ):
            # Somebody has taken moves back or corrected them since.
            self._past.pop()
        if self._last:
            self._past.append(Past(len(match.log), match.state, self._last))
            self._last = ()

    def _told(self, match: AnyMatch, search: Explainer, found: Explanation, looks: int) -> Told | None:
        """What there is to tell after some looks; None if something so grave needs one more."""
        if self._still_wrong(match, found):
            return Told(left=found.left)
        wrong = any(step.ruling is Ruling.ILLEGAL for step in found.best.steps)
        if wrong or found.best.fit < UNEXPLAINED * looks:
            if looks < MOST_LOOKS:
                return None
            gain, lines = self._looked_back(match, search, found)
            if gain > REVISED:
                return Told(lines)
            if wrong and gain > 0:
                # Perhaps nobody did wrong and an earlier table was misunderstood: that is for people to say.
                return Told((), Question((_lines(found.best), lines)), found.left)
        vague = _vague(found)
        if vague is not None:
            lines = tuple(_standing(search.finished(vague).steps))
            return Told(lines, Question(tuple(_lines(story) for story in (found.best, *found.rivals))), found.left)
        steps = search.finished(found.best).steps
        if found.rivals:
            common = frozenset.intersection(found.best.told, *(rival.told for rival in found.rivals))
            steps = tuple(step for step in steps if step.ruling is Ruling.LEGAL and str(step.move) in common)
        told, wrong = _in_order(self._rules, match.state, steps)
        if wrong and found.rivals:
            # What is not in doubt may need what is: it waits for the answer.
            told, wrong = told[:-1], False
        if wrong:
            self._wrong = (_after(self._rules, match.state, told[:-1]), found.best.told - {str(m) for m in told[:-1]})
        lines = tuple(str(move) for move in told)
        if found.rivals:
            choices = (found.best, *found.rivals)
            return Told(lines, Question(tuple(_lines(story, told) for story in choices)), found.left)
        return Told(lines, None, found.left)

    def _still_wrong(self, match: AnyMatch, found: Explanation) -> bool:
        """Whether a wrong play that was told already is all there is to see."""
        if self._wrong is None:
            return False
        state, told = self._wrong
        if state == match.state and told and told <= found.best.told:
            return True
        self._wrong = None
        return False

    def _looked_back(self, match: AnyMatch, search: Explainer, found: Explanation) -> tuple[float, tuple[str, ...]]:
        """Another story of the last moves: how much likelier it is now, and its lines; a human's moves stay."""
        best: tuple[float, int, Story] | None = None
        price = 0.0
        for count in range(1, min(RECENT, len(match.log)) + 1):
            index = len(match.log) - count
            if match.log[index].pinned:
                break
            price += PRICES[match.verdicts[index].ruling]
            story = search.explain(match.states[index], LOOK_BACK).best
            gain = story.score - (found.best.score - price) + self._agrees(match, index, story)
            # A second look repairs what was told; it accuses nobody.
            fair = all(step.ruling is Ruling.LEGAL for step in story.steps)
            if fair and (best is None or gain > best[0] + PRICES[Ruling.LEGAL]):
                best = (gain, count, story)
        if best is None:
            return -inf, ()
        gain, count, story = best
        entries = match.log[len(match.log) - count :]
        steps = search.finished(story).steps
        lines = _corrections(match, entries, steps)
        if lines is None:
            moves, _ = _in_order(self._rules, match.states[len(match.log) - count], steps)
            lines = ("undo",) * count + tuple(str(move) for move in moves)
        return gain, lines

    def _agrees(self, match: AnyMatch, index: int, story: Story) -> float:
        """How much better, or worse, another story of the moves from an index on fits the tables seen meanwhile."""
        layouts, state = [], match.states[index]
        for move in (None, *story.moves):
            state = state if move is None else self._rules.apply(state, move)
            layouts.append(self._layouts.layout(self._deck, state))
        total = 0.0
        for past in self._past:
            if past.moves > index:
                was = self._layouts.layout(self._deck, past.state)
                total += max(past.fit(layout) for layout in layouts) - past.fit(was)
        return total


def _vague(found: Explanation) -> Story | None:
    """A story that leaves open what nobody can see, where all others only say it in different ways."""
    stories = (found.best, *found.rivals)
    if any(story.layout != found.best.layout for story in stories):
        return None
    fair = (story for story in stories if all(step.ruling is not Ruling.ILLEGAL for step in story.steps))
    return next((story for story in fair if any(step.ruling is Ruling.UNCLEAR for step in story.steps)), None)


def _standing(steps: tuple[Step, ...]) -> Iterator[str]:
    """Moves as lines; what is left open stands, so that the game goes on."""
    for step in steps:
        yield str(step.move)
        if step.ruling is Ruling.UNCLEAR:
            yield LAST


def _in_order(rules: AnyRules, state: Any, steps: tuple[Step, ...]) -> tuple[tuple[Move, ...], bool]:
    """Moves in an order in which as many as possible are legal, up to the first that is not; and whether one is not."""
    left, told = list(steps), []
    while left:
        legal = next((step for step in left if rules.judge(state, step.move).ruling is Ruling.LEGAL), None)
        step = legal or left[0]
        left.remove(step)
        told.append(step.move)
        if legal is None:
            return tuple(told), True
        state = rules.apply(state, step.move)
    return tuple(told), False


def _after(rules: AnyRules, state: Any, moves: tuple[Move, ...]) -> Any:
    for move in moves:
        state = rules.apply(state, move)
    return state


def _lines(story: Story, told: tuple[Move, ...] = ()) -> tuple[str, ...]:
    """What a story tells beyond what was written already."""
    return tuple(str(move) for move in story.moves if move not in told)


def _corrections(match: AnyMatch, entries: tuple[Entry, ...], steps: tuple[Step, ...]) -> tuple[str, ...] | None:
    """The moves that are others now, if each stands for one that was there and all that follow stay as they were."""
    if len(entries) > len(steps):
        return None
    lines = []
    for entry, step in zip(entries, steps, strict=False):
        if (entry.move.seat, entry.move.verb) != (step.move.seat, step.move.verb):
            return None
        if entry.move != step.move:
            match = match.correct(match.index_of(entry.line), step.move)
            lines.append(f"correct {entry.line} {step.move}")
    first = len(match.log) - len(entries)
    if not lines or any(verdict.ruling is not Ruling.LEGAL for verdict in match.verdicts[first:]):
        return None
    return (*lines, *(str(step.move) for step in steps[len(entries) :]))


def differences_in(told: Told) -> Iterator[str]:
    """What nothing explains, in the words of the record."""
    for one in told.left:
        zone, spot = one.place
        if one.found is None:
            yield f"{one.wanted} is not seen at {zone} {spot}"
        else:
            what = one.found.chances[0][0] if one.found.chances else "a back"
            yield f"{what} lies at {zone} {spot}" + (f", wanted {one.wanted}" if one.wanted else "")
