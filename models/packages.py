"""Game packages: where the parts of each game are, in Krupier's own folders or in an installed package.

Our own games are folders: referee/games/NAME holds the rules, models/decks/NAME the deck. An outside game is one
installed package with the parts of both folders; it declares an entry point of the group `krupier.games`, whose name
is the game and whose value is the package: `war = "krupier_war"`.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType

GROUP = "krupier.games"
"""The group of entry points that outside games declare."""
RULES_PARTS = ("rules.py", "table.py", "bots.py", "en.toml", "pl.toml")
DECK_PARTS = ("deck.toml", "art.py", "plan.toml")
OPTIONAL_PARTS = ("codes.py", "pieces.py", "prints.py", "styled.py", "teach.en.md", "teach.pl.md")
RESERVED = ("free", "all", "styles")
"""Words that commands use where a game may stand; no game may have them for a name."""
_NAME = re.compile(r"[a-z][a-z0-9_]{1,29}")


class PackageError(ValueError):
    """A game package that cannot be used; the message names the package, what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class GamePackage:
    """One game: its name, the Python packages that hold its parts, and who brings it."""

    game: str
    rules: str
    deck: str
    owner: str = ""
    """The distribution that an outside game was installed from; empty for our own."""

    @property
    def label(self) -> str:
        """What messages call the package."""
        return f"game {self.game!r} from {self.owner} (package {self.rules})" if self.owner else f"game {self.game!r}"

    def home_of(self, part: str) -> str:
        """The Python package that holds a part."""
        return self.deck if part.removesuffix(".py") in _DECK_NAMES else self.rules


_DECK_NAMES = frozenset(part.removesuffix(".py") for part in (*DECK_PARTS, *OPTIONAL_PARTS))


def packages() -> Mapping[str, GamePackage]:
    """Every game whose parts are all there, by name: our own, then outside ones."""
    return _found(tuple(sys.path))[0]


def package_faults() -> Mapping[str, str]:
    """What is wrong with the outside games that cannot be used, by name."""
    return _found(tuple(sys.path))[1]


def package_of(game: str) -> GamePackage:
    """The package of a game; PackageError if there is none or it cannot be used."""
    if game in package_faults() and game not in packages():
        raise PackageError(package_faults()[game])
    if game not in packages():
        raise PackageError(f"no game {game!r}; there are {', '.join(packages())}")
    return packages()[game]


def name_fault(game: str, taken: Iterable[str]) -> str:
    """Why a new game cannot have this name; empty if it can."""
    if not _NAME.fullmatch(game) or game in RESERVED:
        return f"the name is {game!r}; wanted 2 to 30 small letters, digits and _, and none of {', '.join(RESERVED)}"
    return f"there is a game {game!r} already; wanted another name" if game in taken else ""


def part_of(game: str, name: str) -> ModuleType:
    """A module of a game: rules, table, bots, art."""
    return _imported(package_of(game), name)


def has_part(game: str, part: str) -> bool:
    """Whether a game has an optional part, such as codes.py."""
    package = package_of(game)
    return (files(package.home_of(part)) / part).is_file()


def text_of(game: str, part: str) -> str:
    """The text of a file of a game: deck.toml, plan.toml, en.toml, pl.toml."""
    return file_of(game, part).read_text("utf-8")


def file_of(game: str, part: str) -> Traversable:
    """A file of a game."""
    return files(package_of(game).home_of(part)) / part


def contract_names(protocol: type) -> tuple[str, ...]:
    """The names that a Protocol asks for: its attributes and methods."""
    methods = (name for name, member in vars(protocol).items() if callable(member) and not name.startswith("_"))
    return (*protocol.__annotations__, *methods)


def lacking(module: object, wanted: Iterable[str]) -> str:
    """The names that a module or an object should have and has not, as words for a message."""
    return ", ".join(sorted(name for name in wanted if not hasattr(module, name)))


@lru_cache(maxsize=4)
def _found(path: tuple[str, ...]) -> tuple[Mapping[str, GamePackage], Mapping[str, str]]:
    """All games and the faults of those that cannot be used. What is installed depends on nothing but sys.path."""
    own, outside = _own(), dict[str, GamePackage]()
    faults: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        owner = f"{point.dist.name} {point.dist.version}" if point.dist else "an unnamed distribution"
        package = GamePackage(point.name, point.value, point.value, owner)
        if outside.get(point.name) == package:
            # The same installation is found twice when two entries of sys.path lead to it.
            continue
        try:
            _check(package, point, (*own, *outside))
        except PackageError as error:
            faults[point.name] = str(error)
        else:
            outside[point.name] = package
    return {**own, **outside}, faults


def _own() -> dict[str, GamePackage]:
    rules = {entry.name for entry in files("referee.games").iterdir() if (entry / "rules.py").is_file()}
    decks = {entry.name for entry in files("models.decks").iterdir() if (entry / "deck.toml").is_file()}
    return {game: GamePackage(game, f"referee.games.{game}", f"models.decks.{game}") for game in sorted(rules & decks)}


def _check(package: GamePackage, point: EntryPoint, taken: tuple[str, ...]) -> None:
    """PackageError unless an outside package has a free name and all its parts, and its modules can be imported."""
    fault = name_fault(package.game, taken)
    if fault:
        raise PackageError(f"{package.label}: {fault}")
    if point.attr:
        raise PackageError(f"{package.label}: the entry point is {point.value!r}; wanted a package without a colon")
    _imported(package, "")
    if not hasattr(import_module(package.rules), "__path__"):
        raise PackageError(f"{package.label}: found a single module; wanted a package, a folder with __init__.py")
    wanted = (*RULES_PARTS, *DECK_PARTS)
    missing = [part for part in wanted if not (files(package.rules) / part).is_file()]
    if missing:
        raise PackageError(f"{package.label}: found no {', '.join(missing)}; wanted {', '.join(wanted)}")
    optional = [part for part in OPTIONAL_PARTS if (files(package.rules) / part).is_file()]
    for part in (*wanted, *optional):
        if part.endswith(".py"):
            _imported(package, part.removesuffix(".py"))


def _imported(package: GamePackage, name: str) -> ModuleType:
    module = f"{package.home_of(name)}.{name}".rstrip(".")
    if not package.owner:
        return import_module(module)
    try:
        return import_module(module)
    except Exception as error:
        # Importing runs code of somebody else, and that may raise anything; the other games must go on.
        raise PackageError(
            f"{package.label}: {module} cannot be imported: {type(error).__name__}: {error}; wanted a package that "
            "Python can import"
        ) from error
