"""`krupier print`: decks, markers, board, mat, colour strip and track, at true size."""

from pathlib import Path
from typing import Annotated

import typer

from device.cli.inputs import DeckFile, GameName, chosen_deck, refusing
from device.files import write_whole
from models.art.paper import Paper
from models.cards import DeckError, own_deck, own_decks
from referee.rules import OpeningError

prints = typer.Typer(help="Print decks and what the rig needs, as PDF at true size.", no_args_is_help=True)

Output = Annotated[Path, typer.Option("-o", "--output", help="The PDF to write.")]
PaperSize = Annotated[Paper, typer.Option("--paper", help="The paper in the printer.")]


@prints.command("deck")
def print_deck(
    game: GameName,
    output: Output,
    paper: PaperSize = Paper.A4,
    deck: DeckFile = None,
) -> None:
    """A whole deck with backs, for two-sided printing (flip on the long edge, 100 %)."""
    from models.art.decks import pieces_of
    from models.art.sheets import print_sheets

    with refusing():
        chosen = chosen_deck(deck) or own_deck(game)
        if chosen.game != game:
            raise OpeningError(f"deck {chosen.name!r} is for {chosen.game!r}, wanted one for {game!r}")
        _save(output, print_sheets(list(pieces_of(chosen)), paper, f"Krupier: {chosen.name}"))


@prints.command("markers")
def print_markers(output: Output, paper: PaperSize = Paper.A4) -> None:
    """The four markers for the corners of the table."""
    from models.art import rig

    with refusing():
        _save(output, rig.print_markers(paper))


@prints.command("charuco")
def print_charuco(output: Output, paper: PaperSize = Paper.A4) -> None:
    """The board to calibrate the lens with."""
    from models.art import rig

    with refusing():
        _save(output, rig.print_board(paper))


@prints.command("mat")
def print_mat(
    output: Output,
    size: Annotated[str, typer.Option("--size", help="Width x height in mm.")] = "700x500",
) -> None:
    """A playing mat with markers, one large page for a print shop."""
    from models.art import rig

    with refusing():
        width, cross, height = size.partition("x")
        if not cross or not width.isdecimal() or not height.isdecimal() or len(size) > 11:
            raise OpeningError(f"size {size!r}, wanted WIDTHxHEIGHT in mm, as 700x500")
        _save(output, rig.print_mat(int(width), int(height)))


@prints.command("colour-strip")
def print_colour_strip(output: Output, paper: PaperSize = Paper.A4) -> None:
    """The strip to calibrate the colours with."""
    from models.art import rig

    with refusing():
        _save(output, rig.print_colour_strip(paper))


@prints.command("track")
def print_track(
    output: Output,
    paper: PaperSize = Paper.A4,
    game: Annotated[str | None, typer.Option("--game", help="Of which game; the first with a board if none.")] = None,
) -> None:
    """The board of a game, in parts to glue together."""
    from models.art.pieces import board_of
    from models.art.sheets import print_sheets

    with refusing():
        boards = {one: board for one in own_decks() if (board := board_of(one)) is not None}
        wanted = game or next(iter(boards), "")
        if wanted not in boards:
            raise DeckError(f"{wanted!r} has no board; wanted one of {', '.join(boards) or 'none'}")
        _save(output, print_sheets(boards[wanted].to_print(), paper, f"Krupier: {wanted} {boards[wanted].zone}"))


def _save(path: Path, data: bytes) -> None:
    write_whole(path, data)
    typer.echo(f"{path}: {len(data) / 1024:.0f} KiB; print at 100 %, both sides where there are backs")
