"""Explaining: the moves that lead from the expected table to the one that is seen.

A search over sequences of moves. Each move has a price: a legal one little, an illegal one much, because people mostly
play by the rules; what still differs at the end has the price of such a mistake of the camera. The cheapest wins, so a
clear illegal play is told as such and a misread card is repaired. If two stories cost nearly the same, both are told.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from models.cards import Deck
from referee.fit import Difference, Fit
from referee.layout import Layout, Layouts, Place, Spread
from referee.moves import HIDDEN, Move
from referee.rules import AnyRules
from referee.seen import Lying, Pieces, Seen
from referee.verdicts import Ruling

PRICES = {Ruling.LEGAL: 0.3, Ruling.UNCLEAR: 2.0, Ruling.ILLEGAL: 4.5}
CAUTION = 2.0
"""How much more a wrong play costs with every further look: what only one of several looks shows accuses nobody."""
FORCED = 0.05
"""What a move costs that must happen and cannot be seen."""
BEAM, DEEPEST = 10, 30
"""States that are followed at once, and moves of a story."""
PATIENCE, LONG_PATIENCE = 3, 14
"""Moves without any gain after which a search is given up, when all is explained and when not: moves that leave
no trace, as a card that is passed and taken up, may come before the one that does."""
BUDGET = 500
"""Stories that one search may look at; a table that needs more is better looked at again."""
UNEXPLAINED = -5.0
"""A fit that is worse than this leaves something to explain; a card that is not found is nothing strange."""
CLOSE = 2.0
"""Two stories whose prices differ by less than this (7 to 1) are both told."""
ROUNDING = 1e-6
ACCUSED = 6.0
"""If by one of them nobody did wrong and after several looks they differ by less than this, it is asked before anybody
is accused: what one look misses, as a card just under another, the next ones miss as well."""
MOST_BUT_ONE = 8
"""So many views without a card at most."""
SURE = 4.5
"""If they differ by less than this (90 to 1), one more look is worth it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a story."""

    move: Move
    ruling: Ruling
    shows: bool
    """Whether it changes what lies on the table."""


@dataclass(frozen=True, slots=True)
class Story:
    """Moves that explain a table, and how likely they are."""

    steps: tuple[Step, ...]
    state: Any
    """The state after them, illegal ones included."""
    layout: Layout
    """What should lie on the table then."""
    price: float
    """Of the moves."""
    fit: float
    """Of what is seen with what should lie there then."""

    @property
    def score(self) -> float:
        """How likely it all is, as a logarithm."""
        return self.fit - self.price

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves alone."""
        return tuple(step.move for step in self.steps)

    @property
    def lines(self) -> tuple[str, ...]:
        """The moves as they are written."""
        return tuple(map(str, self.moves))

    @property
    def fair(self) -> bool:
        """Whether everything in it is allowed."""
        return all(step.ruling is Ruling.LEGAL for step in self.steps)

    @property
    def told(self) -> frozenset[str]:
        """What players would call different about it: the moves that show, in any order."""
        return frozenset(str(step.move) for step in self.steps if step.shows)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The best story, others that are nearly as good, and what none of its moves explains."""

    best: Story
    rivals: tuple[Story, ...]
    left: tuple[Difference, ...]
    sure: bool
    """Whether no other story comes near: more looks would hardly change it."""
    wrong: Story | None = None
    """Where the best story has moves that nobody saw lying there: one wrong play that leads to the same table."""


class Explainer:
    """The search for one table, seen in one look or in several: what one missed another may show."""

    def __init__(
        self, rules: AnyRules, deck: Deck, layouts: Layouts, *looks: Seen, before: Pieces | None = None
    ) -> None:
        """`before` are the pieces of the table before, if there was one: what stands where it stood was not moved."""
        self._rules, self._deck, self._layouts, self._looks = rules, deck, layouts, looks
        self._before = before
        self.fits = tuple(Fit(deck, layouts, seen) for seen in looks)
        # What lies under others may be there or not, and so may what not every look shows: moves are looked for with it
        # and without.
        bare = (bare for seen in looks if (bare := seen.bare()) != seen)
        self._views = (*looks, *bare, *islice(_but_one(looks), MOST_BUT_ONE))
        self._prices = PRICES | {Ruling.ILLEGAL: PRICES[Ruling.ILLEGAL] + CAUTION * (len(looks) - 1)}
        self._left = BUDGET

    def explain(self, state: Any, budget: int = BUDGET) -> Explanation:
        """The moves from a state to what is seen."""
        stories = self._stories(state, budget, ())
        best = self._shown_only(max(stories, key=lambda story: story.score), stories)
        sure = not self._rivals(best, stories, SURE)
        rivals, left = self._rivals(best, stories, CLOSE), self.fits[-1].differences(best.layout)
        if len(self._looks) > 1 and not rivals and not best.fair:
            near = self._rivals(best, stories, ACCUSED)
            rivals = tuple(story for story in near if story.fair or _accused(story) != _accused(best))
        return Explanation(best, rivals, left, sure and self._left > 0, _wrong(best, stories))

    def _shown_only(self, best: Story, stories: list[Story]) -> Story:
        """A wrong play as it is seen now: nobody is accused of a card that is only remembered."""
        bare = [look.bare() for look in self._looks]
        if best.fair or bare == list(self._looks):
            return best
        fits = [Fit(self._deck, self._layouts, seen) for seen in bare]
        alike = (story for story in stories if _acts(story) == _acts(best))
        return max(alike, key=lambda story: sum(fit.of(story.layout) for fit in fits) - story.price)

    def retell(self, state: Any, said: Sequence[Move], budget: int) -> Story | None:
        """The best story in which all is allowed, with moves that people said and nobody can see, in their order."""
        stories = self._stories(state, budget, said)
        fair = (story for story in stories if story.fair and _heard(story, said) == len(said))
        return max(fair, key=lambda story: story.score, default=None)

    def _stories(self, state: Any, budget: int, said: Sequence[Move]) -> list[Story]:
        self._left = budget
        layout = self._layouts.layout(self._deck, state)
        start = Story((), state, layout, 0.0, self._fit(layout))
        stories, best = [start], start
        beam, waited = [start], 0
        for _ in range(DEEPEST):
            grown: dict[Any, Story] = {}
            for story in beam:
                for longer in self._longer(story, said):
                    known = grown.get(longer.state)
                    if known is None or longer.score > known.score:
                        grown[longer.state] = longer
            beam = sorted(grown.values(), key=lambda story: -story.score)[:BEAM]
            stories += beam
            if not beam:
                break
            waited = 0 if beam[0].score > best.score else waited + 1
            best = max(best, beam[0], key=lambda story: story.score)
            if waited >= (PATIENCE if best.fit > UNEXPLAINED * len(self._looks) else LONG_PATIENCE):
                break
        return stories

    def _fit(self, layout: Layout) -> float:
        """How well a layout agrees with all looks."""
        return sum(fit.of(layout) for fit in self.fits)

    def between(self, before: Layout, after: Layout) -> Layout:
        """Place by place one of two layouts: what is seen while cards are carried from one to the other."""
        ways = [{(place.zone, place.spot): place for place in layout.places} for layout in (before, after)]
        mixed = dict(ways[0])
        for spot in sorted(ways[0].keys() | ways[1].keys()):
            other = {key: place for key, place in mixed.items() if key != spot}
            if spot in ways[1]:
                other[spot] = ways[1][spot]
            if self._fit(_laid(other, before)) > self._fit(_laid(mixed, before)):
                mixed = other
        best = _laid(mixed, before)
        return next((layout for layout in (before, after) if lies(layout) == lies(best)), best)

    def finished(self, story: Story) -> Story:
        """A story with everything at its end that follows by itself."""
        return next(self._followed(story), story)

    def _longer(self, story: Story, said: Sequence[Move]) -> Iterator[Story]:
        """Stories with one move more, and before it what must have happened unseen."""
        heard = _heard(story, said)
        for start in (story, *self._followed(story)):
            if self._left <= 0:
                return
            if heard < len(said) and self._rules.judge(start.state, said[heard]).ruling is Ruling.LEGAL:
                longer = self._after(start, said[heard], forced=True)
                if longer is not None:
                    yield longer
            tried: set[Move] = set()
            for seen in self._views:
                for move in self._layouts.propose(self._deck, start.state, seen):
                    longer = None if move in tried else self._after(start, move)
                    tried.add(move)
                    if longer is not None:
                        yield longer

    def _followed(self, story: Story) -> Iterator[Story]:
        longer, changed = story, False
        while len(longer.steps) < DEEPEST:
            move = self._layouts.follows(longer.state)
            after = None if move is None else self._after(longer, move, forced=True)
            if after is None:
                break
            longer, changed = after, True
        if changed:
            yield longer

    def _after(self, story: Story, move: Move, forced: bool = False) -> Story | None:
        self._left -= 1
        state = self._rules.apply(story.state, move)
        if state is story.state and HIDDEN not in move.cards:
            return None
        ruling = self._rules.judge(story.state, move).ruling
        layout = self._layouts.layout(self._deck, state)
        shows = layout != story.layout
        if ruling is Ruling.ILLEGAL and shows and layout.places == story.layout.places and self._stood(move):
            return None
        price = story.price + (FORCED if forced else self._prices[ruling])
        fit = self._fit(layout) if shows else story.fit
        return Story((*story.steps, Step(move, ruling, shows)), state, layout, price, fit)

    def _stood(self, move: Move) -> bool:
        """Whether all figures of a move are seen where they were seen before, as far as anybody knows."""
        before = self._before
        figures = [("figure", name) for name in move.cards]
        return before is None or all(
            owned in before and before[owned] == look.pieces.get(owned) for owned in figures for look in self._looks
        )

    def _rivals(self, best: Story, stories: list[Story], close: float) -> tuple[Story, ...]:
        """The best story of each other kind that is nearly as good; more moves without a trace make no other one."""
        rivals: dict[frozenset[str], Story] = {}
        for story in stories:
            # What is left open costs just that: rounding must not make it a rival of what is clear.
            if story.score < best.score - close + ROUNDING or story.told == best.told:
                continue
            # What fewer moves lead to needs no more of them: each is seen lying there before the next is made.
            more = _shown(story) - _shown(best)
            if more > 0 and (_need_not_show(story.layout, best.layout) or (more > 1 and story.fit <= best.fit)):
                continue
            known = rivals.get(story.told)
            if known is None or story.score > known.score:
                rivals[story.told] = story
        return tuple(sorted(rivals.values(), key=lambda story: -story.score)[:3])


def _heard(story: Story, said: Sequence[Move]) -> int:
    """How many of the moves that people said a story has, in their order."""
    heard = 0
    for step in story.steps:
        heard += heard < len(said) and step.move == said[heard]
    return heard


def _but_one(looks: Sequence[Seen]) -> Iterator[Seen]:
    """Looks without one of the cards that another look does not show in the same place."""
    for seen in looks:
        for spot, cards in seen.items():
            others = [other.get(spot, ()) for other in looks]
            for number, card in enumerate(cards):
                if len(cards) > 1 and not all(any(_alike(card, one) for one in other) for other in others):
                    yield Seen({**seen, spot: (*cards[:number], *cards[number + 1 :])}, seen.pieces)


def _alike(one: Lying, other: Lying) -> bool:
    """Whether two looks may show the same card."""
    return one.track == other.track or (one.face_up, one.likely(most=1)) == (other.face_up, other.likely(most=1))


def _wrong(best: Story, stories: list[Story]) -> Story | None:
    """The wrong play that may be all there was, where the best story has several moves or leaves something open."""
    if _shown(best) < 2 and all(step.ruling is not Ruling.UNCLEAR for step in best.steps):
        return None
    wrong = [
        story
        for story in stories
        if [step.ruling for step in story.steps] == [Ruling.ILLEGAL] and lies(story.layout) == lies(best.layout)
    ]
    likeliest = max(wrong, key=lambda story: story.score, default=None)
    # Where another may have done it as well, nobody is accused.
    if likeliest is None or any(
        story.score > likeliest.score - CLOSE and _accused(story) != _accused(likeliest) for story in wrong
    ):
        return None
    return likeliest


def _laid(places: Mapping[tuple[str, str], Place], layout: Layout) -> Layout:
    """Some places, with the pieces of a layout."""
    return Layout(tuple(places.values()), layout.counters)


def _acts(story: Story) -> list[tuple[object, ...]]:
    """Who does what in a story, whatever the cards."""
    return [(step.move.seat, step.move.verb, step.move.target, step.ruling) for step in story.steps]


def _accused(story: Story) -> frozenset[int | None]:
    """Who did wrong by a story."""
    return frozenset(step.move.seat for step in story.steps if step.ruling is Ruling.ILLEGAL)


def _shown(story: Story) -> int:
    """How many moves of a story change what lies on the table."""
    return sum(step.shows for step in story.steps)


def lies(layout: Layout) -> frozenset[tuple[str, str, tuple[str, ...]]]:
    """What anybody sees lying there: cards in a fan in any order, of a pile its top."""
    return frozenset((place.zone, place.spot, _visible(place)) for place in layout.places if place.cards)


def _need_not_show(more: Layout, fewer: Layout) -> bool:
    """Whether nobody may see the difference: all that lies there in one layout and not in another may be in a hand."""
    there, here = lies(more), lies(fewer)
    in_hand = {(place.zone, place.spot) for place in more.places if () in place.instead}
    return here <= there and all((zone, spot) in in_hand for zone, spot, _ in there - here)


def _visible(place: Place) -> tuple[str, ...]:
    if place.spread is Spread.PILE:
        return place.cards[-1:]
    return tuple(sorted(place.cards)) if place.spread is Spread.FAN else place.cards


def in_order(rules: AnyRules, state: Any, steps: tuple[Step, ...]) -> tuple[tuple[Move, ...], bool]:
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


def applied(rules: AnyRules, state: Any, moves: Sequence[Move]) -> Any:
    """The state after some moves, illegal ones included."""
    for move in moves:
        state = rules.apply(state, move)
    return state
