"""The belief: a few weighted histories of the match. Every table multiplies in how likely it is under each."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, inf

from referee.inference import rates
from referee.inference.alignment import realigned
from referee.inference.arms import arms_fit, idle_arms, step_reaches
from referee.inference.glimpses import Numbered, acting, acts_at, explained, mismatches_of, pending, taken_in
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import TableEvidence
from referee.inference.transition import Node, Search, act_cost, acted, after_illegal, regretted
from referee.moves import Move
from referee.observed import ObservedTable
from referee.verdicts import Outcome, Ruling

SCORE = "score"
"""Among what is doubtful: no score is likely enough; all else there is plays that may be wrong."""


@dataclass(frozen=True, slots=True)
class Stake:
    """What people would want to know about a history."""

    standings: tuple[tuple[int, int], ...]
    """Cards in hand and points, seat by seat."""
    outcome: Outcome | None
    illegal_plays: tuple[str, ...]
    """The moves that were against the rules lately; what nobody answered before is not asked again."""


@dataclass(frozen=True, slots=True)
class Fork:
    """The ways that led to one table, the likelier first."""

    table: int
    ways: tuple[tuple[tuple[Act, Move], ...], ...]


@dataclass(frozen=True, slots=True)
class Belief:
    """What may have happened, likeliest first, and the tables that still speak."""

    histories: tuple[History, ...]
    tables: tuple[TableEvidence, ...] = ()
    """The last ones, oldest first."""
    count: int = 0
    """How many tables were seen in all."""
    settled: int = 0
    """How many lines of the log no table changes any more."""
    forks: tuple[Fork, ...] = ()
    """Where something else was nearly as likely."""
    doubts: tuple[tuple[str, int], ...] = ()
    """What has been doubtful up to the last table, and for how many tables."""

    @property
    def best(self) -> History:
        """The likeliest history."""
        return self.histories[0]

    @property
    def calm(self) -> int:
        """The number of the last table that was not only glimpsed, or that has waited long enough for a better one."""
        return self.count - len(pending(_numbered(self, 0)))

    def weights(self) -> tuple[float, ...]:
        """The probability of each history."""
        best = self.best.score
        shares = [exp(history.score - best) for history in self.histories]
        return tuple(share / sum(shares) for share in shares)


def begin(state: object, settled: int = 0) -> Belief:
    """The belief when nothing has been seen, or when all that was written before is certain."""
    return Belief((History((), state, state),), settled=settled)


def observe(model: Model, belief: Belief, seen: ObservedTable) -> Belief:
    """The belief after one more table."""
    watched = bool(seen.arms) or any(table.watched for table in belief.tables[-1:])
    evidence, number = TableEvidence(model.deck, model.layouts, seen, watched), belief.count + 1
    tables = (*belief.tables, evidence)[-rates.SETTLED_AFTER_TABLES :]
    newest = (*pending(_numbered(belief, 0)), (number, evidence))
    nodes = Search(model, newest).run(belief.histories)
    if belief.best.score - nodes[0].total > rates.SURPRISING_TABLE_COST:
        nodes += _looked_back(model, replace(belief, tables=tables, count=number), newest)
        nodes.sort(key=lambda node: -node.total)
    forks = _forked(belief, number, nodes)
    folded = (_claimed(_folded(model, newest, node), number) for node in _likeliest(model, nodes, number))
    histories = tuple(sorted(folded, key=lambda history: -history.score))
    after = _settled(Belief(histories, tables, number, belief.settled, forks))
    if seen.hasty:
        # A doubt that exists only while a play is under way is no doubt yet.
        return replace(after, doubts=belief.doubts)
    return doubting(model, after, belief.doubts)


def doubting(model: Model, belief: Belief, doubts: tuple[tuple[str, int], ...]) -> Belief:
    """The belief with what is doubtful now, given what was at the table before."""
    # A table at which nothing was done says nothing new of a play.
    done, before = any(step.table == belief.count for step in belief.best.steps[-1:]), dict(doubts)
    now = {one: max(1, before.get(one, 0) + (done or one == SCORE)) for one in _doubtful(stakes(model, belief))}
    return replace(belief, doubts=tuple(now.items()))


def _doubtful(shares: Sequence[tuple[Stake, float]]) -> Iterator[str]:
    """What makes a ruling doubtful: the score, if none is likely enough, and plays that may or may not be wrong."""
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
    """What people would want to know, by how likely each is: hands and points, the outcome, who did wrong."""
    shares: dict[Stake, float] = {}
    for history, weight in zip(belief.histories, belief.weights(), strict=True):
        stake = stake_of(model, belief, history)
        shares[stake] = shares.get(stake, 0.0) + weight
    return sorted(shares.items(), key=lambda pair: -pair[1])


def stake_of(model: Model, belief: Belief, history: History) -> Stake:
    """What matters now about a history."""
    standings = tuple((row.hand, row.points) for row in model.rules.standings(history.state))
    since = belief.count - rates.ASK_FOR_TABLES
    illegal_plays = tuple(
        sorted(str(step.move) for step in history.steps if step.act is Act.ILLEGAL and step.table > since)
    )
    return Stake(standings, model.rules.outcome(history.state), illegal_plays)


def hear(model: Model, belief: Belief, move: Move) -> Belief:
    """The belief after somebody has said what was done: a little early or late means the same."""
    ways = (way for history in belief.histories for way in _heard(model, belief, history, move))
    histories = sorted(ways, key=lambda history: -history.score)[: rates.MAX_HISTORIES]
    return replace(belief, histories=tuple(histories))


def _heard(model: Model, belief: Belief, history: History, move: Move) -> Iterator[History]:
    """A history in which something was said: it has happened already, it happens now, or it will soon."""
    for at, step in enumerate(history.steps):
        late = step.act is Act.PLAYED and step.table > belief.count - rates.DECLARED_LATE_TABLES
        if late and step.move == move and not step.declared:
            steps = (*history.steps[:at], replace(step, declared=True), *history.steps[at + 1 :])
            yield replace(history, steps=steps, score=history.score - rates.DECLARED_COST)
            return
    if history.illegal_play is None and model.judge(history.state, move).ruling is Ruling.LEGAL:
        done = acted(model, history, move, belief.count, model.layout(history.shown))
        if done is not None:
            longer = done[0]
            steps = (*longer.steps[:-1], replace(longer.steps[-1], declared=True))
            yield replace(longer, steps=steps, score=history.score - rates.DECLARED_COST)
    declared = (*history.declared, (move, belief.count))
    yield replace(history, declared=declared, score=history.score - rates.DECLARED_EARLY_COST)


def _claimed(history: History, table: int) -> History:
    """A history in which what was said some tables ago has still not happened: it was said wrongly."""
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


def _folded(model: Model, tables: Sequence[Numbered], node: Node) -> History:
    """A history that has taken in the table it explains; what was glimpsed last waits for what explains it."""
    hasty = tables[-1][1].seen.hasty
    fits = list(explained(model, node.history, tables, complete=not hasty))
    waits = min(len(fits), rates.MAX_PENDING_TABLES) if hasty else 0
    mismatches = fits[-waits][1] if hasty else mismatches_of(tables[-1][1], node.layout, fits[-1][1])
    waiting = sum(fit for fit, _ in fits[len(fits) - waits :])
    if hasty and not acts_at(node.history, tables[-1][0]):
        waiting += node.arms
    return replace(node.history, score=node.total, mismatches=tuple(mismatches.items()), pending=waiting)


def _likeliest(model: Model, nodes: Iterable[Node], table: int) -> list[Node]:
    """The best histories, those that need not be told apart merged; some of them in which other acts were done."""
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
    """The likeliest of histories that need not be told apart, or one that accuses of less if that may well be true."""
    best = alike[0]
    milder = [node for node in alike if node.history.illegal_plays < best.history.illegal_plays]
    doubt, total = (sum(exp(node.total - best.total) for node in some) for some in (milder, alike))
    if not milder or doubt <= (1 - rates.ACCUSATION_PROBABILITY) * total:
        return best
    chosen = _merged(milder)
    # It speaks for all of them, and so is as likely as the best.
    return replace(chosen, history=chosen.history.raised(best.total - chosen.total))


def _settled(belief: Belief) -> Belief:
    """The belief without what is too long ago to change; histories that see that otherwise are dropped."""
    last = belief.count - rates.SETTLED_AFTER_TABLES
    best = belief.best
    old = next((at for at, step in enumerate(best.steps) if step.table > last), len(best.steps))
    # A wrong play and what became of it are settled together, and so are a play and its regret.
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


# Looking back


def _forked(belief: Belief, number: int, nodes: Sequence[Node]) -> tuple[Fork, ...]:
    """The forks that are remembered, with the one of a new table: what else may have led there, from the same past."""
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


def _looked_back(model: Model, belief: Belief, newest: Sequence[Numbered]) -> list[Node]:
    """Other histories in which earlier acts were different, where the newest table comes as a surprise."""
    # Where another way leads to a history that is believed anyway there is nothing to be found.
    known = {model.identity(history, belief.count) for history in belief.histories}
    found, ways = list[Node](), list[History]()
    for fork in reversed(belief.forks):
        least = ways[-1].score if len(ways) == rates.MAX_ALTERNATIVES else -inf
        for way in _other_ways(model, belief, belief.best, fork, least):
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


def _other_ways(model: Model, belief: Belief, history: History, fork: Fork, least: float) -> Iterator[History]:
    """A history with what else may have happened at a fork, and everything after it as it was."""
    first = next((at for at, step in enumerate(history.steps) if step.table >= fork.table), len(history.steps))
    after = next((at for at, step in enumerate(history.steps) if step.table > fork.table), len(history.steps))
    if first and history.steps[first - 1].act is Act.ILLEGAL:
        return
    taken = tuple((step.act, step.move) for step in history.steps[first:after])
    if not taken:
        return
    start = replace(history, steps=history.steps[:first], state=history.steps[first].before)
    start = replace(start, shown=start.state, score=history.steps[first].score, pending=0.0)
    for way in fork.ways:
        if way != taken:
            acts = [(fork.table, *act) for act in way]
            acts += [(step.table, step.act, step.move) for step in history.steps[after:]]
            other = _replayed(model, belief, start, acts, history.steps[first].table, least)
            if other is not None:
                yield other


def _replayed(
    model: Model, belief: Belief, history: History, acts: Sequence[tuple[int, Act, Move]], first: int, least: float
) -> History | None:
    """A history with the same acts after another beginning; None if one is not allowed, or it is too unlikely."""
    left = list(acts)
    layout = model.layout(history.shown)
    tables = _numbered(belief, first)
    waiting = list(pending(_numbered(belief, 0)[: -len(tables)]))
    for number, table in tables[:-1]:
        waiting.append((number, table))
        evidence = acting(history, waiting)
        reached: frozenset[tuple[int, str]] = frozenset()
        while left and left[0][0] == number:
            _, act, move = left.pop(0)
            if act is Act.STANDS and history.illegal_play is None:
                continue
            longer = _mended(model, evidence, history, (number, act, move), rates.MAX_INSERTED_ACTS)
            if longer is None and act is Act.PLAYED and move.verb in model.layouts.DECLARED:
                # It left no trace: perhaps it did not happen.
                continue
            if longer is None:
                return None
            now = model.layout(longer.shown)
            needed = step_reaches(model, longer.steps[-1], layout, now)
            history = longer.rescored(longer.score + arms_fit(evidence, needed - reached))
            reached, layout = reached | needed, now
        history = taken_in(model, history, waiting, idle_arms(evidence, reached))
        if history.score < least:
            return None
        waiting = list(pending(waiting))
    return history


def _mended(
    model: Model, evidence: TableEvidence, history: History, done: tuple[int, Act, Move], most: int
) -> History | None:
    """The likeliest history with the same act, which may be allowed after some acts that leave no trace."""
    longer = _repeated(model, evidence, history, done)
    table, act, move = done
    if act not in (Act.PLAYED, Act.ILLEGAL) or history.illegal_play is not None or not most:
        return longer
    if model.judge(history.state, move).ruling is not Ruling.ILLEGAL:
        return longer
    ways = [longer]
    for unseen, _ in model.unseen(history.state):
        if unseen.verb not in model.layouts.DECLARED:
            # Only what no hand over the table would show.
            continue
        before = _repeated(model, evidence, history, (table, Act.PLAYED, unseen))
        if before is not None and not before.steps[-1].shows:
            ways.append(_mended(model, evidence, before, (table, Act.PLAYED, move), most - 1))
    return max((way for way in ways if way is not None), key=lambda way: way.score, default=None)


def _repeated(model: Model, evidence: TableEvidence, history: History, done: tuple[int, Act, Move]) -> History | None:
    """A history with one act that another history has as well, at the same table."""
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
    after = acted(model, history, move, table, model.layout(history.shown), unseen)
    if after is None or (act is Act.PLAYED and after[2] is Ruling.ILLEGAL):
        return None
    longer = after[0]
    return longer.rescored(longer.score - act_cost(model, evidence, history, longer.steps[-1]))


def _numbered(belief: Belief, first: int) -> list[tuple[int, TableEvidence]]:
    """The tables from some number on."""
    oldest = belief.count - len(belief.tables) + 1
    return [(number, evidence) for number, evidence in enumerate(belief.tables, oldest) if number >= first]
