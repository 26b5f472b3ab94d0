"""Plays under way: tables glimpsed in haste show them half made, and nobody is accused or asked because of that."""

from collections.abc import Iterator

import pytest

from referee.inference.glimpses import mixture
from referee.inference.observation import TableEvidence
from referee.layout import Place, Spread, laid_out
from referee.match import AnyMatch
from referee.observed import ObservedCard, ObservedTable, Pieces, Spot
from tests.referee.games_played import rules_of
from tests.referee.lucky_box_table import dealt, table
from tests.referee.table_talk import open_match, play
from tests.referee.test_dnp import dnp
from tests.referee.test_kto_drugi import lay, race, standing_on
from tests.referee.watching import Watched, card, found, hasty, model_of, perfect_eye, reached

HEAPS = "P1 turn +1/1 +2/12 +5/32; P2 turn +3/21"
"""In Kto drugi, after four cards were laid in front of two."""


def half_made(before: ObservedTable, after: ObservedTable) -> Iterator[ObservedTable]:
    """Glimpses of all tables between two: places change one after the other, card by card, then pieces."""
    cards, pieces = dict(before), {owned: dict(where) for owned, where in before.pieces.items()}
    for spot in [spot for spot in sorted(before.keys() | after.keys()) if before.get(spot) != after.get(spot)]:
        here, there = before.get(spot, ()), after.get(spot, ())
        for done in range(1, max(len(here), len(there)) + 1):
            lying = (*there[:done], *here[done:]) if there else here[: len(here) - done]
            cards = {**cards, spot: lying}
            yield glimpse(cards, pieces)
    for owned in [owned for owned in after.pieces if before.pieces.get(owned) != after.pieces[owned]]:
        pieces = {**pieces, owned: dict(after.pieces[owned])}
        yield glimpse(cards, pieces)


def glimpse(cards: dict[Spot, tuple[ObservedCard, ...]], pieces: Pieces) -> ObservedTable:
    return ObservedTable({spot: lying for spot, lying in cards.items() if lying}, pieces, hasty=True)


def drawn() -> AnyMatch:
    return play(open_match(rules_of("lucky_box"), 2), dealt(2)[:3])


@pytest.mark.parametrize(
    ("match", "move"),
    [
        (lay(race(3), 1, 1, 1), "P1 turn +1/1 +2/12 +5/32"),
        (play(lay(race(4), 1, 1, 1, 2), f"{HEAPS}; P1 move P1 @ 8; P2 move P2 @ 3"), "table clear"),
        (
            play(
                lay(standing_on(race(3), 1, 2, 3, in_round=5), 1, 2, 3),
                "P1 turn +1/1; P2 turn +2/12; P3 turn +3/21; P1 move P1 @ 2; P2 move P2 @ 4; P3 move P3 @ 6",
            ),
            "table clear",
        ),
        (table("49:12.13.21.31 58:22.23", "31", number=1), "P1 mark 49:r1c1 49:r3c2 58:r2c1 moon=1"),
        (drawn(), "P2 draw ? ? ? ? ?"),
        (dnp(3, "P1 star; P1 play 1/6 1/7 1/8; P2 play 5/2 5/3 5/7 5/8; P3 flip"), "P1 discard"),
        (dnp(3, "P1 star; P1 play 7/3; P2 play 2/4 2/5"), "P3 play 1/6 1/7 1/8"),
    ],
    ids=["turned", "cleared", "stage over", "marked", "drawn", "discarded", "laid"],
)
def test_a_play_that_is_glimpsed_half_made_is_one_play(match: AnyMatch, move: str) -> None:
    watched = Watched(match)
    before, after = watched.lies(), watched.lies(move)
    logged = watched.log
    glimpses = list(half_made(before, after))
    watched.see(before)
    for table_seen in (*glimpses, after, after):
        told = watched.see(table_seen)
        assert told.question is None
        assert not any(line.endswith("!") for line in watched.log)
    assert len(glimpses) > 1
    assert watched.log == [*logged, move]


def test_sets_that_are_gathered_one_by_one_are_a_new_deal() -> None:
    watched = Watched(dnp(4, "P1 star; P1 play 7/3; P2 play 2/4 2/5; P3 play 1/6 1/7 1/8; P4 play 5/2 5/3 5/7 5/8"))
    before, after = watched.lies(), watched.lies("table redeal")
    logged = watched.log
    watched.see(before)
    for seat in range(1, 4):
        left = {spot: lying for spot, lying in before.items() if spot[0] > f"P{seat}"}
        watched.see(reached(hasty(ObservedTable(left)), f"P{seat} P{seat}"))
        assert not any(line.endswith("!") for line in watched.log)
    watched.see(reached(after, "P4 P4"), after)
    assert watched.log == [*logged, "table redeal!"]


def test_nobody_is_accused_before_a_table_lies_still() -> None:
    watched = Watched(play(lay(race(3), 1, 1, 1), "P1 turn +1/1 +2/12 +5/32"))
    wrong, logged = watched.lies("P1 move P1 @ 6"), watched.log
    watched.see(watched.lies(), hasty(wrong))
    assert watched.log == logged
    watched.see(wrong)
    assert watched.log == [*logged, "P1 move P1 @ 6!"]


def test_a_glimpse_is_evidence_once_the_play_is_known() -> None:
    """A card that lay there in haste and does no more was no error of the camera."""
    match = dnp(3, "P1 star; P1 play 7/3")
    shown = perfect_eye("dnp", play(match, "P2 play 8/1").state)
    gone = perfect_eye("dnp", match.state)
    one = found(match, [gone, hasty(shown), gone])
    assert one.belief.best.score < -1.5


def test_the_arm_of_a_glimpse_belongs_to_the_play_that_it_began() -> None:
    match = dnp(3, "P1 star; P1 play 4/2 4/3; P2 play 1/6 1/7 1/8")
    before, after = perfect_eye("dnp", match.state), perfect_eye("dnp", play(match, "P3 flip; P1 discard").state)
    half = ObservedTable({**before, ("P1", "set"): before["P1", "set"][:1]}, looks=1, hasty=True)
    assert found(match, [reached(half, "P1 P1"), after]).told == ["P3 flip", "P1 discard"]


def test_a_mixture_errs_nowhere_else() -> None:
    """Cards change from what lay there to what will; another card in another place is an error as ever."""
    model = model_of("dnp")
    here, there = (
        laid_out([Place("P1", "set", words, Spread.FAN), Place("P2", "set", ("9/1",), Spread.FAN)])
        for words in (("7/3", "7/4", "7/5"), ("8/1", "8/2", "8/3"))
    )
    words = {("P1", "set"): ("7/3", "8/2", "8/3"), ("P2", "set"): ("9/1",)}
    right, wrong = (
        TableEvidence(
            model.deck,
            model.layouts,
            ObservedTable(
                {spot: tuple(card("dnp", word) for word in some) for spot, some in seen.items()}, looks=3, hasty=True
            ),
        )
        for seen in (words, words | {("P2", "set"): ("9/2",)})
    )
    assert right.log_likelihood(mixture(right, [here, there])) == pytest.approx(0.0)
    assert wrong.log_likelihood(mixture(wrong, [here, there])) < -5.0
