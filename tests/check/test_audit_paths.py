"""Assignments relative to the paths of a base, against assignments that are followed one by one.

An assignment is a list with an entry for each step: the track of each token after it.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.check.audit_paths import BasePaths
from mixsafe.check.replay import follow
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Audited, Certificate, Witnesses
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge, Pins, Seen
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from tests.support.certificates import Claim, Exchange, claims_of, witnesses_of
from tests.support.oracles import Pairs
from tests.support.relations import with_pairs

Assignment = list[list[int]]
Random = np.random.Generator
SEEDS = st.integers(0, 2**32 - 1)


class Zone(NamedTuple):
    """A mix zone, and the pairs of different tracks by which tokens move; None: all."""

    time: int
    members: list[int]
    allowed: Pairs | None


class World(NamedTuple):
    """A release: ``n`` tracks, ``horizon`` steps, and its mix zones in order of time."""

    n: int
    horizon: int
    zones: list[Zone]

    def problem(self) -> Problem:
        time = np.array([zone.time for zone in self.zones], np.int32)
        ptr = pointers(np.array([len(zone.members) for zone in self.zones], np.int64))
        members = np.array([row for zone in self.zones for row in zone.members], np.int32)
        users = np.arange(self.n)
        zones = MixZones(users, TimeAxis(self.horizon), time, ptr, members)
        zones = with_pairs(zones, [zone.allowed for zone in self.zones])
        return Problem("audited", zones, Knowledge.of([], []))

    def may_move(self, step: int, one: int, other: int) -> bool:
        """Whether a token may come to a step on one track and leave on another one."""
        return one == other or any(
            zone.time == step
            and {one, other} <= set(zone.members)
            and (zone.allowed is None or (one, other) in zone.allowed)
            for zone in self.zones
        )

    def is_possible(self, assignment: Assignment) -> bool:
        return all(
            self.may_move(step, one, other)
            for step in range(1, self.horizon + 1)
            for one, other in zip(assignment[step - 1], assignment[step], strict=True)
        )


def drawn_world(random: Random) -> World:
    n, horizon = int(random.integers(1, 6)), int(random.integers(1, 5))
    zones = []
    for step in range(1, horizon + 1):
        group = random.integers(0, 3, n)
        for number in (0, 1):
            members = np.flatnonzero(group == number).tolist()
            if len(members) < 2:
                continue
            pairs = list(itertools.permutations(members, 2))
            share = random.choice([0.3, 0.6, 1])
            chosen = {pair for pair in pairs if random.random() < share}
            zones.append(Zone(step, members, None if random.random() < 0.3 else chosen))
    return World(n, horizon, zones)


def drawn_assignment(world: World, random: Random) -> Assignment:
    """One that is possible."""
    found = [random.permutation(world.n).tolist()]
    for step in range(1, world.horizon + 1):
        follow_up = [list(way) for way in itertools.permutations(range(world.n))]
        random.shuffle(follow_up)
        by_track = next(
            way
            for way in follow_up
            if all(world.may_move(step, one, other) for one, other in enumerate(way))
        )
        found.append([by_track[track] for track in found[-1]])
    return found


def changed(assignment: Assignment, random: Random) -> Assignment:
    """Two tokens are exchanged from some step on, and maybe back later."""
    found = [list(tracks) for tracks in assignment]
    one, other = random.integers(0, len(found[0]), 2)
    begin = random.integers(0, len(found))
    for tracks in found[begin : random.integers(begin, len(found)) + 1]:
        tracks[one], tracks[other] = tracks[other], tracks[one]
    return found


def recorded(world: World, assignment: Assignment, base: Assignment | None) -> Witnesses:
    """An assignment by its exchanges on the paths of the base; None: on tracks."""
    held = list(range(world.n))  # token on each row
    exchanges = []
    for step, tracks in enumerate(assignment):
        row_of = {track: row for row, track in enumerate(base[step] if base else range(world.n))}
        now = list(held)
        for token, track in enumerate(tracks):
            now[row_of[track]] = token
        groups = [list(range(world.n))]
        if step > 0:
            came = base[step - 1] if base else range(world.n)
            where = {track: row for row, track in enumerate(came)}
            zones = [zone.members for zone in world.zones if zone.time == step]
            groups = [sorted(where[track] for track in members) for members in zones]
            alone = set(range(world.n)) - {row for rows in groups for row in rows}
            groups += [sorted(alone)]
        for rows in groups:
            if any(held[row] != now[row] for row in rows):
                exchanges.append(Exchange(step, tuple(rows), tuple(now[row] for row in rows)))
        held = now
    return witnesses_of([tuple(exchanges)])


Seens = list[tuple[int, int, list[int]]]
"""Token, step, and the tracks on which it may be then."""


def agrees(assignment: Assignment, seen: Seens) -> bool:
    return all(assignment[step][token] in tracks for token, step, tracks in seen)


def drawn_sightings(assignment: Assignment, n_known: int, random: Random) -> Seens:
    n, found = len(assignment[0]), []
    for _ in range(random.integers(0, 5)):
        token, step = int(random.integers(n_known)), int(random.integers(len(assignment)))
        others = np.flatnonzero(random.random(n) < 0.3).tolist()
        found.append((token, step, sorted({assignment[step][token], *others})))
    return sorted(found, key=lambda one: one[1])


def audit_of(
    world: World, base: Witnesses, seen: Seens, n_known: int
) -> tuple[Certificate, Audited]:
    pins = Pins(
        np.array([token for token, _, _ in seen], np.int32),
        np.array([step for _, step, _ in seen], np.int32),
        pointers(np.array([len(tracks) for _, _, tracks in seen], np.int64)),
        np.array([track for _, _, tracks in seen for track in tracks], np.int32),
    )
    audited = Audited(Seen(np.arange(n_known), pins), base)
    certificate = Certificate(
        world.problem(), Rule("every"), 2, claims_of(()), Witnesses.home(0), audited=audited
    )
    return certificate, audited


def is_accepted(world: World, base: Witnesses, seen: Seens, n_known: int) -> bool:
    try:
        BasePaths.of(*audit_of(world, base, seen, n_known))
    except InputError:
        return False
    return True


@given(SEEDS)
def test_a_base_is_accepted_if_it_is_possible_and_agrees_with_what_was_seen(seed: int) -> None:
    random = np.random.default_rng(seed)
    world = drawn_world(random)
    base = drawn_assignment(world, random)
    n_known = int(random.integers(1, world.n + 1))
    seen = drawn_sightings(base, n_known, random)
    assert is_accepted(world, recorded(world, base, None), seen, n_known)
    for _ in range(5):
        other = changed(base, random)
        expected = world.is_possible(other) and agrees(other, seen)
        assert is_accepted(world, recorded(world, other, None), seen, n_known) == expected


@given(SEEDS)
def test_witnesses_on_paths_are_accepted_if_they_are_possible_and_agree(seed: int) -> None:
    random = np.random.default_rng(seed)
    world = drawn_world(random)
    base = drawn_assignment(world, random)
    n_known = int(random.integers(1, world.n + 1))
    seen = drawn_sightings(base, n_known, random)
    paths = BasePaths.of(*audit_of(world, recorded(world, base, None), seen, n_known))
    for other in (base, drawn_assignment(world, random), *(changed(base, random) for _ in "1234")):
        witness = Witnesses.joined([Witnesses.home(1), recorded(world, other, base)])
        if not world.is_possible(other):
            with pytest.raises(InputError):
                follow(witness, 7, paths.places)
            continue
        tracks = follow(witness, 7, paths.places)
        if not agrees(other, seen):
            with pytest.raises(InputError, match="witness 8 contradicts a sighting of"):
                paths.whereabouts(tracks, 7)
            continue
        found = paths.whereabouts(tracks, 7)
        for step, expected in enumerate(other):
            tokens = np.arange(world.n, dtype=np.int32)
            path = found.tokens(np.ones(world.n, np.int64), tokens, np.full_like(tokens, step))
            assert [base[step][one] for one in path] == expected


@given(SEEDS)
def test_tracks_that_claims_leave_become_paths(seed: int) -> None:
    random = np.random.default_rng(seed)
    world = drawn_world(random)
    base = drawn_assignment(world, random)
    paths = BasePaths.of(*audit_of(world, recorded(world, base, None), [], 1))
    left = [
        (step, tuple(np.flatnonzero(random.random(world.n) < 0.5).tolist()))
        for step in random.integers(0, world.horizon + 1, 5).tolist()
    ]
    claims = [Claim(0, step, step, 2, Verdict.UNSAFE, candidates=tracks) for step, tracks in left]
    found = paths.along(claims_of(claims)).candidates
    for number, (step, tracks) in enumerate(left):
        at = found.values[found.ptr[number] : found.ptr[number + 1]].tolist()
        assert [base[step][path] for path in at] == list(tracks)
    for beyond in (-1, world.n):
        wrong = claims_of([Claim(0, 0, 0, 2, Verdict.UNSAFE, candidates=(beyond,))])
        with pytest.raises(InputError, match="leaves a track that does not exist"):
            paths.along(wrong)


@pytest.mark.parametrize("n_known", [0, 1, 2, 3])
def test_sightings_must_be_of_known_users_at_steps_and_on_tracks_that_exist(n_known: int) -> None:
    world, home = World(2, 3, []), [[0, 1]] * 4
    base = recorded(world, home, None)
    for token, step, track in itertools.product(range(-1, 4), range(-1, 6), range(-1, 4)):
        exists = 0 <= token < n_known <= 2 and 0 <= step <= 3
        agrees_with_base = exists and home[step][token] == track
        assert is_accepted(world, base, [(token, step, [track])], n_known) == agrees_with_base
