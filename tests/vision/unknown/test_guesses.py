"""Prints and guesses: numbers, colours and stars of cards that nobody has taught."""

from functools import partial

import numpy as np
import pytest

from models.art.decks import art_of
from models.art.picture import draw_pixels
from models.cards import own_deck
from models.crops import CROP_PX, Image
from models.faces import shrunk
from models.prints import COLOURS, NUMBERS
from models.synth.styles import HELD_OUT, Print, random_style
from vision.look.networks import WEIGHTS
from vision.unknown.guesses import guess_card
from vision.unknown.prints import PrintedEnd, PrintReader, PrintReading, load_prints


@pytest.fixture(scope="module")
def prints() -> PrintReader:
    return load_prints(WEIGHTS, 1)


def end(number: int | None, stars: int = 0, colour: str = "blue", sure: float = 0.9) -> PrintedEnd:
    rest = (1 - sure) / len(NUMBERS)
    numbers = tuple(sure if value == number else rest for value in NUMBERS)
    return PrintedEnd(
        numbers,
        sure if number is None else rest,
        tuple(float(count == stars) for count in range(4)),
        tuple(float(word == colour) for word in COLOURS),
    )


def test_both_ends_together_are_surer_than_one() -> None:
    alone = guess_card("trio", PrintReading(end(7), end(None)))
    both = guess_card("trio", PrintReading(end(7), end(7)))
    assert alone[0].code == both[0].code == "7"
    assert both[0].probability > 0.98
    assert both[0].probability > alone[0].probability


def test_ends_that_contradict_each_other_leave_it_open() -> None:
    first, second = guess_card("trio", PrintReading(end(6), end(9)))[:2]
    assert {first.code, second.code} == {"6", "9"}
    assert first.probability < 0.6


def test_dawaj_is_told_by_digit_colour_and_stars() -> None:
    best = guess_card("dawaj2", PrintReading(end(9, 2, "green"), end(9, 2, "green")))[0]
    assert best.code == "9G2"
    assert best.probability > 0.95


def test_a_dnp_card_has_another_value_at_each_end() -> None:
    for upper, lower in ((1, 8), (8, 1)):
        assert guess_card("dnp", PrintReading(end(upper), end(lower)))[0].code == "1/8"


def test_where_numbers_and_colours_are_not_all_nothing_is_guessed() -> None:
    assert guess_card("lucky_box", PrintReading(end(3), end(3))) == ()
    assert guess_card("free", PrintReading(end(3), end(3))) == ()


def test_our_own_numbers_are_read(prints: PrintReader) -> None:
    art, cards = art_of("trio"), own_deck("trio").cards
    faces = np.stack(
        [shrunk(draw_pixels(partial(art.draw_face, card=card), art.size_of(card), 4), CROP_PX) for card in cards]
    )
    found = [guess_card("trio", printed)[0].code for printed in prints.read(faces)]
    assert sum(code == card.code for code, card in zip(found, cards, strict=True)) >= len(cards) - 1


def test_numbers_in_fonts_that_training_never_saw(prints: PrintReader) -> None:
    rng, faces, numbers = np.random.default_rng(77), list[Image](), list[int]()
    while len(faces) < 60:
        style = random_style(rng, held_out=True)
        assert style.font in HELD_OUT
        if style.size.height_mm < 1.2 * style.size.width_mm:
            continue
        numbers.append(int(rng.integers(1, 13)))
        face = style.face(Print(numbers[-1], "red"), 2.2).pixels
        faces.append(shrunk(np.ascontiguousarray(face[:, :, :3]), CROP_PX))
    read = [guess_card("trio", printed) for printed in prints.read(np.stack(faces))]
    right = sum(bool(found) and found[0].code == str(number) for found, number in zip(read, numbers, strict=True))
    assert right >= 42, "seven of ten"


def test_crops_of_another_size_are_refused(prints: PrintReader) -> None:
    with pytest.raises(ValueError, match="64x64 px; wanted 128x176"):
        prints.read(np.zeros((1, 64, 64, 3), np.uint8))
    assert prints.read(np.zeros((0, 176, 128, 3), np.uint8)) == []
