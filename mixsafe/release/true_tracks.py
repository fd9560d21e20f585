"""The true tracks of known users: against what an audit takes for true, and against bets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.wording import plural
from mixsafe.model.release import TrueTracks
from mixsafe.movement.calibration import by_belief
from mixsafe.release.evidence import Evidence
from mixsafe.release.track_beliefs import TrackBeliefs

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
"""Least beliefs of the bins of the calibration."""


class Bets(NamedTuple):
    """What a follower names beside what is true, wherever the truth is told, (n,) each.

    Parameters
    ----------
    user
        Number of the user among those who are weighed.
    weight
        Steps.
    belief, right
        Her belief in the track that she names, and whether it is the user's.
    told
        Share of the time of the weighed users of which the truth is told.
    """

    user: Ints
    weight: Ints
    belief: Floats
    right: Bools
    told: float

    @classmethod
    def of(cls, beliefs: TrackBeliefs, truth: TrueTracks) -> Bets:
        """Compare named tracks with the true ones."""
        weighed = np.flatnonzero(np.isin(truth.user, beliefs.user))
        user, track = np.searchsorted(beliefs.user, truth.user[weighed]), truth.track[weighed]
        if truth.step is None:
            stretch = np.tile(np.arange(len(beliefs.first)), len(user))
            user, track = (np.repeat(one, len(beliefs.first)) for one in (user, track))
            weight = beliefs.lasts[stretch]
        else:
            stretch = np.searchsorted(beliefs.first, truth.step[weighed], side="right") - 1
            weight = np.ones(len(user), np.int64)
        right = beliefs.track[user, stretch] == track
        told = int(weight.sum()) / max(len(beliefs.user) * beliefs.n_steps, 1)
        return cls(user.astype(np.int64), weight, beliefs.belief[user, stretch], right, told)

    def share_right(self, some: Bools | None = None) -> float | None:
        """Share of the time, or of some of it, in which she is right; None: it is no time."""
        counts = self.weight if some is None else self.weight * some
        total = int(counts.sum())
        return float((counts * self.right).sum()) / total if total else None

    def calibration(self) -> list[dict[str, float]]:
        """Bets by belief: their steps, their mean belief and the share that is right."""
        found = by_belief(_BINS, self.belief, self.right, self.weight)
        return [dict(zip(("from", "steps", "belief", "right"), row, strict=True)) for row in found]


def check_truth(evidence: Evidence, truth: TrueTracks, *, exchanged: bool = True) -> None:
    """Refuse a truth that an audit excludes: its share of right bets would look too small.

    Parameters
    ----------
    exchanged
        Whether pseudonyms may be exchanged in the zones of the evidence.

    Raises
    ------
    InputError
        A user was seen where her true track is not, or her pseudonym changes where it cannot.
    """
    _check_sightings(evidence, truth)
    if truth.step is not None:
        _check_changes(evidence, truth, exchanged=exchanged)


def _check_sightings(evidence: Evidence, truth: TrueTracks) -> None:
    """Refuse sightings that the true track does not explain, by the widest reading of gaps."""
    pins, tracks, n_rows = evidence.pins, evidence.tracks, np.int64(evidence.zones.n_users)
    true = _true_at(truth, pins.token.astype(np.int64), pins.time.astype(np.int64))
    entries = tracks.sighting * n_rows + tracks.rows
    if evidence.asked is not None:
        entries = entries[tracks.level <= evidence.asked.level]
    explained = np.isin(np.arange(len(pins)) * n_rows + true, entries)
    wrong = np.flatnonzero((true >= -1) & (pins.time > 0) & ~((true >= 0) & explained))
    if not len(wrong):
        return
    one = wrong[0]
    name = "none of these" if true[one] < 0 else evidence.zones.users[true[one]]
    raise InputError(
        f"user {evidence.users[pins.token[one]]} was seen at time"
        f" {evidence.zones.axis.label(int(pins.time[one]))} where the user's track by the truth,"
        f" {name}, was not ({plural(len(wrong), 'such sighting', 'such sightings')})",
        hint="is it the table of this release, and do its cells and gaps fit the sightings?",
    )


def _check_changes(evidence: Evidence, truth: TrueTracks, *, exchanged: bool) -> None:
    """Refuse changes of pseudonyms from one step to the next that are no exchange in a mix zone."""
    if truth.step is None:
        return
    zones = evidence.zones
    order = np.lexsort((truth.step, truth.user))
    user, step, track = truth.user[order], truth.step[order], truth.track[order]
    changes = (np.diff(user) == 0) & (np.diff(step) == 1) & (np.diff(track) != 0)
    at = np.flatnonzero(changes & (track[:-1] >= 0) & (track[1:] >= 0))
    met = np.zeros(len(at), bool)
    if exchanged and len(zones):
        n_rows = np.int64(zones.n_users)
        owner = zones.zone_of_member
        keys = zones.time[owner] * n_rows + zones.members
        by_key = np.argsort(keys, kind="stable")
        found = [
            _owner_of(keys[by_key], owner[by_key], step[at + 1] * n_rows + one)
            for one in (track[at], track[at + 1])
        ]
        met = (found[0] >= 0) & (found[0] == found[1])
    if met.all():
        return
    one = at[int((~met).argmax())]
    names = zones.users
    raise InputError(
        f"by the truth, user {evidence.users[user[one]]} changes from pseudonym"
        f" {names[track[one]]} to {names[track[one + 1]]} at time"
        f" {zones.axis.label(int(step[one + 1]))}, where this audit allows no exchange"
        f" ({plural(int(np.count_nonzero(~met)), 'such change', 'such changes')})",
        hint="say when else pseudonyms change: --rotate; or that tracks of one set of regions meet:"
        " --sets-meet"
        if exchanged
        else "pseudonyms of this release are exchanged: leave out --exchange none",
    )


def _owner_of(keys: Ints, owner: npt.NDArray[np.integer], wanted: Ints) -> Ints:
    """(n,) zone of each member by step and row, as one number; -1: it is in none."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, owner[place], -1).astype(np.int64)


def _true_at(truth: TrueTracks, user: Ints, step: Ints) -> Ints:
    """(n,) true track of users at steps; -1: none of the release's; -2: it is not told."""
    told = np.zeros(len(truth.user), np.int64) if truth.step is None else truth.step
    asked = np.zeros(len(user), np.int64) if truth.step is None else step
    span = np.int64(max(int(told.max(initial=0)), int(asked.max(initial=0))) + 1)
    order = np.argsort(truth.user * span + told)
    keys = (truth.user * span + told)[order]
    wanted = user * span + asked
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, truth.track[order][place], -2).astype(np.int64)
