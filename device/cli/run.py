"""`krupier run`: referee a live game."""

from pathlib import Path
from typing import Annotated

import typer

from device.cli.inputs import GameChoice, Language, chosen_deck, own_language, refusing
from device.cli.settings import chosen
from device.plain import plain
from device.players import chosen_names, chosen_options
from device.teaching.choice import deck_to_play
from referee.rules import Opening, load_rules, opened


def run(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="With --resume: the session to continue.")
    ] = None,
    game: GameChoice = None,
    players: Annotated[str, typer.Option("--players", help="Number of players, or their names: Ala,Bartek.")] = "3",
    option: Annotated[list[str] | None, typer.Option("--option", help="A variant, such as goal=spicy.")] = None,
    deck: Annotated[str | None, typer.Option("--deck", help="A deck that you taught, or a deck file.")] = None,
    camera: Annotated[str | None, typer.Option("--camera", help="pi, usb:0, a film, a folder or sim:GAME.")] = None,
    no_camera: Annotated[bool, typer.Option("--no-camera", help="Only judge what is typed.")] = False,
    rig: Annotated[Path | None, typer.Option("--rig", help="The rig's file.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue SESSION, or the newest interrupted one.")] = False,
    record: Annotated[bool | None, typer.Option("--record/--no-record", help="Film the table, or not.")] = None,
    recordings: Annotated[Path | None, typer.Option("--recordings", help="Folder of the recordings.")] = None,
    status: Annotated[float, typer.Option("--status", min=0, help="Print the status every N seconds.")] = 0.0,
    lang: Annotated[Language | None, typer.Option("--lang", help="The language of the rulings.")] = None,
) -> None:
    """Referee a game: show the cards on the table, and judge every move, seen or typed.

    Type lines of a record (P1 lay ? ?, undo, stand 12, amend 12 P1 …), `status` or `end`. Every ruling is on the disk
    before it is shown: after a power cut, `krupier run --resume` continues the game.
    """
    from device.session.console import play
    from device.session.folder import begin, newest_cut_off
    from device.session.folder import resume as found_again
    from device.session.named import find_session
    from device.session.observer import chosen_rig, open_observer

    if session is not None and not resume:
        raise typer.BadParameter(f"found {session!r}; a session is named together with --resume only")
    if resume and (game or option or deck or rig):
        raise typer.BadParameter("--resume goes on with the game, deck and rig of the session; wanted none of them")
    with refusing():
        own = chosen(
            camera=camera, recordings=recordings, rig=rig, record=record, lang=None if lang is None else lang.value
        )
        language = Language(own.lang) if own.lang else own_language()
        if not resume:
            if game is None:
                raise typer.BadParameter("wanted --game, or --resume")
            file = deck_to_play(own.data, deck)
            taught = chosen_deck(file)
            name = None if taught is None else taught.name
            opening = Opening(game, chosen_names(players), chosen_options(option or []), name)
            opened(load_rules(game, taught), opening)
            source = "" if no_camera else own.camera
            known = chosen_rig(own, source, rig is not None)
            # Open everything first, so that a failure leaves no empty session behind.
            watched = open_observer(source, own, known, game, deck=name) if source else None
            play(begin(own.recordings_folder, opening, known, file, source), watched, own, language.value, status)
            return
        root = own.recordings_folder
        path = newest_cut_off(root) if session is None else find_session(session, root).path
        if path is None:
            typer.echo(f"nothing was cut off ({plain(str(root))}); there is nothing to resume")
            return
        place = found_again(path)
        try:
            # The session's own camera, unless another one was given.
            source = "" if no_camera else own.camera if camera is not None else place.recording.manifest.camera
            opening = place.game.match.opening
            frames = (place.frame, place.at_s)
            watched = (
                open_observer(source, own, place.rig, opening.game, *frames, deck=opening.deck) if source else None
            )
        except BaseException:
            place.leave()
            raise
        play(place, watched, own, language.value, status)
