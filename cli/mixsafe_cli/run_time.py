"""The time limit of a command, and the time left."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

DECIDING = 0.75
"""Share of a time limit for deciding, where witnesses are searched for afterwards."""

_LEAST = 1e-3  # seconds: engines need a positive limit


@dataclass(frozen=True)
class RunTime:
    """The time of one run of a command, including reading.

    Parameters
    ----------
    limit
        Seconds of the whole run; None: no limit.
    certified
        Whether a share of the time is reserved for certificates.
    began
        Start, in seconds of ``time.monotonic``.
    """

    limit: float | None
    certified: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float | None:
        """Seconds left, always positive; None: no limit."""
        return self._left_of(1.0)

    @property
    def to_decide(self) -> float | None:
        """Seconds left before certificates are made, always positive; None: no limit."""
        return self._left_of(DECIDING if self.certified else 1.0)

    def _left_of(self, share: float) -> float | None:
        if self.limit is None:
            return None
        return max(self.began + share * self.limit - time.monotonic(), _LEAST)
