"""Variants: the games, numbers of players and options that are measured."""

from models.packages import part_of
from referee.rules import Opening, games

NAMES = ("Ala", "Bartek", "Celina", "Darek", "Ewa", "Franek")


def variants(game: str | None = None) -> tuple[Opening, ...]:
    """What the bots of every game, or of one, name as worth measuring: those of the tables in referee/README.md."""
    return tuple(
        Opening(one, NAMES[:players], tuple(options.items()))
        for one in (games() if game is None else (game,))
        for players, options in part_of(one, "bots").VARIANTS
    )


def variant_name(opening: Opening) -> str:
    """A variant in a few words, as `trio 4 format=team`."""
    return " ".join((opening.game, str(len(opening.names)), *(f"{name}={value}" for name, value in opening.options)))
