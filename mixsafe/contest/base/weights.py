"""How much each kind of evidence counts, as trained on sample teams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the evidence in a release of another team.

    Parameters
    ----------
    home
        Of all mornings of a track jointly.
    steps
        (steps_per_day,) of each cell of a track, by the step of the day; 0 at the first.
    pieces
        (steps_per_day,) of each cell of a piece between exchanges, by the step of the day.
    """

    home: float
    steps: npt.NDArray[np.float64]
    pieces: npt.NDArray[np.float32]
