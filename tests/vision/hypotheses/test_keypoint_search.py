"""Cards that nobody found, recalled by their landmarks from a simulated table."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from device.lab.evaluation.stills import TableOrder, still_cases
from models.cards import own_deck
from models.crops import Floats
from models.faces import drawn_faces
from vision.hypotheses.keypoint_search import with_recalled
from vision.hypotheses.refinement import Laid, only
from vision.hypotheses.scoring import weights
from vision.look.crops import Closeup, in_cells
from vision.look.eye import load_sight
from vision.look.layers import shared_cells
from vision.look.reader import Reading
from vision.look.table_view import Window
from vision.table import FOREIGN, Guess

SEED = 880_002


@dataclass(frozen=True)
class Seen:
    """A table as a look has it: near by, and with every card that the finder found."""

    closeup: Closeup
    laid: Laid


@pytest.fixture(scope="module")
def seen() -> Seen:
    case = next(iter(still_cases(TableOrder("trio", 1, SEED, 0.2))))
    assert case.rig is not None
    assert case.rig.lens is not None
    assert case.rig.table is not None
    sight = load_sight(threads=1)
    deck = sight.reader.learn(drawn_faces(own_deck("trio")))
    window = Window(case.rig.lens, case.rig.table, deck.card_mm)
    closeup = Closeup(case.frame.image, window, sight, [deck], True)
    finding = sight.finder.find(window.straight(case.frame.image), window.card_px)
    quads, _ = closeup.align(finding, np.stack([card.quad_px for card in finding.cards]), range(len(finding.cards)))
    finding = replace(finding, shared=shared_cells(finding.owners, in_cells(quads)))
    return Seen(closeup, Laid(finding, quads, tuple(closeup.read(finding, quads, range(len(quads)), quads))))


def codes(laid: Laid) -> list[str]:
    return [text.reading.guesses[0].code for text in laid.texts if text is not None]


def a_face(laid: Laid) -> int:
    """A card that lies face up."""
    return next(
        number for number, code in enumerate(codes(laid)) if code != FOREIGN and laid.finding.cards[number].face_up
    )


def off_px(quad: Floats, place: Floats) -> float:
    return float(min(np.abs(np.roll(quad, way, 0) - place).max() for way in (0, 2)))


def test_what_is_wholly_explained_is_left_alone(seen: Seen) -> None:
    assert all(weight.told for weight in weights(seen.laid, seen.closeup))
    assert with_recalled(seen.laid, seen.closeup) == (seen.laid, [])


def test_a_card_that_nobody_voted_for_is_recalled(seen: Seen) -> None:
    gone = a_face(seen.laid)
    others = [number for number in range(len(seen.laid.texts)) if number != gone]
    less = only(seen.laid, others)
    assert len(less.texts) == len(seen.laid.texts) - 1
    fuller, _ = with_recalled(less, seen.closeup)
    assert codes(fuller) == [codes(seen.laid)[number] for number in [*others, gone]]
    assert off_px(fuller.quads_view[-1], seen.laid.quads_view[gone]) < 3.0
    assert fuller.finding.cards[-1].recalled > 0
    assert fuller.finding.cards[-1].likeness > 0.8


def test_a_card_in_doubt_is_put_where_its_landmarks_say(seen: Seen) -> None:
    crooked = a_face(seen.laid)
    texts, quads = list(seen.laid.texts), seen.laid.quads_view.copy()
    text = texts[crooked]
    assert text is not None
    texts[crooked] = replace(text, reading=Reading((Guess("3", 0.6), Guess(FOREIGN, 0.0)), False))
    quads[crooked] += 4.0
    fuller, _ = with_recalled(Laid(seen.laid.finding, quads, tuple(texts)), seen.closeup)
    assert len(fuller.texts) == len(texts)
    assert codes(fuller)[-1] == text.reading.guesses[0].code
    assert off_px(fuller.quads_view[-1], seen.laid.quads_view[crooked]) < 3.0


def test_a_card_that_is_told_is_not_lost_to_one_beside_it(seen: Seen) -> None:
    gone = a_face(seen.laid)
    others = [number for number in range(len(seen.laid.texts)) if number != gone]
    less = only(seen.laid, others)
    doubtful = tuple(
        replace(text, reading=Reading((Guess(code, 0.85), Guess(FOREIGN, 0.0)), False)) if text and code else text
        for text, code in zip(less.texts, codes(less), strict=True)
    )
    fuller, _ = with_recalled(replace(less, texts=doubtful), seen.closeup)
    for quad in seen.laid.quads_view:
        assert min(off_px(each, quad) for each in fuller.quads_view) < 9.0
