"""`krupier history`: finished games."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from device.cli.inputs import refusing
from device.cli.settings import chosen
from device.exports import games_csv, games_json
from device.files import write_whole
from device.plain import plain
from device.store import Finished, GameHistory, set_aside


def history(
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV for spreadsheets, one line per player.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON for programs, every field exactly.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the last N games.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="History file, instead of the one in the settings.")
    ] = None,
    begin_anew: Annotated[
        bool, typer.Option("--begin-anew", help="Keep the history's file under another name and begin a new one.")
    ] = False,
) -> None:
    """Show who played what and who won, latest game first."""
    if as_csv and as_json:
        raise typer.BadParameter("wanted --csv or --json, not both")
    if output is not None and not (as_csv or as_json):
        raise typer.BadParameter("-o wants --csv or --json")
    with refusing():
        path = file or chosen().history_file
        if begin_anew:
            aside = set_aside(path)
            typer.echo(f"{path}: nothing was there" if aside is None else f"{path}: kept as {aside.name}")
            return
        games = GameHistory(path).games(limit)
        if not (as_csv or as_json):
            _print(games, path)
            return
        page = games_csv(games) if as_csv else games_json(games) + "\n"
        if output is not None:
            write_whole(output, page.encode("utf-8"))
            typer.echo(f"{output}: {len(games)} games")
        elif as_csv and sys.stdout.isatty():
            typer.echo("\n".join(plain(line) for line in page.splitlines()))
        else:
            sys.stdout.write(page)


def _print(games: tuple[Finished, ...], path: Path) -> None:
    if not games:
        typer.echo(f"no game has been finished yet ({plain(str(path))})")
        return
    table = Table("when", "game", "length", "players", "recording", box=None, pad_edge=False)
    for game in games:
        table.add_row(
            f"{game.began.astimezone():%Y-%m-%d %H:%M}",
            Text(plain(game.game)),
            f"{game.length_s / 60:.0f} min",
            _players(game),
            Text(plain(Path(game.recording).name if game.recording else "")),
        )
    Console(highlight=False).print(table)


def _players(game: Finished) -> Text:
    """Winners first and bold, with a star for terminals without bold."""
    words = Text()
    for one in sorted(game.players, key=lambda one: one.place):
        words.append(", " if words else "")
        words.append(f"{'★ ' if one.won else ''}{plain(one.name)} {one.points}", "bold" if one.won else "")
    return words
