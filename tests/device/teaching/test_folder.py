"""Folders of taught decks: names, lists, what is broken, packing and unpacking."""

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from device.files import OutputError
from device.teaching.choice import deck_to_play, deck_to_read, faces_to_play
from device.teaching.folder import (
    BEFORE,
    INDEX,
    VIEWS,
    TeachingError,
    delete_deck,
    export_deck,
    find_deck,
    has_deck,
    import_deck,
    load_index,
    load_taught,
    make_deck,
    next_name,
    save,
    taught_decks,
    undo,
    write_view,
)
from models.cards import DeckError, load_deck
from models.taught import View, taught_text
from referee.rules import load_rules

CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def filled(data: Path, name: str = "mine", game: str = "trio", codes: tuple[str, ...] = ("7", "")) -> Path:
    """A deck with a view of each of these cards."""
    home = make_deck(data, name, game)
    taught = load_index(home)
    for code in codes:
        view = View(next_name(home, taught), code, "a.jpg", CORNERS, (63.0, 88.0), True, 0.5, "hand")
        write_view(home, view, np.full((352, 252, 3), 20 * len(taught.views), np.uint8))
        taught = taught.with_view(view)
        save(home, taught)
    return home


def test_a_round_trip(tmp_path: Path) -> None:
    home = filled(tmp_path)
    assert [view.name for view in load_index(home).views] == ["0001", "0002"]
    deck, faces = load_taught(tmp_path, "mine")
    assert [(card.code, card.count) for card in deck.cards] == [("7", 3)]
    assert (faces.deck, faces.card_mm, len(faces.pictures), faces.game, faces.home) == ("mine", (63, 88), 1, "", home)
    assert export_deck(tmp_path, "mine", tmp_path / "mine.zip") == 2
    with pytest.raises(TeachingError, match="mine: is there already"):
        import_deck(tmp_path, tmp_path / "mine.zip")
    entry = import_deck(tmp_path, tmp_path / "mine.zip", "other")
    assert (entry.name, entry.views, entry.codes, entry.cards, entry.waiting) == ("other", 2, 1, 3, 1)
    assert load_deck(tmp_path / "decks" / "other" / "deck.toml").name == "other"
    assert [view.code for view in load_index(tmp_path / "decks" / "other").views] == ["7", ""]
    delete_deck(tmp_path, "mine")
    assert [entry.name for entry in taught_decks(tmp_path)] == ["other"]


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "..", ".hidden", "a b", "x" * 41, "/etc", "a\n", "ż"])
def test_names_that_are_paths_or_worse(tmp_path: Path, name: str) -> None:
    with pytest.raises(TeachingError, match="deck name"):
        make_deck(tmp_path, name, "trio")
    with pytest.raises(TeachingError, match="deck name"):
        find_deck(tmp_path, name)
    assert not has_deck(tmp_path, name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["trio", "Free", "all"])
def test_names_that_are_taken(tmp_path: Path, name: str) -> None:
    with pytest.raises(TeachingError, match="taken by Krupier itself"):
        make_deck(tmp_path, name, "trio")


def test_folders_that_are_no_taught_decks(tmp_path: Path) -> None:
    home = filled(tmp_path, "good")
    (tmp_path / "decks" / "other").mkdir()
    with pytest.raises(TeachingError, match=r"is no taught deck, it has no views\.jsonl"):
        find_deck(tmp_path, "other")
    with pytest.raises(TeachingError, match="no taught deck 'nobody'; there are: good, other"):
        find_deck(tmp_path, "nobody")
    (home / INDEX).write_bytes(b"\xff\xfe")
    assert [bool(entry.fault) for entry in taught_decks(tmp_path)] == [True, True]
    with pytest.raises(TeachingError, match="not UTF-8 text"):
        load_taught(tmp_path, "good")
    assert taught_decks(tmp_path / "nowhere") == ()


def test_a_deck_without_a_name_on_it_cannot_be_read(tmp_path: Path) -> None:
    filled(tmp_path, codes=("",))
    with pytest.raises(TeachingError, match="no face has a name"):
        load_taught(tmp_path, "mine")


def test_undo_goes_there_and_back(tmp_path: Path) -> None:
    home = filled(tmp_path, codes=("7", "8"))
    now = load_index(home)
    save(home, now.without(frozenset(("0001",))))
    assert (home / VIEWS / "0001.png").is_file(), "it may be wanted back"
    assert undo(home) == now
    assert undo(home).codes == ("8",)
    undo(home)
    (home / BEFORE).unlink()
    with pytest.raises(TeachingError, match="nothing was changed yet"):
        undo(home)


def packed(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/"), data)
    return path


def exported(tmp_path: Path) -> tuple[bytes, bytes]:
    home = filled(tmp_path / "from", codes=("7",))
    return taught_text(load_index(home)).encode(), (home / VIEWS / "0001.png").read_bytes()


def slip(path: Path, index: bytes, view: bytes) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(INDEX, index)
        file.writestr("views/0001.png", view)
        file.writestr("../../evil.png", view)


def absolute(path: Path, index: bytes, view: bytes) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(INDEX, index)
        file.writestr("/tmp/evil.png", view)


def lacking(path: Path, index: bytes, view: bytes) -> None:
    packed(path, **{INDEX: index})


def no_list(path: Path, index: bytes, view: bytes) -> None:
    packed(path, **{"views/0001.png": view})


def no_picture(path: Path, index: bytes, view: bytes) -> None:
    packed(path, **{INDEX: index, "views/0001.png": b"no picture"})


def cut_off(path: Path, index: bytes, view: bytes) -> None:
    packed(path, **{INDEX: index, "views/0001.png": view})
    path.write_bytes(path.read_bytes()[:-60])


def damaged(path: Path, index: bytes, view: bytes) -> None:
    packed(path, **{INDEX: index, "views/0001.png": view})
    data = bytearray(path.read_bytes())
    at = data.find(view) + len(view) // 2
    data[at : at + 4] = b"\0\1\2\3"
    path.write_bytes(bytes(data))


def foreign(path: Path, index: bytes, view: bytes) -> None:
    path.write_bytes(b"PK? no")


def wrong_game(path: Path, index: bytes, view: bytes) -> None:
    packed(path, **{INDEX: index.replace(b'"trio"', b'"poker"'), "views/0001.png": view})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (slip, r"holds '\.\./\.\./evil\.png'"),
        (absolute, "holds '/?tmp/evil.png'"),
        (lacking, "lacks views/0001.png"),
        (no_list, "has no views.jsonl"),
        (no_picture, "is no picture"),
        (cut_off, "is no .zip file or a broken one"),
        (damaged, "cannot be unpacked"),
        (foreign, "is no .zip file"),
        (wrong_game, "game 'poker'"),
    ],
)
def test_packages_that_are_refused(tmp_path: Path, make: Callable[[Path, bytes, bytes], None], message: str) -> None:
    make(tmp_path / "x.zip", *exported(tmp_path))
    with pytest.raises((ValueError, OSError), match=message):
        import_deck(tmp_path / "to", tmp_path / "x.zip", "new")
    left = list((tmp_path / "to").rglob("*")) if (tmp_path / "to").exists() else []
    assert [path for path in left if path.is_file()] == []
    assert not (tmp_path.parent / "evil.png").exists()


def test_a_package_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, view = exported(tmp_path)
    packed(tmp_path / "x.zip", **{INDEX: index, "views/0001.png": view})
    monkeypatch.setattr("device.teaching.folder.MAX_FILE_BYTES", 100)
    with pytest.raises(TeachingError, match="MB when unpacked"):
        import_deck(tmp_path / "to", tmp_path / "x.zip")
    with pytest.raises(TeachingError, match="cannot be read"):
        import_deck(tmp_path, tmp_path / "nowhere.zip")


def test_places_that_cannot_be_packed_to(tmp_path: Path) -> None:
    filled(tmp_path)
    for path in (tmp_path / "mine.tar", tmp_path / "no" / "mine.zip"):
        with pytest.raises(OutputError, match="cannot be written"):
            export_deck(tmp_path, "mine", path)


def test_which_deck_is_meant(tmp_path: Path) -> None:
    home = filled(tmp_path, codes=tuple(str(number) for number in range(1, 13)))
    assert deck_to_read(tmp_path, None) == (None, None)
    assert deck_to_read(tmp_path, "trio") == ("trio", None)
    game, faces = deck_to_read(tmp_path, "mine")
    assert game is None
    assert faces is not None
    assert len(faces.pictures) == 12
    with pytest.raises(DeckError, match=r"no deck for .poker.; there are dawaj2, .*; taught: mine"):
        deck_to_read(tmp_path, "poker")
    assert deck_to_play(tmp_path, None) is None
    path = deck_to_play(tmp_path, "mine")
    assert path == home / "deck.toml"
    assert load_rules("trio", load_deck(path)).game == "trio"
    assert deck_to_play(tmp_path, "my.toml") == Path("my.toml")
    with pytest.raises(DeckError, match="no taught deck 'poker'; there are: mine"):
        deck_to_play(tmp_path, "poker")
    assert faces_to_play(tmp_path, "mine", "dnp") is None
    assert faces_to_play(tmp_path, None, "trio") is None
    found = faces_to_play(tmp_path, "mine", "trio")
    assert found is not None
    assert replace(found, pictures=()).deck == "mine"
