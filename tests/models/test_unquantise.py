"""The shipped finder becomes a network again, which answers as before."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from models.cards import own_deck  # noqa: E402
from models.synth.stills import Recipe, Tables  # noqa: E402
from models.training.finder import averaged  # noqa: E402
from models.training.unquantise import WeightsError, finder_from_weights, normalised  # noqa: E402
from vision.look.finder import Finder  # noqa: E402
from vision.look.networks import WEIGHTS  # noqa: E402

FINDER = WEIGHTS / "finder.onnx"


@pytest.fixture(scope="module")
def views() -> np.ndarray:
    tables = Tables(Recipe((480, 320), 0.3), 5, (own_deck("dawaj2"),), 0.0)
    return np.stack([tables.make(number).image for number in range(4)])


def test_the_network_answers_as_the_file_but_for_rounding(views: np.ndarray) -> None:
    net, finder = finder_from_weights(FINDER), Finder(FINDER, 1)
    pixels = torch.from_numpy(views).permute(0, 3, 1, 2).float()
    with torch.no_grad():
        kinds = net(pixels)[0].softmax(1).numpy()
        whole = normalised(net, pixels)(pixels)[0].softmax(1).numpy()
    for number, view in enumerate(views):
        exact = finder._network.run({"view": view[None]})[0][0]
        assert np.abs(kinds[number] - exact).mean() < 0.03
    np.testing.assert_allclose(whole, kinds, atol=1e-3)


def test_the_mean_of_a_finder_and_itself_is_that_finder(views: np.ndarray) -> None:
    pixels = torch.from_numpy(views).permute(0, 3, 1, 2).float()
    net = normalised(finder_from_weights(FINDER), pixels)
    same = averaged(net, net, pixels)
    with torch.no_grad():
        assert float((net(pixels)[0] - same(pixels)[0]).abs().mean()) < 0.05


def test_a_file_that_is_no_finder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="wanted"):
        finder_from_weights(WEIGHTS / "marks.onnx")
    broken = tmp_path / "finder.onnx"
    broken.write_bytes(b"nothing")
    with pytest.raises(WeightsError, match="ONNX"):
        finder_from_weights(broken)
