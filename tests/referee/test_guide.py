"""The guide tells the truth: every verb is in it, and its example is judged as it says."""

import doctest
import re
from pathlib import Path

import pytest

import referee
from referee.record import read_opening, read_record
from referee.rules import games
from referee.transcript import judge_record
from tests.referee.games_played import rules_of

GUIDE = (Path(str(referee.__file__)).parent / "README.md").read_text("utf-8")


def section(game: str) -> str:
    found = re.search(rf"^### [^\n]*\(`{game}`.*?(?=^##)", GUIDE, re.MULTILINE | re.DOTALL)
    assert found, f"no section for {game}"
    return found[0]


@pytest.mark.parametrize("game", games())
def test_every_verb_and_option_is_in_the_guide(game: str) -> None:
    text, rules = section(game), rules_of(game)
    players = 4 if 4 in rules.seats else rules.seats[0]
    written = set(re.findall(r"`(?:P\d|table) ([a-z]+)", text))
    assert written == set(rules.verbs(players))
    for option in rules.choices(players):
        assert f"`{option}=" in text
    assert f"{rules.seats[0]}–{rules.seats[-1]} players" in text


def test_the_example_is_judged_as_it_says() -> None:
    example = re.search(r"```\n(krupier record 1.*?)```", GUIDE, re.DOTALL)
    assert example
    text = example[1]
    rules = rules_of(read_opening(text).game)
    rulings = [row.verdict.ruling.value if row.verdict else "" for row in judge_record(read_record(text, rules), rules)]
    assert rulings == ["LEGAL", "LEGAL", "LEGAL", "ILLEGAL", ""]


def test_the_example_of_the_library_prints_what_it_says() -> None:
    example = re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    assert example
    test = doctest.DocTestParser().get_doctest(example[1], {}, "the guide", None, 0)
    result = doctest.DocTestRunner(verbose=False).run(test)
    assert result.attempted > 4
    assert result.failed == 0
