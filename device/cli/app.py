"""The `krupier` command."""

import os
import sys

import typer

from device.cli.bench import bench
from device.cli.bench_calibration import calibration
from device.cli.bench_dashboard import dashboard
from device.cli.bench_replay import replay as bench_replay
from device.cli.bench_rulings import rulings
from device.cli.bench_simulator import simulator
from device.cli.bench_vision import vision
from device.cli.calibrate import calibrate
from device.cli.decks import decks
from device.cli.doctor import doctor
from device.cli.evaluate import evaluate
from device.cli.history import history
from device.cli.judge import judge
from device.cli.new_game import new_game
from device.cli.play import play
from device.cli.prints import prints
from device.cli.read import read
from device.cli.record import record
from device.cli.rehearse import rehearse
from device.cli.replay import replay
from device.cli.rulebook import rules
from device.cli.run import run
from device.cli.serve import serve
from device.cli.session import session
from device.cli.settings import settings
from device.cli.simulate import simulate
from device.cli.teach import teach
from device.cli.train import train

app = typer.Typer(
    help="A referee for card games played with real cards on a real table.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve)
app.command()(run)
app.command()(judge)
app.command()(play)
app.command()(rules)
app.command()(simulate)
app.command()(read)
app.command()(teach)
app.command()(evaluate)
app.command()(rehearse)
app.command()(record)
app.command()(replay)
app.command()(history)
app.command()(doctor)
app.command("new-game")(new_game)
bench.command()(simulator)
bench.command()(calibration)
bench.command()(vision)
bench.command("replay")(bench_replay)
bench.command()(rulings)
bench.command()(dashboard)
app.add_typer(session, name="session")
app.add_typer(settings, name="settings")
app.add_typer(bench, name="bench")
app.add_typer(prints, name="print")
app.add_typer(calibrate, name="calibrate")
app.add_typer(decks, name="deck")
app.add_typer(train, name="train")


def main() -> None:
    """Run the command line; a closed pipe (`krupier play … | head`) is not an error."""
    try:
        app()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
