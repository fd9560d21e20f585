"""Exchanges inside a team's own release."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contest_exchange import OwnExchange
from benchmarks.contest_scores import OWN_EXCHANGES
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import utility
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.scenarios.town import town

RULES = Rules()


@pytest.fixture(scope="module")
def original() -> TraceMatrix:
    """Traces of thirty people, three days."""
    return TraceMatrix(town(30, days=3, random=np.random.default_rng(1)).region)


@pytest.mark.parametrize("method", OWN_EXCHANGES, ids=str)
def test_cells_change_rows_and_no_more_than_utility_allows(
    method: OwnExchange, original: TraceMatrix
) -> None:
    """Protects the study: a release of other cells, or an invalid one, would be no exchange."""
    cells = method.anonymise(original, RULES, np.random.RandomState(1))
    shown = method.shown(original, RULES, np.random.RandomState(1))
    assert np.array_equal(np.sort(shown, axis=0), np.sort(original.region, axis=0))
    assert np.any(shown != original.region)
    assert utility(original, cells, RULES).value >= RULES.required_utility


def test_in_a_zone_only_those_exchange_who_are_there(original: TraceMatrix) -> None:
    shown = OwnExchange(20, zone=1).shown(original, RULES, np.random.RandomState(1))
    assert np.array_equal(shown[:, ::20], original.region[:, ::20])


def test_exchanges_that_last_are_with_one_other_user(original: TraceMatrix) -> None:
    shown = OwnExchange(20, lasting=1).shown(original, RULES, np.random.RandomState(1))
    assert np.array_equal(shown[:, 20:40], original.region[:, 20:40])
    mine = shown[:, np.r_[0:20, 40:60]]
    theirs = {row.tobytes() for row in original.region[:, np.r_[0:20, 40:60]]}
    assert all(row.tobytes() in theirs for row in mine)
