"""Plays under way: what a table may show that is glimpsed in haste, between the layouts before and after some acts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from itertools import pairwise, takewhile, zip_longest

from referee.inference import rates
from referee.inference.history import History, Model, Step
from referee.inference.observation import TableEvidence
from referee.inference.pieces import agreement
from referee.layout import Counter, Layout, Place, Spread

Numbered = tuple[int, TableEvidence]
"""A table and its number."""
Mismatches = Mapping[tuple[object, ...], int]
"""What disagrees, and at how many tables up to now."""
_Item = tuple[str, tuple[str, ...]]
"""A card and its marks."""


def pending(tables: Sequence[Numbered]) -> tuple[Numbered, ...]:
    """The last tables if they were glimpsed: what follows tells which play was under way there."""
    newest = takewhile(lambda one: one[1].seen.hasty, reversed(tables))
    return tuple(reversed([one for one, _ in zip(newest, range(rates.MAX_PENDING_TABLES), strict=False)]))


def acting(history: History, tables: Sequence[Numbered]) -> TableEvidence:
    """The last of some tables with the arms of all that were glimpsed since the history's last act before it.

    Whoever reached there may still have been at the play that the last table shows.
    """
    number, evidence = tables[-1]
    last = next((step.table for step in reversed(history.steps) if step.table < number), 0)
    arms = tuple(arm for table, glimpse in tables[:-1] if table > last for arm in glimpse.seen.arms)
    return evidence.with_arms_only((*arms, *evidence.seen.arms)) if arms else evidence


def acts_at(history: History, number: int) -> bool:
    """Whether the last act of a history was done at a table."""
    return bool(history.steps) and history.steps[-1].table == number


def explained(
    model: Model, history: History, tables: Sequence[Numbered], complete: bool = True
) -> Iterator[tuple[float, Mismatches]]:
    """How well a history explains tables that follow each other, table by table; what disagreed with it before each.

    Unless the plays are complete, places that were glimpsed may change in a way that is not known yet; at the first of
    many tables it must be known by now.
    """
    mismatches: Mismatches = dict(history.mismatches)
    for left, (number, evidence) in zip(reversed(range(len(tables))), tables, strict=True):
        layout = glimpsed(model, history, number, evidence, tables[0][0] - 1)
        fit = evidence.log_likelihood(layout)
        disagrees = fit < rates.MISMATCH_BELOW_LOG_PROBABILITY
        if mismatches and disagrees:
            # An error that lasts is one error.
            fit = min(fit + sum(less for _, less in evidence.doubts(layout, mismatches)), 0.0)
        if (
            fit < rates.PLAY_UNDER_WAY_LOG_PROBABILITY
            and not complete
            and evidence.seen.hasty
            and left < rates.MAX_PENDING_TABLES
        ):
            fit = max(fit, evidence.log_likelihood_under_way(layout))
        yield fit, mismatches
        if left:
            mismatches = mismatches_of(evidence, layout, mismatches) if disagrees else {}


def mismatches_of(evidence: TableEvidence, layout: Layout, lasted: Mismatches) -> Mismatches:
    """What disagrees with a layout, and at how many tables up to this one."""
    return {one.key: lasted.get(one.key, 0) + 1 for one, _ in evidence.doubts(layout, lasted)}


def taken_in(model: Model, history: History, tables: Sequence[Numbered], arms: float) -> History:
    """A history scored by the last of some tables; what was glimpsed waits, unless it has waited long enough."""
    number, evidence = tables[-1]
    gain = arms if acts_at(history, number) or not evidence.seen.hasty else 0.0
    if not evidence.seen.hasty:
        gain += sum(fit for fit, _ in explained(model, history, tables))
    elif len(tables) > rates.MAX_PENDING_TABLES:
        gain += next(explained(model, history, tables))[0]
    return replace(history, score=history.score + gain)


def glimpsed(model: Model, history: History, number: int, evidence: TableEvidence, since: int) -> Layout:
    """What a history says lay on a table; on one that was glimpsed, a mixture of what lay there before and after.

    The acts in question are those at this table and at the next one with acts, and the last ones before since a table.
    """
    steps, last = history.steps, len(history.steps)
    while last and steps[last - 1].table > number:
        last -= 1
    if not evidence.seen.hasty:
        return model.layout(steps[last - 1].shown if last else steps[0].before if steps else history.shown)
    first = _group(steps, last) if last and steps[last - 1].table == number else last
    if first and steps[first - 1].table > since:
        first = _group(steps, first)
    last = next((at for at in range(last, len(steps)) if steps[at].table > steps[last].table), len(steps))
    before = steps[first - 1].shown if first else steps[0].before if steps else history.shown
    return mixture(evidence, [model.layout(before), *(model.layout(step.shown) for step in steps[first:last])])


def _group(steps: Sequence[Step], end: int) -> int:
    """The first of the acts at the same table, given where they end."""
    first = end - 1
    while first and steps[first - 1].table == steps[end - 1].table:
        first -= 1
    return first


def mixture(evidence: TableEvidence, layouts: Sequence[Layout]) -> Layout:
    """Place by place, card by card and piece by piece what agrees best with a table, as it was before or after acts."""
    versions = [layouts[0], *(after for before, after in pairwise(layouts) if after is not before)]
    return evidence.mixed(tuple(versions), lambda: _mixed(evidence, versions)) if versions[1:] else versions[0]


def _mixed(evidence: TableEvidence, layouts: Sequence[Layout]) -> Layout:
    spots = [{(place.zone, place.spot): place for place in layout.places} for layout in layouts]
    places = []
    for spot in dict.fromkeys(spot for layout in spots for spot in layout):
        some = next(layout[spot] for layout in spots if spot in layout)
        nothing = Place(*spot, (), kind=some.kind)
        versions = tuple(dict.fromkeys(layout.get(spot, nothing) for layout in spots))
        places.append(versions[0] if len(versions) == 1 else _mixed_place(evidence, versions))
    return Layout(tuple(place for place in places if place.cards or place.instead), _mixed_pieces(evidence, layouts))


def _mixed_place(evidence: TableEvidence, versions: Sequence[Place]) -> Place:
    best = max(versions, key=evidence.place_log_likelihood)
    if evidence.place_log_likelihood(best) > rates.MISMATCH_BELOW_LOG_PROBABILITY:
        return best
    halves = (_half_made(evidence, before, after) for before, after in pairwise(versions))
    return max((best, *halves), key=evidence.place_log_likelihood)


def _half_made(evidence: TableEvidence, before: Place, after: Place) -> Place:
    """A place on its way from one version to another: one card after the other as it is seen."""
    if Spread.PILE in (before.spread, after.spread):
        return after
    columns = list(_columns(_items(before), _items(after)))
    spread = before.spread if before.cards else after.spread

    def place(items: Sequence[_Item | None]) -> Place:
        there = [item for item in items if item is not None]
        words, marks = tuple(word for word, _ in there), tuple(mark for _, mark in there)
        return replace(after, cards=words, marks=marks if any(marks) else (), spread=spread, instead=())

    chosen = [here for here, _ in columns]
    for number, (here, there) in enumerate(columns):
        ways = [here, there]
        if here is not None and there is not None and here[0] == there[0]:
            drawn = evidence.observed_marks((after.zone, after.spot), here[0])
            some = tuple(mark for mark in there[1] if mark in here[1] or mark in drawn)
            ways.append((here[0], some))
        tried = [[*chosen[:number], way, *chosen[number + 1 :]] for way in dict.fromkeys(ways)]
        chosen = max(tried, key=lambda items: evidence.place_log_likelihood(place(items)))
    return place(chosen)


def _items(place: Place) -> list[_Item]:
    return list(zip(place.cards, place.marks or ((),) * len(place.cards), strict=True))


def _columns(before: list[_Item], after: list[_Item]) -> Iterator[tuple[_Item | None, _Item | None]]:
    """Cards as they were and as they will be, side by side; None where one is laid or taken."""
    for _, first, last, begin, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield from zip_longest(before[first:last], after[begin:end])


def _mixed_pieces(evidence: TableEvidence, layouts: Sequence[Layout]) -> tuple[Counter, ...]:
    seen, mixed = evidence.seen.pieces, list[Counter]()
    if not seen:
        return layouts[-1].counters
    for kind, owner in dict.fromkeys((one.kind, one.owner) for layout in layouts for one in layout.counters):
        versions: dict[tuple[Counter, ...], None] = {
            tuple(one for one in layout.counters if (one.kind, one.owner) == (kind, owner)): None for layout in layouts
        }
        if len(versions) > 1:
            # A figure may be in the hand, and tokens are taken one by one.
            counts = [sum(one.count for one in version) for version in versions]
            some = next(one for version in versions for one in version)
            between = range(0 if max(counts) == 1 else min(counts), max(counts) + 1)
            versions |= {(replace(some, count=count),) if count else (): None for count in between}
        there = {(kind, owner): seen.get((kind, owner), {})}
        mixed += max(versions, key=partial(agreement, pieces=there)) if len(versions) > 1 else next(iter(versions))
    return tuple(mixed)
