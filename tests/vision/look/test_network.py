"""Models that are missing, broken or others than they say are refused by name."""

from pathlib import Path

import numpy as np
import pytest

from device.lab.bench.yardstick import SIDE_PX, yolo11n_sized
from vision.look.finder import Finder
from vision.look.network import ModelError, Network, load_network
from vision.look.networks import WEIGHTS
from vision.look.reader import Reader

FINDER = {"view": (1, None, None, 3)}


def copied(folder: Path, name: str = "finder") -> Path:
    for suffix in (".onnx", ".toml"):
        (folder / f"{name}{suffix}").write_bytes((WEIGHTS / f"{name}{suffix}").read_bytes())
    return folder / f"{name}.onnx"


def test_a_missing_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"finder\.onnx: the model cannot be read.*krupier train"):
        Finder(tmp_path / "finder.onnx")


def test_a_missing_card(tmp_path: Path) -> None:
    path = copied(tmp_path)
    path.with_suffix(".toml").unlink()
    with pytest.raises(ModelError, match=r"finder\.toml: the model card cannot be read"):
        Finder(path)


def test_a_card_that_is_none(tmp_path: Path) -> None:
    path = copied(tmp_path)
    path.with_suffix(".toml").write_text("sha256 = ", "utf-8")
    with pytest.raises(ModelError, match="not a model card"):
        Finder(path)


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_broken_model(tmp_path: Path, damage: str) -> None:
    path = copied(tmp_path)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        del data[len(data) // 2 :]
    else:
        data[1000] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ModelError, match=r"its sha256 is [0-9a-f]{64}; its card finder\.toml says [0-9a-f]{64}"):
        Finder(path)


def test_another_model(tmp_path: Path) -> None:
    copied(tmp_path, "reader")
    (tmp_path / "finder.onnx").write_bytes((tmp_path / "reader.onnx").read_bytes())
    (tmp_path / "finder.toml").write_bytes((tmp_path / "reader.toml").read_bytes())
    with pytest.raises(ModelError, match=r"takes crops \(any x 176 x 128 x 3\).*; wanted view \(1 x any x any x 3\)"):
        Finder(tmp_path / "finder.onnx")
    with pytest.raises(ModelError, match=r"wanted crops"):
        Reader(WEIGHTS / "finder.onnx")


@pytest.mark.parametrize("data", [b"", b"not a model", bytes(1000)])
def test_bytes_that_are_no_model(data: bytes) -> None:
    with pytest.raises(ModelError, match=r"bytes: (not a model|takes nothing)"):
        Network(data, "bytes", FINDER)


def test_the_yardstick_runs_and_has_the_size_it_says() -> None:
    network = Network(yolo11n_sized(), "yardstick", {"images": (1, 3, SIDE_PX, SIDE_PX)}, 1)
    shapes = [value.shape for value in network.run({"images": np.zeros((1, 3, SIDE_PX, SIDE_PX), np.float32)})]
    assert shapes == [(1, 144, 80, 80), (1, 144, 40, 40), (1, 144, 20, 20)]


@pytest.mark.parametrize("name", ["finder", "reader", "marks"])
def test_every_model_has_a_whole_card(name: str) -> None:
    import tomllib

    card = tomllib.loads((WEIGHTS / f"{name}.toml").read_text("utf-8"))
    assert {"sha256", "data", "seed", "rebuild"} <= set(card)
    assert card["rebuild"].startswith("krupier train ")
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) < 10_000_000


def test_a_good_model_loads() -> None:
    assert load_network(WEIGHTS / "finder.onnx", FINDER).run({"view": np.zeros((1, 64, 96, 3), np.uint8)})[0].shape == (
        1,
        4,
        16,
        24,
    )
