"""Scoring: every kind of mistake is counted once, and what is right is not."""

from dataclasses import replace

import numpy as np
import pytest

from device.lab.evaluation.report import mistakes, report_json, rows_of
from device.lab.evaluation.score import (
    Scored,
    VisionFigures,
    bucket_of,
    calibration_error,
    figures,
    match,
    overlap,
    reliability,
    score,
)
from device.lab.evaluation.truth import TrueCard, TruePicture
from vision.sightings import Look, Sighting
from vision.table import Guess, Quad


def quad(x: float, y: float) -> Quad:
    return (x, y), (x + 126, y), (x + 126, y + 176), (x, y + 176)


def rolled(corners: Quad, by: int) -> Quad:
    return corners[-by:] + corners[:-by]  # type: ignore[return-value]


def seen(corners: Quad, code: str | None = "7B1", sure: float = 0.999, **more: bool) -> Sighting:
    guesses = () if code is None else (Guess(code, sure), Guess("9B1", 1 - sure))
    made = Sighting(corners, corners, code is not None, 0.99, 1.0, False, guesses)
    return replace(made, **more)  # type: ignore[arg-type]


def true(corners: Quad, code: str = "7B1", **more: object) -> TrueCard:
    return replace(TrueCard(code, bool(code), corners, ways=1 if code else 2), **more)  # type: ignore[arg-type]


def scored(sightings: list[Sighting], cards: list[TrueCard], **more: object) -> Scored:
    picture = replace(TruePicture("one.jpg", tuple(cards), "dnp"), **more)  # type: ignore[arg-type]
    return score(Look(0, 0.0, tuple(sightings)), picture)


def counted(sightings: list[Sighting], cards: list[TrueCard]) -> VisionFigures:
    return figures([scored(sightings, cards)])


A, B = quad(100, 100), quad(400, 100)


def test_a_perfect_table() -> None:
    one = scored([seen(A), seen(B, None)], [true(A), true(B, "")])
    assert one.perfect()
    counts = figures([one])
    assert (counts.cards, counts.found, counts.invented, counts.perfect) == (2, 2, 0, 1)
    assert (counts.readable, counts.exact, counts.ways, counts.ways_wrong, counts.faces_wrong) == (1, 1, 1, 0, 0)
    assert counts.corners_px is not None
    assert counts.corners_px.most == 0
    assert not list(mistakes(one))


def test_the_order_of_what_was_found_does_not_matter() -> None:
    assert counted([seen(B, None), seen(A)], [true(A), true(B, "")]).perfect == 1


def test_missed_and_invented() -> None:
    counts = counted([seen(B)], [true(A)])
    assert (counts.cards, counts.found, counts.invented, counts.perfect) == (1, 0, 1, 0)
    assert (counts.readable, counts.readable_found, counts.exact) == (1, 0, 0)
    assert [line["what"] for line in mistakes(scored([seen(B)], [true(A)]))] == ["missed", "invented"]


def test_two_sightings_of_one_card_are_one_too_many() -> None:
    near = quad(104, 101)
    counts = counted([seen(near), seen(A)], [true(A)])
    assert (counts.found, counts.invented) == (1, 1)
    assert counts.corners_px is not None
    assert counts.corners_px.most == 0, "the nearer one is the card"


def test_misread() -> None:
    one = scored([seen(A, "9B1", 0.8)], [true(A)])
    assert (figures([one]).exact, figures([one]).readable_found, one.perfect()) == (0, 1, False)
    assert one.perfect(reading=False)
    (line,) = mistakes(one)
    assert (line["what"], line["code"], line["guesses"][0]) == ("misread", "7B1", ["9B1", 0.8])


@pytest.mark.parametrize(("turned", "wrong"), [(0, False), (1, True), (2, True), (3, True)])
def test_wrong_way_up_moves_no_corner(turned: int, wrong: bool) -> None:
    counts = counted([seen(rolled(A, turned) if turned else A)], [true(A)])
    assert counts.ways_wrong == wrong
    assert counts.perfect == (not wrong)
    assert counts.corners_px is not None
    assert counts.corners_px.most == 0


def test_a_card_with_two_ways_may_lie_either_way() -> None:
    assert counted([seen(rolled(A, 2))], [true(A, ways=2)]).perfect == 1
    counts = counted([seen(rolled(A, 1), None)], [true(A, "", ways=4)])
    assert (counts.perfect, counts.ways) == (1, 0)


def test_wrong_side_up() -> None:
    counts = counted([seen(A, None)], [true(A)])
    assert (counts.faces_wrong, counts.found, counts.exact, counts.perfect) == (1, 1, 0, 0)
    assert counted([seen(A)], [true(A, "")]).faces_wrong == 1


def test_errors_of_corners_in_pixels_and_millimetres() -> None:
    off = ((A[0][0] + 6, A[0][1]), A[1], A[2], (A[3][0], A[3][1] + 2))
    counts = counted([seen(off)], [true(A)])
    assert counts.corners_px is not None
    assert counts.corners_mm is not None
    assert counts.corners_px.mean == pytest.approx(2.0)
    assert counts.corners_px.most == pytest.approx(6.0)
    assert counts.corners_mm.most == pytest.approx(3.0), "2 px make a mm"


def test_corners_that_begin_anywhere_are_measured_from_the_right_side() -> None:
    counts = counted([seen(A)], [true(rolled(A, 1), ways=4)])
    assert counts.corners_mm is not None
    assert counts.corners_mm.most == pytest.approx(0, abs=1e-3)
    moved = quad(102, 100)
    counts = counted([seen(moved)], [true(rolled(A, 1), ways=4)])
    assert counts.corners_mm is not None
    assert counts.corners_mm.mean == pytest.approx(1.0, abs=1e-3)


def test_cards_of_which_little_is_seen_need_not_be_found_but_are_no_inventions() -> None:
    counts = counted([], [true(A, visible=0.15)])
    assert (counts.cards, counts.perfect, counts.little, counts.little_found) == (0, 1, 1, 0)
    counts = counted([seen(A, "9B1")], [true(A, visible=0.15)])
    assert (counts.cards, counts.perfect, counts.invented, counts.little_found) == (0, 1, 0, 1)
    assert (counts.little_readable, counts.little_exact) == (1, 0)


def test_the_top_card_of_a_pile_is_the_one_that_is_found() -> None:
    hidden, top = true(quad(101, 101), "9B1", visible=0.01), true(A)
    counts = counted([seen(quad(101, 101))], [hidden, top])
    assert (counts.found, counts.exact, counts.invented) == (1, 1, 0)


def test_a_stack_is_matched_card_by_card() -> None:
    stack = [quad(100, 100 + 30 * level) for level in range(10)]
    codes = [f"{level}R0" for level in range(10)]
    cards = [
        true(corners, code, visible=0.17 if level < 9 else 1.0)
        for level, (corners, code) in enumerate(zip(stack, codes, strict=True))
    ]
    rng = np.random.default_rng(1)
    found = [
        seen(quad(x + rng.normal(0, 2), y + rng.normal(0, 2)), code)
        for ((x, y), *_), code in zip(stack, codes, strict=True)
    ]
    counts = counted(found, cards)
    assert (counts.little_found, counts.little_exact, counts.invented) == (10, 10, 0)


def test_cards_under_a_hand_need_not_be_read() -> None:
    under = true(A, under_hand=True)
    counts = counted([seen(A, "9B1", under_hand=True)], [under])
    assert (counts.readable, counts.perfect, counts.hands_missed) == (0, 1, 0)
    counts = counted([seen(A, "9B1")], [under])
    assert (counts.readable, counts.perfect, counts.hands_missed) == (0, 1, 1)
    counts = counted([seen(A, "9B1", under_hand=True)], [true(A)])
    assert (counts.readable, counts.perfect, counts.hands_invented) == (1, 0, 1)
    counts = counted([seen(A, "9B1", under_hand=True)], [true(A, under_hand=None)])
    assert (counts.readable, counts.hands_invented) == (0, 0)


def test_what_is_drawn_on_a_card() -> None:
    right, wrong = seen(A), seen(B, "8B1")
    right = replace(right, marks=("r2c1", "r1c1"))
    counts = counted([right, wrong], [true(A, marks=("r1c1", "r2c1")), true(B, "8B1", marks=("b3",))])
    assert (counts.marks, counts.marks_wrong, counts.perfect) == (2, 1, 1)
    assert counted([right], [true(A)]).marks == 0, "where it is not known what is drawn, nothing is counted"


def test_a_picture_that_is_not_complete_has_no_inventions() -> None:
    one = scored([seen(A), seen(B)], [true(A)], complete=False)
    assert not one.invented
    assert one.perfect()


def test_boxes_of_indices_and_of_whole_cards() -> None:
    index = TrueCard("7", True, None, (104.0, 104.0, 130.0, 140.0), visible=None, ways=4)
    whole = TrueCard("8", True, None, (395.0, 98.0, 530.0, 280.0), visible=None, ways=4)
    assert match([seen(B), seen(A)], [index, whole]) == {0: 1, 1: 0}
    over = quad(60, 60)
    assert match([seen(over), seen(A)], [index]) == {0: 1}, "the card that has a corner there"
    assert match([seen(quad(700, 700))], [index, whole]) == {}
    counts = figures([scored([seen(A, "7"), seen(B, "8")], [index, whole])])
    assert (counts.found, counts.exact, counts.ways, counts.corners_px) == (2, 2, 0, None)


def test_without_a_deck_only_reading_is_left_out() -> None:
    one = scored([seen(A, None, face_up=True)], [true(A)])
    counts = figures([one], reads=False)
    assert (counts.perfect, counts.readable, counts.found, counts.ece) == (1, 0, 1, None)
    assert not list(mistakes(one, reads=False))


def test_overlap() -> None:
    assert overlap(A, A) == pytest.approx(1)
    assert overlap(A, B) == 0
    assert overlap(A, quad(163, 100)) == pytest.approx(1 / 3)
    assert overlap(A, ((100, 100), (100, 100), (100, 100), (100, 100))) == 0, "no card at all"


def test_honest_probabilities_have_no_calibration_error() -> None:
    honest = [scored([seen(A, "7B1" if n < 7 else "9B1", 0.7)], [true(A)]).cards[0] for n in range(10)]
    assert calibration_error(honest) == pytest.approx(0, abs=1e-9)
    boasting = [scored([seen(A, "7B1" if n < 5 else "9B1", 1.0)], [true(A)]).cards[0] for n in range(10)]
    assert calibration_error(boasting) == pytest.approx(0.5)
    assert sum(count for count, _, _ in reliability(honest)) == 10
    assert calibration_error([]) is None


def test_figures_by_group() -> None:
    first = scored([seen(A)], [true(A, visible=0.3)], light="dim", material="cloth")
    second = scored([], [true(A)], light="glare", material="cloth", deck="trio")
    rows = {(name, group): counts for name, group, counts, _ in rows_of([first, second])}
    assert rows["all", ""].tables == 2
    assert rows["deck", "dnp"].found == 1
    assert rows["deck", "trio"].found == 0
    assert rows["light", "glare"].cards == 1
    assert not [key for key in rows if key[0] == "material"], "one group is all of them"
    assert rows["visible", "20–40 %"].found == 1
    assert rows["visible", "70–100 %"].found == 0
    values = report_json([first, second], True)
    assert values["by_deck"]["trio"]["cards"] == 1
    assert "tables" not in values["by_visible"]["20–40 %"]
    assert values["mistakes"][0]["what"] == "missed"


def test_buckets_of_what_is_seen() -> None:
    buckets = [bucket_of(scored([], [true(A, visible=part)]).cards[0]) for part in (0.0, 0.05, 0.1, 0.2, 1.0, None)]
    assert buckets == ["hidden", "2–10 %", "10–20 %", "20–40 %", "70–100 %", "not known"]


def test_a_side_that_is_unknown_is_neither_right_nor_wrong() -> None:
    unknown = seen(A, None, side_known=False)
    assert counted([unknown], [true(A)]).faces_wrong == 0
    assert counted([seen(A, None)], [true(A)]).faces_wrong == 1


def test_an_index_inside_two_cards_leaves_both_cards_their_sightings() -> None:
    # The second index is in a corner of both sightings, and nearer to the corner of the first.
    upper, lower = quad(100, 100), quad(190, 90)
    boxes = [(102.0, 240.0, 130.0, 270.0), (200.0, 100.0, 224.0, 130.0)]
    cards = [TrueCard("", True, None, box, visible=None) for box in boxes]
    assert match([seen(upper), seen(lower)], cards) == {0: 0, 1: 1}
