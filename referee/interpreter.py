"""The interpreter: from table to table, what is to be written into the record, asked, or shown as unexplained."""

from collections import deque
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from typing import Any

from models.cards import Deck
from referee.explain import CLOSE, PRICES, UNEXPLAINED, Explainer, Explanation, Step, Story
from referee.fit import Difference, Fit
from referee.layout import Layout, Layouts
from referee.match import AnyMatch, Entry
from referee.moves import Move
from referee.rules import AnyRules
from referee.seen import Seen
from referee.unanswered import Unanswered
from referee.verdicts import Ruling

LAST = "stand last"
"""The line that lets the one before it stand."""
REVISED = 4.0
"""By so much another story of the last moves must be likelier before they are taken back."""
LOOK_BACK = 120
"""Stories that are looked at for each of them."""
LEAST_LOOKS, MOST_LOOKS = 2, 4
"""So often every table is looked at, and one that is not clear."""
TAKEN_BACK = 3.0
"""What it costs to say of a table that was told that its last act was taken back since."""
RECENT, REMEMBERED = 8, 24
"""So many moves may still be taken back because a later table tells better, and so many tables speak for them: more
than moves, for what is played wrongly and taken back is seen as well."""


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
    layout: Layout
    """What it was told to show, wrong plays included."""
    looks: tuple[Fit, ...]

    def fit(self, layout: Layout) -> float:
        """How well it agrees with a layout."""
        return sum(look.of(layout) for look in self.looks)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Moves that were told, or asked about, though one wrong play would explain the same table."""

    index: int
    """How many moves were written before them."""
    moves: int
    """And with them."""
    state: Any
    wrong: Story
    kept: tuple[Move, ...] = ()
    """What was told before, and taken back to tell them."""
    rest: Any = None
    """The state before the wrong play, if that is another one for what was kept."""


class Interpreter:
    """Interprets the tables of one match; remembers what is not told yet, and which wrong play still lies there."""

    def __init__(self, rules: AnyRules, deck: Deck, layouts: Layouts) -> None:
        self._rules, self._deck, self._layouts = rules, deck, layouts
        self._back: int | None = None
        """Which move of the log is a wrong play that has been taken back."""
        self._doubt: Doubt | None = None
        self._unanswered = Unanswered(rules)
        self._let: set[int] = set()
        """Moves that stand because play went on, not because a human said so: how many were written before each."""
        self._held: tuple[Any, tuple[Seen, ...]] = (None, ())
        """The state in which a table was not clear, and all looks at it."""
        self._past: deque[Past] = deque(maxlen=REMEMBERED)
        self._states: tuple[Any, ...] = ()
        """The states of the match when the last table was told."""
        self._last: tuple[Layout, tuple[Fit, ...]] | None = None
        """What the table that was told last shows, and the looks at it."""

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
                self._held = (None, ())
                return told
        self._held = (match.state, looks)
        return Told(again=True)

    def _remember(self, match: AnyMatch) -> None:
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

    def _told(self, match: AnyMatch, search: Explainer, found: Explanation, looks: int) -> Told | None:
        """What there is to tell after some looks; None if something so grave needs one more."""
        guessed = self._unanswered.guessed(match, search, found)
        if guessed is not None:
            return self._settled(search, *guessed)
        told = self._about_wrong(match, search, found) or self._about_doubt(match, search, found)
        if told is not None:
            return told
        open_, wrong = (
            any(step.ruling is ruling for step in found.best.steps) for ruling in (Ruling.UNCLEAR, Ruling.ILLEGAL)
        )
        if open_ or wrong or found.best.fit < UNEXPLAINED * looks:
            if looks < MOST_LOOKS:
                return None
            mended = self._unanswered.mended(match, search, found)
            if mended is not None:
                return self._settled(search, *mended)
            gain, lines, layout = self._looked_back(match, search, found)
            if gain > (CLOSE if wrong else REVISED):
                self._repaired(match, found, lines)
                self._last = (layout, search.fits)
                return Told(lines)
            if wrong and gain > 0:
                # Perhaps nobody did wrong and an earlier table was misunderstood: that is for people to say.
                self._last = (self._layouts.layout(self._deck, match.state), search.fits)
                return Told((), Question((_lines(found.best), lines)), found.left)
        self._last = (found.best.layout, search.fits)
        vague = _vague(found)
        if vague is not None:
            choices = tuple(_lines(story) for story in (found.best, *found.rivals))
            if found.wrong is not None and _alone(vague):
                # Who seems to have done nothing may still be thinking while another plays: the next table tells.
                self._doubted(match, found, ())
                self._last = (self._layouts.layout(self._deck, match.state), search.fits)
                return Told((), Question((*choices, _lines(found.wrong))), found.left)
            lines = self._standing(match, search.finished(vague).steps)
            self._doubted(match, found, lines)
            return Told(lines, Question(choices), found.left)
        steps = search.finished(found.best).steps
        if found.rivals:
            common = frozenset.intersection(found.best.told, *(rival.told for rival in found.rivals))
            steps = tuple(step for step in steps if step.ruling is Ruling.LEGAL and str(step.move) in common)
        moves, wrong = _in_order(self._rules, match.state, steps)
        if wrong and found.rivals:
            # What is not in doubt may need what is: it waits for the answer.
            moves = moves[:-1]
        lines = tuple(str(move) for move in moves)
        self._doubted(match, found, lines)
        if found.rivals:
            after = match.state
            for move in moves:
                after = self._rules.apply(after, move)
            self._last = (self._layouts.layout(self._deck, after), search.fits)
            ways = tuple(_beyond(story, moves) for story in (found.best, *found.rivals))
            self._unanswered.ask(after, ways)
            return Told(lines, Question(tuple(tuple(map(str, way)) for way in ways)), found.left)
        return Told(lines, None, found.left)

    def _settled(self, search: Explainer, lines: tuple[str, ...], layout: Layout) -> Told:
        """Lines that lead to what lies there, without a doubt that is worth a question."""
        self._last = (layout, search.fits)
        return Told(lines, None, search.fits[-1].differences(layout))

    def _doubted(self, match: AnyMatch, found: Explanation, lines: tuple[str, ...]) -> None:
        """Remember what else may have happened, in case it is taken back."""
        if found.wrong is not None:
            moves = len(match.log) + sum(line != LAST for line in lines)
            self._doubt = Doubt(len(match.log), moves, match.state, found.wrong)

    def _repaired(self, match: AnyMatch, found: Explanation, lines: tuple[str, ...]) -> None:
        """Remember a wrong play that is right once the moves before it are told anew: it may be taken back next."""
        undone = lines.count("undo")
        entries = match.log[len(match.log) - undone :]
        right = not found.best.fair and found.best.told <= set(lines)
        # Where several people may have done it, none of them is accused later.
        if undone and right and not found.rivals and not any(entry.stands for entry in entries):
            index = len(match.log) - undone
            kept = tuple(entry.move for entry in entries)
            self._doubt = Doubt(index, index + len(lines) - undone, match.states[index], found.best, kept, match.state)

    def _about_wrong(self, match: AnyMatch, search: Explainer, found: Explanation) -> Told | None:
        """What there is to tell while a wrong play that was told lies there, and when play goes on over it."""
        entry = match.log[-1] if match.log else None
        if entry is None or entry.stands or match.verdicts[-1].ruling is not Ruling.ILLEGAL:
            return None
        # What seemed to be taken back may as well have been played on, if else the next act were wrong, too.
        back = len(match.log) - 1 == self._back
        if back and all(step.ruling is not Ruling.ILLEGAL for step in found.best.steps):
            return None
        after = self._rules.apply(match.state, entry.move)
        on = search.explain(after, LOOK_BACK)
        if on.best.score <= found.best.score + (CLOSE if back else 0.0) or (back and not on.best.told):
            if not found.best.told and self._layouts.layout(self._deck, after) != found.best.layout:
                self._back = len(match.log) - 1
            return None
        self._last = (on.best.layout, search.fits)
        if not on.best.told:
            return Told(left=on.left)
        if not on.best.fair:
            return None
        self._let.add(len(match.log) - 1)
        moves, _ = _in_order(self._rules, after, search.finished(on.best).steps)
        return Told((f"stand {entry.line}", *(str(move) for move in moves)), None, on.left)

    def _about_doubt(self, match: AnyMatch, search: Explainer, found: Explanation) -> Told | None:
        """What was taken back at once, and may have been wrong, was wrong."""
        doubt, self._doubt = self._doubt, None
        if doubt is None or doubt.moves != len(match.log) or match.states[doubt.index] != doubt.state:
            return None
        rest = doubt.state if doubt.rest is None else doubt.rest
        layout = self._layouts.layout(self._deck, rest)
        fit = sum(fit.of(layout) for fit in search.fits)
        if fit < found.best.score - TAKEN_BACK:
            self._doubt = doubt if found.best.told <= doubt.wrong.told else None
            return None
        moves, _ = _in_order(self._rules, rest, doubt.wrong.steps)
        moves = (*doubt.kept, *moves)
        lines = ("undo",) * (doubt.moves - doubt.index) + tuple(str(move) for move in moves)
        if doubt.kept and found.best.fair and found.best.told and found.best.score > fit - CLOSE:
            # What was told anew goes on as it should: nobody needs to have done wrong.
            self._last = (self._layouts.layout(self._deck, match.state), search.fits)
            return Told((), Question((_lines(found.best), lines)), found.left)
        self._last = (layout, search.fits)
        self._back = doubt.index + len(moves) - 1
        return Told(lines, None, search.fits[-1].differences(layout))

    def _standing(self, match: AnyMatch, steps: tuple[Step, ...]) -> tuple[str, ...]:
        """Moves as lines; what is left open stands, so that the game goes on."""
        lines = []
        for number, step in enumerate(steps, len(match.log)):
            lines.append(str(step.move))
            if step.ruling is Ruling.UNCLEAR:
                lines.append(LAST)
                self._let.add(number)
        return tuple(lines)

    def _looked_back(
        self, match: AnyMatch, search: Explainer, found: Explanation
    ) -> tuple[float, tuple[str, ...], Layout]:
        """Another story of the last moves: how much likelier it is now, its lines and what lies there by it.

        What a human said stays.
        """
        best: tuple[float, int, tuple[int, ...], Story] | None = None
        price = -self._agrees(match, len(match.log), found.best)
        for count in range(1, min(RECENT, len(match.log)) + 1):
            index = len(match.log) - count
            entry = match.log[index]
            if entry.pinned and index not in self._let and not self._said(entry):
                break
            price += min(PRICES[match.verdicts[index].ruling], TAKEN_BACK)
            if self._said(entry) or match.states[index] == match.states[index + 1]:
                continue
            kept = tuple(number for number in range(index, len(match.log)) if self._said(match.log[number]))
            state, heard, fair = match.states[index], 0.0, True
            for number in kept:
                ruling = self._rules.judge(state, match.log[number].move).ruling
                # What people said stays as right as it was.
                fair = fair and (ruling is Ruling.LEGAL or match.verdicts[number].ruling is not Ruling.LEGAL)
                heard += min(PRICES[ruling], TAKEN_BACK)
                state = self._rules.apply(state, match.log[number].move) if ruling is Ruling.LEGAL else state
            if not fair:
                continue
            story = search.explain(state, LOOK_BACK).best
            gain = story.score - heard - (found.best.score - price) + self._agrees(match, index, story)
            # A second look repairs what was told; it accuses nobody.
            if story.fair and (best is None or gain > best[0] + PRICES[Ruling.LEGAL]):
                best = (gain, count, kept, story)
        if best is None:
            return -inf, (), found.best.layout
        gain, count, kept, story = best
        entries = match.log[len(match.log) - count :]
        steps = search.finished(story).steps
        said = tuple(match.log[number].move for number in kept)
        lines = None if kept else _corrections(match, entries, steps)
        if lines is None:
            state = match.states[len(match.log) - count]
            for move in said:
                if self._rules.judge(state, move).ruling is Ruling.LEGAL:
                    state = self._rules.apply(state, move)
            moves, _ = _in_order(self._rules, state, steps)
            lines = ("undo",) * count + tuple(str(move) for move in (*said, *moves))
        return gain, lines, story.layout

    def _said(self, entry: Entry) -> bool:
        """Whether people have to say such a move, because it leaves no trace."""
        return entry.move.verb in self._layouts.DECLARED

    def _agrees(self, match: AnyMatch, index: int, story: Story) -> float:
        """How much better, or worse, another story of the moves from an index on fits the tables seen meanwhile."""
        layouts, state = [], match.states[index]
        for move in (None, *story.moves):
            state = state if move is None else self._rules.apply(state, move)
            layouts.append(self._layouts.layout(self._deck, state))
        total, against, gone, forgiven = 0.0, 0.0, set[Layout](), False
        for past in self._past:
            if past.moves > index or past.moves == len(match.log):
                fits = [past.fit(layout) for layout in layouts]
                better = max(fits) - past.fit(past.layout)
                if better < -TAKEN_BACK:
                    against += better
                    gone.add(past.layout)
                    continue
                # One act that was seen may have been taken back, if then all lay there as before.
                back = len(gone) == 1 and fits[0] == max(fits) and not forgiven
                total += better + (max(against, -TAKEN_BACK) if back else against)
                against, gone, forgiven = 0.0, set(), forgiven or back
        back = len(gone) == 1 and not story.told and not forgiven
        return total + (max(against, -TAKEN_BACK) if back else against)


def _alone(story: Story) -> bool:
    """Whether all that shows is one player's doing."""
    return len({step.move.seat for step in story.steps if step.shows}) == 1


def _vague(found: Explanation) -> Story | None:
    """A story that leaves open what nobody can see, where all others only say it in different ways."""
    stories = (found.best, *found.rivals)
    if any(story.layout != found.best.layout for story in stories):
        return None
    fair = (story for story in stories if all(step.ruling is not Ruling.ILLEGAL for step in story.steps))
    return next((story for story in fair if any(step.ruling is Ruling.UNCLEAR for step in story.steps)), None)


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


def _beyond(story: Story, told: tuple[Move, ...]) -> tuple[Move, ...]:
    """What a story tells beyond what was written already."""
    return tuple(move for move in story.moves if move not in told)


def _lines(story: Story) -> tuple[str, ...]:
    """What a story tells."""
    return tuple(map(str, story.moves))


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
