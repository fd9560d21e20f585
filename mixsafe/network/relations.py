"""Relations of zones: their components, also in compiled form, and relations of fewer members.

A pair of different members takes part in an allowed permutation of a zone exactly if both lie in
one strongly connected component of the relation (Régin 1994). So zones are cut into these
components, between which no exchanges are possible, and pairs between them are dropped.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compile_always, inner, tiered
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.question.mix_zones import Relation, words_of

Ints = npt.NDArray[np.int64]


def components(zone_ptr: Ints, relation: Relation) -> tuple[Ints, Ints]:
    """Places of the members of zones that are not complete, and the component of each.

    Parameters
    ----------
    zone_ptr
        (n_zones + 1,) offsets of the members of all zones.

    Returns
    -------
    (n_members,) each: places in the array of all members, ascending; numbers of components.
    """
    # Imported here: few problems have relations, and the import takes a tenth of a second.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    restricted = relation.zones
    mine = ranges(zone_ptr[restricted], np.diff(zone_ptr)[restricted])
    come, leave = (np.searchsorted(mine, members) for members in relation.pairs(zone_ptr))
    graph = coo_array((np.ones(len(come), bool), (come, leave)), (len(mine), len(mine)))
    return mine, connected_components(graph, directed=True, connection="strong")[1]


def zones_apart_by(zone_ptr: Ints, relation: Relation) -> tuple[int, int]:
    """Number of zones with several components, and of members who are alone in theirs."""
    mine, component = components(zone_ptr, relation)
    zone = np.searchsorted(zone_ptr, mine, side="right") - 1
    size = np.bincount(component)
    head = component[np.searchsorted(mine, zone_ptr[zone])]  # that of the zone's first member
    apart = np.unique(zone[component != head])
    return len(apart), int(np.count_nonzero(size[component] == 1))


Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

_FEW = 10  # members; the permutations of more are not counted in plain Python

COUNTED = 20
"""Maximum number of members whose permutations are counted by allowed pairs."""


class ZoneParts(NamedTuple):
    """Components of zones, in the order of the zones.

    Parameters
    ----------
    zone
        (n_parts,) zone of each.
    ptr
        (n_parts + 1,) offsets of their members.
    entries
        (n_members,) places of these in the array of all members.
    relation
        What the parts allow; None: all are complete.
    """

    zone: Ints
    ptr: Ints
    entries: Ints
    relation: Relation | None


def cut(zone_ptr: Ints, relation: Relation) -> ZoneParts:
    """Cut zones into the strongly connected components of their relations.

    Parts of one member are left out: nobody is exchanged there.
    """
    lacking = _dense(zone_ptr, relation)
    if lacking is None:
        return ZoneParts(np.arange(len(zone_ptr) - 1), zone_ptr, np.arange(zone_ptr[-1]), None)
    size = np.diff(zone_ptr)
    label = np.repeat(zone_ptr[:-1], size)  # the first place of the part that each member is in
    mine, component = components(zone_ptr, lacking)
    first = np.full(component.max(initial=-1) + 1, zone_ptr[-1])
    np.minimum.at(first, component, mine)
    label[mine] = first[component]
    order = np.argsort(label, kind="stable")
    begins = np.flatnonzero(np.diff(label[order], prepend=-1))
    n_members = np.diff(begins, append=len(order))
    several = n_members > 1
    entries, ptr = order[np.repeat(several, n_members)], pointers(n_members[several])
    zone = np.searchsorted(zone_ptr, entries[ptr[:-1]], side="right") - 1
    return ZoneParts(zone, ptr, entries, _dense(ptr, among(lacking, zone_ptr, ptr, entries)))


def within_components(zone_ptr: Ints, relation: Relation) -> Relation:
    """The relation without the pairs between components, which no allowed permutation uses."""
    one, other = relation.pairs(zone_ptr)
    mine, component = components(zone_ptr, relation)
    label = [component[np.searchsorted(mine, members)] for members in (one, other)]
    same = label[0] == label[1]
    return Relation.of(zone_ptr, relation.zones, one[same], other[same])


def _dense(zone_ptr: Ints, relation: Relation | None) -> Relation | None:
    """The relation without zones in which it allows all pairs."""
    if relation is None:
        return None
    size = np.diff(zone_ptr)
    one, other = relation.pairs(zone_ptr)
    zone = np.searchsorted(zone_ptr, one, side="right") - 1
    lacks = np.bincount(zone, minlength=len(size)) < size * (size - 1)
    lacks &= np.diff(relation.ptr) > 0
    if not lacks.any():
        return None
    return Relation.of(zone_ptr, np.flatnonzero(lacks), one[lacks[zone]], other[lacks[zone]])


def log_permutations(zone_ptr: Ints, relation: Relation) -> npt.NDArray[np.float64]:
    """(n_zones,) logarithm of the number of permutations that each zone allows.

    It is the sum over the zone's components, as each allowed permutation is one of each. NaN: a
    component that does not allow all pairs has more than :data:`COUNTED` members.
    """
    parts = cut(zone_ptr, relation)
    sizes = np.diff(parts.ptr)
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(sizes.max(initial=0) + 1), 1)))
    found = log_factorial[sizes]
    if parts.relation is not None:
        restricted = parts.relation.zones
        if sizes[restricted].max() > _FEW:
            compile_always()
        nodes = new_matching(COUNTED, COUNTED)
        nodes.waits[:] = nodes.free[:] = True
        found[restricted] = _logs(
            restricted, sizes, parts.relation.ptr, parts.relation.words, nodes
        )
    return np.bincount(parts.zone, found, len(zone_ptr) - 1).astype(np.float64)


@tiered
def _logs(  # pragma: no cover - compiled
    zones: Ints, sizes: Ints, ptr: Ints, words: Words, nodes: Matching
) -> npt.NDArray[np.float64]:
    """Logarithm of the number of permutations of each of some zones; NaN: it has many members."""
    found = np.full(len(zones), np.nan)
    for i in range(len(zones)):
        if sizes[zones[i]] <= COUNTED:
            ways = number_of_ways(sizes[zones[i]], words, ptr[zones[i]], nodes)
            found[i] = math.log(ways)
    return found


def among(
    relation: Relation | None, zone_ptr: Ints, kept_ptr: Ints, entries: Ints
) -> Relation | None:
    """What zones allow among some of their members only; None: all zones are complete.

    Parameters
    ----------
    relation, zone_ptr
        The relation, and offsets of the members of its zones.
    kept_ptr
        (n_kept + 1,) offsets of the members that are left, zone by zone.
    entries
        (n_left,) int64 places of these in the array of all members.
    """
    if relation is None:
        return None
    zone = np.searchsorted(zone_ptr, entries[kept_ptr[:-1]], side="right") - 1
    size = np.diff(kept_ptr)
    restricted = np.diff(relation.ptr)[zone] > 0
    if not restricted.any():
        return None
    ptr = pointers(np.where(restricted, size * words_of(size), 0))
    kept = Relation(ptr, np.zeros(ptr[-1], np.uint64))
    old = _Old(zone, zone_ptr, relation.ptr, relation.words)
    _copy(np.flatnonzero(restricted), old, kept_ptr, entries, kept.ptr, kept.words)
    return kept


@inner
def is_set(  # pragma: no cover - compiled
    words: Words, first: int, size: int, one: int, other: int
) -> bool:
    """Whether a zone of ``size`` members, whose words begin at ``first``, allows a pair."""
    word = words[first + one * ((size + 63) >> 6) + (other >> 6)]
    return bool((word >> np.uint64(other & 63)) & np.uint64(1))


class _Old(NamedTuple):
    """The zones of a relation before some members are left out; ``zone``: of each that is kept."""

    zone: Ints
    zone_ptr: Ints
    ptr: Ints
    words: Words


@tiered
def _copy(  # pragma: no cover - compiled
    restricted: Ints, old: _Old, kept_ptr: Ints, entries: Ints, ptr: Ints, words: Words
) -> None:
    """Copy the bits of the members that are left."""
    for kept in restricted:
        begin, zone = kept_ptr[kept], old.zone[kept]
        size, head = kept_ptr[kept + 1] - begin, old.zone_ptr[zone]
        n_old = old.zone_ptr[zone + 1] - head
        for i in range(size):
            for j in range(size):
                one, other = entries[begin + i] - head, entries[begin + j] - head
                if is_set(old.words, old.ptr[zone], n_old, one, other):
                    word = ptr[kept] + i * ((size + 63) >> 6) + (j >> 6)
                    words[word] |= np.uint64(1) << np.uint64(j & 63)


class Matching(NamedTuple):
    """Who leaves a zone in whose place: working memory for some of its members, (size,) each.

    ``waits``, ``free``: whether the member's token must leave, and whether its place is free.
    ``leaves``, ``comes``: the place that it takes, and who takes its place; -1: none. ``by``,
    ``queue``: a search. ``ways``, (2**m,): a count, for up to m who wait.
    """

    waits: Flags
    free: Flags
    leaves: Ints
    comes: Ints
    by: Ints
    queue: Ints
    ways: npt.NDArray[np.float64]


def new_matching(size: int, counted: int = 0) -> Matching:
    """Room for zones with up to ``size`` members, and to count the ways of up to ``counted``."""
    waits, free = np.zeros((2, size), np.bool_)
    leaves, comes, by, queue = np.zeros((4, size), np.int64)
    return Matching(waits, free, leaves, comes, by, queue, np.zeros(1 << counted))


@inner
def match_all(  # pragma: no cover - compiled
    size: int, words: Words, first: int, nodes: Matching
) -> bool:
    """Let all who wait leave by allowed pairs, on free places; whether they can.

    Those who can stay begin there; the others follow alternating paths (Berge 1957).
    """
    for i in range(size):
        nodes.leaves[i] = nodes.comes[i] = -1
    for i in range(size):
        if nodes.waits[i] and nodes.free[i]:
            nodes.leaves[i] = nodes.comes[i] = i
    for i in range(size):
        if nodes.waits[i] and nodes.leaves[i] < 0:
            free = _free_place(i, size, words, first, nodes)
            if free < 0:
                return False
            while free >= 0:
                come = nodes.by[free]
                left = nodes.leaves[come]
                nodes.leaves[come], nodes.comes[free] = free, come
                free = left
    return True


@inner
def number_of_ways(  # pragma: no cover - compiled
    size: int, words: Words, first: int, nodes: Matching
) -> float:
    """In how many ways all who wait leave by allowed pairs, on as many free places: a permanent.

    They leave one after the other: ``nodes.ways`` has in how many ways the first of them take each
    set of places, 2**m numbers for m who wait.
    """
    n, _ = _list(size, nodes.waits, nodes.by), _list(size, nodes.free, nodes.queue)
    ways = nodes.ways
    for taken in range(1 << n):
        ways[taken] = 0.0
    ways[0] = 1.0
    for taken in range((1 << n) - 1):
        leaves = nodes.by[_n_bits(taken)]
        for j in range(n):
            if taken >> j & 1 == 0 and is_set(words, first, size, leaves, nodes.queue[j]):
                ways[taken | 1 << j] += ways[taken]
    return float(ways[(1 << n) - 1])


@inner
def _list(size: int, flags: Flags, listed: Ints) -> int:  # pragma: no cover - compiled
    """Write the places of the flags that are set to ``listed``; their number."""
    n = 0
    for i in range(size):
        if flags[i]:
            listed[n] = i
            n += 1
    return n


@inner
def _n_bits(number: int) -> int:  # pragma: no cover - compiled
    """How many bits of a number are set."""
    n = 0
    while number:
        number &= number - 1
        n += 1
    return n


@inner
def _free_place(  # pragma: no cover - compiled
    i: int, size: int, words: Words, first: int, nodes: Matching
) -> int:
    """A free place to which an alternating path leads, -1: none; ``by`` has the path."""
    for j in range(size):
        nodes.by[j] = -1
    nodes.queue[0] = i
    n, at = 1, 0
    while at < n:
        come = nodes.queue[at]
        at += 1
        for j in range(size):
            if nodes.by[j] < 0 and nodes.free[j] and is_set(words, first, size, come, j):
                nodes.by[j] = come
                if nodes.comes[j] < 0:
                    return j
                nodes.queue[n] = nodes.comes[j]
                n += 1
    return -1
