"""Bundles: a session in one reproducible file. Bundles from elsewhere are not trusted."""

import os
import shutil
import stat
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from device.files import OutputError, new_folder
from device.recording.appended import sync_folder
from device.recording.folder import (
    PLAIN,
    SNAPSHOT,
    Stored,
    hashed,
    is_running,
    next_number,
    open_folder,
    write_manifest,
)
from device.recording.manifest import MANIFEST, MAX_MANIFEST_BYTES, manifest_bytes, read_manifest
from device.recording.parts import Part, SessionError

SUFFIX = ".krupier"
MAX_BUNDLE_BYTES = 64_000_000_000
"""Maximum size of a bundle to open."""
MAX_BUNDLE_FILES = len(SNAPSHOT) + 1
"""Maximum number of files in a bundle: the session's and the manifest."""
_FIXED_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all files in a bundle, so that the same session gives the same bytes."""
_MODE = (stat.S_IFREG | 0o644) << 16
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
"""Local file header of the zip format."""
_CHUNK_BYTES = 1 << 20


def export_bundle(folder: Path, path: Path) -> int:
    """Write a session as a bundle and return its size. An interrupted session gets its hashes now."""
    if path.suffix != SUFFIX:
        raise OutputError(f"{path}: a bundle's name ends in {SUFFIX}")
    if is_running(folder):
        raise SessionError(f"{folder}: is being recorded; end that first")
    stored = open_folder(folder)
    manifest = replace(stored.manifest, number=0, pinned=False, files=tuple(hashed(folder)))
    try:
        with NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent, delete=False) as file:
            part = Path(file.name)
            try:
                with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, strict_timestamps=True) as bundle:
                    bundle.writestr(_entry(MANIFEST), manifest_bytes(manifest))
                    for name, _ in stored.parts:
                        with (
                            (folder / name).open("rb") as source,
                            bundle.open(_entry(name), "w", force_zip64=True) as to,
                        ):
                            shutil.copyfileobj(source, to, _CHUNK_BYTES)
                file.flush()
                os.fsync(file.fileno())
                part.chmod(0o644)
                part.replace(path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
    return path.stat().st_size


def import_bundle(path: Path, root: Path, name: str | None = None) -> Stored:
    """Unpack a bundle below `root`, completely or not at all; SessionError says what is wrong with it."""
    name = path.stem if name is None else name
    if not PLAIN.match(name):
        raise SessionError(f"name {name!r:.60}; wanted letters, digits, points and dashes")
    stored = open_bundle(path)
    losses = stored.check()
    if losses:
        raise SessionError(f"{path}: is damaged: {'; '.join(str(loss) for loss in losses)}")
    folder = root / name
    with new_folder(folder) as part:
        for file, source in stored.parts:
            with source.open() as reading, (part / file).open("xb") as to:
                at = 0
                while data := reading.read(at, _CHUNK_BYTES):
                    to.write(data)
                    at += len(data)
                to.flush()
                os.fsync(to.fileno())
        write_manifest(part, replace(stored.manifest, number=next_number(root)))
        sync_folder(part)
    sync_folder(root)
    return open_folder(folder)


def open_bundle(path: Path, most: int = MAX_BUNDLE_BYTES) -> Stored:
    """Open a bundle for reading, without unpacking it."""
    try:
        size = path.stat().st_size
        if size > most:
            raise SessionError(f"{path}: {size} bytes; wanted at most {most}")
        with zipfile.ZipFile(path) as bundle:
            parts = dict(_parts(path, bundle, size))
    except OSError as error:
        raise SessionError(f"{path}: cannot be read: {error.strerror}") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        if isinstance(error, SessionError):
            raise
        raise SessionError(f"{path}: is no bundle, or damaged: {error}") from error
    if MANIFEST not in parts:
        raise SessionError(f"{path}: no {MANIFEST} in it; wanted a bundle of `krupier session export`")
    manifest = read_manifest(parts.pop(MANIFEST).read(MAX_MANIFEST_BYTES), f"{path}: {MANIFEST}")
    listed = {file.name for file in manifest.files}
    if listed != set(parts):
        raise SessionError(f"{path}: other files than its manifest lists: {', '.join(sorted(listed ^ set(parts)))}")
    return Stored(path, manifest, tuple(parts.items()))


def open_stored(path: Path) -> Stored:
    """Open a session for reading, whether it is a folder or a bundle."""
    return open_folder(path) if path.is_dir() else open_bundle(path)


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _FIXED_DATE)
    info.create_system, info.external_attr = 3, _MODE
    return info


def _parts(path: Path, bundle: zipfile.ZipFile, size: int) -> Iterator[tuple[str, Part]]:
    """Locate each file of a bundle; refuse anything that an untrusted file could abuse."""
    found = bundle.infolist()
    if len(found) > MAX_BUNDLE_FILES:
        raise SessionError(f"{path}: {len(found)} files in it; wanted at most {MAX_BUNDLE_FILES}")
    seen: set[str] = set()
    ends = 0
    for info in sorted(found, key=lambda info: info.header_offset):
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise SessionError(f"{path}: {info.filename!r:.60} is a link or no file; wanted plain files")
        if info.filename not in (MANIFEST, *SNAPSHOT):
            raise SessionError(f"{path}: {info.filename!r:.60} in it; wanted only {', '.join((MANIFEST, *SNAPSHOT))}")
        if info.filename in seen:
            raise SessionError(f"{path}: {info.filename} twice in it")
        if info.flag_bits & 1 or info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
            raise SessionError(f"{path}: {info.filename} is packed or locked; wanted it stored as it is")
        begin = _data_offset(path, info)
        if begin < ends or begin + info.file_size > size:
            raise SessionError(f"{path}: {info.filename} does not lie where it should; the bundle is damaged")
        ends = begin + info.file_size
        seen.add(info.filename)
        yield info.filename, Part(path, begin, info.file_size)


def _data_offset(path: Path, info: zipfile.ZipInfo) -> int:
    """Offset of a stored file's bytes, after its local header."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        head = file.read(_LOCAL_HEADER.size)
    if len(head) < _LOCAL_HEADER.size or head[:4] != b"PK\x03\x04":
        raise SessionError(f"{path}: {info.filename} has no header; the bundle is damaged")
    fields = _LOCAL_HEADER.unpack(head)
    return int(info.header_offset + _LOCAL_HEADER.size + fields[9] + fields[10])
