"""Offences: what was seen of a wrong play belongs to that play alone."""

from device.evaluation.rehearsal import judged
from models.cards import own_deck
from referee.explain import Explainer
from referee.hindsight import Hindsight
from referee.layout import layouts_of
from referee.moves import Move
from referee.offences import Offences
from referee.rules import load_rules
from tests.referee.explaining import tables_of
from tests.referee.test_wrong_plays import recorded, seen

LAID = ("P1 lay ? @ P1", "P2 lay ? @ P1", "P3 lay ? @ P3")
PART, WHOLE = "P1 turn -2/13", "P1 turn -2/13 +4/29"


def _corrected(offences: Offences) -> tuple[str, ...]:
    """What is written when a heap lies turned of which only a part was told, wrongly."""
    record = recorded("kto_drugi", 3, *LAID, WHOLE)
    *_, last = tables_of(record)
    match = judged(recorded("kto_drugi", 3, *LAID, PART), load_rules("kto_drugi"))
    search = Explainer(load_rules("kto_drugi"), own_deck("kto_drugi"), layouts_of("kto_drugi"), seen(record, last))
    completed = offences.completed(match, search.explain(match.state))
    return () if completed is None else completed[0]


def test_what_was_taken_back_is_not_completed() -> None:
    offences = _none_yet()
    offences.taken_back(len(LAID), Move.parse(PART))
    assert _corrected(offences) == ()


def test_another_wrong_play_in_the_place_of_one_that_was_undone_is_looked_at_afresh() -> None:
    offences = _none_yet()
    offences.taken_back(len(LAID), Move.parse("P1 turn +4/29"))
    (line,) = _corrected(offences)
    assert line.startswith("correct ")
    assert line.endswith(WHOLE)


def _none_yet() -> Offences:
    rules, deck, layouts = load_rules("kto_drugi"), own_deck("kto_drugi"), layouts_of("kto_drugi")
    return Offences(rules, deck, layouts, Hindsight(rules, deck, layouts))
