"""Settings in the dashboard: for the host, checked as on the command line, all of a change or nothing."""

from pathlib import Path

from device.settings import KEYS
from tests.device.dashboard.setup_rooms import rooms, wanted


def test_only_the_host_sees_and_changes_them(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        before = (tmp_path / "settings.toml").read_bytes()
        for client, status in ((found.stranger, 401), (found.player, 403)):
            assert client.get("/api/settings").status_code == status
            assert client.post("/api/settings", json={"changes": {"fps": "12"}}).status_code == status
        assert (tmp_path / "settings.toml").read_bytes() == before


def test_every_key_is_there_with_where_it_comes_from(tmp_path: Path) -> None:
    with rooms(tmp_path, KRUPIER_PORT="8099") as found:
        page = wanted(found.host.get("/api/settings"))
        rows = {row["name"]: row for row in page["settings"]}
        assert list(rows) == list(KEYS)
        assert (rows["fps"]["value"], rows["fps"]["origin"], rows["fps"]["kind"]) == ("10", None, "number")
        assert (rows["port"]["value"], rows["port"]["origin"], rows["port"]["fixed"]) == ("8099", "KRUPIER_PORT", True)
        assert rows["rig"]["origin"].endswith("line 1")
        assert not rows["rig"]["fixed"]
        assert rows["lang"]["choices"] == ["pl", "en", ""]
        assert (rows["size"]["value"], rows["record"]["value"]) == ("1280x720", "true")


def test_a_good_change_is_saved_and_holds_at_once(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        page = wanted(found.host.post("/api/settings", json={"changes": {"fps": "12.5", "record": "false"}}))
        values = {row["name"]: row["value"] for row in page["settings"]}
        assert (values["fps"], values["record"]) == ("12.5", "false")
        assert (found.app_state.settings.fps, found.app_state.settings.record) == (12.5, False)
        text = (tmp_path / "settings.toml").read_text("utf-8")
        assert "fps = 12.5" in text
        wanted(found.host.post("/api/settings", json={"changes": {"fps": None}}))
        assert found.app_state.settings.fps == 10


def test_a_bad_change_is_named_and_changes_nothing(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        before = (tmp_path / "settings.toml").read_bytes()
        for changes, name, words in (
            ({"threads": "4", "fps": "999"}, "fps", "wanted a number from 0.5 to 120"),
            ({"size": "1281x720"}, "size", "each side even"),
            ({"camera": "usb:0\nfps = 3"}, "camera", "found"),
            ({"red_gain": "2"}, "red_gain", "wanted both"),
            ({"rig": ""}, "rig", "path of a file"),
        ):
            answer = found.host.post("/api/settings", json={"changes": changes})
            assert answer.status_code == 422, answer.text
            error = answer.json()["error"]
            assert error["found"] == name
            assert words in error["what"]
            assert (tmp_path / "settings.toml").read_bytes() == before
        assert found.host.post("/api/settings", json={"changes": {"colour": "red"}}).status_code == 422
        assert found.host.post("/api/settings", json={"changes": {}}).status_code == 422
        assert found.host.post("/api/settings", json={"changes": {"fps": 3}}).status_code == 422
        assert (tmp_path / "settings.toml").read_bytes() == before
        assert found.app_state.settings.threads == 2


def test_gains_that_belong_together_are_saved_together(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        wanted(found.host.post("/api/settings", json={"changes": {"red_gain": "2", "blue_gain": "1.5"}}))
        assert found.app_state.settings.camera_settings.colour_gains == (2.0, 1.5)
