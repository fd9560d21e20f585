"""Who is always together is one person, who does not meet herself."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mixsafe
from mixsafe.extract.companions import MOST, Track, always_together, is_looked_at
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.pose import pose
from mixsafe.extract.positions import persons, positions
from mixsafe.from_files.large_sources import extract
from mixsafe.from_files.released import read_release
from mixsafe.io.columns.reading import Reading
from mixsafe.io.sources import load
from mixsafe.machinery.spill import SpillRoom

GRID = {"cell_size": 150.0}


def walk(draw, steps, side=6):
    """Places of somebody who mostly moves on, on a square of fields."""
    x, y = draw.randrange(side), draw.randrange(side)
    for _ in range(steps):
        if draw.random() < 0.8:
            along = draw.choice((-1, 1))
            if draw.random() < 0.5:
                x = min(max(x + along, 0), side - 1)
            else:
                y = min(max(y + along, 0), side - 1)
        yield x, y


def world(seed, kind="coordinates", n_people=6, steps=40):
    """Rows of people, and further rows of three of them who carry a second device."""
    draw, second = random.Random(seed), random.Random(seed + 1000)
    rows, more = [], []
    for person in range(n_people):
        name = second.choice("az")  # before or after the name of the first device
        for step, (x, y) in enumerate(walk(draw, steps), 1):
            here = (50 + x * 0.0018, 8 + y * 0.0028)
            moment = 1_714_550_400 + 60 * step + 5
            rows.append((f"p{person}", moment, *here))
            if person < 3 and second.random() < 0.8:
                late = second.randrange(30)
                there = (second.gauss(one, 0.00005) for one in here)
                more.append((f"{name}{person}", moment + late, *there))
    table = [pd.DataFrame(some, columns=["user_id", "time", "lat", "lon"]) for some in (rows, more)]
    if kind == "regions":
        table = [
            pd.DataFrame(
                {
                    "user_id": one.user_id,
                    "time_id": (one.time - 1_714_550_400) // 60,
                    "reg_id": ((one.lat - 50) / 0.0018).round().astype(int) * 6
                    + ((one.lon - 8) / 0.0028).round().astype(int)
                    + 1,
                }
            )
            for one in table
        ]
    return table


def shares(source, aliases=(), **how):
    """Verdict of each person, by the names of the first devices."""
    answer = mixsafe.verify(source, k=2, **GRID, **how)
    found = dict(zip(answer.users.user_id, answer.users.safe_share, strict=True))
    return {dict(aliases).get(name, name): share for name, share in found.items()}


def first_devices(traces):
    """Names of the first devices, by those of the persons."""
    return {a: b for a, b, _ in traces.premises.together.pairs if b.startswith("p")}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("way", ["frame", "files", "regions", "parquet"])
def test_a_second_device_changes_no_verdict(seed, way, tmp_path):
    one, more = world(seed, "regions" if way == "regions" else "coordinates")
    if way == "files":
        one.to_csv(tmp_path / "phones.csv", index=False)
        more.to_csv(tmp_path / "watches.csv", index=False)
        both = load([tmp_path / "phones.csv", tmp_path / "watches.csv"])
    elif way == "parquet":
        pd.concat([more, one]).to_parquet(tmp_path / "both.parquet", index=False)
        both = load(tmp_path / "both.parquet")
    else:
        both = load(pd.concat([one, more]))
    found = persons(both, **GRID)
    assert len(found.premises.together.pairs) == 3
    assert found.premises.together.merged
    assert shares(both, first_devices(found)) == pytest.approx(shares(load(one)))
    kept = mixsafe.verify(both, k=2, keep_together=True, **GRID)
    assert len(kept.users) == 9


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["coordinates", "regions"])
def test_the_large_path_merges_the_same_people(seed, kind, tmp_path):
    one, more = world(seed, kind)
    pd.concat([one, more]).to_csv(tmp_path / "both.csv", index=False)
    # Cells are around the middle of all fixes there, and of one device each in memory.
    part = None if kind == "regions" else {"start": 1_714_550_400, "end": 1_714_560_000}
    with closing(SpillRoom(10**9, tmp_path, piece=7)) as room:
        wanted = WantedZones(150.0, part=part)
        large = extract(tmp_path / "both.csv", wanted, room, Reading())
    traces = load(tmp_path / "both.csv")
    if part is not None:
        traces = mixsafe.select(traces, **part)
    where = positions(traces, **GRID)
    assert large.zones.premises == where.premises
    assert large.zones.users.tolist() == where.users.tolist()
    assert large.positions.row.tolist() == where.row.tolist()
    assert large.positions.step.tolist() == where.step.tolist()
    if kind == "regions":
        assert large.positions.place.tolist() == where.place.tolist()
    assert len(large.zones.users) == 6


def test_either_name_is_the_persons_in_sightings_and_requirements():
    one, more = world(1)
    both = load(pd.concat([one, more]))
    pairs = persons(both, **GRID).premises.together.pairs
    first, second = pairs[0][:2]
    times = [1_714_550_400 + 60 * step for step in (1, 40)]
    seen = {"user_id": [first, second], "time": times}
    asked = {"user_id": [first, second], "time": times[::-1], "k": [2, 2]}
    posed = mixsafe.verify(both, knowledge=seen, requirements=asked, **GRID).problem
    assert set(posed.knowledge.row.tolist()) == {0}
    assert set(posed.requirements.row.tolist()) == {0}


def told(rows):
    """Pairs in rows of user, step and place."""
    columns = np.array(sorted(rows)).T
    return list(zip(*(column.tolist() for column in _pairs(columns)[:2]), strict=True))


def _pairs(columns):
    row, step, place = columns
    return always_together(Track(row.astype(np.int32), step.astype(np.int32), place))


def test_people_in_one_office_all_day_are_two():
    rows = [(user, step, 7) for user in range(4) for step in range(1, 200)]
    assert told(rows) == []


def test_people_who_share_one_ride_or_few_steps_are_two():
    ride = [(user, step, 1000 + step) for user in range(30) for step in range(40, 70)]
    apart = [
        (user, step, user * 100 + step % 9)
        for user in range(30)
        for step in range(1, 200)
        if not 40 <= step < 70
    ]
    assert told(ride + apart) == []
    few = [(user, step, step) for user in range(2) for step in range(1, 9)]
    assert told(few) == []
    # All common steps, but a small part of anybody's.
    halves = [(user, step, 500 + step) for user in range(2) for step in range(user, 200, 2)]
    assert (
        told(halves + [(user, step, step) for user in range(2) for step in range(201, 213)]) == []
    )


def test_people_who_are_together_less_often_are_two():
    def pair(share):
        return [
            (user, step, step if user == 0 or step % 100 < share else -step)
            for user in range(2)
            for step in range(1, 501)
        ]

    assert told(pair(94)) == []
    assert told(pair(96)) == [(0, 1)]


@pytest.mark.parametrize("crowd", [2, 9, 40])
def test_devices_are_found_in_crowds(crowd):
    """Everywhere others are, too: more than of whom all pairs are compared."""
    draw = random.Random(crowd)
    rows = []
    for user in range(30):
        place = 0
        for step in range(1, 60):
            place = draw.randrange(4)
            rows += [(2 * user, step, place), (2 * user + 1, step, place)]
            rows += [(100 + other, step, other % 4) for other in range(crowd)] if not user else []
    assert told(rows) == [(2 * user, 2 * user + 1) for user in range(30)]


def test_many_devices_of_one_person_are_one_user():
    rows = [(user, step, step // 2) for user in range(12) for step in range(1, 40)]
    row, step, place = np.array(sorted(rows)).T
    found = always_together(Track(row.astype(np.int32), step.astype(np.int32), place))
    assert set(found.persons(12).tolist()) == {0}


def test_a_device_with_a_fix_now_and_then_is_found():
    draw = random.Random(5)
    way = [(step, draw.randrange(30)) for step in range(1, 400)]
    rows = [(0, step, place) for step, place in way]
    rows += [(1, step, place) for step, place in way[::9]]
    rows += [(2, step, draw.randrange(30)) for step, _ in way]
    assert told(rows) == [(0, 1)]


def test_of_long_data_the_looked_at_steps_are_stretches_of_the_same_share():
    step = np.arange(1, 400_001, dtype=np.int32)
    chosen = is_looked_at(step, 8 * MOST)
    assert 0.11 < chosen.mean() < 0.14
    assert is_looked_at(step, MOST).all()
    assert np.array_equal(is_looked_at(step[5:], 8 * MOST), chosen[5:])
    begins = np.flatnonzero(chosen[1:] & ~chosen[:-1]) + 1
    assert set((step[begins] % 8).tolist()) == {0}


def test_published_tracks_that_are_always_together_are_named_and_not_merged(tmp_path):
    one, more = world(2)
    release = pd.concat([one, more]).rename(columns={"user_id": "pseudonym"})
    release.to_csv(tmp_path / "release.csv", index=False)
    zones = read_release(tmp_path / "release.csv", cell_size=150.0).published.zones
    assert zones.n_users == 9
    assert len(zones.premises.together.pairs) == 3
    assert not zones.premises.together.merged
    assert any("not merged" in note for note in zones.notes)


def test_users_of_a_table_of_zones_are_named_and_not_merged():
    one, more = world(3, "regions")
    zones = mixsafe.mix_zones(positions(load(pd.concat([one, more])), keep_together=True))
    bare = replace(zones, place=None, premises=type(zones.premises)(), notes=())
    problem = pose(bare)
    assert len(problem.zones.premises.together.pairs) >= 3
    assert problem.zones.n_users == 9
    assert any("not merged" in note for note in problem.zones.notes)


def test_what_protects_keeps_persons_in_all_forms(tmp_path):
    one, more = world(4)
    found = mixsafe.protect(load(pd.concat([one, more])), 2, limits=mixsafe.SolveLimits(20), **GRID)
    assert sum(found.group.kept) + sum(found.group.left_out) == 6
    assert len(found.group.table) == 9  # a list of users names both devices
    assert {*found.group.table.user_id} == {*one.user_id, *more.user_id}
    passing = [remedy.option.number for remedy in found.remedies if remedy.passes]
    done = mixsafe.apply_remedy(found, passing[0], tmp_path / "out")
    assert done.again.problem.zones.n_users == 6


def test_alone_on_a_bundled_sample_nobody_is_merged():
    for name in ("town", "cabs"):
        assert not persons(load(mixsafe.sample(name))).premises.together.pairs
