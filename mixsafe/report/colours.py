"""Colours of the pictures, and how a page turns them over to its own light or dark theme."""

from __future__ import annotations

INK = "#1d2430"
FAINT = "#8b95a3"
PAPER = "#fefefe"
SAFE = "#2b6cb0"
UNDECIDED = "#b3bac5"
UNSAFE = ("#b93a00", "#e07b39", "#f2b277", "#f9dcbf")
"""From one candidate on; distinguishable for people who see no red or green, and in grey."""

AMOUNTS = ("#e8eef6", "#a9c8e8", "#5b9bd0", "#1f5f9e")
"""From zero to large amounts."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#6b5b95")
"""For things of different kinds (after Okabe and Ito; distinguishable with colour blindness)."""

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
