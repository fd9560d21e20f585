"""Verdicts and the arguments that decide them."""

from __future__ import annotations

import enum
from collections.abc import Mapping


class Verdict(enum.Enum):
    """The answer to a requirement, proven unless it is UNDECIDED.

    SAFE has witnesses for k candidates; UNSAFE has a proof that there are fewer than k;
    UNDECIDED means only that a limit was reached first. WEAK_PASS is an answer about all users
    together: each passes, but by a default rule that requires one safe step.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    UNDECIDED = "undecided"
    WEAK_PASS = "weak pass"

    def __bool__(self) -> bool:
        """Refuse conversion to bool, because there are three answers.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError("a Verdict is not a truth value: compare it with Verdict.SAFE")

    @property
    def passes(self) -> bool:
        """Whether everybody passes, by whatever rule."""
        return self in (Verdict.SAFE, Verdict.WEAK_PASS)


DECISIONS = (Verdict.SAFE, Verdict.UNSAFE, Verdict.UNDECIDED)
"""Verdicts on one requirement, one segment or one user."""

SAFE, UNSAFE, UNDECIDED = range(len(DECISIONS))
"""Codes in arrays: positions in :data:`DECISIONS`."""


def overall(counts: Mapping[Verdict, int], *, weak: bool = False) -> Verdict:
    """Verdict on all users: UNSAFE if any fails, else UNDECIDED if any is undecided, else a pass.

    Parameters
    ----------
    counts
        Number of users by verdict.
    weak
        True: a pass is a weak one.
    """
    for verdict in (Verdict.UNSAFE, Verdict.UNDECIDED):
        if counts[verdict]:
            return verdict
    return Verdict.WEAK_PASS if weak else Verdict.SAFE


class Argument(enum.IntEnum):
    """The argument that decided a question first; the numbers are stored in files."""

    NONE = 0
    IDENTITY = 1
    REACHABILITY = 2
    SWAP = 3
    CARRIER = 4
    MATCHING = 5
    SUPPORT = 6
    CPSAT = 7
    DYNAMIC_PROGRAMMING = 8
    ANNEALING = 9
    ASSUMPTION = 10

    @property
    def word(self) -> str:
        """Lower-case word for tables and files."""
        return "-" if self is Argument.NONE else self.name.lower().replace("_", "-")
