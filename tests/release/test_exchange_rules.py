"""Releases by rules: only what is allowed is exchanged, and who knows the rules keeps the truth."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.model.course import SolveLimits
from mixsafe.model.release import Cells, Sightings
from mixsafe.release.audit import audit
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.exchange import drawn_exchanges, exchange_zones, exchanged_table, fixes_for
from tests.support.audit_oracle import Cell, number_of_stories, tracks_of
from tests.support.exchange_oracle import Ways
from tests.support.relations import with_pairs
from tests.support.small_releases import cells_in
from tests.support.strategies import mix_zones

REGIONS = (0, 1, 2, 33, 66)
"""Some of the contest's, each of which is one or two steps from the others."""
DAY, FIRST = 4, 3


@st.composite
def shown(draw: st.DrawFn, most: int = 5, steps: int = 9) -> list[list[Cell]]:
    """What a few users show: mostly one region of few, some of them too far from the last one."""
    single = st.sampled_from(REGIONS).map(lambda region: frozenset([region]))
    several = st.sampled_from([frozenset([0, 1]), frozenset([2, 33])])
    cell = st.one_of(single, single, single, several, st.none())
    n_steps = draw(st.integers(2, steps))
    track = st.lists(cell, min_size=n_steps, max_size=n_steps)
    return draw(st.lists(track, min_size=2, max_size=most))


rules = st.builds(
    ExchangeRules,
    max_step=st.sampled_from([None, 0.4, 1.0]),
    rotate=st.sampled_from([None, "daily", "every:2", "every:3"]),
)


def rotations_of(rules: ExchangeRules, n_steps: int) -> set[int]:
    """Steps of rotation, by the definition."""
    if rules.rotate == "daily":
        return {t for t in range(2, n_steps + 1) if (t + FIRST - 2) % DAY == 0}
    every = 0 if rules.rotate is None else int(rules.rotate[-1])
    return {t for t in range(2, n_steps + 1) if every and (t - 1) % every == 0}


def ways_of(tracks: list[list[Cell]], rules: ExchangeRules) -> Ways:
    rotations = rotations_of(rules, len(tracks[0]))
    return Ways(tracks, rotations, rules.max_step, DAY, FIRST, sets_meet=True)


def fits(tracks: list[list[Cell]], rules: ExchangeRules) -> bool:
    """Whether the schedule has a time within the data, for two users or more."""
    there = sum(any(cell is not None for cell in track) for track in tracks)
    return rules.rotate is None or (there > 1 and bool(rotations_of(rules, len(tracks[0]))))


def released(cells: Cells, rules: ExchangeRules, seed: int) -> np.ndarray:
    """(n_users, n_steps) pseudonym of each user, from 0."""
    zones = exchange_zones(cells, rules, DAY)
    return exchanged_table(cells, np.random.default_rng(seed), zones).pseudonym


@given(tracks=shown(), rules=rules, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_only_what_is_allowed_is_exchanged(tracks, rules, seed) -> None:
    if not fits(tracks, rules):
        return
    ways, pseudonym = ways_of(tracks, rules), released(cells_in(tracks, FIRST), rules, seed)
    users = range(len(tracks))
    for t in range(1, len(tracks[0]) + 1):
        now = pseudonym[:, t - 1].tolist()
        assert sorted(now) == list(users)
        if t == 1:
            continue
        was = pseudonym[:, t - 2].tolist()
        for giver in users:
            user = now.index(was[giver])
            if user == giver:
                continue
            if t not in ways.rotations:
                assert ways.meets(user, t)
                assert ways.cell(user, t) == ways.cell(giver, t)
            assert ways.may(t, giver, user)
            assert not ways.jumps(user, t)
            assert not ways.jumps(giver, t)


def published_by(pseudonym: np.ndarray, tracks: list[list[Cell]]) -> list[list[Cell]]:
    """What each pseudonym shows."""
    n_users, n_steps = pseudonym.shape
    user = np.argsort(pseudonym, axis=0)
    return [[tracks[user[p, t]][t] for t in range(n_steps)] for p in range(n_users)]


def under(tracks: list[list[Cell]], rules: ExchangeRules) -> Published:
    cells = cells_in(tracks, FIRST)
    return Published.of_cells(cells, sets_meet=True).under(rules, fixes_for(rules, cells), DAY)


@given(tracks=shown(), rules=rules, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_who_knows_the_rules_never_excludes_the_truth(tracks, rules, seed) -> None:
    """Each person's step from pseudonym to pseudonym is one that published tracks allow."""
    if not fits(tracks, rules):
        return
    pseudonym = released(cells_in(tracks, FIRST), rules, seed)
    zones = under(published_by(pseudonym, tracks), rules).zones
    changes = {
        (t + 1, user)
        for t in range(1, len(tracks[0]))
        for user in range(len(tracks))
        if pseudonym[user, t] != pseudonym[user, t - 1]
    }
    for z, t in enumerate(zones.time.tolist()):
        members = zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()
        matrix = np.ones((len(members),) * 2, bool)
        if zones.relation is not None:
            matrix = zones.relation.matrix(z, len(members))
        for user in range(len(tracks)):
            if (t, user) in changes and pseudonym[user, t - 1] in members:
                come, leave = (members.index(pseudonym[user, t - back]) for back in (2, 1))
                assert matrix[come, leave]
                changes.remove((t, user))
    assert not changes


@given(tracks=shown(4, 5), rules=rules, data=st.data())
@settings(max_examples=40)
def test_an_audit_by_the_rules_of_the_release_keeps_the_truth(tracks, rules, data) -> None:
    if not fits(tracks, rules):
        return
    pseudonym = released(cells_in(tracks, FIRST), rules, data.draw(st.integers(0, 2**32 - 1)))
    shows = [(u, t) for u, track in enumerate(tracks) for t, cell in enumerate(track) if cell]
    if not shows:
        return
    seen = sorted(data.draw(st.sets(st.sampled_from(shows), min_size=1, max_size=6)))
    known = sorted({user for user, _ in seen})
    place = [min(tracks[user][t] or ()) for user, t in seen]
    sightings = Sightings(
        np.array(known),
        np.array([known.index(user) for user, _ in seen], np.int32),
        np.array([t + 1 for _, t in seen], np.int32),
        np.array(place, np.int64),
    )
    published = under(published_by(pseudonym, tracks), rules)
    found = audit(
        Evidence.of(published, sightings), 2, exhaustive=True, limits=SolveLimits(workers=1)
    ).candidates
    assert found is not None
    listed = {
        (row.user_id, row.pse_id - len(tracks) - 1, time - FIRST)
        for row in found.itertuples()
        for time in range(row.from_time, row.to_time + 1)
    }
    for user in known:
        for t, track in enumerate(pseudonym[user].tolist()):
            assert (user, track, t) in listed


@given(tracks=shown(4, 5), rules=rules, data=st.data())
@settings(max_examples=40)
def test_the_tracks_of_a_user_are_those_of_some_story_by_the_rules(tracks, rules, data) -> None:
    rotations = rotations_of(rules, len(tracks[0]))
    ways = ways_of(tracks, rules)
    singles = [[cell if cell and len(cell) == 1 else None for cell in one] for one in tracks]
    if (rules.rotate is not None and not rotations) or number_of_stories(tracks, rotations) > 3000:
        return
    seen = data.draw(
        st.sets(st.tuples(st.integers(0, 1), st.integers(1, len(tracks[0]))), max_size=3)
    )
    sightings = [(user, t, data.draw(st.sampled_from(REGIONS))) for user, t in sorted(seen)]
    ways = Ways(singles, rotations, rules.max_step, DAY, FIRST)
    cells = cells_in(singles, FIRST)
    published = Published.of_cells(cells).under(rules, fixes_for(rules, cells), DAY)
    user, step, place = np.array(sightings, np.int64).reshape(-1, 3).T
    known = Sightings(np.arange(2), user.astype(np.int32), step.astype(np.int32), place)
    truth = tracks_of(singles, sightings, 2, exchanged=True, may=ways.may, rotations=rotations)
    try:
        asked = Evidence.of(published, known)
        answer = audit(asked, 2, exhaustive=True, limits=SolveLimits(workers=1))
    except InputError:
        assert not any(truth.values())
        return
    found = {at: set[int]() for at in truth}
    assert answer.candidates is not None
    for row in answer.candidates.itertuples():
        for time in range(row.from_time, row.to_time + 1):
            found[row.user_id, time - FIRST + 1].add(row.pse_id - len(tracks) - 1)
    assert found == truth


@pytest.mark.parametrize(
    "pairs",
    [
        {(0, 1), (1, 2), (2, 0)},
        {(0, 1), (1, 2), (2, 0), (2, 1), (3, 0), (0, 3)},
        {(a, b) for a, b in permutations(range(4), 2) if (a, b) != (0, 3)},
    ],
)
def test_allowed_permutations_come_equally_often(pairs: set[tuple[int, int]]) -> None:
    """Where pairs cannot exchange, cycles can."""
    n, times = 4, 4000
    zones = with_pairs(
        mix_zones(n, times, [(t, range(n)) for t in range(1, times + 1)]), [pairs] * times
    )
    drawn = drawn_exchanges(zones, np.random.default_rng(3))
    giver = np.tile(np.arange(n), (times, 1))
    giver[drawn.time - 1, drawn.member] = drawn.giver
    counts = Counter(map(tuple, giver.tolist()))
    allowed = [
        one
        for one in permutations(range(n))
        if all(a == b or (a, b) in pairs for b, a in enumerate(one))
    ]
    assert set(counts) == set(allowed)
    mean = times / len(allowed)
    assert sum((counts[one] - mean) ** 2 / mean for one in allowed) < 4 * len(allowed) + 10


def test_a_large_zone_with_few_pairs_is_drawn_by_its_pairs() -> None:
    """A ring of 300, each of whom may go to both neighbours; no seed: the system's own numbers."""
    n = 300
    near = {(a, (a + by) % n) for a in range(n) for by in (1, n - 1)}
    drawn = drawn_exchanges(with_pairs(mix_zones(n, 1, [(1, range(n))]), [near]))
    gap = (drawn.member - drawn.giver) % n
    assert set(gap.tolist()) <= {0, 1, n - 1}
    assert sorted(drawn.giver.tolist()) == list(range(n))
    assert np.count_nonzero(gap) > n / 4


def test_a_release_has_no_truth_by_which_exchanges_are_believable() -> None:
    cells = cells_in([[{1}, {2}], [{1}, {3}]], FIRST)
    rules = ExchangeRules(believable=0.05)
    with pytest.raises(InputError, match="nobody knows whose a published track is"):
        Published.of_cells(cells).under(rules, fixes_for(rules, cells), DAY)
