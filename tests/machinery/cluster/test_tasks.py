"""Tasks of other commands, done by workers: what is found is what one process finds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mixsafe
from mixsafe.compare.comparison import compare
from mixsafe.compare.experiment import Question, draw_requirements
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscations import MergeAndHide, NoObfuscation
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.registry import linking_attackers, organizers_attackers
from mixsafe.contest.run import Plan, run
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.positions import positions
from mixsafe.extract.zones import PositionColumns, groups, mix_zones, zones_apart
from mixsafe.from_files.large_sources import extract
from mixsafe.io.problems.zone_table import write_zones
from mixsafe.machinery.cluster.connecting import ClusterWanted, connected
from mixsafe.machinery.cluster.dask_executor import DaskExecutor
from mixsafe.machinery.spill import SpillRoom
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Sightings
from mixsafe.release.assume import DrawsAsked, audit_draws, draw_sightings
from mixsafe.release.evidence import Published
from tests.support.small_contest import small_regions


@pytest.fixture(scope="module")
def executor() -> Iterator[DaskExecutor]:
    """Two workers."""
    with connected(ClusterWanted("local:2")) as found:
        yield found


@pytest.mark.parametrize("seconds", [None, 1000.0])
def test_draws_of_an_audit_find_the_same(executor, seconds):
    traces = mixsafe.load(mixsafe.sample("town"))
    where = positions(traces)
    release = Published.of_positions(where)
    reference = Sightings(where.users, where.row, where.step, where.place)
    random = np.random.default_rng(1)
    draws = [draw_sightings(reference, 2, random) for _ in range(3)]
    asked = DrawsAsked(release, 3, engine="bounds")
    here = Course.begin(SolveLimits(seconds, workers=1))
    alone = list(audit_draws(asked, draws, here))
    told: list[tuple[str, int, int]] = []
    limits = SolveLimits(seconds, executor=executor)
    there = Course.begin(limits, lambda *count: told.append(count))
    assert list(audit_draws(asked, draws, there)) == alone
    assert [done for _, done, _ in told] == [0, 1, 2]


def test_a_comparison_proves_the_same_in_processes_that_workers_start(executor):
    traces = mixsafe.load(mixsafe.sample("town"))
    asked = mixsafe.pose(traces)
    drawn = draw_requirements(asked, count=2, k=3, seed=1)
    questions = [Question(drawn, 1), Question(asked)]
    for task, some, engines in (
        ("optimize", questions[:1], ("auto",)),
        ("verify", questions[1:], ("bounds",)),
    ):
        k = 3 if task == "verify" else None
        limits = SolveLimits(6000.0, workers=1)
        alone = compare(some, task=task, engines=engines, k=k, limits=limits)
        apart = compare(
            some, task=task, engines=engines, k=k, limits=replace(limits, executor=executor)
        )
        same = apart.table.columns.drop(["seconds", "cpu_seconds", "memory_mb"])
        assert apart.table[same].equals(alone.table[same])


def test_a_contest_finds_the_same(executor):
    town, other = (
        np.random.default_rng(seed).integers(16, size=(6, 8)).astype(np.int32) for seed in (1, 2)
    )
    rules = Rules(regions=small_regions(), steps_per_day=4, home_steps=2)
    learned = Reference(TraceMatrix(other, first_time=1), rules)
    town = TraceMatrix(town, first_time=9)
    attackers = {SHUFFLE: organizers_attackers(), MIXZONE: linking_attackers(MIXZONE)}
    plan = Plan([NoObfuscation(), MergeAndHide(1, 1, 0.5)], attackers)
    told: list[tuple[int, int]] = []
    cut = run(town, learned, plan, executor=executor, progress=lambda *count: told.append(count))
    assert cut == run(town, learned, plan)
    assert told == [(1, 2), (2, 2)]


def test_zones_cut_by_time_are_the_same(executor, tmp_path: Path):
    source = mixsafe.sample("town")
    where = positions(mixsafe.load(source))
    columns = PositionColumns(where.row, where.step, where.place)
    tasks = list(zones_apart(columns, 2, executor, at_once=500))
    assert len(tasks) > 10
    for name, found in groups(columns, 2).items():
        assert np.concatenate([task[name] for task in tasks]).tolist() == found.tolist()
    alone, cut, large = (tmp_path / f"{name}.csv" for name in ("alone", "cut", "large"))
    write_zones(alone, mix_zones(where))
    write_zones(cut, mix_zones(where, executor=executor))
    assert cut.read_bytes() == alone.read_bytes()
    with closing(SpillRoom(10**9, tmp_path)) as scratch:
        write_zones(large, extract(source, WantedZones(executor=executor), scratch).zones)
    assert large.read_bytes() == alone.read_bytes()


def test_nobody_who_meets_is_no_zone(executor):
    where = positions(mixsafe.load(mixsafe.sample("town")))
    assert len(mix_zones(where, min_users=len(where.users) + 1, executor=executor)) == 0
