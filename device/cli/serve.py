"""`krupier serve`: the dashboard, with or without a game."""

import os
from typing import Annotated

import typer

from device.cli.inputs import GameChoice, refuse, refusing
from device.players import chosen_names, chosen_options
from device.teaching.choice import deck_to_play


def serve(
    lan: Annotated[bool | None, typer.Option("--lan", help="Let the local network in.")] = None,
    host: Annotated[str | None, typer.Option("--host", help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="0: any free port.")] = None,
    game: GameChoice = None,
    players: Annotated[str, typer.Option("--players", help="Number of players, or their names: Ala,Bartek.")] = "3",
    option: Annotated[list[str] | None, typer.Option("--option", help="A variant, such as goal=spicy.")] = None,
    deck: Annotated[str | None, typer.Option("--deck", help="A deck that you taught, or a deck file.")] = None,
    camera: Annotated[str | None, typer.Option("--camera", help="pi, usb:0, a film, a folder or sim:GAME.")] = None,
    no_camera: Annotated[bool, typer.Option("--no-camera", help="Only judge what people say.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the newest interrupted game, if any.")] = False,
    record: Annotated[bool | None, typer.Option("--record/--no-record", help="Film the table, or not.")] = None,
    code: Annotated[str | None, typer.Option("--code", help="The host's code, instead of a new one.")] = None,
    player_code: Annotated[str | None, typer.Option("--player-code", help="The players' code.")] = None,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in this machine's browser.")] = False,
    unpair: Annotated[bool, typer.Option("--unpair", help="Forget all paired devices.")] = False,
) -> None:
    """Serve the dashboard at http://127.0.0.1:8080, with --lan also to other machines.

    To act, people pair with one of the two codes that are printed. Ctrl-C ends everything in good order; a game that
    is running when the service stops continues with --resume.
    """
    from device.dashboard.refusals import Refusal
    from device.dashboard.server import run
    from device.dashboard.services.app_state import AppState
    from device.dashboard.services.game_runner import GameRequest
    from device.dashboard.services.pairing import Pairing, PairingCodes, new_codes, own_secret

    for name, given in (("--code", code), ("--player-code", player_code)):
        if given is not None and not (4 <= len(given) <= 20 and given.isascii() and given.isalnum()):
            raise typer.BadParameter(f"{name}: found {given!r}; wanted 4 to 20 letters or digits")
    with refusing():
        options = {"lan": lan, "host": host, "port": port or None, "record": record, "camera": camera}
        app_state = AppState(os.environ, options)
        drawn = new_codes(code)
        codes = PairingCodes(drawn.host, player_code or drawn.player)
        if codes.host == codes.player:
            raise typer.BadParameter("--code and --player-code are the same; wanted different ones")
        pairing = Pairing(own_secret(app_state.settings.data, unpair), codes, app_state.clock)
        game_request = None
        if game is not None:
            source = "" if no_camera else app_state.settings.camera
            file = deck_to_play(app_state.settings.data, deck)
            game_request = GameRequest(game, chosen_names(players), chosen_options(option or []), source, record, file)
    try:
        run(app_state, pairing, game_request, resume, port, browse)
    except Refusal as refusal:
        refuse(refusal.what)
