"""Hands: they reach over the edge of the table with their sleeves, cover cards and take them away."""

import cv2
import numpy as np

from models.synth.materials import clouds
from models.synth.scene import Image, Sprite
from models.synth.sprites import premultiplied

PX_PER_MM = 1.6
WIDTH_MM, LENGTH_MM = 170.0, 620.0
GRIP_MM = 62.0
"""Distance from the upper end of the sprite to the fingertips that hold a card."""


def make_hand(rng: np.random.Generator) -> Sprite:
    """A hand that points up, with forearm and sleeve; the fingertips are near the upper end."""
    shape = (round(LENGTH_MM * PX_PER_MM), round(WIDTH_MM * PX_PER_MM))
    skin, cloth = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    left = rng.random() < 0.5
    middle = WIDTH_MM / 2

    def bone(mask: Image, x1: float, y1: float, x2: float, y2: float, thick: float) -> None:
        ends = ((x1, y1), (x2, y2)) if left else ((WIDTH_MM - x1, y1), (WIDTH_MM - x2, y2))
        points = [tuple(int(part * PX_PER_MM) for part in end) for end in ends]
        cv2.line(mask, points[0], points[1], 255, max(1, int(thick * PX_PER_MM)), cv2.LINE_AA)

    spread = float(rng.uniform(0.5, 1.25))
    for finger in range(4):
        base_x = middle - 27 + 18 * finger
        tip_x = middle + (base_x - middle) * (1 + 0.35 * spread) + float(rng.uniform(-4, 4))
        tip_y = GRIP_MM - 44 + (10, 1, 4, 18)[finger] + float(rng.uniform(-5, 8))
        bone(skin, base_x, 118, tip_x, tip_y, float(rng.uniform(15, 18)))
    bone(skin, middle + 34, 165, middle + 52, GRIP_MM + 32 + float(rng.uniform(-14, 14)), 20)
    palm = np.array(
        [[middle - 38, 108], [middle + 36, 108], [middle + 42, 165], [middle + 26, 205], [middle - 30, 205]]
    )
    palm = palm if left else palm * (-1, 1) + (WIDTH_MM, 0)
    cv2.fillPoly(skin, [(palm * PX_PER_MM).astype(np.int32)], 255, cv2.LINE_AA)
    bone(skin, middle, 140, middle + float(rng.uniform(-12, 12)), LENGTH_MM, 58)
    skin = np.asarray(cv2.GaussianBlur(skin, (0, 0), 2.2), np.uint8)
    cuff = float(rng.uniform(215, 420))
    bone(cloth, middle, cuff + 40, middle + float(rng.uniform(-14, 14)), LENGTH_MM + 60, float(rng.uniform(78, 112)))
    cloth[: int(cuff * PX_PER_MM)] = 0
    return Sprite(_dressed(skin, cloth, rng), PX_PER_MM, 25.0, 0.02, boxy=False)


def _dressed(skin: Image, cloth: Image, rng: np.random.Generator) -> Image:
    tones = ((150, 185, 235), (110, 150, 205), (85, 120, 175), (55, 80, 125), (35, 52, 85), (170, 200, 240))
    tone = np.array(tones[rng.integers(len(tones))], np.float32) * rng.uniform(0.9, 1.08)
    size = (skin.shape[1], skin.shape[0])
    solid = np.asarray(skin > 110, np.uint8)
    # Rounded flesh: bright in the middle, darker and redder towards the edge.
    depth = cv2.distanceTransform(solid, cv2.DIST_L2, 3)
    roundness = np.clip(depth / (12 * PX_PER_MM), 0, 1)[:, :, None]
    flesh = tone * (0.72 + 0.30 * roundness) + np.array([0, 0, 14], np.float32) * (1 - roundness)
    flesh *= 0.93 + 0.12 * clouds(rng, (14, 50), size)[:, :, None]
    fabric = np.array(rng.uniform(15, 230, 3), np.float32)
    folds = clouds(rng, (5, 14), size)[:, :, None]
    weave = np.asarray(fabric * (0.65 + 0.5 * folds), np.float32)
    if rng.random() < 0.35:
        weave[:: int(rng.integers(7, 22))] *= 0.6
    worn = (cloth > 110)[:, :, None]
    pixels = np.clip(np.where(worn, weave, flesh), 0, 255).astype(np.uint8)
    alpha = np.maximum(np.clip((skin.astype(np.float32) - 85) * 5, 0, 255).astype(np.uint8), cloth)
    return premultiplied(pixels, alpha)
