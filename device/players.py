"""Players and options as people type them on the command line or in the name of a simulated table."""

from referee.record import player_names
from referee.rules import OpeningError

NAMES = ("Ala", "Bartek", "Celina", "Darek", "Ewa", "Franek", "Gosia", "Hubert", "Iga", "Jan", "Kasia", "Leszek")
"""Players without a name of their own are called so."""


def chosen_names(players: str) -> tuple[str, ...]:
    """The names given, or the first of ours if a number is given."""
    if not players.isdecimal():
        return player_names(players)
    count = int(players) if len(players) < 4 else 9999
    if count > len(NAMES):
        raise OpeningError(f"{players} players; no game here takes more than {len(NAMES)}")
    return NAMES[:count]


def chosen_options(given: list[str]) -> tuple[tuple[str, str], ...]:
    """Options as NAME=VALUE pairs."""
    options = []
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise OpeningError(f"option {text!r}, wanted NAME=VALUE")
        options.append((name, value))
    return tuple(options)
