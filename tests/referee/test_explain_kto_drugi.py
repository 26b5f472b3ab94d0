"""Kto drugi from what lies on the table: cards laid, heaps turned, figures moved, and what people do wrong."""

from dataclasses import replace

import pytest

from calibration.plan import Seating, seat_players, seat_table
from device.evaluation.rehearsal import watch
from models.art.kto_drugi import track_place
from models.cards import own_deck
from referee.explain import Explainer, Explanation
from referee.fit import Fit
from referee.layout import layouts_of
from referee.match import AnyMatch
from referee.moves import HIDDEN
from referee.pieces import ASTRAY, PIECE_INVENTED, PIECE_MISSED
from referee.seen import Lying, Seen, Spot, seen_on
from referee.states.kto_drugi import FIRST, LAST, State
from referee.verdicts import Ruling
from tests.referee.explaining import played
from tests.referee.table_talk import play
from tests.referee.test_kto_drugi import lay, race, standing_on
from vision.sorting import sort_table
from vision.table import Piece, Table

GAME = "kto_drugi"
DECK, LAYOUTS = own_deck(GAME), layouts_of(GAME)
VALUES = {card.code: f"{card.number('value'):+d}" for card in DECK.of("race")}


def look(state: State, **figures: int) -> Seen:
    """A table just as it should be, but for some figures: P2=5; cards are read without doubt."""
    layout = LAYOUTS.layout(DECK, state)
    cards: dict[Spot, tuple[Lying, ...]] = {}
    for place in layout.places:
        words = place.cards[-1:] if place.spread == "pile" else place.cards
        cards[place.zone, place.spot] = tuple(card(word) for word in words)
    spaces = {counter.owner: int(counter.spot) for counter in layout.counters} | figures
    return Seen(cards, {("figure", owner): {("track", str(space)): 1} for owner, space in spaces.items()})


def card(word: str, chance: float = 1.0, *others: tuple[str, float]) -> Lying:
    """One card that lies there."""
    chances = () if word == HIDDEN else ((LAYOUTS.faces(DECK, word)[0].code, chance), *others)
    return Lying(0, word != HIDDEN, chances, False)


def laid(seen: Seen, **cards: str | tuple[Lying, ...]) -> Seen:
    """The same table with other cards in front of some seats: P1="? +2/12"."""
    changed = {
        (seat, "laid"): tuple(card(word) for word in lying.split()) if isinstance(lying, str) else lying
        for seat, lying in cards.items()
    }
    return Seen({spot: lying for spot, lying in ({**seen} | changed).items() if lying}, seen.pieces)


def explain(match: AnyMatch, seen: Seen) -> Explanation:
    """What led from a state that everybody saw to what is seen now."""
    return Explainer(match.rules, DECK, LAYOUTS, seen, before=look(match.state).pieces).explain(match.state)


def told(found: Explanation) -> list[str]:
    """The moves of the best story; what is not legal is marked."""
    return [f"{step.move}{'' if step.ruling is Ruling.LEGAL else ' !'}" for step in found.best.steps]


def rule_of(match: AnyMatch, found: Explanation) -> str:
    """The rule that the first wrong move breaks."""
    state = match.state
    for step in found.best.steps:
        if step.ruling is not Ruling.LEGAL:
            return match.rules.judge(state, step.move).rule
        state = match.rules.apply(state, step.move)
    return ""


def test_an_honest_game_is_understood_whole() -> None:
    game = watch(played(GAME, 2, 1))
    assert (game.missing, game.extra, game.asked) == ({}, {}, 0)
    assert game.told.rules.outcome(game.told.state) == game.played.rules.outcome(game.played.state) is not None


@pytest.mark.parametrize(
    ("players", "tactical", "seed"),
    [(2, "yes", 2), (3, "no", 3), (4, "yes", 5), (5, "no", 6), (6, "yes", 8)],
)
def test_honest_rounds_are_understood(players: int, tactical: str, seed: int) -> None:
    """The first stage and a round more, so that figures go back and cards are dealt again."""
    record = played(GAME, players, seed, tactical=tactical)
    clears = [number for number, line in enumerate(record.lines) if "clear" in line.text]
    game = watch(replace(record, lines=record.lines[: clears[5] + 1]))
    assert (game.missing, game.extra, game.asked) == ({}, {}, 0)
    assert game.right


# Laying


def test_cards_in_front_of_anybody_are_laid_by_those_who_have_not() -> None:
    match = race(3)
    found = explain(match, laid(look(match.state), P2="? ?", P3="?"))
    assert told(found) == ["P2 lay ? @ P2", "P3 lay ? @ P3", "P1 lay ? @ P2"]
    assert (found.rivals, found.left) == ((), ())


def test_the_last_card_in_front_of_somebody_else() -> None:
    match = standing_on(race(3), 0, 0, 0, in_round=5)
    found = explain(match, laid(look(match.state), P1="? ?", P3="?"))
    assert told(found) == ["P1 lay ? @ P1", "P3 lay ? @ P3", "P2 lay ? @ P1 !"]
    assert rule_of(match, found) == "KD-9"


def test_who_laid_it_is_asked_while_several_may_have() -> None:
    match = play(standing_on(race(4), 0, 0, 0, 0, in_round=5), "P1 lay ? @ P1")
    found = explain(match, laid(look(match.state), P1="? ?"))
    stories = {tuple(map(str, story.moves)) for story in (found.best, *found.rivals)}
    assert {(f"P{seat} lay ? @ P1",) for seat in (2, 3, 4)} <= stories


def test_tactical_two_cards_at_once() -> None:
    match = race(3, tactical="yes")
    found = explain(match, laid(look(match.state), P2="? ?"))
    assert (told(found)[0], rule_of(match, found)) == ("P2 lay ? ? @ P2 !", "KD-5")


def test_a_card_too_many() -> None:
    match = lay(race(3), 1, 2, 3)
    found = explain(match, laid(look(match.state), P2="? ?"))
    assert told(found)[0].endswith("lay ? @ P2 !")
    assert rule_of(match, found) == "KD-5"
    assert found.rivals


# Turning


def test_heaps_are_turned_at_once_and_lie_in_any_order() -> None:
    match = lay(race(3), 2, 2, 3)
    found = explain(match, laid(look(match.state), P2="+3/21 -1/4", P3="-2/13"))
    assert told(found) == ["P2 turn -1/4 +3/21", "P3 turn -2/13"]
    assert (found.rivals, found.left) == ((), ())


def test_a_whole_round_and_the_next_between_two_looks() -> None:
    match = race(3)
    after = play(lay(match, 2, 2, 3), "P2 turn -1/4 +3/21; P3 turn -2/13; P2 move P2 @ 2; P3 move P3 @ -2")
    found = explain(match, look(after.state))
    assert found.best.state.chairs == after.state.chairs
    assert all(step.ruling is Ruling.LEGAL for step in found.best.steps)
    cleared = lay(play(after, "table clear"), 1, 1, 1)
    found = explain(after, look(cleared.state))
    assert told(found) == ["table clear", "P1 lay ? @ P1", "P2 lay ? @ P1", "P3 lay ? @ P1"]


def test_a_heap_is_turned_before_everybody_has_laid() -> None:
    match = play(race(4), "P1 lay ? @ P1; P2 lay ? @ P1")
    found = explain(match, laid(look(match.state), P1="+1/1 +2/12"))
    assert (told(found), rule_of(match, found)) == (["P1 turn +1/1 +2/12 !"], "KD-5")


def test_only_a_part_of_a_heap_is_turned() -> None:
    match = lay(race(3), 1, 1, 1)
    found = explain(match, laid(look(match.state), P1="+1/1 +2/12 ?"))
    assert (told(found), rule_of(match, found)) == (["P1 turn +1/1 +2/12 !"], "KD-7")
    # A card that is not found at all accuses nobody.
    missed = explain(match, laid(look(match.state), P1="+1/1 +2/12"))
    assert all(step.ruling is Ruling.LEGAL for step in missed.best.steps)


def test_one_card_is_not_found_while_all_are_turned() -> None:
    match = play(race(3), "P1 lay ? @ P1; P2 lay ? @ P2")
    found = explain(match, laid(look(match.state), P1="+1/1", P2="+2/12"))
    assert told(found) == ["P3 lay ? @ P3", "P1 turn +1/1", "P2 turn +2/12"]


def test_a_card_that_is_never_found_is_known_by_where_the_figure_goes() -> None:
    match = lay(race(3), 1, 1, 1)
    nothing = explain(match, laid(look(match.state), P1="+1/1 -3/22"))
    assert not nothing.best.steps
    found = explain(match, laid(look(match.state, P1=2), P1="+1/1 -3/22"))
    assert told(found) == ["P1 turn +4 +1/1 -3/22", "P1 move P1 @ 2"]
    assert [(one.place, one.wanted) for one in found.left] == [(("P1", "laid"), "+4")]


def test_leons_top_card_joins_his_heap() -> None:
    match = lay(race(2), 3, 1)
    found = explain(match, laid(look(match.state), P1="-1/2", P3="+4/28 -2/13"))
    assert told(found) == ["P1 turn -1/2", "P3 turn -2/13 +4/28"]
    forgotten = explain(match, laid(look(match.state), P3="+4/28"))
    assert (told(forgotten), rule_of(match, forgotten)) == (["P3 turn +4/28 !"], "KD-L2")


def test_a_misread_card_is_repaired_by_the_deck_and_by_the_figure() -> None:
    match = play(lay(race(3), 1, 1, 1), "P1 turn +1/1 +2/12 +5/32; P1 move P1 @ 8; table clear")
    match = lay(match, 2, 3, 3)
    spent = (card("+5/32", 0.7, ("+3/21", 0.25)),)
    found = explain(match, laid(look(match.state), P2=spent))
    assert told(found) == ["P2 turn +3/21"]
    doubtful = (card("+4/28", 0.6, ("+3/21", 0.3)),)
    table = laid(look(match.state, P1=8, P2=3, P3=-2), P2=doubtful, P3="-1/2 -1/4")
    found = explain(match, table)
    assert told(found) == ["P2 turn +3/21", "P3 turn -1/2 -1/4", "P2 move P2 @ 3", "P3 move P3 @ -2"]


def test_copies_of_one_value_are_no_question_in_the_basic_game() -> None:
    either = (card("+3/21", 0.5, ("+3/23", 0.45)),)
    basic, tactical = lay(race(3), 1, 2, 3), lay(race(3, tactical="yes"), 1, 2, 3)
    found = explain(basic, laid(look(basic.state), P2=either))
    assert (told(found), found.rivals) == (["P2 turn +3/21"], ())
    assert explain(tactical, laid(look(tactical.state), P2=either)).rivals


def test_a_card_of_this_stage_that_comes_again() -> None:
    match = play(lay(race(3), 1, 1, 1), "P1 turn +1/1 +2/12 +5/32; P1 move P1 @ 8; table clear")
    match = lay(match, 2, 3, 3)
    found = explain(match, laid(look(match.state), P2="+5/32"))
    assert (told(found), rule_of(match, found)) == (["P2 turn +5/32 !"], "KD-K")


@pytest.mark.parametrize("rest", [{"P2": "+3/21"}, {"P2": "+3/21", "P3": "+2/16"}], ids=["one", "two"])
def test_cards_that_are_put_aside_one_after_the_other_accuse_nobody(rest: dict[str, str]) -> None:
    """Hands rest between cards: the last one that still lies there was not laid and turned anew."""
    match = lay(race(4, tactical="yes"), 1, 2, 3, 4)
    match = play(match, "P2 turn +3/21; P3 turn +2/16; P1 turn +4/28; P4 turn +1/3")
    match = play(match, "P1 move P1 @ 4; P2 move P4 @ 3; P3 move P3 @ 2; P4 move P1 @ 5")
    left = laid(look(match.state), **({"P1": "", "P2": "", "P3": "", "P4": ""} | rest))
    assert all(step.ruling is Ruling.LEGAL for step in explain(match, left).best.steps)


@pytest.mark.parametrize("players", [3, 4])
def test_after_a_stage_the_last_card_to_be_put_aside_accuses_nobody(players: int) -> None:
    """Figures may be back at START before it is gone; in the new stage all cards may come again."""
    match = standing_on(race(players, tactical="yes"), *range(players), in_round=5)
    cards = ("+3/21", "+2/16", "-1/4", "+1/3")[:players]
    match = play(lay(match, *range(1, players + 1)), [f"P{seat} turn {word}" for seat, word in enumerate(cards, 1)])
    match = play(match, ["P1 move P1 @ 3", "P2 move P2 @ 3", *(["P3 move P3 @ 1", "P4 move P4 @ 4"][: players - 2])])
    after = play(match, "table clear")
    found = explain(match, laid(look(after.state), P3="-1/4"))
    assert all(step.ruling is Ruling.LEGAL for step in found.best.steps)
    # Who really turns a card before the others have laid theirs is told so.
    early = play(after, "P1 lay ? @ P1; P2 lay ? @ P2")
    found = explain(early, laid(look(early.state), P2="+5/32"))
    assert [told(found)[-1], rule_of(early, found)] == ["P2 turn +5/32 !", "KD-5"]


# Moving


def turned() -> AnyMatch:
    """P2 goes to 2, P3 to -2, P1 stays."""
    return play(lay(race(3), 2, 2, 3), "P2 turn -1/4 +3/21; P3 turn -2/13")


def test_a_figure_on_the_wrong_space() -> None:
    match = turned()
    found = explain(match, look(match.state, P2=3, P3=-2))
    assert told(found) == ["P3 move P3 @ -2", "P2 move P2 @ 3 !"]
    assert (rule_of(match, found), found.rivals, found.left) == ("KD-7", (), ())


def test_a_figure_that_should_stay() -> None:
    match = turned()
    found = explain(match, look(match.state, P1=1, P2=2, P3=-2))
    assert sorted(told(found)) == ["P1 move P1 @ 1 !", "P2 move P2 @ 2", "P3 move P3 @ -2"]


def test_a_table_cleared_while_a_figure_was_forgotten_and_one_that_is_only_hidden() -> None:
    match = turned()
    after = play(match, "P2 move P2 @ 2; P3 move P3 @ -2; table clear")
    forgotten = explain(match, look(after.state, P3=0))
    assert told(forgotten) == ["P2 move P2 @ 2", "table clear !"]
    assert not forgotten.left
    seen = look(after.state)
    hidden = Seen(seen, {owned: spots for owned, spots in seen.pieces.items() if owned != ("figure", "P3")})
    assert told(explain(match, hidden)) == ["P2 move P2 @ 2", "P3 move P3 @ -2", "table clear"]


def test_a_figure_that_is_moved_while_none_is_to_be_moved() -> None:
    """Also before the first card of a round; what stands where it stood has not been moved."""
    for match in (race(3), standing_on(race(3), 3, 4, 5, in_round=2)):
        away = look(match.state, P2=8)
        assert told(explain(match, away)) == ["P2 move P2 @ 8 !"]
        stood = Explainer(match.rules, DECK, LAYOUTS, away, before=away.pieces).explain(match.state)
        assert told(stood) == []
        assert [(one.place, one.wanted) for one in stood.left][1] == (("track", "8"), None)


def test_the_last_moves_of_a_stage_are_known_when_the_next_one_is_laid_out() -> None:
    match = standing_on(race(3), 3, 4, 5, in_round=5)
    match = play(lay(match, 1, 2, 3), "P1 turn +1/1; P2 turn +2/12; P3 turn -2/13")
    after = play(match, "P1 move P1 @ 4; P2 move P2 @ 6; P3 move P3 @ 3; table clear")
    found = explain(match, look(after.state))
    assert [chair.points for chair in found.best.state.chairs] == [(4,), (0,), (0,)]
    assert (found.rivals, found.left) == ((), ())


def test_tactical_the_order_follows_the_white_numbers() -> None:
    match = play(lay(race(3, tactical="yes"), 1, 2, 3), "P1 turn +1/1; P2 turn -2/13; P3 turn +4/28")
    one = explain(match, look(match.state, P1=4))
    assert told(one) == ["P3 move P1 @ 4"]
    # Both moved the same figure, then P1 another.
    all_moved = explain(match, look(match.state, P1=2, P2=1))
    assert told(all_moved) == ["P3 move P1 @ 4", "P2 move P1 @ 2", "P1 move P2 @ 1"]
    assert (all_moved.rivals, all_moved.left) == ((), ())
    quicker = explain(match, look(match.state, P3=-2))
    assert (told(quicker), rule_of(match, quicker)) == (["P2 move P3 @ -2 !"], "KD-T2")
    wrong = explain(match, look(match.state, P1=5))
    assert (told(wrong), rule_of(match, wrong)) == (["P3 move P1 @ 5 !"], "KD-T3")


def test_tactical_a_figure_at_the_end_of_the_track_is_moved_and_stays_there() -> None:
    """So the table is not cleared too early, though no figure stands elsewhere."""
    match = standing_on(race(3, tactical="yes"), -12, 4, 5, in_round=2)
    match = play(lay(match, 1, 2, 3), "P1 turn -1/4; P2 turn -2/13; P3 turn -4/30")
    moved = ["P3 move P1 @ -12", "P2 move P1 @ -12", "P1 move P1 @ -12"]
    after = play(match, [*moved, "table clear"])
    assert told(explain(match, look(after.state))) == [*moved, "table clear"]


def test_tactical_nobody_guesses_who_was_moved_last_in_a_stage() -> None:
    match = standing_on(race(3, tactical="yes"), 3, 4, 5, in_round=5)
    match = play(lay(match, 1, 2, 3), "P1 turn +1/1; P2 turn -2/13; P3 turn +4/28")
    match = play(match, "P3 move P3 @ 9; P2 move P2 @ 2")
    after = play(match, "P1 move P1 @ 4; table clear")
    found = explain(match, look(after.state))
    stories = {str(story.moves[0]) for story in (found.best, *found.rivals)}
    assert stories == {"P1 move P1 @ 4", "P1 move P2 @ 3", "P1 move P3 @ 10"}


def test_leons_card_moves_nobody_else() -> None:
    match = play(lay(race(2, tactical="yes"), 1, 2), "P1 turn +1/1; P2 turn -2/13; P3 turn +4/28")
    assert told(explain(match, look(match.state, P3=4))) == ["P3 move P3 @ 4"]
    found = explain(match, look(match.state, P1=4))
    assert (told(found), rule_of(match, found)) == (["P3 move P1 @ 4 !"], "KD-L2")


# What nothing explains


def test_what_nothing_explains_is_shown() -> None:
    match = race(3)
    seen = look(match.state, P2=4)
    strange = Seen({**seen, ("track", "track"): (card("+5/32"),)}, seen.pieces)
    # Nobody saw this figure anywhere else.
    found = Explainer(match.rules, DECK, LAYOUTS, strange).explain(match.state)
    assert not found.best.steps
    shown = [(one.place, one.wanted, one.found and one.found.chances[0][0]) for one in found.left]
    assert shown == [
        (("track", "track"), None, "+5/32"),
        (("track", "0"), "figure P2", None),
        (("track", "4"), None, "figure P2"),
    ]


def test_a_figure_is_moved_and_the_table_cleared_too_early() -> None:
    match = lay(race(3), 1, 2, 3)
    moved = explain(match, look(match.state, P2=4))
    assert (told(moved), rule_of(match, moved), moved.left) == (["P2 move P2 @ 4 !"], "KD-7", ())
    swept = explain(match, look(race(3).state))
    assert (told(swept), rule_of(match, swept)) == (["table clear !"], "KD-8")
    # Of several figures that are still to be moved none was; one alone may only have been forgotten.
    match = turned()
    none = explain(match, look(play(match, "P2 move P2 @ 2; P3 move P3 @ -2; table clear").state, P2=0, P3=0))
    assert told(none) == ["table clear !"]


def test_what_pieces_tell() -> None:
    state = race(3).state
    layout = LAYOUTS.layout(DECK, state)
    seen = look(state)
    assert Fit(DECK, LAYOUTS, seen).of(layout) == 0
    assert Fit(DECK, LAYOUTS, look(state, P1=3)).of(layout) == pytest.approx(ASTRAY)
    fewer = Seen(seen, {("figure", "P1"): {("track", "0"): 1}})
    assert Fit(DECK, LAYOUTS, fewer).of(layout) == pytest.approx(2 * PIECE_MISSED)
    more = Seen(seen, {**seen.pieces, ("moon", "P1"): {("P1", "tokens"): 2}})
    assert Fit(DECK, LAYOUTS, more).of(layout) == pytest.approx(2 * PIECE_INVENTED)


def _tables() -> list[Seating]:
    return [seat_players(GAME, 6), seat_table(GAME, 3, (1400.0, 900.0)), seat_table(GAME, 3, (900.0, 1400.0))]


@pytest.mark.parametrize("seating", _tables())
def test_figures_are_told_by_the_number_of_their_space(seating: Seating) -> None:
    spaces = range(FIRST, LAST + 1)
    pieces = []
    for space in spaces:
        x, y = track_place(space, space % 6)
        pieces.append(Piece("figure", f"P{space}", *seating.middle.place(x + 3.0, -y), "track"))
    pieces.append(Piece("moon", "", 0.0, 0.0, "P2"))
    seen = seen_on(sort_table(Table(0.0, 0, (), tuple(pieces)), seating))
    for space in spaces:
        assert seen.pieces["figure", f"P{space}"] == {("track", str(space)): 1}
    assert seen.pieces["moon", "P2"] == {("P2", "tokens"): 1}
