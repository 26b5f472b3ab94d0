"""Camera counts: error rates of the tables reported from a film, in the terms of referee/inference/rates.py.

One trial of each rate is:
  MISSED_IN_ALL_LOOKS          a card (of a squared pile, the pile) at a table with two looks or more
  MISSED_IN_ONE_LOOK           a card in one look, of those that some look found; all cards if there was only one look
  FALSE_POSITIVE_IN_ALL_LOOKS  a true card, at a table with two looks or more
  FALSE_POSITIVE_IN_ONE_LOOK   a true card, in one look
  REMEMBERED_TAKEN, _KEPT      a remembered card under others, not in a squared pile: it was taken, or is still there
  WRONG_SIDE                   a found card
  MISREAD, UNREAD              a card found face up
  UPSIDE_DOWN                  a correctly read card, in games where the orientation matters
  WRONG_MARK                   a cell of a correctly read card, in games with marks
  PIECE_…                      a true figure or token, at tables with any piece found
  ARM_…, ONLY_OTHER_ARMS       a seat that reached into a zone since the previous table
  IDLE_ARM_…                   an arm over a zone
  REPEATED_MISMATCH 0          an error at the previous table whose card is unchanged
A persisting error is counted for REPEATED_MISMATCH only: the observation model charges a history once for it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import dist

from device.lab.rehearsal.filmed_truth import Compared, paired
from device.lab.rehearsal.tallies import Tallies
from referee.inference.rates import MIN_ARM_OWNER_PROBABILITY
from referee.observed import TURNED_DEG, Spot, observed_table
from vision.table import FOREIGN, PlacedCard, Table

MIN_RIGHT_PROBABILITY = 0.02
"""A card is misread if the right reading gets less probability than this; likelier readings are still tried."""
MORE_LIKELY_THAN_NOT = 0.5
"""Probability above which a card counts as unread, and an arm as belonging to a seat."""
CELLS = 9
"""Cells of a card with marks."""

Odd = tuple[str, int]
"""An error: its kind, and the track of the true or invented card."""


@dataclass(slots=True)
class CameraCounts:
    """Counts the tables of one film, in order."""

    way_matters: bool
    marked: frozenset[str] = frozenset()
    """Spots of cards with marks."""
    tallies: Tallies = field(default_factory=Tallies)
    _odd: dict[Odd, PlacedCard] = field(default_factory=dict)
    """Errors at the previous table."""
    _now: dict[Odd, PlacedCard] = field(default_factory=dict)

    def add(self, one: Compared) -> None:
        """Count one table."""
        lay = {card.track: card for card in one.true.cards}
        self._now = {}
        seen, true = _by_place(one.seen.cards), _by_place(one.true.cards)
        for place in sorted(seen.keys() | true.keys()):
            squared = place in one.piles
            if squared and len(true[place]) == 1:
                self._pile(one.seen, true[place][0], seen.get(place, []))
            else:
                self._place(one.seen, true.get(place, []), seen.get(place, []), squared)
        for odd, card in self._odd.items():
            if odd[0] == "invented" or _lies_as(card, lay.get(odd[1])):
                self.tallies.count("REPEATED_MISMATCH_LOG_PROBABILITY 0", odd in self._now)
        self._odd = self._now
        self._pieces(one)

    def _pile(self, table: Table, pile: PlacedCard, seen: list[PlacedCard]) -> None:
        """Count a squared pile: only its presence and its side are visible."""
        self._missed(table, pile, 0 if not seen else table.looks)
        near = min(seen, key=lambda card: _apart_mm(card, pile), default=None)
        if near is not None:
            self._event("WRONG_SIDE_LOG_PROBABILITY", "side", pile, near.face_up != pile.face_up)

    def _place(self, table: Table, true: list[PlacedCard], seen: list[PlacedCard], squared: bool) -> None:
        now, remembered = ([card for card in seen if (card.visible <= 0) is under] for under in (False, True))
        pairs = paired(true, now)
        found = {id(card) for pair in pairs for card in pair}
        faded = paired([card for card in true if id(card) not in found], remembered)
        still = {id(card) for pair in faded for card in pair}
        # A card squared under another one was not taken, and it cannot be seen.
        for card in [] if squared else remembered:
            self.tallies.count("REMEMBERED_TAKEN_LOG_PROBABILITY", id(card) not in still)
            self.tallies.count("REMEMBERED_KEPT_LOG_PROBABILITY", id(card) in still)
        for card in true:
            if id(card) not in still:
                looks = next((seen.looks for lies, seen in pairs if lies is card), 0)
                self._missed(table, card, min(looks, table.looks))
        extra = [card for card in now if id(card) not in found]
        self._invented(table, len(true), extra)
        for lies, card in pairs:
            self._event("WRONG_SIDE_LOG_PROBABILITY", "side", lies, card.face_up != lies.face_up)
            if lies.face_up and card.face_up:
                self._read(lies, card)

    def _event(self, name: str, kind: str, card: PlacedCard, happened: bool) -> None:
        """Count one trial of an error of a card; a persisting error is not counted again."""
        odd = (kind, card.track)
        if happened:
            self._now[odd] = card
        if not (happened and odd in self._odd):
            self.tallies.count(name, happened)

    def _missed(self, table: Table, card: PlacedCard, looks: int) -> None:
        if table.looks > 1:
            self._event("MISSED_IN_ALL_LOOKS_PROBABILITY", "missed", card, looks == 0)
            if looks:
                self.tallies.count("MISSED_IN_ONE_LOOK_PROBABILITY", table.looks - looks, table.looks)
        else:
            self._event("MISSED_IN_ONE_LOOK_PROBABILITY", "missed", card, looks == 0)

    def _invented(self, table: Table, lying: int, extra: Iterable[PlacedCard]) -> None:
        always = once = 0
        for card in extra:
            odd = ("invented", card.track)
            self._now[odd] = card
            if odd in self._odd:
                continue
            if table.looks > 1 and card.looks >= table.looks:
                always += 1
            else:
                once += min(card.looks, table.looks)
        if table.looks > 1:
            self.tallies.count("FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY", always, lying)
        self.tallies.count("FALSE_POSITIVE_IN_ONE_LOOK_PROBABILITY", once, lying * table.looks)

    def _read(self, lies: PlacedCard, card: PlacedCard) -> None:
        chances = {guess.code: guess.probability for guess in card.guesses}
        unread = chances.get(FOREIGN, 0.0) > MORE_LIKELY_THAN_NOT
        right = chances.get(lies.code, 0.0) >= MIN_RIGHT_PROBABILITY
        self._event("UNREAD_PROBABILITY", "unread", lies, unread)
        self._event("MISREAD_PROBABILITY", "misread", lies, not right and not unread)
        if not right:
            return
        if self.way_matters:
            turned = (abs(card.turned_deg) > TURNED_DEG) != (abs(lies.turned_deg) > TURNED_DEG)
            self._event("UPSIDE_DOWN_LOG_PROBABILITY", "way", lies, turned)
        if lies.spot in self.marked:
            crossed = {mark for mark in card.marks if mark.startswith("r")}
            wrong = crossed ^ set(lies.marks)
            if wrong:
                self._now["marks", lies.track] = lies
            if not (wrong and ("marks", lies.track) in self._odd):
                self.tallies.count("WRONG_MARK_LOG_PROBABILITY", len(wrong), CELLS)

    def _pieces(self, one: Compared) -> None:
        """Compare pieces as the referee does: their number in each place, by kind and owner."""
        seen, true = observed_table(one.seen).pieces, observed_table(one.true).pieces
        if not seen:
            return
        for owned in sorted(seen.keys() | true.keys()):
            there, here = Counter(seen.get(owned, {})), Counter(true.get(owned, {}))
            gone, more = (here - there).total(), (there - here).total()
            astray = min(gone, more)
            counts = (("MISSED", gone - astray), ("FALSE_POSITIVE", more - astray), ("MISPLACED", astray))
            for name, events in counts:
                self.tallies.count(f"PIECE_{name}_LOG_PROBABILITY", events, here.total())

    def add_arms(self, one: Compared) -> None:
        """Count who was seen reaching where since the previous table."""
        arms = one.seen.arms
        for seat, zone in sorted(one.reached):
            over = [dict(arm.seats).get(seat, 0.0) for arm in arms if any(at == zone for at, _ in arm.over)]
            seen = max(over, default=0.0) >= MORE_LIKELY_THAN_NOT
            for name, happened in (
                ("ARM_SEEN_PROBABILITY", seen),
                ("ARM_MISSED_PROBABILITY", not over),
                ("ONLY_OTHER_ARMS_PROBABILITY", bool(over) and not seen),
            ):
                self.tallies.count(name, happened)
        for arm in arms:
            names = [name for name, share in arm.seats if share >= MIN_ARM_OWNER_PROBABILITY]
            for zone in {zone for zone, _ in arm.over if zone}:
                idle = zone not in one.handled and not any((name, zone) in one.reached for name in names)
                own = zone in names
                self.tallies.count("IDLE_ARM_OWN_ZONE_PROBABILITY", idle and own)
                self.tallies.count("IDLE_ARM_OTHER_ZONE_PROBABILITY", idle and not own)


def counted(film: Sequence[Compared], way_matters: bool, hasty: bool = True) -> Tallies:
    """The tallies of one film; unless `hasty`, only of tables reported at the end of a scene.

    Arms are then left out: those of a scene may have come with a table reported early.
    """
    marked = frozenset(card.spot for one in film for card in one.true.cards if card.marks)
    counts = CameraCounts(way_matters, marked)
    for one in film:
        if hasty or one.settled:
            counts.add(one)
        if hasty:
            counts.add_arms(one)
    return counts.tallies


def _by_place(cards: Iterable[PlacedCard]) -> dict[Spot, list[PlacedCard]]:
    places: dict[Spot, list[PlacedCard]] = {}
    for card in cards:
        places.setdefault((card.zone, card.spot), []).append(card)
    return places


def _apart_mm(one: PlacedCard, other: PlacedCard) -> float:
    return dist(one.centre_mm, other.centre_mm)


def _lies_as(card: PlacedCard, now: PlacedCard | None) -> bool:
    """Whether a card is still placed as before."""
    return now is not None and (card.centre_mm, card.face_up, card.marks) == (now.centre_mm, now.face_up, now.marks)
