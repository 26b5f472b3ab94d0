"""The faces of Trio: a fruit stand. Every number is a fruit in as many pieces; the one without links is golden."""

from dataclasses import dataclass
from math import cos, hypot, pi, sin

from models.art.pen import Pen, Point, Size, mixed, ring, star
from models.art.sheets import PrintPiece
from models.cards import Card

SIZE = Size(63, 88, 4)
PAPER, NIGHT, GOLD, LEAF = "#ffffff", "#2b2140", "#f7b500", "#1f7a3d"
AWNING, CORAL = "#d7263d", "#ff8f6b"
EDGE_MM, STRIP_MM = 2.5, 15
CENTRE_X, CENTRE_Y = SIZE.width_mm / 2, SIZE.height_mm / 2


@dataclass(frozen=True, slots=True)
class Fruit:
    """A cut fruit: the ink of its number, then rind, what lies under it, flesh, and seeds where it has some."""

    ink: str
    rind: str
    pith: str
    flesh: str
    seed: str | None = None


FRUITS = (
    Fruit("#8a6100", "#f2c500", "#fff9d6", "#ffe45c"),  # lemon
    Fruit("#b3122f", "#1f8a45", "#e9f8d8", "#f2405a", "#2b2140"),  # watermelon
    Fruit("#b84a00", "#f58220", "#fff1dc", "#ffa63d"),  # orange
    Fruit("#5b4412", "#7a5c2e", "#d8ee9a", "#8cc63f", "#2b2140"),  # kiwi
    Fruit("#c22a4f", "#f59a6b", "#fff0ea", "#f7637c"),  # grapefruit
    Fruit("#2c7a12", "#4caf1f", "#f3fbd9", "#b6e04c"),  # lime
    Fruit("#8a5a00", "#f7b500", "#fff6d8", "#ffd54a"),  # mirabelle
    Fruit("#45308f", "#4a3aa8", "#efe6ff", "#9a83e6"),  # plum
    Fruit("#a8127c", "#e0189a", "#ffc2e8", "#ffffff", "#2b2140"),  # dragon fruit
    Fruit("#7d0f1f", "#d4521c", "#ffe6d1", "#a8132b"),  # blood orange
    Fruit("#9c4b1c", "#9fb56a", "#eef3cf", "#ffb27a", "#fff3c4"),  # melon
    Fruit("#4a1a52", "#5b2166", "#f6e3ee", "#d9527f", "#ffe08a"),  # fig
)


def size_of(card: Card) -> Size:
    """All cards are of one size."""
    return SIZE


def extras() -> tuple[PrintPiece, ...]:
    """The box holds cards only."""
    return ()


def draw_face(pen: Pen, card: Card) -> None:
    """A face. Both short edges carry the number; the awning is above, the links are price tags in the lower corners."""
    number, links = card.number("number"), card.row("links")
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    if links:
        draw_cloth(pen, number)
        draw_slice(pen, number, CENTRE_X, CENTRE_Y, 23.5)
    else:
        draw_sunburst(pen)
        draw_pineapple(pen, CENTRE_X, CENTRE_Y + 4.5, 36)
    draw_middle(pen, number, CENTRE_Y if links else CENTRE_Y + 4.5)
    draw_awning(pen)
    draw_strip(pen, number, 10, special=not links)
    with pen.at(SIZE.width_mm, SIZE.height_mm, 180):
        draw_strip(pen, number, 19.9 if links else 10, special=not links)
    for place, link in enumerate(links if len(links) > 1 else 2 * links):
        x = 7.6 if place % 2 == 0 else SIZE.width_mm - 7.6
        draw_tag(pen, int(link), x, SIZE.height_mm - 8.6 - 10.5 * (place // 2))


def draw_middle(pen: Pen, number: int, y: float) -> None:
    """The large number, cut out like a sticker, with room for the bar under 6 and 9."""
    height, words = 21.0, str(number)
    if underlined(number):
        y -= 1.5
        width = pen.width(words, height)
        pen.rectangle(
            CENTRE_X - width / 2 - 1.4, y + 0.6 * height - 1.4, width + 2.8, 0.13 * height + 2.8, PAPER, corner=2
        )
    pen.number(CENTRE_X, y, words, height, NIGHT, outline=PAPER)


def underlined(number: int) -> bool:
    """Whether the pen puts a bar under the number."""
    return str(number) in ("6", "9")


def fruit_of(number: int) -> Fruit:
    """The fruit of a number; after the last fruit the first comes again."""
    return FRUITS[(number - 1) % len(FRUITS)]


def draw_strip(pen: Pen, number: int, inset: float, special: bool) -> None:
    """What stays in sight when another card lies on top: the number twice and its fruit."""
    ink, y = NIGHT if special else fruit_of(number).ink, EDGE_MM + 7
    for x in (inset, SIZE.width_mm - inset):
        pen.number(x, y, str(number), 8, ink)
    if special:
        pen.circle(CENTRE_X, y + 0.4, 5.3, PAPER)
        draw_pineapple(pen, CENTRE_X, y + 1.8, 6)
    else:
        draw_slice(pen, number, CENTRE_X, y, 3.4 if inset > 10 and number > 9 else 4)


def draw_slice(pen: Pen, number: int, x: float, y: float, radius: float) -> None:
    """A round slice in as many pieces as the number says."""
    fruit = fruit_of(number)
    pen.circle(x, y, radius, fruit.rind)
    pen.circle(x, y, 0.9 * radius, fruit.pith)
    pen.circle(x, y, 0.82 * radius, fruit.flesh)
    pen.circle(x, y, min(0.3, 0.12 + 0.016 * number) * radius, fruit.pith)
    for piece in range(number):
        angle = 2 * pi * piece / number
        pen.line(((x, y), away(x, y, 0.84 * radius, angle)), fruit.pith, 0.06 * radius, round_ends=False)
        if fruit.seed is not None and radius > 10:
            for turn in (-0.25, 0.25) if number < 6 else (0.0,):
                middle = angle + (1 + turn) * pi / number
                # The bar under a 9 needs its place.
                if cos(middle) > -0.6 or not underlined(number):
                    pen.polygon(drop(x, y, 0.66 * radius, middle, 0.045 * radius), fruit.seed)


def draw_cloth(pen: Pen, number: int) -> None:
    """The checked cloth under a slice."""
    ink = fruit_of(number).rind
    left, top, width, height = panel()
    with pen.clipped(left, top, width, height, 5):
        pen.rectangle(left, top, width, height, mixed(PAPER, ink, 0.12))
        for column in range(0, 11, 2):
            for row in range(-1, 12):
                x, y = CENTRE_X - 27.5 + 5 * column, CENTRE_Y - 27.5 + 5 * row
                pen.rectangle(x, y, 5, 5, mixed(PAPER, ink, 0.25 if row % 2 else 0.42))
        for column in range(1, 11, 2):
            for row in range(0, 12, 2):
                pen.rectangle(CENTRE_X - 27.5 + 5 * column, CENTRE_Y - 27.5 + 5 * row, 5, 5, mixed(PAPER, ink, 0.25))


def draw_sunburst(pen: Pen) -> None:
    """Rays over the whole card behind the golden fruit."""
    width, height = SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * EDGE_MM
    with pen.clipped(EDGE_MM, EDGE_MM, width, height, 3):
        pen.rectangle(EDGE_MM, EDGE_MM, width, height, GOLD)
        for ray in range(0, 28, 2):
            edges = (away(CENTRE_X, CENTRE_Y, 60, pi * (ray + side) / 14) for side in (-0.5, 0.5))
            pen.polygon(((CENTRE_X, CENTRE_Y), *edges), mixed(GOLD, PAPER, 0.4))


def draw_pineapple(pen: Pen, x: float, y: float, height: float) -> None:
    """A pineapple with its crown, body centred on (x, y)."""
    width = 0.84 * height
    with pen.at(x, y):
        for turn in (-58, 58, -30, 30, 0):
            length = 0.5 * height if turn else 0.42 * height
            with pen.at(0, -0.36 * height, turn):
                blade = ((0.13 * height, -0.2 * height), (0, -length), (-0.13 * height, -0.2 * height))
                pen.polygon(((0, 0.1 * height), *blade), mixed(LEAF, PAPER, 0.2 if abs(turn) == 30 else 0))
        with pen.clipped(-width / 2, -height / 2, width, height, 0.42 * height):
            pen.rectangle(-width / 2, -height / 2, width, height, "#f39a12")
            for place in range(-6, 7):
                shift = 0.19 * height * place
                for way in (-1, 1):
                    ends = ((shift - way * height, -height), (shift + way * height, height))
                    pen.line(ends, "#b85c00", 0.025 * height)


def draw_awning(pen: Pen) -> None:
    """The striped awning at the upper edge: this way is up."""
    stripes, left = 17, EDGE_MM + 1.5
    width = (SIZE.width_mm - 2 * left) / stripes
    with pen.clipped(left, EDGE_MM, SIZE.width_mm - 2 * left, 4):
        for stripe in range(stripes):
            colour = mixed(AWNING, PAPER, 0.8 * (stripe % 2))
            x = left + width * stripe
            pen.rectangle(x, EDGE_MM, width, 1, colour)
            pen.circle(x + width / 2, EDGE_MM + 1, width / 2, colour)


def draw_tag(pen: Pen, link: int, x: float, y: float) -> None:
    """A price tag with a linked number, in the colour of that number."""
    ink = fruit_of(link).ink
    roof = ((x - 4, y - 2.6), (x - 1.8, y - 5), (x + 1.8, y - 5), (x + 4, y - 2.6))
    tag = (*roof, (x + 4, y + 5), (x - 4, y + 5))
    pen.polygon(tag, ink)
    pen.circle(x, y - 3.2, 0.8, PAPER)
    pen.number(x, y + 1, str(link), 4.2, PAPER)


def draw_avocado(pen: Pen, x: float, y: float, height: float, turn: float) -> None:
    """Half an avocado with its stone."""
    with pen.at(x, y, turn):
        for share, colour in ((1.0, "#2f5d1e"), (0.88, "#9ccb3b"), (0.7, "#e9f2a4")):
            pen.polygon(pear(share * height), colour)
        pen.circle(0, 0.17 * height, 0.185 * height, "#7a4a21")
        pen.circle(-0.05 * height, 0.12 * height, 0.05 * height, "#a9713f")


def draw_back(pen: Pen, kind: str) -> None:
    """Avocados, head to tail, so that a back never tells which way up its face is."""
    pen.rectangle(0, 0, SIZE.width_mm, SIZE.height_mm, PAPER)
    left, top = EDGE_MM, EDGE_MM
    width, height = SIZE.width_mm - 2 * EDGE_MM, SIZE.height_mm - 2 * EDGE_MM
    with pen.clipped(left, top, width, height, 3):
        pen.rectangle(left, top, width, height, CORAL)
        for row in range(8):
            for column in range(-3, 4):
                x, y = CENTRE_X + 13 * (column + 0.25 - 0.5 * (row % 2)), CENTRE_Y + 11.5 * (row - 3.5)
                if hypot(x - CENTRE_X, y - CENTRE_Y) > 17:
                    draw_avocado(pen, x, y, 10.5, 20 + 180 * (row % 2))
    pen.polygon(star(CENTRE_X, CENTRE_Y, 17, 24, 0.93), PAPER)
    pen.circle(CENTRE_X, CENTRE_Y, 14.2, mixed(CORAL, PAPER, 0.7))
    for side in (-1, 1):
        draw_avocado(pen, CENTRE_X + 6.4 * side, CENTRE_Y + 0.5 * side, 17, 16 + 90 * (1 + side))


def panel() -> tuple[float, float, float, float]:
    """The picture between the strips: left, top, width, height."""
    left, top = EDGE_MM + 1.5, EDGE_MM + STRIP_MM
    return left, top, SIZE.width_mm - 2 * left, SIZE.height_mm - 2 * top


def away(x: float, y: float, length: float, angle: float) -> Point:
    """The point so far from (x, y), clockwise from up."""
    return x + length * sin(angle), y - length * cos(angle)


def drop(x: float, y: float, distance: float, angle: float, size: float) -> list[Point]:
    """A seed that points to the middle of its slice."""
    middle = away(x, y, distance, angle)
    turned = 180 + 180 * angle / pi
    return [away(x, y, distance - 2.6 * size, angle), *ring(*middle, size, 16, turned)[3:14]]


def pear(height: float) -> list[Point]:
    """The outline of an avocado, stalk up."""
    outline = []
    for step in range(60):
        angle = 2 * pi * step / 60
        outline.append((height * sin(angle) * (0.37 - 0.1 * cos(angle)), -0.5 * height * cos(angle)))
    return outline
