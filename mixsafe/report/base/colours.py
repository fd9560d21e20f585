"""Colours of the pictures, and how a page turns them over to its own light or dark theme."""

from __future__ import annotations

from collections.abc import Sequence

INK = "#1d2430"
FAINT = "#8b95a3"
PAPER = "#fefefe"
SAFE = "#2b6cb0"
UNDECIDED = "#b3bac5"
UNSAFE = ("#b93a00", "#e07b39", "#f2b277", "#f9dcbf")
"""From one candidate on; distinguishable for people who see no red or green, and in grey."""

AMOUNTS = ("#e8eef6", "#a9c8e8", "#5b9bd0", "#1f5f9e")
"""From zero to large amounts."""

TOO_FEW_PLACES = "at too few places"
"""Name of the level of enough candidates at too few places."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#6b5b95")
"""For things of different kinds (after Okabe and Ito; distinguishable with colour blindness)."""

TOGETHER = SERIES[3]
"""Of enough candidates at too few places."""

VARIABLES = {
    INK: "ink",
    FAINT: "faint",
    PAPER: "paper",
    SAFE: "safe",
    UNDECIDED: "undecided",
    **{colour: f"unsafe-{place}" for place, colour in enumerate(UNSAFE, 1)},
    **{colour: f"amount-{place}" for place, colour in enumerate(AMOUNTS)},
    **{colour: f"series-{place}" for place, colour in enumerate(SERIES)},
}
"""Name of the style sheet's variable for each colour."""


def of_levels(names: Sequence[str]) -> list[str]:
    """Colours of levels: below the requirement, at too few places, undecided, safe."""
    together = [TOGETHER] * (TOO_FEW_PLACES in names)
    return [*UNSAFE[: len(names) - 2 - len(together)], *together, UNDECIDED, SAFE]
