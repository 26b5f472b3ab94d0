"""Every event survives the journal, and what is no event is refused by name."""

import json

import pytest

from device.cameras.source import Health
from device.recording.journal import KINDS, JournalEntry
from device.session.events import (
    CameraChanged,
    CardNamed,
    ChangedRuling,
    Event,
    EventError,
    GameEnd,
    GameOpened,
    GamePaused,
    LineJudged,
    QuestionAsked,
    RulingChallenged,
    SessionNote,
    TableObserved,
    decode,
    encode,
    readable,
)
from referee.rules import Opening
from referee.verdicts import Ruling, because
from vision.table import Table

EVENTS: tuple[Event, ...] = (
    GameOpened(Opening("trio", ("Ala", "Łucja"), (("goal", "spicy"),), "mine")),
    LineJudged(
        True, 7, "P1 play 8/3", Ruling.ILLEGAL, "DN-A", because("too-low", seat=1, seats=(0, 2)), 4, probability=0.912
    ),
    LineJudged(False, 8, "stand 7", changed=(ChangedRuling(7, Ruling.LEGAL, "DN-A"),)),
    LineJudged(False, 9, "undo", refused="nothing to undo"),
    LineJudged(False, 10, "P2 take", Ruling.LEGAL, "DN-C", because("took"), over=GameEnd((1,), because("won", seat=1))),
    TableObserved(Table(2.5, 41, ())),
    QuestionAsked((("P1 take",), ()), (because("not-seen", card="8/3"), "an old sentence")),
    QuestionAsked(),
    CardNamed(3, "5P1", "7P2", (12.25, -3.5), "Ala"),
    GamePaused(True),
    RulingChallenged(7, "Bartek", True),
    CameraChanged(Health.LOST, 2, "usb:0: unplugged"),
    SessionNote("the disk is full"),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_survives_the_journal(event: Event) -> None:
    kind, data = encode(event)
    assert kind in KINDS
    assert decode(JournalEntry(0, 2.5, kind, json.loads(json.dumps(data)))) == event


def test_every_kind_of_entry_is_an_event() -> None:
    assert {encode(event)[0] for event in EVENTS} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("table", {"cards": "none"}),
        ("table", {}),
        ("ruling", {"line": 3, "text": "P1 take", "ruling": "MAYBE"}),
        ("camera", {"health": "asleep"}),
        ("opera", {}),
    ],
)
def test_what_is_no_event_is_refused_by_name(kind: str, data: dict[str, object]) -> None:
    entry = JournalEntry(5, 1.0, kind, json.loads(json.dumps(data)))
    with pytest.raises(EventError, match=f"entry 5: .*{kind}"):
        decode(entry)
    assert readable(entry) is None
