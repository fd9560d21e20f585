"""Budgets of the search for breaking numbers, by step.

They change only how much is decided, and when; all bounds are proven.
"""

SMALL = 20_000
"""Wires times rows of the largest problem in which an engine is faster than walks; there only the
engine is asked."""

ROUNDS = 100
"""Joint rounds of walks for all targets of a batch, at most."""

FEWEST = 4
"""Targets of a joint round of walks, at least."""

WORTH = 0.1
"""Share of proposals with a new witness, at least, for which another round follows."""

TURNS = 8
"""Proposals tried for each wire with a wide gap before any wire is decided to the end."""

PATIENCE = 4
"""Undecided proposals after which the search settles for bounds."""
