"""Certificates of breaking numbers: all that is known is shown, and no change makes them false."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixsafe.breaking import searching
from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.proof.certify_breaking import certify_breaking, not_certified
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.breaking_proof import BreakingProof
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.requirement import Requirements, Rule
from tests.breaking.drawn import Drawn, drawn
from tests.oracles import breaking_number, breaks_under, zones_of
from tests.strategies import problem
from tests.tampered import lists, one_value

Random = np.random.Generator
SMALL = {"max_users": 4, "max_horizon": 4, "max_histories": 40}


def certified(question: Drawn) -> tuple[Certificate, int]:
    """The certificate of an answer, and how many numbers are known better than it shows."""
    found = breaking(
        question.problem, k=question.k, target=question.target, sightings=question.sightings,
        away=question.away, at_most=2, keep_witnesses=True,
    )  # fmt: skip
    made = certify_breaking(found)
    return made, not_certified(found, made)


def questions(seed: int, number: int) -> Iterator[Drawn]:
    """Questions that certificates answer; of single requirements none is there twice."""
    random = np.random.default_rng(seed)
    while number:
        one = drawn(random, **SMALL)
        asked = one.problem.requirements
        pairs = [] if asked is None else np.stack([asked.row, asked.time], axis=1).tolist()
        if one.sightings in ("self", "anybody") and len(set(map(tuple, pairs))) == len(pairs):
            number -= 1
            yield one


def bounds_hold(made: Certificate) -> bool:
    """Whether brute force agrees with all bounds that a certificate is about."""
    proof, bounds = made.breaking, check(made).breaking
    assert proof is not None
    assert bounds is not None
    told = zip(proof.row.tolist(), proof.start.tolist(), proof.end.tolist(), strict=True)
    for target, about in enumerate(told):
        asked = pieces(made, *about)
        total = sum(weight for *_, weight in asked)
        needed = float(made.rule.needed(np.array([total]))[0])
        users = [about[0]] if proof.sightings == "self" else range(made.problem.zones.n_users)
        steps = range(made.problem.zones.axis.steps + 1)
        allowed = [(user, step) for user in users for step in steps]
        away, fewer = proof.away, int(bounds.lower[target]) - 1
        question = made.problem, asked, needed, allowed
        if breaking_number(*question, away=away, at_most=fewer) is not None:
            return False
        upper = int(bounds.upper[target])
        if upper >= 0:
            one = next(one for one in proof.broken if one.target == target)
            seen = list(zip(one.row.tolist(), one.time.tolist(), strict=True))
            if len(seen) != upper or not set(seen) <= set(allowed):
                return False
            if not breaks_under(made.problem, asked, needed, away)(seen):
                return False
    return True


def pieces(
    made: Certificate, user: int, start: int, end: int
) -> list[tuple[int, int, int, int, int]]:
    """What is asked about a target, as brute force has it."""
    asked, horizon = made.problem.requirements, made.problem.zones.axis.steps
    events = [0, *(t for t, members in zones_of(made.problem) if user in members), horizon + 1]
    wires = [(low, high - 1) for low, high in itertools.pairwise(events)]
    if asked is None:
        found = [
            (user, low, high, made.k or 0, min(high, end) - max(low, start) + 1)
            for low, high in wires
        ]
        return [one for one in found if one[4] > 0]
    table = zip(asked.row.tolist(), asked.time.tolist(), asked.k.tolist(), strict=True)
    return [
        (user, low, high, k, 1)
        for row, time, k in table
        for low, high in wires
        if row == user and start <= time <= end and low <= time <= high
    ]


def test_all_that_is_known_is_certified_and_brute_force_agrees() -> None:
    targets = 0
    for question in questions(11, 20):
        made, less = certified(question)
        assert bounds_hold(made)
        assert made.breaking is not None
        beyond = question.k is not None and question.k > question.problem.zones.n_users
        if not beyond and (question.away is None or question.target == "each"):
            assert not less
            targets += len(made.breaking)
    assert targets > 30


@pytest.mark.parametrize("of", ["self", "anybody"])
def test_what_walks_boards_and_absences_find_is_certified_as_well(
    of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_LITTLE", -1)
    nothing = Knowledge.from_pairs([])
    for number, question in enumerate(questions(12, 8)):
        posed = question.problem
        if number % 2:
            posed = replace(posed, knowledge=nothing)
        target = ("lost", "each")[number // 2 % 2]
        made, less = certified(
            replace(question, problem=posed, sightings=of, away=None, target=target)
        )
        assert bounds_hold(made)
        assert not less


def test_who_is_away_while_others_come_is_certified_by_whole_histories() -> None:
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


def _column(name: str) -> Callable[[BreakingProof, Random], BreakingProof]:
    def change(proof: BreakingProof, random: Random) -> BreakingProof:
        values = getattr(proof, name)
        made = lists(values, random) if isinstance(values, Ragged) else one_value(values, random)
        return replace(proof, **{name: made})

    return change


def _broken_column(name: str) -> Callable[[BreakingProof, Random], BreakingProof]:
    def change(proof: BreakingProof, random: Random) -> BreakingProof:
        values = getattr(proof.broken, name)
        made = lists(values, random) if isinstance(values, Ragged) else one_value(values, random)
        return replace(proof, broken=replace(proof.broken, **{name: made}))

    return change


def _higher(proof: BreakingProof, random: Random) -> BreakingProof:
    made = proof.lower.copy()
    made[random.integers(len(made))] += 1
    return replace(proof, lower=made)


def _of_others(proof: BreakingProof, _: Random) -> BreakingProof:
    return replace(proof, sightings="self" if proof.sightings == "anybody" else "anybody")


def _nearer(proof: BreakingProof, random: Random) -> BreakingProof:
    away = (None, 0, 1, 2)[int(random.integers(4))]
    return replace(proof, away=away)


_PROOF_CHANGES = [
    _higher, _of_others, _nearer,
    *(_column(name) for name in ("row", "start", "end", "lower", "sizes")),
    *(_broken_column(name) for name in ("target", "row", "time", "n_unsafe", "step", "k", "left")),
]  # fmt: skip


def _tampered(made: Certificate, random: Random) -> Certificate:
    """A certificate with one thing changed."""
    what = int(random.integers(len(_PROOF_CHANGES) + 4))
    if what < len(_PROOF_CHANGES) and made.breaking is not None:
        return replace(made, breaking=_PROOF_CHANGES[what](made.breaking, random))
    if what % 4 == 0:
        name = ("row", "start", "end", "k", "witnesses", "verdict")[int(random.integers(6))]
        values: Any = getattr(made.claims, name)
        other = lists(values, random) if isinstance(values, Ragged) else one_value(values, random)
        return replace(made, claims=replace(made.claims, **{name: other}))
    if what % 4 == 1:
        known, zones = made.problem.knowledge, made.problem.zones
        row = np.append(known.row, random.integers(zones.n_users))
        time = np.append(known.time, random.integers(zones.axis.steps + 1))
        return replace(made, problem=replace(made.problem, knowledge=Knowledge.of(row, time)))
    if what % 4 == 2:
        return replace(made, rule=Rule(("every", "some")[int(random.integers(2))]))
    if made.k is None:
        asked = made.problem.requirements or Requirements(*[np.zeros(0, np.int32)] * 3)
        k = one_value(asked.k, random)
        posed = replace(made.problem, requirements=replace(asked, k=k))
        return replace(made, problem=posed)
    return replace(made, k=made.k + int(random.integers(-1, 2)))


def test_nothing_that_is_changed_is_accepted_and_false() -> None:
    random, counted = np.random.default_rng(13), {"refused": 0, "true": 0}
    for question in questions(14, 16):
        made, _ = certified(question)
        for _ in range(12):
            try:
                changed = _tampered(made, random)
                check(changed)
            except InputError:
                counted["refused"] += 1
                continue
            assert bounds_hold(changed)
            counted["true"] += 1
    assert counted["refused"] > 40
    assert counted["true"] > 15
