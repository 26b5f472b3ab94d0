"""Whatever a table is misread as, every proposed move can be judged and applied."""

from dataclasses import replace
from random import Random

import pytest

from models.cards import own_deck
from referee.layout import layouts_of
from referee.match import Match
from referee.observed import ObservedCard, ObservedTable
from referee.record import read_record
from referee.rules import Opening, games
from referee.selfplay import self_play
from tests.referee.games_played import rules_of
from tests.referee.watching import perfect_eye

MISREAD = 0.4
"""Share of the cards that are misread."""


def misread(seen: ObservedTable, codes: tuple[str, ...], rng: Random) -> ObservedTable:
    """A table on which many cards are taken for any other card of the deck, or for a back."""

    def lying(card: ObservedCard) -> ObservedCard:
        if rng.random() > MISREAD:
            return card
        if rng.random() < 0.2:
            return replace(card, face_up=not card.face_up, candidates=((rng.choice(codes), 0.9),))
        return replace(card, candidates=((rng.choice(codes), 0.7), (rng.choice(codes), 0.25)))

    cards = {spot: tuple(map(lying, some)) for spot, some in seen.items()}
    return ObservedTable(cards, seen.pieces, seen.looks)


@pytest.mark.parametrize("game", games())
def test_every_proposal_for_a_misread_table_can_be_judged_and_applied(game: str) -> None:
    rules, deck, layouts, rng = rules_of(game), own_deck(game), layouts_of(game), Random(7)
    players = max(2, rules.seats[0])
    opening = Opening(game, ("Ala", "Bartek", "Celina", "Darek")[:players], ())
    record = read_record(str(self_play(rules, opening, 5, 0.1)), rules)
    codes = tuple(card.code for card in deck.cards)
    match, proposed = Match.open(rules, opening), 0
    for line in record.lines:
        if line.meaning is None:
            continue
        before, match = match, match.edit(line.meaning, line.number)
        seen = misread(perfect_eye(game, match.state), codes, rng)
        for state in (before.state, match.state):
            for move in layouts.propose(deck, state, seen):
                rules.judge(state, move)
                rules.apply(state, move)
                proposed += 1
    assert proposed > 20
