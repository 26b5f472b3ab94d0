"""Variants: the games, numbers of players and options that are measured."""

from referee.rules import Opening

NAMES = ("Ala", "Bartek", "Celina", "Darek", "Ewa", "Franek")


def _opening(game: str, players: int, **options: str) -> Opening:
    return Opening(game, NAMES[:players], tuple(options.items()))


VARIANTS = (
    *(_opening("dawaj2", players) for players in (2, 3, 5)),
    _opening("dawaj2", 4, strict="yes"),
    *(_opening("trio", players) for players in (3, 5, 6)),
    _opening("trio", 3, goal="spicy"),
    *(_opening("trio", players, format="team") for players in (4, 6)),
    *(_opening("dnp", players) for players in (2, 3, 4, 5)),
    *(_opening("kto_drugi", players) for players in (2, 3, 5, 6)),
    *(_opening("kto_drugi", players, tactical="yes") for players in (2, 4)),
    *(_opening("lucky_box", players) for players in (1, 2, 3)),
)
"""The variants of the tables in referee/README.md."""


def variant_name(opening: Opening) -> str:
    """A variant in a few words, as `trio 4 format=team`."""
    return " ".join((opening.game, str(len(opening.names)), *(f"{name}={value}" for name, value in opening.options)))
