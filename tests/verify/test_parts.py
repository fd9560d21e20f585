"""Problems that are cut into the groups of users who meet."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, MemoryLimits, SolveLimits
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge, Pins, pins_and_links
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import components
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver import bounds
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.verify import parts
from mixsafe.verify.verification import verify
from mixsafe_cli.app import app
from tests.support.memory import commands_have

CUT = SolveLimits(memory=MemoryLimits(whole_bytes=0))
"""Every problem is cut into parts."""

APART = SolveLimits(memory=MemoryLimits(whole_bytes=0, part_bytes=0))
"""Every component is a part."""


def problem(seed: int, groups: int, size: int, horizon: int) -> Problem:
    """Groups that only meet among themselves, their users numbered in a random order."""
    random = np.random.default_rng(seed)
    rows = random.permutation(groups * size).reshape(groups, size)
    time, members = [], []
    for step in range(1, horizon + 1):
        for group in rows:
            met = np.sort(group[random.random(size) < 0.6])
            if len(met) > 1:
                time.append(step)
                members.append(met)
    ptr = np.concatenate([[0], np.cumsum([len(met) for met in members])]).astype(np.int64)
    everybody = np.arange(groups * size)
    known = np.concatenate([everybody, everybody]), np.repeat([0, horizon], len(everybody))
    zones = MixZones(
        everybody,
        TimeAxis(horizon, 1, None, "UTC"),
        np.array(time, np.int32),
        ptr,
        np.concatenate([np.zeros(0, int), *members]).astype(np.int32),
    )
    return Problem("groups", zones, Knowledge.of(*known))


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_parts_say_what_the_whole_says(seed: int, groups: int, size: int, alone: bool) -> None:
    presolved = problem(seed, groups, size, 5)
    k = 2
    whole = verify(presolved, k=k, engine="bounds")
    cut = verify(presolved, k=k, engine="bounds", limits=APART if alone else CUT)
    assert whole.wires is not None
    assert cut.wires is not None
    for column in ("user_id", "from_time", "to_time", "k", "lower", "upper", "verdict"):
        assert whole.wires[column].tolist() == cut.wires[column].tolist(), column
    assert whole.users.equals(cut.users)
    at = verify(presolved, k=k, at=[0, 2, 5], engine="bounds")
    cut_at = verify(presolved, k=k, at=[0, 2, 5], engine="bounds", limits=CUT)
    assert at.results is not None
    assert cut_at.results is not None
    columns = ["user", "time", "lower", "upper", "verdict"]
    assert at.results[columns].equals(cut_at.results[columns])


@given(
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.integers(1, 4),
    st.sampled_from([0, 200, 400, 1000, 1 << 40]),
)
def test_how_many_groups_are_decided_at_once_changes_no_verdict(
    seed: int, groups: int, size: int, part_bytes: int
) -> None:
    presolved = problem(seed, groups, size, 6)
    random = np.random.default_rng(seed)
    n_users = groups * size
    seen = random.random((n_users, 7)) < 0.3  # not all at step 0: pins and links
    core = Core.of(WireNetwork.of(presolved.zones), Knowledge.of(*np.nonzero(seen)))
    wire = random.permutation(core.network.n_wires)[: random.integers(1, core.network.n_wires + 1)]
    k = random.integers(1, size + 2, len(wire)).astype(np.int32)
    whole = Answers(core, wire, k)
    bounds.decide(whole, Course.begin())
    limits = SolveLimits(memory=MemoryLimits(part_bytes=part_bytes))
    cut = parts.decide_in_parts(core, wire, k, bounds.decide, Course.begin(limits))
    assert np.all(cut.upper >= whole.lower)
    assert np.all(whole.upper >= cut.lower)
    # Bounds are sought where questions are open, of any group: what is left open may differ.
    both = (cut.decided_by != Argument.NONE) & (whole.decided_by != Argument.NONE)
    assert np.array_equal(cut.lower[wire][both] >= k[both], whole.lower[wire][both] >= k[both])
    assert np.array_equal(cut.upper[wire][both] < k[both], whole.upper[wire][both] < k[both])
    reached = tokens.count(reachable(core))
    assert np.all(cut.upper <= reached)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4))
def test_a_group_is_who_meets_directly_or_by_others(seed: int, groups: int, size: int) -> None:
    presolved = problem(seed, groups, size, 2)
    network, zones = WireNetwork.of(presolved.zones), presolved.zones
    together = {row: {row} for row in range(groups * size)}
    for begin, end in itertools.pairwise(zones.ptr.tolist()):
        met = set[int]().union(*(together[row] for row in zones.members[begin:end].tolist()))
        together |= dict.fromkeys(met, met)
    label = components(network, pins_and_links(presolved.knowledge)[0])
    for row, met in together.items():
        assert set(np.flatnonzero(label == label[row]).tolist()) == met


def test_a_token_that_may_be_on_another_row_is_in_its_group() -> None:
    network = WireNetwork.of(problem(0, 4, 1, 2).zones)
    rows = np.array([0, 2, 2], np.int32)
    pins = Pins(rows[:2], np.zeros(2, np.int32), np.array([0, 2, 3]), rows)
    assert components(network, pins).tolist() == [0, 1, 0, 2]


def test_progress_is_that_of_all_parts_together() -> None:
    presolved = problem(3, 4, 3, 6)
    said: list[tuple[int, int]] = []
    answer = verify(
        presolved,
        k=2,
        engine="bounds",
        limits=APART,
        progress=lambda _, *count: said.append(count),
    )
    assert answer.wires is not None
    (total,) = {total for _, total in said}
    done = [done for done, _ in said]
    assert done == sorted(done)
    assert max(done) <= total
    assert len(set(done)) >= 4


def test_users_who_meet_nobody_are_a_part_of_their_own() -> None:
    presolved = problem(0, 6, 1, 3)
    answer = verify(presolved, k=2, engine="bounds", limits=CUT)
    assert answer.wires is not None
    assert set(answer.wires["verdict"]) == {"unsafe"}
    assert set(answer.wires["upper"]) == {1}


def test_one_group_that_is_too_large_is_refused_before_anything_is_decided() -> None:
    presolved = problem(1, 1, 4, 5)
    limits = SolveLimits(memory=MemoryLimits(whole_bytes=0, largest_bytes=15))
    with pytest.raises(InputError, match=r"4 users who all meet.*engine auto.*fewer users"):
        verify(presolved, k=2, engine="dp", limits=limits)


def test_candidates_that_cannot_be_kept_are_not_promised() -> None:
    presolved = problem(1, 2, 3, 5)
    with pytest.raises(InputError, match="too many to be kept"):
        verify(presolved, exhaustive=True, engine="bounds", limits=CUT)
    with pytest.raises(InputError, match="proof data of certificates of"):
        verify(presolved, k=2, engine="bounds", keep_proof_data=True, limits=CUT)


def test_the_command_answers_in_json_and_draws_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands_have(CUT.memory, monkeypatch)
    target = tmp_path / "answer.json"
    words = ["verify", "--k", "2", "--engine", "bounds", "-q"]
    done = CliRunner().invoke(app, [*words, "--json", str(target)])
    assert done.exit_code in (0, 1, 3), done.output
    found = json.loads(target.read_text("utf-8"))
    assert found["summary"]["requirements"] > 0
    tables = (part for part in found["document"]["parts"] if part["kind"] == "table")
    (intervals,) = (part for part in tables if part["title"] == "The least protected people")
    for user, *_, candidates, _ in intervals["rows"]:
        assert user in candidates.split(" and ")[0].split("; ")[0].split(", ")
    drawn = CliRunner().invoke(app, [*words, "--plot", str(tmp_path / "answer.png")])
    assert drawn.exit_code == done.exit_code
    assert (tmp_path / "answer.png").stat().st_size > 0
