"""A small grid of regions."""

from __future__ import annotations

import numpy as np

from mixsafe.model.mobility.complete_traces import Regions


def small_regions(rows=4, columns=4, hospitals=(5, 10)):
    """Regions as large as the contest's, some of them hospitals."""
    hospital = np.zeros(rows * columns, bool)
    hospital[list(hospitals)] = True
    return Regions(rows, columns, 35.65, 139.68, 0.1 / 32, 0.12 / 32, hospital)
