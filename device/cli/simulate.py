"""`krupier simulate`: a game as camera video, with the truth of every frame."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from device.cli.inputs import DeckFile, GameName, chosen_deck, read_text, refusing
from device.files import new_folder
from device.lab.simulator.motion import STILL_S
from device.players import chosen_names, chosen_options
from models.cards import own_deck
from referee.record import Record, read_opening, read_record
from referee.rules import Opening, OpeningError, load_rules, opened
from referee.selfplay import self_play

MIN_SIDE_PX, MAX_SIDE_PX = 160, 4096
"""Limits of the width and height of a film."""


def simulate(
    game: GameName,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="A new folder for video, truth, record, rig and deck.")
    ],
    players: Annotated[str, typer.Option("--players", help="Number of players, or their names.")] = "3",
    option: Annotated[list[str] | None, typer.Option("--option", help="A variant, such as goal=spicy.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same film.")] = 1,
    size: Annotated[str, typer.Option("--size", help="Size of the picture, such as 1920x1080.")] = "1280x720",
    fps: Annotated[float, typer.Option("--fps", min=1, max=60, help="Frames a second.")] = 10.0,
    rest: Annotated[
        float, typer.Option("--rest", min=0.1, max=60, help="Seconds that the table rests after every move.")
    ] = STILL_S,
    difficulty: Annotated[float, typer.Option("--difficulty", min=0, max=1, help="0 a studio, 1 a dim café.")] = 0.3,
    cheat: Annotated[float, typer.Option("--cheat", min=0, max=1, help="How often a bot breaks a rule.")] = 0.0,
    record: Annotated[str | None, typer.Option("--record", help="Film this game record instead of a bot game.")] = None,
    deck: DeckFile = None,
    style: Annotated[
        int | None, typer.Option("--style", min=0, help="Draw the cards in a random style with this seed, not as ours.")
    ] = None,
) -> None:
    """Film a game on a simulated table."""
    from calibration.rig import rig_text
    from device.lab.simulator.archive import write_film
    from device.lab.simulator.film import Film, Studio
    from device.lab.simulator.rig import film_rig
    from device.recording.folder import DECK, RIG
    from device.session.folder import own_deck_text

    with refusing():
        studio = Studio(picture_size(size), fps, difficulty, seed, rest, style)
        own = chosen_deck(deck)
        rules = load_rules(game, own)
        if record is None:
            opening = Opening(game, chosen_names(players), chosen_options(option or []), own.name if own else None)
            opened(rules, opening)
            text, name = str(self_play(rules, opening, seed, cheat, note=f"bots, seed {seed}")), "record"
        else:
            text, name = read_text(record, record), record
            if read_opening(text, name).game != game:
                raise OpeningError(f"{name} is a game of {read_opening(text, name).game}, wanted {game}")
        story: Record = read_record(text, rules, name)
        film = Film(story, own or own_deck(game), studio)
        with new_folder(output) as folder, _progress() as bar:
            task = bar.add_task(f"filming {game}", total=len(story.lines))
            head = len(story.head)
            (folder / RIG).write_text(rig_text(film_rig(film)), "utf-8")
            (folder / DECK).write_text(deck.read_text("utf-8") if deck else own_deck_text(game), "utf-8")
            frames = write_film(film, story, studio, folder, lambda shot: bar.update(task, completed=shot.line - head))
    typer.echo(f"{output}: {frames} frames, {frames / fps:.0f} s")


def picture_size(text: str) -> tuple[int, int]:
    """Parse width and height of a picture; both must be even, as video requires."""
    width, cross, height = text.partition("x")
    if cross and width.isdecimal() and height.isdecimal() and len(text) < 12:
        size = int(width), int(height)
        if all(MIN_SIDE_PX <= side <= MAX_SIDE_PX and side % 2 == 0 for side in size):
            return size
    raise OpeningError(f"size {text!r}, wanted WIDTHxHEIGHT, each even and from {MIN_SIDE_PX} to {MAX_SIDE_PX}")


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))
