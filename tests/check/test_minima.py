"""Minimum sets of zones: forged cores, bounds and choices are refused, and nothing more is said.

Counts of what cores cost are found where they are true, and refused where they are not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.certify_minimum import count_of
from mixsafe.check.checker import check
from mixsafe.check.minima import LEAF, Least, alone, check_count, least_of, of_core
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import (
    PLACES,
    WEIGHTS,
    Certificate,
    ChosenZones,
    Witnesses,
    ZoneCore,
    ZoneCores,
)
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.csr import Ragged
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from tests.support.audit_certificates import drawn
from tests.support.certificates import Claim, claims_of
from tests.support.oracles import pairs_of, zones_of
from tests.support.relations import related_problems
from tests.support.strategies import problem
from tests.support.tampered_minima import PAIR, certified


@pytest.fixture(scope="module", name="pair")
def _pair() -> Certificate:
    return certified(PAIR)


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


def test_a_requirement_that_is_neither_met_nor_proven_to_be_unmet_is_no_minimum(
    pair: Certificate,
) -> None:
    least = check(with_cores(lambda cores: cores[1:])(pair)).least
    assert least is not None
    assert (least.cost, least.bound, least.unmet, least.is_minimum) == (2, 2, 0, False)


@settings(max_examples=30)
@given(related_problems(), st.integers(0, 10_000))
def test_without_some_zones_the_others_are_what_they_were(
    pair: Certificate, asked: Problem, seed: int
) -> None:
    """Those that were not chosen, or are of a core, are gone with what they allow."""
    assert pair.chosen is not None
    random, zones, allowed = np.random.default_rng(seed), zones_of(asked), pairs_of(asked.zones)
    some = random.random(len(zones)) < 0.5
    certificate = replace(pair, problem=asked)
    chosen = alone(certificate, replace(pair.chosen, zones=whole(*np.flatnonzero(some)))).problem
    core = next(iter(pair.chosen.cores))._replace(requirement=0, off=whole(*np.flatnonzero(some)))
    without = of_core(certificate, core).problem
    for left, kept in ((chosen, some), (without, ~some)):
        numbers = np.flatnonzero(kept)
        assert zones_of(left) == [zones[z] for z in numbers]
        assert pairs_of(left.zones) == [allowed[z] for z in numbers]


@st.composite
def families(draw: st.DrawFn) -> tuple[Certificate, ChosenZones]:
    """Three requirements, each met or not known to be, random cores, chosen zones or places."""
    zones = [(t, members) for t, members in enumerate([(0, 1), (0, 1, 2), (1, 2), (2, 3)], 1)]
    asked = problem(4, 6, [(t, list(members)) for t, members in zones], [], [(0, 6, 2)] * 3)
    kinds = draw(st.sampled_from([[SAFE], [SAFE, SAFE, UNDECIDED]]))
    verdict = draw(st.lists(st.sampled_from(kinds), min_size=3, max_size=3))
    words = (Verdict.SAFE if one == SAFE else Verdict.UNDECIDED for one in verdict)
    claims = claims_of([Claim(0, 6, 6, 2, word) for word in words])
    zone = st.sets(st.integers(0, 3), min_size=draw(st.integers(0, 1)))
    core = st.builds(
        lambda requirement, off: ZoneCore(requirement, whole(*sorted(off)), whole(0)),
        st.integers(0, 2),
        zone,
    )
    cores = ZoneCores.of(draw(st.lists(core, max_size=5)))
    chosen, weight = draw(st.sets(st.integers(0, 3))), draw(st.sampled_from(WEIGHTS))
    of, cost = (draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for n in (4, 3))
    places = ZonePlaces(("a", "b", "c"), np.array(of), np.array(cost))
    priced = draw(st.sampled_from([None, places]))
    made = ChosenZones(whole(*sorted(chosen)), weight, 0, cores, whole(), priced)
    return Certificate(asked, Rule("every"), None, claims, Witnesses.home(0)), made


def hit_by(cores: ZoneCores, of: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.bool_]:
    """(n_cores, n) whether each core that is not empty has each zone, or a zone of each place."""
    rows = [np.isin(np.arange(n), of[core.off]) for core in cores if len(core.off)]
    return np.array(rows, bool).reshape(-1, n)


@given(families(), st.data())
def test_a_bound_is_what_zones_or_places_cost_that_hit_all_cores(
    family: tuple[Certificate, ChosenZones], data: st.DataObject
) -> None:
    certificate, chosen = family
    of, weight = np.arange(4), chosen.weight
    cost = np.array([2, 3, 2, 2] if weight == "members" else [1, 1, 1, 1])
    if chosen.places is not None:
        of, cost, weight = chosen.places.of, chosen.places.cost, PLACES
    n = len(cost)
    needed, is_met = hit_by(chosen.cores, of, n), certificate.claims.verdict == SAFE
    sets = [np.array(one, bool) for one in itertools.product((False, True), repeat=n)]
    true = min(int(cost[one].sum()) for one in sets if (needed & one).any(axis=1).all())

    def proven(bound: int, count: list[int]) -> Least:
        made = replace(chosen, bound=bound, count=whole(*count))
        return least_of(certificate, made, lambda _: True)

    bound, count = count_of(needed, cost, true, Deadline(None))
    assert bound == true
    if not all(is_met[core.requirement] for core in chosen.cores if len(core.off)):
        with pytest.raises(InputError, match="are not shown to meet"):
            proven(true, count)
        return
    unmet = {core.requirement for core in chosen.cores if not len(core.off)}
    meets_others = all(is_met[i] or i in unmet for i in range(3))
    paid = sum(cost[one] for one in set(of[chosen.zones].tolist()))
    assert proven(true, count) == Least(weight, paid, true, len(unmet), meets_others)
    if len(needed):  # all there is hits every core: no weights show that more is needed
        everything = int(cost.sum())
        weights = [number for core in range(len(needed)) for number in (core, everything + 1)]
        with pytest.raises(InputError, match="weigh more than it costs"):
            proven(everything + 1, [LEAF, 1, len(needed), *weights])
    if len(needed):  # a count for other cores
        needed[data.draw(st.integers(0, len(needed) - 1)), data.draw(st.integers(0, n - 1))] ^= True
        if needed.any(axis=1).all():
            more, count = count_of(needed, cost, int(cost.sum()), Deadline(None))
            if more > true:
                with pytest.raises(InputError):
                    proven(more, count)
    for number in range(len(chosen.cores)):
        shown = iter([at != number for at in range(len(chosen.cores))])
        with pytest.raises(InputError, match=f"core {number} is not shown to be one"):
            least_of(certificate, chosen, lambda _, shown=shown: next(shown))


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


Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@st.composite
def counted_families(draw: st.DrawFn) -> tuple[Flags, Ints]:
    """Cores of up to six zones, and what these cost."""
    n_cores, n_zones = draw(st.integers(0, 6)), draw(st.integers(1, 6))
    row = st.lists(st.booleans(), min_size=n_zones, max_size=n_zones).filter(any)
    cores = draw(st.lists(row, min_size=n_cores, max_size=n_cores))
    cost = draw(st.lists(st.integers(1, 3), min_size=n_zones, max_size=n_zones))
    return np.array(cores, bool).reshape(n_cores, n_zones), np.array(cost, np.int64)


def least(cores: Flags, cost: Ints) -> int:
    """Brute force: what zones cost at least that have one of each core."""
    n = len(cost)
    return min(
        int(cost[list(zones)].sum())
        for size in range(n + 1)
        for zones in itertools.combinations(range(n), size)
        if cores[:, list(zones)].any(axis=1).all()
    )


@settings(max_examples=60)
@given(counted_families())
def test_a_count_is_found_of_what_cores_cost_and_of_no_more(family: tuple[Flags, Ints]) -> None:
    true = least(*family)
    for most in (true, true + 1, max(true - 1, 0)):
        bound, told = count_of(*family, most, Deadline(None))
        assert bound == min(most, true)
        check_count(*family, bound, told)


@settings(max_examples=60)
@given(counted_families(), st.data())
def test_no_count_shows_more_than_is_true(family: tuple[Flags, Ints], data: st.DataObject) -> None:
    """Numbers of a true count are changed, and it is read for a larger bound."""
    true = least(*family)
    _, told = count_of(*family, true, Deadline(None))
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(told) - 1))
        told[place : place + data.draw(st.integers(0, 1))] = data.draw(
            st.lists(st.integers(-2, 6), max_size=2)
        )
    try:
        check_count(*family, true + 1, told)
    except InputError:
        return
    raise AssertionError("a count shows what is false")


# Three cores of two zones each; two zones are needed, and weights alone show one and a half.
TRIANGLE = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
HALVES = [LEAF, 2, 3, 0, 1, 1, 1, 2, 1]
REFUSED = {
    "too large a bound": (3, HALVES, "does not come to the bound"),
    "whole weights": (2, [LEAF, 1, 3, 0, 1, 1, 1, 2, 1], "weigh more than it costs"),
    "nothing to divide by": (2, [LEAF, 0, 3, 0, 1, 1, 1, 2, 1], "positive number"),
    "a negative weight": (2, [LEAF, 2, 3, 0, 1, 1, 1, 2, -1], "is negative"),
    "a core that is not there": (2, [LEAF, 2, 1, 3, 1], "of no core that needs a zone"),
    "a negative core": (2, [LEAF, 2, 1, -1, 1], "of no core that needs a zone"),
    "a core that has a zone": (2, [1, LEAF, 1, 1, 0, 1, LEAF, 1, 0], "no core that needs a zone"),
    "a zone that is not there": (2, [3, *HALVES, *HALVES], "a zone that does not exist"),
    "a negative zone": (2, [-2, *HALVES, *HALVES], "a zone that does not exist"),
    "a case too few": (2, [1, LEAF, 1, 1, 2, 1], "ends too soon"),
    "a leaf within its weights": (2, HALVES[:-1], "ends too soon"),
    "a case too many": (2, [*HALVES, LEAF], "goes on after its end"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_count_is_refused(name: str) -> None:
    bound, told, message = REFUSED[name]
    cost = np.ones(3, np.int64)
    check_count(TRIANGLE, cost, 2, HALVES)
    check_count(TRIANGLE, cost, 2, [1, LEAF, 1, 1, 2, 1, LEAF, 1, 2, 0, 1, 1, 1])
    check_count(TRIANGLE, cost, 1, [LEAF, 1, 2, 0, 1, 1, 0])  # a weight may be 0
    with pytest.raises(InputError, match=message):
        check_count(TRIANGLE, cost, bound, told)


def test_zones_in_the_same_cores_are_chosen_or_not_together() -> None:
    """Without that, a case where one of them is not chosen could forget the others."""
    twice = np.repeat(TRIANGLE, 2, axis=1)
    cost = np.array([2, 1, 1, 1, 3, 1])
    check_count(twice, cost, 2, [2, LEAF, 1, 1, 2, 1, LEAF, 1, 2, 0, 1, 1, 1])
    with pytest.raises(InputError, match="does not come to the bound"):
        check_count(twice, cost, 3, [0, LEAF, 1, 1, 1, 1, LEAF, 1, 2, 0, 1, 2, 1])
