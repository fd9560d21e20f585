"""Whether no set of zones, or of places, is cheaper than a bound: each needs a zone of every core.

A core is a set of zones without which a requirement is not met, all others there may be. That is
an unsafe claim about the problem without these zones, and is proven again like any other. Fewer
zones let fewer assignments happen, so each set of zones that meets the requirement has one of them.
Of a requirement that no zones meet every set is a core, and would say nothing of what the others
cost: so the zones that were chosen must be shown to meet those that cores are of.

Places are chosen with all of their zones. A set of places that meets the requirement has a place
with a zone of each core: so a core is a set of places, too. In what follows read "place" for
"zone": the rest is the same.

That a set which hits all cores costs so much is shown by a count, case by case. A count is a tree
of cases in preorder: each case comes before its children.

- ``z``, a zone by number: either a zone is chosen that is in the same cores as z, which costs at
  least what the cheapest of these does, and these cores need no other one; or none of them is. The
  two cases follow, in this order.
- ``LEAF, d, n``, and n times a core and a weight: weights of cores that need a zone yet. If no zone
  that may be chosen is in cores that weigh more than d times its cost, all zones that are chosen
  cost as much as all cores weigh, divided by d, or more: each core has one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import (
    PLACES,
    Certificate,
    ChosenZones,
    Claims,
    ClauseProofs,
    HallSets,
    Witnesses,
    ZoneCore,
)
from mixsafe.model.answer.verdict import SAFE, UNSAFE
from mixsafe.model.csr import Ints, Ragged, Whole
from mixsafe.model.question.mix_zones import MixZones

LEAF = -1

Flags = npt.NDArray[np.bool_]


class Case(NamedTuple):
    """A subgoal of the proof: zones of these kinds that hit these cores cost at least ``need``."""

    need: int
    cores: Flags
    may: Flags


def alike(needed: Flags, cost: Ints) -> tuple[Flags, Ints, Ints]:
    """Kinds of zones, those that are in the same cores.

    Returns
    -------
    kinds
        (n_cores, n_kinds) whether a core has zones of a kind.
    kind
        (n_zones,) the kind of each zone.
    price
        (n_kinds,) what the cheapest zone of a kind costs.
    """
    kinds, kind = np.unique(needed, axis=1, return_inverse=True)
    kind = kind.reshape(-1)
    price = np.full(kinds.shape[1], cost.max(initial=1))
    np.minimum.at(price, kind, cost)
    return kinds, kind, price


def whole(need: int, kinds: Flags) -> Case:
    """The case with all cores and all kinds."""
    n_cores, n_kinds = kinds.shape
    return Case(need, np.ones(n_cores, bool), np.ones(n_kinds, bool))


def check_count(needed: Flags, cost: Ints, bound: int, count: Sequence[int]) -> None:
    """Check that zones that have one of each core cost ``bound`` or more.

    Parameters
    ----------
    needed
        (n_cores, n_zones) whether a core has a zone.
    cost
        (n_zones,) int64 >= 0.
    bound
        What is to be shown.
    count
        The count.

    Raises
    ------
    InputError
        It is none, or does not show that.
    """
    kinds, kind, price = alike(needed, cost)
    numbers = iter(count)
    cases = [whole(bound, kinds)]
    try:
        while cases:
            case, zone = cases.pop(), next(numbers)
            if zone == LEAF:
                _check_leaf(case, kinds, price, numbers)
            elif 0 <= zone < len(kind):
                cases += branches(case, int(kind[zone]), kinds, price)
            else:
                raise InputError("the count is about a zone that does not exist")
    except StopIteration:
        raise InputError("the count ends too soon") from None
    if next(numbers, None) is not None:
        raise InputError("the count goes on after its end")


def branches(case: Case, kind: int, kinds: Flags, price: Ints) -> list[Case]:
    """The two children of a case: some zone of a kind is chosen (first), or none is."""
    others = case.may.copy()
    others[kind] = False
    chosen = Case(case.need - int(price[kind]), case.cores & ~kinds[:, kind], case.may)
    return [Case(case.need, case.cores, others), chosen]


def _check_leaf(case: Case, kinds: Flags, price: Ints, numbers: Iterator[int]) -> None:
    parts, n = next(numbers), next(numbers)
    if parts < 1:
        raise InputError("weights of the count are not divided by a positive number")
    total, weight = 0, np.zeros(len(price), np.int64)
    for _ in range(n):
        core, more = next(numbers), next(numbers)
        if not 0 <= core < len(case.cores) or not case.cores[core] or more < 0:
            raise InputError("a weight of the count is negative, or of no core that needs a zone")
        total += more
        weight[kinds[core]] += more
    if np.any(weight[case.may] > parts * price[case.may]):
        raise InputError("cores of a zone weigh more than it costs")
    if total <= parts * (case.need - 1):
        raise InputError("the count does not come to the bound")


@dataclass(frozen=True)
class Least:
    """Proven cost of a set of zones, and proven bound for all sets that meet what can be met.

    Parameters
    ----------
    weight
        What a zone costs: ``count`` or ``members``; ``places``: places are chosen, not zones.
    cost
        Of the zones or places that were chosen.
    bound
        No set of them costs less that meets all requirements that can be met.
    unmet
        Requirements that are proven to be met by no zones.
    meets_others
        Whether the zones that were chosen meet all others.
    """

    weight: str
    cost: int
    bound: int
    unmet: int
    meets_others: bool

    @property
    def is_minimum(self) -> bool:
        """Whether the zones are proven to be a minimum set."""
        return self.meets_others and self.cost <= self.bound


def alone(certificate: Certificate, chosen: ChosenZones) -> Certificate:
    """Claims of a certificate about the problem with only the chosen zones.

    Raises
    ------
    InputError
        These are not zones of the problem, or it has no requirements.
    """
    problem = certificate.problem
    if certificate.audited is not None or problem.requirements is None:
        raise InputError("zones can only be chosen for requirements")
    dropped = ~_among(chosen.zones, len(problem.zones), "the zones that were chosen")
    left = replace(problem, zones=_without(problem.zones, dropped), zone_index=None)
    return replace(certificate, problem=left, chosen=None)


def of_core(certificate: Certificate, core: ZoneCore) -> Certificate:
    """The claim that a core is: without its zones its requirement is not met.

    Raises
    ------
    InputError
        There is no such requirement or zone.
    """
    problem, asked = certificate.problem, certificate.problem.asked
    if not 0 <= core.requirement < len(asked):
        raise InputError("it is of a requirement that does not exist")
    off = _among(core.off, len(problem.zones), "its zones")
    one = asked.those(np.arange(len(asked)) == core.requirement)
    refuted = [] if core.refutation is None else [core.refutation]
    claim = Claims(
        one.row, one.time, one.time, one.k,
        np.array([UNSAFE], np.int8), np.zeros(1, np.uint8),
        Ragged.empty(1), Ragged.of([core.left.tolist()]),
        np.array([len(refuted) - 1], np.int32),
    )  # fmt: skip
    left = replace(problem, zones=_without(problem.zones, off), requirements=one, zone_index=None)
    proofs = HallSets.of(list(core.hall_sets)), ClauseProofs.of(refuted)
    return Certificate(left, certificate.rule, None, claim, Witnesses.home(0), *proofs)


def least_of(
    certificate: Certificate, chosen: ChosenZones, is_shown: Callable[[Certificate], bool]
) -> Least:
    """Check that no set cheaper than the bound is sufficient.

    Parameters
    ----------
    certificate
        Of the whole problem; its claims are about the zones that were chosen.
    chosen
        These, the bound, and its proof.
    is_shown
        Whether the one claim of a certificate is proven again.

    Raises
    ------
    InputError
        A core is none, or the cores do not cost so much.
    """
    cores, zones = chosen.cores, certificate.problem.zones
    for number, core in enumerate(cores):
        try:
            shown = is_shown(of_core(certificate, core))
        except InputError as error:
            raise InputError(f"core {number}: {error.message}") from None
        if not shown:
            raise InputError(f"core {number} is not shown to be one")
    met = certificate.claims.verdict == SAFE
    nothing_helps = cores.requirement[cores.off.sizes == 0]
    needs = np.flatnonzero(cores.off.sizes)
    if not np.all(met[cores.requirement[needs]]):
        raise InputError("a core is of a requirement that these zones are not shown to meet")
    of, cost = chosen.priced(zones)
    needed = np.zeros((len(cores), len(cost)), bool)
    needed[cores.off.owner, of[cores.off.values]] = True
    check_count(needed[needs], cost, chosen.bound, chosen.count.tolist())
    met[nothing_helps] = True
    unmet = len(np.unique(nothing_helps))
    paid = int(cost[np.unique(of[chosen.zones])].sum())
    weight = chosen.weight if chosen.places is None else PLACES
    return Least(weight, paid, chosen.bound, unmet, bool(np.all(met)))


def _among(numbers: Whole, n: int, who: str) -> npt.NDArray[np.bool_]:
    """(n,) whether each number is one of some, which are ascending and exist."""
    wide = numbers.astype(np.int64)
    if np.any(np.diff(wide) <= 0) or np.any((wide < 0) | (wide >= n)):
        raise InputError(f"{who} are not ascending numbers of zones")
    return np.isin(np.arange(n), wide)


def _without(zones: MixZones, dropped: npt.NDArray[np.bool_]) -> MixZones:
    """The problem's zones except those that are dropped."""
    sizes = zones.sizes[~dropped]
    members = zones.members[np.repeat(~dropped, zones.sizes)]
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    kept = None if zones.relation is None else zones.relation.those(np.flatnonzero(~dropped))
    return MixZones(
        zones.users,
        zones.axis,
        zones.time[~dropped],
        ptr,
        members,
        absent=zones.absent,
        published=zones.published,
        relation=kept,
    )
