"""Renders a drawing as PDF or as pixels."""

from collections.abc import Callable
from io import BytesIO
from threading import Lock

import numpy as np
import PIL.Image
import pypdfium2 as pdfium
from numpy.typing import NDArray
from reportlab.pdfgen.canvas import Canvas

from models.art.pen import POINTS_PER_MM, Pen, Size

Drawing = Callable[[Pen], None]
Image = NDArray[np.uint8]

PALETTE_COLOURS = 32
"""Colours of a small picture: the drawings are flat, so that this many also hold their smoothed edges."""
_PDFIUM = Lock()
"""Held while PDFium works: the library must not be called from two threads at once."""


def draw_pdf(drawing: Drawing, size: Size) -> bytes:
    """A PDF with one page of exactly that size."""
    data = BytesIO()
    page = (size.width_mm * POINTS_PER_MM, size.height_mm * POINTS_PER_MM)
    # invariant: no dates inside, so that the same drawing gives the same bytes.
    canvas = Canvas(data, pagesize=page, invariant=1)
    drawing(Pen(canvas, size.height_mm))
    canvas.showPage()
    canvas.save()
    return data.getvalue()


def draw_pixels(drawing: Drawing, size: Size, px_per_mm: float) -> Image:
    """The drawing as a BGR picture."""
    return rasterise(draw_pdf(drawing, size), px_per_mm)


def rasterise(pdf: bytes, px_per_mm: float, page: int = 0) -> Image:
    """One page of a PDF as a BGR picture."""
    with _PDFIUM:
        document = pdfium.PdfDocument(pdf)
        try:
            # The renderer rounds sizes up, and a hair over a whole number would give one more column of pixels.
            bitmap = document[page].render(scale=px_per_mm / POINTS_PER_MM * (1 - 1e-5))
            return np.array(bitmap.to_numpy()[:, :, :3])
        finally:
            document.close()


def draw_webp(drawing: Drawing, size: Size, width_px: int) -> bytes:
    """The drawing as a small WebP file, for pages: few colours, no losses beyond that."""
    pixels = draw_pixels(drawing, size, width_px / size.width_mm)
    picture = PIL.Image.fromarray(pixels[:, :, ::-1]).quantize(PALETTE_COLOURS, dither=PIL.Image.Dither.NONE)
    data = BytesIO()
    picture.convert("RGB").save(data, "WEBP", lossless=True, quality=100, method=4)
    return data.getvalue()


def draw_png(drawing: Drawing, size: Size, dpi: int) -> bytes:
    """The drawing as a PNG file that knows its resolution."""
    pdf, data = draw_pdf(drawing, size), BytesIO()
    with _PDFIUM:
        document = pdfium.PdfDocument(pdf)
        try:
            document[0].render(scale=dpi / 72 * (1 - 1e-5)).to_pil().save(data, "PNG", dpi=(dpi, dpi), optimize=False)
            return data.getvalue()
        finally:
            document.close()
