"""Resuming: after a break a card that still lies there is what it was, and so is what it covers."""

from dataclasses import replace

from tests.vision.follow.test_track import Watched, face
from vision.follow.resume import confirmed_tracks
from vision.follow.track import Presence, Track
from vision.sightings import Look, Sighting
from vision.table import PlacedCard, Table


def table_of(tracks: dict[int, Track]) -> Table:
    """Tracks as they are given."""
    cards = (
        PlacedCard(track.id, track.code, track.guesses, track.face_up, track.corners_mm, "", 0.0, track.visible)
        for track in tracks.values()
    )
    return Table(3.0, 30, tuple(cards))


def covered() -> Table:
    """A under B, and C beside them."""
    watched = Watched()
    watched.see(face("A", 0, 0), face("C", 200, 0))
    watched.see(face("A", 0, 0), face("C", 200, 0), hands=0.1)
    table = table_of(watched.see(face("B", 1, 1), face("C", 200, 0)))
    assert [(card.code, card.visible > 0) for card in table.cards] == [("A", False), ("B", True), ("C", True)]
    return table


def resumed(table: Table, *cards: Sighting, times: int = 12) -> Watched:
    """A new tracker that goes on from a table, after some looks."""
    watched = Watched()
    watched.at_s = 100.0
    last = max(card.track for card in table.cards)
    watched.tracker.restart(confirmed_tracks(table, Look(0, watched.at_s, cards, 0.0)), last)
    watched.see(*cards, times=times)
    return watched


def test_what_a_card_covers_is_known_while_that_card_lies_there() -> None:
    table = covered()
    numbers = {card.code: card.track for card in table.cards}
    watched = resumed(table, face("B", 2, 0), face("C", 201, 1))
    assert watched.ids() == numbers
    hidden = next(track for track in watched.tracker.tracks if track.code == "A")
    assert hidden.presence is Presence.HIDDEN
    assert hidden.guesses[0].probability > 0.9
    assert [track.code for track in watched.tracker.tracks] == ["A", "B", "C"], "bottom to top"


def test_under_another_card_nothing_is_remembered() -> None:
    table = covered()
    watched = resumed(table, face("D", 2, 0), face("C", 201, 1))
    assert watched.ids() == {"C": table.cards[2].track, "D": max(card.track for card in table.cards) + 1}


def test_under_a_card_that_was_moved_nothing_is_remembered() -> None:
    table = covered()
    watched = resumed(table, face("B", 60, 0), face("C", 201, 1))
    assert set(watched.ids()) == {"B", "C"}
    assert watched.ids()["B"] not in {card.track for card in table.cards}


def test_a_card_that_was_turned_over_is_another_one() -> None:
    table = covered()
    watched = resumed(table, face("B", 2, 0), replace(face("C", 201, 1), face_up=False, guesses=()))
    assert set(watched.ids()) == {"A", "B", ""}, "of the back nobody knows what it is"


def test_a_card_that_a_human_named_stays_so_though_it_is_read_otherwise() -> None:
    table = covered()
    named = replace(table.cards[1], code="E", pinned=True)
    watched = resumed(replace(table, cards=(table.cards[0], named, table.cards[2])), face("B", 1, 1), face("C", 200, 0))
    assert watched.ids() == {"A": 1, "E": named.track, "C": 2}
    assert {track.presence for track in watched.tracker.tracks if track.code == "E"} == {Presence.SEEN}
