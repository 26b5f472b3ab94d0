"""Films of whole games: what lies on the simulated table is what the referee expects."""

import gzip
import json
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from calibration.plan import seat_players
from device.cli.app import app
from device.lab.simulator.bodies import SimulatedTable
from device.lab.simulator.film import Film, Shot, Studio
from device.lab.simulator.motion import STILL_S
from device.lab.simulator.tables import resting_tables
from device.plans import plan_of
from models.cards import own_deck
from referee.edits import Play
from referee.games.dnp import state as dnp
from referee.layout import Layout, layouts_of
from referee.moves import HIDDEN, seat_name
from referee.rules import games
from referee.transcript import judge_record
from referee.verdicts import Ruling
from tests.referee.explaining import filmed, recorded
from tests.referee.games_played import BotGame, bot_game, states_of

every_game = pytest.mark.parametrize("game", games())
SMALL = Studio(size_px=(192, 108), fps=2.5, difficulty=0.4, seed=5)
FIVE_SEEDS = range(0, 50, 10)


def expected(game: str, layout: Layout) -> Counter[tuple[str, str, str]]:
    """What should lie where: zone, spot and word; a squared pile counts by its number of cards."""
    words: Counter[tuple[str, str, str]] = Counter()
    for place in layout.places:
        if place.spread in ("pile", "pair"):
            piles = (place.cards,) if place.spread == "pile" else (place.cards[:-1], place.cards[-1:])
            words.update((place.zone, place.spot, f"{len(pile)} x {pile[-1]}") for pile in piles if pile)
        else:
            words.update((place.zone, place.spot, word) for word in place.cards)
    return words


def lying(shot: Shot) -> Counter[tuple[str, str, str]]:
    """What lies where on a filmed table, by its printed faces."""
    words: Counter[tuple[str, str, str]] = Counter()
    for body in shot.bodies:
        if body.piece:
            continue
        word = body.word if body.face_up else "?"
        words[body.zone, body.spot.removeprefix("pile:"), f"{body.cards} x {word}" if body.pile else word] += 1
    return words


def check_film(played: BotGame, game: str, studio: Studio) -> int:
    """Every settled table of a film against the referee's layout; how many were checked."""
    rules, deck, layouts = played.rules, own_deck(game), layouts_of(game)
    wanted: dict[int, list[Counter[tuple[str, str, str]]]] = {}
    for ruled in judge_record(played.record, rules):
        state = ruled.match.state
        wanted[ruled.line.number] = [expected(game, layouts.layout(deck, state))]
        if ruled.verdict is not None and ruled.verdict.ruling is not Ruling.LEGAL:
            # An illegal play lies there for a while before it is taken back.
            wrong = rules.apply(state, ruled.match.log[-1].move)
            wanted[ruled.line.number].append(expected(game, layouts.layout(deck, wrong)))
    checked = 0
    for shot in Film(played.record, deck, studio).shots():
        if shot.settled and shot.line:
            assert lying(shot) in wanted[shot.line], (shot.line, lying(shot), wanted[shot.line])
            assert {truth.card.id for truth in shot.cards} == {body.id for body in shot.bodies if not body.piece}
            for truth in shot.cards:
                body = next(body for body in shot.bodies if body.id == truth.card.id)
                if body.face_up:
                    faces = layouts.faces(deck, body.word)
                    assert truth.card.code in {face.code for face in faces}
            checked += 1
    return checked


@every_game
def test_every_settled_table_is_what_the_referee_expects(game: str) -> None:
    """Also with cheats in the game: they lie there, are seen, and are taken back."""
    played = min((bot_game(game, seed, cheat_rate=0.05) for seed in range(1, 6)), key=lambda played: len(played.moves))
    assert check_film(played, game, SMALL) >= len(played.moves)


@every_game
def test_layouts_account_for_every_card(game: str) -> None:
    """Cards on the table and in hands are the whole deck, in every state of a game."""
    deck, layouts = own_deck(game), layouts_of(game)
    for seed in FIVE_SEEDS:
        played = bot_game(game, seed)
        totals = set()
        for state, _ in states_of(played):
            places = layouts.layout(deck, state).places
            # A hand that was laid open in Dawaj 2 is still somebody's hand, and so are cards just drawn in Lucky Box.
            in_hand = {("dawaj2", "shown"), ("lucky_box", "drawn")}
            table = sum(len(place.cards) for place in places if (game, place.spot) not in in_hand)
            # What partners in Trio exchange lies in front of them and is in their hands already.
            table -= sum(place.cards.count(HIDDEN) for place in places if (game, place.spot) == ("trio", "shown"))
            # The sets of the round before in dnp lie there until they are dealt, and the new hands are counted already.
            if game == "dnp" and state.phase is dnp.Phase.STAR:  # type: ignore[attr-defined]
                table = 0
            # A guest's cards lie on the table, so only the players' hands are added.
            hands = played.rules.standings(state)[: len(played.record.opening.names)]
            totals.add(table + sum(row.hand for row in hands))
        assert len(totals) == 1, (seed, totals)


@every_game
def test_everything_stays_on_the_table(game: str) -> None:
    """The plan of a game has room for whole games: no card hangs over the edge of the table."""
    deck, layouts = own_deck(game), layouts_of(game)
    for seed in FIVE_SEEDS:
        played = bot_game(game, seed)
        players = len(played.record.opening.names)
        seating = seat_players(plan_of(game), players + len(played.rules.guests(players)))
        table = SimulatedTable(deck, layouts, seating, seed)
        half_x, half_y = seating.table_mm[0] / 2, seating.table_mm[1] / 2
        for state, _ in states_of(played):
            table.become(layouts.layout(deck, state))
            for body in table.bodies:
                assert abs(body.x_mm) < half_x - 20, body
                assert abs(body.y_mm) < half_y - 20, body


def test_a_card_keeps_its_identity_while_it_is_turned_and_moved() -> None:
    played = bot_game("trio", 0)
    seen: dict[int, set[str]] = {}
    for shot in Film(played.record, own_deck("trio"), SMALL).shots():
        for body in shot.bodies:
            if body.face_up:
                seen.setdefault(body.id, set()).add(body.code)
    assert len(seen) > 9
    assert all(len(codes) == 1 for codes in seen.values())


def test_no_card_lies_on_a_pile_while_it_still_lies_elsewhere() -> None:
    """Box cards are all different: each is wiped and discarded only once it was taken from where it lay."""
    played = min((bot_game("lucky_box", seed) for seed in range(1, 6)), key=lambda played: len(played.moves))
    assert {"wipe", "discard"} <= {move.verb for move in played.moves}
    for shot in Film(played.record, own_deck("lucky_box"), SMALL).shots():
        boxes = [body.code for body in shot.bodies if body.face_up and not body.piece and body.zone != "centre"]
        assert len(boxes) == len(set(boxes)), (shot.line, sorted(boxes))


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def test_tables_at_rest_say_whose_hands_did_it() -> None:
    game = bot_game("dawaj2", 1, 0.0)
    moves = {line.number: line.meaning.move for line in game.record.lines if isinstance(line.meaning, Play)}
    told = dict(resting_tables(Film(game.record, own_deck("dawaj2"), SMALL), SMALL.fps))
    assert {table.looks for table in told.values()} == {3}
    assert {card.looks for table in told.values() for card in table.cards} == {3}
    played = [
        (moves[line], table.arms) for line, table in told.items() if line in moves and moves[line].seat is not None
    ]
    assert all(seat_name(move.seat) == arms[0].seats[0][0] for move, arms in played if arms and move.seat is not None)
    assert sum(bool(arms) for _, arms in played) > len(played) / 2
    assert told[0].arms == ()


def test_the_table_rests_as_long_as_it_is_told_to() -> None:
    record, deck = bot_game("dnp", 1, 0.2).record, own_deck("dnp")

    def settled(rest_s: float) -> int:
        ends = list(Film(record, deck, Studio((192, 108), 10.0, rest_s=rest_s)).rests())
        return ends[-1].frame

    scenes = sum(1 for _ in Film(record, deck, SMALL).rests()) - 2
    assert settled(0.6) - settled(0.5) >= scenes
    assert settled(STILL_S) == list(Film(record, deck, Studio((192, 108), 10.0)).rests())[-1].frame


def test_a_film_on_disk(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text("\n".join(str(bot_game("dnp", 0).written).split("\n")[:16]), "utf-8")
    words = ["simulate", "dnp", "--record", str(record), "--seed", "3", "--size", "320x180", "--fps", "4"]
    for name in ("one", "two"):
        result = krupier(*words, "-o", str(tmp_path / name))
        assert result.exit_code == 0, result.output
    for file in ("video.mp4", "truth.jsonl.gz", "record.txt"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file
    with gzip.open(tmp_path / "one" / "truth.jsonl.gz", "rt", encoding="utf-8") as file_:
        head, *frames = [json.loads(line) for line in file_]
    assert head["size_px"] == [320, 180]
    assert any(frame["settled"] for frame in frames)
    assert {"code", "face", "corners", "visible", "zone", "turn_deg"} <= set(frames[-1]["cards"][0])
    video = cv2.VideoCapture(str(tmp_path / "one" / "video.mp4"))
    count = 0
    while video.read()[0]:
        count += 1
    assert count == len(frames)
    assert (tmp_path / "one" / "record.txt").read_text("utf-8") == record.read_text("utf-8")
    bots = krupier("simulate", "trio", "--seed", "1", "--size", "160x160", "--fps", "1", "-o", str(tmp_path / "bots"))
    assert bots.exit_code == 0, bots.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("simulate", "poker", "-o", "x"), "no game 'poker'"),
        (("simulate", "dnp", "-o", "/proc/nowhere"), "cannot be made"),
        (("simulate", "dnp", "-o", "x", "--size", "9999999x9"), "wanted WIDTHxHEIGHT"),
        (("simulate", "dnp", "-o", "x", "--size", "641x480"), "each even"),
        (("simulate", "dnp", "-o", "x", "--size", "640"), "wanted WIDTHxHEIGHT"),
        (("simulate", "dnp", "-o", "x", "--players", "9"), "9 players; dnp wants 2 to 5"),
        (("simulate", "dnp", "-o", "x", "--record", "/nowhere"), "cannot be read"),
        (("print", "deck", "poker", "-o", "x.pdf"), "no deck for 'poker'"),
        (("print", "deck", "dnp", "-o", "/proc/x.pdf"), "cannot be written"),
        (("print", "mat", "-o", "x.pdf", "--size", "big"), "wanted WIDTHxHEIGHT"),
        (("print", "mat", "-o", "x.pdf", "--size", "100x100"), "wanted 300 to 2000 mm"),
        (("deck", "export", "poker", "-o", "x"), "no deck for 'poker'"),
        (("deck", "export", "dnp", "-o", "/proc/x"), "cannot be made"),
    ],
)
def test_bad_words_are_refused_and_leave_nothing_behind(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = krupier(*words)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious", "utf-8")
    result = krupier("deck", "export", "trio", "-o", str(tmp_path), "--dpi", "50")
    assert result.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_export_writes_every_face_and_an_index(tmp_path: Path) -> None:
    result = krupier("deck", "export", "kto_drugi", "-o", str(tmp_path / "deck"), "--dpi", "60")
    assert result.exit_code == 0, result.output
    index = json.loads((tmp_path / "deck" / "index.json").read_text("utf-8"))
    assert len(index["cards"]) == 38
    files = {row["file"] for row in index["cards"]}
    assert len(files) == 38
    assert files | {"back.png", "back-colour.png", "index.json"} == {
        path.name for path in (tmp_path / "deck").iterdir()
    }
    picture = cv2.imread(str(tmp_path / "deck" / index["cards"][0]["file"]))
    assert picture is not None
    assert picture.shape[1] == pytest.approx(63 / 25.4 * 60, abs=1)
    assert index["cards"][0]["attributes"]["value"]


@every_game
def test_decks_print_on_both_papers(game: str, tmp_path: Path) -> None:
    for paper in ("a4", "letter"):
        result = krupier("print", "deck", game, "-o", str(tmp_path / f"{paper}.pdf"), "--paper", paper)
        assert result.exit_code == 0, result.output
        assert (tmp_path / f"{paper}.pdf").read_bytes().startswith(b"%PDF")


def test_what_is_put_back_is_the_card_that_lay_there() -> None:
    laid = ("P1 lay ? @ P1", "P2 lay ? @ P2", "P3 lay ? @ P3", "P1 turn +1", "table clear", "P2 turn +2")
    faces = [
        {body.code for body in rest.bodies if body.zone == "P1" and body.face_up}
        for rest in filmed(recorded("kto_drugi", 3, *laid)).rests()
    ]
    turned = [cards for cards in faces if len(cards) > 1]
    assert [] != turned == [turned[0]] * len(turned)


@every_game
def test_the_same_game_is_filmed_with_cards_of_another_style(game: str) -> None:
    record = bot_game(game, 1).record
    own, styled = (Film(record, own_deck(game), studio) for studio in (SMALL, replace(SMALL, style=3)))
    ours, theirs = (list(islice(film.stills(), 6))[-1] for film in (own, styled))
    assert ours.bodies == theirs.bodies
    assert [card.card.code for card in ours.cards] == [card.card.code for card in theirs.cards]
    assert (ours.image != theirs.image).any(2).mean() > 0.01
