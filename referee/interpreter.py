"""The interpreter: from table to table, what is to be written into the record, asked, or shown as unexplained."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from models.cards import Deck
from referee.explain import CLOSE, UNEXPLAINED, Explainer, Explanation, Step, Story, applied, in_order, lies
from referee.fit import Difference
from referee.hindsight import LOOK_BACK, TAKEN_BACK, Hindsight
from referee.layout import Layout, Layouts, Spread
from referee.match import AnyMatch
from referee.moves import Move
from referee.offences import Offences
from referee.rules import AnyRules
from referee.seen import Pieces, Seen
from referee.told import Doubt, Question, Told, Untold
from referee.unanswered import Unanswered
from referee.verdicts import Ruling

LAST = "stand last"
"""The line that lets the one before it stand."""
REVISING = ("undo", "stand", "correct")
"""What a line begins with that is no move."""
REVISED = 4.0
"""By so much another story of the last moves must be likelier before they are taken back."""
LOST, LOST_OF = 4, 10
"""After so many wrong plays among so many moves nobody is accused any more: people do not play like that."""
FEW_LOOKS, LEAST_LOOKS, MOST_LOOKS = 2, 3, 4
"""So often a table must have been looked at when somebody plays on, so often every one is, and one that is not clear: a
card that two looks miss is nothing strange."""

DISAGREE = 3.0
"""Looks whose fits are so far apart show different things: one of them misses or invents a card."""
DRAWN_LOOKS = 6
"""So often a table is looked at of which half of the looks show different things than the others."""
LIFTED = 4
"""For so many tables a pile may be gone before they are told as if it were there: who gathers all lifts it as well."""


class Interpreter:
    """Interprets the tables of one match; remembers what is not told yet."""

    def __init__(self, rules: AnyRules, deck: Deck, layouts: Layouts) -> None:
        self._rules, self._deck, self._layouts = rules, deck, layouts
        self._doubt: Doubt | None = None
        self._untold: Untold | None = None
        self._asked_after: int | None = None
        """After how many moves something was asked about the last table."""
        self._unanswered = Unanswered(rules)
        self._let: set[int] = set()
        """Moves that stand because play went on, not because a human said so: how many were written before each."""
        self._held: tuple[Any, tuple[Seen, ...]] = (None, ())
        """The state in which a table was not clear, and all looks at it."""
        self._left: frozenset[tuple[object, ...]] = frozenset()
        """What nothing explained of the last table."""
        self._pieces: Pieces | None = None
        """Where figures and tokens stood when the last table was told, if there was one."""
        self._mended = False
        """Whether moves were told anew because of this table: then it is looked at once more, not for ever."""
        self._lifted = 0
        """From how many tables, up to the last, a pile was gone."""
        self._hindsight = Hindsight(rules, deck, layouts)
        self._offences = Offences(rules, deck, layouts, self._hindsight)

    def interpret(self, match: AnyMatch, seen: Seen, again: bool = False) -> Told:
        """What happened since the last table; `again` if it is the last table, looked at once more."""
        self._hindsight.remember(match)
        self._mended = self._mended and again
        state, looks = self._held
        if state == match.state and not again and len(looks) >= FEW_LOOKS:
            told = self._overtaken(match, looks, seen)
            if told is not None:
                return told
        looks = (*looks, seen) if again and state == match.state else (seen,)
        search = Explainer(self._rules, self._deck, self._layouts, *looks, before=self._pieces)
        found = search.explain(match.state)
        if len(looks) >= _wanted(found, [fit.of(found.best.layout) for fit in search.fits]):
            found = self._but_for_old(match, search, found)
            told = self._told(match, search, found, len(looks))
            if told is not None:
                self._held, self._left = (None, ()), frozenset(map(_key, told.left))
                # A table that is looked at again is not the one before.
                self._pieces = self._pieces if told.again else seen.pieces
                told = self._said_since(match, told)
                self._asked_after = None if told.question is None else len(match.log) + _written(told.lines)
                return told
        self._held = (match.state, looks)
        return Told(again=True)

    def _but_for_old(self, match: AnyMatch, search: Explainer, found: Explanation) -> Explanation:
        """An explanation that accuses nobody of what lay there like that before, as a figure that was forgotten."""
        if not self._left or all(step.ruling is not Ruling.ILLEGAL for step in found.best.steps):
            return found
        fair = search.retell(match.state, (), LOOK_BACK)
        left = () if fair is None else search.fits[-1].differences(fair.layout)
        if fair is None or not left or not self._left.issuperset(map(_key, left)):
            return found
        return Explanation(fair, (), left, found.sure)

    def _said_since(self, match: AnyMatch, told: Told) -> Told:
        """What is told after a question; before what people said meanwhile, if that is right only after it."""
        if self._asked_after is None or not told.lines or any(line.split()[0] in REVISING for line in told.lines):
            return told
        moves = tuple(Move.parse(line) for line in told.lines)
        said = match.log[self._asked_after :]
        rulings = [verdict.ruling for verdict in match.verdicts[self._asked_after :]]
        if not said or any(one.stands or one.move.verb not in self._layouts.DECLARED for one in said):
            return told
        state = applied(self._rules, match.state, moves)
        right = self._rules.judge(state, said[0].move).ruling is Ruling.LEGAL
        if rulings != [Ruling.ILLEGAL] * len(said) or not right:
            return told
        lines = ("undo",) * len(said) + told.lines + tuple(str(entry.move) for entry in said)
        return replace(told, lines=lines)

    def _overtaken(self, match: AnyMatch, looks: tuple[Seen, ...], seen: Seen) -> Told | None:
        """What the last table said, if somebody played on before it was looked at often enough and all is allowed."""
        search = Explainer(self._rules, self._deck, self._layouts, *looks, before=self._pieces)
        found = search.explain(match.state)
        fair, clear = found.best.fair and found.best.told, not found.rivals and found.wrong is None
        if not fair or not clear or found.best.fit < UNEXPLAINED * len(looks):
            return None
        moves, wrong = in_order(self._rules, match.state, search.finished(found.best).steps)
        if wrong:
            return None
        self._hindsight.told(found.best.layout, search.fits)
        self._held = (applied(self._rules, match.state, moves), (seen,))
        return Told(tuple(str(move) for move in moves), again=True)

    def _told(self, match: AnyMatch, search: Explainer, found: Explanation, looks: int) -> Told | None:
        """What there is to tell after some looks; None if something so grave needs one more."""
        untold = self._played_on(match, search, found)
        if untold is not None:
            self._untold = None
            self._offences.written_anew(match, untold)
            return Told(untold, again=True)
        guessed = self._unanswered.guessed(match, search, found)
        if guessed is not None:
            return self._settled(search, *guessed)
        completed = self._offences.completed(match, found)
        if completed is not None:
            return self._settled(search, *completed)
        told = self._offences.about(match, search, found)
        if told is not None:
            if told.lines:
                # It stands because play goes on, no human said so.
                self._let.add(len(match.log) - 1)
            return told
        told = self._about_doubt(match, search, found)
        if told is not None:
            return told
        self._lifted = self._lifted + 1 if _lifts(search, found.best) else 0
        if 0 < self._lifted <= LIFTED:
            # Somebody has the pile in his hands: all may be gathered, or lie there again in a moment.
            return Told(left=found.left)
        before = self._before_last(match, search, found)
        if before is not None:
            return self._settled(search, ("undo",), before) if looks >= MOST_LOOKS else None
        open_, wrong = (
            any(step.ruling is ruling for step in found.best.steps) for ruling in (Ruling.UNCLEAR, Ruling.ILLEGAL)
        )
        if open_ or wrong or found.best.fit < UNEXPLAINED * looks:
            if looks < MOST_LOOKS:
                return None
            mended = self._unanswered.mended(match, search, found)
            mended = mended or (self._unanswered.otherwise(match, search, found) if wrong else None)
            if mended is not None:
                return self._settled(search, *mended)
            again = self._hindsight.looked_back(match, search, found, self._let)
            if again.forgiven and again.gain > (0 if wrong else -CLOSE) and (wrong or open_) and _one_act(found.best):
                # One wrong play, or somebody took back what all have seen: the same lies there now.
                wrongs = (story.lines for story in (found.best, *found.rivals))
                self._untold = Untold(len(match.log), match.state, again)
                if set(again.lines) != {"undo"}:
                    # If that is taken back at once, it was wrong.
                    self._doubt = Doubt(len(match.log), len(match.log), match.state, found.best)
                return self._asked(match, search, found, (again.lines, *wrongs))
            if again.gain > (CLOSE if wrong else REVISED):
                self._repaired(match, found, again.lines)
                self._hindsight.told(again.layout, search.fits)
                # What does not agree even so was done wrongly, perhaps: that shows once the rest is right.
                left, first = search.fits[-1].differences(again.layout), not self._mended
                self._mended = True
                return Told(again.lines, None, left, again=bool(left) and first)
            if wrong and (again.gain > 0 or _is_lost(match)):
                # Perhaps nobody did wrong and an earlier table was misunderstood: that is for people to say.
                return self._asked(match, search, found, (found.best.lines, again.lines if again.gain > 0 else ()))
        self._hindsight.told(found.best.layout, search.fits)
        vague = _vague(found)
        if vague is not None:
            choices = tuple(story.lines for story in (found.best, *found.rivals))
            if found.wrong is not None and _alone(vague):
                # Who seems to have done nothing may still be thinking while another plays: the next table tells.
                self._doubted(match, found, ())
                return self._asked(match, search, found, (*choices, found.wrong.lines))
            lines = self._standing(match, search.finished(vague).steps)
            self._doubted(match, found, lines)
            return Told(lines, Question(choices), found.left)
        steps = search.finished(found.best).steps
        if found.rivals:
            common = frozenset.intersection(found.best.told, *(rival.told for rival in found.rivals))
            steps = tuple(step for step in steps if step.ruling is Ruling.LEGAL and str(step.move) in common)
        moves, wrong = in_order(self._rules, match.state, steps)
        if wrong and found.rivals:
            # What is not in doubt may need what is: it waits for the answer.
            moves = moves[:-1]
        lines = tuple(str(move) for move in moves)
        self._doubted(match, found, lines)
        if found.rivals:
            after = applied(self._rules, match.state, moves)
            self._hindsight.told(self._layouts.layout(self._deck, after), search.fits)
            ways = tuple(_beyond(story, moves) for story in (found.best, *found.rivals))
            self._unanswered.ask(after, ways)
            return Told(lines, Question(tuple(tuple(map(str, way)) for way in ways)), found.left)
        return Told(lines, None, found.left)

    def _before_last(self, match: AnyMatch, search: Explainer, found: Explanation) -> Layout | None:
        """What lay there before the last move, if that lies there again: somebody changed his mind."""
        entry = match.log[-1] if match.log else None
        if entry is None or entry.pinned or entry.stands or entry.move.verb in self._layouts.DECLARED:
            return None
        before = self._layouts.layout(self._deck, match.states[-2])
        if match.verdicts[-1].ruling is not Ruling.LEGAL or search.fits[-1].differences(before):
            return None
        if found.best.told:
            laid = any(move.verb in self._layouts.FROM_HAND for move in found.best.moves)
            again = laid and lies(found.best.layout) == lies(before)
        else:
            fit = sum(fit.of(before) for fit in search.fits)
            again = bool(found.left) and fit > found.best.fit + TAKEN_BACK + REVISED
        return before if again else None

    def _played_on(self, match: AnyMatch, search: Explainer, found: Explanation) -> tuple[str, ...] | None:
        """The story by which nobody did wrong, if it was asked about and play goes on as well from there."""
        untold = self._untold
        if untold is None or match.states[untold.moves : untold.moves + 1] != (untold.state,):
            self._untold = None
            return None
        state, said = untold.story.state, [entry.move for entry in match.log[untold.moves :]]
        if any(move.verb not in self._layouts.DECLARED for move in said):
            self._untold = None
            return None
        for move in said:
            # What people said is as right or wrong as it was, if not right at last.
            if self._rules.judge(state, move).ruling is Ruling.LEGAL:
                state = self._rules.apply(state, move)
        if not found.best.told:
            if not found.left and set(untold.story.lines) == {"undo"}:
                # What may have been taken back lies there again.
                self._untold = None
            return None
        on = search.explain(state, LOOK_BACK).best
        if on.score < found.best.score or not (on.told or said):
            return None
        return ("undo",) * len(said) + untold.story.lines + tuple(map(str, said))

    def _asked(self, match: AnyMatch, search: Explainer, found: Explanation, ways: tuple[tuple[str, ...], ...]) -> Told:
        """A question, and nothing is written before it is answered or a later table tells."""
        self._hindsight.told(self._layouts.layout(self._deck, match.state), search.fits)
        self._unanswered.remember(match, ways)
        return Told((), Question(ways), found.left)

    def _settled(self, search: Explainer, lines: tuple[str, ...], layout: Layout) -> Told:
        """Lines that lead to what lies there, without a doubt that is worth a question."""
        self._hindsight.told(layout, search.fits)
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
        moves, _ = in_order(self._rules, rest, doubt.wrong.steps)
        moves = (*doubt.kept, *moves)
        lines = ("undo",) * (doubt.moves - doubt.index) + tuple(str(move) for move in moves)
        if doubt.kept and found.best.fair and found.best.told and found.best.score > fit - CLOSE:
            # What was told anew goes on as it should: nobody needs to have done wrong.
            return self._asked(match, search, found, (found.best.lines, lines))
        untold, self._untold = self._untold, None
        on = None if untold is None else search.explain(untold.story.state, LOOK_BACK).best
        if untold is not None and on is not None and on.fair and on.told and on.score > fit - CLOSE:
            # Nor if what was asked about goes on as it should.
            return self._asked(match, search, found, ((*untold.story.lines, *on.lines), lines))
        self._hindsight.told(layout, search.fits)
        # It was wrong: nobody plays on from another answer.
        self._unanswered.forget()
        self._offences.taken_back(doubt.index + len(moves) - 1, moves[-1])
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


def _wanted(found: Explanation, fits: Sequence[float]) -> int:
    """How many looks a table is worth, by how well each of them agrees with the best story."""
    against = sum(max(fits) - fit >= DISAGREE for fit in fits)
    if against:
        return DRAWN_LOOKS if 2 * against >= len(fits) else MOST_LOOKS
    return LEAST_LOOKS if found.sure else MOST_LOOKS


def _is_lost(match: AnyMatch) -> bool:
    """Whether so much was called wrong lately that rather the thread was lost."""
    last = list(zip(match.log, match.verdicts, strict=True))[-LOST_OF:]
    return sum(verdict.ruling is Ruling.ILLEGAL and not entry.stands for entry, verdict in last) >= LOST


def _key(difference: Difference) -> tuple[object, ...]:
    """What does not agree, whichever look shows it."""
    found = difference.found
    return difference.place, difference.wanted, found and (found.face_up, found.likely(most=1))


def _lifts(search: Explainer, story: Story) -> bool:
    """Whether a pile that should lie there is in none of the looks: no camera misses a whole pile."""
    piles = {(place.zone, place.spot) for place in story.layout.places if place.spread is Spread.PILE}
    gone = ({one.place for one in fit.differences(story.layout) if one.found is None} for fit in search.fits)
    return bool(piles and piles.intersection(*gone))


def _written(lines: tuple[str, ...]) -> int:
    """How many moves more are written after some lines, or fewer."""
    firsts = [line.split()[0] for line in lines]
    return sum(word not in REVISING for word in firsts) - firsts.count("undo")


def _one_act(story: Story) -> bool:
    """Whether one move is all there is to a story."""
    return sum(step.shows for step in story.steps) == 1


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


def _beyond(story: Story, told: tuple[Move, ...]) -> tuple[Move, ...]:
    """What a story tells beyond what was written already."""
    return tuple(move for move in story.moves if move not in told)
