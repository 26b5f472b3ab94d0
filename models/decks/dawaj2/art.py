"""The faces of Dawaj 2: a digit, one of three colours with its own shape, and up to two stars."""

from models.art.pen import Pen, Size, mixed, ring, star
from models.art.sheets import PrintPiece
from models.cards import Card

SIZE = Size(63, 88, 4)
INKS = {"blue": "#1f66c9", "pink": "#e0428f", "green": "#1d9a56"}
PAPER, NIGHT, GOLD = "#ffffff", "#22304f", "#f5b100"
EDGE_MM, STRIP_MM, SIDE_MM = 2.5, 15, 11


def size_of(card: Card) -> Size:
    """All cards are of one size."""
    return SIZE


def draw_face(pen: Pen, card: Card) -> None:
    """A face. Every edge carries the whole identity; only the upper one has a bar, so that up is known."""
    digit, colour, stars = card.number("digit"), card.word("colour"), card.number("stars")
    ink = INKS[colour]
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    middle = SIZE.height_mm - 2 * (EDGE_MM + STRIP_MM)
    left, top, width = EDGE_MM + 1.5, EDGE_MM + STRIP_MM, SIZE.width_mm - 2 * EDGE_MM - 3
    with pen.clipped(left, top, width, middle, 5):
        pen.rectangle(left, top, width, middle, ink)
        for row in range(5):
            for column in range(5):
                x, y = left + 14 * column + 7 * (row % 2) - 3, top + 14 * row - 1
                draw_shape(pen, colour, x, y, 3.4, mixed(ink, PAPER, 0.14))
    pen.number(SIZE.width_mm / 2, SIZE.height_mm / 2, str(digit), 33, PAPER)
    for turned in (False, True):
        with pen.at(SIZE.width_mm if turned else 0, SIZE.height_mm if turned else 0, 180 if turned else 0):
            draw_strip(pen, digit, colour, stars, ink)
            draw_side(pen, stars, ink)
    pen.rectangle(EDGE_MM + 4, EDGE_MM - 0.6, SIZE.width_mm - 2 * EDGE_MM - 8, 1.1, NIGHT, corner=0.5)


def draw_strip(pen: Pen, digit: int, colour: str, stars: int, ink: str) -> None:
    """What stays in sight when another card lies on top: digit, shape, stars."""
    y = EDGE_MM + 7.6
    pen.number(10, y - 0.6, str(digit), 9.4, ink)
    draw_shape(pen, colour, 21.5, y, 3.6, ink)
    for number in range(2):
        draw_star(pen, 33 + 9.5 * number, y, number < stars, "#c9ced8")
    pen.number(53.5, y - 0.6, str(digit), 9.4, ink)


def draw_side(pen: Pen, stars: int, ink: str) -> None:
    """The stars along the left edge: there they are seen in a fan, where cards lie side by side."""
    for number in range(2):
        y = SIZE.height_mm / 2 + SIDE_MM * (number - 0.5)
        draw_star(pen, EDGE_MM + 7.6, y, number < stars, mixed(ink, PAPER, 0.45))


def draw_star(pen: Pen, x: float, y: float, there: bool, otherwise: str) -> None:
    """A star, or a dot where there is none."""
    if there:
        pen.polygon(star(x, y + 0.2, 4.2), GOLD, NIGHT, 0.5)
    else:
        pen.circle(x, y, 0.7, otherwise)


def draw_shape(pen: Pen, colour: str, x: float, y: float, radius: float, ink: str) -> None:
    """The colour's own shape, for those who cannot tell the colours: disc, square on its tip, triangle."""
    if colour == "blue":
        pen.circle(x, y, radius, ink)
    elif colour == "pink":
        pen.polygon(ring(x, y, 1.25 * radius, 4), ink)
    else:
        pen.polygon(ring(x, y + 0.2 * radius, 1.3 * radius, 3), ink)


def draw_back(pen: Pen, kind: str) -> None:
    """Night sky with the three shapes around a 2."""
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    left, top = EDGE_MM, EDGE_MM
    width, height = SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * EDGE_MM
    with pen.clipped(left, top, width, height, 3):
        pen.rectangle(left, top, width, height, NIGHT)
        colours = tuple(INKS)
        for row in range(10):
            for column in range(7):
                colour = colours[(row + 2 * column) % 3]
                x, y = 3.5 + 9.4 * column + 4.7 * (row % 2), 4 + 9 * row
                draw_shape(pen, colour, x, y, 2.1, mixed(INKS[colour], NIGHT, 0.25))
    middle_x, middle_y = SIZE.width_mm / 2, SIZE.height_mm / 2
    pen.circle(middle_x, middle_y, 15.5, PAPER)
    pen.circle(middle_x, middle_y, 13.8, GOLD)
    pen.polygon(star(middle_x, middle_y, 12, 9, 0.82), PAPER)
    pen.text(middle_x, middle_y - 0.3, "2", 12, NIGHT)


def extras() -> tuple[PrintPiece, ...]:
    """Nothing but cards is needed."""
    return ()
