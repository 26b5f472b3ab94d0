"""The game catalogue: titles, options, cards and verbs of every game, for the pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from models.cards import Card, Deck, own_deck
from referee.match import AnyMatch
from referee.moves import HIDDEN, Move
from referee.rules import AnyRules, games, load_rules
from referee.texts import LANGUAGES, load_texts

Text = dict[str, str]

MOST_A_VERB = 60
_MOST_LOOKED_AT = 4000
"""Legal moves that are examined: some games have far too many to show."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A move that may be declared now."""

    verb: str
    text: str
    label: Text
    seat: int | None


@cache
def title(game: str) -> Text:
    """What a game is called."""
    if game not in games():
        return dict.fromkeys(LANGUAGES, game)
    return {language: load_texts(game, language).title for language in LANGUAGES}


def code_hint(game: str) -> Text:
    """How the code of a card is spelled."""
    if game not in games():
        return dict.fromkeys(LANGUAGES, "")
    return {language: load_texts(game, language).code_hint for language in LANGUAGES}


@cache
def spoken(game: str) -> dict[str, Text]:
    """How each verb of a game is said of somebody."""
    said = {language: load_texts(game, language).verbs for language in LANGUAGES}
    return {verb: {language: said[language].get(verb, verb) for language in LANGUAGES} for verb in said[LANGUAGES[0]]}


@cache
def catalogue() -> list[dict[str, Any]]:
    """All games."""
    return [_entry(load_rules(game)) for game in games()]


def faces(deck: Deck) -> dict[str, Any]:
    """What is printed on every card of a deck."""
    return {card.code: {"kind": card.kind, "count": card.count, **_printed(card)} for card in deck.cards}


def codes(game: str) -> frozenset[str]:
    """The codes of a game's own deck."""
    return frozenset(card.code for card in own_deck(game).cards)


def declarations(match: AnyMatch) -> list[Declaration]:
    """The moves that may be declared now, not too many of any verb."""
    if match.rules.outcome(match.state) is not None:
        return []
    return list(_few(islice(match.rules.legal_moves(match.state), _MOST_LOOKED_AT), match))


def _few(moves: Iterator[Move], match: AnyMatch) -> Iterator[Declaration]:
    counts: dict[str, int] = {}
    for move in moves:
        counts[move.verb] = counts.get(move.verb, 0) + 1
        if counts[move.verb] <= MOST_A_VERB:
            yield Declaration(move.verb, str(move), _label(move, match), move.seat)


def _label(move: Move, match: AnyMatch) -> Text:
    who = match.names[move.seat] if move.seat is not None and move.seat < len(match.names) else ""
    verb = spoken(match.rules.game).get(move.verb, {})
    hidden = sum(card == HIDDEN for card in move.cards)
    cards = [*(card for card in move.cards if card != HIDDEN), *([f"{hidden}×?"] if hidden else [])]
    rest = [*cards, *([f"→ {move.target}"] if move.target else []), *(f"{key}={number}" for key, number in move.counts)]
    return {language: " ".join(filter(None, (who, verb.get(language, move.verb), *rest))) for language in ("pl", "en")}


def _entry(rules: AnyRules) -> dict[str, Any]:
    deck = own_deck(rules.game)
    least = rules.seats[0]
    return {
        "name": rules.game,
        "title": title(rules.game),
        "seats": {"min": least, "max": rules.seats[-1]},
        "guests": {str(players): list(rules.guests(players)) for players in rules.seats},
        "options": {
            str(players): {name: list(values) for name, values in rules.choices(players).items()}
            for players in rules.seats
        },
        "deck": deck.name,
        "code_hint": code_hint(rules.game),
        "codes": [{"code": card.code, "kind": card.kind, "label": _card_label(card)} for card in deck.cards],
        "verbs": {
            verb: {
                "usage": known.usage,
                "seated": known.seated,
                "label": spoken(rules.game).get(verb, {"pl": verb, "en": verb}),
            }
            for verb, known in rules.verbs(least).items()
        },
    }


def _printed(card: Card) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in card.traits}


def _card_label(card: Card) -> str:
    words = (str(value) for _, value in card.traits if isinstance(value, int | str) and not isinstance(value, bool))
    return f"{card.code} ({', '.join(words)})"
