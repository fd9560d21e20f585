"""Certificates of minimum sets that somebody changed, by kind, and whether they are true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from mixsafe.certify.certify_minimum import certify_minimum
from mixsafe.check.checker import Checked
from mixsafe.check.minima import LEAF, alone
from mixsafe.model.answer.certificate import Certificate, ChosenZones, ZoneCore, ZoneCores
from mixsafe.model.csr import Ragged
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.minimum import minimum_zones, verified
from tests.support import oracles
from tests.support.strategies import problem
from tests.support.tampered import Domains, Random, is_true, lists, one_value

# Users 0 and 1 swap out and home again around step 3; step 5 is too late, and nobody helps 2.
PAIR = problem(
    3, 6, [(1, [0, 1]), (2, [0, 1]), (4, [0, 1]), (5, [0, 1])],
    [(user, t) for user in range(3) for t in (0, 6)], [(0, 3, 2), (2, 3, 2)],
)  # fmt: skip

Change = Callable[[ChosenZones, Random], ChosenZones]


def certified(
    asked: Problem,
    weight: Any = "count",
    bound: int | None = None,
    places: ZonePlaces | None = None,
) -> Certificate:
    """A certificate of a minimum set; of a lower bound than was found, if that is said."""
    found = minimum_zones(asked, weight=weight, places=places, rest=True)
    made = certify_minimum(found, verified(found))
    if bound is None or made.chosen is None:
        return made
    return replace(made, chosen=replace(made.chosen, bound=bound))


def column(name: str) -> Change:
    """A number of a column of the cores is another one."""

    def change(chosen: ChosenZones, random: Random) -> ChosenZones:
        values = getattr(chosen.cores, name)
        made = lists(values, random) if isinstance(values, Ragged) else one_value(values, random)
        return replace(chosen, cores=replace(chosen.cores, **{name: made}))

    return change


def proofs(name: str) -> Change:
    """A number of a proof of a core is another one."""

    def change(chosen: ChosenZones, random: Random) -> ChosenZones:
        whole = getattr(chosen.cores, name)
        values = sorted(vars(whole))[random.integers(len(vars(whole)))]
        old = getattr(whole, values)
        made = lists(old, random) if isinstance(old, Ragged) else one_value(old, random)
        made = replace(whole, **{values: made})
        return replace(chosen, cores=replace(chosen.cores, **{name: made}))

    return change


def some_cores(chosen: ChosenZones, random: Random) -> ChosenZones:
    """A core is left out, doubled, loses a zone or all, or is of another requirement."""
    cores: list[ZoneCore] = list(chosen.cores)
    if not cores:
        return chosen
    place, what = int(random.integers(len(cores))), random.integers(5)
    one = cores[place]
    if what == 0:
        del cores[place]
    elif what == 1:
        cores.append(one)
    elif what == 2:
        cores[place] = one._replace(off=one.off[1:])
    elif what == 3:
        cores[place] = one._replace(off=one.off[:0])
    else:
        cores[place] = one._replace(requirement=int(random.integers(0, 3)))
    return replace(chosen, cores=ZoneCores.of(cores))


def cores_of_one(certificate: Certificate, random: Random) -> Certificate:
    """Each zone is a core of one requirement, perhaps of one that no zones meet: a large bound."""
    chosen, claims, n = certificate.chosen, certificate.claims, len(certificate.problem.zones)
    if chosen is None or not len(claims):
        return certificate
    one = int(random.integers(len(claims)))
    cores = [ZoneCore(one, np.array([z], np.int32), claims.candidates[one]) for z in range(n)]
    count = [LEAF, 1, n, *(number for z in range(n) for number in (z, 1))]
    made = replace(chosen, cores=ZoneCores.of(cores), bound=n, count=np.array(count, np.int32))
    return replace(certificate, chosen=made)


def other_zones(chosen: ChosenZones, random: Random) -> ChosenZones:
    """A zone is not chosen, or another one is, too."""
    zones = set(chosen.zones.tolist()) ^ {int(random.integers(0, 6))}
    return replace(chosen, zones=np.array(sorted(zones), np.int32))


def numbers_of_count(chosen: ChosenZones, random: Random) -> ChosenZones:
    (made,) = [lists(Ragged.of([chosen.count.tolist()]), random)]
    return replace(chosen, count=made[0])


def another_weight(chosen: ChosenZones, random: Random) -> ChosenZones:
    return replace(chosen, weight="members" if chosen.weight == "count" else "count")


def other_places(chosen: ChosenZones, random: Random) -> ChosenZones:
    """A zone is at another place, or a place costs more or less."""
    if chosen.places is None:
        return chosen
    of, cost = chosen.places.of.copy(), chosen.places.cost.copy()
    if random.random() < 0.5 and len(of):
        of[random.integers(len(of))] = random.integers(len(cost))
    else:
        cost[random.integers(len(cost))] += random.integers(-1, 3)
    return replace(chosen, places=ZonePlaces(chosen.places.names, of, cost))


def another_bound(chosen: ChosenZones, random: Random) -> ChosenZones:
    return replace(chosen, bound=max(0, chosen.bound + int(random.choice([-1, 1, 2]))))


def of_chosen(change: Change) -> Callable[[Certificate, Random], Certificate]:
    def changed(certificate: Certificate, random: Random) -> Certificate:
        chosen = certificate.chosen
        return (
            certificate if chosen is None else replace(certificate, chosen=change(chosen, random))
        )

    return changed


MINIMUM_KINDS: dict[str, Callable[[Certificate, Random], Certificate]] = {
    "zones chosen or not": of_chosen(other_zones),
    "the bound": of_chosen(another_bound),
    "the weight": of_chosen(another_weight),
    "the places": of_chosen(other_places),
    "the count": of_chosen(numbers_of_count),
    "cores left out, doubled, smaller, of others": of_chosen(some_cores),
    "each zone a core of one requirement": cores_of_one,
    "a core's requirement": of_chosen(column("requirement")),
    "a core's zones": of_chosen(column("off")),
    "a core's candidates": of_chosen(column("left")),
    "a core's number of Hall sets": of_chosen(column("n_hall_sets")),
    "a core's number of refutations": of_chosen(column("n_refutations")),
    "a core's Hall set": of_chosen(proofs("hall_sets")),
    "a core's refutation": of_chosen(proofs("refutations")),
    "no word of a minimum": lambda one, random: replace(one, chosen=None),
}
"""Changes of what a certificate of a minimum set has beside others."""


class MinimumTruth:
    """What brute force says of a problem's minimum sets."""

    def __init__(self, asked: Problem) -> None:
        self._asked = asked
        domains, every = oracles.domains_of(asked), oracles.requirements_of(asked)
        self.met = np.array([len(domains[user, t]) >= k for user, t, k in every])
        self._domains = lru_cache(self._domains_of)
        self._least = lru_cache(self._least_of)

    def _domains_of(self, zones: tuple[int, ...]) -> Domains:
        listed = oracles.zones_of(self._asked)
        axis = self._asked.zones
        known = oracles.knowledge_of(self._asked)
        return oracles.domains(axis.n_users, axis.axis.steps, [listed[z] for z in zones], known)

    def _least_of(self, weight: str) -> int:
        assert self._asked.requirements is not None
        less = replace(self._asked, requirements=self._asked.requirements.those(self.met))
        least = oracles.minimum_zones(less, count_members=weight == "members")
        assert least is not None
        return least

    def least_of_places(self, of: Sequence[int], cost: Sequence[int]) -> int:
        """Least cost of places with whose zones all requirements hold that can."""
        every = [
            asked
            for asked, met in zip(oracles.requirements_of(self._asked), self.met, strict=True)
            if met
        ]
        least = sum(cost)
        for some in product((False, True), repeat=len(cost)):
            price = sum(one for one, chosen in zip(cost, some, strict=True) if chosen)
            if price < least:
                domains = self._domains(tuple(z for z, place in enumerate(of) if some[place]))
                if all(len(domains[user, t]) >= k for user, t, k in every):
                    least = price
        return least

    def holds(self, certificate: Certificate, found: Checked) -> bool:
        """Whether what the checker says of an accepted certificate is true."""
        chosen, least = certificate.chosen, found.least
        if chosen is None or least is None:
            return is_true(certificate, oracles.domains_of(certificate.problem))
        if not is_true(alone(certificate, chosen), self._domains(tuple(chosen.zones.tolist()))):
            return False
        places = chosen.places
        if places is None:
            true = self._least(chosen.weight)
        else:
            true = self.least_of_places(places.of.tolist(), places.cost.tolist())
        if least.unmet > np.count_nonzero(~self.met) or least.bound > true:
            return False
        return not least.is_minimum or least.cost == true
