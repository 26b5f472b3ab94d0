"""Tracks: one physical card keeps its identity, and what is known of it gets better with every look."""

from dataclasses import replace
from math import cos, radians, sin
from typing import Any

from vision.follow.belief import CardBelief
from vision.follow.track import Track, Tracker
from vision.follow.tuning import GONE_S, REMEMBERED_S
from vision.sightings import Look, Sighting
from vision.table import Guess, Quad

WIDTH_MM, HEIGHT_MM = 63.0, 88.0


def quad(x: float, y: float, turn_deg: float = 0.0) -> Quad:
    right, down = cos(radians(turn_deg)), sin(radians(turn_deg))

    def corner(u: float, v: float) -> tuple[float, float]:
        return x + u * right - v * down, y + u * down + v * right

    u, v = WIDTH_MM / 2, HEIGHT_MM / 2
    return corner(-u, -v), corner(u, -v), corner(u, v), corner(-u, v)


def face(code: str, x: float, y: float, turn_deg: float = 0.0, sure: float = 0.97, **more: Any) -> Sighting:
    made = Sighting(quad(x, y, turn_deg), quad(x, y, turn_deg), True, 0.98, 1.0, guesses=(Guess(code, sure),))
    return replace(made, **more)


def back(x: float, y: float, turn_deg: float = 0.0, **more: Any) -> Sighting:
    return replace(Sighting(quad(x, y, turn_deg), quad(x, y, turn_deg), False, 0.98, 1.0), **more)


class Watched:
    """A tracker with a clock."""

    def __init__(self) -> None:
        self.tracker, self.at_s, self.frame = Tracker(), 0.0, 0

    def see(self, *cards: Sighting, times: int = 3, hands: float = 0.0, step_s: float = 0.1) -> dict[int, Track]:
        for _ in range(times):
            self.tracker.update(Look(self.frame, self.at_s, cards, hands))
            self.at_s, self.frame = self.at_s + step_s, self.frame + 1
        return {track.id: track for track in self.tracker.tracks}

    def ids(self) -> dict[str, int]:
        """Tracks by what they are thought to be."""
        return {track.code: track.id for track in self.tracker.tracks}


def test_a_card_that_lies_still_stays_itself() -> None:
    watched = Watched()
    first = watched.see(face("A", 0, 0), back(100, 0))
    again = watched.see(face("A", 0.7, -0.4, 1.0), back(99.5, 0.6, 181.0), times=20)
    assert set(first) == set(again) == {1, 2}
    assert again[1].face_up
    assert not again[2].face_up


def test_a_card_moved_far_between_two_looks_is_the_same() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0), face("B", 100, 0))
    tracks = watched.see(face("B", 100, 0), face("A", -250, 120, 70.0))
    assert watched.ids() == {"A": 1, "B": 2}
    assert len(tracks) == 2


def test_two_cards_that_change_places_are_known_by_their_faces() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0), face("B", 100, 0))
    watched.see(face("B", 0, 0), face("A", 100, 0))
    assert watched.ids() == {"A": 1, "B": 2}


def test_a_row_that_is_pushed_together_stays_itself() -> None:
    """The first of three is taken away, and the others move up by exactly one place."""
    watched = Watched()
    watched.see(face("A", 0, 0), face("B", 66, 0), face("C", 132, 0))
    watched.see(face("A", 0, 0), times=3, hands=0.1)
    tracks = watched.see(face("B", 1, 1), face("C", 67, 0), times=4)
    assert {track.code: track.id for track in tracks.values() if not track.hidden} == {"B": 2, "C": 3}
    assert set(watched.see(face("B", 1, 1), face("C", 67, 0), times=10)) <= {1, 2, 3}
    assert [track.code for track in watched.tracker.tracks if track.hidden] in ([], ["A"])


def test_turning_over_in_place_keeps_the_card_and_what_is_known() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0), face("B", 100, 0))
    tracks = watched.see(back(2, 1, 178.0), face("B", 100, 0))
    assert not tracks[1].face_up
    assert tracks[1].guesses[0].code == "A"
    tracks = watched.see(face("A", 1, 1), face("B", 100, 0))
    assert tracks[1].face_up
    assert set(tracks) == {1, 2}


def test_turning_over_while_moved_keeps_the_card() -> None:
    watched = Watched()
    watched.see(back(0, 0), back(100, 0), back(200, 0))
    tracks = watched.see(face("C", 90, 120), back(0, 0), back(200, 0))
    assert set(tracks) == {1, 2, 3}
    assert tracks[2].code == "C"


def test_a_covered_card_is_remembered_and_comes_back() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0))
    watched.see(times=2, hands=0.1)
    tracks = watched.see(face("B", 1, 2), times=20)
    assert set(tracks) == {1, 2}
    assert tracks[1].hidden
    assert tracks[1].code == "A"
    assert [track.id for track in watched.tracker.tracks] == [1, 2]
    tracks = watched.see(face("A", 0, 0), face("B", 150, 0), times=4)
    assert not tracks[1].hidden
    assert watched.ids() == {"A": 1, "B": 2}


def test_a_card_slid_over_another_hides_it() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0), face("B", 150, 0))
    tracks = watched.see(face("B", 4, 3, 3.0), times=20)
    assert tracks[1].hidden
    assert not tracks[2].hidden


def test_a_hand_takes_nothing_away() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0), face("B", 100, 0))
    tracks = watched.see(face("B", 100, 0), times=50, hands=0.1)
    assert tracks[1].hidden
    tracks = watched.see(face("A", 0, 0), face("B", 100, 0))
    assert not tracks[1].hidden
    assert set(tracks) == {1, 2}


def test_readings_under_a_hand_count_nothing() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0))
    tracks = watched.see(face("Z", 0, 0, sure=0.99, under_hand=True, visible=0.5), times=30, hands=0.1)
    assert tracks[1].code == "A"
    assert tracks[1].under_hand
    held = watched.see(face("A", 0, 0), face("Q", 200, 0, under_hand=True), hands=0.1)
    assert set(held) == {1}, "what is held is not on the table"


def test_a_card_that_is_taken_is_gone_soon_and_known_again_for_a_while() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0), face("B", 100, 0))
    assert set(watched.see(face("B", 100, 0), times=4)) == {1, 2}, "not yet"
    assert set(watched.see(face("B", 100, 0), times=round(GONE_S * 10))) == {2}
    assert set(watched.see(face("B", 100, 0), face("A", -200, 0))) == {1, 2}
    watched.see(face("B", 100, 0), times=round((REMEMBERED_S + GONE_S) * 10) + 10)
    assert set(watched.see(face("B", 100, 0), face("A", -200, 0))) == {2, 3}


def test_what_is_laid_on_a_free_place_hides_nothing() -> None:
    """A shown card is taken into a hand, and a moment later the next one is shown in its place."""
    watched = Watched()
    watched.see(face("A", 0, 0))
    watched.see(times=2, hands=0.1)
    watched.see(times=4)
    watched.see(times=2, hands=0.1)
    tracks = watched.see(face("B", 1, 2), times=3)
    assert [track.code for track in tracks.values() if track.hidden] == []
    assert set(watched.see(face("B", 1, 2), times=10)) == {2}


def test_what_a_hand_brings_is_not_what_was_taken_from_there() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0))
    watched.see(times=2, hands=0.1)
    watched.see(times=4)
    brought = (Guess("A", 0.7), Guess("B", 0.3))
    watched.see(face("B", 2, 3, guesses=brought, under_hand=True), times=3, hands=0.1)
    tracks = watched.see(face("B", 1, 2), times=4)
    assert [track.code for track in tracks.values() if track.hidden] == []


def test_a_back_is_known_again_only_when_no_other_can_be_meant() -> None:
    watched = Watched()
    watched.see(back(0, 0), back(100, 0))
    watched.see(back(100, 0), times=12)
    assert set(watched.see(back(100, 0), back(-60, 40))) == {1, 2}
    watched.see(times=12)
    assert set(watched.see(back(0, 100), back(200, 100), times=2)) == {3, 4}


def test_stacks_do_not_swap() -> None:
    """Twelve cards 15 mm apart, half of them alike, seen a little differently each time."""
    watched = Watched()
    codes = [f"{number % 6}" for number in range(12)]
    for look in range(20):
        off = [((look * 7 + number * 3) % 5 - 2) * 0.6 for number in range(12)]
        watched.see(*(face(code, 15.0 * n + off[n], off[n], visible=0.2) for n, code in enumerate(codes)), times=1)
    tracks = watched.tracker.tracks
    assert [track.id for track in tracks] == list(range(1, 13))
    assert [track.code for track in tracks] == codes


def test_the_top_of_a_stack_is_taken_and_not_covered_by_what_lies_below() -> None:
    watched = Watched()
    stack = [face(code, 0, 15.0 * number, visible=0.2) for number, code in enumerate("ABCD")]
    watched.see(*stack)
    assert len(watched.see(*stack[:3], times=12)) == 3


def test_of_two_copies_the_nearest_is_meant() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0), face("A", 300, 0))
    tracks = watched.see(face("A", 60, 0), face("A", 300, 0))
    assert tracks[1].centre_mm[0] < 100
    assert set(tracks) == {1, 2}


def test_what_was_found_once_was_never_there() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0))
    watched.see(face("A", 0, 0), face("B", 200, 0), times=1)
    assert set(watched.see(face("A", 0, 0), times=1)) == {1}


def test_a_better_look_corrects_a_reading() -> None:
    watched = Watched()
    tracks = watched.see(face("3", 0, 0, sure=0.8, visible=0.2), times=30)
    assert tracks[1].code == "3"
    tracks = watched.see(face("8", 0, 0, sure=0.99), times=2)
    assert set(tracks) == {1}
    assert tracks[1].code == "8"


def test_one_wrong_reading_changes_nothing() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0))
    watched.see(face("B", 0, 0, sure=0.99), times=1)
    tracks = watched.see(face("A", 0, 0), times=1)
    assert set(tracks) == {1}
    assert tracks[1].code == "A"


def test_many_looks_at_a_bad_view_are_no_better_than_one() -> None:
    once = CardBelief().with_look((Guess("3", 0.6), Guess("8", 0.4)), 0.2)
    often = once
    for _ in range(100):
        often = often.with_look((Guess("3", 0.6), Guess("8", 0.4)), 0.2)
    assert abs(once.guesses[0].probability - 0.6) < 0.005
    assert abs(often.guesses[0].probability - 0.6) < 0.005
    other = often.with_new_view().with_look((Guess("3", 0.6), Guess("8", 0.4)), 0.2)
    assert 0.6 < other.guesses[0].probability < 0.75
    assert sum(guess.probability for guess in other.guesses) <= 1.0


def test_a_look_without_a_reading_teaches_nothing() -> None:
    assert CardBelief().with_look((), 1.0) == CardBelief()
    assert CardBelief().with_look((Guess("A", 0.9),), 0.0) == CardBelief()
    assert CardBelief().guesses == ()
    assert CardBelief().seen_marks == ()


def test_marks_are_what_most_looks_show() -> None:
    watched = Watched()
    watched.see(face("7", 0, 0, marks=("r1c1",)), times=3)
    tracks = watched.see(face("7", 0, 0, marks=("r1c1", "r3c3")), times=1)
    assert tracks[1].marks == ("r1c1",)
    watched.see(times=2, hands=0.1)
    tracks = watched.see(face("7", 0, 0, marks=("r1c1", "r2c2")), times=2)
    assert tracks[1].marks == ("r1c1", "r2c2")


def test_which_way_up_is_what_most_looks_say() -> None:
    watched = Watched()
    watched.see(face("6", 0, 0, 10.0))
    tracks = watched.see(face("6", 0, 0, 190.0), times=1)
    assert tracks[1].corners_mm[0][1] < 0
    tracks = watched.see(face("6", 0, 0, 190.0), times=4)
    assert tracks[1].corners_mm[0][1] > 0


def test_a_card_turned_round_by_hand_is_believed_at_once() -> None:
    watched = Watched()
    watched.see(face("6", 0, 0, 10.0), times=10)
    watched.see(times=2, hands=0.1)
    tracks = watched.see(face("6", 0, 0, 190.0), times=2)
    assert tracks[1].corners_mm[0][1] > 0


def test_a_clock_that_jumps_back_and_an_empty_table() -> None:
    watched = Watched()
    watched.see(face("A", 0, 0))
    watched.at_s = -50.0
    assert set(watched.see(face("A", 0, 0))) == {1}
    assert watched.see(times=12) == {}
    assert watched.see(times=1) == {}
