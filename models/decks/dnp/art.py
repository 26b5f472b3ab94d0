"""The faces of dnp: two values, two colours, two halves that swap when the card is turned."""

from functools import partial
from math import cos, pi, sin

from models.art.pen import BOLD, PLAIN, Pen, Point, Size, mixed, ring, star
from models.art.sheets import PrintPiece
from models.cards import Card

SIZE = Size(63, 88, 4)
PAPER, NIGHT, GOLD = "#ffffff", "#231f35", "#ffc21a"
GREY = "#4d5363"
TURQUOISE, PLUM = "#0f9aa0", "#6a2a6e"
INKS = (
    "#ffd23f", "#1b4fa8", "#ff9a3d", "#0b6e4f", "#f9a8cf",
    "#6d2e9c", "#7fd1ee", "#b3202c", "#b9d94a", "#2a2a35",
)  # fmt: skip
"""The colours of the values from 1: light ones and dark ones in turn, so that neighbours differ in brightness too."""
AIDS = {"red": "#c93a32", "blue": "#2563b5"}
EDGE_MM, STRIP_MM = 2.5, 15
WIDE_MM, TALL_MM = SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * EDGE_MM
CENTRE_X, CENTRE_Y = SIZE.width_mm / 2, SIZE.height_mm / 2
SWING_MM = 11.0
ACTIONS = (
    ("A", "Zagraj zestaw", "karty jednej wartości; równie liczny", "zestaw na stole musi być niższy."),
    ("B", "Dodaj 1 kartę", "równej wartości do cudzego zestawu."),
    ("C", "Zabierz zestaw", "przeciwnika na rękę: cały, obrócony."),
    ("D", "Obróć rękę", "wszystkie karty naraz."),
)


def size_of(card: Card) -> Size:
    """All cards are of one size."""
    return SIZE


def extras() -> tuple[PrintPiece, ...]:
    """The four aid cards: two colours, two areas each."""
    back = partial(draw_back, kind="aid")
    return tuple(
        PrintPiece(partial(draw_aid, colour=colour, area=area), back, SIZE) for colour in AIDS for area in (1, 2)
    )


def draw_face(pen: Pen, card: Card) -> None:
    """A face with value a up. Turned by 180 degrees it is the same drawing with the values swapped."""
    mark = "star" if card.has("star") else card.word("group")
    a, b = card.number("a"), card.number("b")
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    draw_half(pen, a, b, mark)
    with pen.at(SIZE.width_mm, SIZE.height_mm, 180):
        draw_half(pen, b, a, mark)
    pen.line(wave(), PAPER, 1.8, round_ends=False)


def draw_half(pen: Pen, own: int, other: int, mark: str) -> None:
    """The upper half: its own value large, in its colour; the strip stays free of the pattern."""
    ground = ground_of(own)
    ink = ink_on(own)
    upper = ((SIZE.width_mm, 0), (0, 0), (0, CENTRE_Y + SWING_MM), *wave(), (SIZE.width_mm, CENTRE_Y - SWING_MM))
    with pen.clipped(EDGE_MM, EDGE_MM, WIDE_MM, TALL_MM, 3), pen.clipped_to(upper):
        pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, ground)
        for row in range(6):
            for column in range(8):
                x, y = 3.2 + 8.4 * column + 4.2 * (row % 2), EDGE_MM + STRIP_MM + 3 + 7 * row
                draw_motif(pen, own, x, y, 1.9, mixed(ground, ink, 0.13))
    # The bar under 6 and 9 stays clear of the mark.
    pen.number(19.5, 29.6 if own in (6, 9) else 31, str(own), 18.5, ink, outline=ground)
    if mark != "base":
        draw_mark(pen, mark, 9, 47.7, 4.1)
    draw_strip(pen, own, other, mark)


def draw_strip(pen: Pen, own: int, other: int, mark: str) -> None:
    """What stays in sight when another card lies on top: the active value, the badge of the other one, the mark."""
    ink, y = ink_on(own), EDGE_MM + 6.5
    for x in (10.6, SIZE.width_mm - 10.6):
        pen.number(x, y, str(own), 8.4, ink)
    draw_badge(pen, other, 26, y)
    if mark != "base":
        draw_mark(pen, mark, 40.8, y, 4.2)


def draw_badge(pen: Pen, other: int, x: float, y: float) -> None:
    """The reminder of the value that comes up when the card is turned: in its colour, behind a turning arrow."""
    ink = ink_on(other)
    pen.rectangle(x - 8.4, y - 5, 16.8, 10, PAPER, corner=4.4)
    pen.rectangle(x - 7.7, y - 4.3, 15.4, 8.6, ground_of(other), corner=3.8)
    draw_turn(pen, x - 4.9, y, 1.5, ink)
    pen.number(x + 2.5, y - (0.7 if other in (6, 9) else 0), str(other), 6.2, ink)


def draw_turn(pen: Pen, x: float, y: float, radius: float, ink: str) -> None:
    """An arrow that goes most of the way around."""
    arc = [away(x, y, radius, pi * step / 12) for step in range(2, 19)]
    pen.line(arc, ink, 0.45 * radius)
    with pen.at(*away(x, y, radius, pi / 8)):
        pen.polygon(
            ((-1.05 * radius, -0.1 * radius), (0.15 * radius, -0.85 * radius), (0.3 * radius, 0.6 * radius)), ink
        )


def draw_mark(pen: Pen, mark: str, x: float, y: float, radius: float) -> None:
    """The star, or the symbol of a set-up group on its disc: A a sun, B a cloud, C a drop."""
    if mark == "star":
        pen.circle(x, y, 1.3 * radius, NIGHT, PAPER, 0.12 * radius)
        pen.polygon(star(x, y, 1.12 * radius), GOLD)
        return
    pen.circle(x, y, radius, PAPER)
    if mark == "A":
        pen.polygon(star(x, y, 0.85 * radius, 8, 0.62), NIGHT)
        pen.circle(x, y, 0.32 * radius, GOLD)
    elif mark == "B":
        for dx, dy, size in ((-0.36, 0.14, 0.33), (0.02, -0.16, 0.44), (0.42, 0.16, 0.31)):
            pen.circle(x + dx * radius, y + dy * radius, size * radius, NIGHT)
        pen.rectangle(x - 0.4 * radius, y + 0.1 * radius, 0.84 * radius, 0.37 * radius, NIGHT)
    elif mark == "C":
        bowl = ring(x, y + 0.2 * radius, 0.52 * radius, 24)[4:21]
        pen.polygon(((x, y - 0.78 * radius), *bowl), "#1b6fd0", NIGHT, 0.1 * radius)


def draw_motif(pen: Pen, value: int, x: float, y: float, radius: float, ink: str) -> None:
    """The pattern of a value, for those who cannot tell the colours."""
    kind = (value - 1) % len(INKS)
    if kind in (0, 5):
        pen.circle(x, y, radius, ink if kind == 0 else None, ink, 0.35 * radius)
    elif kind == 1:
        pen.line(((x, y - radius), (x, y + radius)), ink, 0.75 * radius)
    elif kind in (2, 3, 7):
        corners, turn = {2: (3, 0), 3: (4, 45), 7: (4, 0)}[kind]
        pen.polygon(ring(x, y, 1.2 * radius, corners, turn), ink)
    elif kind == 6:
        for dx, dy in ((1, 0), (0, 1)):
            pen.line(((x - dx * radius, y - dy * radius), (x + dx * radius, y + dy * radius)), ink, 0.6 * radius)
    elif kind == 8:
        pen.line(
            ((x - radius, y + 0.5 * radius), (x, y - 0.5 * radius), (x + radius, y + 0.5 * radius)), ink, 0.5 * radius
        )
    else:
        pen.polygon(star(x, y, 1.3 * radius, *((5, 0.46) if kind == 4 else (4, 0.34))), ink)


def draw_back(pen: Pen, kind: str) -> None:
    """Arrows up and down around a turning pair; the same both ways, so that a back does not tell the active value."""
    ground, light = (PLUM, mixed(PLUM, PAPER, 0.25)) if kind == "aid" else (TURQUOISE, mixed(TURQUOISE, PAPER, 0.35))
    dark = mixed(ground, NIGHT, 0.4)
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    with pen.clipped(EDGE_MM, EDGE_MM, WIDE_MM, TALL_MM, 3):
        pen.rectangle(EDGE_MM, EDGE_MM, WIDE_MM, TALL_MM, ground)
        for column in range(6):
            for row in range(-4, 5):
                x, y = CENTRE_X + 10.4 * (column - 2.5), CENTRE_Y + 11.4 * row
                with pen.at(x, y, 180 * (column % 2)):
                    pen.polygon(arrow(9), light if row % 2 else dark)
    pen.circle(CENTRE_X, CENTRE_Y, 16.5, PAPER)
    pen.circle(CENTRE_X, CENTRE_Y, 14.8, ground)
    for turn in (0, 180):
        with pen.at(CENTRE_X, CENTRE_Y, turn):
            draw_swing(pen, 9, GOLD)


def draw_swing(pen: Pen, radius: float, ink: str) -> None:
    """Half a turn: a thick arc with a head."""
    pen.line([away(0, 0, radius, pi * step / 24) for step in range(2, 19)], ink, 4, round_ends=False)
    with pen.at(*away(0, 0, radius, pi * 18 / 24), 180 * 18 / 24):
        pen.polygon(((-0.2, -4.4), (5.2, 0), (-0.2, 4.4)), ink)


def draw_aid(pen: Pen, colour: str, area: int) -> None:
    """An aid card: the turn in short, and the number of the area that it marks when two play."""
    ink = AIDS[colour]
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    pen.rectangle(EDGE_MM, EDGE_MM, WIDE_MM, STRIP_MM, ink, corner=3)
    draw_area(pen, colour, area, PAPER)
    with pen.at(SIZE.width_mm, SIZE.height_mm, 180):
        draw_area(pen, colour, area, ink)
    y = EDGE_MM + STRIP_MM + 4
    pen.text(CENTRE_X, y, "Odrzuć swój zestaw, potem 1 akcja:", 2.1, NIGHT, PLAIN)
    for letter, name, *lines in ACTIONS:
        pen.circle(7.6, y + 8.2, 3.5, ink)
        pen.text(7.6, y + 8.2, letter, 4, PAPER)
        write(pen, 13.2, y + 6.5, name, 2.5, NIGHT, BOLD)
        for line in lines:
            write(pen, 13.2, y + 10.2, line, 1.75, GREY, PLAIN)
            y += 3.2
        y += 6.3
    pen.text(CENTRE_X, y + 6, "Ze stołu na rękę: zawsze obrócone!", 2.1, ink, PLAIN)


def draw_area(pen: Pen, colour: str, area: int, ink: str) -> None:
    """A strip of an aid card: the area's number twice, and the shape of the colour."""
    y = EDGE_MM + 7.5
    for x in (10, SIZE.width_mm - 10):
        pen.text(x, y, str(area), 9, ink)
    pen.text(CENTRE_X, y + 3, "obszar", 2.4, ink, PLAIN)
    if colour == "red":
        pen.rectangle(CENTRE_X - 2.6, y - 5, 5.2, 5.2, ink)
    else:
        pen.circle(CENTRE_X, y - 2.4, 3, ink)


def write(pen: Pen, left: float, y: float, words: str, height: float, ink: str, font: str) -> None:
    """Words that begin at the left."""
    pen.text(left + pen.width(words, height, font) / 2, y, words, height, ink, font)


def ground_of(value: int) -> str:
    """The colour of a value; after the last colour the first comes again."""
    return INKS[(value - 1) % len(INKS)]


def ink_on(value: int) -> str:
    """What is legible on the colour of a value."""
    return NIGHT if value % 2 else PAPER


def wave() -> list[Point]:
    """The line between the halves, from left to right; the same line when turned."""
    steps = [EDGE_MM + WIDE_MM * step / 40 for step in range(41)]
    return [(x, CENTRE_Y - SWING_MM * sin(pi * (x - CENTRE_X) / WIDE_MM)) for x in steps]


def away(x: float, y: float, length: float, angle: float) -> Point:
    """The point so far from (x, y), clockwise from up."""
    return x + length * sin(angle), y - length * cos(angle)


def arrow(height: float) -> list[Point]:
    """The corners of an arrow that points up."""
    right = ((0.0, -0.5), (0.42, -0.06), (0.16, -0.06), (0.16, 0.5))
    return [(height * dx, height * dy) for dx, dy in (*right, *((-dx, dy) for dx, dy in reversed(right[1:])))]
