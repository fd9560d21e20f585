"""How a text writes its table does not matter: separator, decimal mark, encoding, header, gzip."""

from __future__ import annotations

import csv
import gzip
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.sources import load
from mixsafe.model.mobility.traces import Traces

NAMES = ("user_id", "time", "lat", "lon")
ROWS = [
    ("Müller", "2026-06-15 05:11:00", 48.991626, 8.38473),
    ("Özil", "2026-06-15 05:11:30", 48.991626, 8.38473),
    ("Müller", "2026-06-15 05:12:00", 48.994588, 8.387592),
]

# Letters of Windows-1252 that UTF-8 begins letters with, so that no text is both.
LETTERS = "".join(map(chr, range(33, 127))) + "ÄÖÜßÅÆÇÑØàäçéñöøü"
texts = st.text(LETTERS, min_size=1, max_size=8).filter(lambda text: text not in "-?")
coordinates = st.integers(1_000_000, 80_000_000).map(lambda one: (2 * one + 1) / 2_000_000)
rows_of_people = st.lists(
    st.tuples(
        texts,
        st.integers(0, 86_400).map(
            lambda second: str(datetime(2026, 6, 15, tzinfo=UTC) + timedelta(seconds=second))[:19]
        ),
        coordinates,
        coordinates,
    ),
    min_size=1,
    max_size=6,
)


def written(rows, separator=",", decimal=".", names=NAMES, quoting=csv.QUOTE_MINIMAL):
    """The text of a table."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\n")
    if names:
        writer.writerow(names)
    for user, time, *place in rows:
        writer.writerow([user, time, *(f"{one:.7f}".replace(".", decimal) for one in place)])
    return text.getvalue()


def same(one: Traces, other: Traces) -> bool:
    return all(
        np.array_equal(getattr(one, part), getattr(other, part))
        for part in ("users", "user", "time", "lat", "lon")
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    rows=rows_of_people,
    separator=st.sampled_from(",;\t|"),
    decimal=st.sampled_from(".,"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    header=st.booleans(),
    packed=st.booleans(),
)
def test_traces_are_the_same_however_a_table_is_written(
    tmp_path: Path,
    rows,
    separator,
    decimal,
    encoding,
    quoting,
    header,
    packed,
) -> None:
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    plain.write_text(written(rows), encoding="utf-8")
    names = {"names": NAMES if header else ()}
    text = written(rows, separator, decimal, quoting=quoting, **names).encode(encoding)
    other.write_bytes(gzip.compress(text) if packed else text)
    said = {} if header else {"columns": NAMES}
    expected = load(plain, similar_names="different")
    assert same(load(other, similar_names="different", **said), expected)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (written(ROWS, ";", ",").encode("cp1252"), "text in Windows-1252, columns separated by"),
        (written(ROWS).encode("utf-16"), "read as text in UTF-16"),
        (b"sep=;\r\n" + written(ROWS, ";").encode(), "read as columns separated by semicolons"),
        (written(ROWS, "\t", ",").encode(), "columns separated by tabs, decimal commas"),
    ],
)
def test_what_is_not_usual_is_said(tmp_path: Path, text: bytes, note: str) -> None:
    path = tmp_path / "fixes.csv"
    path.write_bytes(text)
    found = load(path)
    assert (len(found.users), len(found.time)) == (2, 3)
    assert any(note in one for one in found.notes)


def test_an_umlaut_far_down_is_read_too(tmp_path: Path) -> None:
    """The encoding is not told by the first bytes."""
    path = tmp_path / "fixes.csv"
    many = [(f"cab{number}", *ROWS[0][1:]) for number in range(3000)]
    path.write_bytes(written([*many, ROWS[0]]).encode("cp1252"))
    found = load(path)
    assert "Müller" in set(found.users)
    assert any("Windows-1252" in note for note in found.notes)


def test_damaged_utf8_is_not_taken_for_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "fixes.csv"
    path.write_bytes(written(ROWS).encode().replace("Ö".encode(), b"\xc3"))
    with pytest.raises(InputError, match="line 3: the line is not UTF-8"):
        load(path)


@pytest.mark.parametrize("decimal", [".", ","])
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, decimal: str) -> None:
    """The line counts what stands before the table; numbers are good with their decimal mark."""
    path = tmp_path / "fixes.csv"
    lines = written(ROWS, ";", decimal).splitlines()
    path.write_text("\n".join(["sep=;", *lines, "Özil;gestern;48;8", ""]), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 6, column 'time': 'gestern'"):
        load(path)
    more = [(f"cab{number}", *ROWS[0][1:]) for number in range(200)]
    lines = written([*ROWS, *more], ";", decimal).splitlines()
    path.write_text("\n".join([*lines, "Özil;2026-06-15;x;8", ""]), encoding="utf-8")
    found = load(path, skip_bad=True)
    assert len(found.time) == 203
    assert found.premises.skipped[0].count == 1
    assert "line 205" in found.premises.skipped[0].examples[0]


def test_a_file_without_a_header_keeps_its_first_row(tmp_path: Path) -> None:
    path, plain = tmp_path / "fixes.txt", tmp_path / "plain.csv"
    path.write_text(written(ROWS, " ", names=()).replace('"', ""), encoding="utf-8")
    plain.write_text(written(ROWS), encoding="utf-8")
    with pytest.raises(InputError, match="no header"):
        load(plain.with_name("fixes.txt"))
    columns = ("user_id", "date", "time", "lat", "lon")
    assert same(load(path, columns=columns), load(plain))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("user_id", "time", "lat"), "the first line has 4 columns, and --columns names 3"),
        ((*NAMES, "more"), "the first line has 4 columns, and --columns names 5"),
        (("user_id", "user_id", "lat", "lon"), "--columns names 'user_id' twice"),
        (("user_id", "", "lat", "lon"), "--columns has an empty name"),
    ],
)
def test_names_that_do_not_fit_are_refused(tmp_path: Path, columns, message: str) -> None:
    path = tmp_path / "fixes.csv"
    path.write_text(written(ROWS, names=()), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load(path, columns=columns)


def test_a_header_is_no_row(tmp_path: Path) -> None:
    path = tmp_path / "fixes.csv"
    path.write_text(written(ROWS), encoding="utf-8")
    with pytest.raises(InputError, match="omit --columns if it is a header"):
        load(path, columns=NAMES)


@pytest.mark.parametrize("order", ["day_first", "month_first"])
def test_dates_beside_times_of_the_day(tmp_path: Path, order: str) -> None:
    path, plain = tmp_path / "fixes.csv", tmp_path / "plain.csv"
    plain.write_text("user_id,time,lat,lon\na,2024-03-04 05:06:07,1,2\n")
    date = "04/03/2024" if order == "day_first" else "03/04/2024"
    path.write_text(f"user_id,Date,Time,lat,lon\na,{date},05:06:07,1,2\n")
    assert same(load(path, **{order: True}), load(plain))
    path.write_text("user_id,date,time,lat,lon\na,2024-03-04,05:06:07,1,2\n")
    assert same(load(path), load(plain))
    path.write_text("user_id,date,time,lat,lon\na,,2024-03-04 05:06:07,1,2\n")
    assert same(load(path), load(plain))
    path.write_text("user_id,date,time,lat,lon\na,,05:06:07,1,2\n")
    with pytest.raises(InputError, match="line 2, column 'date': the value is missing"):
        load(path)
