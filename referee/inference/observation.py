"""The observation model: the likelihood of an observed table, given a layout."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import comb, log
from operator import itemgetter

from models.cards import Deck
from referee.inference import rates
from referee.inference.pieces import piece_differences, pieces_log_likelihood
from referee.layout import Counter, Face, Layout, Layouts, Place, Spread
from referee.moves import HIDDEN
from referee.observed import ObservedCard, ObservedTable, Spot
from vision.table import Arm

Pair = tuple[str | None, ObservedCard | None]
"""A card of the layout and the observed card that matches it; None if there is none."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between a layout and a table: a missing card, an extra card, or a different card."""

    place: Spot
    wanted: str | None
    found: ObservedCard | None

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for the same difference at another table."""
        found = self.found
        return self.place, self.wanted, found and (found.face_up, found.likely(most=1))


@dataclass(slots=True)
class TableEvidence:
    """One observed table and its likelihood under layouts, with a cache."""

    deck: Deck
    layouts: Layouts
    seen: ObservedTable
    watched: bool = False
    """Whether the camera detects arms; then a missing arm is evidence, too."""
    _known: dict[tuple[Spot, Place], float] = field(default_factory=dict)
    _layouts: dict[int, tuple[Layout, float]] = field(default_factory=dict)
    """By identity; the layouts are kept so that no id is reused."""
    _faces: dict[str, tuple[Face, ...]] = field(default_factory=dict)
    _pieces: dict[tuple[Counter, ...], float] = field(default_factory=dict)
    _cards: dict[tuple[str, int], float] = field(default_factory=dict)
    """Log likelihood of an observed card given a card of the layout; observed cards by identity."""
    _extras: dict[int, float] = field(default_factory=dict)
    _pairs: dict[tuple[Spot, Place], tuple[Difference, ...]] = field(default_factory=dict)
    _mixtures: dict[tuple[int, ...], tuple[tuple[Layout, ...], Layout]] = field(default_factory=dict)
    """Mixtures of layouts while acts are under way, by the identities of the layouts."""
    missed: float = field(init=False)
    """Log probability that all looks miss a card on the table."""

    def __post_init__(self) -> None:
        self.missed = log(rates.MISSED_IN_ALL_LOOKS_PROBABILITY + rates.MISSED_IN_ONE_LOOK_PROBABILITY**self.seen.looks)

    def log_likelihood(self, layout: Layout) -> float:
        """Log likelihood of the table under a layout; 0 for a perfect match."""
        known = self._layouts.get(id(layout))
        if known is None:
            known = self._layouts[id(layout)] = (layout, self._layout_log_likelihood(layout))
        return known[1]

    def _layout_log_likelihood(self, layout: Layout) -> float:
        return sum(self._log_likelihoods(layout))

    def log_likelihood_under_way(self, layout: Layout) -> float:
        """Log likelihood if an unknown play may be under way, which changes some places."""
        return rates.PLAY_UNDER_WAY_LOG_PROBABILITY + sum(
            max(cost, rates.PLACE_UNDER_WAY_LOG_PROBABILITY) for cost in self._log_likelihoods(layout)
        )

    def _log_likelihoods(self, layout: Layout) -> Iterator[float]:
        """Log likelihoods of each place, of the pieces, and of each place that should be empty."""
        used = set[Spot]()
        for place in layout.places:
            used.add(self._where(place))
            yield self.place_log_likelihood(place)
        if layout.counters not in self._pieces:
            self._pieces[layout.counters] = pieces_log_likelihood(layout.counters, self.seen.pieces)
        yield self._pieces[layout.counters]
        for spot, cards in self.seen.items():
            if spot not in used:
                yield sum(map(self._extra, cards))

    def place_log_likelihood(self, place: Place) -> float:
        """Log likelihood of one place."""
        key = (self._where(place), place)
        if key not in self._known:
            cards = self.seen.get(key[0], ())
            self._known[key] = max(self._compare(way, cards) for way in _ways(place))
        return self._known[key]

    def observed_marks(self, spot: Spot, word: str) -> tuple[str, ...]:
        """Marks on the observed card of a place that best matches a card of the layout."""
        cards = self.seen.get(spot, ())
        return max(cards, key=lambda card: self._card(word, card)).marks if cards else ()

    def with_arms_only(self, arms: tuple[Arm, ...]) -> "TableEvidence":
        """Evidence that consists of these arms only."""
        return TableEvidence(self.deck, self.layouts, ObservedTable({}, arms=arms), self.watched)

    def mixed(self, layouts: tuple[Layout, ...], mix: Callable[[], Layout]) -> Layout:
        """The mixture of some layouts, from the cache if possible."""
        key = tuple(map(id, layouts))
        if key not in self._mixtures:
            self._mixtures[key] = (layouts, mix())
        return self._mixtures[key][1]

    def differences(self, layout: Layout) -> tuple[Difference, ...]:
        """All differences from a layout, place by place."""
        found = [one for one in self._compared(layout) if self._differs(one.wanted, one.found)]
        for spot, piece, there in piece_differences(layout.counters, self.seen.pieces):
            found.append(Difference(spot, None, _piece(piece)) if there else Difference(spot, piece, None))
        return tuple(found)

    def doubts(self, layout: Layout, lasted: Mapping[tuple[object, ...], int]) -> Iterator[tuple[Difference, float]]:
        """Mismatches with a layout, each with the discount for an error that persists."""
        for one in self._compared(layout):
            if one.wanted is None:
                cost = self._extra(one.found) if one.found is not None else 0.0
            else:
                cost = self.missed if one.found is None else self._card(one.wanted, one.found)
            if cost < rates.MISMATCH_BELOW_LOG_PROBABILITY:
                times = lasted.get(one.key, 0)
                # A persistent misreading may still be missed in single looks.
                again = rates.REPEATED_MISMATCH_LOG_PROBABILITY[
                    min(times, len(rates.REPEATED_MISMATCH_LOG_PROBABILITY)) - 1
                ] + self._absent(one.found)
                yield one, max(0.0, again - cost) if times else 0.0

    def _compared(self, layout: Layout) -> Iterator[Difference]:
        """Every card of the layout with the observed card that matches it, place by place."""
        expected = {self._where(place): place for place in layout.places}
        for spot in sorted(expected.keys() | self.seen.keys()):
            place, cards = expected.get(spot), self.seen.get(spot, ())
            if place is None:
                yield from (Difference(spot, None, card) for card in cards)
            elif place.spread is not Spread.PILE:
                yield from self._compared_at(spot, place)
            elif not cards:
                yield Difference(spot, place.cards[-1], None)

    def _compared_at(self, spot: Spot, place: Place) -> tuple[Difference, ...]:
        known = self._pairs.get((spot, place))
        if known is None:
            cards = self.seen.get(spot, ())
            _, pairs = max((self._aligned(way, cards) for way in _ways(place)), key=itemgetter(0))
            known = self._pairs[spot, place] = tuple(Difference(spot, word, card) for word, card in pairs)
        return known

    def _differs(self, word: str | None, card: ObservedCard | None) -> bool:
        """Whether an observed card differs from the layout; a remembered card may have been taken."""
        if word is None:
            return card is not None and not card.remembered
        return card is None or self._card(word, card) < self.missed

    def _extra(self, card: ObservedCard) -> float:
        """Log probability of an observed card that is not in the layout, cached."""
        known = self._extras.get(id(card))
        if known is None:
            known = self._extras[id(card)] = self._invented(card)
        return known

    def _invented(self, card: ObservedCard) -> float:
        """Log probability of an observed card that is not in the layout."""
        if card.remembered:
            return rates.REMEMBERED_TAKEN_LOG_PROBABILITY
        looks = max(self.seen.looks, card.looks)
        always = rates.FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY if card.looks == looks else 0.0
        return log(always + comb(looks, card.looks) * rates.FALSE_POSITIVE_IN_ONE_LOOK_PROBABILITY**card.looks)

    def _where(self, place: Place) -> Spot:
        """The spot of a place in the table; a zone with one spot, such as the pile, may give it its own name."""
        alone = (place.zone, place.zone)
        return alone if alone in self.seen else (place.zone, place.spot)

    def _compare(self, place: Place, cards: tuple[ObservedCard, ...]) -> float:
        if place.spread is Spread.PILE:
            # A squared pile does not show its number of cards, and cards that stick out of it are normal.
            return max(self._card(place.cards[-1], card) for card in cards) if cards else self.missed
        score, pairs = self._aligned(place, cards)
        if place.marks:
            marks = dict(enumerate(place.marks))
            word_number = 0
            for word, card in pairs:
                # Marks on a misread card are no evidence.
                if word is not None and card is not None and self._card(word, card) > self.missed:
                    score += self._marks(marks[word_number], card.marks)
                word_number += word is not None
        return score

    def _aligned(self, place: Place, cards: tuple[ObservedCard, ...]) -> tuple[float, tuple[Pair, ...]]:
        """The best alignment of the cards of a layout with the observed cards, with its log likelihood."""
        words = place.cards[-2:] if place.spread is Spread.PAIR else place.cards
        if place.spread in (Spread.FAN, Spread.PAIR):
            return self._in_order(words, self._rearranged(words, cards, place.marks))
        best = self._in_order(words, cards)
        if place.spread is Spread.ROW and best[0] < rates.ROW_REORDERED_LOG_PROBABILITY:
            score, pairs = self._in_order(words, self._rearranged(words, cards, place.marks))
            best = max(best, (score + rates.ROW_REORDERED_LOG_PROBABILITY, pairs), key=itemgetter(0))
        return best

    def _in_order(self, words: tuple[str, ...], cards: tuple[ObservedCard, ...]) -> tuple[float, tuple[Pair, ...]]:
        """The best alignment that keeps the order of both."""
        missed = self.missed
        best: list[list[tuple[float, tuple[Pair, ...]]]] = [[(0.0, ())]]
        for column, card in enumerate(cards):
            score, pairs = best[0][column]
            best[0].append((score + self._extra(card), (*pairs, (None, card))))
        for row, word in enumerate(words, 1):
            score, pairs = best[row - 1][0]
            line = [(score + missed, (*pairs, (word, None)))]
            for column, card in enumerate(cards, 1):
                both, alone, extra = best[row - 1][column - 1], best[row - 1][column], line[column - 1]
                ways = (
                    (both[0] + self._card(word, card), both[1], (word, card)),
                    (alone[0] + missed, alone[1], (word, None)),
                    (extra[0] + self._extra(card), extra[1], (None, card)),
                )
                score, before, pair = max(ways, key=itemgetter(0))
                line.append((score, (*before, pair)))
            best.append(line)
        return best[-1][-1]

    def _rearranged(
        self, words: tuple[str, ...], cards: tuple[ObservedCard, ...], marks: tuple[tuple[str, ...], ...]
    ) -> tuple[ObservedCard, ...]:
        """The observed cards in the order of the layout, for spreads in which the order is free.

        Of two cards with the same reading, the one with the right marks is matched.
        """
        if len(cards) < 2 or not words:
            return cards
        scores = [
            (self._card(word, card), self._marks(marks[row], card.marks) if marks else 0.0, -row, -column)
            for row, word in enumerate(words)
            for column, card in enumerate(cards)
        ]
        least = self.missed + log(rates.FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY)
        taken: dict[int, int] = {}
        rows: set[int] = set()
        for score, _, row, column in sorted(scores, reverse=True):
            if score > least and -row not in rows and -column not in taken:
                taken[-column] = -row
                rows.add(-row)
        order = sorted(range(len(cards)), key=lambda column: taken.get(column, len(words)))
        return tuple(cards[column] for column in order)

    def _card(self, word: str, card: ObservedCard) -> float:
        """Log likelihood of an observed card given a card of the layout, cached."""
        known = self._cards.get((word, id(card)))
        if known is None:
            known = self._cards[word, id(card)] = self._agrees(word, card)
        return known

    def _agrees(self, word: str, card: ObservedCard) -> float:
        """Log likelihood of an observed card: its reading, and the number of looks that found it."""
        return self._read(word, card) + (
            rates.REMEMBERED_KEPT_LOG_PROBABILITY if card.remembered else self._absent(card)
        )

    def _absent(self, card: ObservedCard | None) -> float:
        """Log probability that some looks miss a card that others have found."""
        if card is None or card.remembered:
            return 0.0
        looks = max(self.seen.looks, card.looks)
        return (looks - card.looks) * log(rates.MISSED_IN_ONE_LOOK_PROBABILITY) + log(comb(looks, card.looks))

    def _marks(self, wanted: tuple[str, ...], found: tuple[str, ...]) -> float:
        """Log likelihood of the observed marks."""
        crossed = {mark for mark in found if mark.startswith("r")}
        return rates.WRONG_MARK_LOG_PROBABILITY * len(set(wanted) ^ crossed)

    def _read(self, word: str, card: ObservedCard) -> float:
        """Log likelihood of the reading of an observed card."""
        if card.face_up == (word == HIDDEN):
            return rates.WRONG_SIDE_LOG_PROBABILITY
        if word == HIDDEN:
            return 0.0
        if word not in self._faces:
            self._faces[word] = self.layouts.faces(self.deck, word)
        candidates: Mapping[str, float] = dict(card.candidates)
        # An unread card may be any card.
        unread = rates.UNREAD_PROBABILITY * card.unread
        matters = self.layouts.WAY_MATTERS
        scores = [
            log(max(rates.MISREAD_PROBABILITY, unread + candidates.get(face.code, 0.0)))
            + (rates.UPSIDE_DOWN_LOG_PROBABILITY if matters and face.turned != card.turned else 0.0)
            for face in self._faces[word]
        ]
        return max(scores, default=log(max(rates.MISREAD_PROBABILITY, unread)))


def _ways(place: Place) -> Iterator[Place]:
    """A place and its alternatives."""
    yield place
    yield from (replace(place, cards=cards, instead=()) for cards in place.instead)


def _piece(name: str) -> ObservedCard:
    """A piece in the form of an observed card, to be listed among the differences."""
    return ObservedCard(0, True, ((name, 1.0),), False)
