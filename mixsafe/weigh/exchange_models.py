"""Exchange models: the weight of each permutation of a mix zone.

An exchange model gives each permutation of the tokens of a zone a weight. The weight of an
assignment is the product over its zones, and the posterior is proportional to it (docs/weigh.md).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.relations import COUNTED, log_permutations

Floats = npt.NDArray[np.float64]

_LARGEST_TABLE = 100_000
"""Largest table of weights of one zone, in combinations of movers per group."""


class ZoneWeights(NamedTuple):
    """Weights of permutations, by the number of members of a zone that move in each group.

    The permutations of zone z in which ``n[g]`` members of group g leave with another token
    weigh ``exp(table[begin[z] + sum of n[g] * stride of g])`` each.

    Parameters
    ----------
    begin
        (n_zones,): start of the weights of each zone in ``table``; the identity comes first.
    table
        Logarithms of weights, up to a constant per zone.
    stride
        (n_memberships,): increment of the index if the member moves.
    chance
        (n_zones,): of a uniform exchange, else nothing moves; -1: not such a mixture.
    pair_begin
        (n_zones,): start of the weights of each zone in ``log_pairs``; -1: all its pairs weigh the
        same. Empty: those of all zones do.
    log_pairs
        Logarithms of weights of pairs, finite, size * size for each zone: of coming to it on the
        track of one member, and leaving it on that of another. The weight of a permutation is
        multiplied by those of its pairs.
    """

    begin: npt.NDArray[np.int64]
    table: Floats
    stride: npt.NDArray[np.int64]
    chance: Floats
    pair_begin: npt.NDArray[np.int64] = np.zeros(0, np.int64)
    log_pairs: Floats = np.zeros(0)

    def those(self, zones: npt.NDArray[np.int64], members: npt.NDArray[np.int64]) -> ZoneWeights:
        """Weights of some zones, with the places of their members in the array of all members."""
        pairs = self.pair_begin[zones] if len(self.pair_begin) else self.pair_begin
        begin, stride, chance = self.begin[zones], self.stride[members], self.chance[zones]
        return ZoneWeights(begin, self.table, stride, chance, pairs, self.log_pairs)


def check_weights(weights: ZoneWeights) -> None:
    """Reject weights that are not numbers, or that forbid every permutation of a zone.

    Raises
    ------
    InputError
        Names the zone.
    """
    if not np.isfinite(weights.log_pairs).all():
        raise InputError("the exchange model gives pairs weights that are not numbers above 0")
    begin = np.unique(weights.begin).tolist()
    for first, last in itertools.pairwise([*begin, len(weights.table)]):
        table, zone = weights.table[first:last], int(np.argmax(weights.begin == first))
        if not (table < np.inf).all():
            raise InputError(
                f"the exchange model gives mix zone {zone} weights that are not numbers"
            )
        if np.isneginf(table).all():
            raise InputError(
                f"the exchange model forbids every permutation of mix zone {zone}",
                hint="allow at least one, such as the identity",
            )


class ExchangeModel(Protocol):
    """Interface of exchange models, such as :class:`TakingPart`."""

    @property
    def is_uniform(self) -> bool:
        """Whether all permutations of a zone weigh the same."""

    def weights(self, zones: MixZones) -> ZoneWeights:
        """Weights of the permutations of each zone."""


class Uniform:
    """Every permutation that a zone allows is equally likely, as verdicts assume."""

    is_uniform = True

    def weights(self, zones: MixZones) -> ZoneWeights:
        """One weight for all permutations."""
        return self.for_sizes(len(zones), len(zones.members))

    @staticmethod
    def for_sizes(n_zones: int, n_memberships: int) -> ZoneWeights:
        """The same, from the numbers of zones and memberships."""
        none = np.zeros(n_memberships, np.int64)
        return ZoneWeights(np.zeros(n_zones, np.int64), np.zeros(1), none, np.ones(n_zones))


@dataclass(frozen=True, eq=False)
class TakingPart:
    """Exchanges that do not always happen.

    The exchange of a zone happens with the chance of the zone, and each user takes part with her
    own chance. Those who take part permute their tokens uniformly; the others keep theirs. With
    chances of zones only, the model is a mixture of the identity and a uniform permutation: of all
    that the zone allows.

    Parameters
    ----------
    zone
        (n_zones,) chance of each zone's exchange, 0 to 1; or a scalar for all.
    user
        (n_users,) chance that each user takes part, 0 to 1; or a scalar for all.

    Raises
    ------
    InputError
        A chance outside 0..1.
    """

    zone: Floats | float = 1.0
    user: Floats | float = 1.0

    def __post_init__(self) -> None:
        for chances in (np.atleast_1d(self.zone), np.atleast_1d(self.user)):
            wrong = chances[~((chances >= 0) & (chances <= 1))]
            if len(wrong):
                raise InputError(f"the chance of an exchange, {wrong[0]:g}, is not between 0 and 1")

    @property
    def is_uniform(self) -> bool:
        """Whether every exchange happens, and all users take part."""
        return bool(np.all(np.equal(self.zone, 1)) and np.all(np.equal(self.user, 1)))

    def weights(self, zones: MixZones) -> ZoneWeights:
        """Weights of the permutations of each zone.

        Raises
        ------
        InputError
            The number of chances is not that of zones or users, or so many users with individual
            chances meet in a zone that its table of weights is too large. A zone that does not
            allow all exchanges has users with chances of their own, or allows too many to count.
        """
        happens = _for_each(self.zone, len(zones), "zones")
        chance, group = np.unique(_for_each(self.user, zones.n_users, "users"), return_inverse=True)
        groups = group[zones.members]
        sizes = np.zeros((len(zones), len(chance)), np.int64)
        np.add.at(sizes, (zones.zone_of_member, groups), 1)
        alone = np.count_nonzero(sizes, axis=1) == 1
        whole = alone & (chance[sizes.argmax(axis=1)] == 1)
        allowed = _log_allowed(zones, happens, whole)
        kinds, first, kind = np.unique(
            np.column_stack([happens, sizes, allowed]),
            axis=0,
            return_index=True,
            return_inverse=True,
        )
        tables = [
            _table(happens[z], chance, sizes[z])
            if allowed[z] < 0
            else _table_of_allowed(happens[z], int(sizes[z].sum()), allowed[z])
            for z in first.tolist()
        ]
        begin = np.cumsum([0, *map(len, tables)])[: len(kinds)]
        strides = np.cumprod(np.column_stack([np.ones(len(zones), np.int64), sizes + 1]), axis=1)
        return ZoneWeights(
            begin[kind.ravel()].astype(np.int64),
            np.concatenate([np.zeros(0), *tables]),
            strides[zones.zone_of_member, groups],
            np.where(whole, happens, -1.0),
        )


@dataclass(frozen=True, eq=False)
class ByMovement:
    """Exchanges whose likelihood, by how people move before and after, counts as evidence.

    The weight of a permutation is that by which exchanges happen, times the likelihoods of its
    pairs: Bayes' rule. So the total weight of a zone of n members, of whose n! permutations all are
    equally likely beforehand, is a permanent.

    Parameters
    ----------
    law
        How exchanges happen; default: all permutations are equally likely beforehand.
    """

    law: ExchangeModel = field(default_factory=Uniform)

    is_uniform: ClassVar[bool] = False

    def weights(self, zones: MixZones) -> ZoneWeights:
        """Weights of the permutations of each zone.

        Raises
        ------
        InputError
            The zones have no likelihoods, or those of ``law``.
        """
        found = zones.likelihoods
        if found is None:
            raise InputError(
                "the mix zones do not say how people move",
                hint="pose the problem with rules=ExchangeRules(movement=True)",
            )
        return self.law.weights(zones)._replace(pair_begin=found.begin, log_pairs=found.log)


def _for_each(given: Floats | float, count: int, what: str) -> Floats:
    """(count,) the chance of each.

    Raises
    ------
    InputError
        As many are given as there are not.
    """
    chances = np.asarray(given, np.float64)
    if chances.ndim and len(chances) != count:
        raise InputError(f"{len(chances)} chances of an exchange are given for {count} {what}")
    return np.broadcast_to(chances, count)


def _log_allowed(zones: MixZones, happens: Floats, whole: npt.NDArray[np.bool_]) -> Floats:
    """(n_zones,) logarithm of the number of permutations that a zone allows; -1: it allows all.

    Raises
    ------
    InputError
        Some are not counted: they are too many, or users take part by chances of their own.
    """
    found, relation = np.full(len(zones), -1.0), zones.relation
    if relation is None:
        return found
    restricted = relation.zones
    found[restricted] = 0.0  # where the exchange always happens, all are alike: any number does
    wrong = restricted[~whole[restricted]]
    if len(wrong):
        raise InputError(
            "chances of users are not supported in zones that do not allow all exchanges; one is at"
            f" time {zones.axis.label(int(zones.time[wrong[0]]))}",
            hint="give chances of zones",
        )
    counted = restricted[happens[restricted] < 1]
    some = relation.those(counted)
    if some is not None:
        found[counted] = log_permutations(pointers(zones.sizes[counted]), some)
    wrong = np.flatnonzero(np.isnan(found))
    if len(wrong):
        raise InputError(
            f"the exchanges that the mix zone at time {zones.axis.label(int(zones.time[wrong[0]]))}"
            f" allows are too many to be counted: more than {COUNTED} of its users may get each"
            " other's pseudonyms",
            hint="let its exchange happen always",
        )
    return found


def _table_of_allowed(happens: float, size: int, log_allowed: float) -> Floats:
    """Log weights of a zone by how many move, if so many permutations are allowed, all alike."""
    with np.errstate(divide="ignore"):
        found = np.full(size + 1, np.log(happens) - log_allowed)
        found[0] = np.logaddexp(found[0], np.log1p(-happens))
    return found


def _table(happens: float, chance: Floats, sizes: npt.NDArray[np.int64]) -> Floats:
    """Log weights of one kind of zone, the first group's number of movers running fastest."""
    if np.prod(sizes + 1.0) > _LARGEST_TABLE:
        raise InputError(
            f"{sizes.sum()} users of {np.count_nonzero(sizes)} chances meet in one mix zone",
            hint="give users fewer different chances",
        )
    found = np.zeros(np.prod(sizes + 1))
    log_factorial = np.array([math.lgamma(n + 1) for n in range(sizes.sum() + 1)])
    moving = itertools.product(*(range(size + 1) for size in sizes[::-1].tolist()))
    with np.errstate(divide="ignore"):
        for index, reverse in enumerate(moving):
            moved, more = sum(reverse), np.ones(1)
            for c, n, size in zip(chance.tolist(), reverse[::-1], sizes.tolist(), strict=True):
                more = np.convolve(more, c**n * _taking_part(size - n, c))
            found[index] = np.logaddexp.reduce(np.log(more) - log_factorial[moved:])
        found += np.log(happens)
        found[0] = np.logaddexp(found[0], np.log1p(-happens))
    return found


def _taking_part(size: int, chance: float) -> Floats:
    """(size + 1,) chances that 0, 1, … of ``size`` users take part."""
    spread = np.ones(1)
    for _ in range(size):
        spread = np.convolve(spread, [1 - chance, chance])
    return spread
