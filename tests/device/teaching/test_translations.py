"""Refusals in Polish: every sentence that teaching can refuse with has a translation."""

import ast
from pathlib import Path

import pytest

from device.teaching.translations import PARTS, in_language, texts_of

ROOT = Path(__file__).resolve().parents[3]
SOURCES = (*sorted((ROOT / "device" / "teaching").glob("*.py")), ROOT / "device" / "cli" / "teach.py")
RAISED = ("TeachingError", "TaughtError", "RefusedView")


def sentences() -> list[str]:
    """The texts of all refusals in the source, with X for every value in them."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                found += [
                    _text(argument) for argument in node.args if isinstance(argument, ast.JoinedStr | ast.Constant)
                ]
    return [text for text in found if " " in text]


def _text(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)


def test_every_refusal_of_teaching_is_translated() -> None:
    every = sentences()
    assert len(every) > 30
    left = {text: in_language(text, "pl") for text in every}
    english = ("wanted", " is ", "cannot", "there are", " no ", "shows")
    assert not {text: polish for text, polish in left.items() if any(word in f" {polish} " for word in english)}


@pytest.mark.parametrize(
    ("text", "polish"),
    [
        (
            "a.jpg: only 32 % of it is seen; wanted a card that nothing covers",
            "a.jpg: widać tylko 32 % karty; potrzebna karta, której nic nie zasłania",
        ),
        (
            "it reaches 30 px over the edge of the picture; wanted a card that is wholly inside",
            "wystaje 30 px poza brzeg obrazu; potrzebna karta w całości na obrazie",
        ),
        (
            "a hand lies on it; wanted a card that nothing covers",
            "leży na niej ręka; potrzebna karta, której nic nie zasłania",
        ),
        ("nothing is printed on it; wanted a card", "nic na niej nie ma; potrzebna karta"),
        ("QC looks like QS: differs in 5 mm² only", "QC wygląda jak QS: różni się tylko na 5 mm²"),
        ("cards are missing: 3 of 36 (card)", "brakuje kart: jest 3 z 36 (card)"),
        ("wedding.jpg", "wedding.jpg"),
    ],
)
def test_refusals_of_cards(text: str, polish: str) -> None:
    assert texts_of(text) == {"en": text, "pl": polish}
    assert in_language(text, "en") == text


def test_places_of_a_translation_are_those_of_its_sentence() -> None:
    for english, polish in PARTS:
        names = {part.partition("}")[0] for part in english.split("{")[1:]}
        assert names == {part.partition("}")[0] for part in polish.split("{")[1:]}, english
