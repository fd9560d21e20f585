"""Whose a personal file is: told by a column, a pattern, or its own name, and else asked for."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from mixsafe.errors import InputError
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.formats import FORMATS, _of_frames
from mixsafe.io.objects.frame_files import stem_of
from mixsafe.io.objects.frames import Frame, frame_of
from mixsafe.io.sources import load
from mixsafe.model.mobility.traces import Traces


def _diary(path: Path) -> Frame:
    """A frame of lines ``time lat lon [name [user]]``."""
    rows = [line.split() for line in path.read_text().splitlines()[1:]]
    names = ("time", "lat", "lon", "name", "user_id")[: len(rows[0])]
    columns = {
        name: pa.array([row[place] for row in rows]).cast(
            {"lat": pa.float64(), "lon": pa.float64()}.get(name, pa.string())
        )
        for place, name in enumerate(names)
    }
    return frame_of(pa.table(columns))  # type: ignore[return-value]


def _is_diary(sniffed: Sniffed) -> bool:
    return sniffed.head.startswith(b"DIARY")


@pytest.fixture(autouse=True)
def diaries() -> Iterator[None]:
    """A format of personal files."""
    with FORMATS.registered(_of_frames("diary", "toy", _is_diary, _diary, personal=True)):
        yield


def _write(path: Path, *more: str, hour: int = 0) -> Path:
    """A diary with a line for each of ``more``, which is what follows the position."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"2024-05-01T0{hour}:0{minute}:00Z 35.{minute} 139.7 {one}"
        for minute, one in enumerate(more or ("",))
    ]
    path.write_text("\n".join(["DIARY", *lines]) + "\n")
    return path


def _users(found: object) -> list[str]:
    assert isinstance(found, Traces)
    return [str(one) for one in found.users]


NOTE = "users are the names of files"


@pytest.mark.parametrize("names", [(), ("run", "run"), ("-", "-")])
def test_a_file_with_one_track_is_the_user(tmp_path: Path, names: tuple[str, ...]) -> None:
    """One person's file needs no column of users, and a note says who they are."""
    found = load(_write(tmp_path / "ana.txt", *names))
    assert _users(found) == ["ana"]
    assert NOTE in found.notes  # type: ignore[union-attr]


def test_tracks_of_several_names_are_asked_about(tmp_path: Path) -> None:
    """Nobody is made two people, or two people one, without a word."""
    path = _write(tmp_path / "ana.txt", "run", "ride", "ride")
    with pytest.raises(InputError, match="2 tracks may be one person or several") as refused:
        load(path)
    assert "--column user_id=name" in str(refused.value)
    assert "--column user_id=file" in str(refused.value)
    assert _users(load(path, column={"user_id": "name"})) == ["ride", "run"]
    assert _users(load(path, column={"user_id": "file"})) == ["ana"]


def test_a_column_of_users_comes_first(tmp_path: Path) -> None:
    """A personal file may say itself whose its fixes are."""
    found = load(_write(tmp_path / "both.txt", "run ana", "ride ben"))
    assert _users(found) == ["ana", "ben"]
    assert NOTE not in found.notes  # type: ignore[union-attr]


def test_several_files_are_several_users(tmp_path: Path) -> None:
    """Files named one by one are people, by their names."""
    files = [_write(tmp_path / f"{name}.txt") for name in ("ana", "ben")]
    assert _users(load(files)) == ["ana", "ben"]


LAYOUTS = {
    ("ana.txt", "ben.txt"): "{user_id}.txt",
    ("ana/1.txt", "ana/2.txt", "ben/1.txt"): "{user_id}/*.txt",
    ("ana/Records.txt", "ben/Records.txt"): "{user_id}/Records.txt",
    ("ana/a/1.txt", "ben/a/2.txt"): "{user_id}/a/*.txt",
    ("ana/a/1.txt", "ben/2.txt"): "{user_id}/**.txt",
    ("ana.txt", "ben.TXT"): "{user_id}.*",
}


@pytest.mark.parametrize(("files", "pattern"), LAYOUTS.items())
def test_a_folder_is_refused_with_the_pattern_that_reads_it(
    tmp_path: Path, files: tuple[str, ...], pattern: str
) -> None:
    """What the refusal says is what helps."""
    for hour, name in enumerate(files):
        _write(tmp_path / name, hour=hour)
    with pytest.raises(InputError, match="nothing says whose they are") as refused:
        load(tmp_path)
    assert f"--files '{pattern}'" in str(refused.value)
    found = load(tmp_path, files=pattern)
    assert _users(found) == ["ana", "ben"]
    assert len(found.time) == len(files)  # type: ignore[union-attr]


def test_a_folder_whose_files_name_their_users_needs_no_pattern(tmp_path: Path) -> None:
    """Only what is not said is asked for; a further file is counted."""
    _write(tmp_path / "1.txt", "run ana")
    _write(tmp_path / "2.txt", "run ben")
    (tmp_path / "READ.ME").write_text("hello\n")
    found = load(tmp_path)
    assert _users(found) == ["ana", "ben"]
    assert any("1 files are not read" in note for note in found.notes)  # type: ignore[union-attr]


def test_two_files_of_one_name_are_refused_with_the_pattern(tmp_path: Path) -> None:
    """Records.txt of two people is not one person's."""
    files = [_write(tmp_path / name / "Records.txt") for name in ("ana", "ben")]
    with pytest.raises(InputError, match="users are the names of files") as refused:
        load(files)
    assert f"their folder, {tmp_path}" in str(refused.value)
    assert "--files '{user_id}/Records.txt'" in str(refused.value)
    with pytest.raises(InputError, match="users are the names of files"):
        load(tmp_path, column={"user_id": "file"})


def test_a_file_that_may_be_a_copy_is_named(tmp_path: Path) -> None:
    """They stay at one place together, where nothing else tells that they may be one person."""
    one = _write(tmp_path / "ana.txt", "", "")
    copy = _write(tmp_path / "ana (1).txt", "", "")
    other = _write(tmp_path / "ben.txt", "", "", hour=1)
    found = load([one, copy, other])
    assert _users(found) == ["ana", "ana (1)", "ben"]
    assert [note for note in found.notes if "copy" in note] == [
        f"{copy} has the same fixes as {one}: leave it out if it is a copy, for a copy is no second"
        " person"
    ]


def test_a_file_that_the_pattern_means_has_the_format(tmp_path: Path) -> None:
    """Nobody is left out because her file is of another program."""
    _write(tmp_path / "ana.txt")
    (tmp_path / "ben.txt").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="no file of format diary") as refused:
        load(tmp_path, files="{user_id}.txt")
    assert str(refused.value.file).endswith("ben.txt")


def test_layers_are_of_formats_that_have_them(tmp_path: Path) -> None:
    """A layer that would be ignored is refused."""
    with pytest.raises(InputError, match="format diary has no layers"):
        load(_write(tmp_path / "ana.txt"), layer="tracks")


@pytest.mark.parametrize(
    ("name", "stem"),
    [("ana.gpx", "ana"), ("a/ana.2024.gpx.gz", "ana.2024"), ("ana", "ana"), ("ana.gz", "ana")],
)
def test_the_name_of_a_file_is_without_its_ending(name: str, stem: str) -> None:
    """Packed files, too."""
    assert stem_of(name) == stem
