"""What is left of the time that a command may take."""

from __future__ import annotations

import time


def time_left(
    limit: float | None, began: float, *, share: float = 1.0, least: float = 0.0
) -> float | None:
    """Seconds until a share of the limit is over, or ``least``; None: there is no limit.

    Parameters
    ----------
    limit
        Seconds of the whole command.
    began
        When it began, as ``time.monotonic`` told it.
    share
        Of the limit that may be used now.
    least
        What is left in any case, as a run may not be given no time at all.
    """
    return None if limit is None else max(began + share * limit - time.monotonic(), least)
