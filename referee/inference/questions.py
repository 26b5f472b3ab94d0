"""Questions and edits: how the log follows the belief, and what people are asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from referee.edits import Edit, Play, Stand, Undo
from referee.inference import rates
from referee.inference.belief import Belief, stake_of, stakes
from referee.inference.history import LogLine, Model
from referee.inference.observation import Difference
from referee.match import AnyMatch
from referee.moves import Move
from referee.verdicts import Ruling

Log = tuple[LogLine, ...]
Shares = Mapping[tuple[Move, Ruling], float]
"""Of each move and its ruling the probability."""


@dataclass(frozen=True, slots=True)
class Question:
    """Histories that are about equally likely: a human chooses, or a later table does."""

    choices: tuple[tuple[Edit, ...], ...]
    """Each as the edits that would be made."""
    about: frozenset[str] = frozenset()
    """The wrong plays that some of them have, or the moves at which they part: the same as long as the question is."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What one table changes."""

    edits: tuple[Edit, ...] = ()
    question: Question | None = None
    left: tuple[Difference, ...] = ()
    """What nothing explains."""


def decide(model: Model, belief: Belief, match: AnyMatch) -> Decision:
    """What is to be written, asked and shown now."""
    weights = belief.weights()
    logs = [history.log_lines() for history in belief.histories]
    shares = _probabilities(logs, weights)
    edits = _edits(match, belief.settled, _confirmed(logs, weights, shares, belief.calm), shares)
    left = belief.tables[-1].differences(model.layout(belief.best.shown)) if belief.tables else ()
    return Decision(edits, _question(model, match, belief, logs, shares), left)


def _probabilities(logs: Sequence[Log], weights: Sequence[float]) -> Shares:
    """How likely it is of each move and its ruling that they belong into the log."""
    shares: dict[tuple[Move, Ruling], float] = {}
    for log, weight in zip(logs, weights, strict=True):
        for key in {(line.move, line.ruling) for line in log}:
            shares[key] = shares.get(key, 0.0) + weight
    return shares


def _confirmed(logs: Sequence[Log], weights: Sequence[float], shares: Shares, calm: int) -> Log:
    """The likeliest log on which play goes on without an accusation that is not certain enough."""

    def is_doubted(line: LogLine) -> bool:
        # Nobody is accused because of tables alone that were glimpsed while a play was under way.
        return _is_doubted(line, shares) or (_accuses(line) and line.table > calm)

    for log, weight in zip(logs, weights, strict=True):
        doubted = [line for line in log if is_doubted(line)]
        if weight >= rates.MIN_CHOICE_PROBABILITY and not any(line.stands for line in doubted):
            return tuple(line for line in log if line not in doubted)
    return tuple(takewhile(lambda line: not is_doubted(line), logs[0]))


def _is_doubted(line: LogLine, shares: Shares) -> bool:
    """Whether a line accuses somebody who may be innocent."""
    return _accuses(line) and shares[line.move, line.ruling] < rates.ACCUSATION_PROBABILITY


def _accuses(line: LogLine) -> bool:
    return line.ruling is Ruling.ILLEGAL and not line.declared


def _edits(match: AnyMatch, settled: int, chosen: Log, shares: Shares) -> tuple[Edit, ...]:
    """What makes the log what it should be."""
    entries = match.log[settled:]
    same = 0
    for entry, line in zip(entries, chosen, strict=False):
        if entry.move != line.move or entry.stands > line.stands:
            break
        same += 1
    edits: list[Edit] = [Undo()] * (len(entries) - same)
    kept = zip(entries[:same], chosen, strict=False)
    edits += [Stand(entry.line) for entry, line in kept if line.stands and not entry.stands]
    for line in chosen[same:]:
        share = 1.0 if line.declared else round(shares[line.move, line.ruling], 4)
        edits.append(Play(line.move, line.declared, share))
        if line.stands:
            edits.append(Stand())
    return tuple(edits)


def _question(model: Model, match: AnyMatch, belief: Belief, logs: Sequence[Log], shares: Shares) -> Question | None:
    """What to ask: where it has been doubtful for some tables what to rule, the likeliest log of each kind."""
    if max((tables for _, tables in belief.doubts), default=0) < rates.ASK_AFTER_TABLES:
        return None
    likely = [stake for stake, share in stakes(model, belief) if share >= rates.MIN_CHOICE_PROBABILITY]
    firsts: dict[object, Log] = {}
    for history, log in zip(belief.histories, logs, strict=True):
        firsts.setdefault(stake_of(model, belief, history), log)
    choices = tuple(_edits(match, belief.settled, firsts[stake], shares) for stake in likely)
    if len(choices) < 2:
        return None
    illegal_plays = [frozenset(stake.illegal_plays) for stake in likely]
    about = frozenset.union(*illegal_plays) - frozenset.intersection(*illegal_plays)
    return Question(choices, about or _parting([firsts[stake] for stake in likely]))


def _parting(logs: Sequence[Log]) -> frozenset[str]:
    """The first moves by which some logs differ."""
    shortest = min(map(len, logs))
    at = next((at for at in range(shortest) if len({log[at] for log in logs}) > 1), shortest)
    return frozenset(str(log[at].move) if at < len(log) else "" for log in logs)
