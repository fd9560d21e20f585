"""A small contest: six users on a 4 x 4 grid, two days of four steps before and after."""

import numpy as np
import pytest

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import TraceMatrix
from tests.support.small_contest import small_regions


@pytest.fixture
def rules():
    """Days of four steps, the first two at home; regions as large as the contest's."""
    return Rules(regions=small_regions(), steps_per_day=4, home_steps=2)


@pytest.fixture
def original():
    region = np.random.default_rng(11).integers(16, size=(6, 8))
    return TraceMatrix(region.astype(np.int32), first_time=9)


@pytest.fixture
def reference(rules):
    region = np.random.default_rng(12).integers(16, size=(6, 8))
    return Reference(TraceMatrix(region.astype(np.int32), first_time=1), rules)
