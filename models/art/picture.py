"""Renders a drawing as PDF or as pixels."""

from collections.abc import Callable
from io import BytesIO

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray
from reportlab.pdfgen.canvas import Canvas

from models.art.pen import POINTS_PER_MM, Pen, Size

Drawing = Callable[[Pen], None]
Image = NDArray[np.uint8]


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
    document = pdfium.PdfDocument(pdf)
    try:
        # The renderer rounds sizes up; a rounding error would add a column of pixels.
        bitmap = document[page].render(scale=px_per_mm / POINTS_PER_MM * (1 - 1e-5))
        return np.array(bitmap.to_numpy()[:, :, :3])
    finally:
        document.close()


def draw_png(drawing: Drawing, size: Size, dpi: int) -> bytes:
    """The drawing as a PNG file with its resolution."""
    document = pdfium.PdfDocument(draw_pdf(drawing, size))
    try:
        data = BytesIO()
        document[0].render(scale=dpi / 72 * (1 - 1e-5)).to_pil().save(data, "PNG", dpi=(dpi, dpi), optimize=False)
        return data.getvalue()
    finally:
        document.close()
