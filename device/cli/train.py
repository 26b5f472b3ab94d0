"""`krupier train`: trains the networks."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from device.cli.inputs import refusing
from device.files import OutputError
from vision.look.network import ModelError
from vision.look.networks import WEIGHTS

train = typer.Typer(help="Train the networks (needs the train extra: scripts/install train).", no_args_is_help=True)

Work = Annotated[Path, typer.Option("--work", help="Folder of samples and checkpoints; training resumes from them.")]
Out = Annotated[Path, typer.Option("--out", help="Where the model and its card are written.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of the samples and of the weights.")]
Steps = Annotated[int | None, typer.Option("--steps", min=1, help="Number of training steps.")]
Shards = Annotated[int | None, typer.Option("--shards", min=1, help="Number of files of 96 tables to learn from.")]
Start = Annotated[
    Path | None, typer.Option("--from", help="A folder with exported networks to go on from, instead of from nothing.")
]

From = Annotated[Path | None, typer.Option("--from", help="An 8-bit finder to train further instead of a new one.")]


@train.command()
def finder(
    work: Work = Path("training"),
    out: Out = WEIGHTS,
    seed: Seed = 1,
    steps: Steps = None,
    shards: Shards = None,
    start: From = None,
) -> None:
    """Train the network that finds cards."""
    with refusing():
        _need_torch()
        from models.training.recipes import (
            FINDER_STEPS,
            FURTHER_SHARDS,
            FURTHER_STEPS,
            SHARDS,
            make_finder,
            make_finder_further,
        )

        if start is not None:
            given = (steps or FURTHER_STEPS, shards or FURTHER_SHARDS)
            _need_finder(start)
            typer.echo(make_finder_further(work, out, start, seed, *given))
            return
        typer.echo(make_finder(work, out, seed, steps or FINDER_STEPS, shards or SHARDS))


@train.command()
def reader(
    work: Work = Path("training"), out: Out = WEIGHTS, seed: Seed = 1, steps: Steps = None, shards: Shards = None
) -> None:
    """Train the network that reads cards."""
    with refusing():
        _need_torch()
        from models.training.recipes import READER_STEPS, SHARDS, make_reader

        typer.echo(make_reader(work, out, seed, steps or READER_STEPS, shards or SHARDS))


@train.command()
def aligner(
    work: Work = Path("training"), out: Out = WEIGHTS, seed: Seed = 1, steps: Steps = None, shards: Shards = None
) -> None:
    """Train the network that refines the position of a card."""
    with refusing():
        _need_torch()
        from models.training.recipes import ALIGNER_STEPS, SHARDS, make_aligner

        typer.echo(make_aligner(work, out, seed, steps or ALIGNER_STEPS, shards or SHARDS))


@train.command()
def matcher(
    work: Work = Path("training"), out: Out = WEIGHTS, seed: Seed = 1, steps: Steps = None, start: Start = None
) -> None:
    """Train the networks that compare cards with taught views."""
    with refusing():
        _need_torch()
        from models.training.recipes import MATCHER_STEPS, make_matcher

        typer.echo(make_matcher(work, out, seed, steps or MATCHER_STEPS, start))


@train.command()
def marks(work: Work = Path("training"), out: Out = WEIGHTS, seed: Seed = 1, steps: Steps = None) -> None:
    """Train the network that reads players' marks on cards."""
    with refusing():
        _need_torch()
        from models.training.marks import STEPS, train_marks

        train_marks(work / "marks", steps or STEPS, seed, out / "marks.onnx")
        typer.echo(out / "marks.onnx")


@train.command()
def prints(work: Work = Path("training"), out: Out = WEIGHTS, seed: Seed = 1, steps: Steps = None) -> None:
    """Train the network that reads numbers, colours and stars of cards that were never taught."""
    with refusing():
        _need_torch()
        from models.training.prints import STEPS, train_prints

        train_prints(work / "prints", steps or STEPS, seed, out / "prints.onnx")
        typer.echo(out / "prints.onnx")


def _need_finder(path: Path) -> None:
    """Refuse a file that no finder of the present architecture can be read from, before samples are gathered."""
    from models.training.unquantise import WeightsError, finder_from_weights

    try:
        finder_from_weights(path)
    except (OSError, WeightsError) as error:
        raise ModelError(f"{error}; wanted an 8-bit finder to train further") from error


def _need_torch() -> None:
    missing = [name for name in ("torch", "onnx") if find_spec(name) is None]
    if missing:
        raise OutputError(f"training needs {' and '.join(missing)}, which is not installed: scripts/install train")
