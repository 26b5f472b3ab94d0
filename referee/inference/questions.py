"""Questions and edits: how the log follows the belief, and what people are asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from referee.edits import Edit, Play, Stand, Undo
from referee.inference import rates
from referee.inference.belief import Belief, stake_of, stakes
from referee.inference.history import Model, Written
from referee.inference.observation import Difference
from referee.match import AnyMatch
from referee.verdicts import Ruling


@dataclass(frozen=True, slots=True)
class Question:
    """Histories that are about equally likely: a human chooses, or a later table does."""

    choices: tuple[tuple[Edit, ...], ...]
    """Each as the edits that would be made."""
    about: frozenset[str] = frozenset()
    """The wrong plays that some of them have, or the moves at which they part: the same as long as the question is."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one table changes."""

    edits: tuple[Edit, ...] = ()
    question: Question | None = None
    left: tuple[Difference, ...] = ()
    """What nothing explains."""


def decide(model: Model, belief: Belief, match: AnyMatch) -> Told:
    """What is to be written, asked and shown now."""
    weights = belief.weights()
    logs = [history.written() for history in belief.histories]
    chosen = _confirmed(logs, weights)
    edits = _edits(match, belief.settled, chosen, logs, weights)
    left = belief.tables[-1].differences(model.layout(belief.best.shown)) if belief.tables else ()
    return Told(edits, _question(model, match, belief, logs, weights), left)


def _confirmed(logs: Sequence[tuple[Written, ...]], weights: Sequence[float]) -> tuple[Written, ...]:
    """The likeliest log on which play goes on without an accusation that is not certain enough."""
    for log, weight in zip(logs, weights, strict=True):
        doubted = [line for line in log if _is_doubted(line, logs, weights)]
        if weight >= rates.CHOICE and not any(line.stands for line in doubted):
            return tuple(line for line in log if line not in doubted)
    return tuple(takewhile(lambda line: not _is_doubted(line, logs, weights), logs[0]))


def _is_doubted(line: Written, logs: Sequence[tuple[Written, ...]], weights: Sequence[float]) -> bool:
    """Whether a line accuses somebody who may be innocent."""
    return line.ruling is Ruling.ILLEGAL and not line.said and _probability(line, logs, weights) < rates.ACCUSED


def _probability(line: Written, logs: Sequence[tuple[Written, ...]], weights: Sequence[float]) -> float:
    """How likely it is that a line belongs into the log."""
    return sum(
        weight
        for log, weight in zip(logs, weights, strict=True)
        if any(one.ruling is line.ruling and one.move == line.move for one in log)
    )


def _edits(
    match: AnyMatch,
    settled: int,
    chosen: tuple[Written, ...],
    logs: Sequence[tuple[Written, ...]],
    weights: Sequence[float],
) -> tuple[Edit, ...]:
    """What makes the log what it should be."""
    entries = match.log[settled:]
    same = 0
    for entry, line in zip(entries, chosen, strict=False):
        if entry.move != line.move or entry.stands > line.stands:
            break
        same += 1
    edits: list[Edit] = []
    stood = [
        Stand(entry.line)
        for entry, line in zip(entries[:same], chosen, strict=False)
        if line.stands and not entry.stands
    ]
    edits += [Undo()] * (len(entries) - same)
    edits = [*edits, *stood]
    for line in chosen[same:]:
        share = 1.0 if line.said else round(_probability(line, logs, weights), 4)
        edits.append(Play(line.move, line.said, share))
        if line.stands:
            edits.append(Stand())
    return tuple(edits)


def _question(
    model: Model, match: AnyMatch, belief: Belief, logs: Sequence[tuple[Written, ...]], weights: Sequence[float]
) -> Question | None:
    """What to ask: where it has been doubtful for some tables what to rule, the likeliest log of each kind."""
    if max((tables for _, tables in belief.doubts), default=0) < rates.ASK_AFTER:
        return None
    likely = [stake for stake, share in stakes(model, belief) if share >= rates.CHOICE]
    firsts: dict[object, tuple[Written, ...]] = {}
    for history, log in zip(belief.histories, logs, strict=True):
        firsts.setdefault(stake_of(model, belief, history), log)
    choices = tuple(_edits(match, belief.settled, firsts[stake], logs, weights) for stake in likely)
    if len(choices) < 2:
        return None
    wrongs = [frozenset(stake.wrongs) for stake in likely]
    about = frozenset.union(*wrongs) - frozenset.intersection(*wrongs)
    return Question(choices, about or _parting([firsts[stake] for stake in likely]))


def _parting(logs: Sequence[tuple[Written, ...]]) -> frozenset[str]:
    """The first moves by which some logs differ."""
    shortest = min(map(len, logs))
    at = next((at for at in range(shortest) if len({log[at] for log in logs}) > 1), shortest)
    return frozenset(str(log[at].move) if at < len(log) else "" for log in logs)
