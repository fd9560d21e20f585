"""Networks of zones on disk lie there, too, and are those of memory, however they are cut."""

from __future__ import annotations

from contextlib import closing
from dataclasses import fields, replace
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.machinery import spill
from mixsafe.machinery.spill import SpillRoom
from mixsafe.network.compression import compress, merged_wires, redundant_zones, without
from mixsafe.network.wires import WireNetwork
from tests.support.strategies import problems


def on_disk(asked, folder):
    """The problem with the members of its zones in a file."""
    with closing(SpillRoom(400_000_000, folder)) as scratch:
        members = scratch.array("members", len(asked.zones.members), np.int32)
        members[:] = asked.zones.members
    return replace(asked, zones=replace(asked.zones, members=members))


def arrays(asked):
    """All that is made of a problem on the way to an engine."""
    whole = WireNetwork.of(asked.zones)
    known = asked.knowledge.row, asked.knowledge.time
    dropped = redundant_zones(whole, *known)
    left = WireNetwork.of(without(asked.zones, dropped))
    core, merged = compress(asked, whole)
    networks = [
        np.asarray(getattr(network, field.name))
        for network in (whole, left, core.network)
        for field in fields(network)
    ]
    ends = (whole.comes_from, whole.leads_to)
    return [*networks, *ends, dropped, merged_wires(whole, dropped), merged]


@given(asked=problems(max_assignments=10_000), block=st.integers(1, 9))
@settings(max_examples=50)
def test_networks_are_the_same_in_any_blocks_in_memory_and_on_disk(asked, block, tmp_path_factory):
    folder = tmp_path_factory.mktemp("disk")
    expected = arrays(asked)
    with mock.patch.object(spill, "BLOCK", block):
        for found in (arrays(asked), arrays(on_disk(asked, folder))):
            for one, other in zip(found, expected, strict=True):
                assert one.dtype == other.dtype
                assert one.tobytes() == other.tobytes()
    assert list(folder.iterdir()) == []


def test_what_is_made_of_an_array_on_disk_lies_on_disk(tmp_path):
    with closing(SpillRoom(400_000_000, tmp_path)) as scratch:
        given_one = scratch.array("one", 4, np.int32)
    made = spill.like(given_one[1:], 3, np.int64)
    made[:] = 7
    again = spill.mapped_by(lambda part: part + 1, made, np.int32)
    assert isinstance(made.base, np.memmap)
    assert isinstance(again.base, np.memmap)
    assert again.tolist() == [8, 8, 8]
    assert list(tmp_path.iterdir()) == []
    assert spill.like(np.arange(3), 3, np.int64).base is None
