"""Plays under way: glimpsed tables, which may mix the layouts before and after some acts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from itertools import pairwise, takewhile, zip_longest

from referee.inference import rates
from referee.inference.history import History, Model, Step
from referee.inference.observation import TableEvidence
from referee.inference.pieces import pieces_log_likelihood
from referee.layout import Counter, Layout, Place, Spread

NumberedTable = tuple[int, TableEvidence]
"""The number of a table and its evidence."""
Mismatches = Mapping[tuple[object, ...], int]
"""Keys of mismatches, each with the number of consecutive tables that had it."""
_Item = tuple[str, tuple[str, ...]]
"""A card and its marks."""


def pending(tables: Sequence[NumberedTable]) -> tuple[NumberedTable, ...]:
    """The last tables if they were only glimpsed; later tables show which play was under way."""
    newest = takewhile(lambda one: one[1].seen.hasty, reversed(tables))
    return tuple(reversed([one for one, _ in zip(newest, range(rates.MAX_PENDING_TABLES), strict=False)]))


def with_glimpsed_arms(history: History, tables: Sequence[NumberedTable]) -> TableEvidence:
    """The last of some tables, with the arms of all glimpsed tables since the history's last act before it.

    An arm seen at a glimpsed table may belong to the play that the last table shows.
    """
    number, evidence = tables[-1]
    last = next((step.table for step in reversed(history.steps) if step.table < number), 0)
    arms = tuple(arm for table, glimpse in tables[:-1] if table > last for arm in glimpse.seen.arms)
    return evidence.with_arms_only((*arms, *evidence.seen.arms)) if arms else evidence


def acts_at(history: History, number: int) -> bool:
    """Whether the last act of a history was made at a table."""
    return bool(history.steps) and history.steps[-1].table == number


def log_likelihoods(
    model: Model, history: History, tables: Sequence[NumberedTable], complete: bool = True
) -> Iterator[tuple[float, Mismatches]]:
    """Log likelihood of consecutive tables under a history, each with the mismatches before it.

    Unless the plays are complete, glimpsed places may be changing in a way that is not known yet; for tables that have
    waited too long it must be known by now.
    """
    mismatches: Mismatches = dict(history.mismatches)
    for left, (number, evidence) in zip(reversed(range(len(tables))), tables, strict=True):
        layout = layout_at(model, history, number, evidence, tables[0][0] - 1)
        fit = evidence.log_likelihood(layout)
        disagrees = fit < rates.MISMATCH_BELOW_LOG_PROBABILITY
        if mismatches and disagrees:
            # A persistent error counts once.
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
    """The mismatches of a table, each with the number of consecutive tables that had it."""
    return {one.key: lasted.get(one.key, 0) + 1 for one, _ in evidence.doubts(layout, lasted)}


def with_table(model: Model, history: History, tables: Sequence[NumberedTable], arms: float) -> History:
    """A history scored by the last of some tables; glimpsed tables stay pending unless there are too many."""
    number, evidence = tables[-1]
    gain = arms if acts_at(history, number) or not evidence.seen.hasty else 0.0
    if not evidence.seen.hasty:
        gain += sum(fit for fit, _ in log_likelihoods(model, history, tables))
    elif len(tables) > rates.MAX_PENDING_TABLES:
        gain += next(log_likelihoods(model, history, tables))[0]
    return replace(history, score=history.score + gain)


def layout_at(model: Model, history: History, number: int, evidence: TableEvidence, since: int) -> Layout:
    """The layout of a table according to a history; for a glimpsed table, a mixture of the layouts around it.

    The mixture covers the acts at this table, at the next table with acts, and the last ones after table `since`.
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
    """Index of the first of the acts at the same table, given the index after the last one."""
    first = end - 1
    while first and steps[first - 1].table == steps[end - 1].table:
        first -= 1
    return first


def mixture(evidence: TableEvidence, layouts: Sequence[Layout]) -> Layout:
    """The best match of a table among layouts before and after acts, place by place, card by card, piece by piece."""
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
    """A place between two versions: each card as in the version that matches the table better."""
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
    """Pairs of a card before and the same card after; None where a card is laid or taken."""
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
            # A figure may be in a hand, and tokens are taken one by one.
            counts = [sum(one.count for one in version) for version in versions]
            some = next(one for version in versions for one in version)
            between = range(0 if max(counts) == 1 else min(counts), max(counts) + 1)
            versions |= {(replace(some, count=count),) if count else (): None for count in between}
        there = {(kind, owner): seen.get((kind, owner), {})}
        mixed += (
            max(versions, key=partial(pieces_log_likelihood, pieces=there))
            if len(versions) > 1
            else next(iter(versions))
        )
    return tuple(mixed)
