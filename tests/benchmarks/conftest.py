"""Teams that studies are tried on."""

from argparse import Namespace

import numpy as np
import pytest

from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.scenarios.town import town


@pytest.fixture(scope="session")
def teams():
    """Two teams of twenty, three days before and three after: reference and original traces."""
    regions = [town(20, days=6, random=np.random.default_rng(seed)).region for seed in (1, 2)]
    return [(TraceMatrix(region[:, :60]), TraceMatrix(region[:, 60:], 61)) for region in regions]


@pytest.fixture
def options():
    """What a study is told if nobody says more."""
    return Namespace(rules=Rules(), anonymisers=None, attacks="sample", seed=1, workers=1, poi=None)
