"""The faces of War: a large rank, its suit in a colour of its own, and both again in the corners."""

from models.art.pen import Pen, Point, Size
from models.art.sheets import PrintPiece
from models.cards import Card

SIZE = Size(63, 88, 4)
INKS = {"clubs": "#1b7f3b", "diamonds": "#e07a00", "hearts": "#c8102e", "spades": "#1d2433"}
NAMES = {11: "J", 12: "Q", 13: "K", 14: "A"}
PAPER, NIGHT, BRASS = "#ffffff", "#24304f", "#d9b44a"


def size_of(card: Card) -> Size:
    """All cards are of one size."""
    return SIZE


def extras() -> tuple[PrintPiece, ...]:
    """The box holds cards only."""
    return ()


def draw_face(pen: Pen, card: Card) -> None:
    """A face that reads the same from both ends."""
    suit, rank = card.word("suit"), card.number("rank")
    word, ink = NAMES.get(rank, str(rank)), INKS[suit]
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    pen.rectangle(3, 3, SIZE.width_mm - 6, SIZE.height_mm - 6, line=ink, line_mm=1.2, corner=3)
    draw_suit(pen, suit, SIZE.width_mm / 2, SIZE.height_mm / 2, 34)
    for turn, x, y in ((0, 0.0, 0.0), (180, SIZE.width_mm, SIZE.height_mm)):
        with pen.at(x, y, turn):
            pen.number(15, 13.5, word, 12, ink)
            draw_suit(pen, suit, SIZE.width_mm - 14, 13.5, 11)
    pen.number(SIZE.width_mm / 2, SIZE.height_mm / 2, word, 13, PAPER)


def draw_back(pen: Pen, kind: str) -> None:
    """Crossed lines on night blue."""
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, NIGHT)
    with pen.clipped(5, 5, SIZE.width_mm - 10, SIZE.height_mm - 10, 3):
        for step in range(-9, 16):
            x = 7.0 * step
            pen.line([(x, 0), (x + SIZE.height_mm, SIZE.height_mm)], BRASS, 0.8)
            pen.line([(x + SIZE.height_mm, 0), (x, SIZE.height_mm)], BRASS, 0.8)
    pen.rectangle(5, 5, SIZE.width_mm - 10, SIZE.height_mm - 10, line=BRASS, line_mm=1.5, corner=3)


def draw_suit(pen: Pen, suit: str, x: float, y: float, height: float) -> None:
    """One pip around (x, y)."""
    ink, half = INKS[suit], height / 2

    def shape(*points: Point) -> list[Point]:
        return [(x + half * dx, y + half * dy) for dx, dy in points]

    if suit == "diamonds":
        pen.polygon(shape((0, -1), (0.75, 0), (0, 1), (-0.75, 0)), ink)
    elif suit == "hearts":
        pen.circle(x - 0.45 * half, y - 0.4 * half, 0.52 * half, ink)
        pen.circle(x + 0.45 * half, y - 0.4 * half, 0.52 * half, ink)
        pen.polygon(shape((-0.92, -0.18), (0.92, -0.18), (0, 1)), ink)
    else:
        pen.polygon(shape((0, 0), (0.3, 1), (-0.3, 1)), ink)
    if suit == "spades":
        pen.circle(x - 0.42 * half, y + 0.25 * half, 0.46 * half, ink)
        pen.circle(x + 0.42 * half, y + 0.25 * half, 0.46 * half, ink)
        pen.polygon(shape((0, -1), (0.86, 0.12), (-0.86, 0.12)), ink)
    elif suit == "clubs":
        for dx, dy in ((-0.45, 0.2), (0.45, 0.2), (0.0, -0.5)):
            pen.circle(x + dx * half, y + dy * half, 0.46 * half, ink)
