"""Recordings in the dashboard: scrubbing, comparing, taking away, pinning, throwing away."""

import json
import time
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import cv2
import numpy as np
import pytest

from device.dashboard.refusals import Refusal
from device.dashboard.services.jobs import Jobs, Progress, Stage
from device.recording.folder import open_folder, reopen_session
from device.recording.journal import JOURNAL
from device.recording.lines import JSON
from device.recording.playback import SessionFrames
from tests.device.dashboard.setup_rooms import BUNDLE, rooms, wanted


def ended(ask: Any) -> dict[str, Any]:
    """A job when it has ended."""
    for _ in range(600):
        job = wanted(ask())
        if job["stage"] != "running":
            return dict(job)
        time.sleep(0.05)
    raise AssertionError("it never ended")


def test_the_list_tells_no_paths(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        assert wanted(found.stranger.get("/api/recordings"))["recordings"] == []
        name = found.recorded()
        answer = found.stranger.get("/api/recordings")
        (row,) = wanted(answer)["recordings"]
        assert (row["name"], row["game"], row["state"]) == (name, "dawaj2", "closed")
        assert row["frames"] == 73
        assert str(tmp_path) not in answer.text


def test_rulings_stand_along_the_time(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        row = wanted(found.stranger.get(f"/api/recordings/{found.recorded()}"))
        assert [ruling["ruling"] for ruling in row["rulings"]][:2] == ["ILLEGAL", "LEGAL"]
        assert row["rulings"][1]["reason"] == {
            "en": "Bartek passes a card to Celina.",
            "pl": "Bartek przekazuje kartę (Celina).",
        }
        assert row["stretches"] == [[0.0, 1.4], [3.1, 9.0]]
        assert row["length_s"] == 9.0


def test_scrubbing_gives_the_nearest_stored_frame(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        name = found.recorded()
        answer = found.stranger.get(f"/api/recordings/{name}/frame.jpg?at_s=2.9&width=320")
        assert answer.status_code == 200, answer.text
        assert (answer.headers["X-Frame"], answer.headers["X-At-S"]) == ("31", "3.100")
        picture = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
        stored = SessionFrames(open_folder(found.recordings / name)).picture(31)
        assert picture is not None
        assert stored is not None
        assert picture.shape[1] == 320
        small = cv2.resize(stored.image, picture.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(small.astype(int) - picture).mean() < 4, "it is that frame"
        late = found.stranger.get(f"/api/recordings/{name}/frame.jpg?at_s=99999")
        assert late.headers["X-Frame"] == "90"


HOSTILE = (
    *("..", ".", "%2e%2e%2fsettings.toml", "..%2F..%2Fetc", "00001-dawaj2%2Fjournal.jsonl", ".gone", "x" * 300, "ł"),
    *("00001-dawaj2%00", "%0a", "<b>", "00001-dawaj2%2F..%2F00001-dawaj2"),
)


def test_only_names_of_the_list_are_known(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        found.recorded()
        (found.recordings / ".gone").mkdir()
        for name in HOSTILE:
            for tail in ("/frame.jpg", "/diff"):
                assert found.stranger.get(f"/api/recordings/{name}{tail}").status_code == 404, name
            for action in ("delete", "diff/cancel"):
                assert found.host.post(f"/api/recordings/{name}/{action}", json={}).status_code in (404, 405), name
        assert (found.recordings / "00001-dawaj2").is_dir()


def test_strangers_and_players_change_nothing(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        name = found.recorded()
        for path in ("pin", "delete", "diff", "diff/cancel"):
            assert found.stranger.post(f"/api/recordings/{name}/{path}", json={"pinned": True}).status_code == 401
            assert found.player.post(f"/api/recordings/{name}/{path}", json={"pinned": True}).status_code == 403
        assert found.player.get(f"/api/recordings/{name}/bundle").status_code == 403
        assert not open_folder(found.recordings / name).manifest.pinned


def test_rules_of_today_rule_the_same(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        name = found.recorded()
        assert wanted(found.stranger.get(f"/api/recordings/{name}/diff"))["stage"] == "none"
        wanted(found.host.post(f"/api/recordings/{name}/diff", json={"only_rules": True}), 202)
        job = ended(lambda: found.stranger.get(f"/api/recordings/{name}/diff"))
        assert (job["stage"], job["error"]) == ("done", "")
        assert (job["result"]["count"], job["result"]["lines"], job["result"]["vision"]) == (0, 6, False)


def test_a_ruling_that_was_another_one_is_shown(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        name = found.recorded()
        journal = found.recordings / name / JOURNAL
        journal.write_bytes(_other_ruling(journal.read_bytes()))
        wanted(found.host.post(f"/api/recordings/{name}/diff", json={"only_rules": True}), 202)
        result = ended(lambda: found.host.get(f"/api/recordings/{name}/diff"))["result"]
        (change,) = result["changes"]
        assert (change["was"]["ruling"], change["now"]["ruling"]) == ("UNCLEAR", "LEGAL")
        assert change["was"]["reason"] == {"en": "no-such-reason", "pl": "no-such-reason"}, "shown by its key"


def test_a_bundle_is_what_session_export_writes(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        name = found.recorded()
        answer = found.host.get(f"/api/recordings/{name}/bundle")
        assert answer.status_code == 200, answer.text
        assert f'filename="{name}.krupier"' in answer.headers["Content-Disposition"]
        with ZipFile(BytesIO(answer.content)) as bundle:
            assert {"manifest.json", "video.mkv", "journal.jsonl"} <= set(bundle.namelist())
        assert not list((found.app_state.settings.data / "exports").iterdir()), "nothing is left behind"


def test_a_bundle_from_elsewhere_is_checked(tmp_path: Path) -> None:
    kind = {"Content-Type": "application/octet-stream"}
    with rooms(tmp_path) as found:
        data = BUNDLE.read_bytes()
        for client, status in ((found.stranger, 401), (found.player, 403)):
            assert client.post("/api/recordings/import?name=x", content=data, headers=kind).status_code == status
        for name in ("..", "a/b", ".hidden", "", "x%00"):
            assert found.host.post(f"/api/recordings/import?name={name}", content=data, headers=kind).status_code == 422
        broken = bytearray(data)
        broken[len(broken) // 2] ^= 255
        for junk in (b"no bundle", bytes(broken)):
            answer = found.host.post("/api/recordings/import?name=junk", content=junk, headers=kind)
            assert answer.status_code == 422, answer.text
            assert str(tmp_path) not in answer.text
        assert found.host.post("/api/recordings/import?name=x", json={}).status_code == 415
        row = wanted(found.host.post("/api/recordings/import?name=evening", content=data, headers=kind), 201)
        assert (row["name"], row["frames"]) == ("evening", 73)
        assert found.host.post("/api/recordings/import?name=evening", content=data, headers=kind).status_code == 409
        assert [path.name for path in found.recordings.iterdir()] == ["evening"]
        assert list((tmp_path / "data" / "uploads").iterdir()) == []


def test_pinned_and_running_ones_stay(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        name = found.recorded()
        path = found.recordings / name
        assert wanted(found.host.post(f"/api/recordings/{name}/pin", json={"pinned": True}))["pinned"]
        assert found.host.post(f"/api/recordings/{name}/delete", json={}).status_code == 409
        assert not wanted(found.host.post(f"/api/recordings/{name}/pin", json={"pinned": False}))["pinned"]
        held = reopen_session(path)
        assert wanted(found.host.get(f"/api/recordings/{name}"))["state"] == "running"
        assert found.host.post(f"/api/recordings/{name}/delete", json={}).status_code == 409
        assert found.host.post(f"/api/recordings/{name}/pin", json={"pinned": True}).status_code == 409
        held.let_go()
        row = wanted(found.host.get(f"/api/recordings/{name}"))
        assert (row["state"], row["resumable"]) == ("cut", True)
        assert found.host.post(f"/api/recordings/{name}/delete", json={}).status_code == 204
        assert not path.exists()
        assert list(found.recordings.iterdir()) == []


def test_one_job_at_a_time_and_it_can_be_stopped() -> None:
    jobs, steps = Jobs("a comparison"), []

    def work(progress: Progress) -> JSON:
        for share in range(1000):
            progress(share / 1000)
            steps.append(share)
            time.sleep(0.005)
        return "done"

    jobs.start("one", work)
    with pytest.raises(Refusal, match="is running already"):
        jobs.start("two", work)
    jobs.cancel()
    jobs.close()
    job = jobs.job
    assert job is not None
    assert (job.about, job.stage) == ("one", Stage.CANCELLED)
    assert len(steps) < 1000
    assert jobs.start("three", lambda progress: 3).stage is Stage.RUNNING
    jobs.close()


def test_what_goes_wrong_in_a_job_is_told() -> None:
    jobs = Jobs("a comparison")

    def work(progress: Progress) -> JSON:
        raise ValueError("found this; wanted that")

    jobs.start("one", work)
    jobs.close()
    assert jobs.job is not None
    assert (jobs.job.stage, jobs.job.error) == (Stage.FAILED, "found this; wanted that")


def _other_ruling(data: bytes) -> bytes:
    from device.recording.lines import line_of, read_lines

    lines = []
    for value in read_lines(data, JOURNAL).values:
        number = value.pop("n")
        said = value["data"]
        if said.get("line") == 6 and "ruling" in said:
            said |= {"ruling": "UNCLEAR", "reason": "no-such-reason"}
        lines.append(line_of(number, json.loads(json.dumps(value))))
    return b"".join(lines)
