"""Visibility maps from coarse cells and from the outlines of all cards."""

import numpy as np

from models.crops import SEEN_PX, Floats, Image
from vision.look.finder import FACE, HAND, TABLE, Detections
from vision.look.layers import overlap_counts
from vision.look.visibility import visibility_maps

WIDTH, HEIGHT = SEEN_PX
LEFT = np.array([[9.5, 9.5], [25.5, 9.5], [25.5, 31.5], [9.5, 31.5]])


def detections(
    owners: np.ndarray[tuple[int, int], np.dtype[np.int16]], places: Floats, classes: Image | None = None
) -> Detections:
    shown = np.where(owners >= 0, FACE, TABLE).astype(np.int8) if classes is None else classes.astype(np.int8)
    return Detections((), owners, 0.0, overlap_counts(owners, places), shown)


def two(across: float) -> tuple[Detections, Floats]:
    """A card, and one that lies on it and so much further to the right; cells are as coarse as they are."""
    places = np.stack([LEFT, LEFT + np.array([across, 0])])
    owners = np.full((45, 60), -1, np.int16)
    owners[10:32, 10:26] = 0
    owners[10:32, round(10 + across) : round(26 + across)] = 1
    return detections(owners, places), places


def test_the_map_is_turned_as_the_card_is() -> None:
    """The right half of a card lies under another one: so does the right half of its map, turned as the card is."""
    table, places = two(8)
    upright, under = visibility_maps(table, places, [0, 1], places)
    half = WIDTH // 2
    assert upright[:, : half - 1].min() == 255
    assert upright[:, half + 1 :].max() == 0
    assert under.min() == 255
    turned = visibility_maps(table, np.roll(places[:1], 2, 1), [0], places)[0]
    assert (turned == upright[::-1, ::-1])[:, [*range(half - 1), *range(half + 1, WIDTH)]].all()


def test_edges_are_finer_than_cells() -> None:
    """The card on top covers a third of a cell more than the cells say."""
    table, places = two(8)
    places[1] -= (0.33, 0)
    shown = visibility_maps(table, places[:1], [0], places)[0][HEIGHT // 2]
    assert shown[14] == 255
    assert shown[15] == 0


def test_cells_without_a_detection_are_visible() -> None:
    table, places = two(8)
    table.owners[10:16, 10:18] = -1
    assert visibility_maps(table, places[:1], [0], places)[0][:10, :14].min() == 255


def test_a_misplaced_card_does_not_hide_cells_that_vote_deep_inside_it() -> None:
    """The upper card is thought to lie much too far to the left; the cells of the lower one say otherwise."""
    table, places = two(8)
    wrong = places.copy()
    wrong[1] -= (5, 0)
    shown = visibility_maps(detections(table.owners, wrong), places[:1], [0], wrong)[0]
    assert shown[HEIGHT // 2, 10:15].min() == 255


def test_parts_under_a_hand_or_a_cup_are_hidden() -> None:
    owners = np.full((45, 60), -1, np.int16)
    owners[10:32, 10:26] = 0
    classes = np.where(owners >= 0, FACE, TABLE)
    classes[10:20, 10:26], classes[28:32, 10:26] = HAND, TABLE
    shown = visibility_maps(detections(owners, LEFT[None], classes.astype(np.uint8)), LEFT[None], [0], LEFT[None])[0]
    assert shown[:19].max() == 0
    assert shown[21:35].min() == 255
    assert shown[37:].max() == 0


def test_nothing_is_visible_outside_the_view() -> None:
    table, places = two(8)
    outside = places - (18, 0)
    assert visibility_maps(detections(table.owners, outside), outside[:1], [0], outside)[0].max() == 0
