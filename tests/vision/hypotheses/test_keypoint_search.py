"""Cards that the finder missed, found by their keypoints on a simulated table."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from device.lab.evaluation.stills import TableOrder, still_cases
from models.cards import own_deck
from models.crops import Floats
from models.faces import drawn_faces
from vision.hypotheses.candidates import Hypotheses
from vision.hypotheses.keypoint_search import add_cards_by_keypoints
from vision.hypotheses.scoring import scores
from vision.look.cells import view_to_cells
from vision.look.crops import FrameCrops
from vision.look.layers import overlap_counts
from vision.look.networks import load_networks
from vision.look.reader import FaceReading
from vision.look.table_view import TableView
from vision.table import FOREIGN, Guess

SEED = 880_002


@dataclass(frozen=True)
class Analysed:
    """A frame with the hypotheses that come from the finder."""

    crops: FrameCrops
    hypotheses: Hypotheses


@pytest.fixture(scope="module")
def analysed() -> Analysed:
    case = next(iter(still_cases(TableOrder("trio", 1, SEED, 0.2))))
    assert case.rig is not None
    assert case.rig.lens is not None
    assert case.rig.table is not None
    networks = load_networks(threads=1)
    deck = networks.reader.learn(drawn_faces(own_deck("trio")))
    view = TableView(case.rig.lens, case.rig.table, deck.card_mm)
    crops = FrameCrops(case.frame.image, view, networks, [deck], True)
    detections = networks.finder.find(view.rectify(case.frame.image), view.card_px)
    quads, _ = crops.align(
        detections, np.stack([card.quad_px for card in detections.cards]), range(len(detections.cards))
    )
    detections = replace(detections, overlaps=overlap_counts(detections.owners, view_to_cells(quads)))
    return Analysed(
        crops, Hypotheses(detections, quads, tuple(crops.read(detections, quads, range(len(quads)), quads)))
    )


def codes(hypotheses: Hypotheses) -> list[str]:
    return [reading.face.guesses[0].code for reading in hypotheses.readings if reading is not None]


def a_face(hypotheses: Hypotheses) -> int:
    """Index of a card that is face up."""
    return next(
        index
        for index, code in enumerate(codes(hypotheses))
        if code != FOREIGN and hypotheses.detections.cards[index].face_up
    )


def off_px(quad: Floats, place: Floats) -> float:
    return float(min(np.abs(np.roll(quad, way, 0) - place).max() for way in (0, 2)))


def test_a_table_that_is_explained_is_left_alone(analysed: Analysed) -> None:
    assert all(score.reported for score in scores(analysed.hypotheses, analysed.crops))
    assert add_cards_by_keypoints(analysed.hypotheses, analysed.crops) == (analysed.hypotheses, [])


def test_a_card_that_the_finder_missed_is_found(analysed: Analysed) -> None:
    gone = a_face(analysed.hypotheses)
    others = [index for index in range(len(analysed.hypotheses.readings)) if index != gone]
    less = analysed.hypotheses.subset(others)
    assert len(less.readings) == len(analysed.hypotheses.readings) - 1
    fuller, _ = add_cards_by_keypoints(less, analysed.crops)
    assert codes(fuller) == [codes(analysed.hypotheses)[index] for index in [*others, gone]]
    assert off_px(fuller.quads_view[-1], analysed.hypotheses.quads_view[gone]) < 3.0
    assert fuller.detections.cards[-1].keypoint_score > 0
    assert fuller.detections.cards[-1].similarity > 0.8


def test_a_doubtful_card_is_moved_where_its_keypoints_say(analysed: Analysed) -> None:
    crooked = a_face(analysed.hypotheses)
    readings, quads = list(analysed.hypotheses.readings), analysed.hypotheses.quads_view.copy()
    reading = readings[crooked]
    assert reading is not None
    readings[crooked] = replace(reading, face=FaceReading((Guess("3", 0.6), Guess(FOREIGN, 0.0)), False))
    quads[crooked] += 4.0
    fuller, _ = add_cards_by_keypoints(
        Hypotheses(analysed.hypotheses.detections, quads, tuple(readings)), analysed.crops
    )
    assert len(fuller.readings) == len(readings)
    assert codes(fuller)[-1] == reading.face.guesses[0].code
    assert off_px(fuller.quads_view[-1], analysed.hypotheses.quads_view[crooked]) < 3.0


def test_a_reported_card_is_not_lost_to_one_beside_it(analysed: Analysed) -> None:
    gone = a_face(analysed.hypotheses)
    others = [index for index in range(len(analysed.hypotheses.readings)) if index != gone]
    less = analysed.hypotheses.subset(others)
    doubtful = tuple(
        replace(reading, face=FaceReading((Guess(code, 0.85), Guess(FOREIGN, 0.0)), False))
        if reading and code
        else reading
        for reading, code in zip(less.readings, codes(less), strict=True)
    )
    fuller, _ = add_cards_by_keypoints(replace(less, readings=doubtful), analysed.crops)
    for quad in analysed.hypotheses.quads_view:
        assert min(off_px(each, quad) for each in fuller.quads_view) < 9.0
