"""Alignment: between which two tables each act of another history was done, by the cards and arms that were seen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from referee.inference.arms import arms_fit, idle_arms, step_reaches
from referee.inference.history import Act, History, Model, Step
from referee.inference.observation import Evidence
from referee.inference.transition import Node, act_cost
from referee.layout import Layout


@dataclass(frozen=True, slots=True)
class _Aligning:
    """A history that goes on with other steps, and the tables that these have to explain."""

    model: Model
    start: History
    steps: Sequence[Step]
    tables: Sequence[tuple[int, Evidence]]
    layouts: Sequence[Layout]
    """What lies on the table before the first step, and after each."""
    fits: Sequence[Sequence[float]]
    """How well each table agrees with each layout."""


def realigned(model: Model, tables: Sequence[tuple[int, Evidence]], start: History, steps: Sequence[Step]) -> Node:
    """A history with other steps from some point on, scored by all tables since: each is given its place."""
    layouts = [model.layout(start.shown), *(model.layout(step.shown) for step in steps)]
    # An act that nobody saw was over before the next one: no table was seen between the two.
    seen = [True, *(step.move.verb not in model.layouts.HANDLED_UNSEEN for step in steps)]
    seen[-1] = True
    fits = [
        [evidence.fit(layout) if ok else -inf for layout, ok in zip(layouts, seen, strict=True)]
        for _, evidence in tables
    ]
    aligning = _Aligning(model, start, steps, tables, layouts, fits)
    places = _placed(fits)
    best = _scored(aligning, places)
    # The arms that came before a table may tell that a card lay there which no look found.
    for number in reversed(range(len(places) - 1)):
        if places[number] < places[number + 1] and seen[places[number] + 1]:
            earlier = [*places[:number], places[number] + 1, *places[number + 1 :]]
            other = _scored(aligning, earlier)
            if other.total > best.total:
                best, places = other, earlier
    return best


def _scored(aligning: _Aligning, places: Sequence[int]) -> Node:
    """The history if so many of its steps were done before each of the tables."""
    model, steps, layouts = aligning.model, aligning.steps, aligning.layouts
    history, total, at, arms = aligning.start, aligning.start.score, 0, 0.0
    for (number, evidence), place, row in zip(aligning.tables, places, aligning.fits, strict=True):
        reached: frozenset[tuple[int, str]] = frozenset()
        while at < place:
            needed = step_reaches(model, steps[at], layouts[at], layouts[at + 1])
            taken = replace(steps[at], table=number, score=total)
            total -= act_cost(model, evidence, history, taken) - arms_fit(evidence, needed - reached)
            reached |= needed
            history = replace(history, steps=(*history.steps, taken))
            at += 1
        arms = idle_arms(evidence, reached)
        total += row[place] + arms
    last = steps[-1] if steps else None
    state = history.state if last is None else last.before if last.act is Act.WRONG else last.shown
    shown = history.shown if last is None else last.shown
    # The fit of the newest table is added when the history is folded.
    fit = aligning.fits[-1][-1]
    history = replace(history, state=state, shown=shown, score=total - fit - arms)
    return Node(history, layouts[-1], fit, arms=arms)


def _placed(fits: Sequence[Sequence[float]]) -> list[int]:
    """After how many steps each table was there, in order, the newest after all of them."""
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
