"""Contest traces: any order in, sorted out, and every fault at its line and column."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.sources import load

HEADER = "user_id,time_id,reg_id\n"


def read(tmp_path, content):
    path = tmp_path / "orgtraces.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(path, format="contest")


def listed(traces):
    users = traces.users[traces.user].tolist()
    return list(zip(users, traces.time.tolist(), traces.region.tolist(), strict=True))


rows = st.lists(
    st.tuples(st.integers(-5, 300), st.integers(1, 99), st.integers(1, 2000)),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:2],
)


@given(rows)
def test_rows_in_any_order_become_sorted_traces(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "rows.csv"
    path.write_text(HEADER + "".join(f"{u},{t},{r}\n" for u, t, r in rows))
    traces = load(path, format="contest")
    assert listed(traces) == sorted(rows)
    assert traces.users.tolist() == sorted({user for user, _, _ in rows})
    assert traces.users.dtype == np.int64
    assert (traces.clock, traces.notes) == ("time_id", ())


def test_names_that_are_no_integers_stay_strings(tmp_path):
    traces = read(tmp_path, HEADER + "007,1,5\nann,1,5\n10,1,5\n9,1,5\nNA,1,5\n")
    assert traces.users.tolist() == ["007", "10", "9", "NA", "ann"]


@pytest.mark.parametrize(
    "content",
    [
        HEADER + "1,41,7\n2,41,8",
        HEADER.replace("\n", "\r\n") + "1,41,7\r\n2,41,8\r\n",
        "\ufeff" + HEADER + "1,41,7\n2,41,8\n",
        'user_id,"time_id",reg_id\n"1",41,"7"\n2,"41",8\n',
        HEADER + "\n1,41,7\n\n\n2,41,8\n\n",
    ],
    ids=["no last line end", "CRLF", "byte order mark", "quotes", "blank lines"],
)
def test_harmless_forms_are_read(tmp_path, content):
    assert listed(read(tmp_path, content)) == [(1, 41, 7), (2, 41, 8)]


def test_a_repeated_row_is_merged_and_counted(tmp_path):
    traces = read(tmp_path, HEADER + "1,41,7\n2,41,8\n1,41,7\n1,41,7\n")
    assert listed(traces) == [(1, 41, 7), (2, 41, 8)]
    assert traces.notes == ("2 repeated rows merged",)


BAD = {
    "a missing column": ("user_id,reg_id\n1,2\n", 1, "time_id", "the column does not exist"),
    "a header only": (HEADER, 2, None, "no row"),
    "a header without line end": (HEADER.strip(), 2, None, "no row"),
    "an empty cell": (HEADER + "1,41,7\n1,,7\n", 3, "time_id", "empty"),
    "an empty name": (HEADER + "1,41,7\n,42,3\n", 3, "user_id", "empty"),
    "a blank name": (HEADER + "1,41,7\n  ,42,3\n", 3, "user_id", "empty"),
    "NaN": (HEADER + "1,41,7\n1,nan,7\n", 3, "time_id", "'nan' is not a whole number"),
    "a word": (HEADER + "1,41,7\n1,later,7\n", 3, "time_id", "'later' is not a whole number"),
    "a fraction": (HEADER + "1,41,7\n1,42.0,7\n", 3, "time_id", "'42.0' is not a whole"),
    "a huge number": (HEADER + "1,99999999999999999999,7\n", 2, "time_id", "too large"),
    "a hidden cell": (HEADER + "1,41,7\n1,42,*\n", 3, "reg_id", "not one place"),
    "a list of regions": (HEADER + "1,41,7 8\n", 2, "reg_id", "not one place"),
    "too few fields": (HEADER + "1,41,7\n1,42\n", 3, None, "2 fields instead of 3"),
    "too many fields": (HEADER + "1,41,7,9\n", 2, None, "4 fields instead of 3"),
    "region 0": (HEADER + "1,41,7\n1,42,0\n", 3, "reg_id", "region 0 is below 1"),
    "region -1": (HEADER + "1,41,-1\n", 2, "reg_id", "region -1 is below 1"),
    "time 0": (HEADER + "1,0,7\n", 2, "time_id", "time 0 is below 1"),
    "two places": (HEADER + "2,41,7\n1,41,7\n\n2,41,8\n", 5, None, "user 2 is in region 8"),
    "bytes that are no text": (HEADER.encode() + b"1,41,7\n\xff\xc3\xa9,41,7\n", 3, None, "UTF-8"),
    "a cell over two lines": (HEADER + '"a\nb",41,7\nc,x,7\n', 4, "time_id", "'x'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_named_with_its_line_and_column(name, tmp_path):
    content, line, column, says = BAD[name]
    with pytest.raises(InputError, match=says) as caught:
        read(tmp_path, content)
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert error.file == str(tmp_path / "orgtraces.csv")
    assert "\n" not in str(error)


def test_a_fault_after_many_good_rows_is_named_with_its_line(tmp_path):
    good = "".join(f"{user},{time},1\n" for user in range(2000) for time in range(1, 81))
    with pytest.raises(InputError) as caught:
        read(tmp_path, HEADER + good + "9999,oops,1\n" + good)
    assert caught.value.line == 160_002


def test_released_cells_are_sent_to_the_audit(tmp_path):
    with pytest.raises(InputError) as caught:
        read(tmp_path, HEADER + "1,41,7 8 9\n")
    assert "mixsafe audit" in caught.value.hint


def test_the_contests_own_file_is_read_whole(published):
    path = published("pwscup2019/orgtraces_team001_data01_IDP.csv")
    traces = load(path, format="contest")
    assert (len(traces.users), len(traces.time)) == (2000, 80_000)
    assert (traces.time.min(), traces.time.max()) == (41, 80)
