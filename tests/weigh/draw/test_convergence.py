"""R-hat and effective numbers of draws, as ArviZ computes them."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.weigh.draw.convergence import Estimates, diagnosed, estimate


@pytest.mark.parametrize("stay", [0.0, 0.5, 0.95])
def test_diagnoses_are_those_of_arviz(stay: float) -> None:
    base = pytest.importorskip("arviz_stats.base").array_stats
    random = np.random.default_rng(5)
    series = (random.random((4, 200)) < 0.3).astype(float)
    for d in range(1, 200):
        keep = random.random(4) < stay
        series[keep, d] = series[keep, d - 1]
    halves = series.reshape(8, 100)
    mean, rhat, draws = diagnosed(halves.copy())
    assert mean == pytest.approx(series.mean())
    assert rhat == pytest.approx(float(base.rhat(series, method="split")), rel=1e-9)
    assert draws == pytest.approx(float(base.ess(series, method="mean")), rel=1e-9)


def test_chains_that_stay_apart_are_told_by_r_hat() -> None:
    draws = np.zeros((1, 4, 80), np.int32)
    draws[0, 2:] = 1
    draws[0, :, ::7] = 2
    out = Estimates.empty(1)
    estimate(draws, 3, 20, out)
    assert out.rhat[0] > 1.5


def test_where_the_likeliest_is_too_rare_whether_chains_agree_is_asked_of_more() -> None:
    random = np.random.default_rng(3)
    draws = random.integers(2, 200, (2, 4, 80)).astype(np.int32)
    draws[:, :, :20] = 1  # chosen, and never seen again
    draws[1, :2, 20:] += draws[1, :2, 20:] % 2  # even in two chains, either in the others
    out = Estimates.empty(2)
    estimate(draws, 202, 20, out)
    assert out.mean.tolist() == [0.0, 0.0]
    assert out.rhat[0] < 1.1 < out.rhat[1]
    assert out.draws[0] > 100


def test_what_never_changes_has_no_diagnosis() -> None:
    out = Estimates.empty(1)
    estimate(np.ones((1, 4, 80), np.int32), 3, 20, out)
    assert out.mean[0] == 1.0
    assert np.isnan(out.rhat[0])
    assert (out.distinct[0], out.entropy[0]) == (1, 0.0)


def test_the_draws_that_choose_the_likeliest_do_not_count() -> None:
    draws = np.zeros((1, 4, 80), np.int32)
    draws[0, :, :20] = 1  # the choice
    draws[0, :, 20::4] = 1
    out = Estimates.empty(1)
    estimate(draws, 3, 20, out)
    assert (out.token[0], out.mean[0]) == (1, 0.25)
