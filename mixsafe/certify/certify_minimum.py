"""Certificates of minimum sets: the zones, or places, suffice, and no cheaper set does.

The second is shown by cores that together cost as much as a search said that zones do. The cheapest
groups of zones that have one of each core so far are asked whether they meet all requirements;
where they do not there are more cores (:mod:`mixsafe.solver.hitting`), each of one requirement, and
as small as possible. Some cores take no search: a user without any of her zones has no second
candidate. That hitting all cores costs so much is counted by branch and bound, whose leaves are
weights of cores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.certify.certify import certified
from mixsafe.check.checker import check
from mixsafe.check.minima import LEAF, Case, Flags, alike, branches, of_core, whole
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, ChosenZones, ZoneCore, ZoneCores
from mixsafe.model.answer.verdict import SAFE, Verdict
from mixsafe.model.course import Course, Deadline
from mixsafe.model.csr import Ints, Whole
from mixsafe.model.question.adversary import pins_and_links
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum import groups_of
from mixsafe.optimize.reduction import among, stand_ins
from mixsafe.optimize.zone_formula import ZoneFormula, expected_variables, that_fit
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.solver.hitting import Answer, ImplicitHittingSet
from mixsafe.solver.sat.session import Session
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer

Groups = npt.NDArray[np.int64]
"""Numbers of groups of zones."""

_PARTS = 10_000  # of which weights are whole numbers
_MOST = 5_000  # cases
_FOR_CORES = 0.4  # of the time: cores are looked for; the rest is for their proofs and the count


def own_zones(problem: Problem) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
    """Cores of the requirements of a problem that reachability alone shows.

    Until she is in a zone, a user carries her own pseudonym; and so she does from her last zone
    before a sighting on at which it is known to be hers. So each requirement needs one of her zones
    between the sighting before it (or step 0) and its step, and one between its step and the next
    sighting.

    Yields
    ------
    tuple
        Number of a requirement, and the zones, ascending.
    """
    zones, asked = problem.zones, problem.asked
    pins, _ = pins_and_links(problem.knowledge)
    order = np.argsort(zones.members, kind="stable")
    zone = zones.zone_of_member[order]
    first = np.searchsorted(zones.members[order], np.arange(zones.n_users + 1))
    by_row = np.lexsort((pins.time, pins.token))
    known = pins.time[by_row]
    first_known = np.searchsorted(pins.token[by_row], np.arange(zones.n_users + 1))
    for number, (row, step, k) in enumerate(zip(asked.row, asked.time, asked.k, strict=True)):
        if k < 2:
            continue
        mine = zone[first[row] : first[row + 1]]
        times = zones.time[mine]
        seen = known[first_known[row] : first_known[row + 1]]
        before, after = seen[seen <= step], seen[seen > step]
        since = before[-1] if len(before) else 0
        yield number, mine[(times > since) & (times <= step)].astype(np.int32)
        if len(after):
            yield number, mine[(times > step) & (times <= after[0])].astype(np.int32)


class RequirementCores:
    """The formula of a requirement (:mod:`mixsafe.optimize.zone_formula`), asked for cores.

    Close it at the end, as :class:`~mixsafe.solver.sat.session.Session`.

    Parameters
    ----------
    problem
        The question.
    groups
        Zones that are chosen together: a core has all of them or none.
    requirement
        Number of a requirement of k >= 2.
    deadline
        When to give up.
    """

    def __init__(
        self, problem: Problem, groups: ZoneGroups, requirement: int, deadline: Deadline
    ) -> None:
        alone = problem.asked.those(slice(requirement, requirement + 1))
        self._groups, self._deadline = groups, deadline
        self._random = np.random.default_rng(requirement)
        self._session = Session("glucose4")
        about = replace(problem, requirements=alone)
        self._formula = ZoneFormula(self._session, about, deadline)

    def close(self) -> None:
        """Give the solver's memory back."""
        self._session.close()

    def without(self, chosen: Sequence[int]) -> Groups | None:
        """A core of which none is among the groups ``chosen``, in whose zones exchanges happen.

        Returns
        -------
        Groups | None
            Groups without whose zones the requirement is not met; with any group less it is, if
            there was time to make it so. None: those that are chosen meet it, or the time was up.
        """
        core = self._core(np.setdiff1d(np.arange(len(self._groups.cost)), chosen))
        if core is None:
            return None
        for group in self._random.permutation(core).tolist():
            if len(core) > 1 and group in core:
                smaller = self._core(core[core != group])
                if self._deadline.passed:
                    break
                core = core if smaller is None else smaller
        return core

    def _core(self, off: Groups) -> Groups | None:
        """Groups among ``off`` without which the requirement is not met; None: it may be met."""
        active, zones = self._formula.active, np.flatnonzero(self._groups.among(off))
        while not self._deadline.passed:
            holds = self._session.solve((-active[zones]).tolist(), self._deadline)
            if holds is None:
                return None
            if not holds:
                named = -np.array(self._session.core(), np.int64)
                return np.unique(self._groups.of[np.isin(active, named)])
            if not self._formula.track_misplaced():
                return None
        return None


def zone_cores(
    problem: Problem, groups: ZoneGroups, bound: int, course: Course
) -> list[tuple[int, npt.NDArray[np.int64]]]:
    """Number of a requirement, and zones without which it is not met, of each of some cores.

    Parameters
    ----------
    problem
        With requirements, all of which all zones together meet.
    groups
        Groups of zones, and their costs.
    bound
        What the cores are to cost: no more are looked for then.
    course
        When to look for no more, and whom to tell how far it is.
    """
    stands_in = stand_ins(problem, groups)
    kept = np.unique(stands_in)
    fewer, left = among(problem, kept), groups.those(kept)
    found = []
    with ExitStack() as stack:
        asked = [
            (
                number,
                stack.enter_context(
                    closing(RequirementCores(fewer, left, number, course.deadline))
                ),
            )
            for number in _that_fit(fewer)
            if not course.passed
        ]

        met_by: dict[int, set[int]] = {}  # of each requirement, groups that are enough for it

        def core_without(chosen: Sequence[int]) -> Answer:
            """A core that has none of some groups, of the first requirement that has one."""
            for number, one in asked:
                if number in met_by and met_by[number].issubset(chosen):
                    continue
                core = one.without(chosen)
                if core is not None:
                    # Without those for which another stands in, too, no other does what they do.
                    zones = np.isin(stands_in, kept[left.among(core)])
                    found.append((number, np.flatnonzero(zones)))
                    return Answer(False, core.tolist())
                met_by[number] = set(chosen)
            return Answer(None)  # these formulas do not refuse it, or the time was up

        ImplicitHittingSet(left.cost, most=bound - 1).run(
            core_without,
            course.deadline,
            lambda proven, _: course.progress("looking for cores", min(proven, bound), bound),
        )
    return found


def _that_fit(problem: Problem) -> list[int]:
    """Numbers of the requirements of which formulas are written: the smallest ones, if not all."""
    smallest = np.argsort(expected_variables(problem.zones, problem.asked), kind="stable")
    return [one for one in that_fit(problem, smallest).tolist() if problem.asked.k[one] >= 2]


def count_of(needed: Flags, cost: Ints, most: int, deadline: Deadline) -> tuple[int, list[int]]:
    """The largest bound up to ``most`` that a count is found for, and the count.

    Parameters
    ----------
    needed
        (n_cores, n_zones) whether a core has a zone.
    cost
        (n_zones,) int64 >= 0.
    most
        Nothing more is looked for.
    deadline
        When to be content with the last one.
    """
    kinds, kind, price = alike(needed, cost)
    first = np.unique(kind, return_index=True)[1]
    weights, _ = _weighed(whole(0, kinds), kinds, price)
    bound = min(most, -(-int(weights.sum()) // _PARTS))
    count = _leaf(weights)
    while bound < most:
        better = _cases(whole(bound + 1, kinds), kinds, price, first, deadline)
        if better is None:
            break
        bound, count = bound + 1, better
    return bound, count


def cores_of(count: Sequence[int]) -> list[int]:
    """Cores that have a weight somewhere in a count, ascending."""
    numbers, found = iter(count), set[int]()
    for number in numbers:
        if number == LEAF:
            next(numbers)
            for _ in range(next(numbers)):
                found.add(next(numbers))
                next(numbers)
    return sorted(found)


def _cases(
    case: Case, kinds: Flags, price: Ints, first: Ints, deadline: Deadline
) -> list[int] | None:
    """The count of a case; None: there is none, or it is too long, or the time was up."""
    count: list[int] = []
    cases, tried = [case], 0
    while cases:
        tried += 1
        if tried > _MOST or deadline.passed:
            return None
        case = cases.pop()
        weights, share = _weighed(case, kinds, price)
        if int(weights.sum()) > _PARTS * (case.need - 1):
            count += _leaf(weights)
            continue
        doubtful = np.minimum(share, 1 - share)
        kind = int(np.argmax(doubtful))
        if doubtful[kind] < 1e-6:
            return None  # whole zones that cost less
        count.append(int(first[kind]))
        cases += branches(case, kind, kinds, price)
    return count


def _weighed(case: Case, kinds: Flags, price: Ints) -> tuple[Ints, npt.NDArray[np.float64]]:
    """Weights of cores, whole numbers; and how much of each kind of zone the best zones take."""
    # Loaded here: few certificates are of minimum sets, and loading it takes a quarter of a second.
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    cores, may = np.flatnonzero(case.cores), np.flatnonzero(case.may)
    weights, share = np.zeros(len(kinds), np.int64), np.zeros(len(price))
    if not len(cores):
        return weights, share
    there = kinds[np.ix_(cores, may)]
    if not there.any(axis=1).all():  # nothing that may be chosen is in a core: it weighs anything
        weights[cores[np.argmin(there.any(axis=1))]] = _PARTS * max(case.need, 0)
        return weights, share
    rows = csr_array(there.T.astype(float))
    found = linprog(-np.ones(len(cores)), rows, price[may], method="highs")
    if found.status != 0:
        return weights, share
    share[may] = -found.ineqlin.marginals
    weights[cores] = np.floor(np.maximum(found.x, 0.0) * (_PARTS * (1 - 1e-9)))
    too_much = np.any(there.T.astype(np.int64) @ weights[cores] > _PARTS * price[may])
    return (np.zeros_like(weights) if too_much else weights), share


def _leaf(weights: Ints) -> list[int]:
    """A leaf of the count."""
    some = np.flatnonzero(weights)
    shared = int(np.gcd.reduce(weights[some], initial=_PARTS))
    pairs = np.stack([some, weights[some] // shared], axis=1)
    return [LEAF, _PARTS // shared, len(some), *pairs.ravel().tolist()]


def certify_minimum(
    found: MinimumZones,
    verification: Verification,
    course: Course | None = None,
    adversary: str = "-",
) -> Certificate:
    """Certificate of a set of zones, or of places with their zones.

    It proves as much of the bound as there is time for; without a limit it goes on until the bound
    is proven, or the cores do not come to it.

    Parameters
    ----------
    found
        The answer.
    verification
        What its zones achieve by themselves (:func:`mixsafe.optimize.minimum.verified`).
    course
        When to prove no more, and whom to tell how far it is; None: no limit.
    adversary
        Name of the adversary in the certificate.

    Raises
    ------
    InputError
        The verification did not keep its proof data.
    """
    course = course or Course.begin()
    enough = certified(verification, course.until(Deadline(course.left / 2)), adversary)
    whole = replace(enough, problem=replace(found.problem, zone_index=None))
    chosen = np.flatnonzero(_is_among(found, len(found.problem.zones))).astype(np.int32)
    if len(chosen) != len(verification.problem.zones):
        raise ValueError("what was verified is not about the zones of the answer")
    unmet = [one for number in found.unmet if (one := _proven(whole, number, [], course))]
    cores, bound, listed = _bound(found, whole, course)
    count = np.array(listed, np.int32)
    places = None if found.places is None else found.problem.places
    all_cores = ZoneCores.of([*unmet, *cores])
    proof = ChosenZones(chosen, found.weight, bound, all_cores, count, places)
    return replace(whole, chosen=proof)


def _is_among(found: MinimumZones, n_zones: int) -> npt.NDArray[np.bool_]:
    """(n_zones,) whether zones are those of the answer, for all that can be met."""
    written = found.problem.zone_index or tuple(range(n_zones))
    zones = found.zones if found.rest is None else found.rest.zones
    return np.isin(written, zones)


def _bound(
    found: MinimumZones, whole: Certificate, course: Course
) -> tuple[list[ZoneCore], int, list[int]]:
    """Cores of requirements that are shown to be met, with their proofs; their cost; the count."""
    answer = found.rest or found
    most, groups = answer.bound or 0, groups_of(answer)
    some = course.until(Deadline(course.left * _FOR_CORES))
    asked = answer.problem.requirements
    if asked is None:
        raise ValueError("minimum sets are of requirements")
    numbers = np.setdiff1d(np.arange(len(whole.claims)), found.unmet)
    met = whole.claims.verdict[numbers] == SAFE
    numbers, those = numbers[met], replace(answer.problem, requirements=asked.those(met))
    proven = [
        ZoneCore(int(numbers[number]), zones, np.array([those.asked.row[number]], np.int32))
        for number, zones in own_zones(those)
    ]
    bound, count = _counted([one.off for one in proven], groups, most, course.deadline)
    if bound >= most:
        return proven, bound, count
    listed = zone_cores(those, groups, most, some)
    zones_of = [zones for _, zones in listed]
    bound, count = _counted(
        [*zones_of, *(one.off for one in proven)], groups, most, course.deadline
    )
    used = [place for place in cores_of(count) if place < len(listed)]  # a proof may take long
    for some_of_them in (used, sorted(set(range(len(listed))).difference(used))):
        for done, place in enumerate(some_of_them):
            course.progress("proving cores", done, len(some_of_them))
            number, zones = listed[place]
            one = _proven(whole, int(numbers[number]), zones.tolist(), course)
            proven += [] if one is None else [one]
        shown, count = _counted([one.off for one in proven], groups, bound, course.deadline)
        if shown == bound:
            break
    return proven, shown, count


def _counted(
    cores: Sequence[npt.NDArray[np.integer]],
    groups: ZoneGroups,
    most: int,
    deadline: Deadline,
) -> tuple[int, list[int]]:
    """Lower bound on the cost of hitting the cores, and its count."""
    needed = np.zeros((len(cores), len(groups.cost)), bool)
    for place, zones in enumerate(cores):
        needed[place, groups.of[zones]] = True
    return count_of(needed, groups.cost, most, deadline)


def _proven(
    whole: Certificate, requirement: int, zones: list[int], course: Course
) -> ZoneCore | None:
    """A core with its proof; None: none was found."""
    nothing: Whole = np.zeros(0, np.int32)
    core = ZoneCore(requirement, np.array(zones, np.int32), nothing)
    if course.passed:
        return None
    asked = of_core(whole, core).problem
    alone, settings = course.alone, Settings(keep_proof_data=True)
    verification = answer(asked, Query(), settings, alone)
    if verification.verdict is not Verdict.UNSAFE:
        return None
    certificate = certified(verification, course.silent)
    try:
        if check(certificate).unsafe_confirmed != 1:
            return None
    except InputError:
        return None
    number = int(certificate.claims.proof[0])
    refutation = certificate.clause_proofs[number] if number >= 0 else None
    return core._replace(
        left=certificate.claims.candidates[0],
        hall_sets=tuple(certificate.hall_sets),
        refutation=refutation,
    )
