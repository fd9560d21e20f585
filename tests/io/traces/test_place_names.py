"""Places by name: names are read as they are, and two places are one only by equal names."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.positions import positions
from mixsafe.extract.zones import mix_zones
from mixsafe.io.files.csv_records import MISSING
from mixsafe.model.mobility.complete_traces import TraceMatrix

USERS, TIMES = ["a", "b", "a", "b"], [1064996100, 1064996101, 1064996200, 1064996201]
"""Two people at two times: both meet where they are at one place."""


def written(path, places, users=USERS, times=TIMES, header="user_id,time,reg_id"):
    rows = [",".join(map(str, row)) for row in zip(users, times, places, strict=True)]
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def called(traces):
    """What the place of each fix is called."""
    region = traces.region.tolist()
    names = traces.place_names
    return region if names is None else [names[one - 1] for one in region]


def meetings(traces):
    return len(mix_zones(positions(traces, time_step=60)))


KINDS = {
    "access points": ["AcadBldg12AP3", "AcadBldg12AP3", "LibBldg2AP1", "ResBldg9AP4"],
    "venues": ["49bbd6c0f964a520f4531fe3", "49bbd6c0f964a520f4531fe3", "4a", "4b"],
    "cells": ["901-10-3041-2", "901-10-3041-2", "901-10-3041-3", "901-10-3041-4"],
    "leading zeros": ["0150", "0150", "0150", "150"],
    "case": ["ap", "ap", "ap", "AP"],
    "more digits than a number has": ["9" * 20, "9" * 20, "9" * 19 + "8", "9" * 19 + "7"],
    "words and numbers": ["library", "library", "150", "1"],
    "other letters": ["図書館", "図書館", "Café", "Cafe"],
    "negative words": ["-x", "-x", "+", "1 a"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_read_as_they_are_from_every_source(kind, tmp_path):
    names = KINDS[kind]
    columns = {"user_id": USERS, "time": TIMES, "reg_id": names}
    frame = pd.DataFrame(columns)
    parquet.write_table(pa.table(columns), tmp_path / "text.parquet")
    frame.astype({"reg_id": "category"}).to_parquet(tmp_path / "category.parquet")
    halves = [
        written(tmp_path / f"{half}.csv", names[part], USERS[part], TIMES[part])
        for half, part in enumerate((slice(2), slice(2, 4)))
    ]
    sources = [
        written(tmp_path / "t.csv", names),
        halves,
        tmp_path / "text.parquet",
        tmp_path / "category.parquet",
        columns,
        frame,
        frame.astype({"reg_id": "category"}),
        frame.astype({"reg_id": "string"}),
        pl.DataFrame(columns),
        pl.DataFrame(columns, schema_overrides={"reg_id": pl.Categorical}),
        pa.table(columns),
    ]
    for source in sources:
        traces = mixsafe.load(source)
        # By user and time.
        assert called(traces) == [names[0], names[2], names[1], names[3]], source
        assert traces.place_names == tuple(sorted(set(names)))
        assert meetings(traces) == 1


def test_a_zero_makes_another_place_in_texts_of_every_source(tmp_path):
    """150 and 0150 were one place in Parquet and in tables in memory: a mix zone that is none."""
    columns = {"user_id": ["a", "b"], "time": TIMES[:2], "reg_id": ["0150", "150"]}
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    csv = written(tmp_path / "t.csv", columns["reg_id"], ["a", "b"], TIMES[:2])
    for source in (csv, tmp_path / "t.parquet", columns, pd.DataFrame(columns)):
        assert meetings(mixsafe.load(source)) == 0


@pytest.mark.parametrize(
    "cells",
    [["150", "150", "7", "8"], ["150.0", "150.0", "7.0", "8.0"], [" 150", "150 ", "+7", "8."]],
)
def test_numbers_stay_numbers_however_software_writes_them(cells, tmp_path):
    traces = mixsafe.load(written(tmp_path / "t.csv", cells))
    assert traces.place_names is None
    assert traces.region.tolist() == [150, 7, 150, 8]


def test_numbers_stay_numbers_where_libraries_hold_them_as_floats_or_categories():
    """A missing region makes floats of all; Polars has users as categories, too."""
    frame = pd.DataFrame({"user_id": USERS, "time": TIMES, "reg_id": [150.0, 150.0, 7.0, np.nan]})
    users = pl.DataFrame({"user_id": USERS, "time": TIMES, "reg_id": [150, 150, 7, None]})
    sources = [
        frame,
        frame.astype({"reg_id": "category"}),
        users.with_columns(pl.col("user_id").cast(pl.Categorical)),
    ]
    for source in sources:
        traces = mixsafe.load(source)
        assert (traces.region.tolist(), traces.place_names) == ([150, 7, 150], None)


def test_numbers_are_names_beside_names_and_equal_ones_one_place(tmp_path):
    """In any order of the files, and whether a file has texts or numbers."""
    numbers = {"user_id": ["a", "a"], "time": TIMES[:2], "reg_id": [150, 1]}
    parquet.write_table(pa.table(numbers), tmp_path / "numbers.parquet")
    names = written(tmp_path / "names.csv", ["150", "0150"], ["b", "b"], TIMES[:2])
    for files in ([tmp_path / "numbers.parquet", names], [names, tmp_path / "numbers.parquet"]):
        traces = mixsafe.load(files)
        assert called(traces) == ["150", "1", "150", "0150"]
        assert traces.place_names == ("0150", "1", "150")


def test_a_place_is_in_the_name_of_a_folder(tmp_path):
    for place in ("AP 1", "0150", "150"):
        (tmp_path / f"reg_id={place}").mkdir()
        users = ["a", "b"] if place == "AP 1" else [place[:1]]
        rows = [f"{user},{TIMES[0]}" for user in users]
        (tmp_path / f"reg_id={place}" / "t.csv").write_text("\n".join(["user_id,time", *rows, ""]))
    traces = mixsafe.load(tmp_path)
    assert traces.place_names == ("0150", "150", "AP 1")
    assert meetings(traces) == 1


@pytest.mark.parametrize("skip_bad", [False, True])
@pytest.mark.parametrize("missing", ["", "   ", "NA", " NaN ", "-"])
def test_a_missing_place_is_a_row_without_a_position(missing, skip_bad, tmp_path):
    for names in (["x", "x", "y"], ["1", "1", "2"]):
        path = written(tmp_path / "t.csv", [*names[:2], missing, names[2]])
        traces = mixsafe.load(path, skip_bad=skip_bad)
        assert [str(one) for one in called(traces)] == [names[0], names[1], names[2]]
        assert traces.notes[0].startswith("1 row skipped: no position (line 4")


def test_names_of_rows_that_are_left_out_are_no_places(tmp_path):
    rows = ["a,1,x", "b,1,x", "b,0,gone", "a,2,y"]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["user_id,time_id,reg_id", *rows, ""]))
    traces = mixsafe.load(path, skip_bad=True)
    assert traces.place_names == ("x", "y")


BAD = {
    "a hidden cell": ("*", "'*' is not one place"),
    "a set of regions": ("7 8", "'7 8' is not one place"),
    "a number below 0": ("-1", "region -1 is negative"),
    "such a number of software": ("-1.0", "region -1.0 is negative"),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("other", ["5", "x"])
def test_what_is_no_place_is_refused_beside_names_and_numbers(kind, other, tmp_path):
    cell, says = BAD[kind]
    path = written(tmp_path / "t.csv", [other, other, cell, other])
    with pytest.raises(InputError) as caught:
        mixsafe.load(path)
    assert says in str(caught.value)
    assert (caught.value.line, caught.value.column) == (4, "reg_id")
    left = mixsafe.load(path, skip_bad=True)
    assert [str(one) for one in called(left)] == [other] * 3


def test_in_the_form_of_the_contest_places_may_have_names_but_not_for_the_contest(tmp_path):
    header = "user_id,time_id,reg_id"
    path = written(tmp_path / "t.csv", ["lab", "lab"], [1, 2], [1, 1], header)
    traces = mixsafe.load(path)
    assert meetings(traces) == 1
    with pytest.raises(InputError, match="places have names, such as 'lab'"):
        TraceMatrix.of_traces(traces)
    with pytest.raises(InputError, match="places have names, such as 'lab'"):
        mixsafe.pose(traces, rules=mixsafe.ExchangeRules(max_step=2))
    with pytest.raises(InputError, match="region 0 is below 1"):
        mixsafe.load(written(path, ["lab", "0"], [1, 2], [1, 1], header))


def test_a_user_at_two_named_places_at_one_time_id_is_refused_by_name(tmp_path):
    header = "user_id,time_id,reg_id"
    path = written(tmp_path / "t.csv", ["lab", "x", "hall"], [1, 2, 1], [1, 1, 1], header)
    with pytest.raises(InputError, match="line 4: user 1 is in region hall at time 1, and in"):
        mixsafe.load(path)


places = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=30
)


def zones_of(frame):
    """Members of the zones of each step, whatever their places are called."""
    zones = mix_zones(positions(mixsafe.load(frame), time_step=60))
    members = np.split(zones.users[zones.members], zones.ptr[1:-1])
    pairs = zip(zones.time.tolist(), members, strict=True) if len(zones) else ()
    return sorted((time, tuple(some.tolist())) for time, some in pairs)


def is_place(name):
    """Whether a name stands for a place, and is no number or set of numbers."""
    return name.strip() == name and name not in MISSING and name.strip("*+-.0123456789 ") != ""


unlike = st.lists(places.filter(is_place), min_size=4, max_size=4, unique=True)


def frame_of(rows):
    found = pd.DataFrame(rows, columns=["user_id", "minute", "reg_id"])
    return found.assign(time=TIMES[0] + 60 * found.minute).drop(columns="minute")


@given(rows, unlike)
@example([(0, 0, 0), (1, 0, 1)], ["a1", "a01", "A1", "a1.0"])
def test_places_by_any_names_make_the_same_zones(rows, names):
    """Renaming places one to one changes nothing."""
    frame = frame_of(rows).drop_duplicates(["user_id", "time"])
    named = frame.assign(reg_id=[names[place] for place in frame.reg_id])
    assert zones_of(named) == zones_of(frame)


@given(rows, unlike, st.integers(0, 99))
def test_rows_in_any_order_make_the_same_traces_of_names(rows, names, seed):
    """Also where a user is at two places at one moment: the last name counts."""
    frame = frame_of(rows)
    named = frame.assign(reg_id=[names[place] for place in frame.reg_id])
    one, other = mixsafe.load(named), mixsafe.load(named.sample(frac=1, random_state=seed))
    assert one.place_names == other.place_names
    for column in ("user", "time", "region"):
        assert np.array_equal(getattr(one, column), getattr(other, column))


def test_one_slip_among_numbers_is_told(tmp_path):
    """It makes names of all places, which is right for names, and unlikely to be meant here."""
    path = tmp_path / "t.csv"
    path.write_text("user_id,time_id,reg_id\n1,1,7\n2,1,8\n3,1,99x\n")
    assert "places are read as names, because '99x' is no number" in " ".join(
        mixsafe.load(path).notes
    )
    path.write_text("user_id,time_id,reg_id\n1,1,AP7\n2,1,8\n3,1,Hall\n")
    assert not mixsafe.load(path).notes


@pytest.mark.parametrize("places", [["a", "b", "a", "c"], ["7", "150", "7", "8"]])
def test_larger_cells_are_advised_only_where_there_are_cells(places):
    """--cell-size does nothing about places with names or numbers."""
    frame = {"user_id": USERS, "time": TIMES, "reg_id": places}
    (said, *_) = mixsafe.verify(frame, k=2).next_steps
    assert "longer steps (--time-step)" in said
    assert "--cell-size" not in said
    del frame["reg_id"]
    degrees = mixsafe.verify({**frame, "lat": [1.0, 2, 1, 3], "lon": [1.0] * 4}, k=2)
    assert "larger cells (--cell-size)" in degrees.next_steps[0]
