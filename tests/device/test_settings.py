"""Settings: which one is stronger, what is refused and how, and that nothing people wrote is lost."""

import json
import tomllib
from dataclasses import fields
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from device.cameras.source import CameraSettings
from device.cli.settings import settings as settings_app
from device.settings import (
    HINTS,
    KEYS,
    ResolvedSettings,
    Settings,
    SettingsError,
    config_file,
    find_settings,
    from_text,
    read_settings,
    read_settings_text,
    settings_text,
    toml_value,
)
from device.settings_file import changed_text, save_setting


def found_in(
    folder: Path, own: str = "", system: str = "", options: dict[str, object] | None = None, **env: str
) -> ResolvedSettings:
    """The settings with these two files, this environment and these options."""
    (folder / "system.toml").write_text(system, "utf-8")
    (folder / "own.toml").write_text(own, "utf-8")
    environ = {"HOME": "/home/ala", "KRUPIER_CONFIG": str(folder / "own.toml"), **env}
    return find_settings(environ, options, folder / "system.toml")


def test_every_setting_is_documented() -> None:
    assert list(KEYS) == [part.name for part in fields(Settings)] == list(HINTS)
    for name in KEYS:
        assert KEYS[name].note, name
        assert KEYS[name].wanted, name


def test_defaults_without_any_file(tmp_path: Path) -> None:
    found = find_settings({"HOME": "/home/ala", "XDG_CONFIG_HOME": str(tmp_path)}, system=tmp_path / "none")
    assert found.origins == {}
    assert found.settings.data == Path("/home/ala/.local/share/krupier")
    assert found.settings.recordings_folder == Path("/home/ala/.local/share/krupier/recordings")
    assert found.settings.history_file.name == "history.sqlite"


def test_the_stronger_one_wins(tmp_path: Path) -> None:
    assert found_in(tmp_path, system="port = 1001").settings.port == 1001
    assert found_in(tmp_path, "port = 1002", "port = 1001").settings.port == 1002
    assert found_in(tmp_path, "port = 1002", KRUPIER_PORT="1003").settings.port == 1003
    strongest = found_in(tmp_path, "port = 1002", KRUPIER_PORT="1003", options={"port": 1004})
    assert strongest.settings.port == 1004
    assert strongest.origins["port"] == "--port"
    assert found_in(tmp_path, "port = 1002", options={"port": None}).settings.port == 1002
    mixed = found_in(tmp_path, "\nfps = 12", "port = 1001\nfps = 5", KRUPIER_LANG="pl")
    assert mixed.origins == {
        "port": f"{tmp_path}/system.toml, line 1",
        "fps": f"{tmp_path}/own.toml, line 2",
        "lang": "KRUPIER_LANG",
    }


def test_types_of_every_kind(tmp_path: Path) -> None:
    own = 'size = "1920x1080"\nlan = true\nfps = 25\nrig = "~/rig.toml"\nrecordings = "rec"\nhistory = ""'
    settings = found_in(tmp_path, own, KRUPIER_RECORD="no", KRUPIER_SPARE_GB="2.5", KRUPIER_THREADS=" 4 ").settings
    assert settings.size == (1920, 1080)
    assert settings.lan is True
    assert settings.record is False
    assert isinstance(settings.fps, float)
    assert settings.spare_gb == 2.5
    assert settings.threads == 4
    assert settings.rig == Path("/home/ala/rig.toml")
    assert settings.recordings == tmp_path / "rec", "relative to the file"
    assert settings.history is None
    assert found_in(tmp_path, KRUPIER_RIG="here.toml").settings.rig == Path("here.toml"), "relative to where one is"


def test_the_camera_gets_what_is_set(tmp_path: Path) -> None:
    assert Settings().camera_settings == CameraSettings()
    own = (
        'size = "640x480"\nfps = 5\nexposure_us = 10000\ngain = 2\nred_gain = 1.5\nblue_gain = 1.75\nfocus_dioptres = 0'
    )
    wanted = CameraSettings((640, 480), 5.0, exposure_us=10000, gain=2.0, colour_gains=(1.5, 1.75), focus_dioptres=0.0)
    assert found_in(tmp_path, own).settings.camera_settings == wanted
    with pytest.raises(SettingsError, match=r"own\.toml, line 1: red_gain 2, blue_gain 0; wanted both"):
        found_in(tmp_path, "red_gain = 2")


def test_the_address() -> None:
    assert Settings().address == "127.0.0.1"
    assert Settings(lan=True).address == "0.0.0.0"
    assert Settings(lan=True, host="10.0.0.7").address == "10.0.0.7"


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ("camra = 'usb:1'", r"own\.toml, line 1: camra: no such setting; did you mean camera\?"),
        ("\n\nrecording = 'x'", r"line 3: recording: no such setting; did you mean recordings\?"),
        ("zzz = 1", r"zzz: no such setting; wanted one of lang, camera"),
        ("[camera]\nname = 'usb:1'", r"line 1: camera: found a table; wanted the name of a camera"),
        ("port = 'eighty'", r"port: found 'eighty'; wanted a whole number from 1 to 65535"),
        ("port = 80.0", r"found 80\.0; wanted a whole number"),
        ("port = true", r"found true; wanted a whole number"),
        ("port = 0", r"found 0; wanted a whole number from 1"),
        ("fps = nan", r"found nan; wanted a number from 0\.5 to 120"),
        ("fps = 1e400", r"found inf; wanted"),
        ("threads = " + "9" * 400, r"found 9+…; wanted"),
        ("lan = 1", r"lan: found 1; wanted true or false"),
        ("lang = 'de'", r"found 'de'; wanted pl, en or empty"),
        ("size = '1280x721'", r"found '1280x721'; wanted a size as \"1280x720\", each side even and from 160"),
        ("size = '1280'", r"found '1280'; wanted a size"),
        ("size = [1280, 720.5]", r"wanted a size"),
        ("rig = ''", r"found ''; wanted the path of a file"),
        ('camera = "\\u001b[31m"', r"found '\\x1b\[31m'; wanted"),
        ("port = ", r"own\.toml, line 1, column \d+: Invalid value; wanted TOML"),
        ("a = " + "[" * 5000, r"own\.toml.*wanted TOML"),
        ("port = 1\nport = 2", r"line 2.*wanted TOML"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(tmp_path: Path, own: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        found_in(tmp_path, own)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("KRUPIER_CAMRA", "usb:1", r"KRUPIER_CAMRA: no such setting; did you mean KRUPIER_CAMERA\?"),
        ("KRUPIER_PORT", "eighty", r"KRUPIER_PORT: found 'eighty'; wanted a whole number from 1 to 65535"),
        ("KRUPIER_PORT", "99999", r"KRUPIER_PORT: found 99999; wanted"),
        ("KRUPIER_LAN", "maybe", r"KRUPIER_LAN: found 'maybe'; wanted true or false"),
        ("KRUPIER_FPS", "nan", r"KRUPIER_FPS: found nan; wanted"),
        ("KRUPIER_X\x1b[31m", "", r"KRUPIER_X\\x1b\[31m: no such setting"),
    ],
)
def test_a_wrong_environment_is_refused(tmp_path: Path, name: str, value: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        find_settings({name: value}, system=tmp_path / "none")


def test_variables_that_are_no_settings_are_left_alone(tmp_path: Path) -> None:
    assert found_in(tmp_path, KRUPIER_LONG="1", KRUPIERS="x").origins == {}


def test_a_wrong_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"--prt: no such setting; did you mean port"):
        found_in(tmp_path, options={"prt": 5})
    with pytest.raises(SettingsError, match=r"--recordings-limit-gb: found -1"):
        found_in(tmp_path, options={"recordings_limit_gb": -1})


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: no such file; KRUPIER_CONFIG names it"):
        find_settings({"KRUPIER_CONFIG": str(tmp_path / "none.toml")}, system=tmp_path / "none")
    assert find_settings({"KRUPIER_CONFIG": "", "HOME": str(tmp_path)}, system=tmp_path / "none").origins == {}
    with pytest.raises(SettingsError, match="cannot be read: File name too long"):
        find_settings({"HOME": "/"}, system=tmp_path / ("x" * 300))
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        read_settings(tmp_path)
    (tmp_path / "s").write_bytes(b"port = 1\n\xff")
    with pytest.raises(SettingsError, match="line 2: not UTF-8"):
        read_settings(tmp_path / "s")
    (tmp_path / "s").write_bytes(b"#" * 1_000_001)
    with pytest.raises(SettingsError, match="more than 1 MB"):
        read_settings(tmp_path / "s")


def test_where_the_file_is() -> None:
    assert config_file({"HOME": "/h"}) == Path("/h/.config/krupier/settings.toml")
    assert config_file({"HOME": "/h", "XDG_CONFIG_HOME": "/c"}) == Path("/c/krupier/settings.toml")
    assert config_file({"HOME": "/h", "XDG_CONFIG_HOME": "relative"}) == Path("/h/.config/krupier/settings.toml")
    assert config_file({"KRUPIER_CONFIG": "/x.toml", "XDG_CONFIG_HOME": "/c"}) == Path("/x.toml")


def test_what_is_shown_would_set_the_same(tmp_path: Path) -> None:
    found = found_in(
        tmp_path, 'camera = "a \\"b\\" # c"\nsize = "640x480"\nfps = 7.5\nlan = true', KRUPIER_RIG="/r.toml"
    )
    text = settings_text(found)
    again = {name: value for name, (value, _) in read_settings_text(text, tmp_path / "x").items()}
    assert again == {name: getattr(found.settings, name) for name in found.origins}
    uncommented = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line)
    whole = {name: value for name, (value, _) in read_settings_text(uncommented, Path("/x")).items()}
    assert whole.keys() == KEYS.keys()
    for name, key in KEYS.items():
        assert key.note in text, name


CHOICES: dict[Any, st.SearchStrategy[Any]] = {
    "camera": st.text(st.characters(exclude_categories=("C", "Z")), min_size=1),
    "fps": st.floats(0.5, 120),
    "port": st.integers(1, 65535),
    "lan": st.booleans(),
    "size": st.tuples(*[st.integers(80, 4096).map(lambda side: 2 * side)] * 2),
    "rig": st.text(st.characters(exclude_categories=("C", "Z")), min_size=1).map(lambda name: Path("/r") / name),
}


@given(st.data())
def test_every_value_comes_back_from_the_file_and_from_text(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(CHOICES)))
    value = data.draw(CHOICES[name])
    written = toml_value(value)
    assert read_settings_text(f"{name} = {written}", Path("/f"))[name][0] == value
    word = written.strip('"') if isinstance(value, tuple) else value if isinstance(value, str) else str(value)
    assert from_text(name, word, "x") == value


PEOPLES = """\
# my rig, do not touch
camera = "usb:1"   # the one on the left
  fps=5
# port = 8080
"""


def test_setting_one_changes_one_line(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "s.toml"
    path.parent.mkdir()
    path.write_text(PEOPLES, "utf-8")
    save_setting(path, "camera", "usb:2")
    assert path.read_text("utf-8") == PEOPLES.replace("usb:1", "usb:2")
    save_setting(path, "port", "81")
    save_setting(path, "fps", "6")
    save_setting(path, "lan", "yes")
    assert path.read_text("utf-8") == (
        '# my rig, do not touch\ncamera = "usb:2"   # the one on the left\nfps = 6\nport = 81\nlan = true\n'
    )
    save_setting(path, "port", None)
    assert "# port = 8080\n" in path.read_text("utf-8")
    assert list(path.parent.iterdir()) == [path], "nothing is left lying about"


def test_the_first_setting_makes_a_documented_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "s.toml"
    save_setting(path, "camera", "usb:3")
    text = path.read_text("utf-8")
    assert tomllib.loads(text) == {"camera": "usb:3"}
    assert all(key.note in text for key in KEYS.values())


def test_a_path_is_meant_from_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "etc" / "s.toml"
    save_setting(path, "rig", "my.toml")
    assert read_settings(path)["rig"][0] == tmp_path / "my.toml"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [("port", "0", "port: found 0"), ("prt", "1", "did you mean port"), ("lang", "x", "pl, en")],
)
def test_a_wrong_value_changes_nothing(tmp_path: Path, name: str, value: str, says: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(PEOPLES)
    with pytest.raises(SettingsError, match=says):
        save_setting(path, name, value)
    assert path.read_text() == PEOPLES


def test_a_file_that_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("this is = = no TOML")
    with pytest.raises(SettingsError, match="wanted TOML"):
        save_setting(path, "port", "81")
    assert path.read_text() == "this is = = no TOML"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text(PEOPLES)
    (tmp_path / "link.toml").symlink_to("real.toml")
    save_setting(tmp_path / "link.toml", "fps", "9")
    assert (tmp_path / "link.toml").is_symlink()
    assert "fps = 9" in (tmp_path / "real.toml").read_text()


def test_what_cannot_be_changed_safely_is_left_to_people(tmp_path: Path) -> None:
    text = 'camera = """\nfps = 5\n"""\n'
    assert changed_text(text, "fps", "6") == text.replace("5", "6"), "a line inside a text looks like a setting"
    path = tmp_path / "s.toml"
    path.write_text("'fps' = 5\n")
    with pytest.raises(SettingsError):
        save_setting(path, "fps", "6")
    assert path.read_text() == "'fps' = 5\n"


def test_many_who_save_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    wanted = {"camera": "usb:9", "port": "99", "fps": "9", "lan": "true", "threads": "9", "host": "9.9.9.9"}
    savers = [Thread(target=save_setting, args=(path, name, value)) for name, value in wanted.items()]
    for saver in savers:
        saver.start()
    for saver in savers:
        saver.join()
    assert {name: str(value).lower() for name, value in tomllib.loads(path.read_text()).items()} == wanted


def krupier(folder: Path, *words: str) -> Result:
    app = typer.Typer()
    app.add_typer(settings_app, name="settings")
    return CliRunner().invoke(app, ["settings", *words], env={"XDG_CONFIG_HOME": str(folder), "KRUPIER_CONFIG": None})


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "krupier" / "settings.toml"
    assert f"{path} (not there)" in krupier(tmp_path, "path").output
    assert krupier(tmp_path, "set", "camera", "usb:7").exit_code == 0
    assert krupier(tmp_path, "path").output.splitlines()[0] == str(path)
    shown = krupier(tmp_path)
    assert shown.exit_code == 0, shown.output
    number = path.read_text("utf-8").splitlines().index('camera = "usb:7"') + 1
    assert f'camera = "usb:7"  # {path}, line {number}' in shown.output
    assert "# port = 8080" in shown.output
    values = json.loads(krupier(tmp_path, "show", "--json").output)
    assert values["camera"] == {"value": "usb:7", "from": f"{path}, line {number}"}
    assert values["size"] == {"value": "1280x720", "from": None}
    assert krupier(tmp_path, "unset", "camera").exit_code == 0
    assert '# camera = "usb:0"' in path.read_text("utf-8")
