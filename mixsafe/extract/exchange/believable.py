"""Exchanges that somebody would believe who knows how people move.

A permutation of the members of a zone is believable at a share epsilon if it is at least epsilon
times as likely as the likeliest one. A zone allows a pair that is in some believable permutation,
and everybody's own way: it is the truth. (Likelihoods:
:mod:`mixsafe.extract.exchange.continuations`.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.extract.exchange.continuations import Continuations
from mixsafe.extract.exchange.relation import Related
from mixsafe.machinery.spill import whole_stretches
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.question.mix_zones import MixZones, Relation, packed, words_of
from mixsafe.movement.permutations import assign, lose

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_MEMBERS = 1000
"""Members of a zone whose permutations are compared: the work grows with their cube."""

_PAIRS_AT_ONCE = 1 << 20
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ZonePairs:
    """All pairs of the members of some zones, zone by zone, with their likelihoods.

    Parameters
    ----------
    zones
        (n_zones,) ascending numbers.
    size
        (n_zones,) members of each.
    one, other
        (n_pairs,) places of both members in the array of all members.
    matrices
        (n_pairs,) logarithms of likelihoods; -inf: the zone does not allow the pair.
    """

    zones: Ints
    size: Ints
    one: Ints
    other: Ints
    matrices: Floats

    @property
    def excess(self) -> Floats:
        """(n_pairs,) reduced costs of :func:`mixsafe.movement.permutations.assign`."""
        return self._assigned[1]

    @property
    def best(self) -> Ints:
        """(n_memberships,) the likeliest permutations, of the same function."""
        return self._assigned[0]

    @cached_property
    def _assigned(self) -> tuple[Ints, Floats]:
        return assign(self.matrices, self.size)


def zone_pairs(zones: MixZones, model: Continuations, least: float = 0.0) -> Iterator[ZonePairs]:
    """The pairs of zones with up to ``MOST_MEMBERS`` members, some zones at a time.

    ``least``: least likelihood of a pair, by that of the likeliest one of the same ``one``.
    """
    small = np.flatnonzero(zones.sizes <= MOST_MEMBERS)
    for some in whole_stretches(pointers(zones.sizes[small] ** 2), _PAIRS_AT_ONCE):
        chosen = small[some]
        size = zones.sizes[chosen].astype(np.int64)
        zone, come = np.repeat(chosen, size), ranges(zones.ptr[chosen], size)
        each = zones.sizes[zone]
        one, other = np.repeat(come, each), ranges(zones.ptr[zone], each)
        matrices = model.log_likelihoods(one, other)
        if least:
            highest = np.maximum.reduceat(matrices, pointers(each)[:-1])
            matrices = np.maximum(matrices, np.repeat(highest + np.log(least), each))
        if zones.relation is not None:
            zone, head = np.repeat(zone, each), zones.ptr[np.repeat(zone, each)]
            allowed = zones.relation.allows(zone, zones.sizes[zone], one - head, other - head)
            matrices[~allowed] = -np.inf
        yield ZonePairs(chosen, size, one, other, matrices)


@dataclass(frozen=True, eq=False)
class Believed:
    """Mix zones that allow believable pairs only.

    Parameters
    ----------
    related
        The zones, and what is allowed there.
    n_large
        Zones with more than ``MOST_MEMBERS`` members, which are left as they are.
    learned
        Whether likelihoods are learned from the data; else ways are normally distributed.
    """

    related: Related
    n_large: int
    learned: bool


def believed(found: Related, model: Continuations, share: float) -> Believed:
    """Leave the pairs that are in a believable permutation.

    Parameters
    ----------
    found
        Mix zones, and what they allow already.
    model
        How likely pairs are.
    share
        Least likelihood of a permutation by that of the likeliest one, above 0, at most 1.
    """
    zones = found.zones
    most = _ROUNDING - np.log(share)
    large = np.flatnonzero(zones.sizes > MOST_MEMBERS)
    n_words, parts = np.zeros(len(zones), np.int64), [np.zeros(0, np.uint64)]
    for pairs in zone_pairs(zones, model):
        loss = np.zeros(len(pairs.excess))
        lose(pairs.excess, pairs.size, pairs.best, loss)
        allowed = (loss <= most) | (pairs.one == pairs.other)
        of_zone = pointers(pairs.size**2)
        lacks = ~np.logical_and.reduceat(allowed, of_zone[:-1])
        n_words[pairs.zones] = np.where(lacks, pairs.size * words_of(pairs.size), 0)
        kept = np.repeat(lacks, pairs.size**2)
        if lacks.any():
            head = np.repeat(zones.ptr[pairs.zones], pairs.size**2)
            parts.append(packed(allowed[kept], (pairs.other - head)[kept]))
    earlier = zones.relation if zones.relation is not None else _complete(len(zones))
    n_words[large] = np.diff(earlier.ptr)[large]
    ptr = pointers(n_words)
    words = np.zeros(ptr[-1], np.uint64)
    of_small = np.ones(len(words), bool)
    of_large = ranges(ptr[large], n_words[large])
    of_small[of_large] = False
    words[of_small] = np.concatenate(parts)
    words[of_large] = earlier.words[ranges(earlier.ptr[large], n_words[large])]
    relation = Relation(ptr, words) if len(words) else None
    related = Related.of(zones, relation)
    related = replace(related, n_jumps=found.n_jumps, fastest=found.fastest)
    return Believed(related, len(large), model.learned)


def _complete(n_zones: int) -> Relation:
    """The relation of zones that allow everything."""
    return Relation(np.zeros(n_zones + 1, np.int64), np.zeros(0, np.uint64))
