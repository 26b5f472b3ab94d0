"""`krupier play`: bots play a complete game with real hidden hands and print its record."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from device.cli.inputs import DeckFile, GameName, chosen_deck, refuse, refusing
from device.players import chosen_names, chosen_options
from referee.rules import Opening, load_rules, opened
from referee.selfplay import Crime, self_play


def play(
    game: GameName,
    players: Annotated[
        str, typer.Option("--players", help="Number of players, or their names: Ala,Bartek,Celina.")
    ] = "3",
    option: Annotated[list[str] | None, typer.Option("--option", help="A variant, such as goal=spicy.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same game.")] = 1,
    cheat: Annotated[float, typer.Option("--cheat", min=0, max=1, help="How often a bot breaks a rule.")] = 0.0,
    truth: Annotated[
        Path | None, typer.Option("--truth", help="Write the lines that break rules to this file.")
    ] = None,
    deck: DeckFile = None,
) -> None:
    """Let bots play a whole game and print its record."""
    with refusing():
        own = chosen_deck(deck)
        rules = load_rules(game, own)
        opening = Opening(game, chosen_names(players), chosen_options(option or []), own.name if own else None)
        opened(rules, opening)
        written = self_play(rules, opening, seed, cheat, note=f"bots, seed {seed}")
    if truth is not None:
        _write_truth(truth, written.crimes)
    sys.stdout.write(str(written))


def _write_truth(path: Path, crimes: tuple[Crime, ...]) -> None:
    rows = ({"line": crime.line, "rule": crime.rule, "shows": crime.shows} for crime in crimes)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        refuse(f"{path}: cannot be written: {error.strerror}")
