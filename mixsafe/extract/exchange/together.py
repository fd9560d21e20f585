"""Several releases of the same people as one problem, and verdicts that last.

The pseudonyms of two releases have nothing in common: between them all change, which is a zone of
everybody. Whoever left the first release on the track of a may be on that of b in the second only
if one person can have made both: the fixes of a after her last mix zone in the first, and those of
b before her first one in the second. The releases may cover the same time.

More knowledge about a past that does not change only takes candidates away: what is unsafe stays
unsafe. What is safe stays safe if everybody was seen at the last step, because every assignment
goes on from there by the identity (docs/develop/facts.md).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.days import day_starts
from mixsafe.extract.exchange.movement import Movement, Speed
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.model.question.problem import Problem
from mixsafe.network.relations import components


@dataclass(frozen=True)
class Lasting:
    """Whether verdicts are final, whatever is published and learned later.

    Parameters
    ----------
    safe, unsafe
        Whether what is safe stays safe, and what is unsafe stays unsafe.
    why
        Why not, a sentence each, with the way out.
    """

    safe: bool
    unsafe: bool
    why: tuple[str, ...]


def lasting(
    problem: Problem,
    adversary: str | None,
    *,
    centred: bool = False,
    limited: bool = False,
    learned: bool = False,
    steps_per_day: int = 20,
) -> Lasting:
    """Say which verdicts on a problem are final.

    Parameters
    ----------
    problem
        The problem.
    adversary
        Name of the built-in adversary; None: sightings from a file.
    centred
        Whether places are cells of a grid around the centre of the data.
    limited
        Whether exchanges are limited by how far people get.
    learned
        Whether only exchanges count that are believable by what is learned from the data.
    steps_per_day
        Length of a day where steps are numbered, >= 1.
    """
    lost, changed = [], []  # reasons why safe verdicts can be lost, and why any can change
    if centred:
        changed.append(
            "the grid is centred on the data and moves with them: use --cells h3:N or --places"
        )
    if learned:
        changed.append("what is believable is learned from the data, and changes with them")
    if adversary == "home":
        changed.append("homes can change when there are more mornings")
    moves = adversary == "endpoints" or (
        adversary == "daily" and not _is_days_end(problem, steps_per_day)
    )
    if not all_seen_at(problem, problem.zones.axis.steps):
        lost.append("not everybody is seen at the last step: say --sealed")
    if limited:
        lost.append("whoever has no fix after a mix zone yet may go anywhere")
    why = [*changed, *lost]
    if moves:
        why.append("the last sightings move with the end of the data, and may set candidates free")
    return Lasting(not changed and not lost, not changed and not moves, tuple(why))


def all_seen_at(problem: Problem, step: int) -> bool:
    """Whether everybody with data is seen at a step."""
    zones, known = problem.zones, problem.knowledge
    return len(np.union1d(known.row[known.time == step], zones.absent)) == zones.n_users


def _is_days_end(problem: Problem, steps_per_day: int) -> bool:
    """Whether the last step is the last one of its day."""
    axis = problem.zones.axis
    longer = replace(axis, steps=axis.steps + 1)
    return int(day_starts(longer, steps_per_day=steps_per_day)[-1]) == longer.steps


Ints = npt.NDArray[np.int64]
Pairs = tuple[Ints, Ints]


@dataclass(frozen=True, eq=False)
class PosedRelease:
    """One release of several.

    Parameters
    ----------
    problem
        Mix zones and knowledge of the release alone.
    movement
        Fixes of its users, and how far they get; None: any way is possible.
    """

    problem: Problem
    movement: Movement | None = None


@dataclass(frozen=True, eq=False)
class Joined:
    """Several releases as one problem.

    Parameters
    ----------
    problem
        The steps of the first release, a step at which all pseudonyms change, and so on.
    begin
        (n_releases,) step 0 of each release: step s of release i is step ``begin[i] + s``.
    rows
        For each release, (n_users,) the row in ``problem`` of each of its users.
    alike
        (n_releases - 1, n_users of ``problem``): with how many people, herself included, each may
        have changed pseudonyms between a release and the next.
    """

    problem: Problem
    begin: Ints
    rows: tuple[Ints, ...]
    alike: Ints


class ReleaseLink(NamedTuple):
    """Between which rows pseudonyms may change from one release to the next.

    Parameters
    ----------
    possible
        (n_rows, n_rows) bool, True for a row and itself; None: between all.
    """

    possible: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, possible: npt.NDArray[np.bool_]) -> ReleaseLink:
        """A link by pairs of rows; staying on a row is always possible."""
        np.fill_diagonal(possible, True)
        return cls(None if possible.all() else possible)

    def alike(self, n_rows: int) -> Ints:
        """(n_rows,) number of rows with which each may have changed, itself included."""
        if self.possible is None:
            return np.full(n_rows, n_rows)
        ptr = np.array([0, n_rows])
        relation = Relation.of(ptr, np.array([0]), *np.nonzero(self.possible))
        component = components(ptr, relation)[1]
        return np.bincount(component)[component].astype(np.int64)


class _Zones(NamedTuple):
    """Zones of a part of the steps: offsets of members, and pairs of entries where restricted."""

    time: Ints
    ptr: Ints
    members: Ints
    restricted: Ints
    pairs: Pairs


def joined(releases: Sequence[PosedRelease], name: str = "together") -> Joined:
    """Join releases of the same people, in their order.

    People who are in some releases only may be anybody in the others that nobody else is.

    Raises
    ------
    InputError
        Fewer than two releases, two without a person in common, or places of different kinds.
    """
    if len(releases) < 2:
        raise InputError("together there are two releases or more", hint="name the second one")
    users, rows = _everybody([release.problem.zones.users for release in releases])
    links = [
        _link(*pair, mine, len(users))
        for pair, mine in zip(itertools.pairwise(releases), itertools.pairwise(rows), strict=True)
    ]
    zones, begin = in_order(users, [one.problem.zones for one in releases], rows, links)
    known = [one.problem.knowledge for one in releases]
    seen = [mine[one.row] for one, mine in zip(known, rows, strict=True)]
    times = [one.time.astype(np.int64) + first for one, first in zip(known, begin, strict=True)]
    if all_seen_at(releases[0].problem, 0):  # who is in none of its tracks is known then, too
        seen.append(np.setdiff1d(np.arange(len(users)), rows[0]))
        times.append(np.zeros(len(seen[-1]), np.int64))
    distinct = any(one.distinct for one in known)
    knowledge = Knowledge.of(np.concatenate(seen), np.concatenate(times), distinct=distinct)
    alike = np.array([link.alike(len(users)) for link in links])
    return Joined(Problem(name, zones, knowledge), begin, tuple(rows), alike)


def in_order(
    users: Names, zones: Sequence[MixZones], rows: Sequence[Ints], links: Sequence[ReleaseLink]
) -> tuple[MixZones, Ints]:
    """The zones of several releases one after the other, and one of everybody between two.

    Parameters
    ----------
    users
        Names of the rows, (n_rows,).
    zones
        Of each release.
    rows
        For each release, row of each of its users.
    links
        Between each release and the next.

    Returns
    -------
    zones, begin
        All zones; (n_releases,) step 0 of each release.
    """
    lengths = np.array([one.axis.steps for one in zones])
    begin = np.concatenate([[0], np.cumsum(lengths[:-1] + 1)])
    parts = [_moved(zones[0], rows[0], 0)]
    for link, one, mine, first in zip(links, zones[1:], rows[1:], begin[1:].tolist(), strict=True):
        parts += [_everywhere(link, len(users), first), _moved(one, mine, first)]
    return _zones(users, TimeAxis(int(begin[-1] + lengths[-1])), parts), begin


def _everybody(names: Sequence[Names]) -> tuple[Names, list[Ints]]:
    """All people, ascending, and the rows of those of each release.

    Raises
    ------
    InputError
        Nobody of a release is in the one before.
    """
    for number, (one, other) in enumerate(itertools.pairwise(names), 1):
        if one.dtype != other.dtype or not np.isin(one, other).any():
            raise InputError(
                f"releases {number} and {number + 1} have no person in common",
                hint="the same person must have the same user_id in both",
            )
    users: Names = np.unique(np.concatenate(names))
    return users, [np.searchsorted(users, mine).astype(np.int64) for mine in names]


def _moved(zones: MixZones, rows: Ints, begin: int) -> _Zones:
    """The zones of a release among all people, members ascending."""
    members, zone = rows[zones.members], zones.zone_of_member
    order = np.lexsort((members, zone))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    none = np.zeros(0, np.int64)
    restricted, pairs = none, (none, none)
    if zones.relation is not None:
        restricted = zones.relation.zones
        one, other = zones.relation.pairs(zones.ptr)
        pairs = place[one], place[other]
    time = zones.time.astype(np.int64) + begin
    return _Zones(time, zones.ptr, members[order], restricted, pairs)


def _everywhere(link: ReleaseLink, n_rows: int, step: int) -> _Zones:
    """The zone of everybody between two releases."""
    restricted, pairs = np.zeros(0, np.int64), (np.zeros(0, np.int64), np.zeros(0, np.int64))
    if link.possible is not None:
        one, other = np.nonzero(link.possible)
        restricted, pairs = np.array([0]), (one, other)
    return _Zones(np.array([step]), np.array([0, n_rows]), np.arange(n_rows), restricted, pairs)


def _link(one: PosedRelease, other: PosedRelease, rows: Pairs, n_users: int) -> ReleaseLink:
    """Between whom pseudonyms may change from one release to the next."""
    if one.movement is None or other.movement is None:
        return ReleaseLink()
    possible = np.ones((n_users, n_users), bool)
    possible[np.ix_(*rows)] = one_person(
        (one.problem.zones, one.movement), (other.problem.zones, other.movement)
    )
    return ReleaseLink.of(possible)


def one_person(
    earlier: tuple[MixZones, Movement], later: tuple[MixZones, Movement]
) -> npt.NDArray[np.bool_]:
    """(n, m) whether one person can have made both tracks, of two releases.

    Parameters
    ----------
    earlier, later
        Where tracks are exchanged in each release, and its fixes.

    Raises
    ------
    InputError
        Their places cannot be compared.
    """
    if earlier[1].straight != later[1].straight:
        raise InputError("the places of one release are regions, and those of the next are not")
    before, after = _stretch(*earlier, last=True), _stretch(*later, last=False)
    return _one_person(earlier[1], later[1], before, after)


def _stretch(zones: MixZones, movement: Movement, *, last: bool) -> tuple[Ints, Ints]:
    """First fix of each user that counts, and the first after it that does not, (n_users,) each.

    ``last``: those after the last mix zone of a user; else those before the first one. In the step
    of a zone all are in its region, so these count after it, too. A cell has an extent, and in it
    somebody else may have made the fix.
    """
    length, rows = zones.axis.step_seconds or 1, np.arange(zones.n_users)
    step = np.full(zones.n_users, 0 if last else zones.axis.steps + 1, np.int64)
    of_member = zones.time[zones.zone_of_member].astype(np.int64)
    (np.maximum if last else np.minimum).at(step, zones.members, of_member)
    if last and movement.straight:
        step += 1
    cut = movement.first_number(rows, zones.axis.first + (step - 1) * length)
    if last:
        return cut, np.searchsorted(movement.user, rows, side="right")
    return np.searchsorted(movement.user, rows), cut


def _one_person(
    one: Movement, other: Movement, before: tuple[Ints, Ints], after: tuple[Ints, Ints]
) -> npt.NDArray[np.bool_]:
    """(n, m) whether one person can have made the stretches of fixes of both.

    The fixes of both are put in order of time, and neighbours of different releases compared. Ways
    within a release are true.
    """
    # Of those after all fixes of the first release, the first one of each user is enough.
    ends = np.append(one.fixes.time[before[1][before[1] > before[0]] - 1], np.iinfo(np.int64).min)
    users = np.arange(len(after[0]))
    n_fixes = np.minimum(after[1], other.first_number(users, ends.max() + 1) + 1) - after[0]
    numbers, owner = ranges(after[0], n_fixes), np.repeat(np.arange(len(n_fixes)), n_fixes)
    found = np.ones((len(before[0]), len(n_fixes)), bool)
    fixes = other.fixes.at(numbers)
    for row, (begin, end) in enumerate(zip(*(side.tolist() for side in before), strict=True)):
        if begin == end or not len(numbers):
            continue
        mine = one.fixes.at(np.arange(begin, end))
        next_ = np.searchsorted(mine.time, fixes.time, side="right")
        speed = one.fastest(row, other, owner)
        impossible = np.zeros(len(numbers), bool)
        alike = (owner[1:] == owner[:-1]) & (next_[1:] == next_[:-1])  # neighbours themselves
        first, last = np.append(True, ~alike), np.append(~alike, True)
        for place, exists in (
            (next_ - 1, first & (next_ > 0)),
            (next_, last & (next_ < len(mine.time))),
        ):
            some = np.flatnonzero(exists)
            mine_there = mine.at(place[some])
            reach = Speed(*(part[some] for part in speed))
            impossible[some] |= ~one.within(mine_there, fixes.at(some), reach)
        found[row, owner[impossible]] = False
    return found


def _zones(users: Names, axis: TimeAxis, parts: Sequence[_Zones]) -> MixZones:
    """All zones, in order of time."""
    n_zones = [len(part.time) for part in parts]
    heads = pointers(np.array(n_zones))
    ptr = pointers(np.concatenate([np.diff(part.ptr) for part in parts]))
    restricted = np.concatenate(
        [part.restricted + head for part, head in zip(parts, heads[:-1], strict=True)]
    )
    relation = None
    if len(restricted):
        one, other = (
            np.concatenate([
                part.pairs[side] + ptr[head] for part, head in zip(parts, heads[:-1], strict=True)
            ])
            for side in range(2)
        )  # fmt: skip
        relation = Relation.of(ptr, restricted, one, other)
    return MixZones(
        users,
        axis,
        np.concatenate([part.time for part in parts]).astype(np.int32),
        ptr,
        np.concatenate([part.members for part in parts]).astype(np.int32),
        relation=relation,
    )
