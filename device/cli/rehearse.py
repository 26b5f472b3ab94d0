"""`krupier rehearse`: how well the referee follows simulated games."""

import json
import time
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console

from device.cli.inputs import GameName, refuse, refusing
from device.players import chosen_names, chosen_options


def rehearse(
    game: GameName,
    players: Annotated[str, typer.Option("--players", help="Number of players, or their names.")] = "3",
    option: Annotated[list[str] | None, typer.Option("--option", help="A variant, such as goal=spicy.")] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="Number of games.")] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the first game; the others count up.")] = 1,
    cheat: Annotated[float, typer.Option("--cheat", min=0, max=1, help="How often a bot breaks a rule.")] = 0.0,
    faults: Annotated[
        float, typer.Option("--faults", min=0, max=20, help="1: a camera that misses 2 %, misreads 1 %, invents 0.5 %.")
    ] = 0.0,
    steady: Annotated[bool, typer.Option("--steady", help="All looks at a table err in the same way.")] = False,
    looks: Annotated[int, typer.Option("--looks", min=1, max=20, help="Looks at a table before play goes on.")] = 3,
    haste: Annotated[
        float, typer.Option("--haste", min=0, max=1, help="Share of tables that the camera never sees at rest.")
    ] = 0.0,
    mess: Annotated[
        float, typer.Option("--mess", min=0, max=1, help="Share of tables at which cards are shifted a little.")
    ] = 0.0,
    declared: Annotated[bool, typer.Option("--declared", help="Players declare what no camera can see.")] = False,
    eager: Annotated[
        float, typer.Option("--eager", min=0, max=1, help="Share of declarations that come a table too early.")
    ] = 0.0,
    regrets: Annotated[
        float, typer.Option("--regrets", min=0, max=1, help="How often a play is taken back and made again.")
    ] = 0.0,
    glimpses: Annotated[
        float, typer.Option("--glimpses", min=0, max=1, help="How often a play is glimpsed after each of its cards.")
    ] = 0.0,
    camera: Annotated[bool, typer.Option("--camera", help="Render pictures and read them with the eye; slow.")] = False,
    difficulty: Annotated[float, typer.Option("--difficulty", min=0, max=1, help="With --camera.")] = 0.5,
    taps: Annotated[
        int, typer.Option("--taps", min=0, help="Repeat a game that went wrong; a human answers up to N questions.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Only the figures, as one JSON object.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Print every missing or extra ruling.")] = False,
) -> None:
    """Let bots play and the referee watch: games whose score is right, rulings, questions, false accusations."""
    from device.lab.rehearsal.rehearsal import Rehearsal
    from device.lab.rehearsal.rehearsal import rehearse as rehearsed
    from device.lab.rehearsal.result import Result, figures_of
    from device.lab.simulator.film import Studio
    from referee.rules import Opening, load_rules, opened

    console = Console(highlight=False, quiet=as_json)
    for option_name, given in (("--regrets", regrets), ("--haste", haste), ("--mess", mess), ("--glimpses", glimpses)):
        if given and camera:
            refuse(f"{option_name} with --camera: a film goes on by itself; wanted one of them")
    with refusing():
        opening = Opening(game, chosen_names(players), chosen_options(option or []))
        opened(load_rules(game), opening)
        first = Rehearsal(
            opening,
            seed,
            cheat,
            faults,
            regrets,
            declared=declared or eager > 0,
            eager=eager,
            steady=steady,
            looks=looks,
            haste=haste,
            mess=mess,
            glimpses=glimpses,
        )
        results: list[Result] = []
        helped: list[Result] = []
        began_s = time.monotonic()
        for number in range(seed, seed + count):
            studio = Studio((1280, 720), 10.0, difficulty, number) if camera else None
            result = rehearsed(replace(first, seed=number), studio)
            results.append(result)
            if taps and not result.right:
                helped.append(rehearsed(replace(first, seed=number), studio, taps))
            if show or not result.right:
                console.print(
                    f"seed {number}: {'right' if result.right else 'WRONG'}, asked {result.asked} times; missing "
                    f"{dict(result.missing)}; too much {dict(result.extra)}",
                    soft_wrap=True,
                )
        figures = figures_of(results)
        if as_json:
            typer.echo(json.dumps(figures.json()))
        console.print(f"{game} with {len(opening.names)}: {figures}", soft_wrap=True)
        if taps:
            console.print(
                f"with at most {taps} taps: {sum(one.right for one in results + helped)} of {count} games end right; "
                f"{sum(one.taps for one in helped)} taps in {len(helped)} games; "
                f"{sum(one.accused for one in helped)} false ILLEGAL in these",
                soft_wrap=True,
            )
        console.print(f"{time.monotonic() - began_s:.0f} s")
