"""Certificates of breaking numbers: all that is known is shown, and no change makes them false."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.plan import BreakingPlan
from mixsafe.breaking.proof.certify_breaking import certify_breaking, not_certified
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.question.adversary import Knowledge
from tests.support.strategies import problem
from tests.support.tampered import KINDS, Random
from tests.support.tampered_breaking import BREAKING_KINDS, bounds_hold, certified, questions


def test_all_that_is_known_is_certified_and_brute_force_agrees() -> None:
    targets = 0
    for question in islice(questions(np.random.default_rng(11)), 20):
        made, less = certified(question)
        assert bounds_hold(made, check(made))
        assert made.breaking is not None
        if question.away is None or question.target == "each":
            assert not less
            targets += len(made.breaking)
    assert targets > 30


@pytest.mark.parametrize("of", ["self", "anybody"])
def test_what_walks_subproblems_and_absences_find_is_certified_as_well(of: str) -> None:
    nothing = Knowledge.from_pairs([])
    for number, question in enumerate(islice(questions(np.random.default_rng(12)), 8)):
        presolved = question.problem
        if number % 2:
            presolved = replace(presolved, knowledge=nothing)
        target = ("lost", "each")[number // 2 % 2]
        made, less = certified(
            replace(question, problem=presolved, sightings=of, away=None, target=target),
            BreakingPlan(small=0),
        )
        assert bounds_hold(made, check(made))
        assert not less


def test_who_is_away_while_others_come_is_certified_by_whole_assignments() -> None:
    # 0 leaves to 1 at step 1; 1 meets 2, who meets 0 at step 3. At step 5 only 3 is there.
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2]), (5, [0, 3])]
    found = breaking(problem(4, 6, zones), k=2, keep_witnesses=True)
    made = certify_breaking(found)
    bounds = check(made).breaking
    assert bounds is not None
    assert bounds.lower.tolist() == [one.lower for one in found.numbers]
    assert not_certified(found, made) == 0


def test_a_folder_gives_back_what_was_certified(tmp_path: Path) -> None:
    question = problem(3, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (1, 0), (0, 4), (1, 4)])
    made = certify_breaking(breaking(question, k=2, keep_witnesses=True))
    write_certificates(tmp_path / "proofs", [made])
    (again,) = read_certificates(tmp_path / "proofs")
    told, found = check(again).breaking, check(made).breaking
    assert told is not None
    assert found is not None
    assert told.lower.tolist() == found.lower.tolist() == [1, 1, 0]
    assert told.upper.tolist() == found.upper.tolist() == [1, 1, 0]


def test_sightings_of_a_list_have_no_certificate() -> None:
    seen = Knowledge.from_pairs([(0, 1)])
    found = breaking(problem(2, 2, [(1, [0, 1])]), k=2, sightings=seen, keep_witnesses=True)
    with pytest.raises(InputError, match="of the user herself, or of anybody"):
        certify_breaking(found)


def _changed(made: Certificate, random: Random) -> Certificate:
    """A certificate with one thing changed, of its own or of its problem."""
    if random.integers(4):
        return BREAKING_KINDS[str(random.choice(list(BREAKING_KINDS)))](made, random)
    return KINDS[str(random.choice(list(KINDS)))](made, random)


def test_nothing_that_is_changed_is_accepted_and_false() -> None:
    random, counted = np.random.default_rng(13), {"refused": 0, "true": 0}
    for question in islice(questions(np.random.default_rng(14)), 16):
        made, _ = certified(question)
        for _ in range(12):
            try:
                changed = _changed(made, random)
                found = check(changed)
            except InputError:
                counted["refused"] += 1
                continue
            assert bounds_hold(changed, found)
            counted["true"] += 1
    assert counted["refused"] > 40
    assert counted["true"] > 15
