"""Fitting rates: tables and games with known errors are counted as they are."""

from dataclasses import replace
from math import exp, isnan, log

import pytest

from device.lab.rehearsal.camera_counts import counted
from device.lab.rehearsal.filmed_truth import Compared, compared_from_json, compared_json, unlike
from device.lab.rehearsal.manners import HEARD, MANNERS, TRAINING, rehearsals
from device.lab.rehearsal.play_counts import acts_of, cost_name, is_done, layout_costs, play_counts
from device.lab.rehearsal.rates_fit import Row, meanings, rows, rules_out, uncounted, value_in, value_of
from device.lab.rehearsal.rehearsal import Rehearsal, rehearse
from device.lab.rehearsal.result import figures_of
from device.lab.rehearsal.tallies import MIN_PROBABILITY, Tallies, Tally, together
from device.lab.rehearsal.thresholds import Lost, Thresholds, losses, searched, trying
from device.lab.rehearsal.variants import variants
from device.lab.simulator.film import Rest
from models.cards import own_deck
from referee.inference import rates
from referee.inference.history import Act, Model
from referee.layout import layouts_of
from referee.moves import Move
from referee.rules import load_rules
from tests.referee.explaining import filmed, recorded
from vision.table import FOREIGN, Arm, Guess, Piece, PlacedCard, Table

DUEL = variants()[0]
TRIO = next(one for one in variants() if one.game == "trio")


def card(track: int, code: str = "A", x_mm: float = 0.0, **other: object) -> PlacedCard:
    """A card of P1's row."""
    a, b, c, d = ((x_mm + x, y) for x, y in ((-31, -44), (31, -44), (31, 44), (-31, 44)))
    made = PlacedCard(track, code, (Guess(code, 1.0),), True, (a, b, c, d), "P1", 0.0, 1.0, spot="row", looks=3)
    return replace(made, **other)  # type: ignore[arg-type]


TWO = (card(1, "A"), card(2, "B", 100.0))


def compared(*cards: PlacedCard, true: tuple[PlacedCard, ...] = TWO, looks: int = 3, **other: object) -> Compared:
    seen = Table(0.0, 0, cards, looks=looks)
    one = Compared(seen, Table(0.0, 0, true), frozenset(), frozenset(), frozenset())
    return replace(one, **other)  # type: ignore[arg-type]


def parts(tallies: Tallies, *names: str) -> tuple[tuple[int, int], ...]:
    return tuple((tallies[name].events, tallies[name].trials) for name in names)


# Cameras


def test_a_table_as_it_lies_has_trials_and_no_events() -> None:
    tallies = counted([compared(*TWO)], way_matters=True)
    assert all(tally.events == 0 for tally in tallies.values())
    assert parts(
        tallies,
        "MISSED_IN_ALL_LOOKS_PROBABILITY",
        "MISSED_IN_ONE_LOOK_PROBABILITY",
        "FALSE_POSITIVE_IN_ONE_LOOK_PROBABILITY",
    ) == ((0, 2), (0, 6), (0, 6))
    assert (
        parts(
            tallies,
            "WRONG_SIDE_LOG_PROBABILITY",
            "MISREAD_PROBABILITY",
            "UNREAD_PROBABILITY",
            "UPSIDE_DOWN_LOG_PROBABILITY",
        )
        == ((0, 2),) * 4
    )


def test_every_error_of_a_card_is_counted_by_its_name() -> None:
    misread = card(1, "B")
    unread = card(2, FOREIGN, 100.0, guesses=(Guess(FOREIGN, 0.9), Guess("B", 0.05)))
    assert parts(counted([compared(misread, unread)], False), "MISREAD_PROBABILITY", "UNREAD_PROBABILITY") == (
        (1, 2),
        (1, 2),
    )
    back = card(1, FOREIGN, face_up=False, guesses=())
    turned = card(2, "B", 100.0, turned_deg=175.0)
    tallies = counted([compared(back, turned)], way_matters=True)
    assert parts(tallies, "WRONG_SIDE_LOG_PROBABILITY", "UPSIDE_DOWN_LOG_PROBABILITY", "MISREAD_PROBABILITY") == (
        (1, 2),
        (1, 1),
        (0, 1),
    )
    assert "UPSIDE_DOWN_LOG_PROBABILITY" not in counted([compared(back, turned)], way_matters=False)


def test_missed_and_invented_cards_are_told_apart_by_their_looks() -> None:
    once = counted([compared(replace(TWO[0], looks=2))], False)
    assert parts(once, "MISSED_IN_ALL_LOOKS_PROBABILITY", "MISSED_IN_ONE_LOOK_PROBABILITY") == ((1, 2), (1, 3))
    extra = card(9, "C", 200.0)
    assert parts(
        counted([compared(*TWO, extra)], False),
        "FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY",
        "FALSE_POSITIVE_IN_ONE_LOOK_PROBABILITY",
    ) == ((1, 2), (0, 6))
    faint = replace(extra, looks=1)
    assert parts(
        counted([compared(*TWO, faint)], False),
        "FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY",
        "FALSE_POSITIVE_IN_ONE_LOOK_PROBABILITY",
    ) == ((0, 2), (1, 6))
    alone = counted([compared(replace(TWO[0], looks=1), looks=1)], False)
    assert parts(alone, "MISSED_IN_ALL_LOOKS_PROBABILITY", "MISSED_IN_ONE_LOOK_PROBABILITY") == ((0, 0), (1, 2)), (
        "one look cannot tell always from once"
    )


def test_a_card_in_another_spot_is_missed_and_invented() -> None:
    tallies = counted([compared(TWO[0], replace(TWO[1], spot="tray"))], False)
    assert parts(tallies, "MISSED_IN_ALL_LOOKS_PROBABILITY", "FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY") == (
        (1, 2),
        (1, 2),
    )


def test_an_error_that_lasts_is_one_error() -> None:
    tallies = counted([compared(TWO[0])] * 3 + [compared(*TWO)], False)
    assert parts(tallies, "MISSED_IN_ALL_LOOKS_PROBABILITY", "REPEATED_MISMATCH_LOG_PROBABILITY 0") == ((1, 6), (2, 3))


def test_remembered_cards_are_taken_or_still_there_but_not_in_a_pile() -> None:
    under = replace(TWO[1], visible=0.0)
    assert parts(
        counted([compared(TWO[0], under)], False),
        "REMEMBERED_TAKEN_LOG_PROBABILITY",
        "REMEMBERED_KEPT_LOG_PROBABILITY",
        "MISSED_IN_ALL_LOOKS_PROBABILITY",
    ) == (
        (0, 1),
        (1, 1),
        (0, 1),
    )
    gone = compared(TWO[0], under, true=TWO[:1])
    assert parts(counted([gone], False), "REMEMBERED_TAKEN_LOG_PROBABILITY", "REMEMBERED_KEPT_LOG_PROBABILITY") == (
        (1, 1),
        (0, 1),
    )
    squared = frozenset({("P1", "row")})
    assert parts(
        counted([replace(gone, piles=squared)], False),
        "REMEMBERED_TAKEN_LOG_PROBABILITY",
        "FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY",
    ) == ((0, 0), (0, 0))
    pair = compared(*TWO, replace(under, track=9), piles=squared)
    assert parts(counted([pair], False), "REMEMBERED_TAKEN_LOG_PROBABILITY", "MISSED_IN_ALL_LOOKS_PROBABILITY") == (
        (0, 0),
        (0, 2),
    )


def test_marks_are_counted_by_cells() -> None:
    true = (replace(TWO[0], marks=("r1c1", "r2c2")),)
    seen = compared(replace(TWO[0], marks=("r1c1", "r3c3", "b1")), true=true)
    assert parts(counted([seen], False), "WRONG_MARK_LOG_PROBABILITY") == ((2, 9),)


def test_pieces_are_missed_invented_or_astray() -> None:
    def standing(*spots: str) -> Table:
        owned = [(f"P{number}", spot) for number, spot in enumerate(spots, 1) if spot]
        return Table(0.0, 0, (), tuple(Piece("figure", owner, 0.0, 0.0, "track", spot) for owner, spot in owned))

    true = standing("1", "1", "1")
    one = replace(compared(), seen=standing("1", "2", ""), true=true)
    assert parts(
        counted([one], False),
        "PIECE_MISSED_LOG_PROBABILITY",
        "PIECE_MISPLACED_LOG_PROBABILITY",
        "PIECE_FALSE_POSITIVE_LOG_PROBABILITY",
    ) == ((1, 3), (1, 3), (0, 3))
    assert "PIECE_MISSED_LOG_PROBABILITY" not in counted([replace(one, seen=standing())], False), (
        "nobody looks for pieces"
    )


def test_arms_are_seen_missed_or_those_of_others() -> None:
    def reached(*arms: tuple[str, str], true: tuple[str, str]) -> Tallies:
        seen = tuple(Arm(((seat, 1.0),), (), 0.0, 1.0, ((zone, "row"),)) for seat, zone in arms)
        table = replace(Table(0.0, 0, ()), arms=seen)
        return counted([replace(compared(), seen=table, true=Table(0.0, 0, ()), reached=frozenset({true}))], False)

    names = ("ARM_SEEN_PROBABILITY", "ARM_MISSED_PROBABILITY", "ONLY_OTHER_ARMS_PROBABILITY")
    assert parts(reached(("P1", "P2"), true=("P1", "P2")), *names) == ((1, 1), (0, 1), (0, 1))
    assert parts(reached(true=("P1", "P2")), *names) == ((0, 1), (1, 1), (0, 1))
    assert parts(reached(("P3", "P2"), true=("P1", "P2")), *names) == ((0, 1), (0, 1), (1, 1))
    idle = reached(("P1", "P1"), ("P1", "P3"), ("P1", "P2"), true=("P1", "P2"))
    assert parts(idle, "IDLE_ARM_OWN_ZONE_PROBABILITY", "IDLE_ARM_OTHER_ZONE_PROBABILITY") == ((1, 3), (1, 3))
    alone = replace(compared(), reached=frozenset({("P1", "P2")}))
    assert "ARM_SEEN_PROBABILITY" not in counted([alone], False, hasty=False), (
        "they may have come with a table in haste"
    )


def test_tables_in_haste_count_unless_only_settled_ones_are_wanted() -> None:
    film = [compared(*TWO), compared(TWO[0], settled=False)]
    assert parts(counted(film, False), "MISSED_IN_ALL_LOOKS_PROBABILITY") == ((1, 4),)
    assert parts(counted(film, False, hasty=False), "MISSED_IN_ALL_LOOKS_PROBABILITY") == ((0, 2),)


def test_a_table_in_haste_is_nearer_to_one_of_two_ends() -> None:
    half, none, both = (Table(0.0, 0, cards) for cards in (TWO[:1], (), TWO))
    assert (unlike(half, none), unlike(half, both), unlike(both, both)) == (1, 1, 0)
    assert unlike(both, Table(0.0, 0, (replace(TWO[0], face_up=False), TWO[1]))) == 2


def test_what_was_watched_is_kept_as_it_was() -> None:
    one = compared(*TWO, piles=frozenset({("pile", "draw")}), reached=frozenset({("P1", "P2")}), settled=False)
    assert compared_from_json(compared_json(one)) == one


# People


def test_a_wrong_play_is_done_and_taken_back() -> None:
    record = recorded("trio", 3, "P1 reveal 1 @ P1.low", "P2 reveal 3 @ c1", "P1 reveal 2 @ c2")
    rests: tuple[Rest, ...] = tuple(filmed(record).rests())
    model = Model(load_rules("trio"), own_deck("trio"), layouts_of("trio"))
    acts = acts_of(record, model, [(rest.line, rest.frame) for rest in rests])
    assert [act.act for act in acts] == [Act.PLAYED, Act.ILLEGAL, Act.TAKEN_BACK, Act.PLAYED]
    assert acts[1].before == acts[2].shown
    assert [act.frame for act in acts] == sorted({act.frame for act in acts})


def test_honest_games_have_no_wrong_plays_regrets_or_haste_and_others_do() -> None:
    honest = play_counts(Rehearsal(TRIO, TRAINING[0]))
    names = ("MOVE_COST ILLEGAL", "NTH_ACT_COST 1", "REGRET_COST", "trio: PASS_COST")
    assert all(events == 0 and trials > 10 for events, trials in parts(honest, *names))
    regretted = play_counts(Rehearsal(TRIO, TRAINING[0], regrets=0.2))["REGRET_COST"]
    assert regretted.probability == pytest.approx(0.2, abs=0.1)
    hasty = play_counts(Rehearsal(TRIO, TRAINING[0], haste=0.3))
    assert hasty["NTH_ACT_COST 1"].events > 5
    assert hasty["trio: PASS_COST"].events > 0, "a card that went back before anybody looked"
    cheats = together(play_counts(Rehearsal(DUEL, seed, cheat=0.3)) for seed in TRAINING[:2])
    assert cheats["MOVE_COST ILLEGAL"].events > 0
    assert cheats["FORCED_MOVE_COST"].events == cheats["FORCED_MOVE_COST"].trials > 0


def test_what_is_said_is_counted_where_people_are_heard() -> None:
    dnp = next(one for one in variants() if one.game == "dnp")
    assert "DECLARED_COST" not in play_counts(Rehearsal(dnp, TRAINING[0]))
    said = play_counts(Rehearsal(dnp, TRAINING[0], declared=True))
    assert said["DECLARED_COST"].events == said["DECLARED_COST"].trials > 5
    assert said["DECLARED_EARLY_COST"].events == 0
    assert play_counts(Rehearsal(dnp, TRAINING[0], declared=True, eager=0.6))["DECLARED_EARLY_COST"].events > 0


def test_costs_of_a_layout_are_found_by_their_names() -> None:
    costs = {"PASS_COST": 3.0, "LAST_COST": 2.0, "LAST_CARD_COST": 1.5}
    hidden = Move(0, "play", ("?", "?"))
    assert cost_name(costs, Move(0, "pass"), 3.0) == "PASS_COST"
    assert cost_name(costs, hidden, 5.0) == "LAST_COST + 2 x LAST_CARD_COST"
    assert value_in(costs, "LAST_COST + 2 x LAST_CARD_COST") == 5.0
    assert cost_name(costs, hidden, 4.9) == "unnamed"
    assert isnan(value_in(costs, "unnamed"))
    assert layout_costs("trio").keys() >= {"PASS_COST", "AGAIN_COST"}
    assert is_done(hidden, Move(0, "play", ("1/2", "1/3")))
    assert not is_done(hidden, Move(0, "play", ("1/2",)))
    assert not is_done(hidden, Move(1, "play", ("1/2", "1/3")))


# Rows


def test_nothing_is_impossible_and_few_trials_rule_nothing_out() -> None:
    assert Tally(0, 3).probability == 0.125
    assert Tally(0, 10**6).probability == MIN_PROBABILITY
    assert Tally(5, 9).cost == pytest.approx(-log(0.55))
    assert not rules_out(Tally(0, 3), 0.3)
    assert rules_out(Tally(0, 300), 0.3)
    assert Row("A", "", 0.1, Tally(0, 3)).mark == ""
    assert Row("A", "", 0.02, Tally(0, 3)).mark == "too few trials"
    assert Row("A", "", 0.3, Tally(0, 300)).mark == "differs"
    assert Row("A", "", 0.3, Tally()).mark == "not counted"
    assert Row("A_COST", "", 3.0, Tally(5, 100)).mark == ""
    assert Row("A_COST", "", 0.1, Tally(5, 100)).mark == "differs"


def test_everything_that_is_counted_stands_in_rates_with_a_meaning() -> None:
    played = play_counts(Rehearsal(TRIO, TRAINING[0], haste=0.2, cheat=0.1))
    counts = played + counted([compared(*TWO)], way_matters=True)
    found = list(rows(counts))
    assert {row.name for row in found} == set(counts)
    assert all(row.meaning and not isnan(row.value) for row in found)
    assert "REMEMBERED_TAKEN_LOG_PROBABILITY" in uncounted(counts), "nothing was remembered"
    assert not {"MISREAD_PROBABILITY", "MOVE_COST", "MIN_ARM_OWNER_PROBABILITY", "MAX_HISTORIES"} & set(
        uncounted(counts)
    )
    assert value_of("REMEMBERED_TAKEN_LOG_PROBABILITY") == pytest.approx(exp(rates.REMEMBERED_TAKEN_LOG_PROBABILITY))
    assert meanings('A = 1\nB, C = 2, 3\n"""Both."""\nD = 4\n') == {"A": "Both.", "B": "Both.", "C": "Both."}


def test_rehearsals_are_of_training_seeds_only() -> None:
    every = list(rehearsals((*MANNERS.values(), *HEARD.values()), 2))
    assert len(every) == 2 * len(variants()) * (len(MANNERS) + len(HEARD))
    assert {one.seed for one in every} <= set(TRAINING)


# Thresholds


def test_a_game_that_is_recalled_loses_what_it_loses_when_it_is_watched() -> None:
    rehearsal = Rehearsal(DUEL, TRAINING[0], cheat=0.2)
    now = Thresholds.current()
    silent = replace(now, ACCUSATION_PROBABILITY=1.1, ASK_AFTER_TABLES=1000)
    by_now, by_silent = losses(rehearsal, (now, silent))
    one = figures_of((rehearse(rehearsal),))
    assert by_now == Lost(1, 1 - one.right, one.false_illegal, one.cheats - one.flagged - one.questioned, one.asked)
    with trying(silent):
        one = figures_of((rehearse(rehearsal),))
    assert by_silent == Lost(1, 1 - one.right, one.false_illegal, one.cheats - one.flagged - one.questioned, one.asked)
    assert by_silent.asked == 0
    assert by_silent.missed > by_now.missed
    assert Thresholds.current() == now, "what was tried is gone"


def test_a_search_ends_where_no_neighbour_loses_less() -> None:
    start = Thresholds(0.6, 0.5, 0.15, 4, 0.1)

    def judge(tried: tuple[Thresholds, ...]) -> dict[Thresholds, Lost]:
        def asked(one: Thresholds) -> int:
            return round(100 * abs(one.ACCUSATION_PROBABILITY - 0.9)) + abs(int(one.ASK_AFTER_TABLES) - 2)

        return {one: Lost(1, asked=asked(one)) for one in tried}

    *_, (best, lost) = searched(start, lambda tried: judge(tuple(tried)))
    assert (best.ACCUSATION_PROBABILITY, best.ASK_AFTER_TABLES, lost.loss) == (0.9, 2, 0.0)
    assert (best.CLEAR_RULING_PROBABILITY, best.SUSPICION_PROBABILITY, best.MIN_CHOICE_PROBABILITY) == (
        0.5,
        0.15,
        0.1,
    ), "what changes nothing stays"
