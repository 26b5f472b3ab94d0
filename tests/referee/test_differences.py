"""Differences in words: every place of every game has a name, in both languages."""

import pytest

from device.plans import plan_of
from referee.differences import SPOTS, ZONES, reason_for
from referee.inference.observation import Difference
from referee.moves import HIDDEN
from referee.observed import ObservedCard
from referee.rules import games
from referee.texts import LANGUAGES, load_texts

NAMES = ("Ala", "Bartek")


def lying(*chances: tuple[str, float]) -> ObservedCard:
    return ObservedCard(1, bool(chances), chances, False)


def said(language: str, difference: Difference, game: str = "trio") -> str:
    return load_texts(game, language).say(reason_for(difference), NAMES)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "centre, c5: a card that cannot be read lies there instead of 3."),
        ("pl", "środek, c5: leży karta nie do odczytania, a spodziewana jest 3."),
    ],
)
def test_a_card_that_cannot_be_read(language: str, sentence: str) -> None:
    assert said(language, Difference(("centre", "c5"), "3", lying(("", 1.0)))) == sentence


def test_players_are_called_by_their_names() -> None:
    assert said("pl", Difference(("P2", "set1"), None, lying(("3/5", 1.0)))) == (
        "Bartek, zestaw 1: leży 3/5, a nie powinno."
    )


def test_what_is_not_seen_and_what_lies_face_down() -> None:
    assert said("en", Difference(("discard", "discard"), HIDDEN, None)) == "discard pile: a card is not seen."
    assert said("en", Difference(("P1", "tray"), None, lying())) == (
        "Ala, tray: a card face down lies there and should not."
    )


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_place_of_a_plan_can_be_named(game: str, language: str) -> None:
    plan = plan_of(game)
    sentences = load_texts(game, language).sentences
    assert {f"zone-{zone}" for zone in ZONES} | {f"spot-{spot}" for spot in SPOTS} <= set(sentences)
    for spot in (*plan.seat, *plan.middle):
        assert spot in SPOTS or any(letter.isdigit() for letter in spot), spot
        for zone in ("P1", *plan.zones):
            assert zone in ZONES | {"P1"}
            assert "~" not in said(language, Difference((zone, spot), "x", None), game)
