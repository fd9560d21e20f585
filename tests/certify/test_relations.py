"""Certificates of zones with a relation: all is shown, and no forbidden exchange passes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.certify.certify import certify
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.verdict import UNDECIDED
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.verify.verification import verify
from tests.support.oracles import Pairs, pairs_of
from tests.support.relations import related_problems, with_pairs
from tests.support.strategies import mix_zones, requirements_of


def everything_asked(problem: Problem) -> Problem:
    """As many candidates as each user has at each step, and one more."""
    domains = verify(problem, exhaustive=True).domains
    assert domains is not None
    asked = [
        (one["user"], one["time"], len(one["pseudonyms"]) + more)
        for one in domains
        for more in (0, 1)
        if len(one["pseudonyms"]) + more > 1
    ]
    return replace(problem, requirements=requirements_of(*asked))


@settings(max_examples=60)
@given(problem=related_problems())
@pytest.mark.parametrize("engine", ["auto", "cpsat", "dp"])
def test_every_verdict_is_certified(problem: Problem, engine: str) -> None:
    asked = everything_asked(problem)
    certificate = certify(verify(asked, engine=engine, keep_proof_data=True))
    checked = check(certificate)
    assert not np.any(certificate.claims.verdict == UNDECIDED)
    assert checked.unsafe_claimed == 0


@settings(max_examples=30)
@given(problem=related_problems())
def test_what_is_written_is_read_again(problem: Problem, tmp_path_factory: object) -> None:
    folder = tmp_path_factory.mktemp("written") / "certificate"  # type: ignore[attr-defined]
    asked = replace(problem, requirements=None)
    write_certificates(folder, [certify(verify(asked, k=2, keep_proof_data=True))])
    (again,) = read_certificates(folder)
    assert pairs_of(again.problem.zones) == pairs_of(problem.zones)
    check(again)


RING: Pairs = {(0, 1), (1, 2), (2, 0)}
AROUND = Problem(
    "ring",
    with_pairs(mix_zones(3, 4, [(1, [0, 1, 2]), (3, [0, 1, 2])]), [RING, None]),
    Knowledge.from_pairs([(0, 0), (0, 4)]),
    requirements_of((0, 2, 2)),
)


def test_a_witness_of_another_relation_is_refused() -> None:
    """The same zones with the ring turned round: what went around goes the wrong way."""
    certificate = certify(verify(AROUND, keep_proof_data=True))
    free = replace(AROUND.zones, relation=None)
    turned = with_pairs(free, [{(b, a) for a, b in RING}, None])
    with pytest.raises(InputError, match="by a pair that the zone does not allow"):
        check(replace(certificate, problem=replace(AROUND, zones=turned)))
