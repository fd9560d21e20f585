"""Certificates hold the published steps: the rule is about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.certify import certify
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.extract.adversaries import knowledge
from mixsafe.extract.zones import mix_zones
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.course import SolveLimits
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from mixsafe.verify.verification import verify
from tests.support.certificates import sealed_again
from tests.support.extraction_worlds import positions_of

STEPS = 9
ONE_WORKER = SolveLimits(workers=1)


def posed(world: dict[tuple[int, int], int]) -> Problem:
    where = positions_of(world, TimeAxis(STEPS), 4)
    zones = mix_zones(where)
    return Problem("gaps", zones, knowledge("endpoints", zones, where))


@settings(max_examples=25, deadline=None)
@given(
    world=st.dictionaries(
        st.tuples(st.integers(0, 3), st.integers(1, STEPS)),
        st.integers(0, 2),
        min_size=4,
        max_size=24,
    ),
    rule=st.sampled_from(["every", "some", "share:0.5", "share:0.8"]),
)
def test_the_checker_counts_published_steps_as_verify_does(
    world: dict[tuple[int, int], int], rule: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    answer = verify(
        posed(world), k=2, rule=Rule.parse(rule), keep_proof_data=True, limits=ONE_WORKER
    )
    folder = tmp_path_factory.mktemp("certificate") / "c"
    (own,) = read_certificates(write_certificates(folder, [certify(answer)]))
    zones = answer.problem.zones
    assert (own.problem.zones.published is None) == (zones.published is None)
    if zones.published is not None and own.problem.zones.published is not None:
        assert own.problem.zones.published.ptr.tolist() == zones.published.ptr.tolist()
        assert own.problem.zones.published.step.tolist() == zones.published.step.tolist()
    found = check(own)
    assert {one.value: n for one, n in found.users.items()} == answer.summary["users"]


def test_steps_that_are_said_not_to_be_published_change_the_hash(tmp_path: Path) -> None:
    """Without the hash, whoever forges it could let the unsafe steps not count."""
    world = {(0, 1): 0, (0, 2): 1, (0, 3): 2, (1, 1): 3, (1, 2): 1, (1, 3): 4}
    answer = verify(posed(world), k=2, keep_proof_data=True, limits=ONE_WORKER)
    folder = write_certificates(tmp_path / "c", [certify(answer)])

    def one_step_each(_: dict[str, Any], tables: dict[str, pa.Table]) -> None:
        lists = pa.array([[2], [2], [], []], tables["published"].schema.field(0).type)
        tables["published"] = pa.table([lists], schema=tables["published"].schema)

    sealed_again(folder, one_step_each)
    with pytest.raises(InputError, match="the problem does not match its hash"):
        next(iter(read_certificates(folder)))


@pytest.mark.parametrize("lists", [[[2], [0, 1], [], []], [[2], [9, 1], [], []], [[1], [1]]])
def test_steps_that_are_none_are_refused(lists: list[list[int]], tmp_path: Path) -> None:
    world = {(0, 1): 0, (0, 2): 1, (1, 2): 1, (1, 3): 4}
    answer = verify(posed(world), k=2, keep_proof_data=True, limits=ONE_WORKER)
    folder = write_certificates(tmp_path / "c", [certify(answer)])

    def other_steps(_: dict[str, Any], tables: dict[str, pa.Table]) -> None:
        kind = tables["published"].schema
        tables["published"] = pa.table([pa.array(lists, kind.field(0).type)], schema=kind)

    sealed_again(folder, other_steps)
    with pytest.raises(InputError):
        next(iter(read_certificates(folder)))


def test_published_steps_are_part_of_the_problem() -> None:
    asked = posed({(0, 1): 0, (1, 1): 0})
    early = replace(asked, zones=replace(asked.zones, published=None))
    assert asked.zones.published is not None
    assert early.zones.time_of(*(np.array([value]) for value in (0, 0, STEPS))).tolist() == [STEPS]
    assert asked.zones.time_of(*(np.array([value]) for value in (0, 0, STEPS))).tolist() == [1]
