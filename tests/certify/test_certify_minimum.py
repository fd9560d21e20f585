"""Certificates of minimum sets: true by brute force, and refused where they are forged."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixsafe.certify.certify import certified as certified_verification
from mixsafe.certify.certify_minimum import certify_minimum
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.verdict import SAFE, UNDECIDED
from mixsafe.model.course import Course, Deadline
from mixsafe.model.csr import Ragged
from mixsafe.model.question.places import ZonePlaces
from mixsafe.optimize.minimum import minimum_zones, verified
from tests.support.certificates import sealed_again
from tests.support.oracles import minimum_zones as least_of
from tests.support.random_problems import random_problem
from tests.support.strategies import problem
from tests.support.tampered import accepted, tampered
from tests.support.tampered_minima import MINIMUM_KINDS, PAIR, MinimumTruth, certified


@pytest.fixture(scope="module", name="pair")
def _pair() -> Certificate:
    return certified(PAIR)


def test_every_minimum_is_proven_and_what_no_zones_meet_is_too(tmp_path: Path) -> None:
    random, made, unmet = np.random.default_rng(3), [], 0
    for number in range(40):
        asked = random_problem(random, max_users=4, max_zones=6)
        weight = "members" if number % 2 else "count"
        certificate = certified(asked, weight)
        truth, found = MinimumTruth(asked), check(certificate)
        assert found.least is not None
        assert found.least.is_minimum
        assert found.least.unmet == np.count_nonzero(~truth.met)
        assert truth.holds(certificate, found)
        if truth.met.all():
            assert found.least.cost == least_of(asked, count_members=weight == "members")
        unmet += found.least.unmet
        made.append(certificate)
    assert unmet > 0
    for read, own in zip(
        read_certificates(write_certificates(tmp_path / "all", made)), made, strict=True
    ):
        assert check(read) == check(own)


def test_what_is_tampered_with_is_accepted_only_if_it_is_true() -> None:
    random, passed, kinds = np.random.default_rng(6), 0, set()
    for _ in range(10):
        asked = random_problem(random, max_users=4, max_zones=6)
        own, truth = certified(asked), MinimumTruth(asked)
        assert accepted(own, own)
        for _ in range(90):
            try:
                kind, changed = tampered(own, random, MINIMUM_KINDS)
            except InputError:
                continue
            kinds.add(kind)
            if accepted(changed, own):
                passed += 1
                assert truth.holds(changed, check(changed)), kind
    assert kinds == {*MINIMUM_KINDS, "several at once"}
    assert passed > 0


def test_every_minimum_of_places_is_proven_and_no_forgery_of_one(tmp_path: Path) -> None:
    random, made, passed, unmet = np.random.default_rng(8), [], 0, 0
    for _ in range(30):
        asked = random_problem(random, max_users=4, max_zones=7)
        places = some_places(random, len(asked.zones))
        own, truth = certified(asked, places=places), MinimumTruth(asked)
        least = check(own).least
        assert least is not None
        assert (least.weight, least.is_minimum) == ("places", True)
        assert least.cost == truth.least_of_places(places.of.tolist(), places.cost.tolist())
        assert least.unmet == np.count_nonzero(~truth.met)
        unmet += least.unmet
        made.append(own)
        for _ in range(30):
            try:
                kind, changed = tampered(own, random, MINIMUM_KINDS)
            except InputError:
                continue
            if accepted(changed, own):
                passed += 1
                assert truth.holds(changed, check(changed)), kind
    assert passed > 0
    assert unmet > 0
    for read, own in zip(
        read_certificates(write_certificates(tmp_path / "all", made)), made, strict=True
    ):
        assert check(read) == check(own)


def some_places(random: np.random.Generator, n_zones: int) -> ZonePlaces:
    """Zones at up to four places, some of which cost nothing."""
    n = int(random.integers(1, 5))
    return ZonePlaces(
        tuple("PQRS"[:n]), random.integers(0, n, n_zones), random.integers(0, 4, n).astype(np.int64)
    )


def test_without_time_less_is_proven_and_nothing_false() -> None:
    # 0 has to meet 1 and 2 before and after; without a search, one of them each time is enough.
    zones = [(1, [0, 1]), (2, [0, 2]), (4, [0, 1]), (5, [0, 2])]
    asked = problem(
        3, 6, zones, [(user, time) for user in range(3) for time in (0, 6)], [(0, 3, 3)]
    )
    found = minimum_zones(asked, rest=True)
    assert found.minimum == 4
    made = certify_minimum(found, verified(found), Course.begin().until(Deadline(0.0)))
    least = check(made).least
    assert least is not None
    assert (least.bound, least.is_minimum) == (2, False)
    open_ = replace(found, status="undecided", minimum=None, bound=0, zones=())
    with pytest.raises(InputError, match="nothing to certify"):
        verified(open_)


def test_no_cores_are_looked_for_of_a_requirement_without_witnesses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_witnesses(*arguments: Any, **named: Any) -> Certificate:
        made = certified_verification(*arguments, **named)
        verdict = np.where(made.claims.verdict == SAFE, np.int8(UNDECIDED), made.claims.verdict)
        none = Ragged.empty(len(verdict))
        return replace(made, claims=replace(made.claims, verdict=verdict, witnesses=none))

    monkeypatch.setattr(sys.modules[certify_minimum.__module__], "certified", without_witnesses)
    least = check(certified(PAIR)).least
    assert least is not None
    assert (least.cost, least.bound, least.is_minimum) == (2, 0, False)


FILES: dict[str, tuple[dict[str, Any], str]] = {
    "a weight that does not exist": ({"weight": "price"}, "unknown weight of zones 'price'"),
    "no weight": ({"weight": None}, "contains data of a minimum set"),
    "neither": ({"weight": None, "bound": None}, "contains data of a minimum set"),
    "costs without places": ({"costs": [1]}, "zones at places without names or costs"),
    "places of no zones": ({"places": ["P"], "costs": [1]}, "not every zone has a place"),
    "a place that is a list": ({"places": [[]], "costs": [1]}, "neither a text nor an integer"),
    "a negative cost": ({"places": ["P"], "costs": [-1]}, "is not an integer from 0"),
    "more places than costs": ({"places": ["P", "Q"], "costs": [1]}, "do not fit together"),
    "two places of one name": ({"places": ["P", "P"], "costs": [1, 1]}, "two places have one name"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_forged_file_of_a_minimum_is_refused(
    pair: Certificate, name: str, tmp_path: Path
) -> None:
    told, message = FILES[name]
    folder = write_certificates(tmp_path / "proofs", [pair])
    sealed_again(folder, lambda manifest, _: manifest["parts"][0].update(told), ["manifest"])
    with pytest.raises(InputError, match=message):
        check(read_certificates(folder)[0])


def test_columns_of_cores_that_do_not_fit_are_refused(pair: Certificate) -> None:
    assert pair.chosen is not None
    cores = pair.chosen.cores
    with pytest.raises(InputError, match="differ in length"):
        replace(cores, requirement=cores.requirement[1:])
    with pytest.raises(InputError, match="do not add up"):
        replace(cores, n_hall_sets=cores.n_hall_sets + 1)
    with pytest.raises(InputError, match="do not add up"):
        replace(cores, n_refutations=-np.ones_like(cores.n_refutations))
