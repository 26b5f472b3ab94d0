"""The pen: draws in millimetres, origin at the top left, y downwards; one drawing gives PDF and PNG."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from math import cos, pi, sin
from pathlib import Path

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

POINTS_PER_MM = 72 / 25.4
BOLD, PLAIN = "Baloo2-ExtraBold", "Baloo2-SemiBold"
DIGIT_HEIGHT = 0.622
"""Height of a digit relative to the font size, for both weights."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Size:
    """Width, height and corner radius of a printed piece."""

    width_mm: float
    height_mm: float
    corner_mm: float


class Pen:
    """Draws vector shapes; every length is in millimetres, every angle in degrees clockwise."""

    def __init__(self, canvas: Canvas, height_mm: float) -> None:
        for name in (BOLD, PLAIN):
            if name not in pdfmetrics.getRegisteredFontNames():
                pdfmetrics.registerFont(TTFont(name, str(_fonts() / f"{name}.ttf")))
        self._canvas = canvas
        self._height_mm = height_mm

    @contextmanager
    def at(self, x: float, y: float, turn: float = 0, scale: float = 1) -> Iterator[None]:
        """Draw with the origin moved to (x, y), rotated clockwise and scaled about it."""
        self._canvas.saveState()
        # The page's y points up, the pen's points down: move in page coordinates, and keep the pen's height as origin.
        self._canvas.translate(x * POINTS_PER_MM, (self._height_mm - y) * POINTS_PER_MM)
        self._canvas.rotate(-turn)
        self._canvas.scale(scale, scale)
        self._canvas.translate(0, -self._height_mm * POINTS_PER_MM)
        yield
        self._canvas.restoreState()

    @contextmanager
    def clipped(self, x: float, y: float, width: float, height: float, corner: float = 0) -> Iterator[None]:
        """Draw only inside a rounded rectangle."""
        self._canvas.saveState()
        path = self._canvas.beginPath()
        left, bottom = self._page(x, y + height)
        path.roundRect(left, bottom, width * POINTS_PER_MM, height * POINTS_PER_MM, max(corner, 0.01) * POINTS_PER_MM)
        self._canvas.clipPath(path, stroke=0, fill=0)
        yield
        self._canvas.restoreState()

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str | None = None,
        line: str | None = None,
        line_mm: float = 0.3,
        corner: float = 0,
    ) -> None:
        """Draw a rectangle, optionally with rounded corners."""
        self._ink(fill, line, line_mm)
        left, bottom = self._page(x, y + height)
        size = (width * POINTS_PER_MM, height * POINTS_PER_MM)
        if corner:
            self._canvas.roundRect(left, bottom, *size, corner * POINTS_PER_MM, int(bool(line)), int(bool(fill)))
        else:
            self._canvas.rect(left, bottom, *size, int(bool(line)), int(bool(fill)))

    def circle(
        self, x: float, y: float, radius: float, fill: str | None = None, line: str | None = None, line_mm: float = 0.3
    ) -> None:
        """Draw a circle around (x, y)."""
        self._ink(fill, line, line_mm)
        left, bottom = self._page(x, y)
        self._canvas.circle(left, bottom, radius * POINTS_PER_MM, int(bool(line)), int(bool(fill)))

    def polygon(
        self, points: Sequence[Point], fill: str | None = None, line: str | None = None, line_mm: float = 0.3
    ) -> None:
        """Draw a closed polygon."""
        self._ink(fill, line, line_mm)
        path = self._canvas.beginPath()
        path.moveTo(*self._page(*points[0]))
        for point in points[1:]:
            path.lineTo(*self._page(*point))
        path.close()
        self._canvas.drawPath(path, int(bool(line)), int(bool(fill)))

    def line(self, points: Sequence[Point], ink: str, line_mm: float = 0.3, round_ends: bool = True) -> None:
        """Draw an open line through points."""
        self._ink(None, ink, line_mm)
        self._canvas.setLineCap(int(round_ends))
        self._canvas.setLineJoin(int(round_ends))
        path = self._canvas.beginPath()
        path.moveTo(*self._page(*points[0]))
        for point in points[1:]:
            path.lineTo(*self._page(*point))
        self._canvas.drawPath(path, 1, 0)

    def crescent(self, x: float, y: float, radius: float, fill: str, hollow: str) -> None:
        """Draw a moon: a disc with a smaller disc of the background colour cut out."""
        self.circle(x, y, radius, fill)
        self.circle(x + 0.42 * radius, y - 0.18 * radius, 0.78 * radius, hollow)

    def text(
        self, x: float, y: float, words: str, height: float, ink: str, font: str = BOLD, outline: str | None = None
    ) -> None:
        """Draw text centred on (x, y); `height` is the height of a digit."""
        size = height / DIGIT_HEIGHT * POINTS_PER_MM
        left, bottom = self._page(x, y + height / 2)
        left -= pdfmetrics.stringWidth(words, font, size) / 2
        if outline is not None:
            self._write(left, bottom, words, font, size, outline, outline_mm=0.14 * height)
        self._write(left, bottom, words, font, size, ink, outline_mm=0)

    def width(self, words: str, height: float, font: str = BOLD) -> float:
        """Width of a text with that digit height."""
        return float(pdfmetrics.stringWidth(words, font, height / DIGIT_HEIGHT))

    def number(self, x: float, y: float, words: str, height: float, ink: str, outline: str | None = None) -> None:
        """Draw a number that cannot be misread upside down: 6, 9 and the like get a bar below."""
        self.text(x, y, words, height, ink, outline=outline)
        if set(words) <= set("01689") and set(words) & set("69"):
            width = self.width(words, height)
            self.rectangle(x - width / 2, y + 0.6 * height, width, 0.13 * height, ink, corner=0.06 * height)

    def _write(
        self, left: float, bottom: float, words: str, font: str, size: float, ink: str, outline_mm: float
    ) -> None:
        text = self._canvas.beginText(left, bottom)
        text.setFont(font, size)
        text.setFillColor(HexColor(ink))
        if outline_mm:
            self._canvas.setLineWidth(outline_mm * POINTS_PER_MM)
            self._canvas.setLineJoin(1)
            text.setStrokeColor(HexColor(ink))
            text.setTextRenderMode(2)
        text.textOut(words)
        if outline_mm:
            text.setTextRenderMode(0)
        self._canvas.drawText(text)

    def _page(self, x: float, y: float) -> Point:
        return x * POINTS_PER_MM, (self._height_mm - y) * POINTS_PER_MM

    def _ink(self, fill: str | None, line: str | None, line_mm: float) -> None:
        if fill:
            self._canvas.setFillColor(HexColor(fill))
        if line:
            self._canvas.setStrokeColor(HexColor(line))
            self._canvas.setLineWidth(line_mm * POINTS_PER_MM)

    @contextmanager
    def clipped_to(self, points: Sequence[Point]) -> Iterator[None]:
        """Draw only inside a polygon."""
        self._canvas.saveState()
        path = self._canvas.beginPath()
        path.moveTo(*self._page(*points[0]))
        for point in points[1:]:
            path.lineTo(*self._page(*point))
        path.close()
        self._canvas.clipPath(path, stroke=0, fill=0)
        yield
        self._canvas.restoreState()


def star(x: float, y: float, radius: float, points: int = 5, inner: float = 0.46) -> list[Point]:
    """The corners of a star that points up."""
    corners = []
    for corner in range(2 * points):
        length = radius if corner % 2 == 0 else radius * inner
        angle = pi * corner / points
        corners.append((x + length * sin(angle), y - length * cos(angle)))
    return corners


def ring(x: float, y: float, radius: float, corners: int, turn: float = 0) -> list[Point]:
    """The corners of a regular polygon, the first one up."""
    angles = (2 * pi * (corner / corners + turn / 360) for corner in range(corners))
    return [(x + radius * sin(angle), y - radius * cos(angle)) for angle in angles]


def oval(x: float, y: float, width: float, height: float, turn: float = 0) -> list[Point]:
    """The outline of an oval, rotated clockwise about its middle."""
    tilt, outline = pi * turn / 180, []
    for step in range(48):
        dx, dy = width / 2 * cos(pi * step / 24), height / 2 * sin(pi * step / 24)
        outline.append((x + dx * cos(tilt) - dy * sin(tilt), y + dx * sin(tilt) + dy * cos(tilt)))
    return outline


def bolt(x: float, y: float, height: float) -> list[Point]:
    """The corners of a lightning bolt."""
    shape = ((0.12, -0.5), (-0.32, 0.08), (-0.04, 0.08), (-0.14, 0.5), (0.32, -0.12), (0.04, -0.12), (0.22, -0.5))
    return [(x + height * dx, y + height * dy) for dx, dy in shape]


def mixed(first: str, second: str, share: float) -> str:
    """A colour between two: share 0 is the first, 1 the second."""
    one, two = HexColor(first), HexColor(second)
    parts = (a + (b - a) * share for a, b in zip(one.rgb(), two.rgb(), strict=True))
    return str(Color(*parts).hexval().replace("0x", "#"))


def _fonts() -> Path:
    return Path(str(files("models"))) / "art" / "fonts"
