"""The belief: a few weighted histories of the match. Every table multiplies in how likely it is under each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp

from referee.inference import rates
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import Evidence
from referee.inference.transition import Node, Search, arms_fit
from referee.seen import Seen
from referee.verdicts import Ruling


@dataclass(frozen=True, slots=True)
class Belief:
    """What may have happened, likeliest first, and the tables that still speak."""

    histories: tuple[History, ...]
    tables: tuple[Evidence, ...] = ()
    """The last ones, oldest first."""
    count: int = 0
    """How many tables were seen in all."""
    settled: int = 0
    """How many lines of the log no table changes any more."""
    doubted: int = 0
    """For how many tables, up to the last, it has been doubtful what to rule."""

    @property
    def best(self) -> History:
        """The likeliest history."""
        return self.histories[0]

    def weights(self) -> tuple[float, ...]:
        """The probability of each history."""
        best = self.best.score
        shares = [exp(history.score - best) for history in self.histories]
        return tuple(share / sum(shares) for share in shares)


def begin(state: object, settled: int = 0) -> Belief:
    """The belief when nothing has been seen, or when all that was written before is certain."""
    return Belief((History((), state, state),), settled=settled)


def observe(model: Model, belief: Belief, seen: Seen) -> Belief:
    """The belief after one more table."""
    evidence, number = Evidence(model.deck, model.layouts, seen), belief.count + 1
    tables = (*belief.tables, evidence)[-rates.LAG :]
    search = Search(model, evidence, number)
    nodes = search.run(belief.histories)
    if belief.best.score - nodes[0].total > rates.SURPRISING:
        nodes += _looked_back(model, replace(belief, tables=tables, count=number), nodes)
    histories = tuple(_folded(evidence, node) for node in _likeliest(nodes))
    after = _settled(Belief(histories, tables, number, belief.settled))
    return replace(after, doubted=belief.doubted + 1 if stakes(model, after)[0][1] < rates.DOUBTFUL else 0)


Stake = tuple[object, ...]


def stakes(model: Model, belief: Belief) -> list[tuple[Stake, float]]:
    """What people would want to know, by how likely each is: hands and points, the outcome, who did wrong."""
    shares: dict[Stake, float] = {}
    for history, weight in zip(belief.histories, belief.weights(), strict=True):
        stake = stake_of(model, history)
        shares[stake] = shares.get(stake, 0.0) + weight
    return sorted(shares.items(), key=lambda pair: -pair[1])


def stake_of(model: Model, history: History) -> Stake:
    """What matters now about a history."""
    standings = tuple((row.hand, row.points) for row in model.rules.standings(history.state))
    wrongs = tuple(sorted(str(line.move) for line in history.written() if line.ruling is Ruling.ILLEGAL))
    return standings, model.rules.outcome(history.state), wrongs


def _folded(evidence: Evidence, node: Node) -> History:
    """A history that has taken in the table it explains."""
    odd = evidence.differences(node.layout) if node.fit < rates.EXPLAINED else ()
    return replace(node.history, score=node.total, odd=frozenset(difference.key for difference in odd))


def _likeliest(nodes: Iterable[Node]) -> list[Node]:
    """The best histories, those with the same state merged."""
    kept: dict[object, Node] = {}
    for node in sorted(nodes, key=lambda node: -node.total):
        key = (node.history.state, node.history.shown)
        known = kept.get(key)
        if known is None and len(kept) < rates.HISTORIES:
            kept[key] = node
    return list(kept.values())


def _settled(belief: Belief) -> Belief:
    """The belief without what is too long ago to change; histories that see that otherwise are dropped."""
    last = belief.count - rates.LAG
    best = belief.best
    old = next((at for at, step in enumerate(best.steps) if step.table > last), len(best.steps))
    # A wrong play and what became of it are settled together, and so are a play and its regret.
    while old and old < len(best.steps) and best.steps[old].act in (Act.BACK, Act.STANDS, Act.REGRET):
        old += 1
    if not old or (best.wrong is not None and old == len(best.steps)):
        return belief
    done = [(step.act, step.move) for step in best.steps[:old]]
    kept = [history for history in belief.histories if [(step.act, step.move) for step in history.steps[:old]] == done]
    zero = best.score
    histories = tuple(
        replace(
            history,
            steps=tuple(replace(step, score=step.score - zero) for step in history.steps[old:]),
            score=history.score - zero,
        )
        for history in kept
    )
    lines = len(replace(best, steps=best.steps[:old]).written())
    return replace(belief, histories=histories, settled=belief.settled + lines)


# Looking back


def _looked_back(model: Model, belief: Belief, nodes: Sequence[Node]) -> list[Node]:
    """Other histories in which the last acts were different, where the newest table comes as a surprise."""
    found: list[Node] = []
    tried: set[object] = set()
    for node in nodes[:2]:
        history = node.history
        firsts = [at for at, step in enumerate(history.steps) if step.shows][-rates.LOOK_BACK :]
        for at in reversed(firsts):
            step = history.steps[at]
            start = History(history.steps[:at], step.before, step.before, step.score)
            if start.wrong is not None or (step.before, step.score) in tried:
                continue
            tried.add((step.before, step.score))
            evidence = belief.tables[-1]
            search = Search(model, evidence, belief.count, rates.BUDGET // 3)
            for other in search.run([start])[:4]:
                again = _realigned(model, belief, start, other.history.steps[at:], step.table)
                if again is not None:
                    found.append(again)
    return found


def _realigned(model: Model, belief: Belief, start: History, steps: Sequence[Step], first: int) -> Node | None:
    """A history with other steps from some point on, scored by all tables since: each is given its place."""
    tables = _numbered(belief, first)
    states = [start.shown, *(step.shown for step in steps)]
    layouts = [model.layout(state) for state in states]
    fits = [[evidence.fit(layout) for layout in layouts] for _, evidence in tables]
    places = _placed(fits)
    history = start
    at = 0
    total = start.score
    for (number, evidence), place, row in zip(tables, places, fits, strict=True):
        while at < place:
            step = steps[at]
            cost = _cost(model, evidence, step, layouts[at], layouts[at + 1])
            taken = replace(step, table=number, score=total)
            total -= cost
            history = replace(history, steps=(*history.steps, taken))
            at += 1
        total += row[place]
    last = steps[-1] if steps else None
    state = start.state if last is None else last.before if last.act is Act.WRONG else last.shown
    # The fit of the newest table is added when the history is folded.
    history = replace(history, state=state, shown=states[-1], score=total - fits[-1][-1])
    return Node(history, layouts[-1], fits[-1][-1])


def _cost(model: Model, evidence: Evidence, step: Step, before: object, after: object) -> float:
    for move, cost in model.layouts.unseen(step.before):
        if move == step.move:
            return cost
    if model.layouts.follows(step.before) == step.move:
        return rates.FORCED_COST
    return rates.MOVE_COST[step.ruling] - arms_fit(model, evidence.seen, step.move, before, after)


def _numbered(belief: Belief, first: int) -> list[tuple[int, Evidence]]:
    """The tables from some number on."""
    oldest = belief.count - len(belief.tables) + 1
    return [(number, evidence) for number, evidence in enumerate(belief.tables, oldest) if number >= first]


def _placed(fits: Sequence[Sequence[float]]) -> list[int]:
    """After how many steps each table was there, in order, the newest after all of them."""
    rows: list[list[tuple[float, int]]] = []
    for number, row in enumerate(fits):
        best: list[tuple[float, int]] = []
        reached = (float("-inf"), 0)
        for place, fit in enumerate(row):
            before = rows[-1][place][0] if rows else 0.0
            if before > reached[0]:
                reached = (before, place)
            best.append((reached[0] + fit, reached[1]))
        rows.append(best)
        del number
    place = len(fits[-1]) - 1
    places = [place]
    for row in reversed(rows[1:]):
        place = row[place][1]
        places.append(place)
    return places[::-1]
