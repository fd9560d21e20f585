"""The strategy of method ``auto``: how long the parts of the search may take, and their sizes.

It is handed in, so that a test can shorten a part. What is proven stays true whatever the numbers
are; only how soon it is proven depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.model.limits import Deadline


@dataclass(frozen=True)
class ZoneStrategy:
    """Budgets of the search for a minimum set.

    Parameters
    ----------
    look
        Seconds between two looks at what else was found.
    stuck
        Seconds in which the bound of a large formula may stay as it is, or nothing is found among
        few zones, before something else is tried as well.
    short
        Seconds for what is small: a few requirements, the zones of small cores; in which the bound
        of a small formula may stay as it is.
    long, share
        Seconds, and share of the time that is left, that the first bound may take, and each of the
        requirements that are met in turn.
    kernel, kernel_share
        Seconds, and share of the time that is left, for the zones of all cores.
    kernel_zones
        Zones of the smallest cores among which a set is looked for first; then twice as many.
    large
        Booleans of a formula beside which a set is looked for from the beginning.
    few
        Share of the zones, below 1: where no more are left, the search is begun anew on them alone.
    nearest
        Users who are met next in time, among whom exchanges for one requirement are tried first.
    variables
        Booleans of a formula as it is first written, at most; each takes about 1 kB with its
        clauses.
    """

    look: float = 0.2
    stuck: float = 2.0
    short: float = 5.0
    long: float = 20.0
    share: float = 0.35
    kernel: float = 60.0
    kernel_share: float = 0.9
    kernel_zones: int = 50
    large: int = 50_000
    few: float = 0.5
    nearest: int = 16
    variables: int = 8_000_000

    def part_of(self, deadline: Deadline) -> Deadline:
        """When a long part of the search is to end."""
        return deadline.within(min(self.long, self.share * deadline.left))


DEFAULT = ZoneStrategy()
"""Default strategy."""
