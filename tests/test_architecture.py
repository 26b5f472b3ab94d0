"""The architecture holds: who may import whom, one meaning for each class name, the top level as agreed."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from referee.rules import games

ROOT = Path(__file__).parent.parent
PACKAGES = ("calibration", "device", "models", "referee", "vision")

OWN = {
    "models": {"models"},
    "calibration": {"calibration"},
    "vision": {"vision", "models", "calibration"},
    "referee": {"referee", "models.cards", "models.packages", "vision.table"},
    "device": set(PACKAGES),
}
"""Which of Krupier's own modules a package may import."""

FOREIGN = {
    "models": {"numpy", "cv2", "reportlab", "pypdfium2", "PIL"},
    "calibration": {"numpy", "cv2"},
    "vision": {"numpy", "cv2", "onnxruntime"},
    "referee": set(),
    "device": {"numpy", "cv2", "picamera2", "typer", "rich", "av", "threadpoolctl"},
}
"""Which third-party libraries a package may import; models/training also torch, onnx and onnxruntime's tools."""

WEB = {"fastapi", "starlette", "uvicorn", "pydantic", "itsdangerous", "segno", "websockets"}
"""What belongs to the dashboard and to the commands that run and measure it."""
DASHBOARD = (
    ROOT / "device" / "dashboard",
    ROOT / "device" / "cli" / "serve.py",
    ROOT / "device" / "cli" / "bench_dashboard.py",
)

ONE_PLACE = {
    "onnxruntime": 1,
    "picamera2": 1,
    "threadpoolctl": 1,
}
"""Libraries that one file keeps to itself."""


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, also inside functions; `from a import b` counts as a.b and as a."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def may_import(package: str, path: Path, module: str) -> bool:
    top = module.split(".", maxsplit=1)[0]
    if top in sys.stdlib_module_names:
        return True
    if top in (*PACKAGES, "tests"):
        return top in OWN[package] or module in OWN[package]
    if path.is_relative_to(ROOT / "models" / "training") and top == "onnxruntime":
        return True
    if top in ("torch", "onnx", "google"):  # protobuf is the form of ONNX files
        return path.is_relative_to(ROOT / "models" / "training")
    if top in WEB:
        return any(path.is_relative_to(place) for place in DASHBOARD)
    return top in FOREIGN[package]


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_table(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in sources(package)
        for module in imports(path)
        if not may_import(package, path, module)
    ]
    assert not wrong


def test_the_table_would_notice() -> None:
    game = ROOT / "referee" / "games" / "dawaj2" / "rules.py"
    assert not may_import("referee", game, "numpy")
    assert not may_import("referee", game, "device.cli.app")
    assert not may_import("referee", game, "models.art")
    assert may_import("referee", game, "models.cards")
    assert not may_import("models", ROOT / "models" / "cards.py", "torch")
    assert not may_import("device", ROOT / "device" / "session.py", "fastapi")
    assert not may_import("device", ROOT / "device" / "cli" / "run.py", "uvicorn.config")
    assert may_import("device", ROOT / "device" / "dashboard" / "routes" / "live.py", "fastapi")


def test_some_libraries_live_in_one_file() -> None:
    for library, most in ONE_PLACE.items():
        users = [path for package in PACKAGES for path in sources(package) if library in set(imports(path))]
        assert len(users) <= most, users


def test_packages_are_empty_or_name_their_public_types() -> None:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("__init__.py"):
            body = ast.parse(path.read_text("utf-8")).body
            others = [node for node in body[1:] if not isinstance(node, ast.ImportFrom)]
            named = [
                node for node in others if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            ]
            assert others == named, path


def test_only_the_simulated_camera_and_the_command_line_import_the_lab() -> None:
    allowed = (ROOT / "device" / "lab", ROOT / "device" / "cli", ROOT / "device" / "cameras" / "simulated.py")
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for package in PACKAGES
        for path in sources(package)
        for module in imports(path)
        if module.startswith("device.lab") and not any(path.is_relative_to(place) for place in allowed)
    ]
    assert not wrong


GAME_NAMED_IN = {
    "device/cli/bench_dashboard.py": "a benchmark compares with itself, so it plays one fixed game",
    "device/cli/bench_replay.py": "the same",
    "device/lab/bench/still.py": "the same",
    "models/marks.py": "the network for marks knows the grid of one game",
    "models/synth/marks.py": "the same",
    "models/training/marked.py": "the same",
    "models/training/marks.py": "the same",
    "models/training/prints.py": "the recipe of the shipped weights",
}
"""The files that may name a game, and why; all others learn of games from their folders and packages."""


def test_no_other_file_names_a_game() -> None:
    homes = (ROOT / "referee" / "games", ROOT / "models" / "decks")
    every = set(games())
    named = set()
    for path in (path for package in PACKAGES for path in sources(package)):
        if any(path.is_relative_to(home) for home in homes):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        words = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        homes_imported = {module for module in imports(path) if module.startswith(("referee.games.", "models.decks."))}
        froms = {
            name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module in ("referee.games", "models.decks")
            for name in node.names
        }
        if (words | froms) & every or homes_imported:
            named.add(str(path.relative_to(ROOT)))
    assert named == set(GAME_NAMED_IN)


def test_importing_the_referee_loads_nothing_foreign() -> None:
    code = (
        "import sys, referee.transcript, referee.selfplay\n"
        "from referee.rules import games, load_rules\n"
        "[load_rules(game) for game in games()]\n"
        "tops = {name.split('.')[0] for name in sys.modules}\n"
        "print(sorted(tops & {'numpy', 'cv2', 'typer', 'rich', 'fastapi', 'onnxruntime', 'device'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_files_stay_short() -> None:
    folders = (*PACKAGES, "tests")
    lengths = {path: len(path.read_text("utf-8").splitlines()) for folder in folders for path in sources(folder)}
    assert not {path: length for path, length in lengths.items() if length > 450}


def test_top_level_is_what_was_asked_for() -> None:
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=False, cwd=ROOT)
    if tracked.returncode != 0:
        pytest.skip("not a git checkout: the tracked files are not known")
    top = {name.split("/")[0] for name in tracked.stdout.split()}
    visible = {name for name in top if not name.startswith(".")}
    assert visible == {
        *PACKAGES,
        *("tests", "scripts", "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"),
    }


def test_scripts_import_what_there_is() -> None:
    files = [path for path in (ROOT / "scripts").iterdir() if path.is_file()]
    scripts = [path for path in files if path.read_bytes().startswith(b"#!/usr/bin/env python3")]
    assert scripts
    missing = []
    for path in scripts:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                module = import_module(node.module)
                missing += [
                    f"{path.name}: {node.module}.{name.name}" for name in node.names if not hasattr(module, name.name)
                ]
    assert not missing


def test_the_way_of_a_frame_in_the_readme_is_true() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    section = text.partition("### One frame from camera to browser")[2].partition("###")[0]
    hops = [line for line in section.splitlines() if line[:1].isdigit()]
    assert 10 < len(hops) <= 20
    known = set[str]()
    for package in PACKAGES:
        for path in sources(package):
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    known.add(node.name)
                if isinstance(node, ast.ClassDef):
                    known |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    named = set(re.findall(r"`([A-Za-z_.]+)`", section))
    assert len(named) > 15
    assert not named - known


def test_one_class_name_has_one_meaning() -> None:
    """The parts of a game share the names of their contract; everywhere else a name is used once."""
    contract = ROOT / "referee" / "games"
    found: dict[str, list[str]] = {}
    for package in PACKAGES:
        for path in sources(package):
            if not path.is_relative_to(contract):
                for node in ast.parse(path.read_text("utf-8")).body:
                    if isinstance(node, ast.ClassDef):
                        found.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert len(found) > 300
    assert not {name: paths for name, paths in found.items() if len(paths) > 1}
