"""Certificates where different people are different: all is shown, no other reading passes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from mixsafe.certify.certify import certify
from mixsafe.check.checker import check
from mixsafe.check.demands import compare
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.verdict import SAFE, UNSAFE
from mixsafe.model.question.problem import Problem
from mixsafe.verify.verification import verify
from tests.support.oracles import domains_of, requirements_of
from tests.support.random_problems import of_different_people
from tests.support.strategies import problem
from tests.support.strategies import requirements_of as asking

CROSSED = problem(2, 3, [(2, [0, 1])], [(0, 1), (1, 3)], [(1, 3, 2)], distinct=True)
"""Safe in the paper's reading only: token 0 would be that of both."""


def in_the_other_reading(asked: Problem) -> Problem:
    return replace(asked, knowledge=replace(asked.knowledge, distinct=not asked.knowledge.distinct))


def asked_where_readings_differ(random: np.random.Generator) -> Problem:
    """As many candidates as there are in each reading, and one more, where these differ."""
    while True:
        whole = of_different_people(random)
        one, other = domains_of(whole), domains_of(in_the_other_reading(whole))
        asked = [
            (*at, k)
            for at in one
            if one[at] != other[at]
            for k in sorted({len(one[at]), len(one[at]) + 1, len(other[at])} - {1})
        ]
        if asked:
            return replace(whole, requirements=asking(*asked[:8]))


def certificate_of(asked: Problem, engine: str = "auto") -> Certificate:
    return certify(verify(asked, engine=engine, keep_proof_data=True))


def test_every_verdict_is_shown_and_is_true_in_its_reading_only():
    random, refused = np.random.default_rng(31), 0
    for number in range(24):
        asked = asked_where_readings_differ(random)
        if number % 2:
            asked = in_the_other_reading(asked)
        truth, other = domains_of(asked), domains_of(in_the_other_reading(asked))
        own = certificate_of(asked, ("auto", "dp", "cpsat")[number % 3])
        verdicts = own.claims.verdict.tolist()
        assert [
            SAFE if len(truth[user, t]) >= k else UNSAFE for user, t, k in requirements_of(asked)
        ] == verdicts
        found = check(own)
        assert (found.safe, found.unsafe_confirmed, found.unsafe_claimed) == (
            Counter(verdicts)[SAFE],
            Counter(verdicts)[UNSAFE],
            0,
        )
        flipped = replace(own, problem=in_the_other_reading(asked))
        with pytest.raises(InputError, match="readings of knowledge differ"):
            compare(flipped, asked)
        try:
            found = check(flipped)
        except InputError:
            refused += 1
            continue
        for verdict, (user, t, k) in zip(verdicts, requirements_of(asked), strict=True):
            if verdict == SAFE:
                assert len(other[user, t]) >= k
            elif not found.unsafe_claimed:
                assert len(other[user, t]) < k
    assert refused  # of some of them a witness or a refutation is of the other reading


def test_a_witness_of_the_papers_reading_is_refused():
    paper = certificate_of(in_the_other_reading(CROSSED))
    assert check(paper).safe == 1
    with pytest.raises(InputError, match="token of another person who was seen"):
        check(replace(paper, problem=CROSSED))


def test_what_is_written_says_its_reading_and_cannot_be_turned_round(tmp_path):
    for asked in (CROSSED, in_the_other_reading(CROSSED)):
        write_certificates(tmp_path / "one", [certificate_of(asked)])
        (again,) = read_certificates(tmp_path / "one")
        assert again.problem.knowledge.distinct == asked.knowledge.distinct
        manifest = tmp_path / "one" / "manifest.json"
        text = manifest.read_text()
        word = str(asked.knowledge.distinct).lower()
        other = str(not asked.knowledge.distinct).lower()
        manifest.write_text(text.replace(f'"distinct": {word}', f'"distinct": {other}'))
        with pytest.raises(InputError, match="does not match its hash"):
            read_certificates(tmp_path / "one")[0]
