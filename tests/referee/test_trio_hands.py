"""What is known of hidden hands in Trio, against every hand there could be."""

from collections import Counter
from itertools import combinations_with_replacement, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.trio import hands as trio_hands
from referee.games.trio.hands import (
    HIGHEST,
    LOWEST,
    End,
    EndFault,
    Guess,
    Guesses,
    Hand,
    Unseen,
    dealt_hand,
    fits,
    force,
    forced_by,
    forget,
    possible,
    pruned,
    show,
    shown_by,
    side_fault,
    swapped,
    take_back,
    unbound,
    why_not,
)

VALUES = range(LOWEST, HIGHEST + 1)
World = tuple[tuple[int, ...], ...]
"""The real hands of a side, each rising."""


def all_worlds(guesses: Guesses) -> set[World]:
    """Every pair of hands that the guesses allow."""
    return {world for guess in guesses for world in product(*(hands_of(hand) for hand in guess))}


def hands_of(hand: Hand) -> set[tuple[int, ...]]:
    groups = [
        list(combinations_with_replacement(range(group.low, group.high + 1), group.cards)) for group in hand.unseen
    ]
    return {tuple(sorted((*hand.known, *(card for cards in each for card in cards)))) for each in product(*groups)}


def replaced(world: World, member: int, cards: list[int]) -> World:
    return (*world[:member], tuple(sorted(cards)), *world[member + 1 :])


def after_show(worlds: set[World], member: int, end: End, value: int) -> set[World]:
    """What remains of all worlds when a hand shows a card as its lowest or highest."""
    left = set()
    for world in worlds:
        hand = list(world[member])
        if hand and (hand[0] if end is End.LOW else hand[-1]) == value:
            hand.remove(value)
            left.add(replaced(world, member, hand))
    return left


def after_swap(worlds: set[World]) -> set[World]:
    swaps: set[World] = set()
    for one, other in worlds:
        for given_card, taken in product(set(one), set(other)):
            first, second = list(one), list(other)
            first.remove(given_card)
            second.remove(taken)
            swaps.add((tuple(sorted([*first, taken])), tuple(sorted([*second, given_card]))))
    return swaps


def walk(rng: Random, guesses: Guesses, worlds: set[World], exact: bool) -> None:
    """Show, return and swap cards at random, and compare what is believed with what can be."""
    shown: list[tuple[int, int]] = []
    for ply in range(9):
        member = rng.randrange(len(guesses[0]))
        if shown and rng.random() < 0.5:
            member, value = shown.pop()
            guesses = tuple(
                (*guess[:member], take_back(guess[member], value), *guess[member + 1 :]) for guess in guesses
            )
            worlds = {replaced(world, member, [*world[member], value]) for world in worlds}
        elif len(guesses[0]) == 2 and all(hand.cards for hand in guesses[0]) and rng.random() < 0.4:
            guesses, worlds = swapped(guesses), after_swap(worlds)
        elif guesses[0][member].cards:
            end, value = rng.choice(list(End)), rng.choice(VALUES)
            some = rng.choice(sorted(worlds))[member]
            value = rng.choice((value, some[0], some[-1]))
            left = after_show(worlds, member, end, value)
            found = tuple(shown_by(guesses, member, value, end, ply))
            assert found or not left
            assert bool(left) is bool(found) or not exact
            if not left:
                assert not exact or isinstance(side_fault(guesses, member, value, end), EndFault)
                continue
            shown.append((member, value))
            guesses, worlds = tuple(dict.fromkeys(found)), left
        believed = all_worlds(guesses)
        assert believed == worlds if exact else believed >= worlds


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_one_hand_is_known_exactly(seed: int) -> None:
    worlds: set[World] = {(hand,) for hand in combinations_with_replacement(VALUES, 3)}
    walk(Random(seed), ((dealt_hand(3),),), worlds, exact=True)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_partners_who_swap_are_known_exactly(seed: int) -> None:
    hands = list(combinations_with_replacement(VALUES, 2))
    walk(Random(seed), ((dealt_hand(2), dealt_hand(2)),), set(product(hands, hands)), exact=True)


@pytest.mark.parametrize("seed", range(20))
def test_too_many_guesses_are_widened_and_accuse_nobody(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trio_hands, "MOST_GUESSES", 3)
    hands = list(combinations_with_replacement(VALUES, 2))
    walk(Random(seed), ((dealt_hand(2), dealt_hand(2)),), set(product(hands, hands)), exact=False)


Interval = tuple[int, int, int]


def matched(cards: list[int], places: list[Interval]) -> bool:
    """The same question as `fits`, answered by augmenting paths."""
    copies = [value for value in VALUES for _ in range(cards[value])]
    single = [(low, high) for low, high, count in places for _ in range(count)]
    holder: dict[int, int] = {}

    def seat(card: int, tried: set[int]) -> bool:
        for place, (low, high) in enumerate(single):
            if low <= copies[card] <= high and place not in tried:
                tried.add(place)
                if place not in holder or seat(holder[place], tried):
                    holder[place] = card
                    return True
        return False

    return len(copies) == len(single) and all(seat(card, set()) for card in range(len(copies)))


@settings(max_examples=200)
@given(st.integers(0, 10**6))
def test_filling_places_in_order_is_as_good_as_any_matching(seed: int) -> None:
    rng = Random(seed)
    cards = [0] + [rng.choice((0, 0, 1, 2, 3)) for _ in VALUES]
    places: list[Interval] = []
    left = sum(cards)
    while left:
        count = rng.randint(1, min(left, 4))
        low, high = sorted((rng.choice(VALUES), rng.choice(VALUES)))
        places.append(rng.choice(((low, high, count), (LOWEST, high, count), (low, HIGHEST, count))))
        left -= count
    assert fits(cards, list(places)) is matched(cards, places)


def test_a_card_counted_too_often_fits_nowhere() -> None:
    cards = [0, -1, 1, *[0] * 10]
    assert not fits(cards, [])
    assert not fits([0] * 13, [(1, 12, 1)])


def test_hypotheses_of_two_sides_are_tried_together() -> None:
    loose = [0, 1, 1, *[0] * 10]
    one, two = Hand((1,), ()), Hand((2,), ())
    nothing: Guess = (Hand((), ()),)
    assert possible(loose, 0, (((one,), (two,)), ((one,),)))
    assert not possible(loose, 0, (((one,),), ((one,), (Hand((3,), ()),))))
    assert not possible(loose, 0, ((nothing,), ((one,),)))


def test_the_benefit_of_the_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trio_hands, "MOST_TRIES", 1)
    loose = [0, 1, 1, *[0] * 10]
    three = (Hand((3,), ()),)
    assert possible(loose, 1, ((three, (Hand((4,), ()),)),))


def test_what_speaks_against_a_card() -> None:
    asked = show(show(dealt_hand(4), 3, End.LOW, 7)[0], 9, End.HIGH, 8)[0]
    assert why_not(asked, 2, End.LOW) == EndFault("below", 3, 7)
    assert why_not(asked, 11, End.LOW) == EndFault("above", 9, 8)
    back = take_back(asked, 3)
    assert why_not(back, 5, End.LOW) == EndFault("lower-known", 3)
    assert why_not(take_back(asked, 9), 5, End.HIGH) == EndFault("higher-known", 9)
    assert why_not(Hand((4,), ()), 5, End.LOW) == EndFault("all-known")
    # A won trio leaves a bound behind: the unseen card is at most 5, so the known 9 cannot be the lowest.
    assert why_not(Hand((9,), (Unseen(1, 1, 5, -1, 3),)), 9, End.LOW) == EndFault("lower-there", 5)
    assert why_not(Hand((2,), (Unseen(1, 5, 12, 3, -1),)), 2, End.HIGH) == EndFault("higher-there", 5)
    gap = Hand((), (Unseen(1, 1, 3), Unseen(1, 7, 9)))
    assert why_not(gap, 5, End.LOW) == EndFault("no-guess")
    assert side_fault(((gap,), (Hand((4,), ()),)), 0, 5, End.LOW) == EndFault("no-guess")


def test_a_seen_card_outranks_what_was_claimed() -> None:
    low = Hand((6,), (Unseen(2, 5, 9, 3, 4),))
    assert force(low, 2, End.LOW, 8) == Hand((6,), (Unseen(1, 2, 9, 8, 4),))
    assert force(low, 11, End.HIGH, 8) == Hand((6,), (Unseen(1, 5, 11, 3, 8),))
    assert force(low, 7, End.LOW, 8) == Hand((6,), (Unseen(1, 5, 9, 3, 4),)), "shown from the middle: no claim"
    assert force(Hand((4, 5), ()), 9, End.LOW, 8) == dealt_hand(1)
    assert forced_by(((low,), (low,)), 0, 2, None, 8) == ((Hand((6,), (Unseen(1, 1, 9, -1, 4),)),),)
    assert forget(low, 6) == Hand((), (Unseen(1), Unseen(2, 5, 9, 3, 4)))
    assert forget(low, 7) is low


def test_bounds_can_be_taken_back() -> None:
    hand = Hand((6,), (Unseen(2, 5, 9, 3, 4),))
    assert unbound((((hand,),),), 3) == (((Hand((6,), (Unseen(2, 1, 9, -1, 4),)),),),)
    assert unbound((((hand,),),)) == (((Hand((6,), (Unseen(2),)),),),)


def test_guesses_that_the_deck_refutes_are_dropped() -> None:
    loose = [0, 0, 3, 3, *[0] * 9]
    twos, ones = (Hand((2, 2), ()),), (Hand((1, 2), ()),)
    assert pruned((twos, ones), loose) == (twos,)
    assert pruned((ones,), loose) == (ones,)


def test_a_swap_widens_only_the_card_that_came() -> None:
    guesses = swapped(((Hand((), (Unseen(2, 6, 12, 1, -1),)), Hand((), (Unseen(2),))),))
    assert guesses == (
        (Hand((), (Unseen(1), Unseen(1, 6, 12, 1, -1))), Hand((), (Unseen(1), Unseen(1, 6, 12, 1, -1)))),
    )
    assert Counter(hand.cards for hand in guesses[0]) == {2: 2}
