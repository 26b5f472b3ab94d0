"""The transition model: which acts lead from a history to the table that is seen, and what each of them costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import Any

from referee.inference import rates
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import Evidence
from referee.layout import Layout, Spread
from referee.moves import HIDDEN, Move, seat_index, seat_name
from referee.seen import Seen
from referee.verdicts import Ruling


@dataclass(frozen=True, slots=True)
class Node:
    """A history on its way to the table that is seen."""

    history: History
    layout: Layout
    fit: float

    @property
    def total(self) -> float:
        """How likely history and table are together, as a logarithm."""
        return self.history.score + self.fit


class Search:
    """Extends histories until they explain one table."""

    def __init__(self, model: Model, evidence: Evidence, table: int, budget: int = rates.BUDGET) -> None:
        self._model, self._evidence, self._table, self._left = model, evidence, table, budget
        seen = evidence.seen
        bare = seen.bare()
        # What lies under others may be there or not: moves are looked for with it and without.
        self._views: tuple[Seen, ...] = (seen,) if bare == seen else (seen, bare)
        self.best = -inf
        self._pool: dict[tuple[Any, Any], Node] = {}

    def run(self, starts: Sequence[History]) -> list[Node]:
        """All histories that were reached, likeliest first; without acts at their end that nothing speaks for yet."""
        for start in sorted(starts, key=lambda history: -history.score):
            if start.score >= self.best - rates.MARGIN:
                self._grow(self._node(start))
        shown = (node for node in self._pool.values() if not _ends_unseen(node.history))
        return sorted(shown, key=lambda node: -node.total)

    def _node(self, history: History) -> Node:
        layout = self._model.layout(history.shown)
        return Node(history, layout, self._fit(history, layout))

    def _fit(self, history: History, layout: Layout) -> float:
        fit = self._evidence.fit(layout)
        if fit < rates.EXPLAINED and history.odd:
            # An error that lasts is one error.
            for difference in self._evidence.differences(layout):
                if difference.key in history.odd:
                    fit += max(0.0, rates.LASTING - self._evidence.cost(difference))
        return min(fit, 0.0)

    def _grow(self, start: Node) -> None:
        self._keep(start)
        beam, waited, best = [start], 0, start.total
        for _ in range(rates.DEEPEST):
            grown: dict[tuple[Any, Any], Node] = {}
            for node in beam:
                for longer in self._longer(node):
                    key = (longer.history.state, longer.history.shown)
                    known = grown.get(key)
                    if longer.history.score >= self.best - rates.MARGIN and (
                        known is None or longer.total > known.total
                    ):
                        grown[key] = longer
            beam = sorted(grown.values(), key=lambda node: -node.total)[: rates.BEAM]
            if not beam:
                return
            for node in beam:
                self._keep(node)
            waited = 0 if beam[0].total > best else waited + 1
            best = max(best, beam[0].total)
            explained = max(node.fit for node in self._pool.values()) > rates.EXPLAINED
            if waited >= (rates.PATIENCE if explained else rates.LONG_PATIENCE):
                return

    def _keep(self, node: Node) -> None:
        key = (node.history.state, node.history.shown)
        known = self._pool.get(key)
        if known is None or node.total > known.total:
            self._pool[key] = node
            self.best = max(self.best, node.total)

    def _longer(self, node: Node) -> Iterator[Node]:
        """The history with one act more, and with what follows from that by itself."""
        if self._left <= 0:
            return
        history = node.history
        if history.wrong is not None:
            if history.wrong.table < self._table:
                yield self._ended(node, Act.BACK)
                yield self._ended(node, Act.STANDS)
            return
        yield from self._regretted(node)
        model, tried = self._model, set[Move]()
        for move, cost in model.layouts.unseen(history.state):
            tried.add(move)
            yield from self._acted(node, move, cost)
        for seen in self._views:
            for move in model.layouts.propose(model.deck, history.state, seen):
                if move not in tried:
                    tried.add(move)
                    yield from self._acted(node, move, None)

    def _acted(self, node: Node, move: Move, cost: float | None) -> Iterator[Node]:
        self._left -= 1
        step = acted(self._model, node.history, move, self._table, node.layout)
        if step is None:
            return
        longer, layout, ruling = step
        free = cost is not None
        if cost is None:
            cost = rates.MOVE_COST[ruling]
            if ruling is Ruling.ILLEGAL and layout.places == node.layout.places and self._stood(move):
                return
        if layout is not node.layout:
            cost -= self._evidence_of_arms(move, node.layout, layout)
        longer = replace(longer, score=longer.score - cost)
        if free and layout is node.layout:
            longer = replace(longer, steps=(*longer.steps[:-1], replace(longer.steps[-1], unseen=True)))
        fit = node.fit if layout is node.layout else self._fit(longer, layout)
        yield self._followed(Node(longer, layout, fit))

    def _stood(self, move: Move) -> bool:
        return False

    def _followed(self, node: Node) -> Node:
        """The history after what must happen now by itself."""
        if node.history.wrong is not None:
            return node
        for move in self._model.followed(node.history.state):
            step = acted(self._model, node.history, move, self._table, node.layout)
            if step is None or step[2] is Ruling.ILLEGAL:
                return node
            longer, layout, _ = step
            longer = replace(longer, score=longer.score - rates.FORCED_COST)
            fit = node.fit if layout is node.layout else self._fit(longer, layout)
            node = Node(longer, layout, fit)
        return node

    def _ended(self, node: Node, act: Act) -> Node:
        """The history after its wrong play was taken back, or stands."""
        history, wrong = node.history, node.history.wrong
        assert wrong is not None, "only a wrong play ends so"
        ended = after_wrong(history, act, self._table)
        return self._followed(self._node(ended)) if act is Act.STANDS else self._node(ended)

    def _regretted(self, node: Node) -> Iterator[Node]:
        """The history after its last play was taken back, if that lies there again which lay there before."""
        regret = regretted(node.history, self._table)
        if regret is not None:
            other = self._node(regret)
            if other.fit > node.fit + rates.REGRET_COST:
                yield other

    def _evidence_of_arms(self, move: Move, before: Layout, after: Layout) -> float:
        """How well the arms that were seen agree with who must have reached where, as a logarithm."""
        return arms_fit(self._model, self._evidence.seen, move, before, after)


def _ends_unseen(history: History) -> bool:
    """Whether a history ends with something that somebody may do without a trace: the next act will tell."""
    return bool(history.steps) and history.steps[-1].unseen


def acted(
    model: Model, history: History, move: Move, table: int, before: Layout
) -> tuple[History, Layout, Ruling] | None:
    """A history with one move more, at no cost yet; what lies there then; what the rules say. None for nothing."""
    rules, state = model.rules, history.state
    after = rules.apply(state, move)
    if after is state and HIDDEN not in move.cards:
        return None
    verdict = rules.judge(state, move)
    layout = model.layout(after)
    shows = layout != before
    layout = layout if shows else before
    wrong = verdict.ruling is Ruling.ILLEGAL
    if wrong and not shows:
        return None
    step = Step(
        Act.WRONG if wrong else Act.PLAYED,
        move,
        verdict.ruling,
        state,
        after,
        table,
        history.score,
        shows,
        exposes=verdict.about is not None,
    )
    return (
        replace(history, steps=(*history.steps, step), state=state if wrong else after, shown=after),
        (layout),
        verdict.ruling,
    )


def after_wrong(history: History, act: Act, table: int) -> History:
    """A history after the wrong play that lies there was taken back, or stands."""
    wrong = history.wrong
    assert wrong is not None, "only a wrong play ends so"
    if act is Act.BACK:
        cost, state = rates.TAKEN_BACK_COST, history.state
    else:
        cost = rates.EXPOSING_STANDS_COST if wrong.exposes else rates.STANDS_COST
        state = wrong.shown
    step = Step(act, wrong.move, wrong.ruling, history.state, state, table, history.score, act is Act.BACK)
    return replace(history, steps=(*history.steps, step), state=state, shown=state, score=history.score - cost)


def regretted(history: History, table: int) -> History | None:
    """A history after its last play that shows was taken back; None if there is none, or it was just made."""
    steps = history.steps
    for undone, step in enumerate(reversed(steps), 1):
        if step.act is not Act.PLAYED or step.table == table:
            return None
        if step.shows:
            regret = Step(
                *(Act.REGRET, step.move, step.ruling, history.state, step.before, table, history.score, True, undone)
            )
            return replace(
                history,
                steps=(*steps, regret),
                state=step.before,
                shown=step.before,
                score=history.score - rates.REGRET_COST,
            )
    return None


def arms_fit(model: Model, seen: Seen, move: Move, before: Layout, after: Layout) -> float:
    """How well the arms that were seen agree with who must have reached where, as a logarithm."""
    if not seen.arms or move.seat is None:
        return 0.0
    # Nobody sees a card more or less on a pile.
    here, there = (
        {(place.zone, place.spot): place.cards for place in layout.places if place.spread is not Spread.PILE}
        for layout in (before, after)
    )
    total, done = 0.0, set[tuple[str, int]]()
    for spot in here.keys() | there.keys():
        old, new = here.get(spot, ()), there.get(spot, ())
        if old == new:
            continue
        seat = _reaching(model, move, spot[0], len(new) < len(old))
        if (spot[0], seat) in done:
            continue
        done.add((spot[0], seat))
        name = seat_name(seat)
        reached = max(
            (dict(arm.seats).get(name, 0.0) for arm in seen.arms if any(zone == spot[0] for zone, _ in arm.over)),
            default=0.0,
        )
        total += log(reached * rates.ARM_SEEN + (1 - reached) * rates.ARM_MISSED)
    return total


def _reaching(model: Model, move: Move, zone: str, taken: bool) -> int:
    """Whose arm it takes to change what lies in a zone."""
    assert move.seat is not None, "somebody acts"
    if not (zone[:1] == "P" and zone[1:].isdecimal()):
        return move.seat
    owner = seat_index(zone)
    if taken:
        return move.seat if move.verb in model.layouts.TAKEN_BY_ACTOR else owner
    return owner if move.verb in model.layouts.SHOWN_BY_OWNER else move.seat
