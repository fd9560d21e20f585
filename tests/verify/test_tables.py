"""Tables: verdicts from bounds, and users from verdicts by the rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.io.files.writing import write_tables, write_wires
from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.requirement import Rule
from mixsafe.verify import tables, verification, verify
from mixsafe.verify.rows import user_rows, verdict_codes
from mixsafe.verify.tables import labels, requirement_table, table_parts, user_table, wire_table
from tests.support.strategies import problem, problems


def table_of(row, weight, words, lower, names, rule):
    """Table of users of whose wires the ``words`` are said."""
    codes = np.array([Verdict(word) for word in words])[:, None] == np.array(DECISIONS)
    codes = codes.argmax(axis=1).astype(np.int8)
    found = user_rows(
        row, weight, codes, np.array(lower), np.zeros(len(names), np.int64), Rule.parse(rule)
    )
    return user_table(np.array(names), found)


def passes(words, rule, weight=None):
    """Verdict on one user of whom the ``words`` are said."""
    weight = np.ones(len(words), np.int64) if weight is None else np.array(weight)
    row = np.zeros(len(words), np.int32)
    users = table_of(row, weight, words, np.ones(len(words), int), ["ann"], rule)
    return users["verdict"].tolist()


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"),
    [(3, 3, "safe"), (3, 9, "safe"), (1, 2, "unsafe"), (2, 3, "undecided"), (1, 9, "undecided")],
)
def test_a_verdict_is_said_only_where_a_bound_proves_it(lower, upper, verdict):
    (code,) = verdict_codes(np.array([lower]), np.array([upper]), 3)
    assert DECISIONS[code].value == verdict


@pytest.mark.parametrize(
    ("rule", "words", "verdict"),
    [
        ("every", ["safe", "safe"], "safe"),
        ("every", ["safe", "undecided"], "undecided"),
        ("every", ["undecided", "unsafe"], "unsafe"),
        ("some", ["unsafe", "safe"], "safe"),
        ("some", ["unsafe", "undecided"], "undecided"),
        ("some", ["unsafe", "unsafe"], "unsafe"),
        ("share:0.5", ["safe", "unsafe"], "safe"),
        ("share:0.6", ["safe", "unsafe"], "unsafe"),
        ("share:0.6", ["safe", "undecided"], "undecided"),
        ("share:1", ["safe", "safe"], "safe"),
    ],
)
def test_a_user_passes_by_the_rule_and_is_undecided_while_she_may(rule, words, verdict):
    assert passes(words, rule) == [verdict]


@pytest.mark.parametrize("tenths", range(1, 10))
def test_a_share_is_not_missed_by_rounding(tenths):
    words = ["safe"] * tenths + ["unsafe"] * (10 - tenths)
    assert passes(words, f"share:{tenths / 10}") == ["safe"]
    assert passes(["unsafe", *words[1:]], f"share:{tenths / 10}") == ["unsafe"]


def test_a_share_is_of_time_not_of_wires():
    assert passes(["safe", "unsafe"], "share:0.9", weight=[9, 1]) == ["safe"]
    assert passes(["safe", "unsafe"], "share:0.9", weight=[8, 2]) == ["unsafe"]


def test_what_stands_for_no_time_counts_for_nothing():
    assert passes(["unsafe", "safe"], "every", weight=[0, 4]) == ["safe"]


def test_users_who_were_not_asked_about_are_not_in_the_table():
    row, words = np.array([2, 2], np.int32), ["safe", "unsafe"]
    users = table_of(row, np.ones(2, np.int64), words, [5, 2], [10, 20, 30], "some")
    assert users[["user_id", "safe_share", "lower"]].values.tolist() == [[30, 0.5, 2]]


def test_shares_say_for_how_much_of_the_time():
    weight, words = np.array([5, 3, 2]), ["safe", "undecided", "unsafe"]
    users = table_of(np.zeros(3, np.int32), weight, words, [1, 1, 1], [1], "some")
    assert users[["safe_share", "undecided_share", "weight"]].values.tolist() == [[0.5, 0.3, 10]]


def test_numbered_steps_keep_their_numbers():
    assert labels(TimeAxis(5, first=40), np.array([0, 1, 5], np.int32)).tolist() == [39, 40, 44]


def test_timed_steps_are_moments_with_their_zone():
    axis = TimeAxis(5, first=1_700_000_000, step_seconds=60, tz="Asia/Tokyo")
    shown = labels(axis, np.array([1, 3], np.int32))
    assert [moment.isoformat() for moment in shown] == [axis.label(1), axis.label(3)]


def test_wires_of_a_user_cover_her_time_without_gaps():
    asked = problem(3, 6, [(1, [0, 1]), (3, [0, 2]), (6, [1, 2])])
    wires = verify(asked, k=2, engine="bounds").wires
    for _, mine in wires.groupby("user_id"):
        begin, end = mine["from_time"].to_numpy(), mine["to_time"].to_numpy()
        assert (begin[0], end[-1]) == (0, 6)
        assert np.array_equal(begin[1:], end[:-1] + 1)


def test_the_moment_before_anything_happens_fails_nobody():
    asked = problem(2, 3, [(1, [0, 1])])
    users = verify(asked, k=2, rule=Rule("every"), engine="bounds").users
    assert users["verdict"].tolist() == ["safe", "safe"]
    assert users["weight"].tolist() == [3, 3]


@given(asked=problems(), rows=st.integers(1, 9), ending=st.sampled_from(["csv", "parquet"]))
@settings(max_examples=20)
def test_tables_in_parts_are_written_as_whole_ones(asked, rows, ending, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    users = np.array(
        [f"{'ann, ' if row == 1 else 'bob'}{row}" for row in range(asked.zones.n_users)]
    )
    zones = replace(asked.zones, users=users)
    for k in (None, 2):
        answer = verify(replace(asked, zones=zones), k=k, engine="bounds")
        table = requirement_table if k is None else wire_table
        whole, parts = folder / f"whole.{ending}", folder / f"parts.{ending}"
        write_wires(whole, table(zones, answer.rows))
        tables = list(table_parts(zones, answer.rows, k is not None, rows))
        write_tables(parts, lambda _, tables=tables: tables)
        if ending == "csv":
            assert parts.read_bytes() == whole.read_bytes()
        else:
            assert parquet.read_table(parts).equals(parquet.read_table(whole))


def test_candidates_of_more_steps_than_fit_into_memory_are_refused_before_any_work(monkeypatch):
    """A line of JSON with two zones and 2·10⁹ steps took 4.4 GB before it was ended."""
    asked = problem(3, 2 * 10**9, [(1, [0, 1]), (5, [1, 2])], [(0, 0)])
    monkeypatch.setattr(verification, "answered", None)
    with pytest.raises(InputError, match=r"at 2,000,000,001 steps take 2,400\.0 GB of memory"):
        verify(asked, k=2, exhaustive=True)


def test_candidates_that_fit_into_memory_are_listed(monkeypatch):
    asked = problem(3, 1_000, [(1, [0, 1]), (5, [1, 2])], [(0, 0)])
    monkeypatch.setattr(tables, "default_memory", lambda: 3_003 * 400)
    assert len(verify(asked, k=2, exhaustive=True).domains) == 3_003
    monkeypatch.setattr(tables, "default_memory", lambda: 3_003 * 400 - 1)
    with pytest.raises(InputError, match="ask without --exhaustive"):
        verify(asked, k=2, exhaustive=True)
