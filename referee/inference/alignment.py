"""Alignment: between which two tables each act of a revised history was made, by the observed cards and arms."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from referee.inference.arms import arms_log_likelihood, idle_arms, step_reaches
from referee.inference.glimpses import NumberedTable, log_likelihoods, mixture, pending, with_glimpsed_arms, with_table
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import TableEvidence
from referee.inference.transition import Node, act_cost
from referee.layout import Layout


@dataclass(frozen=True, slots=True)
class _Aligning:
    """A history to be continued with given steps, and the tables that these must explain."""

    model: Model
    start: History
    steps: Sequence[Step]
    waiting: Sequence[NumberedTable]
    """Pending glimpsed tables before these."""
    tables: Sequence[NumberedTable]
    layouts: Sequence[Layout]
    """The layouts before the first step and after each step."""


def realigned(
    model: Model,
    waiting: Sequence[NumberedTable],
    tables: Sequence[NumberedTable],
    start: History,
    steps: Sequence[Step],
) -> Node:
    """A history with given steps from some point on, scored by all tables since, with the best table for each step."""
    layouts = [model.layout(start.shown), *(model.layout(step.shown) for step in steps)]
    # No table was observed between an unseen act and the next one.
    seen = [True, *(step.move.verb not in model.layouts.HANDLED_UNSEEN for step in steps)]
    seen[-1] = True
    fits = [[_fit(evidence, layouts, place) if ok else -inf for place, ok in enumerate(seen)] for _, evidence in tables]
    aligning = _Aligning(model, start, steps, waiting, tables, layouts)
    places = _placed(fits)
    best = _scored(aligning, places)
    # The arms before a table may show that an act was made although all looks missed its card.
    for number in reversed(range(len(places) - 1)):
        if places[number] < places[number + 1] and seen[places[number] + 1]:
            earlier = [*places[:number], places[number] + 1, *places[number + 1 :]]
            other = _scored(aligning, earlier)
            if other.total > best.total:
                best, places = other, earlier
    return best


def _fit(evidence: TableEvidence, layouts: Sequence[Layout], place: int) -> float:
    """Log likelihood of a table; a glimpsed one may mix the layouts before and after."""
    if not evidence.seen.hasty:
        return evidence.log_likelihood(layouts[place])
    return evidence.log_likelihood(mixture(evidence, layouts[max(place - 1, 0) : place + 2]))


def _scored(aligning: _Aligning, places: Sequence[int]) -> Node:
    """The history if `places[i]` of its steps were made before table i."""
    model, steps, layouts = aligning.model, aligning.steps, aligning.layouts
    history, at, waiting = aligning.start, 0, list(aligning.waiting)
    arms, newest = 0.0, aligning.tables[-1]
    for (number, table), place in zip(aligning.tables, places, strict=True):
        waiting.append((number, table))
        evidence = with_glimpsed_arms(history, waiting)
        reached: frozenset[tuple[int, str]] = frozenset()
        while at < place:
            needed = step_reaches(model, steps[at], layouts[at], layouts[at + 1])
            taken = replace(steps[at], table=number, score=history.score)
            score = (
                history.score
                - act_cost(model, evidence, history, taken)
                + arms_log_likelihood(evidence, needed - reached)
            )
            reached |= needed
            state = taken.before if taken.act is Act.ILLEGAL else taken.shown
            history = replace(history, steps=(*history.steps, taken), state=state, shown=taken.shown, score=score)
            at += 1
        arms = idle_arms(evidence, reached)
        if table is not newest[1]:
            history = with_table(model, history, waiting, arms)
            waiting = list(pending(waiting))
    # The likelihood of the newest table is added when the history takes it in.
    fit = sum(fit for fit, _ in log_likelihoods(model, history, waiting, complete=not newest[1].seen.hasty))
    return Node(history, layouts[-1], fit, arms=arms)


def _placed(fits: Sequence[Sequence[float]]) -> list[int]:
    """The number of steps before each table, by dynamic programming; the newest table comes after all steps."""
    rows: list[list[tuple[float, int]]] = []
    for fit_row in fits:
        best: list[tuple[float, int]] = []
        reached = (float("-inf"), 0)
        for place, fit in enumerate(fit_row):
            before = rows[-1][place][0] if rows else 0.0
            if before > reached[0]:
                reached = (before, place)
            best.append((reached[0] + fit, reached[1]))
        rows.append(best)
    places = [len(fits[-1]) - 1]
    for row in reversed(rows[1:]):
        places.append(row[places[-1]][1])
    return places[::-1]
