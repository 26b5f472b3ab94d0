"""Texts: both catalogues are whole, nothing in them is unused, and plurals are right."""

import ast
import re
from importlib.resources import files
from pathlib import Path

import pytest

from models.packages import package_of
from referee.rules import games, load_rules
from referee.texts import LANGUAGES, Texts, load_texts
from referee.verdicts import because

every_game = pytest.mark.parametrize("game", games())
SPEAKERS = {"because": 0, "legal": 2, "illegal": 2, "unclear": 2}
"""Functions that take a catalogue key, and where."""


def trees(game: str) -> list[ast.Module]:
    paths = sorted(Path(str(files(package_of(game).rules))).glob("*.py"))
    return [ast.parse(path.read_text("utf-8")) for path in paths]


def spoken_keys(tree: ast.Module) -> set[str]:
    """Keys given as plain words to a function that speaks."""
    keys = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SPEAKERS:
            place = SPEAKERS[node.func.id]
            if len(node.args) > place and isinstance(node.args[place], ast.Constant):
                keys.add(str(node.args[place].value))  # type: ignore[attr-defined]
    return keys


def words(tree: ast.Module) -> set[str]:
    """Every string in a file, f-strings as patterns."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(re.escape(node.value.removeprefix("~")))
        elif isinstance(node, ast.JoinedStr):
            parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in node.values)
            found.add("".join(parts).removeprefix("\\~").removeprefix("~"))
    return found


@every_game
def test_every_key_that_is_spoken_is_in_the_catalogue(game: str) -> None:
    sentences = load_texts(game, "en").sentences
    for tree in trees(game):
        assert spoken_keys(tree) <= set(sentences)


@every_game
def test_no_sentence_is_unused(game: str) -> None:
    patterns = {word for tree in trees(game) for word in words(tree) if word}
    shared = {"over", "unread", "status-lost", "title-hand", "title-points"}
    shared |= {key for key in load_texts(game, "en").sentences if key.startswith(("left-", "zone-", "spot-"))}
    unused = [
        key
        for key in set(load_texts(game, "en").sentences) - shared
        if not any(re.fullmatch(pattern, key) for pattern in patterns)
    ]
    assert not unused


@every_game
def test_every_verb_is_said_in_both_languages(game: str) -> None:
    rules = load_rules(game)
    verbs = {verb for players in rules.seats for verb in rules.verbs(players)}
    for language in LANGUAGES:
        texts = load_texts(game, language)
        assert set(texts.verbs) == verbs
        assert all([texts.title, texts.code_hint, *texts.verbs.values()])


@every_game
def test_both_languages_take_the_same_numbers(game: str) -> None:
    english, polish = (load_texts(game, language) for language in LANGUAGES)
    assert list(english.rules) == list(polish.rules)
    for key, sentence in english.sentences.items():
        fields = set(re.findall(r"{(\w+)", sentence))
        assert set(re.findall(r"{(\w+)", polish.sentences[key])) == fields, key


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_have_all_their_forms(game: str, language: str) -> None:
    forms = {"en": 2, "pl": 3}[language]
    for key, sentence in load_texts(game, language).sentences.items():
        for choice in re.findall(r"{\w+:([^}]*\|[^}]*)}", sentence):
            assert choice.count("|") + 1 == forms, key


@pytest.mark.parametrize(
    ("number", "word"),
    [(0, "kart"), (1, "karta"), (2, "karty"), (4, "karty"), (5, "kart"), (12, "kart"), (22, "karty"), (112, "kart")],
)
def test_polish_plurals(number: int, word: str) -> None:
    texts = Texts("pl", {}, {"n": "{cards} {cards:karta|karty|kart}"})
    assert texts.say(because("n", cards=number)) == f"{number} {word}"


def test_english_plurals_names_and_words() -> None:
    sentences = {"n": "{seat} and {seats}: {cards} {cards:card|cards}, {awards}, {pair}", "a": "one", "b": "two"}
    texts = Texts("en", {}, sentences)
    reason = because("n", seat=0, seats=(1, 2), cards=1, awards=("~a", "~b"), pair=("3P1", "?"))
    assert texts.say(reason, ("Ala", "Ewa")) == "Ala and Ewa, P3: 1 card, one, two, 3P1 ?"


def test_braces_in_a_name_are_only_text() -> None:
    texts = Texts("en", {}, {"n": "{seat} plays"})
    assert texts.say(because("n", seat=0), ("{0.__class__}",)) == "{0.__class__} plays"
