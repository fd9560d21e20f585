"""An audit as tables: users and times, pseudonyms, mix zones, tracks that can be a user's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.model.answer.verdict import DECISIONS, UNDECIDED, Argument
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.requirement import Rule
from mixsafe.release.evidence import Evidence
from mixsafe.release.findings import Findings
from mixsafe.solver.state import tokens
from mixsafe.verify.auditor.paths import FIRST
from mixsafe.verify.distinct_places import CandidatePlaces
from mixsafe.verify.place_counts import PlaceCounts
from mixsafe.verify.rows import UserRows, user_rows, verdict_codes
from mixsafe.verify.tables import labels, user_table, with_places

HIDES = ("something", "nothing", "undecided")
"""The effect of a mix zone on the known users."""


class Intervals(NamedTuple):
    """Stretches of time in which the tracks of a known user stay the same.

    Parameters
    ----------
    table
        user_id, from_time, to_time, k, lower, upper, verdict, decided_by; and places_lower and
        places_upper where places were counted.
    user, weight
        (n,) each: number of the user, and of the steps, of each row.
    places
        Places of the tracks of each row; None: they were not counted.
    """

    table: pd.DataFrame
    user: npt.NDArray[np.int32]
    weight: npt.NDArray[np.int64]
    places: CandidatePlaces | None


def interval_table(found: Findings, k: int, evidence: Evidence, least: int = 1) -> Intervals:
    """A row per known user and stretch of time; ``least``: distinct places that are asked for."""
    changes = np.ones((found.n_known, len(found.begins) - FIRST), bool)
    changes[:, 1:] = _changes(found.lower.mark) | _changes(found.upper.mark)
    changes[:, 1:] |= _changes(found.decided_by)
    user, here = np.nonzero(changes)
    here += FIRST
    last = np.append(here[1:] - 1, len(found.begins) - 1)
    last[np.append(user[1:] != user[:-1], True)] = len(found.begins) - 1
    begin, end = found.begins[here], found.ends[last]
    lower, upper = found.lower.count[user, here], found.upper.count[user, here]
    codes, decided_by = verdict_codes(lower, upper, np.full_like(lower, k)), found.decided_by
    places = _places(found, evidence, user * len(found.begins) + here, least)
    by = decided_by[user, here]
    if places is not None:
        codes = places.verdict(codes)
        by = np.where(codes == UNDECIDED, np.uint8(Argument.NONE), by)
    axis = evidence.zones.axis
    table = pd.DataFrame(
        {
            "user_id": evidence.users[user],
            "from_time": labels(axis, begin),
            "to_time": labels(axis, end.astype(np.int32)),
            "k": np.int32(k),
            "lower": lower,
            "upper": upper,
            "verdict": _category(codes, [verdict.value for verdict in DECISIONS]),
            "decided_by": _category(by, [one.word for one in Argument]),
        }
    )
    table = with_places(table, places)
    return Intervals(table, user.astype(np.int32), end - begin + 1, places)


def _places(
    found: Findings, evidence: Evidence, first: npt.NDArray[np.int64], least: int
) -> CandidatePlaces | None:
    """Places of the tracks of stretches, each of which begins at an entry and ends at the next."""
    counts = found.places
    where = None if counts is None else evidence.track_places
    if counts is None or where is None:
        return None
    here = np.ones(len(counts.lower), bool)
    here.reshape(found.n_known, -1)[:, :FIRST] = False  # before the data
    entries = np.flatnonzero(here)
    begin = np.searchsorted(entries, first)
    fewest = (np.minimum.reduceat(one[entries], begin) for one in counts[:2])
    steps = (np.add.reduceat(one[entries], begin, dtype=np.int32) for one in counts[2:])
    summed = PlaceCounts(*fewest, *steps)
    is_exact = (found.lower.count == found.upper.count).ravel()[first]
    return CandidatePlaces(least, summed, where.named, where.sensitive is not None, is_exact)


def known_user_table(
    intervals: pd.DataFrame,
    user: npt.NDArray[np.int32],
    weight: npt.NDArray[np.int64],
    known: npt.NDArray[np.int64],
    names: Names,
    rule: Rule,
) -> pd.DataFrame:
    """A row per known user, as :func:`mixsafe.verify.tables.user_table` has them.

    All steps count as time of hers.

    Parameters
    ----------
    intervals, user, weight
        Rows of :func:`interval_table`, with the known user and the number of steps of each.
    known
        (n_known,) steps of each known user that are known by assumption.
    names
        Of the known users, by number.
    rule
        When a user passes.
    """
    codes = np.asarray(intervals["verdict"].cat.codes, np.int8)
    lower = intervals["lower"].to_numpy(np.int32)
    found = user_table(names, user_rows(user, weight, codes, lower, known, rule))
    return found.drop(columns="without_data")  # nobody knows whose a track without data is


def rows_of_users(table: pd.DataFrame, names: Names) -> UserRows:
    """A table of known users as arrays; ``names``: of the known users, by number."""
    row = pd.Index(names).get_indexer(pd.Index(table["user_id"])).astype(np.int64)
    verdict = table["verdict"].map([one.value for one in DECISIONS].index)
    return UserRows(
        row,
        verdict.to_numpy(np.int8),
        table["safe_share"].to_numpy(),
        table["undecided_share"].to_numpy(),
        table["known_share"].to_numpy(),
        table["lower"].to_numpy(np.int64),
        table["weight"].to_numpy(np.int64),
        np.zeros(len(row), np.int64),
    )


def track_table(found: Findings, evidence: Evidence) -> pd.DataFrame:
    """A row per pseudonym: which share of its track is one known user's, beyond doubt.

    Where a known user can be on one track only, that track is hers alone then: at
    each time users and tracks are one to one.
    """
    zones = evidence.zones
    n_tracks, n_steps = zones.n_users, zones.axis.steps
    tied, unsure = (np.zeros(n_tracks, np.int64) for _ in range(2))
    holder = np.full(n_tracks, -1)
    longest = np.zeros(n_tracks, np.int64)
    if found.base is not None:
        base = found.base[:, FIRST:].astype(np.int64)
        alone = found.upper.count[:, FIRST:] == 1
        open_ = ~alone & (found.lower.count[:, FIRST:] == 1)
        lasts = np.broadcast_to(found.lasts[FIRST:], base.shape)
        np.add.at(unsure, base[open_], lasts[open_])
        user = np.nonzero(alone)[0]
        pairs, pair = np.unique(base[alone] * found.n_known + user, return_inverse=True)
        steps = np.zeros(len(pairs), np.int64)
        np.add.at(steps, pair, lasts[alone])
        track, who = np.divmod(pairs, found.n_known)
        np.add.at(tied, track, steps)
        rising = np.argsort(steps, kind="stable")  # the last one written is the longest
        holder[track[rising]] = who[rising]
        longest[track[rising]] = steps[rising]
    else:
        unsure = np.full(n_tracks, n_steps)
    names = np.array([*evidence.users.tolist(), None], dtype=object)
    return pd.DataFrame(
        {
            "pse_id": zones.users,
            "tied_share": tied / n_steps,
            "undecided_share": unsure / n_steps,
            "user_id": pd.Series(names[holder], dtype=object),
            "user_share": longest / n_steps,
        }
    )


def zone_table(found: Findings, evidence: Evidence) -> pd.DataFrame:
    """A row per mix zone: time, place, size, and whether it hides anything.

    A zone hides nothing when every known user who may be on one of its tracks after it may be on
    that very track before it: no user gains a track by it.
    """
    zones, network = evidence.zones, found.network
    event = np.searchsorted(found.begins, zones.time, side="left")[zones.zone_of_member]
    came, left = (network.wire_at(zones.members, event - back) for back in (1, 0))
    known = tokens.everything(1, found.n_known)[0]
    known = np.concatenate([known, np.zeros(found.proven.shape[1] - len(known), np.uint64)])
    gains = (found.proven[left] & ~found.possible[came] & known).any(axis=1)
    may_gain = (found.possible[left] & ~found.proven[came] & known).any(axis=1)
    codes = np.zeros(0, np.int8)
    if len(zones):
        some, may = (np.logical_or.reduceat(one, zones.ptr[:-1]) for one in (gains, may_gain))
        codes = np.where(some, 0, np.where(may, 2, 1)).astype(np.int8)
    place = np.full(len(zones), -1) if zones.place is None else zones.place_labels
    return pd.DataFrame(
        {
            "time": labels(zones.axis, zones.time),
            "place": place,
            "size": zones.sizes,
            "hides": _category(codes, list(HIDES)),
        }
    )


def candidate_table(found: Findings, evidence: Evidence) -> pd.DataFrame:
    """A row per known user, piece of a track that can be hers, and stretch of time."""
    network, axis = found.network, evidence.zones.axis
    lasting = np.flatnonzero(network.end >= FIRST)
    words = (found.n_known + 63) // 64
    wire, user = [], []
    for block in np.array_split(lasting, max(1, len(lasting) // 4096)):
        at, who = tokens.pairs(found.possible[block, :words])
        known = who < found.n_known
        wire.append(block[at[known]])
        user.append(who[known])
    wires, users = np.concatenate(wire), np.concatenate(user)
    proven_there = tokens.are_in(found.proven, wires, users)
    begin = np.maximum(network.start[wires], FIRST)
    order = np.lexsort((network.row[wires], begin, users))
    wires, users, begin = wires[order], users[order], begin[order]
    return pd.DataFrame(
        {
            "user_id": evidence.users[users],
            "from_time": labels(axis, found.begins[begin]),
            "to_time": labels(axis, found.ends[network.end[wires]].astype(np.int32)),
            "pse_id": evidence.zones.users[network.row[wires]],
            "proven": proven_there[order],
        }
    )


def _changes(array: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.bool_]:
    """Whether a step of the data differs from the one before, (n_known, steps - 1)."""
    return np.asarray(array[:, FIRST + 1 :] != array[:, FIRST:-1])


def _category(codes: npt.NDArray[np.integer], words: list[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes.astype(np.int8), categories=pd.Index(words))
