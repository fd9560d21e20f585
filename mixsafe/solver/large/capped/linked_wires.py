"""Groups of linked wires: all wires of a group hold the same token.

A token that is impossible on one of them is impossible on all. So if a capped set on one of them is
small, the group gets a list of possible tokens, which bounds its other wires.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.machinery.compiled import inner
from mixsafe.network.core import Core
from mixsafe.network.timeline import SeenSteps
from mixsafe.network.wires import Ints, Small, Wires, first_from

NO_LIST = -1
"""Size of the list of a group that can hold more tokens than a set may have."""


class LinkedWires(NamedTuple):
    """Groups of wires that hold one token each."""

    first: Ints  # (n_rows + 1,): first entry of each row
    wire: Ints  # (n_entries,): ascending
    group: Ints  # (n_entries,): ascending
    size: Small  # (n_groups,): tokens on the list, or NO_LIST
    tokens: Small  # (n_groups, cap)


class LargeProblem(NamedTuple):
    """A large problem: wires, sightings and links."""

    net: Wires
    seen: SeenSteps  # of single tokens
    linked: LinkedWires


def linked_wires(core: Core, cap: int) -> LinkedWires:
    """The groups of linked wires, without lists.

    Parameters
    ----------
    core
        The question.
    cap
        Tokens of a list, at most.
    """
    pairs = core.link_wires[np.argsort(core.link_wires[:, 0], kind="stable")]
    # Links of a row are consecutive; a gap between two of them separates groups.
    begins = np.append(True, pairs[1:, 0] != pairs[:-1, 1])[: len(pairs)]
    wire, at = np.unique(pairs, return_index=True)
    group = (np.cumsum(begins) - 1)[at // 2]
    first = np.searchsorted(wire, core.network.first)
    size = np.full(np.count_nonzero(begins), NO_LIST, np.int32)
    return LinkedWires(first, wire, group, size, np.zeros((len(size), cap), np.int32))


@inner
def list_of(wire: int, row: int, linked: LinkedWires) -> int:  # pragma: no cover - compiled
    """Group of a row's wire, if it has a list; otherwise -1."""
    at = first_from(wire, linked.first[row], linked.first[row + 1], linked.wire)
    if at == linked.first[row + 1] or linked.wire[at] != wire:
        return -1
    group = linked.group[at]
    return group if linked.size[group] >= 0 else -1
