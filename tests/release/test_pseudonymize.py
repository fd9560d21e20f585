"""Releases: what is said to be private is, and suppression ends in a release that verifies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import knowledge
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Cells
from mixsafe.release.enforce import Demand, enforce, privacy_of
from mixsafe.release.exchange import visible_zones
from mixsafe.release.pseudonymize import release_exchanged, release_shuffled
from tests.support.oracles import domains, number_of_assignments, zones_of
from tests.support.strategies import problem

TOGETHER = Cells.of_regions(np.array([[0, 1, 1, 0], [0, 2, 1, 2], [3, 3, 3, 3]]), 4, first_time=41)
"""Users 1 and 2 meet at times 41 and 43; user 3 meets nobody."""


@st.composite
def small_releases(draw: st.DrawFn) -> Cells:
    users, steps = draw(st.integers(2, 4)), draw(st.integers(1, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Cells.of_regions(random.integers(4, size=(users, steps)), 3)


@st.composite
def demands(draw: st.DrawFn, cells: Cells) -> Demand:
    name = draw(st.sampled_from(["none", "endpoints"]))
    rule = draw(st.sampled_from([Rule("every"), Rule("some"), Rule("share", 0.6)]))
    known = knowledge(name, visible_zones(cells))
    return Demand(2, known, rule)


def truly_safe(cells: Cells, demand: Demand) -> np.ndarray:
    """Which users have k candidates at which times, by brute force."""
    known = list(zip(demand.knowledge.row.tolist(), demand.knowledge.time.tolist(), strict=True))
    zones = visible_zones(cells)
    found = domains(cells.n_rows, cells.n_steps, zones_of(as_problem(cells)), known)
    assert len(zones) == len(zones_of(as_problem(cells)))
    return np.array(
        [
            [len(found[row, step + 1]) >= demand.k for step in range(cells.n_steps)]
            for row in range(cells.n_rows)
        ]
    )


def as_problem(cells: Cells):
    zones = visible_zones(cells)
    met = [
        (int(zones.time[z]), zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist())
        for z in range(len(zones))
    ]
    return problem(cells.n_rows, cells.n_steps, met)


@settings(max_examples=40)
@given(st.data())
def test_what_is_private_is_what_brute_force_says(data: st.DataObject) -> None:
    cells = data.draw(small_releases())
    if number_of_assignments(zones_of(as_problem(cells))) > 2000:
        return
    demand = data.draw(demands(cells))
    found = privacy_of(cells, visible_zones(cells), demand, Course.begin())
    assert np.array_equal(found.safe, truly_safe(cells, demand))
    assert np.array_equal(found.shown, cells.code != cells.deleted)


@settings(max_examples=40)
@given(st.data())
def test_an_enforced_release_verifies_by_brute_force(data: st.DataObject) -> None:
    cells = data.draw(small_releases())
    if number_of_assignments(zones_of(as_problem(cells))) > 2000:
        return
    demand = data.draw(demands(cells))
    left, privacy = enforce(cells, demand, Course.begin())
    kept = left.code == cells.code
    assert np.all(kept | (left.code == left.deleted))
    assert privacy.holds
    shown = left.code != left.deleted
    safe = (truly_safe(left, demand) & shown).sum(axis=1)
    total = shown.sum(axis=1)
    if demand.rule.kind == "every":
        assert np.array_equal(safe, total)
    elif demand.rule.kind == "some":
        assert np.all((safe > 0) | (total == 0))
    else:
        assert np.all(safe >= 0.6 * total - 1e-9)


def test_suppressing_one_user_takes_the_mix_zone_from_the_other() -> None:
    """User 2 is seen all the time; what hides user 1 at time 2 needs user 2 to be shown."""
    cells = Cells.of_regions(np.array([[0, 1, 0], [0, 2, 0]]), 3)
    known = Knowledge.from_pairs([(1, 0), (1, 1), (1, 2), (1, 3)])
    left, privacy = enforce(cells, Demand(2, known, Rule("every")), Course.begin())
    assert privacy.holds
    assert np.all(left.code == left.deleted)


def test_who_meets_nobody_is_suppressed_and_the_others_stay() -> None:
    known = Knowledge.from_pairs([(user, 0) for user in range(3)])
    release = release_exchanged(TOGETHER, Demand(2, known), np.random.default_rng(1), enforced=True)
    assert release.n_suppressed == 4
    hidden = release.table.user == 2
    assert np.array_equal(release.public.code == release.public.deleted, hidden)
    assert release.privacy is not None
    assert release.privacy.holds


def test_a_release_is_the_cells_of_the_users_in_its_table() -> None:
    known = Knowledge.of([], [])
    for release in (
        release_shuffled(TOGETHER, np.random.default_rng(3)),
        release_exchanged(TOGETHER, Demand(2, known), np.random.default_rng(3)),
    ):
        assert np.array_equal(release.public.code, release.table.publish(TOGETHER).code)
        assert release.public.first_time == 41


@settings(max_examples=40)
@given(st.data())
def test_cells_are_the_same_however_their_sets_are_written(data: st.DataObject) -> None:
    sets = data.draw(st.lists(st.permutations(range(3)), min_size=1, max_size=6))
    sets = [one[: data.draw(st.integers(2, 3))] for one in sets]
    ptr = np.cumsum([0, *map(len, sets)])
    member = np.array([region for one in sets for region in one], np.int32)
    code = np.arange(4 + len(sets), dtype=np.int32)[:, None]
    cells = Cells(code, 3, ptr, member)
    found = cells.canonical()
    assert found.code[:4, 0].tolist() == [0, 1, 2, 3]
    told = [
        tuple(found.member[found.ptr[one - 4] : found.ptr[one - 3]].tolist())
        for one in found.code[4:, 0].tolist()
    ]
    assert told == [tuple(sorted(one)) for one in sets]
    assert len(found.set_sizes) == len(set(told))
    again = found.canonical()
    assert np.array_equal(again.code, found.code)
    assert np.array_equal(again.member, found.member)


def test_what_is_not_decided_in_time_is_not_called_private() -> None:
    known = knowledge("endpoints", visible_zones(TOGETHER))
    demand = Demand(2, known, Rule("every"))
    late = Course.begin(SolveLimits(1e-9))
    found = privacy_of(TOGETHER, visible_zones(TOGETHER), demand, late)
    assert not np.any(found.safe & found.undecided)
    assert np.array_equal(found.exposed, found.shown & ~found.safe)


def test_the_last_stretch_before_a_sighting_is_hidden_again_and_again() -> None:
    """Suppressing the last meeting makes the one before it the last: nothing is left."""
    cells = Cells.of_regions(np.zeros((3, 6), np.int32), 1)
    known = knowledge("endpoints", visible_zones(cells))
    left, privacy = enforce(cells, Demand(2, known, Rule("every")), Course.begin())
    assert privacy.holds
    assert np.all(left.code == left.deleted)
    assert enforce(cells, Demand(2, known), Course.begin())[0] is cells


def test_zones_cannot_be_chosen_where_suppression_changes_them() -> None:
    demand = Demand(2, Knowledge.of([], []))
    with pytest.raises(InputError, match="cannot be chosen"):
        release_exchanged(TOGETHER, demand, zones=visible_zones(TOGETHER), enforced=True)


def test_more_pseudonyms_than_users_cannot_be_asked_for() -> None:
    demand = Demand(4, Knowledge.of([], []))
    with pytest.raises(InputError, match="k = 4"):
        release_exchanged(TOGETHER, demand, enforced=True)
    privacy = release_exchanged(TOGETHER, demand).privacy
    assert privacy is not None
    assert not privacy.holds
