"""Certificates of minimum sets: true by brute force, and refused where they are forged."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixsafe.certify.certify import certify
from mixsafe.certify.minima.certify_minimum import certify_minimum
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.minimum_proof import ZoneCore, ZoneCores
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.answer.verdict import SAFE, UNDECIDED
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.optimize.minimum import minimum_zones, verified
from tests.certificates import sealed_again
from tests.certify.test_certify_audit import drawn
from tests.oracles import minimum_zones as least_of
from tests.random_problems import random_problem
from tests.strategies import problem
from tests.tampered import accepted, tampered
from tests.tampered_minima import MINIMUM_KINDS, MinimumTruth, certified

# Users 0 and 1 swap out and home again around step 3; step 5 is too late, and nobody helps 2.
PAIR = problem(
    3, 6, [(1, [0, 1]), (2, [0, 1]), (4, [0, 1]), (5, [0, 1])],
    [(user, t) for user in range(3) for t in (0, 6)], [(0, 3, 2), (2, 3, 2)],
)  # fmt: skip


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
        for _ in range(30):
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


def test_without_time_less_is_proven_and_nothing_false() -> None:
    found = minimum_zones(PAIR, rest=True, limits=SolveLimits(workers=1))
    made = certify_minimum(found, verified(found), deadline=Deadline(0.0))
    least = check(made).least
    assert least is not None
    assert (least.bound, least.is_minimum) == (0, False)
    open_ = replace(found, status="undecided", bound=0, rest=None, unmet=())
    with pytest.raises(InputError, match="nothing to certify"):
        verified(open_)


def test_below_the_cost_a_bound_proves_no_minimum(pair: Certificate) -> None:
    assert pair.chosen is not None
    least = check(pair).least
    assert least is not None
    assert (least.cost, least.bound, least.unmet, least.is_minimum) == (2, 2, 1, True)
    less = check(replace(pair, chosen=replace(pair.chosen, bound=1))).least
    assert less is not None
    assert not less.is_minimum


def test_a_bound_is_about_requirements_that_the_zones_are_shown_to_meet(pair: Certificate) -> None:
    """Of one that no zones meet every set of zones is a core: it would prove any bound."""
    verdict = pair.claims.verdict.copy()
    verdict[0] = UNDECIDED
    open_ = replace(pair.claims, verdict=verdict, witnesses=Ragged.empty(2))
    with pytest.raises(InputError, match="these zones are not shown to meet"):
        check(replace(pair, claims=open_))
    unproven = with_chosen(bound=0, count=whole(-1, 1, 0))(
        with_cores(lambda cores: cores[:1])(pair)
    )
    least = check(replace(unproven, claims=open_)).least
    assert least is not None
    assert (least.cost, least.bound, least.unmet, least.is_minimum) == (2, 0, 1, False)


def test_no_cores_are_looked_for_of_a_requirement_without_witnesses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_witnesses(*arguments: Any, **named: Any) -> Certificate:
        made = certify(*arguments, **named)
        verdict = np.where(made.claims.verdict == SAFE, np.int8(UNDECIDED), made.claims.verdict)
        none = Ragged.empty(len(verdict))
        return replace(made, claims=replace(made.claims, verdict=verdict, witnesses=none))

    monkeypatch.setattr(sys.modules[certify_minimum.__module__], "certify", without_witnesses)
    least = check(certified(PAIR)).least
    assert least is not None
    assert (least.cost, least.bound, least.is_minimum) == (2, 0, False)


def test_a_requirement_that_is_neither_met_nor_proven_to_be_unmet_is_no_minimum(
    pair: Certificate,
) -> None:
    least = check(with_cores(lambda cores: cores[1:])(pair)).least
    assert least is not None
    assert (least.cost, least.bound, least.unmet, least.is_minimum) == (2, 2, 0, False)


def test_zones_are_not_chosen_for_an_audit(pair: Certificate) -> None:
    (own,) = (one.certificate for one in drawn(1, 3))
    asked = replace(own.problem, requirements=PAIR.requirements)
    with pytest.raises(InputError, match="zones can only be chosen for requirements"):
        check(replace(own, problem=asked, chosen=pair.chosen))


Forged = Callable[[Certificate], Certificate]


def with_cores(change: Callable[[list[ZoneCore]], list[ZoneCore]]) -> Forged:
    def forged(certificate: Certificate) -> Certificate:
        chosen = certificate.chosen
        assert chosen is not None
        return replace(
            certificate, chosen=replace(chosen, cores=ZoneCores.of(change(list(chosen.cores))))
        )

    return forged


def with_chosen(**columns: Any) -> Forged:
    def forged(certificate: Certificate) -> Certificate:
        assert certificate.chosen is not None
        return replace(certificate, chosen=replace(certificate.chosen, **columns))

    return forged


def whole(*numbers: int) -> Any:
    return np.array(numbers, np.int32)


FORGERIES: dict[str, tuple[Forged, str]] = {
    "a larger bound": (with_chosen(bound=3), "does not come to the bound"),
    "zones that are not there": (with_chosen(zones=whole(1, 4)), "not ascending numbers of zones"),
    "a zone of a negative number": (with_chosen(zones=whole(-1, 2)), "not ascending numbers"),
    "a zone twice": (with_chosen(zones=whole(1, 1)), "not ascending numbers of zones"),
    "too few zones": (with_chosen(zones=whole(1)), "outside a mix zone"),
    "a core of a requirement that is not there": (
        with_cores(lambda cores: [cores[0]._replace(requirement=2), *cores[1:]]),
        "core 0: it is of a requirement that does not exist",
    ),
    "a core of a negative requirement": (
        with_cores(lambda cores: [cores[0]._replace(requirement=-1), *cores[1:]]),
        "core 0: it is of a requirement that does not exist",
    ),
    "a core of zones that are not there": (
        with_cores(lambda cores: [*cores[:1], cores[1]._replace(off=whole(9)), *cores[2:]]),
        "core 1: its zones are not ascending numbers",
    ),
    "a core that lacks a zone": (
        with_cores(lambda cores: [*cores[:1], cores[1]._replace(off=cores[1].off[1:]), *cores[2:]]),
        "core 1 is not shown to be one",
    ),
    "a core that leaves enough": (
        with_cores(lambda cores: [cores[0]._replace(left=whole(0, 1)), *cores[1:]]),
        "core 0: claim 0 is not unsafe: it leaves k tokens",
    ),
    "nothing helps a requirement that zones meet": (
        with_cores(lambda cores: [cores[0]._replace(requirement=0), *cores[1:]]),
        "core 0",
    ),
    "a core of a requirement that nothing helps": (
        with_cores(lambda cores: [*cores, cores[0]._replace(off=whole(0, 1))]),
        "a core is of a requirement that these zones are not shown to meet",
    ),
    "a bound by cores of a requirement that no zones meet": (
        lambda one: with_chosen(bound=4, count=whole(-1, 1, 4, 0, 1, 1, 1, 2, 1, 3, 1))(
            with_cores(lambda cores: [cores[0]._replace(off=whole(z)) for z in range(4)])(one)
        ),
        "a core is of a requirement that these zones are not shown to meet",
    ),
    "for k of everybody": (
        lambda one: replace(one, k=2, problem=replace(one.problem, requirements=None)),
        "zones can only be chosen for requirements",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_of_a_minimum_is_refused(pair: Certificate, name: str) -> None:
    change, message = FORGERIES[name]
    with pytest.raises(InputError, match=message):
        check(change(pair))


FILES: dict[str, tuple[dict[str, Any], str]] = {
    "a weight that does not exist": ({"weight": "price"}, "cannot be weighed by 'price'"),
    "no weight": ({"weight": None}, "has what belongs to a minimum set"),
    "neither": ({"weight": None, "bound": None}, "has what belongs to a minimum set"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_forged_file_of_a_minimum_is_refused(
    pair: Certificate, name: str, tmp_path: Path
) -> None:
    told, message = FILES[name]
    folder = write_certificates(tmp_path / "proofs", [pair])
    sealed_again(folder, lambda manifest, _: manifest["parts"][0].update(told), ["manifest"])
    with pytest.raises(InputError, match=message):
        read_certificates(folder)[0]


def test_columns_of_cores_that_do_not_fit_are_refused(pair: Certificate) -> None:
    assert pair.chosen is not None
    cores = pair.chosen.cores
    with pytest.raises(InputError, match="the same columns"):
        replace(cores, requirement=cores.requirement[1:])
    with pytest.raises(InputError, match="belong to one"):
        replace(cores, n_closures=cores.n_closures + 1)
    with pytest.raises(InputError, match="belong to one"):
        replace(cores, n_refutations=-np.ones_like(cores.n_refutations))
