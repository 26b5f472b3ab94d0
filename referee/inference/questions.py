"""Decisions: how the log follows the belief, and when the players are asked."""

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
"""Probability of each move with its ruling."""


@dataclass(frozen=True, slots=True)
class Question:
    """Several likely histories; a human chooses one, or a later table decides."""

    choices: tuple[tuple[Edit, ...], ...]
    """Each choice as the edits that it would make."""
    about: frozenset[str] = frozenset()
    """The illegal plays of only some choices, or the first moves that differ; equal for the same question."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The response to one table."""

    edits: tuple[Edit, ...] = ()
    question: Question | None = None
    left: tuple[Difference, ...] = ()
    """Differences between the table and the best history."""


def decide(model: Model, belief: Belief, match: AnyMatch) -> Decision:
    """Decide what to write, to ask and to show."""
    weights = belief.probabilities()
    logs = [history.log_lines() for history in belief.histories]
    shares = _probabilities(logs, weights)
    edits = _edits(match, belief.settled, _confirmed(logs, weights, shares, belief.last_complete_table), shares)
    left = belief.tables[-1].differences(model.layout(belief.best.shown)) if belief.tables else ()
    return Decision(edits, _question(model, match, belief, logs, shares), left)


def _probabilities(logs: Sequence[Log], weights: Sequence[float]) -> Shares:
    """The probability that each move with its ruling belongs in the log."""
    shares: dict[tuple[Move, Ruling], float] = {}
    for log, weight in zip(logs, weights, strict=True):
        for key in {(line.move, line.ruling) for line in log}:
            shares[key] = shares.get(key, 0.0) + weight
    return shares


def _confirmed(logs: Sequence[Log], weights: Sequence[float], shares: Shares, complete: int) -> Log:
    """The likeliest log, without accusations that are not certain enough."""

    def is_doubted(line: LogLine) -> bool:
        # Glimpsed tables alone are not enough for an accusation.
        return _is_doubted(line, shares) or (_accuses(line) and line.table > complete)

    for log, weight in zip(logs, weights, strict=True):
        doubted = [line for line in log if is_doubted(line)]
        if weight >= rates.MIN_CHOICE_PROBABILITY and not any(line.stands for line in doubted):
            return tuple(line for line in log if line not in doubted)
    return tuple(takewhile(lambda line: not is_doubted(line), logs[0]))


def _is_doubted(line: LogLine, shares: Shares) -> bool:
    """Whether a line is an accusation that is not certain enough."""
    return _accuses(line) and shares[line.move, line.ruling] < rates.ACCUSATION_PROBABILITY


def _accuses(line: LogLine) -> bool:
    return line.ruling is Ruling.ILLEGAL and not line.declared


def _edits(match: AnyMatch, settled: int, chosen: Log, shares: Shares) -> tuple[Edit, ...]:
    """The edits that turn the log of the match into the chosen one."""
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
    """The question, if a doubt has lasted long enough: the likeliest log for each stake."""
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
    return Question(choices, about or _first_difference([firsts[stake] for stake in likely]))


def _first_difference(logs: Sequence[Log]) -> frozenset[str]:
    """The moves at the first line in which some logs differ."""
    shortest = min(map(len, logs))
    at = next((at for at in range(shortest) if len({log[at] for log in logs}) > 1), shortest)
    return frozenset(str(log[at].move) if at < len(log) else "" for log in logs)
