"""Synthesizers side by side: the same measures as single steps, on users who were kept apart."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.synthesizers import REAL, compare_synthesizers, daily_quality
from mixsafe.contest.measure.quality import Occupancy, quality
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.synthesize.ppmtf.train import TrainingSettings
from mixsafe.synthesize.scenarios.town import town

REGIONS = Regions.of_contest()
QUICK = TrainingSettings(z=4, iterations=3)


def test_quality_of_days_is_the_mean_of_each_by_itself() -> None:
    known, made = (town(20, days=3, random=np.random.default_rng(seed)) for seed in (1, 2))
    seen = Occupancy.of(known, REGIONS.count, 20)
    each = [
        quality(seen, Occupancy.of(TraceMatrix(day), REGIONS.count, 20), REGIONS)
        for day in np.split(made.region, 3, axis=1)
    ]
    found = daily_quality(seen, made, REGIONS)
    for name in ("tp_tv_top50", "tm_emd", "vf_tv"):
        assert getattr(found, name) == pytest.approx(np.mean([getattr(one, name) for one in each]))


def test_only_traces_of_a_synthesizer_are_of_two_teams() -> None:
    traces = town(40, days=2, random=np.random.default_rng(1))
    found = compare_synthesizers(traces, REGIONS, 20, days=2, users=30, settings=QUICK)
    assert [one.synthesizer for one in found if one.diversity is None] == [REAL]
    pairs = {one.diversity.pairs for one in found if one.diversity is not None}
    assert pairs == {12}  # half of the 24 who were trained on
    kept = {one.synthesizer: one.quality for one in found}
    assert kept["SGD"].tm_emd < kept["Uniform"].tm_emd


def test_too_few_users_to_test_with_are_refused() -> None:
    traces = town(4, days=2, random=np.random.default_rng(1))
    with pytest.raises(InputError, match="4 users are too few"):
        compare_synthesizers(traces, REGIONS, 20, settings=QUICK)
