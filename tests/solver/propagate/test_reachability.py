"""Reachability (fact 5): nothing that some assignment has is ever ruled out."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Knowledge
from mixsafe.solver.propagate.reachability import narrow, reachable
from tests.support.cores import (
    FAR_APART,
    MANY,
    at_wires,
    core_of,
    gathered,
    listed,
    pinned_cores,
    scattered,
    spread,
    stretched,
    truth_of,
    within,
)
from tests.support.oracles import domains
from tests.support.relations import related_problems, with_random_pairs
from tests.support.single_token_paths import on_a_way
from tests.support.strategies import problem, problems


@given(asked=st.one_of(problems(), related_problems()))
@settings(max_examples=60)
def test_reachable_is_what_ways_of_single_tokens_lead_over_and_the_other_ends_of_links_have(asked):
    core = core_of(asked)
    assert listed(reachable(core)) == on_a_way(core)


def meeting_again_and_again(seed):
    """Five who meet by twos and threes, exchange by some pairs only, and are seen at both ends."""
    random = np.random.default_rng(seed)
    zones = [(t, random.permutation(5)[: random.integers(2, 4)]) for t in range(1, 8)]
    seen = [(user, t) for user in range(5) for t in (0, 8) if random.random() < 0.9]
    seen += [(int(user), int(random.integers(1, 8))) for user in random.choice(5, 1)]
    asked = problem(5, 8, [(t, sorted(some.tolist())) for t, some in zones], sorted(set(seen)))
    return core_of(with_random_pairs(asked, random))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_so_it_is_where_zones_lack_pairs_also_in_a_crowd(seed):
    core = meeting_again_and_again(seed)
    rows = np.sort(np.random.default_rng(seed).permutation(FAR_APART)).tolist()
    ways = on_a_way(core)
    assert listed(reachable(core)) == ways
    crowded = scattered(core, rows, MANY)
    assert gathered(crowded, reachable(crowded), rows) == ways


@given(asked=pinned_cores())
@settings(max_examples=60)
def test_ways_keep_to_the_rows_that_pins_allow_and_no_others_are_lost(asked):
    core, _, _ = asked
    assert listed(reachable(core)) == on_a_way(core)


@given(asked=problems())
@settings(max_examples=25)
def test_every_candidate_is_reachable(asked):
    assert within(truth_of(asked), listed(reachable(core_of(asked))))


@given(asked=pinned_cores())
@settings(max_examples=60)
def test_every_candidate_is_reachable_where_tokens_are_pinned_to_sets_of_rows(asked):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(at_wires(core.network, truth), listed(reachable(core)))


@given(asked=problems())
@settings(max_examples=25)
def test_where_nothing_is_known_reachable_is_possible(asked):
    free = replace(asked, knowledge=Knowledge.from_pairs([]))
    assert listed(reachable(core_of(free))) == truth_of(free)


@given(asked=st.one_of(problems().map(core_of), pinned_cores().map(itemgetter(0))), drawn=st.data())
@settings(max_examples=80)
def test_what_is_narrowed_is_on_ways_over_allowed_wires_only(asked, drawn):
    network = asked.network
    one = st.integers(0, 2**network.n_rows - 1)
    any_tokens = st.lists(one, min_size=network.n_wires, max_size=network.n_wires)
    sets = np.array(drawn.draw(any_tokens), np.uint64)[:, None]
    ways = on_a_way(asked, listed(sets))
    narrow(asked, sets)
    assert listed(sets) == ways


def test_a_token_that_cannot_come_home_in_time_never_leaves():
    core = core_of(problem(4, 6, [(1, [0, 2]), (3, [1, 2, 3])], [(0, 0), (0, 6)]))
    after = core.network.wire_at([0, 2], [1, 1])
    assert listed(reachable(core)[after]) == [{0}, {2}]


def test_the_ends_of_a_link_allow_the_same_tokens():
    """Row 0 is seen at 2 and at 4; token 2 comes to it only after 3."""
    core = core_of(problem(3, 5, [(1, [0, 1]), (3, [0, 2])], [(0, 2), (0, 4)]))
    one, other = core.link_wires[0]
    possible = listed(reachable(core))
    assert possible[one] == possible[other] == {0, 1}


def test_the_earlier_end_of_a_link_has_no_token_that_the_later_end_has_not():
    """Row 0 is seen at 2 and at 4; token 1 may be there at 2, but is at home at 4."""
    zones = [(1, [0, 1]), (3, [0, 1])]
    core = core_of(problem(2, 4, zones, [(0, 2), (0, 4), (1, 0), (1, 4)]))
    assert listed(reachable(core)[core.link_wires[0]]) == [{0}, {0}]


def test_what_the_later_end_of_a_link_has_not_leaves_the_earlier_end_and_all_behind_it():
    """Token 1 must be home after 5, so it was not on row 0, from where alone it came to row 2."""
    zones = [(1, [0, 1]), (3, [0, 2]), (5, [0, 1, 2])]
    core = core_of(problem(3, 6, zones, [(0, 2), (0, 6), (1, 0), (1, 6)]))
    possible = listed(reachable(core))
    one, other = core.link_wires[0]
    assert possible[one] == possible[other] == {0}
    assert possible[core.network.wire_at([2], [3])[0]] == {0, 2}


@given(asked=problems())
@settings(max_examples=25)
def test_narrowing_again_changes_nothing(asked):
    core = core_of(asked)
    once = reachable(core)
    twice = once.copy()
    narrow(core, twice)
    assert np.array_equal(once, twice)


@given(asked=problems(), rows=st.permutations(FAR_APART))
@settings(max_examples=25)
def test_a_crowd_that_meets_nobody_changes_nothing(asked, rows):
    rows = sorted(rows[: asked.zones.n_users])
    crowded = core_of(spread(asked, rows, MANY))
    expected = listed(reachable(core_of(asked)))
    assert gathered(crowded, reachable(crowded), rows) == expected


@given(asked=pinned_cores(), rows=st.permutations(FAR_APART))
@settings(max_examples=40)
def test_a_crowd_changes_nothing_where_tokens_are_pinned_to_sets_of_rows(asked, rows):
    core, _, _ = asked
    rows = sorted(rows[: core.network.n_rows])
    crowded = scattered(core, rows, MANY)
    assert gathered(crowded, reachable(crowded), rows) == listed(reachable(core))


@given(asked=problems())
@settings(max_examples=25)
def test_steps_in_which_nothing_happens_change_nothing(asked):
    sets = [reachable(core_of(one)) for one in (asked, stretched(asked, 50))]
    assert np.array_equal(*sets)
