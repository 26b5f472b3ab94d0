"""Quality of views: glare, shadows, blur, slant and fading are noticed, good views are not blamed."""

import cv2
import numpy as np
import pytest

from models.cards import own_deck
from models.crops import Image
from models.faces import drawn_faces
from vision.unknown.view_quality import Advice, FlawKind, QualityLevel, ViewVerdict, judge_view, slant_deg

SIZE_MM = (63.0, 88.0)
STRAIGHT = ((100.0, 50.0), (352.0, 50.0), (352.0, 402.0), (100.0, 402.0))


@pytest.fixture(scope="module")
def face() -> Image:
    """A card in ordinary light, taken by a camera that is a little soft."""
    picture = dict(drawn_faces(own_deck("trio")).pictures)["7"]
    lit = np.clip(picture * np.array([0.72, 0.8, 0.82]), 0, 255).astype(np.uint8)
    return np.asarray(cv2.GaussianBlur(lit, (0, 0), 1.5), np.uint8)


def glaring(face: Image, x: float, y: float, width_px: float = 45.0) -> Image:
    """A face with the reflection of a lamp at a point, given in card sides."""
    rows, columns = np.indices(face.shape[:2])
    away = (columns - x * face.shape[1]) ** 2 + (rows - y * face.shape[0]) ** 2
    lit = face + 260 * np.exp(-away / (2 * width_px**2))[:, :, None]
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


def kinds(verdict: ViewVerdict) -> list[FlawKind]:
    return [flaw.kind for flaw in verdict.flaws]


def test_a_good_view_has_no_flaws(face: Image) -> None:
    assert judge_view(face, STRAIGHT, SIZE_MM) == ViewVerdict(QualityLevel.GOOD)


@pytest.mark.parametrize(
    ("x", "y", "advice"),
    [
        (0.9, 0.5, Advice.LEFT),
        (0.1, 0.5, Advice.RIGHT),
        (0.5, 0.9, Advice.UP),
        (0.5, 0.1, Advice.DOWN),
        (0.5, 0.5, Advice.ELSEWHERE),
    ],
)
def test_glare_is_found_and_the_card_should_move_away_from_it(face: Image, x: float, y: float, advice: Advice) -> None:
    verdict = judge_view(glaring(face, x, y), STRAIGHT, SIZE_MM)
    assert (verdict.level, kinds(verdict)[0], verdict.advice) == (QualityLevel.POOR, FlawKind.GLARE, advice)
    assert 0.02 < verdict.flaws[0].number < 0.3


def test_the_advice_is_about_the_picture_not_the_card(face: Image) -> None:
    upside_down = (*STRAIGHT[2:], *STRAIGHT[:2])
    assert judge_view(glaring(face, 0.9, 0.5), upside_down, SIZE_MM).advice is Advice.RIGHT


def test_a_card_under_glare_all_over_is_unusable(face: Image) -> None:
    verdict = judge_view(glaring(face, 0.5, 0.5, 110.0), STRAIGHT, SIZE_MM)
    assert verdict.level is QualityLevel.UNUSABLE


def test_white_print_is_no_glare(face: Image) -> None:
    printed = np.asarray(face * 0.6, np.uint8)
    cv2.circle(printed, (126, 176), 60, (255, 255, 255), -1, cv2.LINE_AA)
    assert FlawKind.GLARE not in kinds(
        judge_view(np.asarray(cv2.GaussianBlur(printed, (0, 0), 1.5), np.uint8), STRAIGHT, SIZE_MM)
    )


def test_the_edge_of_a_shadow(face: Image) -> None:
    rows, columns = np.indices(face.shape[:2])
    shade = 1 - 0.45 / (1 + np.exp(-(columns + 0.4 * rows - 200) / 3))
    verdict = judge_view(np.asarray(face * shade[:, :, None], np.uint8), STRAIGHT, SIZE_MM)
    assert (kinds(verdict), verdict.advice) == ([FlawKind.SHADOW], Advice.UNSHADED)
    assert verdict.flaws[0].number == pytest.approx(1 / 0.55, abs=0.2)


def test_blurred_faded_and_hidden_cards(face: Image) -> None:
    blurred = judge_view(np.asarray(cv2.GaussianBlur(face, (0, 0), 7), np.uint8), STRAIGHT, SIZE_MM)
    assert (blurred.level, kinds(blurred)[0], blurred.advice) == (QualityLevel.UNUSABLE, FlawKind.BLUR, Advice.STILL)
    faded = judge_view(np.asarray(170 + face * 0.2, np.uint8), STRAIGHT, SIZE_MM)
    assert (faded.level, kinds(faded)) == (QualityLevel.POOR, [FlawKind.FADED])
    hidden = judge_view(face, STRAIGHT, SIZE_MM, hidden=True)
    assert (hidden.level, hidden.advice) == (QualityLevel.UNUSABLE, Advice.WHOLE)


def test_a_slant_is_measured(face: Image) -> None:
    assert slant_deg(STRAIGHT, SIZE_MM) == pytest.approx(0, abs=1)
    halved = tuple((x, 50 + (y - 50) / 2) for x, y in STRAIGHT)
    assert slant_deg(halved, SIZE_MM) == pytest.approx(60, abs=1)
    third = tuple((x, 50 + (y - 50) / 3) for x, y in STRAIGHT)
    assert judge_view(face, third, SIZE_MM).level is QualityLevel.UNUSABLE
    assert kinds(judge_view(face, tuple((x, 50 + (y - 50) * 0.7) for x, y in STRAIGHT), SIZE_MM)) == [FlawKind.SLANT]
