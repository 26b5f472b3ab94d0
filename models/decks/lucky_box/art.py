"""Lucky Box: box cards with a grid to cross off and bonuses to circle, number cards, tokens and the score sheet."""

from functools import partial
from math import cos, pi, sin

from models.art.pen import PLAIN, Pen, Point, Size, bolt, mixed, oval, star
from models.art.sheets import PrintPiece
from models.cards import Card, DeckError

SIZE = Size(63, 88, 4)
PAPER, GRAPE, SUN, RASPBERRY, INDIGO = "#ffffff", "#3f1d6b", "#ffd02e", "#d2245f", "#3550c8"
BANDS = (RASPBERRY, "#0b8266", INDIGO)
"""1 to 3, 4 to 6, 7 to 9: the cells of the grid are tinted like the number cards that cross them off."""
EDGE_MM, STRIP_MM = 2.5, 12.5
CELL_MM, PITCH_MM, GRID_LEFT_MM, GRID_TOP_MM = 13.0, 13.7, 4.4, 17.3
BONUS_MM = 12.0
"""The printed ring of a bonus, to be circled by hand."""
TOKEN_MM = 24.0
TOKEN = Size(TOKEN_MM, TOKEN_MM, TOKEN_MM / 2)
TOKENS = {"lightning": 30, "moon": 24}
SHEET = Size(105, 148, 3)
SHEETS = 6
CARD_POINTS, STAR_POINTS = (15, 12, 10, 8), (1, 4, 9)
SUMS = ("pełne karty", "gwiazdki", "skreślone pola : 2", "księżyce", "RAZEM")


def size_of(card: Card) -> Size:
    """All cards are of one size."""
    return SIZE


def draw_face(pen: Pen, card: Card) -> None:
    """A face. Both short edges carry the whole identity; only the upper one has a bar, so that up is known."""
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    if card.kind == "number":
        draw_call(pen, card.number("number"))
        draw_strip, bar = partial(draw_number_strip, number=card.number("number")), SUN
    else:
        draw_grid(pen, card)
        draw_strip, bar = partial(draw_box_strip, code=card.code), GRAPE
    for turned in (False, True):
        with pen.at(SIZE.width_mm if turned else 0, SIZE.height_mm if turned else 0, 180 if turned else 0):
            draw_strip(pen)
    inset = EDGE_MM + (3 if card.kind == "number" else 2)
    top = EDGE_MM + (0.9 if card.kind == "number" else 0)
    pen.rectangle(inset, top, SIZE.width_mm - 2 * inset, 1.3, bar, corner=0.6)


def draw_box_strip(pen: Pen, code: str) -> None:
    """What stays in sight when another card lies on top: the card number on two gift tags, a bow between them."""
    y = EDGE_MM + 7.2
    for x in (13, SIZE.width_mm - 13):
        draw_tag(pen, code, x, y, 10.4)
    draw_bow(pen, SIZE.width_mm / 2, y, 14)


def draw_tag(pen: Pen, code: str, x: float, y: float, height: float) -> None:
    """A card number on a tag: corners cut at the top, a bar at the bottom, never mistaken upside down."""
    half, top, bottom, cut = 0.78 * height, y - height / 2, y + height / 2, 0.3 * height
    right = ((half - cut, top), (half, top + cut), (half, bottom))
    corners = [*right, *((-dx, corner_y) for dx, corner_y in reversed(right))]
    pen.polygon([(x + dx, corner_y) for dx, corner_y in corners], GRAPE)
    pen.text(x, y - 0.1 * height, code, fitted(pen, code, 0.62 * height, 1.3 * height), PAPER)
    pen.rectangle(x - 0.6 * height, y + 0.32 * height, 1.2 * height, 0.11 * height, SUN, corner=0.05 * height)


def draw_box(pen: Pen, x: float, y: float, height: float, ink: str) -> None:
    """A box from the front, its lid wider than itself."""
    top, corner = y - height / 2, 0.06 * height
    pen.rectangle(x - 0.76 * height, top, 1.52 * height, 0.2 * height, ink, corner=corner)
    pen.rectangle(x - 0.64 * height, top + 0.25 * height, 1.28 * height, 0.75 * height, ink, corner=corner)


def draw_bow(pen: Pen, x: float, y: float, width: float) -> None:
    """A bow of ribbon."""
    for side in (-1, 1):
        pen.polygon(oval(x + 0.28 * side * width, y - 0.1 * width, 0.56 * width, 0.36 * width, 20 * side), RASPBERRY)
        pen.polygon(
            oval(x + 0.3 * side * width, y - 0.1 * width, 0.26 * width, 0.12 * width, 20 * side),
            mixed(RASPBERRY, PAPER, 0.55),
        )
        pen.line(((x, y), (x + 0.2 * side * width, y + 0.34 * width)), RASPBERRY, 0.14 * width)
    pen.circle(x, y, 0.14 * width, RASPBERRY, PAPER, 0.05 * width)


def cell_centre(cell: int) -> Point:
    """The middle of a cell of the grid, counted row by row from 0."""
    row, column = divmod(cell, 3)
    return (
        GRID_LEFT_MM + PITCH_MM * column + CELL_MM / 2,
        GRID_TOP_MM + PITCH_MM * row + CELL_MM / 2,
    )


def row_centre(row: int) -> Point:
    """The middle of the bonus at the right end of a row."""
    return 53.2, cell_centre(3 * row)[1]


def column_centre(column: int) -> Point:
    """The middle of the bonus under a column."""
    return cell_centre(column)[0], 65.4


def draw_grid(pen: Pen, card: Card) -> None:
    """The grid with room for crosses, bonuses to the right and below, and the card number in the lower right."""
    top = EDGE_MM + STRIP_MM + 0.7
    pen.rectangle(EDGE_MM, top, SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * top, SUN, corner=3)
    for line in range(3):
        (x, y), (ring_x, ring_y) = cell_centre(3 * line), row_centre(line)
        pen.line(((x, y), (ring_x, ring_y)), GRAPE, 1)
        (x, y), (ring_x, ring_y) = cell_centre(line), column_centre(line)
        pen.line(((x, y), (ring_x, ring_y)), GRAPE, 1)
    for cell, digit in enumerate(card.row("grid")):
        x, y = cell_centre(cell)
        left, upper = x - CELL_MM / 2, y - CELL_MM / 2
        pen.rectangle(left, upper, CELL_MM, CELL_MM, mixed(PAPER, band_of(int(digit)), 0.13), GRAPE, 0.5, corner=1.6)
        pen.number(x, y - (0.7 if digit in "69" else 0), digit, 7.4, GRAPE)
    for row, bonus in enumerate(card.row("rows")):
        draw_bonus(pen, bonus, *row_centre(row))
    for column, bonus in enumerate(card.row("cols")):
        draw_bonus(pen, bonus, *column_centre(column))
    draw_tag(pen, card.code, row_centre(0)[0], column_centre(0)[1], 8.2)


def draw_bonus(pen: Pen, bonus: str, x: float, y: float) -> None:
    """A bonus in its ring; a line without one ends in a dot."""
    if bonus == "-":
        pen.circle(x, y, 1, GRAPE)
        return
    pen.circle(x, y, BONUS_MM / 2, PAPER, mixed(GRAPE, PAPER, 0.45), 0.4)
    if bonus == "L":
        draw_bolt(pen, x, y, 9.6)
    elif bonus == "D":
        draw_bolt(pen, x - 2.1, y - 0.3, 8)
        draw_bolt(pen, x + 2.1, y + 0.3, 8)
    elif bonus == "S":
        pen.polygon(star(x, y + 0.3, 5), RASPBERRY, GRAPE, 0.4)
    elif bonus == "M":
        pen.crescent(x - 0.3, y, 4.3, INDIGO, PAPER)
    elif bonus == "?" or bonus.isdigit():
        pen.rectangle(x - 3.9, y - 3.9, 7.8, 7.8, GRAPE, corner=1.1)
        pen.number(x, y - (0.5 if bonus in "69" else 0), bonus, 5, SUN if bonus == "?" else PAPER)
    else:
        raise DeckError(f"bonus {bonus!r}, wanted a digit or one of ? L D S M -")


def draw_bolt(pen: Pen, x: float, y: float, height: float) -> None:
    """A lightning bolt."""
    pen.polygon(bolt(x, y, height), SUN, GRAPE, 0.45)


def draw_call(pen: Pen, number: int) -> None:
    """A number card: a ball on a field of the number's own band."""
    ink, ray = band_of(number), mixed(band_of(number), PAPER, 0.16)
    width, height = SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * EDGE_MM
    x, y = SIZE.width_mm / 2, SIZE.height_mm / 2
    with pen.clipped(EDGE_MM, EDGE_MM, width, height, 3):
        pen.rectangle(EDGE_MM, EDGE_MM, width, height, ink)
        top = EDGE_MM + STRIP_MM + 1
        with pen.clipped(EDGE_MM, top, width, SIZE.height_mm - 2 * top):
            draw_rays(pen, x, y, 45, ray)
    pen.circle(x, y, 26.5, SUN)
    pen.circle(x, y, 23.5, PAPER)
    pen.number(x, y - (2.4 if number in (6, 9) else 0), str(number), fitted(pen, str(number), 29, 36), ink)


def draw_rays(pen: Pen, x: float, y: float, length: float, ink: str) -> None:
    """Twelve rays around a point."""
    for ray in range(12):
        start, end = pi * (2 * ray - 0.5) / 12, pi * (2 * ray + 0.5) / 12
        tips = ((x + length * sin(angle), y - length * cos(angle)) for angle in (start, end))
        pen.polygon(((x, y), *tips), ink)


def draw_number_strip(pen: Pen, number: int) -> None:
    """The number at both ends, and between them where it stands on a small grid of 1 to 9."""
    y = EDGE_MM + 7.7
    for x in (11, SIZE.width_mm - 11):
        pen.number(x, y - (0.6 if number in (6, 9) else 0), str(number), fitted(pen, str(number), 8.4, 14), PAPER)
    draw_pad(pen, SIZE.width_mm / 2, y, 9.6, number, SUN, mixed(band_of(number), PAPER, 0.3))


def draw_pad(pen: Pen, x: float, y: float, size: float, number: int, lit: str, unlit: str) -> None:
    """Nine squares, one of them lit."""
    pitch = size / 3
    for cell in range(9):
        row, column = divmod(cell, 3)
        left, top = x + (column - 1.5) * pitch, y + (row - 1.5) * pitch
        ink = lit if cell == number - 1 else unlit
        pen.rectangle(left + 0.06 * pitch, top + 0.06 * pitch, 0.88 * pitch, 0.88 * pitch, ink, corner=0.15 * pitch)


def draw_back(pen: Pen, kind: str) -> None:
    """Box cards: a box full of luck on sunny paper; number cards: nine squares in a ball on grape."""
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    width, height = SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * EDGE_MM
    x, y = SIZE.width_mm / 2, SIZE.height_mm / 2
    ground = GRAPE if kind == "number" else SUN
    with pen.clipped(EDGE_MM, EDGE_MM, width, height, 3):
        pen.rectangle(EDGE_MM, EDGE_MM, width, height, ground)
        for row in range(9):
            for column in range(6):
                spot = 4 + 12 * column + 6 * (row % 2), 6 + 9.6 * row
                if kind == "number":
                    ink = mixed(BANDS[(row + column) % 3], GRAPE, 0.25)
                    pen.circle(*spot, 3.2, ink)
                else:
                    draw_box(pen, *spot, 4.6, mixed(SUN, "#e08a00", 0.45))
    if kind == "number":
        pen.circle(x, y, 20, SUN)
        pen.circle(x, y, 17.6, PAPER)
        draw_pad(pen, x, y, 22, 5, RASPBERRY, GRAPE)
        return
    paper = mixed(SUN, PAPER, 0.72)
    pen.circle(x, y, 23, PAPER)
    pen.circle(x, y, 21.2, paper)
    pen.polygon(star(x, y - 12.5, 5.8), RASPBERRY, GRAPE, 0.5)
    draw_bolt(pen, x - 11, y - 6.5, 11)
    pen.crescent(x + 10.8, y - 7, 4.2, INDIGO, paper)
    draw_box(pen, x, y + 8.5, 14, GRAPE)
    pen.rectangle(x - 1.6, y + 1.5, 3.2, 14, RASPBERRY)
    draw_bow(pen, x, y - 0.6, 13)


def draw_token(pen: Pen, kind: str) -> None:
    """A round token of TOKEN_MM: a lightning or a moon."""
    middle = TOKEN_MM / 2
    ground = SUN if kind == "lightning" else INDIGO
    pen.circle(middle, middle, middle, GRAPE)
    pen.circle(middle, middle, middle - 1, ground)
    if kind == "lightning":
        pen.polygon(bolt(middle, middle, 17), GRAPE, GRAPE, 0.8)
    else:
        pen.crescent(middle - 0.8, middle, 8, "#fff3c4", ground)


def star_centre(round_number: int, number: int) -> Point:
    """Where a star of a round stands on the score sheet; rounds count from 1, stars from 0."""
    return 30.0 + 15.5 * number, 36.5 + 16.4 * (round_number - 1)


def draw_score_sheet(pen: Pen) -> None:
    """Four rounds with three stars each and the points of completed cards, then the sums."""
    pen.rectangle(0, 0, SHEET.width_mm, SHEET.height_mm, PAPER)
    left, right = EDGE_MM + 2, SHEET.width_mm - EDGE_MM - 2
    pen.rectangle(EDGE_MM, EDGE_MM, SHEET.width_mm - 2 * EDGE_MM, 17, SUN, corner=3)
    draw_box(pen, 14.5, 11.6, 8, GRAPE)
    draw_bow(pen, 14.5, 7, 7)
    write(pen, 24, 11, "Punkty", 4.8, GRAPE)
    pen.rectangle(54, 5.5, right - 55, 11, PAPER, corner=2)
    write(pen, 56, 8, "imię", 1.9, mixed(GRAPE, PAPER, 0.35), PLAIN)
    for x, words in ((11.5, "runda"), (star_centre(1, 1)[0], "gwiazdki"), (86.5, "pełne karty")):
        pen.text(x, 23.9, words, 2.8, GRAPE, PLAIN)
    for round_number, points in enumerate(CARD_POINTS, 1):
        draw_round(pen, round_number, points)
    for number, words in enumerate(SUMS):
        y = 97 + 9.7 * number
        total = number == len(SUMS) - 1
        pen.rectangle(left, y, right - left, 8.7, SUN if total else mixed(PAPER, SUN, 0.22), corner=2)
        write(pen, left + 4, y + 4.2, words, 3.6 if total else 3.2, GRAPE)
        if words == "księżyce":
            write(pen, 35, y + 4.2, "najwięcej +6, najmniej −6", 2.2, mixed(GRAPE, PAPER, 0.25), PLAIN)
        pen.rectangle(77, y + 1, right - 78.2, 6.7, PAPER, GRAPE, 0.8 if total else 0.4, corner=1.2)


def draw_round(pen: Pen, round_number: int, points: int) -> None:
    """A round: its number, stars that are circled from the left, and a box for its cards."""
    y = star_centre(round_number, 0)[1]
    pen.rectangle(EDGE_MM + 2, y - 7.7, SHEET.width_mm - 2 * EDGE_MM - 4, 15.4, mixed(PAPER, SUN, 0.22), corner=2.5)
    pen.rectangle(6.5, y - 5, 10, 10, GRAPE, corner=1.8)
    pen.text(11.5, y, str(round_number), 6, PAPER)
    for number, worth in enumerate(STAR_POINTS):
        x, _ = star_centre(round_number, number)
        pen.circle(x, y, 6.8, PAPER, mixed(GRAPE, PAPER, 0.45), 0.4)
        pen.polygon(star(x, y + 0.3, 6), RASPBERRY)
        pen.number(x, y + 0.2, str(worth), 3.2, PAPER)
    pen.text(74.5, y, f"{points} ×", 3.4, GRAPE)
    pen.rectangle(81, y - 5.5, 18, 11, PAPER, GRAPE, 0.4, corner=1.5)


def extras() -> tuple[PrintPiece, ...]:
    """What else is in the box: tokens, printed on both sides, and score sheets, two to a page."""
    lying = Size(SHEET.height_mm, SHEET.width_mm, SHEET.corner_mm)
    discs = (partial(draw_token, kind=kind) for kind, count in TOKENS.items() for _ in range(count))
    sheets = (PrintPiece(draw_lying_sheet, None, lying) for _ in range(SHEETS))
    return (*(PrintPiece(disc, disc, TOKEN) for disc in discs), *sheets)


def draw_lying_sheet(pen: Pen) -> None:
    """The score sheet turned a quarter to the right."""
    with pen.at(SHEET.height_mm, 0, 90):
        draw_score_sheet(pen)


def band_of(number: int) -> str:
    """The ink of 1 to 3, of 4 to 6, of 7 to 9."""
    return BANDS[(number - 1) // 3 % len(BANDS)]


def write(pen: Pen, left: float, y: float, words: str, height: float, ink: str, font: str | None = None) -> None:
    """Words that begin at `left`."""
    if font is None:
        pen.text(left + pen.width(words, height) / 2, y, words, height, ink)
    else:
        pen.text(left + pen.width(words, height, font) / 2, y, words, height, ink, font)


def fitted(pen: Pen, words: str, height: float, width: float) -> float:
    """The height at which words are at most so wide."""
    return min(height, height * width / pen.width(words, height))
