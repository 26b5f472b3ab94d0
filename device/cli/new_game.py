"""`krupier new-game`: the package of a new game, to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from device.cli.inputs import refusing


def new_game(
    name: Annotated[str, typer.Argument(help="The name of the game: small letters, digits and _.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder to write, krupier-NAME if none is given.")
    ] = None,
) -> None:
    """Write a small game that works, as a package with its deck, its art, both languages and a test."""
    from device.new_game import write_game

    with refusing():
        folder = output or Path(f"krupier-{name}")
        written = write_game(name, folder)
    for path in written:
        print(folder / path)
    print(f"next: pip install -e {folder}, then krupier rules {name}")
