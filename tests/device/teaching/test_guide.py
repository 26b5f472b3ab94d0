"""The guide through teaching: pages of games in both languages, and what is missing."""

import re

import pytest

from device.teaching.guide import guide_lines, guide_page, open_question
from device.teaching.words import ENGLISH, POLISH, words_for
from models.cards import own_deck, own_decks
from models.codes import FREE, CodeError, spelled
from models.taught import TaughtDeck


@pytest.mark.parametrize("language", ["en", "pl"])
@pytest.mark.parametrize("game", own_decks())
def test_a_page_names_the_number_of_cards_and_codes_that_exist(game: str, language: str) -> None:
    page = guide_page(game, language)
    total = sum(card.count for card in own_deck(game).cards)
    if not page:
        pytest.skip("a game from outside may have no page")
    assert f"{total} of {total}" in page or f"{total} z {total}" in page
    assert str(len(own_deck(game).cards)) in page or len(open_question(game, language)) > 0
    codes = [
        word for word in re.findall(r"`([^`]+)`", page) if not re.search(r"[-.]|^krupier|^n$", word) or "/" in word
    ]
    assert codes
    for code in codes:
        try:
            assert spelled(game, code)
        except CodeError as error:
            raise AssertionError(f"the page of {game} names a code that is refused: {error}") from error


def test_what_is_asked_for_next() -> None:
    empty = TaughtDeck("mine", own_decks()[0])
    for language in ("en", "pl"):
        lines = list(guide_lines(empty, language, words_for(language)))
        assert any(own_deck(empty.game).cards[0].code in line for line in lines)
        assert lines[-1].endswith(open_question(empty.game, language))
    assert list(guide_lines(TaughtDeck("any", FREE), "en", ENGLISH)) == []
    assert guide_page(FREE, "en") == ""


def test_both_languages_say_the_same_things() -> None:
    assert ENGLISH.keys() == POLISH.keys()
    for key, english in ENGLISH.items():
        assert set(re.findall(r"\{(\w+)", english)) == set(re.findall(r"\{(\w+)", POLISH[key])), key
