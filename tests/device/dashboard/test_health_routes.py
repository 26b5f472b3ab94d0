"""Health in the dashboard: numbers for everybody, the doctor for the host."""

import time
from pathlib import Path

import cv2
import pytest

from device.dashboard.refusals import Refusal
from device.dashboard.services.cameras import cameras, checked_camera
from device.settings import Settings
from tests.device.dashboard.setup_rooms import rooms, wanted
from tests.device.recordings import film


def test_numbers_are_for_everybody(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        answer = found.stranger.get("/api/health")
        page = wanted(answer)
        assert set(page) == {"health", "camera", "notes", "version", "server"}
        assert str(tmp_path) not in answer.text


def test_the_doctor_is_the_hosts(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for frame in film(16, size_px=(320, 240)):
        cv2.imwrite(str(pictures / f"{frame.index:03d}.png"), frame.image)
    with rooms(tmp_path, KRUPIER_CAMERA=str(pictures)) as found:
        assert found.stranger.get("/api/health/doctor").status_code == 401
        assert found.player.post("/api/health/doctor", json={}).status_code == 403
        assert wanted(found.host.get("/api/health/doctor"))["stage"] == "none"
        wanted(found.host.post("/api/health/doctor", json={}), 202)
        job = wanted(found.host.get("/api/health/doctor"))
        for _ in range(1200):
            job = wanted(found.host.get("/api/health/doctor"))
            if job["stage"] != "running":
                break
            time.sleep(0.05)
        assert (job["stage"], job["error"]) == ("done", "")
        states = {one["what"]: one["state"] for one in job["result"]["findings"]}
        assert (states["rig"], states["port"], states["camera"], states["history"]) == ("bad", "well", "well", "well")
        assert not job["result"]["well"]
        rig = next(one for one in job["result"]["findings"] if one["what"] == "rig")
        assert "krupier calibrate" in rig["mend"]


def test_cameras_that_may_be_chosen(tmp_path: Path) -> None:
    for name in ("video0", "video10", "videos", "null"):
        (tmp_path / name).touch()
    own = Settings(camera="/films/evening.mp4")
    names = [row["name"] for row in cameras(own, tmp_path) if isinstance(row, dict)]
    assert names[0] == "/films/evening.mp4"
    assert {"usb:0", "usb:10", "sim:dawaj2"} <= set(names)
    for good in ("/films/evening.mp4", "usb:3", "pi", "sim:trio?seed=2"):
        assert checked_camera(good, own) == good
    for bad in ("/etc/passwd", "usb:123", "usb:", "../film.mp4", ""):
        with pytest.raises(Refusal, match="no such camera"):
            checked_camera(bad, own)
