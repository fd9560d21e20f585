"""Names of users: one person is one user, however she is spelled; or the data are refused."""

from __future__ import annotations

import random
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.from_files.large_sources import extract
from mixsafe.io.columns.reading import Reading
from mixsafe.io.sources import load
from mixsafe.machinery.spill import SpillRoom

ONE_NAME = ("{}.0", " {}", "{} ", "\u00a0{}", "{}\u200b", "\ufeff{}", "{}.", "{}.00")
ALIKE = ("0{}", "00{}", "+{}", "{}e+00")
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")  # noqa: RUF001 -- full width digits


def rows_of(seed):
    """A small world of users 1 to 6: user, time and region."""
    draw = random.Random(seed)
    return [
        (user, time, draw.randint(1, 4))
        for user in range(1, 7)
        for time in range(1, 13)
        if draw.random() < 0.7
    ]


def frame(rows, spell=str):
    named = [(spell(user), time, region) for user, time, region in rows]
    return pd.DataFrame(named, columns=["user_id", "time_id", "reg_id"])


def zones_of(traces):
    """Who meets, by name."""
    zones = mixsafe.mix_zones(mixsafe.positions(traces))
    return named(zones)


def named(zones):
    return [
        (int(time), sorted(map(str, zones.users[zones.members[begin:end]])))
        for time, begin, end in zip(zones.time, zones.ptr, zones.ptr[1:], strict=False)
    ]


def in_pieces(paths, folder):
    with closing(SpillRoom(10**9, folder, piece=5)) as room:
        found = extract(paths, WantedZones(), room, Reading())
        return named(found.zones)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("way", ["csv", "files", "parquet", "frame", "pieces"])
def test_a_person_in_two_spellings_is_one_user_or_refused(seed, way, tmp_path):
    draw = random.Random(seed)
    rows = rows_of(seed)
    spellings = draw.sample((*ONE_NAME, *ALIKE, "wide"), 2)

    def spelled(user):
        how = draw.choice(("{}", *spellings))
        return str(user).translate(WIDE) if how == "wide" else how.format(user)

    right = zones_of(load(frame(rows)))
    one, other = frame(rows[::2], spelled), frame(rows[1::2], spelled)
    both = pd.concat([one, other])
    both.to_csv(tmp_path / "both.csv", index=False)
    both.to_parquet(tmp_path / "both.parquet", index=False)
    one.to_csv(tmp_path / "one.csv", index=False)
    other.to_parquet(tmp_path / "other.parquet", index=False)
    parts = [tmp_path / "one.csv", tmp_path / "other.parquet"]
    read = {
        "csv": lambda: zones_of(load(tmp_path / "both.csv")),
        "parquet": lambda: zones_of(load(tmp_path / "both.parquet")),
        "frame": lambda: zones_of(load(both)),
        "files": lambda: zones_of(load(parts)),
        "pieces": lambda: in_pieces(parts, tmp_path),
    }[way]
    written = set(both.user_id)
    if any(name.startswith(("0", "+")) or "e" in name for name in written):
        with pytest.raises(InputError, match="may be one name or two"):
            read()
    else:
        assert read() == right


def test_numbers_are_one_user_as_integers_floats_and_texts(tmp_path):
    rows = rows_of(3)
    right = zones_of(load(frame(rows)))
    ids = pa.array([float(user) for user, _, _ in rows[::2]], pa.float64())
    table = frame(rows[::2])
    columns = {"user_id": ids, "time_id": table.time_id, "reg_id": table.reg_id}
    parquet.write_table(pa.table(columns), tmp_path / "floats.parquet")
    whole = frame(rows[1::2], int)
    whole.to_parquet(tmp_path / "integers.parquet", index=False)
    traces = load([tmp_path / "floats.parquet", tmp_path / "integers.parquet"])
    assert traces.users.tolist() == [1, 2, 3, 4, 5, 6]
    assert zones_of(traces) == right
    assert "6 names of users merged with other spellings of the same names" in traces.notes
    assert any("'1.0' is read as '1'" in note for note in traces.notes)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([1.5, 2.0], "contains double, not names or whole numbers"),
        ([2.0**53, 2.0], "contains double, not names or whole numbers"),
        ([1.0, float("nan")], "the value is missing"),
    ],
)
def test_numbers_that_are_no_exact_whole_numbers_are_no_names(ids, said):
    with pytest.raises(InputError, match=said):
        load({"user_id": np.array(ids), "time_id": [1, 1], "reg_id": [1, 1]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "01"),
        ("Cab 1", "cab 1"),
        ("cab 1", "cab 01"),
        ("cab  1", "cab 1"),
        ("ﬁ", "fi"),
        ("user ²", "user 2"),
        ("1.10", "1.1"),
        ("1000000", "1e+06"),
        ("Straße", "STRASSE"),
    ],
)
@pytest.mark.parametrize("way", ["memory", "pieces"])
def test_alike_names_are_refused_with_both_and_the_line_of_the_second(one, other, way, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"user_id,time_id,reg_id\n{one},1,1\nx,1,1\n{other},2,1\n{one},3,1\n")
    with pytest.raises(InputError) as caught:
        zones_of(load(path)) if way == "memory" else in_pieces([path], tmp_path)
    said = str(caught.value)
    said_names = " ".join(f"'{other}' and '{one}' may be one name or two".split())
    assert said_names in said
    assert caught.value.line == 4
    assert "--similar-names same" in said
    same = load(path, similar_names="same")
    assert len(same.users) == 2
    assert "1 names of users merged with alike names" in same.notes[0]
    assert len(load(path, similar_names="different").users) == 3


def test_a_name_with_leading_zeros_alone_is_a_name_as_it_is():
    names = ["0150", "0151", "7", "a.01", "a.1", "v1.01", "v1.1"]
    traces = load({"user_id": names, "time_id": [1] * 7, "reg_id": [1] * 7})
    assert traces.users.tolist() == sorted(names)
    assert not traces.notes


def test_points_in_names_are_not_those_of_numbers_where_other_names_have_decimals():
    columns = {"user_id": ["1.0", "1", "1.2"], "time_id": [1] * 3, "reg_id": [1] * 3}
    with pytest.raises(InputError, match=r"'1\.0' and '1' may be one name or two: '1\.2'"):
        load(columns)


def test_composed_and_decomposed_accents_are_one_name():
    columns = {"user_id": ["Zoe\u0308", "Zo\u00eb"], "time_id": [1, 2], "reg_id": [1, 1]}
    assert len(load(columns).users) == 1


def test_sightings_requirements_and_lists_find_users_by_the_same_names(tmp_path):
    traces = load(frame(rows_of(1), lambda user: f"{user}.0"))
    (tmp_path / "seen.csv").write_text("user_id,time_id\n 1.0,1\n2,1\n\u200b3 ,2\n")
    (tmp_path / "asked.csv").write_text("user_id,time_id,k\n1.0,3,2\n4,3,2\n")
    answer = mixsafe.verify(
        traces, knowledge=tmp_path / "seen.csv", requirements=pd.read_csv(tmp_path / "asked.csv")
    )
    assert answer.problem.requirements.row.tolist() == [0, 3]
    assert len(answer.problem.knowledge) == 3
    assert mixsafe.select(traces, user_list=["1.0", " 2", 3.0]).users.tolist() == [1, 2, 3]
    (tmp_path / "seen.csv").write_text("user_id,time_id\n01,1\n")
    with pytest.raises(InputError, match="user 01 is not in the data; the data have '1'"):
        mixsafe.verify(traces, k=2, knowledge=tmp_path / "seen.csv")


def test_alike_names_of_whom_an_adversary_saw_are_refused(tmp_path):
    rows = [(user, time, 1) for user in (1, 2, 3) for time in (1, 2)]
    release = tmp_path / "release.csv"
    pd.DataFrame(rows, columns=["pseudonym", "time_id", "reg_id"]).to_csv(release, index=False)
    (tmp_path / "seen.csv").write_text("user_id,time_id,reg_id\nana,1,1\nAna,2,1\n")
    with pytest.raises(InputError, match="'Ana' and 'ana' may be one name or two"):
        mixsafe.audit(release, tmp_path / "seen.csv", k=2)


def test_an_unknown_word_for_alike_names_is_refused():
    with pytest.raises(InputError, match="there is no such word"):
        load(mixsafe.sample("town"), similar_names="perhaps")
