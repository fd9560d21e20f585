"""Verdicts and the arguments that decide them."""

from __future__ import annotations

import enum
from collections.abc import Mapping


class Verdict(enum.Enum):
    """The answer to a security requirement; a theorem unless it is UNDECIDED.

    SAFE has witnesses for k candidates; UNSAFE has a proof that there are fewer than k;
    UNDECIDED means that a limit was reached first, and says nothing else. WEAK_PASS is an answer
    about all users together only: each passes, but by a default rule that asks for one safe moment.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    UNDECIDED = "undecided"
    WEAK_PASS = "weak pass"

    def __bool__(self) -> bool:
        """Refuse to be read as yes or no: three answers do not fit in two.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError("a Verdict is not a truth value: compare it with Verdict.SAFE")


DECISIONS = (Verdict.SAFE, Verdict.UNSAFE, Verdict.UNDECIDED)
"""Answers about one requirement, one stretch of time or one user."""

SAFE, UNSAFE, UNDECIDED = range(len(DECISIONS))
"""What they are in arrays: their places in :data:`DECISIONS`."""


def overall(counts: Mapping[Verdict, int], *, weak: bool = False) -> Verdict:
    """The verdict on all users: UNSAFE if one fails, else UNDECIDED if one is, else a pass.

    Parameters
    ----------
    counts
        Number of users by verdict.
    weak
        Whether a pass is a weak one.
    """
    for verdict in (Verdict.UNSAFE, Verdict.UNDECIDED):
        if counts[verdict]:
            return verdict
    return Verdict.WEAK_PASS if weak else Verdict.SAFE


class Argument(enum.IntEnum):
    """What decided a question first: the numbers stand in files, and are those of places."""

    NONE = 0
    IDENTITY = 1
    REACHABILITY = 2
    SWAP = 3
    CARRIER = 4
    MATCHING = 5
    SUPPORT = 6
    WINDOW = 7  # of earlier versions, as are TRACKING and BOARD: their files may name them
    CPSAT = 8
    DYNAMIC_PROGRAMMING = 9
    TRACKING = 10
    BOARD = 11
    ANNEALING = 12
    ASSUMPTION = 13

    @property
    def word(self) -> str:
        """Lower-case word for tables and files."""
        return "-" if self is Argument.NONE else self.name.lower().replace("_", "-")
