"""Codes of every game, and taught decks as words: what follows from views, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.cards import DeckError, load_deck, own_deck, own_decks
from models.codes import BACK, FREE, CodeError, card_of, from_stem, listed, spelled
from models.taught import TaughtDeck, TaughtError, ToldApart, View, deck_text, read_taught, shortfall, taught_text

CORNERS = ((1.0, 2.0), (64.0, 2.0), (64.0, 90.0), (1.0, 90.0))


def view(name: str, code: str, origin: str = "a.jpg", scaled: bool = True, width_mm: float = 63.0) -> View:
    return View(name, code, origin, CORNERS, (width_mm, 88.0), scaled, 0.5, "hand")


@pytest.mark.parametrize("game", own_decks())
def test_every_code_of_our_lists_means_what_our_lists_say(game: str) -> None:
    for card in own_deck(game).cards:
        assert card_of(game, card.code, card.count) == card


@pytest.mark.parametrize(
    ("game", "text", "code"),
    [
        ("dawaj2", "9g0", "9G0"),
        ("dnp", "8/1", "1/8"),
        ("dnp", "10/3a", "3/10A"),
        ("kto_drugi", "+2/33b", "+2/33b"),
        ("kto_drugi", "turkus", "TURKUS"),
        ("lucky_box", "N7", "n7"),
        ("trio", " 7 ", "7"),
        (FREE, "żółta-5", "żółta-5"),
        ("trio", "Back", BACK),
    ],
)
def test_codes_as_people_type_them(game: str, text: str, code: str) -> None:
    assert spelled(game, text) == code


def test_what_a_code_says_is_printed() -> None:
    card = card_of("dawaj2", "9G0")
    assert (card.number("digit"), card.word("colour"), card.number("stars")) == (9, "green", 0)
    race = card_of("kto_drugi", "-3/40")
    assert (race.kind, race.number("value"), race.number("white")) == ("race", -3, 40)
    assert card_of("dnp", "1/5").has("star")
    assert not card_of("dnp", "2/5").has("star")
    assert card_of("dnp", "2/10B").word("group") == "B"


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("dawaj2", "0G0", "as 9G0"),
        ("dawaj2", "9G3", "as 9G0"),
        ("trio", "13", "from 1 to 12"),
        ("dnp", "5/5", "two different values"),
        ("dnp", "1/11", "two different values"),
        ("kto_drugi", "+6/1", "from -4 to +5"),
        ("kto_drugi", "+2", "white number"),
        ("lucky_box", "61", "--free"),
        (FREE, "two words", "without blanks"),
        (FREE, "", "without blanks"),
        (FREE, "x" * 41, "at most 40"),
        ("poker", "A", "no game 'poker'"),
    ],
)
def test_codes_that_mean_nothing(game: str, text: str, message: str) -> None:
    with pytest.raises(CodeError, match=message.replace("+", r"\+")):
        spelled(game, text)


@pytest.mark.parametrize(
    ("game", "stem", "code"),
    [
        ("dawaj2", "9G0", "9G0"),
        ("dawaj2", "9g0-2", "9G0"),
        ("trio", "7-2", "7"),
        ("trio", "12 (2)", "12"),
        ("trio", "13", None),
        ("dnp", "1-8", "1/8"),
        ("dnp", "8_1B", "1/8B"),
        ("dnp", "1-8-2", "1/8"),
        ("kto_drugi", "+2_16", "+2/16"),
        ("kto_drugi", "plus2-16", "+2/16"),
        ("kto_drugi", "minus1-2", "-1/2"),
        ("kto_drugi", "+2_16b", "+2/16b"),
        ("kto_drugi", "red", "RED"),
        ("kto_drugi", "holiday", None),
        ("kto_drugi", "IMG_2031", None),
        ("lucky_box", "n7", "n7"),
        (FREE, "r5-2", "r5-2"),
        (FREE, "r5~2", "r5"),
        (FREE, "IMG_2031", None),
        (FREE, "back", BACK),
    ],
)
def test_what_names_of_files_say(game: str, stem: str, code: str | None) -> None:
    assert from_stem(game, stem) == code


def test_a_deck_follows_from_views(tmp_path: Path) -> None:
    taught = TaughtDeck("my-trio", "trio")
    assert taught.deck() is None
    for number, code in enumerate(("9", "7", "7", "", BACK), 1):
        taught = taught.with_view(view(f"{number:04d}", code, width_mm=62.0 + number / 10))
    deck = taught.deck()
    assert deck is not None
    assert [(card.code, card.count) for card in deck.cards] == [("7", 3), ("9", 3)], "Trio has three of each"
    (tmp_path / "deck.toml").write_text(deck_text(deck), "utf-8")
    again = load_deck(tmp_path / "deck.toml")
    assert again == deck
    assert again.card_mm == (62.3, 88.0)
    short = shortfall(taught)
    assert (len(short.missing), short.extra, short.totals) == (10, (), (("card", 6, 36),))
    assert not short.complete
    assert set(short.uncounted) == {"7", "9"}


@pytest.mark.parametrize("game", own_decks())
def test_a_whole_deck_is_complete_and_playable(game: str, tmp_path: Path) -> None:
    views = tuple(view(f"{number:04d}", code) for number, code in enumerate(listed(game), 1))
    taught = TaughtDeck("mine", game, views)
    deck = taught.deck()
    assert deck is not None
    assert deck.cards == own_deck(game).cards
    assert shortfall(taught).complete
    (tmp_path / "deck.toml").write_text(deck_text(deck), "utf-8")
    assert load_deck(tmp_path / "deck.toml") == deck


def test_copies_are_counted_by_picture_or_said() -> None:
    taught = TaughtDeck("d", "dawaj2")
    for number in range(1, 4):
        taught = taught.with_view(view(f"{number:04d}", "9G1", "one.jpg"))
    taught = taught.with_view(view("0004", "9G1", "two.jpg"))
    assert taught.count("9G1") == 3
    assert taught.with_count("9g1", 2).count("9G1") == 2
    with pytest.raises(TaughtError, match="no view of '8G1'"):
        taught.with_count("8G1", 2)
    with pytest.raises(TaughtError, match="0 copies"):
        taught.with_count("9G1", 0)
    assert taught.without(frozenset(("0001", "0002", "0003", "0004"))).seen == ()


def test_what_is_written_is_read_again() -> None:
    taught = TaughtDeck("d", "kto_drugi", (view("0001", "+2/16"), view("0007", "")), (("+2/16", 2),), (), (56.0, 87.0))
    assert read_taught(taught_text(taught), "here") == taught
    assert taught.card_mm == (56.0, 87.0)
    assert replace(taught, given_mm=None).card_mm == (63.0, 88.0)


def test_look_alikes_that_were_told_apart_are_kept() -> None:
    taught = TaughtDeck("d", "free", tuple(view(f"000{number}", code) for number, code in enumerate("QRST", 1)))
    taught = taught.with_told_apart(ToldApart(("Q", "R"), 6.1)).with_told_apart(ToldApart(("S", "T"), 0.0, True))
    assert read_taught(taught_text(taught), "here") == taught
    assert taught.without(frozenset(("0001",))).apart == {frozenset("ST")}
    head, *views = taught_text(replace(taught, told_apart=())).splitlines()
    older = {key: value for key, value in json.loads(head).items() if key != "told_apart"}
    assert read_taught("\n".join((json.dumps(older), *views)), "here").told_apart == (), "an older file has no pairs"


def broken(**head: object) -> str:
    good = [json.loads(line) for line in taught_text(TaughtDeck("d", "trio", (view("0001", "7"),))).splitlines()]
    row = head.pop("view", {})
    assert isinstance(row, dict)
    return "\n".join(json.dumps(line) for line in (good[0] | head, good[1] | row))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no taught deck"),
        ("{}", "is no taught deck"),
        ("not json", "line 1: not JSON"),
        ("[1]", "found list"),
        (broken(version=9), "version 9"),
        (broken(game="poker"), "game 'poker'"),
        (broken(counts={"7": 0}), "wanted a number from 1 on"),
        (broken(given_mm=[1, 2]), "wanted sides from 20 to 200"),
        (broken(told_apart=[{"codes": ["7"], "differing_mm2": 1.0, "turned": False}]), "wanted two codes of trio"),
        (broken(told_apart=["7/8"]), "wanted a table with codes"),
        (broken(view={"name": "../1"}), "wanted four digits"),
        (broken(view={"code": "13"}), "from 1 to 12"),
        (broken(view={"size_mm": "large"}), "wanted width and height"),
        (broken(view={"corners_px": 3}), "wanted four points"),
        (broken(view={"blur_mm": None}), "blur_mm = None"),
    ],
)
def test_broken_lists_are_named(text: str, message: str) -> None:
    with pytest.raises(TaughtError, match=message):
        read_taught(text, "here")


@pytest.mark.parametrize("size", ['"63x88"', "[63]", "[5, 88]", "[63, true]"])
def test_a_deck_file_with_a_wrong_size(tmp_path: Path, size: str) -> None:
    path = tmp_path / "deck.toml"
    path.write_text(f'game = "free"\nname = "x"\ncard_mm = {size}\ncards = [{{ code = "a" }}]\n')
    with pytest.raises(DeckError, match=r"card_mm = .*, wanted \[width, height\]"):
        load_deck(path)
