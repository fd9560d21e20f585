"""What an engine with one model for all sets of mix zones says about a set."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

GroupMask = npt.NDArray[np.bool_]
"""(n_groups,) bool: groups in whose zones an exchange may happen."""


class ZoneVerdict(NamedTuple):
    """Whether a set of groups is enough.

    Parameters
    ----------
    met
        Whether it is; None: unknown.
    part
        If it is: groups among them that are enough. Otherwise all of them.
    is_smallest
        Whether ``part`` is proven to cost the least of all parts of the set that are enough.
    """

    met: bool | None
    part: GroupMask
    is_smallest: bool = False


class ZoneSets(Protocol):
    """Sets of groups of zones, asked one after the other whether they meet a requirement."""

    @property
    def notes(self) -> list[str]:
        """Why something was left open."""

    def ask(self, groups: GroupMask) -> ZoneVerdict:
        """Whether some groups are enough."""
