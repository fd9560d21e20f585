"""Verdicts and the arguments that decide them."""

from __future__ import annotations

import enum


class Verdict(enum.Enum):
    """The answer to a security requirement; a theorem unless it is UNDECIDED.

    SAFE has witnesses for k candidates; UNSAFE has a proof that there are fewer than k;
    UNDECIDED means that a limit was reached first, and says nothing else.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        """Refuse to be read as yes or no: three answers do not fit in two.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError("a Verdict is not a truth value: compare it with Verdict.SAFE")


SAFE, UNSAFE, UNDECIDED = range(len(Verdict))
"""What verdicts are in arrays: their places in :class:`Verdict`."""


class Argument(enum.IntEnum):
    """What decided a requirement, or moved its bounds last; in order of cost."""

    NONE = 0
    IDENTITY = 1
    REACHABILITY = 2
    SWAP = 3
    CARRIER = 4
    MATCHING = 5
    SUPPORT = 6
    WINDOW = 7
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
