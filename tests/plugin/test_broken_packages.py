"""Packages that cannot be used: one clear error each, and the other games go on."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.cli.app import app
from device.doctor import CheckState, check_games
from device.plans import plan_of
from models.cards import DeckError, own_deck, own_decks
from referee.rules import OpeningError, game_faults, games, load_rules

OWN = ("dawaj2", "dnp", "kto_drugi", "lucky_box", "trio")
PACKAGE = Path(__file__).parent / "krupier_war"

Change = Callable[[Path], object]


def installed(site: Path, package: str, change: Change, game: str = "duel", value: str = "") -> None:
    """A changed copy of the package, installed as pip leaves it."""
    shutil.copytree(PACKAGE, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (site / package).iterdir():
        text = path.read_text("utf-8")
        path.write_text(text.replace('game = "war"', f'game = "{game}"'), "utf-8")
    change(site / package)
    info = site / "krupier_duel-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: krupier-duel\nVersion: 2.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[krupier.games]\n{game} = {value or package}\n", "utf-8")


def replaced(name: str, old: str, new: str) -> Change:
    def change(package: Path) -> None:
        text = (package / name).read_text("utf-8")
        assert old in text
        (package / name).write_text(text.replace(old, new), "utf-8")

    return change


def without(*names: str) -> Change:
    def change(package: Path) -> None:
        for name in names:
            (package / name).unlink()

    return change


FAULTS: tuple[tuple[str, Change, str], ...] = (
    ("lacks_files", without("table.py", "pl.toml"), "found no table.py, pl.toml; wanted rules.py"),
    ("no_python", replaced("rules.py", "class GameRules:", "class GameRules"), "rules cannot be imported: SyntaxError"),
    ("needs_more", replaced("art.py", "from models.art.pen", "import no_such_library\nfrom models.art.pen"), "no_such"),
    (
        "raises",
        replaced("bots.py", "class Bots:", "1 / 0\n\n\nclass Bots:"),
        "bots cannot be imported: ZeroDivisionError",
    ),
    ("no_layout", replaced("table.py", "def layout(", "def laid("), "table.py has no layout; wanted"),
    ("no_game", replaced("rules.py", "class GameRules:", "class Rules:"), "cannot be imported: ImportError"),
    ("no_judge", replaced("rules.py", "def judge(", "def ruled("), "GameRules(deck) has no judge; wanted"),
    ("no_back", replaced("art.py", "def draw_back(", "def draw_other_side("), "art.py has no draw_back; wanted"),
    ("bad_deck", replaced("deck.toml", 'code = "7H"', 'code = ""'), "wanted a word without blanks"),
    ("other_deck", replaced("deck.toml", 'game = "duel"', 'game = "trio"'), "deck.toml is for 'trio'; wanted"),
    (
        "two_copies",
        replaced("deck.toml", 'code = "7H"', 'count = 2, code = "7H"'),
        "GameRules(deck) fails with its own deck",
    ),
    ("other_rules", replaced("rules.py", 'game = "duel"', 'game = "trio"'), "GameRules(deck) is for 'trio'; wanted"),
    ("no_title", replaced("en.toml", "title =", "name ="), "en.toml has no title; wanted"),
    ("no_verbs", replaced("pl.toml", "[verbs]", "[words]"), "pl.toml has no [verbs]; wanted"),
)


@pytest.mark.parametrize(("package", "change", "words"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_a_broken_package_says_what_is_wrong_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, change: Change, words: str
) -> None:
    installed(tmp_path, package, change)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert games() == OWN
    assert set(own_decks()) >= set(OWN)
    with pytest.raises(OpeningError) as caught:
        load_rules("duel")
    assert words in str(caught.value)
    assert f"game 'duel' from krupier-duel 2.0 (package {package})" in str(caught.value)
    assert "wanted" in str(caught.value)
    assert list(game_faults()) == ["duel"]
    done = CliRunner().invoke(app, ["rules", "duel"])
    assert done.exit_code == 2
    assert words in done.output
    assert CliRunner().invoke(app, ["rules", "trio"]).exit_code == 0


@pytest.mark.parametrize(
    ("game", "value", "words"),
    [
        ("trio", "", "there is a game 'trio' already; wanted another name"),
        ("Duel!", "", "the name is 'Duel!'; wanted 2 to 30 small letters"),
        ("free", "", "the name is 'free'; wanted 2 to 30 small letters"),
        ("duel", "krupier_nowhere", "krupier_nowhere cannot be imported: ModuleNotFoundError"),
        ("duel", "named:GameRules", "wanted a package without a colon"),
        ("duel", "colorsys", "found a single module; wanted a package"),
    ],
)
def test_an_entry_point_that_means_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, value: str, words: str
) -> None:
    installed(tmp_path, "named", lambda at: None, game, value)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert games() == OWN
    assert load_rules("trio").game == "trio"
    assert words in game_faults()[game]
    assert "krupier-duel 2.0" in game_faults()[game]


def test_the_deck_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "deckless", without("deck.toml"))
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DeckError, match=r"krupier-duel 2\.0 \(package deckless\): found no deck\.toml; wanted"):
        own_deck("duel")
    with pytest.raises(ValueError, match=r"found no deck\.toml"):
        plan_of("duel")


def test_a_plan_that_is_none_only_refuses_its_own_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "planless", replaced("plan.toml", "seat_mm", "seats_mm"))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert games() == (*OWN, "duel")
    with pytest.raises(ValueError, match=r"\(package planless\): plan\.toml: no plan: KeyError: 'seat_mm'; wanted"):
        plan_of("duel")


def test_the_doctor_names_the_fault_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "tableless", without("table.py"))
    monkeypatch.syspath_prepend(str(tmp_path))
    well, odd = check_games(games(), game_faults())
    assert (well.state, well.says) == (CheckState.WELL, ", ".join(OWN))
    assert odd.state is CheckState.ODD
    assert "(package tableless): found no table.py; wanted" in odd.says
    assert odd.mend
