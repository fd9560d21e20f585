"""The stretch of time in which tokens that were on a wire must be home again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.network.core import Core


def stretch(core: Core, wire: int, tokens: npt.NDArray[np.integer]) -> tuple[int, int]:
    """Last step up to a wire, and first one from its end on, outside which tokens are at home.

    Parameters
    ----------
    core
        The question.
    wire
        Where they are.
    tokens
        One or more.

    Returns
    -------
    begin, end
        The widest stretch of them: step 0 and the horizon where one is not seen before or after.
    """
    network, pins = core.network, core.pins
    home = (np.diff(pins.ptr) == 1) & np.isin(pins.token, tokens)
    token, time = pins.token[home], pins.time[home]
    before, after = time <= network.start[wire], time >= network.end[wire]
    last = np.zeros(network.n_rows, np.int64)
    first = np.full(network.n_rows, network.horizon, np.int64)
    np.maximum.at(last, token[before], time[before])
    np.minimum.at(first, token[after], time[after])
    return int(last[tokens].min()), int(first[tokens].max())
