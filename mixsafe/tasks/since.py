"""Verify only what was added since an earlier run.

Where everybody is seen at one step, everybody's own token is on her row there, so what happens
before it and what happens after it do not depend on each other. If data were added after such a
step, and nothing changed before it, only what comes after it must be decided.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.lasting import all_seen_at
from mixsafe.io.files.content import whole
from mixsafe.io.files.json_text import check_halves
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.model.csr import ranges
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.redundant_zones import without
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.rows import UserRows, user_rows
from mixsafe.verify.verification import Verification, answer

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Earlier:
    """The result of an earlier run, on the first steps of the data.

    Parameters
    ----------
    steps
        How many steps it was about.
    digest
        Hash of its zones and sightings (:func:`digest_of`).
    k
        Candidates that it asked for.
    users
        (n_users,) names of the users with data.
    safe, undecided, known, weight
        (n_users,) steps of each that are safe, undecided, known by assumption, and all.
    lower
        (n_users,) smallest proven number of candidates.
    """

    steps: int
    digest: str
    k: int
    users: Names
    safe: Ints
    undecided: Ints
    known: Ints
    weight: Ints
    lower: Ints

    @classmethod
    def read(cls, path: Path) -> Earlier:
        """Read what ``mixsafe verify --json --per-user`` wrote.

        Raises
        ------
        InputError
            It is no such result.
        """
        try:
            content = whole(path)
            found = json.loads(content.decode("utf-8-sig"))
            until, rows = found["until"], found["per_user"]
            users = np.array([row["user_id"] for row in rows])
            if users.dtype != np.int64:
                users = users.astype(object)
            weight = np.array([row["weight"] for row in rows], np.int64)
            safe, undecided, known = (
                np.rint([row[name] for row in rows] * weight).astype(np.int64)
                for name in ("safe_share", "undecided_share", "known_share")
            )
            lower = np.array([row["lower"] for row in rows], np.int64)
            steps, digest, k = int(until["steps"]), str(until["sha256"]), int(until["k"])
        except (KeyError, TypeError, ValueError, RecursionError):
            hint = "write it with 'mixsafe verify --k K --json FILE --per-user'"
            message = "this is no result that can be continued"
            raise InputError(message, file=path, hint=hint) from None
        check_halves(found, content, path)
        return cls(steps, digest, k, users, safe, undecided, known, weight, lower)


def until(found: Verification) -> dict[str, Any]:
    """What a later run must know of an answer about every wire, besides its users: for JSON."""
    zones = found.problem.zones
    people = zones.users[found.user_rows.user]
    return {
        "steps": zones.axis.steps,
        "time": zones.axis.label(zones.axis.steps),
        "k": int(found.rows.k[0]),
        "sha256": digest_of(found.problem, zones.axis.steps, people),
    }


def digest_of(problem: Problem, steps: int, users: Names) -> str:
    """Hash of what happens in the first steps among some users, by their names.

    Zones with other members have another hash; sightings of others do not count.
    """
    zones, known = problem.zones, problem.knowledge
    names = np.sort(users.astype(str))
    number = np.full(zones.n_users, -1)
    mine = np.isin(zones.users.astype(str), names)
    number[mine] = np.searchsorted(names, zones.users[mine].astype(str))
    begun = without(zones, zones.time > steps)
    order = np.lexsort((number[begun.members], begun.zone_of_member))
    seen = (known.time <= steps) & mine[known.row]
    sightings = np.stack([number[known.row[seen]], known.time[seen]], axis=1)
    sightings = sightings[np.lexsort((sightings[:, 1], sightings[:, 0]))]
    axis = [zones.axis.first, zones.axis.step_seconds, zones.axis.tz, steps]
    digest = hashlib.sha256(json.dumps([axis, names.tolist()]).encode())
    parts: list[npt.NDArray[np.integer]] = [
        *_published(zones, steps, number),
        begun.time,
        begun.ptr,
        number[begun.members][order],
        sightings.ravel(),
    ]
    if begun.relation is not None:
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        one, other = (place[side] for side in begun.relation.pairs(begun.ptr))
        by_number = np.lexsort((other, one))
        parts += [begun.relation.zones, one[by_number], other[by_number]]
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(part, "<i8").data)
    return digest.hexdigest()


def _published(zones: MixZones, steps: int, number: Ints) -> list[npt.NDArray[np.integer]]:
    """Published steps of the first steps, by numbers of users; -1: not hers. Empty: all are."""
    if zones.published is None:
        return []
    begun = zones.published.part(1, steps)
    mine = np.flatnonzero(number >= 0)
    mine = mine[np.argsort(number[mine])]
    sizes = begun.counts[mine]
    return [sizes, begun.step[ranges(begun.ptr[mine], sizes)]]


def verify_since(
    problem: Problem, earlier: Earlier, query: Query, settings: Settings
) -> Verification:
    """Decide the steps after an earlier run; what it found counts for the users.

    Rows are those of the later steps.

    Parameters
    ----------
    problem
        All of the data.
    earlier
        What was found on its first steps.
    query
        The question, about every time and with the k of the earlier run.

    Raises
    ------
    InputError
        No later steps, another question, not everybody is seen at the last step of the earlier
        run, or something changed before it.
    """
    zones, steps = problem.zones, earlier.steps
    _check(problem, earlier, query.k)
    later = _later(problem, steps)
    found = answer(later, query, settings)
    rows = found.rows._replace(start=found.rows.start + steps, end=found.rows.end + steps)
    users = _counted(found, _earlier_rows(zones, earlier), zones)
    return replace(
        found, problem=problem, rows=rows, user_rows=users.without(zones.absent), candidates=None
    )


def _check(problem: Problem, earlier: Earlier, k: int | None) -> None:
    """Refuse to continue a run that is not the same on the earlier steps.

    Raises
    ------
    InputError
        Says why.
    """
    axis, steps = problem.zones.axis, earlier.steps
    again = "verify all of the data, without --since"
    if k != earlier.k:
        raise InputError(f"the earlier run asked for k = {earlier.k}, not {k}", hint=again)
    if steps >= axis.steps:
        raise InputError(
            f"the earlier run has {steps} steps, and the data have no more ({axis.steps})"
        )
    if not all_seen_at(problem, steps):
        raise InputError(
            f"not everybody is seen at {axis.label(steps)}, the last step of the earlier run, so it"
            " may have to be decided again",
            hint=again,
        )
    if digest_of(problem, steps, earlier.users) != earlier.digest:
        raise InputError(
            f"mix zones or sightings up to {axis.label(steps)} are not those of the earlier run",
            hint=again,
        )


def _later(problem: Problem, steps: int) -> Problem:
    """What comes after a step at which everybody is seen; it becomes step 0."""
    zones, known = problem.zones, problem.knowledge
    later = without(zones, zones.time <= steps)
    axis = replace(
        zones.axis,
        steps=zones.axis.steps - steps,
        first=zones.axis.first + steps * (zones.axis.step_seconds or 1),
    )
    published = zones.published
    if published is not None:
        published = published.part(steps + 1, zones.axis.steps)
    part = replace(
        later,
        axis=axis,
        time=later.time - np.int32(steps),
        absent=zones.absent,
        published=published,
    )
    seen = known.those(known.time >= steps)
    return Problem(problem.name, part, replace(seen, time=seen.time - steps))


def _earlier_rows(zones: MixZones, earlier: Earlier) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """User, steps, verdict and candidates of what was found, and known steps of every user.

    Who was in no zone then, and of whom only the zones are known, is known at all of these steps.
    """
    place = {str(name): row for row, name in enumerate(zones.users.tolist())}
    rows = np.array([place[str(name)] for name in earlier.users.tolist()], np.int64)
    there = np.setdiff1d(np.arange(zones.n_users), zones.absent)
    new = np.setdiff1d(there, rows)
    unsafe = earlier.weight - earlier.safe - earlier.undecided
    new_steps = zones.time_of(new, np.ones_like(new), np.full_like(new, earlier.steps))
    user = np.concatenate([rows, rows, rows, new])
    steps = np.concatenate([earlier.safe, earlier.undecided, unsafe, new_steps])
    codes = np.array([SAFE, UNDECIDED, UNSAFE, UNSAFE])
    verdict = np.repeat(codes, [len(rows)] * 3 + [len(new)])
    lower = np.concatenate([np.tile(earlier.lower, 3), np.ones(len(new), np.int64)])
    known = np.zeros(zones.n_users, np.int64)
    known[rows], known[new] = earlier.known, new_steps
    return user, steps, verdict, lower, known


def _counted(
    found: Verification, before: tuple[Ints, Ints, Ints, Ints, Ints], zones: MixZones
) -> UserRows:
    """What the earlier and the later steps together say of each user; ``zones``: of all steps."""
    rows, n_users = found.rows, zones.n_users
    user, steps, verdict, lower, known = before
    return user_rows(
        np.concatenate([user, rows.user]).astype(np.int32),
        np.concatenate([steps, rows.weight]),
        np.concatenate([verdict, rows.verdict]).astype(np.int8),
        np.concatenate([lower, rows.lower]).astype(np.int32),
        known + rows.known(found.seen, n_users),
        found.rule,
        zones.time_without_data,
    )
