"""The interpreter: from table to table, what is to be written into the record, asked, or shown as unexplained."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from models.cards import Deck
from referee.explain import PRICES, UNEXPLAINED, Explainer, Explanation, Step, Story
from referee.fit import Difference
from referee.layout import Layouts
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
RECENT = 6
"""So many moves may still be taken back because a later table tells better."""


@dataclass(frozen=True, slots=True)
class Question:
    """Stories that are about equally likely: a human chooses, or a later table does."""

    choices: tuple[tuple[Move, ...], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What one table says."""

    lines: tuple[str, ...] = ()
    """Lines of the record, in order."""
    question: Question | None = None
    left: tuple[Difference, ...] = ()
    """What nothing explains."""


class Interpreter:
    """Interprets the tables of one match; remembers only which wrong play still lies there."""

    def __init__(self, rules: AnyRules, deck: Deck, layouts: Layouts) -> None:
        self._rules, self._deck, self._layouts = rules, deck, layouts
        self._wrong: tuple[Any, frozenset[str]] | None = None
        """The state in which a wrong play was flagged, and what was told about it."""
        self._doubted: frozenset[str] | None = None
        """A story with a wrong play in it that was not told, because more was unclear."""

    def interpret(self, match: AnyMatch, seen: Seen) -> Told:
        """What happened since the last table."""
        search = Explainer(self._rules, self._deck, self._layouts, seen)
        found = search.explain(match.state)
        if self._still_wrong(match, found):
            return Told(left=found.left)
        wrong = any(step.ruling is Ruling.ILLEGAL for step in found.best.steps)
        if wrong or found.best.fit < UNEXPLAINED:
            back = self._looked_back(match, search, found)
            if back is not None:
                return back
        vague = _vague(found)
        if vague is not None:
            lines = tuple(_standing(search.finished(vague).steps))
            return Told(lines, Question(tuple(story.moves for story in (found.best, *found.rivals))), found.left)
        steps = search.finished(found.best).steps
        if found.rivals:
            common = frozenset.intersection(found.best.told, *(rival.told for rival in found.rivals))
            steps = tuple(step for step in steps if step.ruling is Ruling.LEGAL and str(step.move) in common)
        told, wrong = _in_order(self._rules, match.state, steps)
        if wrong and found.rivals:
            # What is not in doubt may need what is: it waits for the answer.
            told, wrong = told[:-1], False
        if wrong and found.best.fit < UNEXPLAINED and self._doubted != found.best.told:
            # Nobody is accused while something else on the table is not understood, unless it looks so twice.
            self._doubted = found.best.told
            return Told(tuple(str(move) for move in told[:-1]), None, found.left)
        self._doubted = None
        if wrong:
            self._wrong = (_after(self._rules, match.state, told[:-1]), found.best.told - {str(m) for m in told[:-1]})
        lines = tuple(str(move) for move in told)
        if found.rivals:
            choices = (found.best, *found.rivals)
            return Told(lines, Question(tuple(_rest(story, told) for story in choices)), found.left)
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

    def _looked_back(self, match: AnyMatch, search: Explainer, found: Explanation) -> Told | None:
        """Another story of the last moves, if it is much likelier now; a human's moves stay."""
        best: tuple[float, int, Story] | None = None
        price = 0.0
        for count in range(1, min(RECENT, len(match.log)) + 1):
            index = len(match.log) - count
            if match.log[index].pinned:
                break
            price += PRICES[match.verdicts[index].ruling]
            story = search.explain(match.states[index], LOOK_BACK).best
            gain = story.score - (found.best.score - price)
            # A second look repairs what was told; it accuses nobody.
            fair = all(step.ruling is Ruling.LEGAL for step in story.steps)
            if fair and gain > REVISED and (best is None or gain > best[0] + PRICES[Ruling.LEGAL]):
                best = (gain, count, story)
        if best is None:
            return None
        _, count, story = best
        entries = match.log[len(match.log) - count :]
        steps = search.finished(story).steps
        lines = _corrections(match, entries, steps)
        if lines is None:
            moves, _ = _in_order(self._rules, match.states[len(match.log) - count], steps)
            lines = ("undo",) * count + tuple(str(move) for move in moves)
        return Told(lines, None, ())


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


def _rest(story: Story, told: tuple[Move, ...]) -> tuple[Move, ...]:
    """What a story tells beyond what was written already."""
    return tuple(move for move in story.moves if move not in told)


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
