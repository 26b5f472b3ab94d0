"""The calibration wizard: from a waved board to a rig file that is written only at the end."""

import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.boards import BoardView
from calibration.frames import Frame
from calibration.rig import Rig
from calibration.views import Glance
from device.dashboard.refusals import InUseError
from device.dashboard.services.coverage import Coverage, slant_of
from device.rigs import load_rig, save_rig
from models.art.paper import Paper
from models.art.picture import rasterise
from models.art.rig import print_colour_strip
from tests.device.dashboard.setup_rooms import Rooms, rooms, wanted
from tests.device.dashboard.waved_board import SIZE_PX, small_lens, table_picture, write_film


@pytest.fixture(scope="module")
def laid() -> bytes:
    """A picture of a laid table."""
    return table_picture()


def upload(found: Rooms, data: bytes, kind: str) -> Any:
    return wanted(found.host.post("/api/calibration/film", content=data, headers={"Content-Type": kind}))


def test_a_board_waved_a_table_laid_and_a_rig_saved(tmp_path: Path, laid: bytes) -> None:
    write_film(tmp_path / "board.mp4")
    with rooms(tmp_path) as found:
        rig = tmp_path / "rig.toml"
        assert upload(found, (tmp_path / "board.mp4").read_bytes(), "video/mp4")["camera"] == "upload"
        wanted(found.host.post("/api/calibration/lens", json={}), 202)
        seen: list[int] = []
        for _ in range(6000):
            state = wanted(found.host.get("/api/calibration"))
            seen.append(state["coverage"]["views"])
            if not state["waving"] and not state["solving"]:
                break
            time.sleep(0.05)
        assert seen == sorted(seen)
        assert seen[-1] >= 20, "different views"
        assert (state["lens_error"], state["lens"]["trusted"]) == ("", True)
        assert state["lens"]["focal_px"] == pytest.approx(small_lens().focal_px[0], rel=0.01)
        assert all(share > 0 for row in state["coverage"]["grid"] for share in row)
        assert all(state["coverage"]["slants"].values())
        assert upload(found, laid, "image/jpeg")["size_px"] == list(SIZE_PX)
        state = wanted(found.host.post("/api/calibration/table", json={"by": "markers"}))
        assert state["table"]["by"] == "markers"
        state = wanted(found.host.post("/api/calibration/seats", json={"game": "trio", "players": 3}))
        assert [zone["name"] for zone in state["table"]["zones"]][:3] == ["P1", "P2", "P3"]
        assert state["changed"]
        assert not rig.exists(), "nothing is written before the end"
        picture = found.host.get("/api/calibration/straight.jpg?width=300")
        assert picture.headers["Content-Type"] == "image/jpeg"
        assert wanted(found.host.post("/api/calibration/save", json={}))["saved"]
        saved = load_rig(rig)
        assert saved.lens is not None
        assert (saved.lens.views, len(saved.seats)) == (state["lens"]["views"], 3)
        seating = wanted(found.stranger.get("/api/calibration/seating?game=trio&players=3"))
        assert seating["measured"]
        assert seating["size_mm"] == list(saved.table.size_mm if saved.table else ())


def test_the_old_rig_is_kept_beside_the_new_one(tmp_path: Path, laid: bytes) -> None:
    with rooms(tmp_path) as found:
        rig = tmp_path / "rig.toml"
        save_rig(rig, Rig(camera="the old one"))
        old = rig.read_bytes()
        upload(found, laid, "image/jpeg")
        corners = [[150, 50], [650, 55], [655, 550], [155, 545]]
        game_request = {"by": "corners", "corners_px": corners, "size_mm": [600, 600]}
        state = wanted(found.host.post("/api/calibration/table", json=game_request))
        assert (state["table"]["by"], state["table"]["size_mm"]) == ("corners", [600.0, 600.0])
        assert rig.read_bytes() == old
        wanted(found.host.post("/api/calibration/save", json={}))
        assert (tmp_path / "rig.toml.bak").read_bytes() == old
        assert load_rig(rig).table is not None
        state = wanted(found.host.post("/api/calibration/discard", json={"fresh": True}))
        assert state["table"] is None
        assert load_rig(rig).table is not None, "what was saved stays"


def test_a_rig_that_cannot_be_read_is_no_dead_end(tmp_path: Path, laid: bytes) -> None:
    (tmp_path / "rig.toml").write_text("version = nothing", "utf-8")
    with rooms(tmp_path) as found:
        assert "rig.toml" in wanted(found.host.get("/api/calibration"))["message"]
        assert not wanted(found.stranger.get("/api/calibration/seating?game=trio&players=3"))["measured"]
        upload(found, laid, "image/jpeg")
        wanted(found.host.post("/api/calibration/table", json={"by": "markers"}))
        assert wanted(found.host.post("/api/calibration/save", json={}))["message"] == ""
        assert (tmp_path / "rig.toml.bak").read_text("utf-8") == "version = nothing"
        assert load_rig(tmp_path / "rig.toml").table is not None


def test_colours_from_the_strip(tmp_path: Path) -> None:
    page = rasterise(print_colour_strip(Paper.A4), 4.0)
    table = np.full((page.shape[0] + 200, page.shape[1] + 200, 3), 90, np.uint8)
    table[100:-100, 100:-100] = page
    warm = np.clip(table * np.array([0.7, 0.9, 1.0]), 0, 255).astype(np.uint8)
    data = cv2.imencode(".png", warm)[1].tobytes()
    with rooms(tmp_path) as found:
        upload(found, data, "image/png")
        state = wanted(found.host.post("/api/calibration/colour", json={}))
        assert 2000 < state["colour"]["kelvin"] < 6000
        assert state["colour"]["error"] < 5


def test_what_cannot_be_found_is_said(tmp_path: Path, laid: bytes) -> None:
    with rooms(tmp_path) as found:
        answer = found.host.post("/api/calibration/table", json={"by": "markers"})
        assert answer.status_code == 409
        assert answer.json()["error"]["what"] == "no camera is open"
        upload(found, laid, "image/jpeg")
        for path, game_request, words in (
            ("colour", {}, "no colour strip"),
            ("table", {"by": "corners"}, "no corners"),
            ("table", {"by": "mat"}, "the mat needs its size"),
            ("table", {"by": "corners", "corners_px": [[0, 0]] * 4, "size_mm": [600, 600]}, "do not go round"),
            ("seats", {"game": "trio", "players": 3}, "knows no table yet"),
            ("save", {}, "the table is not known yet"),
            ("lens", {"board": "chess:many"}, "board 'chess:many'"),
        ):
            answer = found.host.post(f"/api/calibration/{path}", json=game_request)
            assert answer.status_code == 422, (path, answer.text)
            assert words in answer.json()["error"]["what"]
        assert not (tmp_path / "rig.toml").exists()


def test_uploads_are_limited_in_type_and_size(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        for kind in ("text/html", "application/json", "application/x-sh", ""):
            answer = found.host.post("/api/calibration/film", content=b"x", headers={"Content-Type": kind})
            assert answer.status_code == 415, kind
        head = {"Content-Type": "video/mp4", "Content-Length": str(10**10)}
        assert found.host.post("/api/calibration/film", content=b"x", headers=head).status_code == 413
        empty = found.host.post("/api/calibration/film", content=b"", headers={"Content-Type": "video/mp4"})
        assert empty.status_code == 422
        state = upload(found, b"this is no film", "video/mp4")
        for _ in range(100):
            if state["message"]:
                break
            time.sleep(0.05)
            state = wanted(found.host.get("/api/calibration"))
        assert "is no video that can be read" in state["message"]
        assert found.host.post("/api/calibration/table", json={"by": "markers"}).status_code == 409
        assert [path.name for path in (tmp_path / "data" / "uploads").iterdir()] == ["film.mp4"]


def test_only_the_host_calibrates(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        actions = (
            "camera",
            "film",
            "lens",
            "lens/finish",
            "lens/cancel",
            "table",
            "colour",
            "seats",
            "save",
            "discard",
        )
        for client, status in ((found.stranger, 401), (found.player, 403)):
            for action in actions:
                kind = "video/mp4" if action == "film" else "application/json"
                answer = client.post(f"/api/calibration/{action}", content=b"{}", headers={"Content-Type": kind})
                assert answer.status_code == status, action
            for picture in ("", "/picture.jpg", "/straight.jpg"):
                assert client.get(f"/api/calibration{picture}").status_code == status
        assert found.host.post("/api/calibration/camera", json={"camera": "/etc/passwd"}).status_code == 422


def test_a_lent_camera_is_nobody_elses(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        game_request = {"camera": "sim:trio?size=320x240&fps=2&players=3"}
        assert wanted(found.host.post("/api/calibration/camera", json=game_request))["live"]
        for _ in range(400):
            if wanted(found.host.get("/api/calibration"))["frame"] >= 0:
                break
            time.sleep(0.05)
        assert found.host.get("/api/calibration/picture.jpg").status_code == 200
        with pytest.raises(InUseError), found.app_state.borrow_camera("sim:trio"):
            pass
        assert wanted(found.host.post("/api/calibration/camera", json={"camera": None}))["camera"] is None
        with found.app_state.borrow_camera("sim:trio?size=320x240") as source:
            assert source.live


def test_seats_of_a_table_that_nobody_measured(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        seating = wanted(found.stranger.get("/api/calibration/seating?game=kto_drugi&players=2"))
        assert (len(seating["seats"]), seating["guests"], seating["measured"]) == (3, ["Leon"], False)
        assert found.stranger.get("/api/calibration/seating?game=trio&players=2").status_code == 422
        assert found.stranger.get("/api/calibration/seating?game=poker&players=2").status_code == 422


def test_coverage_counts_only_what_is_new() -> None:
    frame = Frame(0, 0.0, np.zeros((60, 90, 3), np.uint8))
    corners = np.array([[10.0, 10.0], [20.0, 10.0], [20.0, 20.0], [10.0, 20.0]])
    view = BoardView("0", (90, 60), np.arange(4), corners, corners, 0.5, 10.0)
    coverage = Coverage()
    for glance in (
        Glance(frame, None, None, 0),
        Glance(frame, view, (0.4, 0.1), 1),
        Glance(frame, view, (0.4, 0.1), 1),
    ):
        coverage.note(glance)
    coverage.note(Glance(frame, view, None, 1))
    page: Any = coverage.as_json()
    assert (page["frames"], page["with_board"], page["blurred"], page["views"]) == (4, 3, 1, 1)
    assert sum(share > 0 for row in page["grid"] for share in row) == 4
    assert page["slants"]["right"] > 0
    assert not page["now"]["sharp"]


@pytest.mark.parametrize(
    ("tilt", "side"),
    [((0.0, 0.05), "flat"), ((0.3, 0.1), "right"), ((-0.3, 0.1), "left"), ((0.1, 0.3), "down"), ((0.1, -0.3), "up")],
)
def test_slants_have_names(tilt: tuple[float, float], side: str) -> None:
    assert slant_of(*tilt) == side
