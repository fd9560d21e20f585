"""Certificates of minimum sets: the zones, or places, suffice, and no cheaper set does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.certify.certify import certified
from mixsafe.certify.minima.core_collection import zone_cores
from mixsafe.certify.minima.own_zones import own_zones
from mixsafe.certify.minima.weighing import cores_of, count_of
from mixsafe.check.checker import check
from mixsafe.check.minima.least import of_core
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, ChosenZones, ZoneCore, ZoneCores
from mixsafe.model.answer.verdict import SAFE, Verdict
from mixsafe.model.course import Course, Deadline
from mixsafe.model.csr import Whole
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum import groups_of
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer

_FOR_CORES = 0.4  # of the time: cores are looked for; the rest is for their proofs and the count


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
