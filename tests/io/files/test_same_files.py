"""An answer is about the data that its provenance names: what changes meanwhile is noticed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mixsafe.errors import InputError
from mixsafe.io.files.content import reading, same_files, whole
from mixsafe.io.files.parquet_columns import parquet_rows
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.io.objects.vector_files import layer_of
from mixsafe.io.traces.published_sets import read_cabspotting
from mixsafe.io.traces.trace_model import read_model
from mixsafe.report.provenance import told_input

Change = Callable[[Path], object]


def _exchanged(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"2" * path.stat().st_size)
    os.replace(other, path)


def _written_to_with_its_time(path: Path) -> None:
    before = path.stat()
    path.write_bytes(b"2" * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Change] = {
    "exchanged for one of its size": _exchanged,
    "written to, its time set back": _written_to_with_its_time,
    "appended to": lambda path: path.write_bytes(path.read_bytes() + b"2"),
    "gone": lambda path: path.unlink(),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "traces.csv"
    made.write_bytes(b"1" * 100)
    return made


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a text": ("traces.csv", whole),
    "a packed text": ("traces.csv.gz", lambda path: whole(path, unpack=True)),
    "Parquet": ("traces.parquet", parquet_rows),
    "a GeoPackage": ("traces.gpkg", layer_of),
    "a feed in a zip archive": ("feed.zip", read_feed),
    "cabs": ("cabs.tar.gz", read_cabspotting),
    "a model": ("model.npz", read_model),
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_says_which_file_it_reads(tmp_path: Path, name: str) -> None:
    """Whatever a reader makes of a file, what is read after it must be the same file."""
    file, read = READERS[name]
    path = tmp_path / file
    path.write_bytes(b"no such thing")
    with same_files():
        with suppress(InputError):
            read(path)
        _exchanged(path)
        with pytest.raises(InputError, match="changed while it was read"):
            told_input("source", path)


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_after_it_was_read_is_not_hashed(path: Path, change: str) -> None:
    with same_files():
        whole(path)
        CHANGES[change](path)
        with pytest.raises(InputError) as refused:
            told_input("source", path)
    assert refused.value.file == str(path)


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_while_it_is_read_is_refused(path: Path, change: str) -> None:
    def read() -> None:
        with reading(path) as file:
            file.read(10)
            CHANGES[change](path)

    with same_files(), pytest.raises(InputError, match="changed while it was read"):
        read()


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_hashed_and_read_may_change(path: Path, change: str) -> None:
    """A run of hours does not end because its source was exchanged meanwhile."""
    with same_files():
        told_input("source", path)
        content = whole(path)
        CHANGES[change](path)
        told = told_input("source", path)
    assert told["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_folder_has_the_files_that_were_hashed(tmp_path: Path) -> None:
    folder = tmp_path / "feed"
    folder.mkdir()
    (folder / "a.json").write_text("{}")
    with same_files():
        told_input("source", folder)
        (folder / "b.json").write_text("{}")
        with pytest.raises(InputError, match="changed while it was read"):
            told_input("source", folder)


def test_between_two_runs_files_may_change(path: Path) -> None:
    """As between two cells of a notebook."""
    for _ in range(2):
        with same_files():
            told = told_input("source", path)
            assert told["sha256"] == hashlib.sha256(whole(path)).hexdigest()
        _exchanged(path)
    whole(path)
    _exchanged(path)
    assert whole(path) == path.read_bytes()
