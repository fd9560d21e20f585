"""The small town."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.synthesize.scenarios.town import CENTRE, GRID, town


def test_the_same_seed_makes_the_same_town_and_another_seed_another_one() -> None:
    one, same, other = (town(50, random=np.random.default_rng(seed)).region for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert np.any(one != other)


def test_everybody_is_in_some_region_of_the_grid_at_all_times() -> None:
    region = town(300, days=3, steps_per_day=12, random=np.random.default_rng(0)).region
    assert region.shape == (300, 36)
    assert region.min() >= 0
    assert region.max() < GRID * GRID


def test_days_begin_at_home_and_end_there_or_at_the_station_on_the_way() -> None:
    days = town(300, days=4, random=np.random.default_rng(0)).region.reshape(300, 4, 20)
    home = days[:, 0, 0]
    assert np.all(days[:, :, 0] == home[:, None])
    station = CENTRE[0] * GRID + CENTRE[1]
    assert np.all((days[:, :, -1] == home[:, None]) | (days[:, :, -1] == station))


def test_the_station_is_where_most_people_meet() -> None:
    region = town(500, random=np.random.default_rng(0)).region
    visits = np.bincount(region.reshape(-1), minlength=GRID * GRID)
    passed = np.any(region == CENTRE[0] * GRID + CENTRE[1], axis=1)
    assert passed.mean() > 0.7
    assert np.argsort(visits)[-5:].tolist().count(CENTRE[0] * GRID + CENTRE[1]) == 1


def test_some_people_never_leave_their_home() -> None:
    region = town(500, random=np.random.default_rng(0)).region
    at_home = np.all(region == region[:, :1], axis=1)
    assert 0.01 < at_home.mean() < 0.15


@pytest.mark.parametrize("wrong", [{"n_users": 1}, {"days": 0}, {"steps_per_day": 9}])
def test_a_town_that_is_too_small_is_refused(wrong: dict[str, int]) -> None:
    settings = {"n_users": 10, **wrong}
    with pytest.raises(InputError, match="at least"):
        town(**settings, random=np.random.default_rng(0))
