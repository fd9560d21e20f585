"""The time that a command may take, and what is left of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

DECIDING = 0.75
"""Share of a limit of time that is for deciding, where witnesses are to be found after it."""

_LEAST = 1e-3  # a run may not be given no time at all


@dataclass(frozen=True)
class RunTime:
    """The time of one run of a command: reading counts, too.

    Parameters
    ----------
    limit
        Seconds of the whole run; None: as long as it takes.
    certified
        Whether there are to be certificates, which a share of it is kept for.
    began
        When, as ``time.monotonic`` told it.
    """

    limit: float | None
    certified: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float | None:
        """Seconds that are left, always some; None: there is no limit."""
        return self._left_of(1.0)

    @property
    def to_decide(self) -> float | None:
        """Seconds that are left before certificates are made, always some; None: no limit."""
        return self._left_of(DECIDING if self.certified else 1.0)

    def _left_of(self, share: float) -> float | None:
        if self.limit is None:
            return None
        return max(self.began + share * self.limit - time.monotonic(), _LEAST)
