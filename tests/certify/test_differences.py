"""Parts of a witness: each alone is a witness, and the exchanges that it is written as are it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixsafe.certify.swap_cover import cover
from mixsafe.certify.witness_pool import exchanges_of, swap_exchanges
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.construct.swaps import swapped
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import fault, joined, needed_parts
from tests.support.oracles import agrees_with, assignments, zones_of
from tests.support.strategies import problem, problems

Assignment = npt.NDArray[np.int32]


def core_of(asked: Any) -> Core:
    return Core.of(WireNetwork.of(asked.zones), asked.knowledge)


def assignments_of(asked: Any, core: Core) -> list[Assignment]:
    """All witnesses: what each possible assignment has on each wire."""
    zones, network = asked.zones, core.network
    return [
        np.array([assignment[t][row] for t, row in zip(network.start, network.row, strict=True)])
        .astype(np.int32)
        for assignment in assignments(zones.n_users, zones.axis.steps, zones_of(asked))
        if agrees_with(asked, assignment)
    ]  # fmt: skip


def replayed(core: Core, witnesses: Witnesses, number: int) -> Assignment:
    """Tokens on all wires in a witness, straight from its exchanges."""
    network = core.network
    on, out = np.arange(network.n_rows), network.row.copy()
    told = {}
    for e in range(witnesses.ptr[number], witnesses.ptr[number + 1]):
        for row, token in zip(witnesses.rows[e], witnesses.tokens[e], strict=True):
            told[int(row), int(witnesses.time[e])] = int(token)
    for wire in np.argsort(network.start, kind="stable").tolist():
        row = int(network.row[wire])
        on[row] = told.get((row, int(network.start[wire])), on[row])
        out[wire] = on[row]
    return out


@settings(max_examples=150)
@given(problems(max_users=5, max_zones=6, max_assignments=200), st.data())
def test_each_part_of_a_witness_is_a_witness_that_keeps_what_is_needed(
    asked: Any, data: st.DataObject
) -> None:
    core = core_of(asked)
    row = core.network.row
    whole = data.draw(st.sampled_from(assignments_of(asked, core)))
    moved = np.flatnonzero(whole != row)
    assume(len(moved))
    wires = np.array(data.draw(st.lists(st.sampled_from(moved.tolist()), min_size=1, max_size=2)))
    part = needed_parts(core, whole, wires)
    made = row.copy()
    made[part.wire] = part.token
    assert fault(core, made) is None
    assert np.array_equal(made[wires], whole[wires])
    assert np.all((made == whole) | (made == row))


def test_two_swaps_that_have_nothing_to_do_with_each_other_are_two_parts() -> None:
    asked = problem(4, 6, [(1, [0, 1]), (1, [2, 3]), (3, [0, 1]), (3, [2, 3]), (5, [0, 2])])
    core = core_of(asked)
    network = core.network
    both = network.row.copy()
    for rows in ((0, 1), (2, 3)):
        wires = network.wire_at(np.array(rows), 1)
        both[wires] = rows[::-1]
    assert fault(core, both) is None
    wire = network.wire_at(np.array([0]), 1)
    assert needed_parts(core, both, wire).token.tolist() == [1, 0]


@settings(max_examples=150)
@given(problems(max_users=5, max_zones=6, max_assignments=200), st.data())
def test_exchanges_are_the_witnesses_that_they_are_made_of(asked: Any, data: st.DataObject) -> None:
    core = core_of(asked)
    found = assignments_of(asked, core)
    some = [data.draw(st.sampled_from(found)) for _ in range(3)]
    told = [needed_parts(core, one, np.flatnonzero(one != core.network.row)) for one in some]
    witnesses = exchanges_of(core, joined(told))
    for number, one in enumerate(some):
        assert np.array_equal(replayed(core, witnesses, number), one)


@settings(max_examples=150)
@given(problems(max_users=5, max_zones=7), st.integers(1, 3))
def test_swaps_cover_all_that_swaps_can_show_and_nothing_else(asked: Any, most: int) -> None:
    core = core_of(asked)
    network = core.network
    need = np.full(network.n_wires, most, np.int32)
    swaps = cover(core, need)
    shown = [replayed(core, swap_exchanges(core, swaps), n) for n in range(len(swaps.one))]
    assert all(fault(core, one) is None for one in shown)
    possible = tokens.count(swapped(core)) - 1
    for wire in range(network.n_wires):
        by = [int(n) for n in swaps.shown_by[wire] if n >= 0]
        there = {int(shown[n][wire]) for n in by}
        assert len(there - {int(network.row[wire])}) == len(by) == min(most, possible[wire])
