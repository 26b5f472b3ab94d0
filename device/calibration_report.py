"""The calibration report: one self-contained HTML page with embedded pictures."""

import base64
from collections.abc import Sequence
from html import escape

import cv2
import numpy as np

from calibration.colour import correct
from calibration.frames import Frame, Image
from calibration.rectify import rectifier_for
from calibration.rig import Rig
from calibration.solution import LensResult
from calibration.table import mm_to_pixels
from calibration.views import Choice

MAX_SIDE_PX = 1100
"""Longest side of a picture in the report."""
INKS = ((60, 160, 250), (80, 200, 80), (230, 130, 60), (90, 90, 240), (200, 80, 200), (60, 200, 220))


def report_html(
    rig: Rig, frame: Frame, rows: Sequence[tuple[bool, str, str]], solved: tuple[Choice, LensResult] | None = None
) -> str:
    """The whole page; with the lens views and the solution also their coverage and agreement."""
    pictures = [] if solved is None else [_lens_pictures(*solved)]
    pictures += [("The picture with the table's grid", _grid(rig, frame))]
    if rig.lens is not None and rig.table is not None:
        straight = rectifier_for(rig.lens, rig.table, _scale(rig)).rectify(frame).image
        pictures.append(("The table straight from above, with its zones", _zones(rig, straight)))
        pictures.append(("Colours before …", straight))
        pictures.append(
            ("… and after the correction (for people only: cards are read without it)", correct(straight, rig.colour))
        )
    states = "".join(
        f'<tr class="{"good" if well else "bad"}"><td>{"✓" if well else "✗"}</td><th>{escape(what)}</th>'
        f"<td>{escape(says)}</td></tr>"
        for well, what, says in rows
    )
    figures = "".join(
        f'<figure><img alt="{escape(title)}" src="data:image/jpeg;base64,{_jpeg(picture)}">'
        f"<figcaption>{escape(title)}</figcaption></figure>"
        for title, picture in pictures
    )
    return _PAGE.replace("STATES", states).replace("FIGURES", figures)


def _scale(rig: Rig) -> float:
    size = rig.table.size_mm if rig.table else (1.0, 1.0)
    return min(2.0, MAX_SIDE_PX / max(size))


def _grid(rig: Rig, frame: Frame) -> Image:
    """The picture with a 50 mm grid: straight lines on the table must follow it."""
    picture = frame.image.copy()
    if rig.lens is None or rig.table is None:
        return picture
    half_x, half_y = rig.table.size_mm[0] / 2, rig.table.size_mm[1] / 2
    lines = [[(x, y) for y in np.linspace(-half_y, half_y, 30)] for x in np.arange(-half_x, half_x + 1, 50)]
    lines += [[(x, y) for x in np.linspace(-half_x, half_x, 40)] for y in np.arange(-half_y, half_y + 1, 50)]
    for line in lines:
        pixels = mm_to_pixels(np.array(line), rig.lens, rig.table)
        cv2.polylines(picture, [np.round(pixels * 16).astype(np.int32)], False, (80, 220, 80), 1, cv2.LINE_AA, 4)
    return picture


def _zones(rig: Rig, straight: Image) -> Image:
    picture, scale = straight.copy(), _scale(rig)
    middle = np.array([(straight.shape[1] - 1) / 2, (straight.shape[0] - 1) / 2])
    for number, zone in enumerate(rig.zones):
        points = np.array(zone.polygon_mm) * scale + middle
        ink = INKS[number % len(INKS)]
        cv2.polylines(picture, [np.round(points * 16).astype(np.int32)], True, ink, 2, cv2.LINE_AA, 4)
        x, y = (int(part) for part in points.mean(0))
        cv2.putText(picture, zone.name, (x - 60, y + 8), cv2.FONT_HERSHEY_DUPLEX, 0.7, ink, 1, cv2.LINE_AA)
    for seat in rig.seats:
        start = np.array(seat.zone.polygon_mm).mean(0) * scale + middle - 15 * np.array(seat.up)
        end = start + 30 * np.array(seat.up)
        ends = [tuple(int(part) for part in point) for point in (start, end)]
        cv2.arrowedLine(picture, ends[0], ends[1], (255, 255, 255), 2, cv2.LINE_AA, tipLength=0.3)
    return picture


def _lens_pictures(choice: Choice, result: LensResult) -> tuple[str, Image]:
    """Every detected corner in its view's colour, the coverage grid, and an error bar for every view."""
    width, height = choice.size_px
    scale = 1000 / width
    frame = np.full((round(height * scale), 1000, 3), 250, np.uint8)
    rows, columns = len(result.coverage), len(result.coverage[0])
    for row, counts in enumerate(result.coverage):
        for column, count in enumerate(counts):
            left, top = column * 1000 // columns, row * frame.shape[0] // rows
            right, bottom = (column + 1) * 1000 // columns, (row + 1) * frame.shape[0] // rows
            tint = (235, 250, 235) if count else (215, 215, 250)
            cv2.rectangle(frame, (left + 1, top + 1), (right - 2, bottom - 2), tint, -1)
            cv2.putText(
                frame, str(count), (left + 8, top + 24), cv2.FONT_HERSHEY_DUPLEX, 0.6, (120, 120, 120), 1, cv2.LINE_AA
            )
    for number, view in enumerate(choice.views):
        for x, y in view.pixels * scale:
            cv2.circle(frame, (round(16 * x), round(16 * y)), 40, INKS[number % len(INKS)], -1, cv2.LINE_AA, 4)
    bars = np.full((170, 1000, 3), 255, np.uint8)
    most = max((error for _, error in result.per_view_errors_px), default=1.0)
    step = 1000 // max(1, len(result.per_view_errors_px))
    for number, (name, error) in enumerate(result.per_view_errors_px):
        left, tall = number * step, round(110 * error / most)
        cv2.rectangle(bars, (left + 4, 140 - tall), (left + step - 4, 140), (201, 102, 31), -1)
        cv2.putText(bars, name, (left + 6, 160), cv2.FONT_HERSHEY_DUPLEX, 0.45, (80, 80, 80), 1, cv2.LINE_AA)
    label = f"RMS of each view, at most {most:.2f} px"
    cv2.putText(bars, label, (8, 20), cv2.FONT_HERSHEY_DUPLEX, 0.55, (60, 60, 60), 1, cv2.LINE_AA)
    return (
        "Where the board was seen (corners counted in each part of the frame), and how well the views agree",
        np.vstack([frame, bars]),
    )


def _jpeg(picture: Image) -> str:
    scale = min(1.0, MAX_SIDE_PX / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return base64.b64encode(data.tobytes()).decode()


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Krupier: calibration</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1140px; padding: 0 1rem; color: #22304f; }
table { border-collapse: collapse; margin-bottom: 2rem; } td, th { padding: .3rem .8rem; text-align: left; }
.good td:first-child { color: #1d9a56; } .bad td:first-child { color: #d93a2b; } .bad { font-weight: 600; }
figure { margin: 0 0 2rem; } img { max-width: 100%; border-radius: 8px; } figcaption { color: #667; }
</style></head><body><h1>Krupier: calibration</h1><table>STATES</table>FIGURES</body></html>
"""
