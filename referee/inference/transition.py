"""The transition model: a beam search for the acts that lead from a history to an observed table, with their costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import inf

from referee.inference import rates
from referee.inference.arms import ANYBODY, ANYWHERE, Reach, arms_log_likelihood, changed_zones, idle_arms, reaches
from referee.inference.glimpses import NumberedTable, log_likelihoods, with_glimpsed_arms
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import TableEvidence
from referee.layout import Layout
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedTable
from referee.verdicts import Ruling, Verdict


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the search: a history, and the likelihood of the table under it."""

    history: History
    layout: Layout
    log_likelihood: float
    """Log likelihood of the table under the history."""
    reached: frozenset[Reach] = frozenset()
    """The reaches since the table before, according to this history."""
    arms: float = 0.0
    """Log probability of the observed arms that no act requires."""

    @property
    def total(self) -> float:
        """Joint log probability of the history and the table."""
        return self.history.score + self.log_likelihood + self.arms


class Search:
    """Extends histories by acts until they explain one table: a beam search."""

    def __init__(self, model: Model, tables: Sequence[NumberedTable], budget: int = rates.SEARCH_BUDGET_ACTS) -> None:
        """A search for the last of some tables; those before it are pending glimpsed tables."""
        self._model, self._tables, self._left = model, tables, budget
        self._reserve = 0
        """The part of the budget that is reserved for other histories."""
        self._table, self._evidence = tables[-1]
        self._arms_evidence = self._evidence
        seen = self._evidence.seen
        arms = tuple(arm for _, evidence in tables for arm in evidence.seen.arms)
        seen = ObservedTable(seen, seen.pieces, seen.looks, arms, seen.hasty)
        bare = seen.without_remembered()
        # A covered card may be there or not: moves are proposed with and without it.
        self._views: tuple[ObservedTable, ...] = (seen,) if bare == seen else (seen, bare)
        self.best = -inf
        self._pool: dict[tuple[object, ...], Node] = {}

    def run(self, starts: Sequence[History]) -> list[Node]:
        """All nodes that were reached, likeliest first, without those that end in an act without evidence."""
        bare = [replace(start, score=start.score - start.pending, pending=0.0) for start in starts]
        explanations, first = list[tuple[Move, ...]](), max(start.score for start in bare)
        for number, start in enumerate(sorted(bare, key=lambda history: -history.score), 1):
            if start.score < self.best - rates.PRUNING_MARGIN_COST:
                break
            self._arms_evidence = with_glimpsed_arms(start, self._tables)
            node = self._with_forced_acts(self._node(start))
            # A later history may explain at once what this one cannot explain with half of the budget.
            self._reserve = self._left // 2 if number < len(starts) else 0
            # A much less likely history needs no search if a shared explanation is about as good.
            max_cost = rates.GOOD_EXPLANATION_COST + (
                first - self.best if start.score < first - rates.RIVAL_MARGIN_COST else 0.0
            )
            if start.illegal_play is not None or not self._shares_explanation(node, explanations, max_cost):
                self._grow(node)
            explanations = explanations or self._explanations(start)
        shown = (node for node in self._pool.values() if not _ends_unseen(node.history) or self._explains_an_arm(node))
        return sorted(shown, key=lambda node: -node.total)

    def _explanations(self, start: History) -> list[tuple[Move, ...]]:
        """The likeliest explanations of the table by a history."""
        best = sorted(self._pool.values(), key=lambda node: -node.total)[: rates.MAX_SHARED_EXPLANATIONS]
        return [tuple(step.move for step in node.history.steps[len(start.steps) :]) for node in best]

    def _shares_explanation(self, start: Node, explanations: Sequence[tuple[Move, ...]], max_cost: float) -> bool:
        """Whether an explanation shared with a likelier history costs this one less than `max_cost`."""
        self._keep(start)
        ends = [
            end for end in (self._after_moves(start, explanation) for explanation in explanations) if end is not None
        ]
        for end in ends:
            self._keep(end)
        return max((end.total for end in ends), default=-inf) > start.history.score - max_cost

    def _after_moves(self, node: Node, explanation: Sequence[Move]) -> Node | None:
        """The node after some moves; None if one of them is impossible or illegal."""
        start = len(node.history.steps)
        while node.history.illegal_play is None and len(node.history.steps) - start < len(explanation):
            move = explanation[len(node.history.steps) - start]
            cost = dict(self._model.layouts.unseen(node.history.state)).get(move)
            longer = next(self._with_move(node, move, cost), None)
            if longer is None or longer.history.illegal_play is not None:
                return None
            node = longer
        return node

    def _explains_an_arm(self, node: Node) -> bool:
        """Whether an unseen act at the end explains an arm: there are enough arms for all acts."""
        acts = takewhile(lambda step: step.table == self._table, reversed(node.history.steps))
        hands = sum(_needs_a_hand(self._model, self._evidence, step) for step in acts)
        arms = with_glimpsed_arms(node.history, self._tables).seen.arms
        return (ANYBODY, ANYWHERE) in node.reached and len(arms) >= hands

    def _node(self, history: History, reached: frozenset[Reach] = frozenset()) -> Node:
        layout = self._model.layout(history.shown)
        return Node(
            history, layout, self._table_log_likelihood(history), reached, idle_arms(self._arms_evidence, reached)
        )

    def _table_log_likelihood(self, history: History) -> float:
        complete = not self._evidence.seen.hasty
        return sum(fit for fit, _ in log_likelihoods(self._model, history, self._tables, complete))

    def _grow(self, start: Node) -> None:
        self._keep(start)
        beam, waited, best = [start], 0, start.total
        for _ in range(rates.MAX_DEPTH_ACTS):
            grown: dict[tuple[object, ...], Node] = {}
            for node in beam:
                for longer in self._extensions(node):
                    key = self._key(longer)
                    known = grown.get(key)
                    if longer.history.score >= self.best - rates.PRUNING_MARGIN_COST and (
                        known is None or longer.total > known.total
                    ):
                        grown[key] = longer
            best_first = sorted(grown.values(), key=lambda node: -node.total)
            # An illegal play ends a history until the next table, so it takes no place in the beam.
            beam = [node for node in best_first if node.history.illegal_play is None][: rates.BEAM_WIDTH_HISTORIES]
            for node in [
                *beam,
                *[node for node in best_first if node.history.illegal_play is not None][: rates.BEAM_WIDTH_HISTORIES],
            ]:
                self._keep(node)
            if not beam:
                return
            waited = 0 if best_first[0].total > best else waited + 1
            best = max(best, best_first[0].total)
            if (
                waited >= rates.PATIENCE_ACTS
                or max(node.history.score for node in beam) < self.best - rates.RIVAL_MARGIN_COST
            ):
                return

    def _key(self, node: Node) -> tuple[object, ...]:
        """A key that is equal for nodes of which the best is enough; reaches differ because later acts may need them.

        Histories that the belief kept apart before this table stay apart, because only the belief merges them.
        """
        return *self._model.identity(node.history, self._table - 1), node.reached

    def _keep(self, node: Node) -> None:
        key = self._key(node)
        known = self._pool.get(key)
        if known is None or node.total > known.total:
            self._pool[key] = node
            self.best = max(self.best, node.total)

    def _extensions(self, node: Node) -> Iterator[Node]:
        """The node extended by one act, and by the forced acts after it."""
        if self._left <= self._reserve:
            return
        history = node.history
        if history.illegal_play is not None:
            if history.illegal_play.table < self._table:
                yield self._ended(node, Act.TAKEN_BACK)
                yield self._ended(node, Act.STANDS)
            return
        yield from self._regretted(node)
        for move, _ in history.declared[:1]:
            yield from self._as_declared(node, move)
        model, tried = self._model, set[Move]()
        for move, cost in model.unseen(history.state):
            tried.add(move)
            yield from self._with_move(node, move, cost)
        for seen in self._views:
            for move in model.layouts.propose(model.deck, history.state, seen):
                if move not in tried:
                    tried.add(move)
                    yield from self._with_move(node, move, None)

    def _with_move(self, node: Node, move: Move, cost: float | None) -> Iterator[Node]:
        self._left -= 1
        unseen = cost is not None
        cost = rates.MOVE_COST[self._model.judge(node.history.state, move).ruling] if cost is None else cost
        if node.history.score - cost < self.best - rates.PRUNING_MARGIN_COST:
            # It would be pruned, whatever its likelihood.
            return
        step = with_move(self._model, node.history, move, self._table, node.layout, unseen)
        if step is None:
            return
        longer, layout, _ = step
        cost += haste_cost(self._model, self._arms_evidence, node.history, longer.steps[-1])
        reached, arms = node.reached, node.arms
        if layout is not node.layout or HIDDEN in move.cards or move.verb in self._model.layouts.HANDLED_UNSEEN:
            needed = reaches(self._model, move, node.layout, layout)
            cost -= arms_log_likelihood(self._arms_evidence, needed - reached)
            reached = reached | needed
            arms = idle_arms(self._arms_evidence, reached)
        longer = longer.rescored(longer.score - cost)
        fit = node.log_likelihood if layout is node.layout else self._table_log_likelihood(longer)
        yield self._with_forced_acts(Node(longer, layout, fit, reached, arms))

    def _as_declared(self, node: Node, move: Move) -> Iterator[Node]:
        """The node extended by a declared move, if it is legal now."""
        if self._model.judge(node.history.state, move).ruling is Ruling.LEGAL:
            for longer in self._with_move(node, move, rates.DECLARED_COST):
                history = longer.history
                at = len(node.history.steps)
                step = replace(history.steps[at], declared=True)
                steps = (*history.steps[:at], step, *history.steps[at + 1 :])
                yield replace(longer, history=replace(history, steps=steps, declared=history.declared[1:]))

    def _with_forced_acts(self, node: Node) -> Node:
        """The node extended by the forced acts."""
        if node.history.illegal_play is not None:
            return node
        for move in self._model.followed(node.history.state):
            step = with_move(self._model, node.history, move, self._table, node.layout)
            if step is None or step[2] is Ruling.ILLEGAL:
                return node
            longer, layout, _ = step
            longer = longer.rescored(longer.score - rates.FORCED_MOVE_COST)
            fit = node.log_likelihood if layout is node.layout else self._table_log_likelihood(longer)
            node = replace(node, history=longer, layout=layout, log_likelihood=fit)
        return node

    def _ended(self, node: Node, act: Act) -> Node:
        """The node after its illegal play was taken back, or stands."""
        history = node.history
        assert history.illegal_play is not None, "only an illegal play is taken back or stands"
        ended = after_illegal(history, act, self._table)
        if act is Act.STANDS:
            return self._with_forced_acts(self._node(ended, node.reached))
        back = changed_zones(node.layout, self._model.layout(ended.shown))
        return self._node(ended, node.reached | back)

    def _regretted(self, node: Node) -> Iterator[Node]:
        """The node after its last play was taken back, if the table then matches better."""
        regret = regretted(node.history, self._table)
        if regret is None:
            return
        back = changed_zones(node.layout, self._model.layout(regret.shown))
        other = self._node(regret, node.reached | back)
        if other.log_likelihood > node.log_likelihood + rates.REGRET_COST:
            yield other


def _rests_on_unseen(model: Model, history: History, move: Move, verdict: Verdict) -> bool:
    """Whether a move is illegal only because of an earlier unseen, undeclared one, which was a wrong guess."""
    about = verdict.about
    if about is not None and any(
        step.unseen and not step.declared and step.before.ply == about for step in history.steps
    ):
        return True
    last = history.steps[-1] if _ends_unseen(history) else None
    if last is None or last.move.seat != move.seat:
        return False
    # Without the unseen act of the same seat the move may be legal, or illegal because of another guess.
    verdict, history = model.judge(last.before, move), replace(history, steps=history.steps[:-1])
    return verdict.ruling is not Ruling.ILLEGAL or _rests_on_unseen(model, history, move, verdict)


def _ends_unseen(history: History) -> bool:
    """Whether a history ends with an invisible act for which there is no evidence yet."""
    last = history.steps[-1] if history.steps else None
    return last is not None and last.unseen and not last.shows and not last.declared


def with_move(
    model: Model, history: History, move: Move, table: int, before: Layout, unseen: bool = False
) -> tuple[History, Layout, Ruling] | None:
    """A history with one more move (not charged yet), the layout after it, and the ruling; None if nothing changes."""
    state = history.state
    after = model.apply(state, move)
    if after is state and HIDDEN not in move.cards:
        return None
    verdict = model.judge(state, move)
    layout = model.layout(after)
    layout = before if layout == before else layout
    shows = _shows(before, layout)
    illegal = verdict.ruling is Ruling.ILLEGAL
    if illegal and (not shows or _rests_on_unseen(model, history, move, verdict)):
        return None
    step = Step(
        *(Act.ILLEGAL if illegal else Act.PLAYED, move, verdict.ruling, state, after, table, history.score, shows),
        unseen=unseen,
        exposes=verdict.about is not None,
    )
    steps, state = (*history.steps, step), state if illegal else after
    longer = History(steps, state, after, history.score, history.mismatches, history.declared, history.pending)
    return longer, layout, verdict.ruling


def _shows(before: Layout, after: Layout) -> bool:
    """Whether two layouts look different; alternatives of a place are invisible."""
    if before is after:
        return False
    one, other = (
        {(place.zone, place.spot): (place.cards, place.marks) for place in layout.places if place.cards}
        for layout in (before, after)
    )
    return one != other or before.counters != after.counters


def act_cost(model: Model, evidence: TableEvidence, history: History, step: Step) -> float:
    """The cost of a step as the next one of a history."""
    match step.act:
        case Act.TAKEN_BACK:
            return rates.ILLEGAL_TAKEN_BACK_COST
        case Act.STANDS:
            return _standing_cost(history.steps[-1])
        case Act.REGRET:
            return rates.REGRET_COST
        case Act.CLAIMED:
            return rates.DECLARED_ILLEGALLY_COST
    unseen = next((cost for move, cost in model.unseen(step.before) if move == step.move), None)
    forced = model.layouts.follows(step.before) == step.move
    cost = rates.DECLARED_COST if step.declared else rates.FORCED_MOVE_COST if forced else rates.MOVE_COST[step.ruling]
    return (cost if unseen is None or step.declared else unseen) + haste_cost(model, evidence, history, step)


def haste_cost(model: Model, evidence: TableEvidence, history: History, step: Step) -> float:
    """The extra cost of an act between the same two tables as another one, or right after a regret."""
    if not _needs_a_hand(model, evidence, step):
        return 0.0
    # Steps are sorted by table.
    newest = takewhile(lambda one: one.table >= step.table, reversed(history.steps))
    together = [one for one in newest if one.table == step.table and _needs_a_hand(model, evidence, one)]
    cost = _nth_act_cost(model, evidence, together, step.move)
    last = history.steps[-1] if history.steps else None
    if last is not None and last.act is Act.REGRET and step.move.verb == last.move.verb in model.layouts.SHOWN_BY_OWNER:
        cost += 0.0 if _shown_by(step.move) == _shown_by(last.move) else rates.OTHER_CARD_SHOWN_COST
    return cost


def _needs_a_hand(model: Model, evidence: TableEvidence, step: Step) -> bool:
    """Whether an act is visible, or requires a visible reach over the table."""
    if step.act not in (Act.PLAYED, Act.ILLEGAL):
        return False
    return step.shows or (evidence.watched and step.move.verb in model.layouts.HANDLED_UNSEEN)


def _nth_act_cost(model: Model, evidence: TableEvidence, together: Sequence[Step], move: Move) -> float:
    """The cost of a move after some others between two tables; every act needs an arm of its own."""
    costs, arms = rates.NTH_ACT_COST, evidence.seen.arms
    if evidence.watched:
        before = len(together)
        if move.seat is not None and not model.layouts.SHOWN_BY_OWNER:
            name = seat_name(move.seat)
            arms = tuple(arm for arm in arms if dict(arm.seats).get(name, 0.0) >= rates.MIN_ARM_OWNER_PROBABILITY)
            before = sum(one.move.seat == move.seat for one in together)
        costs = rates.NTH_ACT_WITH_ARM_COST if len(arms) > before else rates.NTH_ACT_WITHOUT_ARM_COST
    return costs[min(len(together), len(costs) - 1)]


def _shown_by(move: Move) -> tuple[str, ...]:
    """The visible part of a move that shows a card: the card and the zone it comes from."""
    return (*move.cards, (move.target or "").partition(".")[0])


def _standing_cost(illegal: Step) -> float:
    return rates.EXPOSING_STANDS_COST if illegal.exposes else rates.ILLEGAL_STANDS_COST


def after_illegal(history: History, act: Act, table: int) -> History:
    """A history after its illegal play was taken back, or stands."""
    illegal = history.illegal_play
    assert illegal is not None, "only an illegal play is taken back or stands"
    if act is Act.TAKEN_BACK:
        cost, state = rates.ILLEGAL_TAKEN_BACK_COST, history.state
    else:
        cost, state = _standing_cost(illegal), illegal.shown
    step = Step(act, illegal.move, illegal.ruling, history.state, state, table, history.score, act is Act.TAKEN_BACK)
    return replace(history, steps=(*history.steps, step), state=state, shown=state, score=history.score - cost)


def regretted(history: History, table: int) -> History | None:
    """A history after its last visible play was taken back; None if there is none, or it was just made."""
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
