"""Tables in many files: which files are read, and what their paths say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.columns.reading import Reading
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.sources import load, pieces_of
from mixsafe.io.traces.in_pieces import ReadPieces
from mixsafe.io.traces.published_sets import read_cabspotting

PLT = """Geolife trajectory
WGS 84
Altitude is in Feet
Reserved 3
0,2,255,My Track,0,0,2,8421376
0
39.90,116.31,0,492,39744.12,2008-10-23,02:53:04
39.91,116.32,0,492,39744.12,2008-10-23,02:54:04
"""
CAB = "37.75134 -122.39488 0 1213084687\n37.75136 -122.39527 1 1213084659\n"

parts = st.text("ab0.-", min_size=1, max_size=4).filter(lambda text: text[0] not in "._")


@given(user=parts, folder=parts, name=parts)
def test_what_a_pattern_names_is_what_stands_there(user: str, folder: str, name: str) -> None:
    form = TableForm(files="{user_id}/*/{day}.plt")
    found = form.values_of(Path(user, folder, f"{name}.plt"))
    assert found == {"user_id": user, "day": name}
    assert form.values_of(Path(user, f"{name}.plt")) is None
    assert TableForm(files=f"{folder}/{{user_id}}").values_of(Path(folder, user)) == {
        "user_id": user
    }


def folder_of(tmp_path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = tmp_path / "data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "data"


def test_geolife(tmp_path: Path) -> None:
    files = {"000/Trajectory/1.plt": PLT, "001/Trajectory/2.plt": PLT, "000/labels.txt": "x"}
    folder = folder_of(tmp_path, files)
    with pytest.raises(InputError, match=r"--files '\{user_id\}/Trajectory/\*.plt'"):
        load(folder)
    found = load(folder, files="{user_id}/Trajectory/*.plt", similar_names="different")
    assert found.users.tolist() == ["000", "001"]
    assert found.time.tolist() == [1224730384, 1224730444] * 2
    assert found.lat.tolist() == [39.90, 39.91] * 2


def test_one_file_of_geolife_does_not_say_whose_it_is(tmp_path: Path) -> None:
    path = folder_of(tmp_path, {"1.plt": PLT}) / "1.plt"
    with pytest.raises(InputError, match=r"whose it is; .*--files '\{user_id\}/Trajectory"):
        load(path)


def test_cabs_are_those_of_their_own_reader(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"new_abc.txt": CAB, "new_x.txt": CAB, "_cabs.txt": "x"})
    said = load(folder, files="new_{user_id}.txt", columns=("lat", "lon", "_", "time"))
    own = read_cabspotting(folder)
    assert said.users.tolist() == own.users.tolist()
    assert all(
        np.array_equal(getattr(said, part), getattr(own, part)) for part in ("time", "lat", "lon")
    )


@pytest.mark.parametrize("rows", [None, 1])
def test_an_empty_file_is_a_user_without_data(tmp_path: Path, rows: int | None) -> None:
    """T-Drive has some, also the first: the folder was refused."""
    row = "2008-02-02 15:36:00,116.5,39.9\n"
    folder = folder_of(tmp_path, {"1.txt": "", "2.txt": row, "3.txt": "", "4.txt": row})
    reading = Reading(form=TableForm(("time", "lon", "lat"), "{user_id}.txt"))
    pieces = ReadPieces(pieces_of([folder], reading, rows))
    assert sum(len(piece.time) for piece in pieces) == 2
    assert pieces.users()[0].tolist() == [1, 2, 3, 4]
    assert "2 files are empty, such as 1.txt" in pieces.notes
    found = load(folder, columns=("time", "lon", "lat"), files="{user_id}.txt")
    assert (found.users.tolist(), found.user.tolist()) == ([1, 2, 3, 4], [1, 3])


def test_what_is_skipped_in_one_of_several_files_names_it(tmp_path: Path) -> None:
    row = "2008-02-02 15:36:00,{},39.9\n"
    folder = folder_of(tmp_path, {"1.txt": row.format(116.5), "2.txt": row.format("NA")})
    found = load(folder, columns=("time", "lon", "lat"), files="{user_id}.txt")
    assert "1 row skipped: no position (2.txt, line 1 (2))" in found.notes


def test_a_fault_in_one_of_many_files_is_named_with_its_line_whatever_their_order(
    tmp_path: Path,
) -> None:
    """Files are read in threads, the newest fix first, and the first fault counts."""
    rows = [f"2008-02-02 15:{minute}:00,116.5,39.9\n" for minute in range(59, 9, -1)]
    files = {f"{number:02}.txt": "".join(rows) for number in range(30)}
    for number in (17, 23):
        files[f"{number}.txt"] = "".join([*rows[:5], "2008-02-02 15:01:00,116.5,x\n", *rows])
    folder = folder_of(tmp_path, files)
    with pytest.raises(InputError, match="'x' is not a number") as caught:
        load(folder, columns=("time", "lon", "lat"), files="{user_id}.txt")
    assert (caught.value.file, caught.value.line) == (str(folder / "17.txt"), 6)


def test_messages_about_files_that_begin_with_the_newest_fix_name_the_line(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.txt": CAB, "b.txt": CAB.replace("37.75136", "NA")})
    found = load(folder, files="{user_id}.txt", columns=("lat", "lon", "_", "time"))
    said = [end.error("too early", None) for end in found.ends]
    lines = [(one.file, one.line) for one in said]
    assert lines == [(str(folder / "a.txt"), 2), (str(folder / "a.txt"), 1)]
    assert "1 row skipped: no position (b.txt, line 2 (b))" in found.notes


def test_texts_of_a_folder_are_read_if_their_columns_are_named(tmp_path: Path) -> None:
    """As T-Drive is published, without a header."""
    row = "{},2008-02-02 15:36:00,116.5,39.9\n"
    folder = folder_of(tmp_path, {"1.txt": row.format(1), "2.txt": row.format(2)})
    with pytest.raises(InputError, match=r"--files '\*.txt' --columns"):
        load(folder)
    found = load(folder, columns=("user_id", "time", "lon", "lat"))
    assert (found.users.tolist(), found.lon.tolist()) == ([1, 2], [116.5, 116.5])


def test_a_column_of_the_files_comes_before_their_names(tmp_path: Path) -> None:
    table = "user_id,time_id,reg_id\nb,1,1\n"
    folder = folder_of(tmp_path, {"a.csv": table})
    assert load(folder, files="{user_id}.csv").users.tolist() == ["b"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("*.dat", "no file of the folder is called as --files '\\*.dat' says; it holds 1 files"),
        ("{user_id}/{user_id}.csv", "names 'user_id' twice"),
    ],
)
def test_a_pattern_that_fits_nothing_is_refused(tmp_path: Path, files: str, message: str) -> None:
    folder = folder_of(tmp_path, {"1.csv": "user_id,time_id,reg_id\n1,1,1\n"})
    with pytest.raises(InputError, match=message):
        load(folder, files=files)


def test_a_pattern_is_for_a_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"1.csv": "user_id,time_id,reg_id\n1,1,1\n"})
    with pytest.raises(InputError, match="omit --files, or give the folder"):
        load(folder / "1.csv", files="*.csv")
