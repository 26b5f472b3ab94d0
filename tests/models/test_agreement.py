"""Agreement of crops with faces: what is hidden counts nothing, what tells faces apart decides."""

import numpy as np
import pytest

from models.agreement import Agreement, AgreementError, Features, read_agreement, squares_of

AGREEMENT = Agreement(2.0, 0.5, (0.3, -0.4))


def of(*cells: float) -> Features:
    """Features of one number in each of four cells."""
    return np.array(cells, np.float32).reshape(1, 1, 2, 2)


def seen(*cells: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A map of twice as many rows and columns."""
    return np.repeat(np.repeat(np.array(cells, np.uint8).reshape(1, 2, 2), 2, 1), 2, 2)


def test_the_chances_are_those_of_the_sums() -> None:
    faces = np.concatenate([of(1, 1, 0, 0), of(1, -1, 0, 0.5)])
    crop = of(0.9, 0.8, 0.1, 0)
    found = AGREEMENT.probabilities(crop, seen(255, 255, 255, 0), faces, squares_of(faces))
    scores = np.array([1.7 - 0.25 * 2, 0.1 - 0.25 * 2, 0.3 * 0.75 * (0.81 + 0.64 + 0.01)])
    wanted = np.exp(2 * scores + [0, 0, -0.4])
    np.testing.assert_allclose(found[0], wanted / wanted.sum(), rtol=1e-5)


def test_where_nothing_is_seen_every_face_is_as_likely() -> None:
    faces = np.concatenate([of(1, 1, 0, 0), of(1, -1, 0, 0.5)])
    found = AGREEMENT.probabilities(of(1, 1, 1, 1), seen(0, 0, 0, 0), faces, squares_of(faces))[0]
    assert found[0] == found[1]
    assert found[2] < found[0]


def test_a_cell_seen_by_half_counts_half() -> None:
    faces = np.concatenate([of(1, 0, 0, 0), of(-1, 0, 0, 0)])
    half = seen(255, 255, 255, 255)
    half[0, 0, :2] = 0
    whole = AGREEMENT.probabilities(of(0.5, 0, 0, 0), half, faces, squares_of(faces))[0]
    less = AGREEMENT.probabilities(of(0.25, 0, 0, 0), seen(255, 255, 255, 255), faces, squares_of(faces))[0]
    assert whole[0] / whole[1] == pytest.approx(less[0] / less[1], rel=1e-5)


def test_the_numbers_are_read_as_they_were_written() -> None:
    assert read_agreement(str(AGREEMENT)) == AGREEMENT


@pytest.mark.parametrize("text", ["", "1 2 3", "1 2 3 4 5", "1 2 3 four", "1 2 3 nan"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(AgreementError, match=r"wanted 4 numbers|no numbers"):
        read_agreement(text)
