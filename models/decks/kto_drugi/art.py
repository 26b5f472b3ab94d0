"""Kto drugi: race cards with a hare that runs ahead or a crayfish that backs off, colour cards, the track, figures."""

from functools import partial
from math import cos, pi, sin

from models.art.pen import Pen, Point, Size, mixed, oval, ring, star
from models.art.sheets import PrintPiece
from models.cards import Card, DeckError

SIZE = Size(63, 88, 4)
PAPER, NIGHT, GOLD = "#ffffff", "#2a2438", "#f6b800"
AHEAD, BACK, CINDER, LAWN = "#00757f", "#d9480f", "#b4482f", "#2f7d4f"
EDGE_MM, STRIP_MM = 2.5, 12.5
INKS = {
    "red": "#cc1f33",
    "orange": "#f08a00",
    "green": "#1f9646",
    "blue": "#1d5fd0",
    "purple": "#7b35a8",
    "grey": "#6a717c",
    "yellow": "#f2c500",
    "pink": "#e85fa2",
    "black": "#1c1c22",
    "brown": "#7a4a24",
}
NAMES = {
    "red": "czerwony",
    "orange": "pomarańczowy",
    "green": "zielony",
    "blue": "niebieski",
    "purple": "fioletowy",
    "grey": "szary",
    "yellow": "żółty",
    "pink": "różowy",
    "black": "czarny",
    "brown": "brązowy",
}
PLATES = (NIGHT, "#c2185b", "#1d5fd0", "#8a4b08", "#1f7a3a", "#7b35a8")
"""The start numbers of one value take turns: whoever cannot make out the digits still sees which card it is."""
FIGURES = ("red", "orange", "green", "blue", "purple", "grey")
"""The figures in the box, and whose lane is whose from the top of the track."""
FIGURE_MM = 20.0
FIGURE = Size(FIGURE_MM, FIGURE_MM, FIGURE_MM / 2)
LANES, LANE_MM = 6, 21.0
SPACE_MM = (17.0, LANES * LANE_MM)
"""Width and height of a space: all six figures fit on one, each in its own lane."""
START = 0
TRACK = (tuple(range(-12, 2)), tuple(range(2, 17)))
"""The spaces of both halves from left to right, START being 0."""
HALF = Size(264, 156, 0)
"""One half; they are joined at the right edge of the first and the left edge of the second."""
TRACK_TOP_MM = (HALF.height_mm - SPACE_MM[1]) / 2


def size_of(card: Card) -> Size:
    """All cards are of one size."""
    return SIZE


def draw_face(pen: Pen, card: Card) -> None:
    """A face. Both short edges carry the whole identity; only the upper one has a bar, so that up is known."""
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    draw_strip, draw_middle = (
        (draw_colour_strip, draw_colour_field) if card.kind == "colour" else (draw_race_strip, draw_race_field)
    )
    draw_middle(pen, card)
    for turned in (False, True):
        with pen.at(SIZE.width_mm if turned else 0, SIZE.height_mm if turned else 0, 180 if turned else 0):
            draw_strip(pen, card)
    pen.rectangle(EDGE_MM + 2, EDGE_MM, SIZE.width_mm - 2 * EDGE_MM - 4, 1.3, NIGHT, corner=0.6)


def draw_race_strip(pen: Pen, card: Card) -> None:
    """What stays in sight when another card lies on top: signed value, animal, white number."""
    value, y = card.number("value"), EDGE_MM + 7.2
    ink = ink_of(value)
    if value < 0:
        pen.rectangle(4, y - 4.4, 8.8, 8.8, ink, corner=1)
    elif value > 0:
        pen.circle(8.4, y, 4.7, ink)
    draw_sign(pen, 8.4, y, 6, value, PAPER)
    digits = str(abs(value))
    pen.number(14.6 + min(pen.width(digits, 8.8), 11) / 2, y, digits, fitted(pen, digits, 8.8, 11), ink)
    draw_animal(pen, value, 28.7, y + 0.2, 10.5, ink, PAPER)
    draw_white_number(pen, card.number("white"), 36, y - 5.1, 23.2, 11)


def draw_race_field(pen: Pen, card: Card) -> None:
    """The middle: ahead is white on a full field, back is coloured on a pale field, so that grey pictures tell."""
    value = card.number("value")
    ink, left, top, side = ink_of(value), EDGE_MM + 1.5, EDGE_MM + STRIP_MM + 1.5, 55.0
    ground, writing = (mixed(BACK, PAPER, 0.84), BACK) if value < 0 else (ink, PAPER)
    with pen.clipped(left, top, side, side, 5):
        pen.rectangle(left, top, side, side, ground)
        for row, (start, length) in enumerate(((3, 20), (24, 31), (-4, 26), (34, 25), (8, 34), (40, 20), (-3, 14))):
            x = side - start - length if value < 0 else start
            pen.rectangle(left + x, top + 4 + 6.6 * row, length, 1.5, mixed(ground, writing, 0.13), corner=0.7)
    digits, y = str(abs(value)), top + 20.5
    height = fitted(pen, digits, 28, 32)
    width = pen.width(digits, height)
    sign = 18 if value else 0
    x = SIZE.width_mm / 2 - (width + sign) / 2
    draw_sign(pen, x + 7.5, y, 15, value, writing)
    pen.number(x + sign + width / 2, y, digits, height, writing)
    draw_white_number(pen, card.number("white"), left + 2, top + side - 16.5, 25, 14.5)
    steps, y = min(abs(value), 6), top + side - 8
    for step in range(steps):
        x, way = 37 + (step - (steps - 1) / 2) * min(4, 10 / steps), -1 if value < 0 else 1
        pen.line(((x - way, y - 3), (x + way, y), (x - way, y + 3)), writing, 1.2)
    draw_animal(pen, value, 50.4, y, 14, writing, ground)


def draw_white_number(pen: Pen, white: int, x: float, y: float, width: float, height: float) -> None:
    """The white number on a start number that is narrower at the top and has a bar at the bottom."""
    ink = PLATES[white // 2 % len(PLATES)]
    corners = ((x + 0.1 * width, y), (x + 0.9 * width, y), (x + width, y + height), (x, y + height))
    pen.polygon(corners, ink, ink, 0.4)
    digits = str(white)
    pen.text(x + width / 2, y + 0.43 * height, digits, fitted(pen, digits, 0.7 * height, 0.74 * width), PAPER)
    pen.rectangle(x + 0.13 * width, y + 0.83 * height, 0.74 * width, 0.1 * height, GOLD, corner=0.6)


def draw_sign(pen: Pen, x: float, y: float, size: float, value: int, ink: str) -> None:
    """A heavy minus, a heavy plus, or nothing for nought."""
    bar = 0.27 * size
    if value:
        pen.rectangle(x - size / 2, y - bar / 2, size, bar, ink, corner=bar / 4)
    if value > 0:
        pen.rectangle(x - bar / 2, y - size / 2, bar, size, ink, corner=bar / 4)


def draw_animal(pen: Pen, value: int, x: float, y: float, width: float, ink: str, ground: str) -> None:
    """A hare that runs to the right, or a crayfish that backs off to the left."""
    with pen.at(x, y, scale=width / 26):
        if value < 0:
            draw_crayfish(pen, ink, ground)
        else:
            draw_hare(pen, ink, ground)


def draw_hare(pen: Pen, ink: str, ground: str) -> None:
    """At full stretch, 26 mm long, the middle at (0, 0)."""
    for ear in ((3.4, -6.2, 25), (2.2, -4.2, 8)):
        pen.polygon(oval(ear[0], ear[1], 9, 2.9, ear[2]), ink)
    pen.polygon(oval(-1.5, 0.6, 16, 7.6, -8), ink)
    pen.polygon(oval(-6, 1.4, 9, 8.4), ink)
    pen.polygon(oval(8.6, -2.4, 7.6, 5.8, 12), ink)
    pen.circle(-11, -1.6, 2.1, ink)
    pen.line(((-6, 3.5), (-9, 6.6), (-13, 6.8)), ink, 2.4)
    pen.line(((-4, 3.5), (-6.4, 7), (-9.5, 8.2)), ink, 2.2)
    pen.line(((4, 1.5), (8, 5), (12, 5.4)), ink, 2.2)
    pen.line(((3, 2), (6, 6.4), (9.4, 7.6)), ink, 2)
    pen.circle(9.6, -3.2, 0.9, ground)


def draw_crayfish(pen: Pen, ink: str, ground: str) -> None:
    """Seen from above, the tail to the left where it goes, the claws to the right; 26 mm long."""
    for side in (-1, 1):
        for leg in (-1.5, 1, 3.5):
            pen.line(((leg, 0), (leg - 0.8, 5.2 * side), (leg - 2.6, 7.2 * side)), ink, 1.1)
        pen.line(((4.5, 1.5 * side), (5.5, 5.2 * side), (8.4, 5.8 * side)), ink, 1.8)
        pen.polygon(oval(10, 5.3 * side, 7.4, 4.8, -12 * side), ink)
        pen.polygon(((10.2, 5 * side), (14.4, 3.4 * side), (14.4, 5.6 * side)), ground)
        pen.line(((6.6, 1.2 * side), (10.8, 1.6 * side)), ink, 0.7)
        pen.polygon(oval(-11, 2.7 * side, 5, 3, 38 * side), ink)
    pen.polygon(oval(3, 0, 9.6, 6.6), ink)
    for ring_number in range(4):
        pen.polygon(oval(-1.8 - 2.5 * ring_number, 0, 3.1, 5.9 - 0.7 * ring_number), ink)
    pen.polygon(oval(-11.6, 0, 4.4, 2.8), ink)
    for side in (-1, 1):
        pen.circle(5.8, 1.5 * side, 0.8, ground)


def draw_colour_strip(pen: Pen, card: Card) -> None:
    """The colour's shape at both ends and its name between them."""
    colour, y = colour_of(card), EDGE_MM + 7.2
    for x in (8.2, SIZE.width_mm - 8.2):
        draw_shape(pen, colour, x, y, 4, INKS[colour], PAPER)
    pen.text(SIZE.width_mm / 2, y - 0.6, NAMES[colour], fitted(pen, NAMES[colour], 5.4, 34), NIGHT)


def draw_colour_field(pen: Pen, card: Card) -> None:
    """A field of the colour with its shape as large as it goes."""
    colour = colour_of(card)
    ink, left, top, side = INKS[colour], EDGE_MM + 1.5, EDGE_MM + STRIP_MM + 1.5, 55.0
    with pen.clipped(left, top, side, side, 5):
        pen.rectangle(left, top, side, side, ink)
        for lane in range(5):
            pen.circle(SIZE.width_mm / 2, SIZE.height_mm / 2, 24 + 5 * lane, None, mixed(ink, PAPER, 0.22), 0.8)
    draw_shape(pen, colour, SIZE.width_mm / 2, SIZE.height_mm / 2, 17, PAPER, ink)


def draw_shape(pen: Pen, colour: str, x: float, y: float, radius: float, ink: str, ground: str) -> None:
    """The colour's own shape, for those who cannot tell the colours."""
    if colour == "red":
        pen.polygon(ring(x, y + 0.2 * radius, 1.25 * radius, 3), ink)
    elif colour == "orange":
        pen.polygon(star(x, y + 0.05 * radius, 1.2 * radius), ink)
    elif colour == "green":
        for corner_x, corner_y in ring(x, y, 0.62 * radius, 4, 45):
            pen.circle(corner_x, corner_y, 0.54 * radius, ink)
        pen.circle(x, y, 0.4 * radius, ink)
    elif colour == "blue":
        pen.circle(x, y, radius, ink)
    elif colour == "purple":
        pen.crescent(x - 0.1 * radius, y, 1.1 * radius, ink, ground)
    elif colour == "grey":
        pen.polygon(ring(x, y, 1.25 * radius, 4, 45), ink)
    elif colour == "yellow":
        pen.polygon(star(x, y, 1.15 * radius, 12, 0.7), ink)
    elif colour == "pink":
        pen.polygon(heart(x, y, radius), ink)
    elif colour == "black":
        pen.circle(x, y, radius, ink)
        pen.circle(x, y, 0.5 * radius, ground)
    else:
        pen.polygon(star(x, y, 1.25 * radius, 4, 0.36), ink)


def heart(x: float, y: float, radius: float) -> list[Point]:
    """The outline of a heart."""
    turns = (2 * pi * step / 60 for step in range(60))
    return [
        (
            x + radius * sin(turn) ** 3,
            y - radius * (0.8 * cos(turn) - 0.3 * cos(2 * turn) - 0.12 * cos(3 * turn) - 0.05 * cos(4 * turn)),
        )
        for turn in turns
    ]


def draw_back(pen: Pen, kind: str) -> None:
    """A running track from above; in the middle a podium where the second stands highest, or the six shapes."""
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    width, height = SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * EDGE_MM
    lawn = NIGHT if kind == "colour" else LAWN
    pen.rectangle(EDGE_MM, EDGE_MM, width, height, lawn, corner=3)
    for lane in range(4):
        inset = EDGE_MM + 2 + 3.7 * lane
        size = (SIZE.width_mm - 2 * inset, SIZE.height_mm - 2 * inset)
        pen.rectangle(inset, inset, *size, CINDER if lane < 3 else lawn, PAPER, 0.6, corner=25 - 3.7 * lane)
    middle_x, middle_y = SIZE.width_mm / 2, SIZE.height_mm / 2
    for row in range(2):
        for column in range(6):
            ink = PAPER if (row + column) % 2 else NIGHT
            pen.rectangle(EDGE_MM + 2 + 1.85 * column, middle_y - 1.85 + 1.85 * row, 1.85, 1.85, ink)
    if kind == "colour":
        pen.circle(middle_x, middle_y, 14.2, PAPER)
        for colour, (x, y) in zip(FIGURES, ring(middle_x, middle_y, 9.2, len(FIGURES)), strict=True):
            draw_shape(pen, colour, x, y, 2.9, INKS[colour], PAPER)
    else:
        for place, x, step in (("1", -8.4, 9), ("3", 8.4, 6.5), ("2", 0, 18)):
            top = middle_y + 12 - step
            pen.rectangle(middle_x + x - 4.4, top, 8.8, step, GOLD if place == "2" else PAPER, NIGHT, 0.5)
            pen.text(middle_x + x, top + step / 2, place, 9 if place == "2" else 4, NIGHT)
        pen.polygon(star(middle_x, middle_y - 12.5, 6), GOLD, NIGHT, 0.5)


def space_centre(half: int, space: int) -> Point:
    """The middle of a space on its half, in millimetres from the top left corner of that half."""
    left = HALF.width_mm - SPACE_MM[0] * len(TRACK[0]) if half == 0 else 0.0
    return left + SPACE_MM[0] * (TRACK[half].index(space) + 0.5), HALF.height_mm / 2


def lane_centre(half: int, space: int, lane: int) -> Point:
    """Where the figure of a lane stands on a space of a half; lanes count from 0 at the top."""
    x, y = space_centre(half, space)
    return x, y + LANE_MM * (lane - (LANES - 1) / 2)


def track_place(space: int, lane: int) -> Point:
    """The same on the joined board, in millimetres from its middle."""
    half = 0 if space in TRACK[0] else 1
    x, y = lane_centre(half, space, lane)
    return x + half * HALF.width_mm - HALF.width_mm, y - HALF.height_mm / 2


def draw_track_half(pen: Pen, half: int) -> None:
    """One half of the track: numbers above and below the lanes, where no figure hides them."""
    pen.rectangle(0, 0, HALF.width_mm, HALF.height_mm, PAPER)
    outer_left = space_centre(0, TRACK[0][0])[0] - SPACE_MM[0] / 2
    last = space_centre(1, TRACK[1][-1])[0] + SPACE_MM[0] / 2
    left, right = (EDGE_MM, HALF.width_mm) if half == 0 else (0, HALF.width_mm - EDGE_MM)
    pen.rectangle(left, EDGE_MM, right - left, HALF.height_mm - 2 * EDGE_MM, CINDER)
    for space in TRACK[half]:
        draw_space(pen, half, space)
    for lane in range(1, LANES):
        y = TRACK_TOP_MM + LANE_MM * lane
        ends = (outer_left, HALF.width_mm) if half == 0 else (0.0, last)
        pen.line(((ends[0], y), (ends[1], y)), CINDER, 0.6, round_ends=False)
    if half == 0:
        draw_title(pen, (EDGE_MM + outer_left) / 2)


def draw_space(pen: Pen, half: int, space: int) -> None:
    """A space: pale, the further from START the stronger; START is white and shows whose lane is whose."""
    x, y = space_centre(half, space)
    tint = mixed(PAPER, ink_of(space), 0.1 + 0.012 * abs(space)) if space else PAPER
    pen.rectangle(x - SPACE_MM[0] / 2, TRACK_TOP_MM, *SPACE_MM, tint, CINDER, 0.6)
    for turn in (0, 180):
        # Each long side is read from where it is near.
        with pen.at(x, y, turn):
            draw_space_number(pen, space, SPACE_MM[1] / 2 + (TRACK_TOP_MM - EDGE_MM) / 2 - 0.4)
    if space == START:
        for lane, colour in enumerate(FIGURES):
            draw_shape(pen, colour, x, lane_centre(half, space, lane)[1], 5.5, mixed(INKS[colour], PAPER, 0.72), PAPER)
    elif space % 5 == 0:
        for lane in range(LANES):
            draw_chevron(pen, space, lane_centre(half, space, lane), mixed(PAPER, ink_of(space), 0.34))


def draw_space_number(pen: Pen, space: int, y: float) -> None:
    """The number of a space, or START."""
    words = str(abs(space)) if space else "START"
    height, shift = fitted(pen, words, 5.6, SPACE_MM[0] - 2), 1.7 if space < 0 else 0
    pen.number(shift, y, words, height, PAPER)
    if space < 0:
        draw_sign(pen, shift - pen.width(words, height) / 2 - 2.1, y, 3, space, PAPER)


def draw_chevron(pen: Pen, space: int, middle: Point, ink: str) -> None:
    """An arrow head away from START."""
    (x, y), way = middle, -1 if space < 0 else 1
    pen.line(((x - 1.6 * way, y - 4), (x + 1.6 * way, y), (x - 1.6 * way, y + 4)), ink, 1.5)


def draw_title(pen: Pen, x: float) -> None:
    """The name of the game and both racers beside the far end."""
    with pen.at(x, HALF.height_mm / 2, turn=-90):
        pen.text(0, 0, "Kto drugi, ten lepszy", 6.6, PAPER)
        for value, side in ((1, 62), (-1, -62)):
            draw_animal(pen, value, side, 0, 16, PAPER, CINDER)


def draw_figure(pen: Pen, colour: str) -> None:
    """A disc of FIGURE_MM with the colour's shape, seen from above."""
    middle = FIGURE_MM / 2
    pen.circle(middle, middle, middle, NIGHT)
    pen.circle(middle, middle, middle - 0.9, INKS[colour])
    draw_shape(pen, colour, middle, middle, 5.6, PAPER, INKS[colour])


def extras() -> tuple[PrintPiece, ...]:
    """What else is in the box: the track and the figures."""
    discs = (partial(draw_figure, colour=colour) for colour in FIGURES)
    return (*track_pieces(), *(PrintPiece(disc, disc, FIGURE) for disc in discs))


def track_pieces() -> tuple[PrintPiece, ...]:
    """Both halves of the track, upright on the page."""
    page = Size(HALF.height_mm, HALF.width_mm, HALF.corner_mm)
    return tuple(PrintPiece(partial(draw_half_upright, half=half), None, page) for half in range(len(TRACK)))


def draw_half_upright(pen: Pen, half: int) -> None:
    """A half turned a quarter to the right, as it fits on upright paper."""
    with pen.at(HALF.height_mm, 0, 90):
        draw_track_half(pen, half)


def ink_of(value: int) -> str:
    """The colour of a way: ahead or back."""
    return BACK if value < 0 else AHEAD


def colour_of(card: Card) -> str:
    """The card's colour, if there is an ink for it."""
    colour = card.word("colour")
    if colour not in INKS:
        raise DeckError(f"card {card.code!r}: colour = {colour!r}, wanted one of {', '.join(INKS)}")
    return colour


def fitted(pen: Pen, words: str, height: float, width: float) -> float:
    """The height at which words are at most so wide."""
    return min(height, height * width / pen.width(words, height))
