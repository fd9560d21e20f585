"""Swaps (fact 7): two who meet, and meet again or need not."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.network.core import Core
from mixsafe.solver.construct.swaps import swap_witnesses, swapped
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import differences_of, fault
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
    truth_of,
    within,
)
from tests.support.differences import assignments_of
from tests.support.oracles import domains, domains_of, knowledge_of, zones_of
from tests.support.relations import related_problems
from tests.support.strategies import problem, problems


def linked_times(asked):
    """Times of each user's sightings; one sighting alone tells nothing."""
    times = {user: [] for user in range(asked.zones.n_users)}
    for user, t in knowledge_of(asked):
        times[user].append(t)
    return {user: seen if len(seen) > 1 else [] for user, seen in times.items()}


def by_definition(asked, *, all_may_lie_between):
    """(u, t) to whom u can have been swapped with, from fact 7 word by word."""
    seen, horizon = linked_times(asked), asked.zones.axis.steps
    found = {(user, t): {user} for user in range(asked.zones.n_users) for t in range(horizon + 1)}

    def unseen(user, begin, end):
        between = sum(begin <= t < end for t in seen[user])
        return between == 0 or (all_may_lie_between and between == len(seen[user]))

    zones = zones_of(asked)
    for begin, members in zones:
        for user in members:
            for other in members:
                ends = [t for t, met in zones if t > begin and {user, other} <= set(met)]
                for end in [*ends, math.inf]:
                    if unseen(user, begin, end) and unseen(other, begin, end):
                        for t in range(begin, min(end, horizon + 1)):
                            found[user, t].add(other)
    return found


@given(asked=problems())
@settings(max_examples=60)
def test_swaps_are_those_between_sightings_and_no_others(asked):
    network = core_of(asked).network
    expected = at_wires(network, by_definition(asked, all_may_lie_between=False))
    assert listed(swapped(core_of(asked))) == expected


@given(asked=problems())
@settings(max_examples=25)
def test_a_swap_over_none_or_all_sightings_gives_candidates(asked):
    truth = domains_of(asked)
    for point, others in by_definition(asked, all_may_lie_between=True).items():
        assert others <= truth[point]


@given(asked=problems())
@settings(max_examples=25)
def test_whom_a_user_can_have_been_swapped_with_is_a_candidate(asked):
    assert within(listed(swapped(core_of(asked))), truth_of(asked))


@given(asked=pinned_cores())
@settings(max_examples=60)
def test_swaps_keep_to_the_rows_that_pins_allow(asked):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(listed(swapped(core)), at_wires(core.network, truth))


@given(asked=pinned_cores())
@settings(max_examples=60)
def test_a_swap_lasts_while_the_pins_of_both_allow_the_others_row_and_no_longer(asked):
    core, zones, pins = asked
    horizon, n_rows = core.network.horizon, core.network.n_rows
    found = {(user, t): {user} for user in range(n_rows) for t in range(horizon + 1)}

    def may_last(user, other, begin, end):
        return all(
            {user, other} <= {token, *rows}
            for token, t, rows in pins
            if begin <= t < end and token in (user, other)
        )

    for begin, members in zones:
        for user, other in itertools.permutations(members, 2):
            ends = [t for t, met in zones if t > begin and {user, other} <= set(met)]
            for end in [*ends, horizon + 1]:
                if may_last(user, other, begin, end):
                    for t in range(begin, end):
                        found[user, t].add(other)
    assert listed(swapped(core)) == at_wires(core.network, found)


def _written(core: Core) -> list[set[int]]:
    """Tokens of which swaps are written down on each wire, and its own; each swap is a solution."""
    network = core.network
    everybody = tokens.everything(network.n_wires, network.n_rows)
    wires, token = tokens.pairs(everybody & ~tokens.identity(network.row, core.words))
    made = swap_witnesses(core, wires, token.astype(np.int32))
    shows = np.flatnonzero(np.diff(made.ptr) > 0)
    assignments = assignments_of(core, differences_of(core, made.at(shows)))
    assert all(fault(core, one) is None for one in assignments)
    found = [{row} for row in network.row.tolist()]
    for one, wire, brought in zip(assignments, wires[shows], token[shows], strict=True):
        assert one[wire] == brought
        found[wire].add(int(brought))
    return found


@given(asked=pinned_cores())
@settings(max_examples=80, deadline=None)
def test_every_swap_between_pins_is_written_down(asked):
    assert _written(asked[0]) == listed(swapped(asked[0]))


@given(asked=related_problems())
@settings(max_examples=80, deadline=None)
def test_every_swap_that_relations_allow_is_written_down(asked):
    assert _written(core_of(asked)) == listed(swapped(core_of(asked)))


@given(asked=pinned_cores(), rows=st.permutations(FAR_APART))
@settings(max_examples=40)
def test_a_crowd_changes_nothing_where_tokens_are_pinned_to_sets_of_rows(asked, rows):
    core, _, _ = asked
    rows = sorted(rows[: core.network.n_rows])
    crowded = scattered(core, rows, MANY)
    assert gathered(crowded, swapped(crowded), rows) == listed(swapped(core))


def test_who_meets_once_before_the_end_is_known_is_not_swapped():
    core = core_of(problem(2, 4, [(2, [0, 1])], [(0, 0), (0, 4)]))
    assert listed(swapped(core)) == [{0}, {0}, {1}, {1}]


def test_who_meets_twice_is_swapped_in_between():
    core = core_of(problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (0, 4)]))
    assert listed(swapped(core)) == [{0}, {0, 1}, {0}, {1}, {0, 1}, {1}]


@given(asked=problems(), rows=st.permutations(FAR_APART))
@settings(max_examples=25)
def test_a_crowd_that_meets_nobody_changes_nothing(asked, rows):
    rows = sorted(rows[: asked.zones.n_users])
    crowded = core_of(spread(asked, rows, MANY))
    assert gathered(crowded, swapped(crowded), rows) == listed(swapped(core_of(asked)))
