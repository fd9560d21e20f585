"""The organizers' files: byte for byte out, strictly in, and every fault at its line."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError, InputNote
from mixsafe.io.contest import reading as files
from mixsafe.io.contest import writing as writers
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells, IdTable

ORIGINAL = TraceMatrix(np.array([[0, 5], [8, 8], [2, 1]], np.int32), first_time=41)
TRACES = "user_id,time_id,reg_id\n1,41,1\n1,42,6\n2,41,9\n2,42,9\n3,41,3\n3,42,2\n"
ANONYMIZED = "reg_id\n1\n*\n9 1\n9\n3 2 1\n3\n"
PUBLIC = "pse_id,time_id,reg_id\n4,41,1\n4,42,*\n5,41,9 1\n5,42,9\n6,41,3 2 1\n6,42,3\n"
ID_TABLE = "pse_id,user_id\n4,3\n5,1\n6,2\n"
DYNAMIC = "pse_id,time_id,user_id\n4,41,3\n4,42,1\n5,41,1\n5,42,3\n6,41,2\n6,42,2\n"
REGIONS = (
    "reg_id,y_id,x_id,y(center),x(center),hospital\n"
    "1,1,1,35.5,139.68187500000002,0\n2,1,2,35.5,139.685625,1\n"
    "3,2,1,35.6,139.68187500000002,0\n4,2,2,35.6,139.685625,0\n"
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.csv"


def written(write, path, *what):
    write(path, *what)
    return path.read_bytes().decode("ascii")


def from_text(path, text):
    path.write_bytes(text.encode())
    return path


READERS = {
    "traces": (TRACES, lambda path: files.read_traces(path, 9)),
    "anonymized": (ANONYMIZED, lambda path: files.read_anonymized(path, ORIGINAL, 9)),
    "public": (PUBLIC, lambda path: files.read_public(path, 9)),
    "table": (ID_TABLE, files.read_id_table),
    "dynamic": (DYNAMIC, files.read_id_table),
    "ids": (
        "user_id\n1\n1\n3\n",
        lambda path: files.read_inferred_ids(path, IdTable(np.array([[2], [0], [1]], np.int32))),
    ),
    "inferred": (
        "reg_id\n1\n2\n3\n4\n5\n9\n",
        lambda path: files.read_inferred_traces(path, ORIGINAL, 9),
    ),
    "regions": (REGIONS, files.read_regions),
}


def test_traces_are_written_as_the_organizers_do(path):
    assert written(writers.write_traces, path, ORIGINAL) == TRACES
    back = files.read_traces(path, 9)
    assert np.array_equal(back.region, ORIGINAL.region)
    assert back.first_time == 41


def test_released_cells_keep_ids_sets_and_deletions(path):
    cells = files.read_anonymized(from_text(path, ANONYMIZED), ORIGINAL, 9)
    assert written(writers.write_anonymized, path, cells) == ANONYMIZED
    assert cells.first_time == 41


def test_a_release_is_written_as_the_organizers_do(path):
    release = files.read_public(from_text(path, PUBLIC), 9)
    assert written(writers.write_public, path, release) == PUBLIC


@pytest.mark.parametrize("text", [ID_TABLE, DYNAMIC])
def test_tables_are_written_as_they_are_read(path, text):
    table = files.read_id_table(from_text(path, text))
    assert written(writers.write_id_table, path, table) == text


def test_answers_are_written_in_one_column(path):
    assert written(writers.write_inferred_ids, path, np.array([2, 0, 2])) == "user_id\n3\n1\n3\n"
    regions = np.array([[0, 1023], [4, 4]])
    assert written(writers.write_inferred_traces, path, regions) == "reg_id\n1\n1024\n5\n5\n"


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_every_release_survives_its_file(tmp_path_factory, users, steps, seed):
    random = np.random.default_rng(seed)
    path = tmp_path_factory.mktemp("files") / "pub.csv"
    ptr, member = np.array([0, 2, 5, 8]), np.array([1, 0, 2, 3, 1, 0, 3, 2], np.int32)
    code = random.integers(8, size=(users, steps)).astype(np.int32)
    release = Cells(code, 4, ptr, member, first_time=int(random.integers(1, 100)))
    writers.write_public(path, release)
    first = path.read_bytes()
    writers.write_public(path, files.read_public(path, 4))
    assert path.read_bytes() == first


def test_answers_for_each_time_belong_to_tables_by_time(path):
    table = files.read_id_table(from_text(path, DYNAMIC))
    per_time = files.read_inferred_ids(from_text(path, "user_id\n1\n2\n3\n1\n2\n3\n"), table)
    assert per_time.tolist() == [[0, 1], [2, 0], [1, 2]]
    static = files.read_inferred_ids(from_text(path, "user_id\n1\n2\n3\n"), table)
    assert static.tolist() == [0, 1, 2]


STATIC = IdTable(np.array([[2], [0], [1]], np.int32))
BY_TIME = IdTable(np.array([[0, 1], [2, 0], [1, 2]], np.int32), first_time=41)


@pytest.mark.parametrize("table", [STATIC, BY_TIME])
def test_answers_by_time_survive_their_file_and_fit_tables_of_both_kinds(path, table):
    answer = np.array([[2, 2], [0, 1], [1, 1]], np.int32)
    text = written(lambda file, users: writers.write_inferred_ids(file, users, 41), path, answer)
    assert text.splitlines()[:3] == ["pse_id,time_id,user_id", "4,41,3", "4,42,3"]
    assert np.array_equal(files.read_inferred_ids(path, table), answer)


@pytest.mark.parametrize(
    ("table", "first_time", "answer", "message"),
    [
        (STATIC, 41, [[0, 0], [1, 1]], "answers for 2 pseudonyms and 2 times"),
        (BY_TIME, 43, [[0, 0], [1, 1], [2, 2]], "3 pseudonyms and 2 times from 41 on"),
        (BY_TIME, 41, [[0], [1], [2]], "answers for 3 pseudonyms and 1 times"),
        (STATIC, 41, [[0, 3], [1, 1], [2, 2]], "line 3, column 'user_id': user 4 is outside"),
    ],
)
def test_answers_by_time_of_other_pseudonyms_or_times_are_refused(
    path, table, first_time, answer, message
):
    writers.write_inferred_ids(path, np.array(answer, np.int32), first_time)
    with pytest.raises(InputError) as caught:
        files.read_inferred_ids(path, table)
    assert message in str(caught.value)


def test_regions_give_grid_corner_extent_and_hospitals(path):
    regions = files.read_regions(from_text(path, REGIONS))
    assert (regions.rows, regions.columns) == (2, 2)
    assert (regions.south, regions.west) == pytest.approx((35.45, 139.68))
    assert (regions.height, regions.width) == pytest.approx((0.1, 0.00375))
    assert regions.hospital.tolist() == [False, True, False, False]


def test_a_last_line_without_its_end_is_taken(path):
    assert files.read_traces(from_text(path, TRACES[:-1]), 9).n_users == 3


@pytest.mark.parametrize("kind", READERS)
def test_files_of_every_kind_are_read(path, kind):
    text, read = READERS[kind]
    read(from_text(path, text))


WINDOWS = {
    "CRLF": (lambda text: text.replace("\n", "\r\n"), "CRLF line ends"),
    "byte order mark": (lambda text: "\ufeff" + text, "a byte order mark"),
    "both": (
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        "a byte order mark and CRLF line ends",
    ),
    "some lines": (lambda text: text.replace("\n", "\r\n", 2), "CRLF line ends"),
    "no last end": (lambda text: text.replace("\n", "\r\n")[:-2], "CRLF line ends"),
}


def parts(found):
    """All that a reader has found, comparable."""
    values = [found] if isinstance(found, np.ndarray) else vars(found).values()
    return [np.asarray(value).tolist() for value in values]


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("how", WINDOWS)
def test_what_windows_adds_changes_nothing_and_is_noted(path, kind, how):
    text, read = READERS[kind]
    change, said = WINDOWS[how]
    plain = read(from_text(path, text))
    with pytest.warns(InputNote) as notes:
        found = read(from_text(path, change(text)))
    assert parts(found) == parts(plain)
    assert len(notes) == 1
    assert str(notes[0].message) == (
        f"{path}: {said} ignored; the file is read as plain ASCII with LF"
    )


def zeroed(text):
    """The rows of a file with two zeros before each whole number."""
    header, _, rows = text.partition("\n")
    return f"{header}\n{re.sub(r'(?<![0-9.])(?=[0-9])', '00', rows)}"


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("packed", [False, True])
def test_leading_zeros_change_nothing_nor_does_gzip(path, kind, packed):
    """The organizers' programs read 003 as 3; here it was refused."""
    text, read = READERS[kind]
    plain = read(from_text(path, text))
    content = zeroed(text).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    assert parts(read(path)) == parts(plain)


@pytest.mark.parametrize("kind", READERS)
def test_quotes_are_refused_as_the_organizers_programs_do(path, kind):
    text, read = READERS[kind]
    with pytest.raises(InputError, match="line 3: the line contains a quote"):
        read(from_text(path, spoil(text, 3, f'"{text.splitlines()[2]}"\n')))


@pytest.mark.parametrize("kind", READERS)
def test_faults_in_files_of_windows_are_named_at_their_line(path, kind):
    text, read = READERS[kind]
    spoiled = spoil(text, 3, text.splitlines()[2] + "x\n").replace("\n", "\r\n")
    with pytest.warns(InputNote), pytest.raises(InputError, match="line 3, column '"):
        read(from_text(path, "\ufeff" + spoiled))


REFUSED = {
    "region -1": ("anonymized", "-1\n", "'-1' is not a released cell"),
    "region 0": ("anonymized", "0\n", "region 0 is outside 1 to 9"),
    "region 2001": ("anonymized", "2001\n", "region 2001 is outside 1 to 9"),
    "region 2001 in a set": ("anonymized", "9 2001\n", "region 2001 is outside 1 to 9"),
    "a surplus row": ("anonymized", "9\n9\n", "7 rows instead of 6: this line is surplus"),
    "a duplicate in a set": ("anonymized", "4 5 4\n", "the cell repeats a region"),
    "region 0 inferred": ("inferred", "0\n", "region 0 is outside 1 to 9"),
    "region 2001 inferred": ("inferred", "2001\n", "region 2001 is outside 1 to 9"),
    "no bijection": ("table", "5,3\n", "user 3 already has another pseudonym"),
    "no bijection at a time": (
        "dynamic",
        "4,42,3\n5,41,3\n",
        "user 3 already has another pseudonym",
    ),
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("fault", REFUSED)
@pytest.mark.filterwarnings("ignore::mixsafe.errors.InputNote")
def test_what_the_organizers_programs_wrongly_accept_is_refused(path, fault, ends):
    """Whatever the line ends, so that nobody is scored for cells that do not exist."""
    kind, line, message = REFUSED[fault]
    text, read = READERS[kind]
    at, count = (3, line.count("\n")) if kind == "dynamic" else (3, 1)
    lines = text.splitlines(keepends=True)
    lines[at - 1 : at - 1 + count] = [line]
    with pytest.raises(InputError) as caught:
        read(from_text(path, "".join(lines).replace("\n", ends)))
    assert message in str(caught.value)


LINES = {
    "traces": "1,42,{}",
    "anonymized": "{}",
    "public": "4,42,{}",
    "inferred": "{}",
    "anonymized in a set": "9 {}",
    "public in a set": "4,42,9 {}",
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("region", [-1, 0, 2001])
@pytest.mark.parametrize("where", LINES)
@pytest.mark.filterwarnings("ignore::mixsafe.errors.InputNote")
def test_no_file_has_a_region_that_does_not_exist(path, where, region, ends):
    text, read = READERS[where.partition(" ")[0]]
    spoiled = spoil(text, 3, LINES[where].format(region) + "\n").replace("\n", ends)
    with pytest.raises(InputError, match="line 3, column 'reg_id': ") as caught:
        read(from_text(path, spoiled))
    assert str(region) in str(caught.value)


def spoil(text, line, replacement):
    """The text with a line (from 1) replaced; None takes it out."""
    lines = text.splitlines(keepends=True)
    lines[line - 1 : line] = [] if replacement is None else [replacement]
    return "".join(lines)


EVERYWHERE = {
    "empty": (lambda text: "", "the file is empty"),
    "header only": (
        lambda text: text.splitlines()[0] + "\n",
        "line 2: the file has a header but no rows",
    ),
    "other header": (lambda text: "a,b\n" + text.partition("\n")[2], "line 1: the header is 'a,b'"),
    "no header": (lambda text: text.partition("\n")[2], "line 1: the header is '"),
    "return inside": (
        lambda text: spoil(text, 3, "1\r" + text.splitlines()[2] + "\n"),
        "line 3: the line contains a carriage return",
    ),
    "old Macintosh": (
        lambda text: text.replace("\n", "\r"),
        "line 1: the line contains a carriage return",
    ),
    "byte order mark inside": (
        lambda text: text[:3] + "\ufeff" + text[3:],
        "line 1: byte 0xef is not ASCII",
    ),
    "empty line": (lambda text: spoil(text, 3, "\n"), "line 3: the line is empty"),
    "more fields": (lambda text: spoil(text, 3, text.splitlines()[2] + ",1\n"), "line 3: "),
    "words": (lambda text: spoil(text, 4, text.splitlines()[3] + "x\n"), "line 4, column '"),
    "not ASCII": (lambda text: spoil(text, 3, "\u0661\n"), "line 3: byte 0xd9 is not ASCII"),
    "surplus": (lambda text: text + text.splitlines()[-1] + "\n", ""),
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("fault", EVERYWHERE)
def test_faults_of_every_file_are_named_in_one_line(path, kind, fault):
    text, read = READERS[kind]
    change, message = EVERYWHERE[fault]
    with pytest.raises(InputError) as caught:
        read(from_text(path, change(text)))
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "line", "replacement", "message"),
    [
        ("traces", 3, "1,42,-1\n", "line 3, column 'reg_id': '-1' is not a plain number"),
        ("traces", 3, "1,42,10\n", "line 3, column 'reg_id': region 10 is outside 1 to 9"),
        ("traces", 3, "1,42,0\n", "line 3, column 'reg_id': region 0 is outside 1 to 9"),
        ("traces", 3, "1, 42,6\n", "line 3, column 'time_id': ' 42' is not"),
        ("traces", 3, "1,42,*\n", "line 3, column 'reg_id': '*' is not"),
        ("traces", 3, "1,43,6\n", "line 3: expected user 1 at time 42, found user 1 at time 43"),
        ("traces", 3, "1,42,99999999999999999999\n", "line 3, column 'reg_id': '9999"),
        ("traces", 4, None, "line 4: expected user 2 at time 41, found user 2 at time 42"),
        ("traces", 7, None, "line 7: 5 rows instead of 6: this line is missing"),
        ("anonymized", 3, "9  1\n", "line 3, column 'reg_id': two spaces in a row"),
        ("anonymized", 3, " 9\n", "line 3, column 'reg_id': ' 9' is not a released cell"),
        ("anonymized", 3, "9 \n", "line 3, column 'reg_id': '9 ' is not a released cell"),
        ("anonymized", 3, "* 9\n", "line 3, column 'reg_id': '* 9' is not a released cell"),
        ("anonymized", 3, "-1\n", "line 3, column 'reg_id': '-1' is not a released cell"),
        ("anonymized", 3, "10\n", "line 3, column 'reg_id': region 10 is outside 1 to 9"),
        ("anonymized", 3, "9 0\n", "line 3, column 'reg_id': region 0 is outside 1 to 9"),
        ("anonymized", 3, "4 5 4\n", "line 3, column 'reg_id': the cell repeats a region"),
        ("anonymized", 5, None, "line 7: 5 rows instead of 6: this line is missing"),
        ("anonymized", 5, "9\n9\n", "line 8: 7 rows instead of 6: this line is surplus"),
        ("public", 2, "1,41,1\n", "line 2: expected pseudonym "),
        (
            "public",
            4,
            None,
            "line 4: expected pseudonym 5 at time 41, found pseudonym 5 at time 42",
        ),
        ("table", 3, "6,1\n", "line 3: expected pseudonym 5, found pseudonym 6"),
        ("table", 3, "5,3\n", "line 3, column 'user_id': user 3 already has another pseudonym"),
        ("table", 3, "5,4\n", "line 3, column 'user_id': user 4 is outside 1 to 3"),
        ("table", 2, None, "line 2: expected pseudonym 3, found pseudonym 5"),
        (
            "dynamic",
            6,
            "6,41,1\n",
            "line 6, column 'user_id': user 1 already has another pseudonym",
        ),
        ("dynamic", 7, "6,42,9\n", "line 7, column 'user_id': user 9 is outside 1 to 3"),
        ("ids", 3, "4\n", "line 3, column 'user_id': user 4 is outside 1 to 3"),
        ("ids", 3, None, "line 4: 2 rows instead of 3: this line is missing"),
        ("ids", 3, "1\n1\n1\n1\n", "line 5: 6 rows instead of 3: this line is surplus"),
        ("inferred", 3, "1 2\n", "line 3, column 'reg_id': '1 2' is not a plain number"),
        ("inferred", 3, "*\n", "line 3, column 'reg_id': '*' is not a plain number"),
        ("inferred", 3, "0\n", "line 3, column 'reg_id': region 0 is outside 1 to 9"),
        ("regions", 3, "3,1,2,35.5,139.685625,1\n", "line 3: this is not the next region"),
        ("regions", 5, None, "line 5: 3 rows instead of 4: this line is missing"),
        ("regions", 3, "2,1,2,35.5,139.685625,2\n", "line 3, column 'hospital': mark 2 is outside"),
        ("regions", 3, "2,1,2,north,139.6,0\n", "line 3, column 'y(center)': 'north' is not"),
    ],
)
def test_a_fault_is_named_with_its_line(path, kind, line, replacement, message):
    text, read = READERS[kind]
    with pytest.raises(InputError) as caught:
        read(from_text(path, spoil(text, line, replacement)))
    assert message in str(caught.value)


def test_a_user_missing_from_the_middle_is_named(path):
    text = "".join(line for line in TRACES.splitlines(keepends=True) if not line.startswith("2,"))
    with pytest.raises(
        InputError, match="line 4: expected user 2 at time 41, found user 3 at time 41"
    ):
        files.read_traces(from_text(path, text), 9)


def test_the_first_user_missing_is_named(path):
    text = "".join(line for line in TRACES.splitlines(keepends=True) if not line.startswith("1,"))
    with pytest.raises(
        InputError, match="line 2: expected user 1 at time 41, found user 2 at time 41"
    ):
        files.read_traces(from_text(path, text), 9)


def test_regions_that_are_not_equally_spaced_are_refused(path):
    text = REGIONS.replace("3,2,1,35.6,", "3,2,1,35.7,").replace("2,1,2", "2,1,2")
    uneven = text + "5,3,1,35.75,139.68187500000002,0\n6,3,2,35.75,139.685625,0\n"
    with pytest.raises(InputError, match="not equally spaced"):
        files.read_regions(from_text(path, uneven))


def test_a_missing_file_and_a_folder_are_one_line_each(tmp_path):
    for path, why in ((tmp_path / "nowhere.csv", "cannot read"), (tmp_path, "this is a folder")):
        with pytest.raises(InputError, match=why):
            files.read_traces(path, 9)


def test_writing_replaces_whole_files_only(path):
    path.write_text("old")
    writers.write_traces(path, ORIGINAL)
    assert path.read_text() == TRACES
    assert [entry.name for entry in path.parent.iterdir()] == ["file.csv"]
