"""Archives: a film on disk, as video, truth and record in one folder."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from device.files import OutputError
from device.lab.simulator.bodies import Body
from device.lab.simulator.film import Film, Shot, Studio
from models.synth.render import CardTruth
from referee.record import Record

VIDEO, TRUTH, RECORD = "video.mp4", "truth.jsonl.gz", "record.txt"
_CODEC = "mp4v"


def write_film(film: Film, record: Record, studio: Studio, folder: Path, progress: Callable[[Shot], None]) -> int:
    """Write video, truth and record, and return the number of frames."""
    (folder / RECORD).write_text(str(record), "utf-8")
    writer = cv2.VideoWriter(str(folder / VIDEO), cv2.VideoWriter.fourcc(*_CODEC), studio.fps, studio.size_px)
    if not writer.isOpened():
        raise OutputError(f"{folder / VIDEO}: no video can be written here (codec {_CODEC})")
    frames = 0
    # mtime 0: the same film gives the same bytes.
    with (folder / TRUTH).open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as truth:
        truth.write(_line(head(film, studio, record)))
        for shot in film.shots():
            writer.write(shot.image)
            truth.write(_line(frame_truth(shot)))
            progress(shot)
            frames += 1
    writer.release()
    return frames


def head(film: Film, studio: Studio, record: Record) -> dict[str, Any]:
    """Data that holds for all frames: game, camera, table, zones."""
    camera = film.camera
    rotation, translation = camera.pose
    return {
        "game": record.opening.game,
        "names": list(record.opening.names),
        "size_px": list(studio.size_px),
        "fps": studio.fps,
        "difficulty": studio.difficulty,
        "seed": studio.seed,
        "rest_s": studio.rest_s,
        "style": studio.style,
        "table_mm": list(film.seating.table_mm),
        "camera": {
            "matrix": camera.matrix.tolist(),
            "distortion": list(camera.distortion),
            "rotation": rotation.tolist(),
            "translation_mm": translation.tolist(),
        },
        "markers_mm": [list(point) for point in film.seating.markers_mm()],
        "zones": {zone.name: [list(point) for point in zone.polygon_mm] for zone in film.seating.zones},
        "seats": [{"zone": seat.zone.name, "turn_deg": seat.frame.turn_deg} for seat in film.seating.seats],
    }


def frame_truth(shot: Shot) -> dict[str, Any]:
    """The truth of one frame."""
    bodies = {body.id: body for body in shot.bodies}
    return {
        "frame": shot.index,
        "at_s": round(shot.at_s, 3),
        "settled": shot.settled,
        "line": shot.line,
        "cards": [_card(card, bodies[card.card.id]) for card in shot.cards],
        "pieces": [
            {"id": b.id, "kind": b.code, "zone": b.zone, "x_mm": round(b.x_mm, 1), "y_mm": round(b.y_mm, 1)}
            for b in shot.bodies
            if b.piece
        ],
    }


def _card(truth: CardTruth, body: Body) -> dict[str, Any]:
    return {
        "id": body.id,
        "code": body.code if body.face_up else None,
        "face": "up" if body.face_up else "down",
        "corners": [[round(x, 2), round(y, 2)] for x, y in truth.corners_px],
        "visible": round(truth.visible, 3),
        "zone": body.zone,
        "spot": body.spot.removeprefix("pile:"),
        "word": body.word,
        "turn_deg": round(body.turn_deg % 360, 1),
        "x_mm": round(body.x_mm, 1),
        "y_mm": round(body.y_mm, 1),
        "cards": body.cards,
        "marks": list(body.marks),
    }


def _line(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()
