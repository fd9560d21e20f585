"""Budgets of method ``auto``: how long the parts of the search may take, and their sizes.

What is proven stays true whatever the numbers are; only how soon it is proven depends on them.
"""

from __future__ import annotations

from mixsafe.model.course import Deadline

LOOK = 0.2
"""Seconds between two looks at what else was found."""

STUCK = 2.0
"""Seconds in which the bound of a large formula may stay as it is, or nothing is found among few
zones, before something else is tried as well."""

SHORT = 5.0
"""Seconds for what is small: a few requirements, the zones of small cores; in which the bound of a
small formula may stay as it is."""

LONG, SHARE = 20.0, 0.35
"""Seconds, and share of the time that is left, that the first bound may take, and each of the
requirements that are met in turn."""

KERNEL, KERNEL_SHARE = 60.0, 0.9
"""Seconds, and share of the time that is left, for the zones of all cores."""

KERNEL_ZONES = 50
"""Zones of the smallest cores among which a set is looked for first; then twice as many."""

LARGE = 50_000
"""Booleans of a formula beside which a set is looked for from the beginning."""

FEW = 0.5
"""Share of the zones, below 1: where no more are left, the search is begun anew on them alone."""

NEAREST = 16
"""Users who are met next in time, among whom exchanges for one requirement are tried first."""

VARIABLES = 8_000_000
"""Booleans of a formula as it is first written, at most; each takes about 1 kB with its clauses."""


def part_of(deadline: Deadline) -> Deadline:
    """When a long part of the search is to end."""
    return deadline.within(min(LONG, SHARE * deadline.left))
