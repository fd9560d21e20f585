"""What is read by its name is a file, and one that fits: nothing is waited for, or never ends."""

from __future__ import annotations

import gzip
import itertools
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.from_files.tournaments.commitment import read_commitment, read_secret
from mixsafe.from_files.tournaments.teams import read_teams
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.contest.reading import read_id_table
from mixsafe.io.files import content
from mixsafe.io.files.content import HEAD
from mixsafe.io.files.tables import read_table
from mixsafe.io.formats import FORMATS
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.io.objects.place_files import read_place_shapes
from mixsafe.io.problems.side_tables import read_user_list
from mixsafe.io.sources import load
from mixsafe.io.traces.trace_model import read_model
from mixsafe.machinery import memory
from mixsafe.machinery.checkpoint import NAME, Checkpoint
from mixsafe.report.provenance import told_input
from mixsafe.report.result import read_result
from mixsafe_cli.configuration import with_config
from mixsafe_cli.options.checks import check_file
from mixsafe_cli.options.question_options import AdversaryOptions

Read = Callable[[Path], object]

BY_NAME: dict[str, tuple[str, Read]] = {
    "a source": ("traces.csv", load),
    "a cab": ("new_cab.txt", lambda path: load(path.parent)),
    "a table in a folder": ("part.csv", lambda path: load(path.parent)),
    "a manifest": ("manifest.json", lambda path: read_certificates(path.parent)),
    "places": ("places.geojson", read_place_shapes),
    "users": ("users.txt", read_user_list),
    "a result": ("result.json", read_result),
    "a result in a folder": ("run.json", lambda path: read_result(path.parent)),
    "an input to be told": ("traces.csv", lambda path: told_input("source", path)),
    "a run to go on with": (NAME, lambda path: Checkpoint(path.parent)),
    "a model": ("model.npz", read_model),
    "a file of a contest": ("id.csv", read_id_table),
    "teams": ("teams.toml", lambda path: read_teams(path, "IDP")),
    "what the judge keeps": ("secret/judge.json", read_secret),
    "what the judge commits to": ("judge.json.sha256", read_commitment),
    "a file of an option": ("seen.csv", lambda path: check_file("--sightings", path)),
    "an adversary": ("seen.csv", lambda path: AdversaryOptions(str(path)).check()),
    "a configuration": ("run.toml", lambda path: with_config(["--config", str(path)])),
    **{
        f"what is said to be {name}": ("source", lambda path, name=name: load(path, format=name))
        for name in FORMATS.names()
        if name != "humob"
    },
}


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("what", ["a pipe", "a device"])
def test_pipes_and_devices_are_refused_by_name_and_not_opened(
    tmp_path: Path, name: str, what: str
) -> None:
    file, read = BY_NAME[name]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    if what == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(os.devnull)
    with pytest.raises(InputError, match="this is a pipe or a device, not a file") as refused:
        read(path)
    assert refused.value.file == str(path)


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 2 MB, half of which a run may take."""
    monkeypatch.setattr(memory, "_machine_memory", lambda: 2_000_000)
    monkeypatch.setattr(memory, "SMALLEST", 0)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    "name",
    [
        "a manifest",
        "a result",
        "a model",
        "a file of a contest",
        "a configuration",
        "what is said to be problem",
        "what is said to be geojson",
    ],
)
def test_what_is_read_as_a_whole_must_fit_into_memory(tmp_path: Path, name: str) -> None:
    """Who looks at the first bytes finds a text, so that it is the size that is refused."""
    file, read = BY_NAME[name]
    path = tmp_path / file
    path.write_text("{".ljust(HEAD))
    if name == "a model":
        np.savez_compressed(path, mean=np.zeros(1 << 20))
    else:
        os.truncate(path, 1 << 42)
    with pytest.raises(InputError, match=r"reading it takes [0-9.,]+ GB of memory") as refused:
        read(path)
    assert refused.value.file == str(path)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("begin", [b"<gpx>", b"<kml>", b"fgb\x03fgb\x00"])
def test_recordings_must_fit_into_memory(tmp_path: Path, begin: bytes) -> None:
    """What they say is held as texts, and GDAL's copy as a table."""
    if begin.startswith(b"fgb"):
        pytest.importorskip("pyogrio", reason="pyogrio is not installed")
    path = tmp_path / "large"
    path.write_bytes(begin)
    os.truncate(path, 1 << 42)
    with pytest.raises(InputError, match=r"reading it takes [0-9.,]+ GB of memory"):
        load(path)


@pytest.mark.usefixtures("little_memory")
def test_rows_of_a_table_are_counted_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "zones.parquet"
    parquet.write_table(pa.table({"time": pa.repeat(7, 1 << 18)}), path)
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match="reading it takes"):
        read_table(path, {"time": "integer"})


@pytest.mark.usefixtures("little_memory")
def test_an_entry_of_a_run_that_says_it_is_huge_is_not_read(tmp_path: Path) -> None:
    with Checkpoint(tmp_path) as journal:
        journal.keep("step", {"found": np.arange(3)})
    with (tmp_path / NAME).open("r+b") as file:
        file.readline()
        file.seek(file.tell())
        file.write((1 << 41).to_bytes(8, "little"))
    os.truncate(tmp_path / NAME, 1 << 42)
    with pytest.raises(InputError, match="reading it takes"):
        Checkpoint(tmp_path)


DEEP = {
    "problem.json.gz": ('{"users": [', "[],", "[]]}"),
    "places.geojson.gz": ('{"type": "FeatureCollection", "features": [', "{},", "{}]}"),
    "feed.jsonl.gz": ('{"last_updated": 1, "data": {"bikes": [', "[],", "[]]}}\n"),
}


@pytest.mark.parametrize("name", DEEP)
def test_values_that_a_few_bytes_cannot_hold_are_refused_before_they_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A list of empty lists takes twenty times its text, packed twenty thousand times its file."""
    monkeypatch.setattr(content, "ALWAYS", 1 << 20)
    path, (begin, value, end) = tmp_path / name, DEEP[name]
    path.write_bytes(gzip.compress(f"{begin}{value * 100_000}{end}".encode()))
    read: Read = read_feed if "feed" in name else load
    with pytest.raises(InputError, match="its values take more than 50 times its size") as refused:
        read(path)
    assert refused.value.file == str(path)


def exchanged_after(number: int, path: Path) -> Callable[[Path], int]:
    """``size_of``, after whose call of this number a pipe is in the place of the file."""
    calls, size_of = itertools.count(1), content.size_of

    def then(given: Path) -> int:
        found = size_of(given)
        if Path(given) == path and next(calls) == number:
            path.unlink()
            os.mkfifo(path)
        return found

    return then


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("name", ["traces.csv", "traces.csv.gz", "problem.json"])
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    path, said = tmp_path / name, []
    text = b"user_id,time,lat,lon\n1,1211025601,2,3\n" if "csv" in name else b'{"users": 2}'
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    monkeypatch.setattr(content, "size_of", exchanged_after(number, path))

    def read() -> None:
        try:
            load(path)
        except InputError as error:
            said.append(str(error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert said == [f"{path}: this is a pipe or a device, not a file; give a file"]
