"""The observation model: how likely a table is to be seen as it is, if a certain layout lies there."""

from dataclasses import replace

import pytest

from referee.games.lucky_box.table import crosses
from referee.inference import rates
from referee.inference.observation import TableEvidence
from referee.inference.pieces import pieces_log_likelihood
from referee.layout import Counter, Place, Spread, laid_out
from referee.moves import HIDDEN
from referee.observed import ObservedCard, ObservedTable
from referee.rules import games
from tests.referee.games_played import bot_game, states_of
from tests.referee.test_kto_drugi import race
from tests.referee.watching import LOOKS, card, laid, model_of, perfect_eye
from vision.table import FOREIGN

SET = ("P1", "set")


def evidence(game: str, seen: ObservedTable) -> TableEvidence:
    return TableEvidence(model_of(game).deck, model_of(game).layouts, seen)


def dnp(*words: str | ObservedCard, looks: int = LOOKS) -> ObservedTable:
    """Cards in front of P1."""
    cards = tuple(card("dnp", word) if isinstance(word, str) else word for word in words)
    return ObservedTable({SET: cards} if cards else {}, looks=looks)


def fit(seen: ObservedTable, *words: str, spread: Spread = Spread.FAN) -> float:
    """How likely these cards in front of P1 are seen so."""
    return evidence("dnp", seen).log_likelihood(laid_out([Place(*SET, words, spread)]))


@pytest.mark.parametrize("game", games())
def test_a_perfect_eye_fits_perfectly(game: str) -> None:
    for state, _ in list(states_of(bot_game(game, 3)))[::20]:
        seen = perfect_eye(game, state)
        one = evidence(game, seen)
        layout = model_of(game).layout(state)
        assert one.log_likelihood(layout) == pytest.approx(0.0)
        assert one.differences(layout) == ()


def test_nothing_on_an_empty_table_is_perfect() -> None:
    assert fit(dnp()) == 0.0


def test_every_error_costs() -> None:
    right = fit(dnp("7/3", "7/4"), "7/3", "7/4")
    missed = fit(dnp("7/3"), "7/3", "7/4")
    invented = fit(dnp("7/3", "7/4"), "7/3")
    misread = fit(dnp("7/3", "7/5"), "7/3", "7/4")
    wrong_side = fit(dnp("7/3", HIDDEN), "7/3", "7/4")
    upside_down = fit(dnp("7/3", "4/7"), "7/3", "7/4")
    assert right == 0.0
    assert all(error < -1 for error in (missed, invented, misread, wrong_side, upside_down))
    assert missed + invented < misread, "one misread card is likelier than one missed and one invented"
    assert upside_down > misread, "it is easier to see a card upside down than to read another one"


def test_two_errors_cost_as_much_as_both() -> None:
    one, two = fit(dnp("7/3", "7/4"), "7/3", "7/4", "7/5"), fit(dnp("7/3"), "7/3", "7/4", "7/5")
    assert two == pytest.approx(2 * one)


def test_a_card_that_is_read_with_doubt_costs_as_much_as_the_doubt() -> None:
    sure, likely, unlikely = (dnp(card("dnp", "7/3", chance, ("4/8", 1 - chance))) for chance in (1.0, 0.8, 0.1))
    assert fit(sure, "7/3") > fit(likely, "7/3") > fit(unlikely, "7/3") > fit(dnp("8/4"), "7/3")


def test_a_card_that_cannot_be_read_may_be_any() -> None:
    unread = dnp(replace(card("dnp", "7/3"), candidates=((FOREIGN, 1.0),)))
    assert fit(unread, "7/3") == pytest.approx(fit(unread, "8/4"))
    assert fit(unread, "7/3") > fit(dnp("8/4"), "7/3")


def test_fewer_looks_weigh_less() -> None:
    """What one glimpse shows or misses is believed less than what many looks do."""
    missed = [fit(dnp(looks=looks), "7/3") for looks in (1, 3)]
    invented = [fit(dnp(replace(card("dnp", "7/3"), looks=looks), looks=looks)) for looks in (1, 3)]
    assert missed[0] > missed[1]
    assert invented[0] > invented[1]


def test_a_card_that_some_looks_missed_is_less_likely_there_and_less_likely_not_there() -> None:
    always, once = (dnp(replace(card("dnp", "7/3"), looks=looks)) for looks in (3, 1))
    assert fit(always, "7/3") > fit(once, "7/3")
    assert fit(always, "7/3") - fit(always) > fit(once, "7/3") - fit(once)


def test_a_remembered_card_may_have_been_taken() -> None:
    remembered = dnp("7/3", replace(card("dnp", "7/4"), remembered=True))
    assert fit(remembered, "7/3") > fit(dnp("7/3", "7/4"), "7/3")
    assert fit(remembered, "7/3", "7/4") > fit(dnp("7/3"), "7/3", "7/4")
    assert evidence("dnp", remembered).differences(laid_out([Place(*SET, ("7/3",), Spread.FAN)])) == ()


def test_cards_of_a_fan_lie_in_any_order_but_not_those_of_a_row() -> None:
    turned = dnp("7/5", "7/3", "7/4")
    assert fit(turned, "7/3", "7/4", "7/5") == 0.0
    assert fit(turned, "7/3", "7/4", "7/5", spread=Spread.ROW) < 0.0


def test_how_many_cards_a_pile_has_is_not_seen() -> None:
    for words in ((HIDDEN,), (HIDDEN,) * 40):
        assert fit(dnp(HIDDEN), *words, spread=Spread.PILE) == 0.0
        assert fit(dnp(HIDDEN, HIDDEN), *words, spread=Spread.PILE) == 0.0
        assert fit(dnp(), *words, spread=Spread.PILE) < 0.0


def test_a_pair_of_piles_shows_its_last_two_cards_in_any_order() -> None:
    words = ("2/6", "7/3", "7/4")
    assert fit(dnp("7/3", "7/4"), *words, spread=Spread.PAIR) == 0.0
    assert fit(dnp("7/4", "7/3"), *words, spread=Spread.PAIR) == 0.0
    assert fit(dnp("2/6", "7/4"), *words, spread=Spread.PAIR) < 0.0


def test_what_may_lie_there_instead_fits_as_well() -> None:
    place = Place(*SET, ("7/3",), Spread.FAN, instead=(("8/1", "7/3"), ()))
    for seen in (dnp("7/3"), dnp("8/1", "7/3"), dnp()):
        assert evidence("dnp", seen).log_likelihood(laid_out([place])) == 0.0
    assert evidence("dnp", dnp("8/1")).log_likelihood(laid_out([place])) < 0.0


def test_a_zone_of_one_spot_may_give_it_its_own_name() -> None:
    pile = laid_out([Place("pile", "boxes", (HIDDEN,) * 9, Spread.PILE)])
    for spot in ("pile", "boxes"):
        assert (
            evidence(
                "lucky_box", ObservedTable({("pile", spot): (card("lucky_box", HIDDEN),)}, looks=LOOKS)
            ).log_likelihood(pile)
            == 0
        )


def boxes(*marks: tuple[str, ...]) -> ObservedTable:
    """Two box cards with their crosses."""
    cards = (replace(card("lucky_box", word), marks=mark) for word, mark in zip(("49", "58"), marks, strict=True))
    return ObservedTable({("P1", "boxes"): tuple(cards)}, looks=LOOKS)


def test_every_mark_that_is_missed_or_invented_costs() -> None:
    one, two = crosses(1), crosses(3)
    layout = laid_out([Place("P1", "boxes", ("49", "58"), Spread.FAN, marks=(two, ()))])
    fits = [evidence("lucky_box", boxes(*marks)).log_likelihood(layout) for marks in ((two, ()), (one, ()), (one, one))]
    assert fits[0] == 0.0
    assert fits[1] < 0.0
    assert fits[2] == pytest.approx(2 * fits[1])
    circled = evidence("lucky_box", boxes((*two, "b3"), ()))
    assert circled.log_likelihood(layout) == 0.0, "only crosses count"


@pytest.mark.parametrize(("number", "other"), [(0, 1), (1, 0)])
def test_a_card_taken_for_its_neighbour_is_misread_once_whatever_is_drawn_on_it(number: int, other: int) -> None:
    """Two cards are read alike: which of them is meant their crosses tell."""
    layout = laid_out([Place("P1", "boxes", ("49", "58"), Spread.FAN, marks=(crosses(7), crosses(8)))])
    seen = boxes(crosses(7), crosses(8))
    cards = list(seen["P1", "boxes"])
    cards[number] = replace(cards[number], candidates=cards[other].candidates)
    unmarked = laid_out([replace(layout.places[0], marks=())])
    misread = evidence("lucky_box", laid(seen, {("P1", "boxes"): tuple(cards)}))
    assert misread.log_likelihood(layout) == pytest.approx(misread.log_likelihood(unmarked))


def test_pieces_that_are_missed_invented_or_astray() -> None:
    state = race(3).state
    layout = model_of("kto_drugi").layout(state)
    seen = perfect_eye("kto_drugi", state)
    astray = evidence("kto_drugi", perfect_eye("kto_drugi", state, P1=3)).log_likelihood(layout)
    one = {owned: spots for owned, spots in seen.pieces.items() if owned[1] != "P1"}
    missed = evidence("kto_drugi", ObservedTable(seen, one, LOOKS)).log_likelihood(layout)
    more = {**seen.pieces, ("moon", "P1"): {("P1", "tokens"): 2}}
    invented = evidence("kto_drugi", ObservedTable(seen, more, LOOKS)).log_likelihood(layout)
    assert max(astray, missed, invented) < 0.0
    assert astray < missed, "a figure that stands elsewhere was rather moved than not seen"
    nobody_looks = evidence("kto_drugi", ObservedTable(seen, {}, LOOKS))
    assert nobody_looks.log_likelihood(layout) == 0.0, "then pieces say nothing"


def test_differences_name_what_is_missed_and_what_is_too_much() -> None:
    layout = laid_out([Place(*SET, ("7/3", "7/4"), Spread.FAN)])
    one = evidence("dnp", laid(dnp("7/3"), {("P2", "set"): (card("dnp", "2/6"),)}))
    found = [(difference.place, difference.wanted, difference.found) for difference in one.differences(layout)]
    assert found == [(SET, "7/4", None), (("P2", "set"), None, card("dnp", "2/6"))]
    assert [difference for difference, _ in one.doubts(layout, {})] == list(one.differences(layout))


def test_a_difference_that_lasts_has_the_same_name_at_the_next_table() -> None:
    layout = laid_out([Place(*SET, ("7/3", "7/4"), Spread.FAN)])
    seen = dnp("7/3", replace(card("dnp", "2/6"), track=5)), dnp("7/3", replace(card("dnp", "2/6"), track=8))
    keys = [[one.key for one in evidence("dnp", table).differences(layout)] for table in seen]
    assert keys[0] == keys[1] != []


def test_an_error_that_lasts_costs_less_the_longer_it_lasts() -> None:
    layout = laid_out([Place(*SET, ("7/3", "7/4"), Spread.FAN)])
    one = evidence("dnp", dnp("7/3"))
    (key,) = (difference.key for difference in one.differences(layout))
    less = [sum(less for _, less in one.doubts(layout, {key: times})) for times in range(4)]
    assert less[0] == 0.0
    assert less == sorted(less)
    assert one.log_likelihood(layout) + less[3] == pytest.approx(rates.REPEATED_MISMATCH_LOG_PROBABILITY[2])


def test_a_figure_that_goes_back_to_the_start_may_be_there_already() -> None:
    figure = Counter("figure", "P1", "track", "5", instead="0")
    there, elsewhere = ({("figure", "P1"): {("track", spot): 1}} for spot in ("0", "3"))
    assert pieces_log_likelihood((figure,), there) == 0.0
    assert pieces_log_likelihood((figure,), elsewhere) == pytest.approx(rates.PIECE_MISPLACED_LOG_PROBABILITY)
