"""Arms: the reaches that an act requires, and the likelihood of the observed arms given these."""

from collections.abc import Iterable
from math import log

from referee.inference import rates
from referee.inference.history import Act, Model, Step
from referee.inference.observation import TableEvidence
from referee.layout import Layout, Spread
from referee.moves import HIDDEN, Move, seat_index, seat_name

Reach = tuple[int, str]
"""A seat (or ANYBODY) and the zone (or ANYWHERE) into which it reached."""
ANYBODY, ANYWHERE = -1, ""


def changed_zones(before: Layout, after: Layout) -> frozenset[Reach]:
    """Reaches by anybody into the changed zones; a play is taken back by its player or by the owner of the zone."""
    here, there = _cards_by_spot(before), _cards_by_spot(after)
    return frozenset(
        (ANYBODY, spot[0]) for spot in here.keys() | there.keys() if here.get(spot, ()) != there.get(spot, ())
    )


def step_reaches(model: Model, step: Step, before: Layout, after: Layout) -> frozenset[Reach]:
    """The reaches that a step of a history requires."""
    if step.act in (Act.TAKEN_BACK, Act.REGRET):
        return changed_zones(before, after)
    return reaches(model, step.move, before, after)


def reaches(model: Model, move: Move, before: Layout, after: Layout) -> frozenset[Reach]:
    """The reaches that a move requires to change one layout into the other."""
    if move.seat is None:
        return changed_zones(before, after)
    here, there = _cards_by_spot(before), _cards_by_spot(after)
    changed = [spot for spot in here.keys() | there.keys() if here.get(spot, ()) != there.get(spot, ())]
    found = set[Reach]()
    exchanged = HIDDEN in move.cards and len({zone for zone, _, _ in changed if is_seat(zone)}) > 1
    for spot in changed:
        zone, _, spread = spot
        taken = len(there.get(spot, ())) < len(here.get(spot, ()))
        # The height of a pile is invisible; of two players who exchange cards, either may lay them down.
        anybody = spread is Spread.PILE or exchanged
        found.add((ANYBODY if anybody else _reaching(model, move, zone, taken), zone))
    if not found and move.target is not None and move.verb in model.layouts.TAKEN_BY_ACTOR:
        # The cards were taken before any table showed them.
        found = {(move.seat, move.target)}
    elif move.verb in model.layouts.HANDLED_UNSEEN and model.layouts.SHOWN_BY_OWNER:
        # The owner of the card is unknown.
        found.add((ANYBODY, ANYWHERE))
    elif move.verb in model.layouts.HANDLED_UNSEEN or (not found and HIDDEN in move.cards):
        found.add((move.seat, seat_name(move.seat)))
    return frozenset(found)


def arms_log_likelihood(evidence: TableEvidence, needed: Iterable[Reach]) -> float:
    """Log likelihood of the observed arms, given the reaches that an act requires."""
    if not evidence.watched:
        return 0.0
    total = 0.0
    for seat, zone in needed:
        if seat == ANYBODY:
            continue
        over = [dict(arm.seats) for arm in evidence.seen.arms if any(one == zone for one, _ in arm.over)]
        reached = max((seats.get(seat_name(seat), 0.0) for seats in over), default=0.0)
        total += log(
            reached * rates.ARM_SEEN_PROBABILITY
            + (1 - reached) * (rates.ONLY_OTHER_ARMS_PROBABILITY if over else rates.ARM_MISSED_PROBABILITY)
        )
    return total


def idle_arms(evidence: TableEvidence, reached: frozenset[Reach]) -> float:
    """Log probability of the observed arms that no act requires."""
    costs, done = list[float](), set[tuple[str, str]]()
    for arm in evidence.seen.arms:
        for zone in {zone for zone, _ in arm.over if zone}:
            names = [name for name, share in arm.seats if share >= rates.MIN_ARM_OWNER_PROBABILITY] or [arm.seats[0][0]]
            seats = (ANYBODY, *map(seat_index, names))
            if (names[0], zone) in done or any((seat, zone) in reached for seat in seats):
                continue
            done.add((names[0], zone))
            costs.append(
                log(rates.IDLE_ARM_OWN_ZONE_PROBABILITY if zone in names else rates.IDLE_ARM_OTHER_ZONE_PROBABILITY)
            )
    if (ANYBODY, ANYWHERE) in reached and evidence.watched:
        # One of these arms made the unseen act.
        return sum(sorted(costs)[1:]) if costs else log(rates.ARM_MISSED_PROBABILITY)
    return sum(costs)


def _cards_by_spot(layout: Layout) -> dict[tuple[str, str, Spread], tuple[str, ...]]:
    found = {(place.zone, place.spot, place.spread): place.cards for place in layout.places}
    for piece in layout.counters:
        found[piece.zone, f"{piece.kind} {piece.owner}", Spread.ROW] = (piece.spot,) * piece.count
    return found


def is_seat(zone: str) -> bool:
    """Whether a zone belongs to a seat."""
    return zone[:1] == "P" and zone[1:].isdecimal()


def _reaching(model: Model, move: Move, zone: str, taken: bool) -> int:
    """The seat whose arm changes a zone."""
    assert move.seat is not None, "a seat acts"
    if not is_seat(zone):
        return move.seat
    owner = seat_index(zone)
    if taken:
        return move.seat if move.verb in model.layouts.TAKEN_BY_ACTOR else owner
    return owner if move.verb in model.layouts.SHOWN_BY_OWNER else move.seat
