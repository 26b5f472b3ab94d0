"""The belief: weighted histories of the match, updated with the likelihood of every table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf

from referee.inference import rates
from referee.inference.alignment import realigned
from referee.inference.arms import arms_log_likelihood, idle_arms, step_reaches
from referee.inference.glimpses import (
    NumberedTable,
    acts_at,
    log_likelihoods,
    mismatches_of,
    pending,
    with_glimpsed_arms,
    with_table,
)
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import TableEvidence
from referee.inference.transition import Node, Search, act_cost, after_illegal, regretted, with_move
from referee.moves import Move
from referee.observed import ObservedTable
from referee.verdicts import Outcome, Ruling

SCORE = "score"
"""The doubt about the standings; all other doubts are moves that may be illegal."""


@dataclass(frozen=True, slots=True)
class Stake:
    """The consequences of a history that matter to the players; histories with equal stakes need no question."""

    standings: tuple[tuple[int, int], ...]
    """Cards in hand and points, seat by seat."""
    outcome: Outcome | None
    illegal_plays: tuple[str, ...]
    """Recent illegal plays, as text; older ones are no longer asked about."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Alternative explanations of one table, likeliest first."""

    table: int
    alternatives: tuple[tuple[tuple[Act, Move], ...], ...]


@dataclass(frozen=True, slots=True)
class Belief:
    """The posterior over histories, likeliest first, and the tables that may still change it."""

    histories: tuple[History, ...]
    tables: tuple[TableEvidence, ...] = ()
    """The last tables, oldest first."""
    count: int = 0
    """Number of tables observed so far."""
    settled: int = 0
    """Number of lines of the log that no table changes any more."""
    forks: tuple[Fork, ...] = ()
    """Tables that had several likely explanations."""
    doubts: tuple[tuple[str, int], ...] = ()
    """Current doubts, each with the number of tables for which it has lasted."""

    @property
    def best(self) -> History:
        """The likeliest history."""
        return self.histories[0]

    @property
    def last_complete_table(self) -> int:
        """The number of the last table that is not pending."""
        return self.count - len(pending(_numbered(self, 0)))

    def probabilities(self) -> tuple[float, ...]:
        """The probability of each history."""
        best = self.best.score
        shares = [exp(history.score - best) for history in self.histories]
        return tuple(share / sum(shares) for share in shares)


def initial_belief(state: object, settled: int = 0) -> Belief:
    """The prior: one certain history, with `settled` lines in the log."""
    return Belief((History((), state, state),), settled=settled)


def observe(model: Model, belief: Belief, seen: ObservedTable) -> Belief:
    """The posterior after one more table."""
    watched = bool(seen.arms) or any(table.watched for table in belief.tables[-1:])
    evidence, number = TableEvidence(model.deck, model.layouts, seen, watched), belief.count + 1
    tables = (*belief.tables, evidence)[-rates.SETTLED_AFTER_TABLES :]
    newest = (*pending(_numbered(belief, 0)), (number, evidence))
    nodes = Search(model, newest).run(belief.histories)
    if belief.best.score - nodes[0].total > rates.SURPRISING_TABLE_COST:
        nodes += _revised(model, replace(belief, tables=tables, count=number), newest)
        nodes.sort(key=lambda node: -node.total)
    forks = _forked(belief, number, nodes)
    updated = (_claimed(_updated(model, newest, node), number) for node in _likeliest(model, nodes, number))
    histories = tuple(sorted(updated, key=lambda history: -history.score))
    after = _settled(Belief(histories, tables, number, belief.settled, forks))
    if seen.hasty:
        # A doubt during a play that is under way does not count yet.
        return replace(after, doubts=belief.doubts)
    return with_doubts(model, after, belief.doubts)


def with_doubts(model: Model, belief: Belief, doubts: tuple[tuple[str, int], ...]) -> Belief:
    """The belief with its current doubts, given those at the table before."""
    # A table without an act is no new evidence about a play.
    done, before = any(step.table == belief.count for step in belief.best.steps[-1:]), dict(doubts)
    now = {one: max(1, before.get(one, 0) + (done or one == SCORE)) for one in _doubtful(stakes(model, belief))}
    return replace(belief, doubts=tuple(now.items()))


def _doubtful(shares: Sequence[tuple[Stake, float]]) -> Iterator[str]:
    """The doubts: SCORE if no stake is likely enough, and the plays that may or may not be illegal."""
    best, share = shares[0]
    if share < rates.CLEAR_RULING_PROBABILITY:
        yield SCORE
    for stake, other in shares[1:]:
        if other >= rates.SUSPICION_PROBABILITY:
            yield from (move for move in stake.illegal_plays if move not in best.illegal_plays)
    for move in best.illegal_plays:
        if sum(other for stake, other in shares if move in stake.illegal_plays) < rates.ACCUSATION_PROBABILITY:
            yield move


def stakes(model: Model, belief: Belief) -> list[tuple[Stake, float]]:
    """The stakes with their probabilities, likeliest first."""
    shares: dict[Stake, float] = {}
    for history, weight in zip(belief.histories, belief.probabilities(), strict=True):
        stake = stake_of(model, belief, history)
        shares[stake] = shares.get(stake, 0.0) + weight
    return sorted(shares.items(), key=lambda pair: -pair[1])


def stake_of(model: Model, belief: Belief, history: History) -> Stake:
    """The stake of a history."""
    standings = tuple((row.hand, row.points) for row in model.rules.standings(history.state))
    since = belief.count - rates.ASK_FOR_TABLES
    illegal_plays = tuple(
        sorted(str(step.move) for step in history.steps if step.act is Act.ILLEGAL and step.table > since)
    )
    return Stake(standings, model.rules.outcome(history.state), illegal_plays)


def hear(model: Model, belief: Belief, move: Move) -> Belief:
    """The belief after a player has declared a move, perhaps a little early or late."""
    ways = (way for history in belief.histories for way in _heard(model, belief, history, move))
    histories = sorted(ways, key=lambda history: -history.score)[: rates.MAX_HISTORIES]
    return replace(belief, histories=tuple(histories))


def _heard(model: Model, belief: Belief, history: History, move: Move) -> Iterator[History]:
    """Extensions of a history by a declaration: the move has been made, is made now, or will be made soon."""
    for at, step in enumerate(history.steps):
        late = step.act is Act.PLAYED and step.table > belief.count - rates.DECLARED_LATE_TABLES
        if late and step.move == move and not step.declared:
            steps = (*history.steps[:at], replace(step, declared=True), *history.steps[at + 1 :])
            yield replace(history, steps=steps, score=history.score - rates.DECLARED_COST)
            return
    if history.illegal_play is None and model.judge(history.state, move).ruling is Ruling.LEGAL:
        done = with_move(model, history, move, belief.count, model.layout(history.shown))
        if done is not None:
            longer = done[0]
            steps = (*longer.steps[:-1], replace(longer.steps[-1], declared=True))
            yield replace(longer, steps=steps, score=history.score - rates.DECLARED_COST)
    declared = (*history.declared, (move, belief.count))
    yield replace(history, declared=declared, score=history.score - rates.DECLARED_EARLY_COST)


def _claimed(history: History, table: int) -> History:
    """A history in which overdue declarations become illegal claims, and the others wait one table more."""
    for move, declared_at in history.declared:
        if declared_at > table - rates.DECLARED_EARLY_TABLES:
            break
        step = Step(
            *(Act.CLAIMED, move, Ruling.ILLEGAL, history.state, history.shown, table, history.score, False),
            declared=True,
        )
        illegal = history.steps[-1:] if history.illegal_play is not None else ()
        steps = history.steps[: len(history.steps) - len(illegal)]
        score = history.score - rates.DECLARED_ILLEGALLY_COST
        history = replace(history, steps=(*steps, step, *illegal), score=score, declared=history.declared[1:])
    return replace(history, score=history.score - rates.DECLARATION_WAITS_COST * len(history.declared))


def _updated(model: Model, tables: Sequence[NumberedTable], node: Node) -> History:
    """A history with the score of the table that it explains; glimpsed tables stay pending."""
    hasty = tables[-1][1].seen.hasty
    fits = list(log_likelihoods(model, node.history, tables, complete=not hasty))
    waits = min(len(fits), rates.MAX_PENDING_TABLES) if hasty else 0
    mismatches = fits[-waits][1] if hasty else mismatches_of(tables[-1][1], node.layout, fits[-1][1])
    waiting = sum(fit for fit, _ in fits[len(fits) - waits :])
    if hasty and not acts_at(node.history, tables[-1][0]):
        waiting += node.arms
    return replace(node.history, score=node.total, mismatches=tuple(mismatches.items()), pending=waiting)


def _likeliest(model: Model, nodes: Iterable[Node], table: int) -> list[Node]:
    """The best histories, merged by identity, with a limit on the number that differ only in details."""
    groups, alike = dict[object, list[Node]](), Counter[object]()
    for node in sorted(nodes, key=lambda node: -node.total):
        key = model.identity(node.history, table)
        if key in groups:
            groups[key].append(node)
        elif len(groups) < rates.MAX_HISTORIES:
            story = node.history.story(table - rates.RECENT_ILLEGAL_TABLES)
            if alike[story] < rates.MAX_HISTORIES_PER_STORY:
                groups[key] = [node]
                alike[story] += 1
    return list(map(_merged, groups.values()))


def _merged(alike: Sequence[Node]) -> Node:
    """The likeliest of some equivalent histories, or one with fewer illegal plays if that is likely enough."""
    best = alike[0]
    milder = [node for node in alike if node.history.illegal_plays < best.history.illegal_plays]
    doubt, total = (sum(exp(node.total - best.total) for node in some) for some in (milder, alike))
    if not milder or doubt <= (1 - rates.ACCUSATION_PROBABILITY) * total:
        return best
    chosen = _merged(milder)
    # It represents all of them, so it gets the score of the best.
    return replace(chosen, history=chosen.history.raised(best.total - chosen.total))


def _settled(belief: Belief) -> Belief:
    """The belief with its oldest acts settled; histories that disagree with these are dropped."""
    last = belief.count - rates.SETTLED_AFTER_TABLES
    best = belief.best
    old = next((at for at, step in enumerate(best.steps) if step.table > last), len(best.steps))
    # An illegal play and its ending are settled together, and so are a play and its regret.
    while old and old < len(best.steps) and best.steps[old].act in (Act.TAKEN_BACK, Act.STANDS, Act.REGRET):
        old += 1
    if not old or (best.illegal_play is not None and old == len(best.steps)):
        return belief
    done = [(step.act, step.move) for step in best.steps[:old]]
    histories = tuple(
        replace(history, steps=history.steps[old:])
        for history in belief.histories
        if [(step.act, step.move) for step in history.steps[:old]] == done
    )
    lines = len(replace(best, steps=best.steps[:old]).log_lines())
    return replace(belief, histories=histories, settled=belief.settled + lines)


# Revision of earlier acts


def _forked(belief: Belief, number: int, nodes: Sequence[Node]) -> tuple[Fork, ...]:
    """The remembered forks, with the alternatives for the new table from the same past."""
    best = nodes[0].history
    past = tuple(step for step in best.steps if step.table < number)
    ways = dict.fromkeys(
        tuple((step.act, step.move) for step in node.history.steps[len(past) :])
        for node in nodes
        if node.total > nodes[0].total - rates.FORK_MARGIN_COST
        and len(node.history.steps) >= len(past)
        and (not past or node.history.steps[len(past) - 1] is past[-1])
    )
    forks = tuple(fork for fork in belief.forks if fork.table > number - rates.SETTLED_AFTER_TABLES)
    return (*forks, Fork(number, tuple(ways)[: rates.MAX_ALTERNATIVES])) if len(ways) > 1 else forks


def _revised(model: Model, belief: Belief, newest: Sequence[NumberedTable]) -> list[Node]:
    """Histories with other earlier acts, for a newest table that is a surprise."""
    # An alternative that leads to a known history is not worth a search.
    known = {model.identity(history, belief.count) for history in belief.histories}
    found, ways = list[Node](), list[History]()
    for fork in reversed(belief.forks):
        least = ways[-1].score if len(ways) == rates.MAX_ALTERNATIVES else -inf
        for way in _alternatives(model, belief, belief.best, fork, least):
            identity = model.identity(way, belief.count)
            if identity not in known:
                known.add(identity)
                ways.append(way)
        ways = sorted(ways, key=lambda history: -history.score)[: rates.MAX_ALTERNATIVES]
    for start in ways:
        found += Search(model, newest, rates.SEARCH_BUDGET_ACTS // 4).run([start])
    for at in [at for at, step in enumerate(belief.best.steps) if step.shows][: -rates.MAX_REVISED_ACTS - 1 : -1]:
        history, step = belief.best, belief.best.steps[at]
        start = History(history.steps[:at], step.before, step.before, step.score)
        if start.illegal_play is None:
            tables = _numbered(belief, step.table)
            waiting = pending(_numbered(belief, 0)[: -len(tables)])
            for other in Search(model, newest[-1:], rates.SEARCH_BUDGET_ACTS // 4).run([start])[:4]:
                found.append(realigned(model, waiting, tables, start, other.history.steps[at:]))
    return found


def _alternatives(model: Model, belief: Belief, history: History, fork: Fork, least: float) -> Iterator[History]:
    """The history with each alternative at a fork, and the same acts after it."""
    first = next((at for at, step in enumerate(history.steps) if step.table >= fork.table), len(history.steps))
    after = next((at for at, step in enumerate(history.steps) if step.table > fork.table), len(history.steps))
    if first and history.steps[first - 1].act is Act.ILLEGAL:
        return
    taken = tuple((step.act, step.move) for step in history.steps[first:after])
    if not taken:
        return
    start = replace(history, steps=history.steps[:first], state=history.steps[first].before)
    start = replace(start, shown=start.state, score=history.steps[first].score, pending=0.0)
    for way in fork.alternatives:
        if way != taken:
            acts = [(fork.table, *act) for act in way]
            acts += [(step.table, step.act, step.move) for step in history.steps[after:]]
            other = _replayed(model, belief, start, acts, history.steps[first].table, least)
            if other is not None:
                yield other


def _replayed(
    model: Model, belief: Belief, history: History, acts: Sequence[tuple[int, Act, Move]], first: int, least: float
) -> History | None:
    """A history with the given acts after another beginning; None if impossible, or if the score is below `least`."""
    left = list(acts)
    layout = model.layout(history.shown)
    tables = _numbered(belief, first)
    waiting = list(pending(_numbered(belief, 0)[: -len(tables)]))
    for number, table in tables[:-1]:
        waiting.append((number, table))
        evidence = with_glimpsed_arms(history, waiting)
        reached: frozenset[tuple[int, str]] = frozenset()
        while left and left[0][0] == number:
            _, act, move = left.pop(0)
            if act is Act.STANDS and history.illegal_play is None:
                continue
            longer = _repaired(model, evidence, history, (number, act, move), rates.MAX_INSERTED_ACTS)
            if longer is None and act is Act.PLAYED and move.verb in model.layouts.DECLARED:
                # The act was invisible: perhaps it was not made.
                continue
            if longer is None:
                return None
            now = model.layout(longer.shown)
            needed = step_reaches(model, longer.steps[-1], layout, now)
            history = longer.rescored(longer.score + arms_log_likelihood(evidence, needed - reached))
            reached, layout = reached | needed, now
        history = with_table(model, history, waiting, idle_arms(evidence, reached))
        if history.score < least:
            return None
        waiting = list(pending(waiting))
    return history


def _repaired(
    model: Model, evidence: TableEvidence, history: History, done: tuple[int, Act, Move], most: int
) -> History | None:
    """The likeliest history with an act, perhaps after inserted invisible acts that make it legal."""
    longer = _repeated(model, evidence, history, done)
    table, act, move = done
    if act not in (Act.PLAYED, Act.ILLEGAL) or history.illegal_play is not None or not most:
        return longer
    if model.judge(history.state, move).ruling is not Ruling.ILLEGAL:
        return longer
    ways = [longer]
    for unseen, _ in model.unseen(history.state):
        if unseen.verb not in model.layouts.DECLARED:
            # Only acts that need no hand over the table.
            continue
        before = _repeated(model, evidence, history, (table, Act.PLAYED, unseen))
        if before is not None and not before.steps[-1].shows:
            ways.append(_repaired(model, evidence, before, (table, Act.PLAYED, move), most - 1))
    return max((way for way in ways if way is not None), key=lambda way: way.score, default=None)


def _repeated(model: Model, evidence: TableEvidence, history: History, done: tuple[int, Act, Move]) -> History | None:
    """A history extended by an act of another history, at the same table."""
    table, act, move = done
    if act in (Act.TAKEN_BACK, Act.STANDS):
        return None if history.illegal_play is None else after_illegal(history, act, table)
    if act is Act.CLAIMED:
        return _claimed(
            replace(history, declared=((move, table - rates.DECLARED_EARLY_TABLES), *history.declared)), table
        )
    if act is Act.REGRET:
        return regretted(history, table)
    if history.illegal_play is not None:
        return None
    unseen = any(move == one for one, _ in model.unseen(history.state))
    after = with_move(model, history, move, table, model.layout(history.shown), unseen)
    if after is None or (act is Act.PLAYED and after[2] is Ruling.ILLEGAL):
        return None
    longer = after[0]
    return longer.rescored(longer.score - act_cost(model, evidence, history, longer.steps[-1]))


def _numbered(belief: Belief, first: int) -> list[tuple[int, TableEvidence]]:
    """The kept tables from a number on, with their numbers."""
    oldest = belief.count - len(belief.tables) + 1
    return [(number, evidence) for number, evidence in enumerate(belief.tables, oldest) if number >= first]
