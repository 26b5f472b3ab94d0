"""Decks are data: read strictly, refused clearly."""

from pathlib import Path

import pytest

from models.cards import DeckError, load_deck, own_deck, own_decks
from referee.rules import games, load_rules


def write(path: Path, text: str) -> Path:
    deck = path / "deck.toml"
    deck.write_text(text, "utf-8")
    return deck


def test_every_game_has_a_deck_and_the_rules_take_it() -> None:
    assert own_decks() == games()
    for game in games():
        assert own_deck(game).game == game
        assert load_rules(game).game == game


def test_dawaj2_has_108_cards_four_of_each_digit_and_colour() -> None:
    deck = own_deck("dawaj2")
    assert deck.total("card") == 108
    for digit in range(1, 10):
        for colour in ("blue", "pink", "green"):
            same = [card for card in deck.cards if (card.number("digit"), card.word("colour")) == (digit, colour)]
            assert sum(card.count for card in same) == 4
            assert sorted(card.number("stars") for card in same) == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game = ", "not TOML"),
        ('game = "x"', "name = None, wanted a word"),
        ('game = "x"\nname = "y"\n', "no cards"),
        ('game = "x"\nname = "y"\ncards = [1]\n', "card 1 is 1"),
        ('game = "x"\nname = "y"\ncards = [{ code = "a b" }]\n', "code = 'a b'"),
        ('game = "x"\nname = "y"\ncards = [{ code = "a", count = 0 }]\n', "count = 0"),
        ('game = "x"\nname = "y"\ncards = [{ code = "a", count = true }]\n', "count = True"),
        ('game = "x"\nname = "y"\ncards = [{ code = "a" }, { code = "a" }]\n', "listed 2 times"),
        ('game = "x"\nname = "y"\ncolour = 1\ncards = [{ code = "a" }]\n', "unknown key 'colour'"),
        ('game = "x"\nname = "y"\ncards = [{ code = "a", value = 1.5 }]\n', "value = 1.5"),
    ],
)
def test_bad_deck_files_are_refused_with_file_and_fault(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DeckError, match=message) as caught:
        load_deck(path)
    assert str(path) in str(caught.value)


def test_unreadable_deck_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="cannot be read"):
        load_deck(tmp_path / "missing.toml")
    broken = tmp_path / "latin.toml"
    broken.write_bytes(b'game = "\xff"')
    with pytest.raises(DeckError, match="not UTF-8 text at byte 8"):
        load_deck(broken)
    with pytest.raises(DeckError, match="no deck for 'poker'"):
        own_deck("poker")


def test_traits_of_the_wrong_kind_are_named(tmp_path: Path) -> None:
    card = load_deck(
        write(tmp_path, 'game = "x"\nname = "y"\ncards = [{ code = "a", n = "1", w = 1, l = 2 }]\n')
    ).cards[0]
    with pytest.raises(DeckError, match="n = '1', wanted a whole number"):
        card.number("n")
    with pytest.raises(DeckError, match="w = 1, wanted a word"):
        card.word("w")
    with pytest.raises(DeckError, match="l = 2, wanted a list"):
        card.row("l")
    with pytest.raises(DeckError, match="has no 'z'; it has n, w, l"):
        card.number("z")
