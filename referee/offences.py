"""Offences: what becomes of a wrong play that was told: it lies there, is taken back, or play goes on over it.

A wrong play changes nothing in the record, so the table disagrees with it until one of these has happened. People do
and undo it place by place; nothing is told meanwhile.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from models.cards import Deck
from referee.explain import CLOSE, Explainer, Explanation, applied, in_order
from referee.fit import Difference
from referee.hindsight import LOOK_BACK, TAKEN_BACK, Hindsight
from referee.layout import Layout, Layouts
from referee.match import AnyMatch
from referee.moves import Move
from referee.rules import AnyRules
from referee.told import Question, Told
from referee.verdicts import Ruling


@dataclass(frozen=True, slots=True)
class Offence:
    """A wrong play that was told, and what was seen of it since."""

    move: Move
    begun: bool = False
    """It was seen lying there, at least in part."""
    done: bool = False
    """It was seen lying there whole, after it was said."""
    returning: bool = False
    """It is being taken back, place by place."""
    back: bool = False
    """It has been taken back."""
    asked: tuple[Move, ...] = ()
    """It seems to be played on, though it seemed to be taken back: that was asked, with these moves after it."""


class Offences:
    """The wrong plays of a match, by how many moves were written before each."""

    def __init__(self, rules: AnyRules, deck: Deck, layouts: Layouts, hindsight: Hindsight) -> None:
        self._rules, self._deck, self._layouts, self._hindsight = rules, deck, layouts, hindsight
        self._known: dict[int, Offence] = {}

    def taken_back(self, index: int, move: Move) -> None:
        """A wrong play that is about to be written has been taken back already."""
        self._known[index] = Offence(move, begun=True, back=True)

    def written_anew(self, match: AnyMatch, lines: Sequence[str]) -> None:
        """Moves are taken back and some of them written again after others: what was seen of them is still known."""
        undone = lines.count("undo")
        first = len(match.log) - undone
        entries = enumerate(match.log[first:], first)
        known = {str(entry.move): self._offence(match, index) for index, entry in entries if index in self._known}
        for index, line in enumerate(lines[undone:], first):
            if line in known:
                self._known[index] = known[line]

    def about(self, match: AnyMatch, search: Explainer, found: Explanation) -> Told | None:
        """What there is to tell while the last move is a wrong play that lies there, and when play goes on over it."""
        entry = match.log[-1] if match.log else None
        if entry is None or entry.stands or match.verdicts[-1].ruling is not Ruling.ILLEGAL:
            return None
        index, about = len(match.log) - 1, match.verdicts[-1].about
        if about is not None and match.log[about].move.verb in self._layouts.DECLARED:
            # Somebody said something wrong before; what shows it is right, and lies there.
            return Told((f"stand {entry.line}",), again=True)
        offence, told = self._seen(match, self._offence(match, index), search, found)
        self._known[index] = offence
        return told

    def completed(self, match: AnyMatch, found: Explanation) -> tuple[tuple[str, ...], Layout] | None:
        """A wrong play that is right with more cards, which lie there now: they were not found before."""
        said = takewhile(lambda entry: entry.move.verb in self._layouts.DECLARED, reversed(match.log))
        index = len(match.log) - 1 - sum(1 for _ in said)
        shown = [step.move for step in found.best.steps if step.shows]
        if index < 0 or self._offence(match, index).back or not found.best.fair or len(shown) != 1:
            return None
        entry, move = match.log[index], shown[0]
        wrong = match.verdicts[index].ruling is Ruling.ILLEGAL and not (entry.pinned or entry.stands)
        same = (entry.move.seat, entry.move.verb, entry.move.target) == (move.seat, move.verb, move.target)
        if not wrong or not same or not Counter(entry.move.cards) < Counter(move.cards):
            return None
        after = match.correct(index, move)
        layout = self._layouts.layout(self._deck, after.state)
        right = after.verdicts[index].ruling is Ruling.LEGAL and layout == found.best.layout
        return ((f"correct {entry.line} {move}",), layout) if right else None

    def _offence(self, match: AnyMatch, index: int) -> Offence:
        """What is known of a move; nothing, if another one was written in its place since."""
        move = match.log[index].move
        known = self._known.get(index)
        return known if known is not None and known.move == move else Offence(move)

    def _seen(
        self, match: AnyMatch, offence: Offence, search: Explainer, found: Explanation
    ) -> tuple[Offence, Told | None]:
        """An offence after one more table, and what there is to tell."""
        entry = match.log[-1]
        fair = all(step.ruling is not Ruling.ILLEGAL for step in found.best.steps)
        # Once it was asked whether it stands and play goes on, that is as good as any other story.
        asked = bool(offence.asked and found.best.told)
        if offence.back and fair and not asked:
            return offence, None
        after = self._rules.apply(match.state, entry.move)
        before, done = (self._layouts.layout(self._deck, one) for one in (match.state, after))
        # What all do at once is said before it is done; everything else lay there when it was told.
        said = entry.move.seat is None and entry.move.verb in self._layouts.DECLARED
        left = None if offence.back else _under_way(search, before, done, found.best.score)
        if left is not None:
            returning = offence.returning or offence.done or not said
            return replace(offence, begun=True, returning=returning), Told(left=left)
        back = offence.back or offence.returning
        if back and fair and not asked:
            return replace(offence, back=offence.back or not found.best.told), None
        on = search.explain(after, LOOK_BACK)
        # What seemed to be taken back may as well have been played on, if else the next act were wrong, too.
        seen_back = CLOSE + self._hindsight.speaks_for(match, before, done) if back else 0.0
        seen_back = -CLOSE if asked else seen_back
        plausible = on.best.fair and bool(on.best.told) and on.best.score > found.best.score + CLOSE
        if plausible and seen_back > CLOSE + TAKEN_BACK and not offence.asked:
            # It was seen taken back: that is asked once, and if play goes on all the same, it stands.
            self._hindsight.told(before, search.fits)
            ways = (found.best.lines, (f"stand {entry.line}", *on.best.lines))
            return replace(offence, asked=on.best.moves), Told((), Question(ways), found.left)
        if on.best.score <= found.best.score + seen_back or (back and not on.best.told):
            gone = (offence.begun or not said) and not found.best.told and done != found.best.layout
            return replace(offence, back=offence.back or gone), None
        meant: tuple[Move, ...] = ()
        if asked:
            # The table that it was asked about showed these moves; what lies there now came after them, if it can.
            further = search.explain(applied(self._rules, after, offence.asked), LOOK_BACK)
            if further.best.fair and further.best.told and further.best.score > on.best.score - CLOSE:
                on, meant = further, offence.asked
        self._hindsight.told(on.best.layout, search.fits)
        if not on.best.told:
            return replace(offence, begun=True, done=True), Told(left=on.left)
        if not on.best.fair:
            return offence, None
        moves, _ = in_order(self._rules, applied(self._rules, after, meant), search.finished(on.best).steps)
        return offence, Told((f"stand {entry.line}", *map(str, (*meant, *moves))), None, on.left)


def _under_way(search: Explainer, before: Layout, done: Layout, score: float) -> tuple[Difference, ...] | None:
    """What does not agree while something wrong is being done or taken back, place by place; None if it is not."""
    mixed = search.between(before, done)
    if mixed in (before, done) or sum(fit.of(mixed) for fit in search.fits) < score:
        return None
    return search.fits[-1].differences(mixed)
