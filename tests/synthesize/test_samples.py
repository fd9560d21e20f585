"""The samples that ship."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.sources import load
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.samples import SAMPLES, Sample, sample


@pytest.mark.parametrize("known", SAMPLES, ids=lambda known: known.name)
def test_the_recipe_makes_what_is_in_the_sample(known: Sample) -> None:
    made, read = known.make(), load(sample(known.name))
    if isinstance(made, TraceMatrix):
        steps = np.arange(made.first_time, made.first_time + made.n_steps)
        assert np.array_equal(read.user, np.repeat(np.arange(made.n_users), made.n_steps))
        assert np.array_equal(read.time, np.tile(steps, made.n_users))
        assert np.array_equal(read.region, made.region.ravel() + 1)
    else:
        for name in ("user", "time", "lat", "lon"):
            # Another processor may round a coordinate otherwise in its last digit.
            np.testing.assert_allclose(getattr(read, name), getattr(made, name), 0, 1.1e-5)


def test_the_samples_are_small() -> None:
    assert sum(sample(known.name).stat().st_size for known in SAMPLES) < 1_000_000


def test_a_sample_that_there_is_not_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(InputError, match="town, cabs"):
        sample("village")
