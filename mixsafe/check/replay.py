"""Assignments, followed exchange by exchange, straight from the definitions.

Only the rows that an assignment moves are read: every other row keeps its own token, and breaks
no rule. A problem's exchanges and sightings are looked up in sorted tables. A place is a row and a
step, as one number: ``row * width + step``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.csr import Ints, Whole
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem

_MOST_STEPS = 2**31 - 2
"""The step after the last one is a number of 32 bits, too: until then assignments are followed."""

_MIXED = "does not permute the tokens"

_Refuse = Callable[[np.int64, str], NoReturn]
"""Raises the error about a wrong exchange."""


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Memberships and sightings of a problem.

    Parameters
    ----------
    n_rows, horizon
        Users, and the last step.
    met
        (n_memberships,) int64: places at which a row is in a mix zone, ascending.
    zone
        (n_memberships,) int32: the zone there.
    seen
        (n_sightings,) int64: places with sightings, ascending.
    distinct
        Whether different people are different.
    zones
        Of the problem.
    """

    n_rows: int
    horizon: int
    met: Ints
    zone: Whole
    seen: Ints
    distinct: bool
    zones: MixZones

    @classmethod
    def of(cls, problem: Problem) -> Occurrences:
        """Places of a problem.

        Raises
        ------
        InputError
            A sighting of an unknown user or step, or too many steps for the integers here.
        """
        zones, known = problem.zones, problem.knowledge
        n_rows, horizon = zones.n_users, zones.axis.steps
        if horizon > _MOST_STEPS:
            raise InputError(f"{horizon} steps are more than {_MOST_STEPS}")
        inside = (known.row >= 0) & (known.row < n_rows) & (known.time >= 0)
        if not np.all(inside & (known.time <= horizon)):
            raise InputError("a sighting is of a user or at a step that does not exist")
        width = np.int64(horizon + 2)
        zone = np.repeat(np.arange(len(zones), dtype=np.int32), zones.sizes)
        met = zones.members * width + zones.time[zone]
        order = np.argsort(met)
        seen = known.row * width + known.time
        return cls(n_rows, horizon, met[order], zone[order], seen, known.distinct, zones)

    def allows(self, zone: Whole, one: Whole, other: Whole) -> npt.NDArray[np.bool_]:
        """(n,) whether who comes to a zone on the row of one member may leave on another's."""
        relation, allowed = self.zones.relation, np.ones(len(zone), bool)
        if relation is None:
            return allowed
        for number in np.intersect1d(zone, relation.zones).tolist():
            mine = np.flatnonzero(zone == number)
            members = self.zones.members[self.zones.ptr[number] : self.zones.ptr[number + 1]]
            come, leave = (np.searchsorted(members, rows[mine]) for rows in (one, other))
            allowed[mine] = relation.matrix(number, len(members))[come, leave]
        return np.asarray(allowed | (one == other))

    @property
    def width(self) -> np.int64:
        """More than there are steps."""
        return np.int64(self.horizon + 2)

    def at(self, row: npt.NDArray[np.integer], step: npt.NDArray[np.integer] | int) -> Ints:
        """Places of rows at steps."""
        places: Ints = row * self.width + step
        return places

    def begins(self, row: int) -> Ints:
        """(n + 1,) step 0 and those of a row's zones, ascending, and the one after the last."""
        low, high = np.searchsorted(self.met, (row * self.width, (row + 1) * self.width))
        zones = self.met[low:high] - row * self.width
        return np.concatenate([[0], zones, [self.horizon + 1]])

    def zone_at(self, row: Whole, step: Whole) -> Whole:
        """Zone that each row is in at a step; -1: none, or there is no such row or step."""
        exists = (row >= 0) & (row < self.n_rows) & (step >= 0) & (step <= self.horizon)
        wanted = self.at(row, step)
        there = np.searchsorted(self.met, wanted)
        found = np.full(len(wanted), -1, np.int32)
        hit = np.flatnonzero(exists & (there < len(self.met)))
        hit = hit[self.met[there[hit]] == wanted[hit]]
        found[hit] = self.zone[there[hit]]
        return found

    def meetings(self, begin: Ints, end: Ints) -> Ints:
        """Number of memberships at places from ``begin`` up to, but not at, ``end``."""
        return np.searchsorted(self.met, end) - np.searchsorted(self.met, begin)

    def sightings(self, begin: Ints, end: Ints) -> Ints:
        """Number of sightings at places from ``begin`` up to, but not at, ``end``."""
        return np.searchsorted(self.seen, end) - np.searchsorted(self.seen, begin)


class Tracks(NamedTuple):
    """Tokens on the rows that witnesses move, by witness, row and step; from each step to the next.

    Parameters
    ----------
    key
        (n,) int64: witness, row and step as one number, ascending.
    row, token
        (n,) int32 each: a row, and the token on it
    begin, end
        from this step on, and up to, but not at, this one; (n,) int32 each.
    first
        (n,) bool: it is the first step at which the witness moves the row; before, it has its own.
    places
        Of the problem.
    """

    key: Ints
    row: Whole
    token: Whole
    begin: Whole
    end: Whole
    first: npt.NDArray[np.bool_]
    places: Occurrences

    def tokens(self, witness: Ints, row: Whole, step: Whole) -> Whole:
        """Token on a row after a step in a witness, by its place in the piece."""
        wanted = _key(witness, row, step, self.places)
        there = np.searchsorted(self.key, wanted, side="right") - 1
        found: Whole = row.copy()
        moved = np.flatnonzero(there >= 0)
        same = self.key[there[moved]] // self.places.width == wanted[moved] // self.places.width
        moved = moved[same]
        found[moved] = self.token[there[moved]]
        return found

    def by_token(self) -> Tracks:
        """The same with rows and tokens exchanged: rows on which witnesses have tokens."""
        witness = self.key // self.places.width // self.places.n_rows
        key = _key(witness, self.token, self.begin, self.places)
        order = np.argsort(key)
        first = np.diff(key[order] // self.places.width, prepend=-1) != 0
        row, token, begin, end = self.token, self.row, self.begin, self.end
        ordered = row[order], token[order], begin[order], end[order]
        return Tracks(key[order], *ordered, first, self.places)


def _key(witness: Ints, row: Whole, step: Whole, places: Occurrences) -> Ints:
    return (witness * places.n_rows + row) * places.width + step


def follow(witnesses: Witnesses, number: int, places: Occurrences) -> Tracks:
    """Follow some witnesses, the first of which has this ``number``.

    Raises
    ------
    InputError
        One breaks a rule of the problem.
    """
    if len(witnesses) * places.n_rows * int(places.width) >= 1 << 63:
        raise InputError("too many users and steps for 64-bit indices")
    rows, tokens = witnesses.rows.values, witnesses.tokens.values
    exchange = witnesses.rows.owner
    of_exchange = np.repeat(np.arange(len(witnesses)), np.diff(witnesses.ptr))
    witness, time = of_exchange[exchange], witnesses.time[exchange]

    def refuse(at: np.int64, what: str) -> NoReturn:
        who, step = number + int(of_exchange[at]), int(witnesses.time[at])
        raise InputError(f"witness {who} {what} at step {step}")

    _check_zones(witnesses, of_exchange, places, refuse)
    key = _key(witness, rows, time, places)
    order = np.argsort(key)
    key = key[order]
    again = np.flatnonzero(key[1:] == key[:-1])
    if len(again):
        one, other = exchange[order[again[0]]], exchange[order[again[0] + 1]]
        refuse(max(one, other), _MIXED if one == other else "exchanges twice")
    line = key // places.width  # witness and row
    first = np.diff(line, prepend=-1) != 0
    held = np.where(first, rows[order], np.roll(tokens[order], 1))
    before = np.empty_like(rows)
    before[order] = held
    _check_permuted(before, tokens, exchange, places, refuse)
    _check_allowed(before, witnesses, places, refuse)
    begin = time[order]
    end = np.where(np.roll(first, -1), places.horizon + 1, np.roll(begin, -1)).astype(np.int32)
    tracks = Tracks(key, rows[order], tokens[order], begin, end, first, places)
    _check_known(tracks, number)
    return tracks


def _check_zones(
    witnesses: Witnesses, of_exchange: Ints, places: Occurrences, refuse: _Refuse
) -> None:
    """Each exchange is among members of one mix zone, and none is before the one before it."""
    time, rows = witnesses.time, witnesses.rows
    wrong = rows.sizes == 0
    wrong[1:] |= (of_exchange[1:] == of_exchange[:-1]) & (time[1:] < time[:-1])
    zone = places.zone_at(rows.values, time[rows.owner])
    if len(zone):
        head = zone[np.minimum(rows.ptr[:-1], len(zone) - 1)]
        wrong[rows.owner[(zone < 0) | (zone != head[rows.owner])]] = True
    if wrong.any():
        refuse(np.flatnonzero(wrong)[0], "exchanges outside a mix zone")


def _check_permuted(
    before: Whole, after: Whole, exchange: Ints, places: Occurrences, refuse: _Refuse
) -> None:
    """Each exchange leaves the tokens that come to it, and leaves each once."""
    wrong = (after < 0) | (after >= places.n_rows)
    if not wrong.any():
        came, left = (np.sort(exchange * places.n_rows + tokens) for tokens in (before, after))
        wrong = came != left
        exchange = np.minimum(came, left) // places.n_rows
    if wrong.any():
        refuse(exchange[np.flatnonzero(wrong)[0]], _MIXED)


def _check_allowed(
    before: Whole, witnesses: Witnesses, places: Occurrences, refuse: _Refuse
) -> None:
    """Each token moves from the row on which it came by a pair that the zone allows."""
    if places.zones.relation is None:
        return
    rows, tokens = witnesses.rows.values, witnesses.tokens.values
    exchange = witnesses.rows.owner
    came = np.argsort(exchange * places.n_rows + before)
    left = np.argsort(exchange * places.n_rows + tokens)
    from_row = np.empty_like(rows)
    from_row[left] = rows[came]
    zone = places.zone_at(rows, witnesses.time[exchange])
    wrong = np.flatnonzero(~places.allows(zone, from_row, rows))
    if len(wrong):
        refuse(exchange[wrong[0]], "exchanges by a pair that the zone does not allow")


def _check_known(tracks: Tracks, number: int) -> None:
    """At all sightings of a user her row holds one and the same token."""
    if not len(tracks.key):
        return
    places, row, first = tracks.places, tracks.row, tracks.first
    at, heads = places.at(row, 0), np.flatnonzero(first)
    seen = places.sightings(at + tracks.begin, at + tracks.end) > 0
    before = first & (places.sightings(at, at + tracks.begin) > 0)
    most = np.where(seen, tracks.token, -1)
    least = np.where(seen, tracks.token, places.n_rows)
    most = np.maximum.reduceat(np.maximum(most, np.where(before, row, -1)), heads)
    least = np.minimum.reduceat(np.minimum(least, np.where(before, row, places.n_rows)), heads)
    wrong = np.flatnonzero(least < most)
    if len(wrong):
        head = heads[wrong[0]]
        witness = number + int(tracks.key[head] // places.width) // places.n_rows
        raise InputError(f"witness {witness} contradicts what is known of row {row[head]}")
    if places.distinct:
        known = np.flatnonzero(most >= 0)
        of_witness = tracks.key[heads[known]] // places.width // places.n_rows
        _check_distinct(of_witness, row[heads[known]], most[known], places, number)


def _check_distinct(
    witness: Ints, row: Whole, token: Whole, places: Occurrences, number: int
) -> None:
    """No token is that of two people: of two who are moved, or of one who is not.

    Parameters
    ----------
    witness, row, token
        (n,) each: in a witness this token is at the sightings of a row that it moves.
    places, number
        Memberships and sightings of the problem, and the number of the first witness.
    """
    moved, held = witness * places.n_rows + row, witness * places.n_rows + token
    _, first = np.unique(held, return_index=True)
    again = np.setdiff1d(np.arange(len(held)), first)
    owner = token.astype(np.int64)
    is_seen = places.sightings(places.at(owner, 0), places.at(owner, places.horizon + 1)) > 0
    wrong = np.union1d(again, np.flatnonzero(is_seen & (row != token) & ~np.isin(held, moved)))
    if len(wrong):
        at = int(wrong[0])
        what = f"gives row {row[at]} the token of another person who was seen"
        raise InputError(f"witness {number + int(witness[at])} {what}")
