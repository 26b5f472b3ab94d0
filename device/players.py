"""Players and options as typed on the command line or in the name of a simulated camera."""

from referee.record import player_names
from referee.rules import OpeningError

NAMES = ("Ala", "Bartek", "Celina", "Darek", "Ewa", "Franek", "Gosia", "Hubert", "Iga", "Jan", "Kasia", "Leszek")
"""Default names of players."""


def chosen_names(players: str) -> tuple[str, ...]:
    """The given names, or the first default names if a number is given."""
    if not players.isdecimal():
        return player_names(players)
    count = int(players) if len(players) < 4 else 9999
    if count > len(NAMES):
        raise OpeningError(f"{players} players; no game here takes more than {len(NAMES)}")
    return NAMES[:count]


def chosen_options(given: list[str]) -> tuple[tuple[str, str], ...]:
    """Parse options of the form NAME=VALUE."""
    options = []
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise OpeningError(f"option {text!r}, wanted NAME=VALUE")
        options.append((name, value))
    return tuple(options)
