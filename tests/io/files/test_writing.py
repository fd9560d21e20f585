"""Files appear whole or not at all, and say what was meant."""

import os

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.files.writing import write_tables, write_wires
from mixsafe.machinery.files import atomic_path, write_text

WIRES = pd.DataFrame(
    {
        "user_id": ["ann", "bob"],
        "from_time": [0, 3],
        "lower": [1, 3],
        "verdict": pd.Categorical(["unsafe", "safe"]),
    }
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_text_is_written_as_it_is(tmp_path):
    write_text(tmp_path / "a.csv", "é\r\n1\n")
    assert (tmp_path / "a.csv").read_bytes() == "é\r\n1\n".encode()
    assert names(tmp_path) == ["a.csv"]


def test_nothing_is_left_behind_when_the_work_fails(tmp_path):
    (tmp_path / "a.csv").write_text("old")

    def fail():
        with atomic_path(tmp_path / "a.csv") as draft:
            draft.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (tmp_path / "a.csv").read_text() == "old"
    assert names(tmp_path) == ["a.csv"]


def test_nobody_sees_the_file_before_it_is_whole(tmp_path):
    with atomic_path(tmp_path / "a.csv") as draft:
        draft.write_text("half")
        assert not (tmp_path / "a.csv").exists()
        assert draft.suffix == ".csv"
    assert (tmp_path / "a.csv").read_text() == "half"


def test_a_link_is_followed_not_replaced(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write_text(tmp_path / "link.csv", "new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_a_device_is_written_to_not_replaced():
    write_text(os.devnull, "nothing")
    assert not os.path.isfile(os.devnull)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="folder does not exist"):
        write_text(tmp_path / "nowhere" / "a.csv", "x")


def test_a_folder_is_not_written_over(tmp_path):
    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path, "x")


def test_wires_as_csv_are_plain(tmp_path):
    write_wires(tmp_path / "wires.csv", WIRES)
    expected = b"user_id,from_time,lower,verdict\nann,0,1,unsafe\nbob,3,3,safe\n"
    assert (tmp_path / "wires.csv").read_bytes() == expected


def test_wires_as_parquet_come_back(tmp_path):
    write_wires(tmp_path / "wires.parquet", WIRES)
    back = pa.parquet.read_table(tmp_path / "wires.parquet").to_pandas()
    assert back.astype(str).equals(WIRES.astype(str))


def test_a_name_that_needs_quotes_gets_them(tmp_path):
    write_wires(tmp_path / "wires.csv", WIRES.replace("ann", 'a,"n"'))
    assert pd.read_csv(tmp_path / "wires.csv")["user_id"].tolist() == ['a,"n"', "bob"]


def test_a_table_that_ends_in_the_middle_is_not_there(tmp_path):
    def tables(_):
        yield WIRES
        raise MemoryError

    for name in ("wires.csv", "wires.parquet"):
        with pytest.raises(MemoryError):
            write_tables(tmp_path / name, tables)
    assert names(tmp_path) == []


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.txt"):
        write_wires(tmp_path / "wires.txt", WIRES)
    assert names(tmp_path) == []


@given(  # up to 2037: Arrow knows no changes of clocks that are rules, not lists
    st.lists(st.integers(-(10**9), 2 * 10**9), min_size=1),
    st.sampled_from(["UTC", "America/Los_Angeles", "Asia/Kathmandu", "+05:30"]),
    st.lists(st.integers(0, 10**6), max_size=30),
)
def test_every_row_has_the_text_of_its_own_moment(tmp_path_factory, moments, zone, more):
    """Also where moments repeat, come in any order, and lie on both sides of a change of clocks."""
    seconds = moments + [moments[number % len(moments)] for number in more]
    times = pd.to_datetime(pd.Series(seconds), unit="s", utc=True).dt.tz_convert(zone)
    path = tmp_path_factory.mktemp("moments") / "wires.csv"
    write_wires(path, pd.DataFrame({"from_time": times, "lower": range(len(seconds))}))
    rows = path.read_text().splitlines()[1:]
    assert rows == [f"{time.isoformat()},{row}" for row, time in enumerate(times)]
