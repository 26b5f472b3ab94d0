"""What must hold for every game, asked with whole bot games of every variant."""

import json
import os
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match import Match
from referee.record import read_record
from referee.rules import games
from referee.snapshot import from_json, to_json
from referee.texts import LANGUAGES, load_texts
from referee.transcript import judge_record
from referee.verdicts import Ruling
from tests.referee.games_played import bot_game, rules_of, states_of, strange_moves, variants

GAMES = 1000 if os.environ.get("KRUPIER_LONG") else 50
MOST_ENUMERATED = 60_000
seeds = st.integers(0, 10**6)
every_game = pytest.mark.parametrize("game", games())


@every_game
def test_the_referee_accepts_every_honest_game(game: str) -> None:
    for seed in range(GAMES):
        played = bot_game(game, seed)
        ruled = None
        for ruled in judge_record(played.record, played.rules):
            assert ruled.verdict is not None
            assert ruled.verdict.ruling is Ruling.LEGAL, (seed, ruled.line.number, ruled.line.text, ruled.verdict)
        assert ruled is not None
        assert played.rules.outcome(ruled.match.state) is not None


@every_game
def test_the_referee_finds_every_cheat_and_nothing_else(game: str) -> None:
    found = 0
    for seed in range(GAMES):
        played = bot_game(game, seed, cheat_rate=0.05)
        faults = []
        for ruled in judge_record(played.record, played.rules):
            if ruled.verdict is not None and ruled.verdict.ruling is not Ruling.LEGAL:
                guilty = ruled.match.line_about(ruled.verdict) or ruled.line.number
                faults.append((guilty, ruled.verdict.rule, ruled.line.number))
        assert faults == [(crime.line, crime.rule, crime.shows) for crime in played.written.crimes], seed
        found += len(faults)
    assert found > GAMES, "the bots hardly cheat"


@every_game
@settings(max_examples=12)
@given(seed=seeds)
def test_judge_is_legal_exactly_for_legal_moves(game: str, seed: int) -> None:
    rng = Random(seed)
    played = bot_game(game, seed)
    for state, move in rng.sample(list(states_of(played)), 6):
        moves = list(islice(played.rules.legal_moves(state), MOST_ENUMERATED))
        complete = len(moves) < MOST_ENUMERATED
        for enumerated in moves if len(moves) < 300 else rng.sample(moves, 300):
            verdict = played.rules.judge(state, enumerated)
            assert verdict.ruling is Ruling.LEGAL, (str(enumerated), verdict)
        known = set(moves)
        assert len(known) == len(moves), "a legal move is listed twice"
        for tried in (move, *strange_moves(played, rng, 60)):
            if played.rules.judge(state, tried).ruling is Ruling.LEGAL:
                assert tried in known or not complete, str(tried)


@every_game
@settings(max_examples=6)
@given(seed=seeds)
def test_whatever_a_human_lets_stand_leaves_a_sane_table(game: str, seed: int) -> None:
    rng = Random(seed)
    played = bot_game(game, seed)
    states = list(states_of(played))
    for state, _ in rng.sample(states, min(12, len(states))):
        for move in strange_moves(played, rng, 12):
            after = played.rules.apply(state, move)
            assert not played.rules.status(after), (str(move), played.rules.status(after))
            assert after is state or after.ply == state.ply + 1  # type: ignore[attr-defined]
            played.rules.todo(after)
            played.rules.standings(after)
            state = after


@every_game
@settings(max_examples=8)
@given(seed=seeds)
def test_cards_are_conserved_and_something_is_always_to_do(game: str, seed: int) -> None:
    played = bot_game(game, seed)
    for state, _ in states_of(played):
        assert not played.rules.status(state)
        assert bool(played.rules.todo(state)) is (played.rules.outcome(state) is None)


@every_game
@settings(max_examples=5)
@given(seed=seeds)
def test_a_match_is_the_fold_of_its_log(game: str, seed: int) -> None:
    rng = Random(seed)
    played = bot_game(game, seed, cheat_rate=0.03)
    match = Match.open(played.rules, played.record.opening)
    for move in played.moves[:120]:
        match = match.play(move)
    again = Match.open(match.rules, match.opening)
    for entry in match.log:
        again = again.play(entry.move)
    assert again == match
    back = match
    steps = rng.randint(1, len(match.log))
    for _ in range(steps):
        back = back.undo()
    assert len(back.log) == len(match.log) - steps
    for _ in range(steps):
        back = back.redo()
    assert back == match
    index = rng.randrange(len(match.log))
    amended = match.amend(index, match.log[index].move)
    assert (amended.state, amended.verdicts) == (match.state, match.verdicts)
    assert amended.log[index].pinned


@every_game
@settings(max_examples=5)
@given(seed=seeds)
def test_records_and_states_round_trip(game: str, seed: int) -> None:
    played = bot_game(game, seed, cheat_rate=0.02)
    text = str(played.written)
    assert str(read_record(text, played.rules)) == text
    spaced = text.replace("\n\n", "\r\n  \n# Ala zaczyna\n", 1).replace(" @ ", "  @ ", 3) + "  # the end"
    assert str(read_record(spaced, played.rules)) == spaced
    for ruled in islice(judge_record(played.record, played.rules), 0, None, 7):
        state = ruled.match.state
        assert from_json(played.rules.state_type, json.loads(json.dumps(to_json(state)))) == state


@every_game
def test_both_languages_say_everything(game: str) -> None:
    english, polish = (load_texts(game, language) for language in LANGUAGES)
    assert list(english.rules) == list(polish.rules)
    assert set(english.sentences) == set(polish.sentences)
    for seed in range(8):
        played = bot_game(game, seed, cheat_rate=0.2)
        names = played.record.opening.names
        for ruled in judge_record(played.record, played.rules):
            state = ruled.match.state
            said = [*played.rules.todo(state), *(standing.story for standing in played.rules.standings(state))]
            if ruled.verdict is not None:
                assert ruled.verdict.rule in english.rules, ruled.verdict
                said.append(ruled.verdict.reason)
            outcome = played.rules.outcome(state)
            said += [outcome.why] if outcome else []
            for texts in (english, polish):
                for reason in said:
                    spoken = texts.say(reason, names)
                    assert spoken
                    assert "{" not in spoken
                    assert "~" not in spoken


@every_game
def test_every_variant_can_be_opened(game: str) -> None:
    for opening in variants(game):
        state = Match.open(rules_of(game), opening).state
        assert rules_of(game).todo(state)
        assert not rules_of(game).status(state)
