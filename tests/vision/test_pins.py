"""Pins: what a human says of a card stays, while it is moved, covered and misread, and ends with the card."""

import pytest

from calibration.frames import Frame
from tests.device.small_table import REST, ZONES, SlotEye, filmed
from vision.follow.track import Tracker
from vision.sightings import Look, Sighting
from vision.table import Guess, Table
from vision.watcher import PinError, Watcher


def watched(watcher: Watcher, frames: list[Frame]) -> Table | None:
    """The last table that these frames give."""
    last = None
    for frame in frames:
        last = watcher.observe(frame) or last
    return last


def looked(tracker: Tracker, at_s: float, *cards: tuple[str, float], face_up: bool = True, hands: float = 0.0) -> None:
    sightings = []
    for code, x in cards:
        corners = ((x, 0.0), (x + 63, 0.0), (x + 63, 88.0), (x, 88.0))
        guesses = (Guess(code, 0.97),) if face_up else ()
        sightings.append(Sighting(corners, corners, face_up, 0.98, 1.0, False, guesses))
    tracker.update(Look(round(at_s * 10), at_s, tuple(sightings), hands))


@pytest.fixture
def watcher() -> Watcher:
    return Watcher(SlotEye({"5P1": "6B3"}), ZONES)


def test_a_pinned_card_is_what_the_human_said(watcher: Watcher) -> None:
    frames = list(filmed(((), ("9G0", "5P1"), ("9G0", "5P1", "7P2"))))
    cut = 2 * REST + 3
    table = watched(watcher, frames[:cut])
    assert table is not None
    wrong = next(card for card in table.cards if card.code == "6B3")
    pinned = watcher.pin(wrong.track, "5P1")
    assert [(card.code, card.pinned) for card in pinned.cards] == [("9G0", False), ("5P1", True)]
    assert pinned.cards[1].guesses == (Guess("5P1", 1.0),)
    later = watched(watcher, frames[cut:])
    assert later is not None
    assert [card.code for card in later.cards] == ["9G0", "5P1", "7P2"], "though the eye still reads it otherwise"
    assert later.cards[1].track == wrong.track


def test_nothing_more_is_given_when_nothing_moves(watcher: Watcher) -> None:
    frames = list(filmed((("9G0", "5P1"),)))
    table = watched(watcher, frames)
    assert table is not None
    watcher.pin(table.cards[1].track, "5P1")
    rest = [Frame(frame.index + 100, frame.at_s + 10, frame.image) for frame in frames]
    assert watched(watcher, rest) is None


def test_what_does_not_lie_there_cannot_be_pinned(watcher: Watcher) -> None:
    with pytest.raises(PinError, match="nothing was seen yet"):
        watcher.pin(1, "5P1")
    watched(watcher, list(filmed((("9G0",),))))
    with pytest.raises(PinError, match="no card 99 lies on the table; wanted one of 1"):
        watcher.pin(99, "5P1")
    with pytest.raises(PinError, match="no card lies face up at 300"):
        watcher.card_at((300.0, 0.0))
    assert watcher.card_at((-255.0, -10.0)).code == "9G0"


def test_a_pin_follows_the_card_by_what_the_camera_reads() -> None:
    tracker = Tracker()
    for step in range(4):
        looked(tracker, step / 10, ("6B3", 0.0), ("9G0", 200.0))
    number = next(track.id for track in tracker.tracks if track.code == "6B3")
    tracker.pin(number, "5P1")
    for step in range(4, 8):
        looked(tracker, step / 10, ("6B3", 100.0), ("9G0", 200.0), hands=0.1)
    found = {track.id: track for track in tracker.tracks}
    assert found[number].code == "5P1"
    assert found[number].corners_mm[0][0] == pytest.approx(100.0)
    assert len(found) == 2


def test_another_card_laid_exactly_on_top_is_not_pinned() -> None:
    tracker = Tracker()
    for step in range(4):
        looked(tracker, step / 10, ("6B3", 0.0))
    (track,) = tracker.tracks
    tracker.pin(track.id, "5P1")
    looked(tracker, 0.5, hands=0.1)
    for step in range(6, 12):
        looked(tracker, step / 10, ("9G0", 0.0))
    seen = [one for one in tracker.tracks if not one.hidden]
    assert [one.code for one in seen] == ["9G0"]
    assert seen[0].pinned is None
    assert [one.code for one in tracker.tracks if one.hidden] == ["5P1"], "it lies below"


def test_a_pin_ends_where_backs_are_confused() -> None:
    tracker = Tracker()
    for step in range(4):
        looked(tracker, step / 10, ("6B3", 0.0))
    (track,) = tracker.tracks
    tracker.pin(track.id, "5P1")
    for step in range(4, 8):
        looked(tracker, step / 10, ("", 0.0), face_up=False)
    assert tracker.tracks[0].code == "5P1", "turned over in its place it is remembered"
    # Taken away and put down elsewhere: one back is like another.
    for step in range(8, 20):
        looked(tracker, step / 10, hands=0.1)
    for step in range(20, 40):
        looked(tracker, step / 10, ("", 300.0), face_up=False)
    assert all(one.pinned is None for one in tracker.tracks if one.corners_mm[0][0] > 200)
