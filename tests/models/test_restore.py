"""Restoring: an exported network answers the same in the network that it came from."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from models.crops import CROP_PX, SEEN_PX  # noqa: E402
from models.training.matcher import MatcherSchool  # noqa: E402
from models.training.restore import RestoreError, restore  # noqa: E402
from vision.look.matcher import Matcher  # noqa: E402
from vision.look.networks import WEIGHTS  # noqa: E402
from vision.look.reader import MATCHER_HEAD, MATCHER_STEM  # noqa: E402


def test_restored_networks_answer_as_the_exported_ones() -> None:
    rng = np.random.default_rng(1)
    crops = rng.integers(0, 256, (4, CROP_PX[1], CROP_PX[0], 3), np.uint8)
    seen = np.where(rng.random((4, SEEN_PX[1], SEEN_PX[0])) < 0.8, 255, 0).astype(np.uint8)
    matcher = Matcher(WEIGHTS / MATCHER_STEM, WEIGHTS / MATCHER_HEAD, 1)
    (features,) = matcher._stem.run_batched({"crops": crops, "seen": seen})
    (scores,) = matcher._head.run_batched({"crops": features[:2], "views": features[2:], "seen": seen[:2]})
    school = MatcherSchool(fixed_norms=True)
    restore(school.stem, WEIGHTS / MATCHER_STEM)
    restore(school.head, WEIGHTS / MATCHER_HEAD)
    # Training goes on from the same answers: its normalisation layers do not look at the batch.
    school.train()
    with torch.no_grad():
        visible = torch.from_numpy(seen[:, None]).float() / 255
        own = school.stem(torch.from_numpy(crops).permute(0, 3, 1, 2).float(), visible)
        pairs = school.head(own[:2], own[2:], visible[:2])
    np.testing.assert_allclose(own.numpy(), features, atol=1e-4)
    np.testing.assert_allclose(pairs.numpy(), scores, atol=1e-3)


def test_a_network_of_another_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RestoreError, match="wanted"):
        restore(MatcherSchool().stem, WEIGHTS / MATCHER_HEAD)
