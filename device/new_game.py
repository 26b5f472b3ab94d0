"""A new game: a small package that works, to be changed into another game."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from device.files import OutputError, new_folder
from models.packages import name_fault
from referee.rules import OpeningError, games

_TEMPLATE = ".template"


def write_game(game: str, folder: Path) -> tuple[Path, ...]:
    """Write the package of a new game into a folder that is not there yet; the files, as paths in the folder."""
    fault = name_fault(game, games())
    if fault:
        raise OpeningError(fault)
    if folder.exists():
        raise OutputError(f"{folder}: is there already; wanted a new folder")
    package = f"krupier_{game}"
    words = {
        "@game@": game,
        "@title@": game.replace("_", " ").capitalize(),
        "@package@": package,
        "@project@": package.replace("_", "-"),
    }
    renamed = {"package": package, f"test_game.py{_TEMPLATE}": f"test_{game}.py"}
    written = []
    with new_folder(folder) as part:
        for way, template in _templates(files("device") / "skeleton"):
            path = Path(*(renamed.get(word, word.removesuffix(_TEMPLATE)) for word in way))
            text = template.read_text("utf-8")
            for word, meaning in words.items():
                text = text.replace(word, meaning)
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            (part / path).write_text(text, "utf-8")
            written.append(path)
    return tuple(written)


def _templates(folder: Traversable, way: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Traversable]]:
    """Every template with its path in the skeleton, in order."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, (*way, entry.name))
        elif entry.name.endswith(_TEMPLATE):
            yield (*way, entry.name), entry
