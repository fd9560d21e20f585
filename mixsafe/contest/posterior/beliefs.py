"""What reference traces and a release let an attacker believe, in whichever way it can be found.

Beliefs do not depend on who has which pseudonym, but for names: so they are found for a release
whose tracks are put in an order of their own, and kept for others that show the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.held_out import evidence_weights, some_users
from mixsafe.contest.base.people import SHARED_OUT, People
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.exchanged import (
    ENUMERATED,
    enumerated,
    exchanged_belief,
    piece_weights,
)
from mixsafe.contest.posterior.movements import Movements
from mixsafe.contest.posterior.shown_cells import Noise, shown_alike
from mixsafe.contest.posterior.smoothing import SmoothedTracks, shown_regions
from mixsafe.contest.posterior.whereabouts import Floats, Posterior, ratios
from mixsafe.contest.posterior.whole_tracks import add_evidence, static_belief
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

BLOCK = 128
"""Users whose evidence is added up side by side."""

LONG = 8
"""Reference days from which on their later half is held out to learn from how people move."""


@dataclass(frozen=True)
class _OrderedRelease:
    """A release whose tracks are in an order of their own; equal to all that show the same."""

    digest: bytes
    cells: Cells = field(compare=False)


@lru_cache(maxsize=2)
def _first_seen(ordered: _OrderedRelease) -> Cells:
    """The first release that shows the same: what is kept about it is found again."""
    return ordered.cells


@lru_cache(maxsize=1)
def in_order(release: Cells, exchanged: int) -> tuple[Cells, npt.NDArray[np.int64]]:
    """A release as it is whoever has which pseudonym, and which of its tracks each track is.

    Parameters
    ----------
    exchanged
        1: tracks that meet are as good as exchanged, wherever no cell is deleted.

    Returns
    -------
    cells
        The tracks in order; the same object for releases that show the same, one after the other.
    where
        (n_tracks, n_steps) or (n_tracks, 1): its track after each step.
    """
    order = np.lexsort(release.code.T[::-1])
    code, where = release.code[order], np.argsort(order)[:, None]
    if exchanged and not np.any(code == release.deleted):
        code, where = _exchanged_in_order(release.code)
    seen = blake2b(code.tobytes())
    for part in (release.ptr, release.member, np.array([release.first_time, *code.shape])):
        seen.update(part.tobytes())
    cells = replace(release, code=code)
    return _first_seen(_OrderedRelease(seen.digest(), cells)), where


def _exchanged_in_order(
    code: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Tracks that go on in order from wherever they meet, and which of them each track is."""
    ordered, where = np.empty_like(code), np.empty(code.shape, np.int64)
    ordered[:, 0] = np.sort(code[:, 0])
    for at in range(code.shape[1]):
        # After the last step everybody stays where she is.
        after = min(at + 1, code.shape[1] - 1)
        before = np.lexsort((code[:, after], code[:, at]))
        there = np.argsort(ordered[:, at], kind="stable")
        ordered[there, after] = code[before, after]
        where[before, at] = there
    return ordered, where


@lru_cache(maxsize=2)
def noise_in(reference: Reference, release: Cells) -> Noise:
    """The noise in a release; kept, for both answers."""
    return Noise.of_release(reference.habits, release)


def smoothed(reference: Reference, release: Cells) -> SmoothedTracks | None:
    """Tracks of a shuffled release, smoothed; None: no cell hides anything.

    Parameters
    ----------
    release
        The tracks in order: cells of :func:`in_order`.
    """
    noise = noise_in(reference, release)
    if noise.none and release.code.max() < release.deleted:
        return None
    return _smoothed(reference, release)


@lru_cache(maxsize=1)
def _smoothed(reference: Reference, release: Cells) -> SmoothedTracks:
    """Tracks smoothed, whatever they hide; kept, for all answers."""
    step = reference.rules.step_of_day(release.time_ids)
    kernel = noise_in(reference, release).kernel(reference.rules.regions)
    return SmoothedTracks.of_release(release, kernel, reference.people.homes, step)


@lru_cache(maxsize=1)
def _seen(reference: Reference, noise: Noise, exchanged: int) -> Floats:
    """Ratios of regions through noise; kept, as another release may show the same noise."""
    if not exchanged:
        return noise.ratios(reference.habits)
    if noise.none:
        return reference.people.ratio
    return reference.people.ratios_through(noise.kernel(reference.rules.regions))


@lru_cache(maxsize=1)
def ratios_of(reference: Reference, release: Cells, exchanged: int) -> Floats:
    """Log-ratios of a release's contents through its noise; kept, for all answers.

    As :func:`mixsafe.contest.posterior.whereabouts.ratios`: by habits where tracks are whole, whose
    mornings are evidence jointly, and by habits and homes where pseudonyms are exchanged.
    """
    seen = _seen(reference, noise_in(reference, release), exchanged)
    habits = reference.habits
    true = reference.people.ratio if exchanged else habits.ratio
    return ratios(habits.background, release, true, seen)


def posterior(reference: Reference, release: Cells, exchanged: int, *, raised: bool) -> Posterior:
    """What reference traces and a release let an attacker believe.

    Releases of up to ``ENUMERATED`` users are answered by all their assignments, larger ones by
    passing messages.

    Parameters
    ----------
    release
        The tracks in order: cells of :func:`in_order`.
    exchanged
        1: pseudonyms may be exchanged wherever users show the same cell; 0: they never are.
    raised
        Whether weak evidence counts more. That finds more users, but it overrates what is known of
        where they are: cells that decided who a user is agree with that user. So later steps count
        there as the left-out day says, without ``SHARED_OUT``.

    Raises
    ------
    InputError
        A release of too many different sets.
    """
    noise = noise_in(reference, release)
    if tells_nothing(reference, release):
        return static_belief(release, np.zeros((release.n_rows, release.n_rows), np.float32))
    if not exchanged:
        if reference.days >= LONG and reference.trained is None:
            return static_belief(release, _movement_evidence(reference, release))
        mornings, later = _track_evidence(reference, release)
        doubled = reference.trained is None  # trained weights are taken as they are
        factor = np.float32(1 / SHARED_OUT if doubled and not raised else 1)
        return static_belief(release, mornings + factor * later)
    ratio = ratios_of(reference, release, exchanged)
    weight = piece_weights(reference)
    if raised:
        weight = noise.weights(weight)
    step = reference.rules.step_of_day(release.time_ids)
    make = enumerated if release.n_rows <= ENUMERATED else exchanged_belief
    return make(release, ratio, weight, step)


@lru_cache(maxsize=1)
def _movement_evidence(reference: Reference, release: Cells) -> Floats:
    """Log-ratios of each track and user by mornings, cells, moves and stays; kept."""
    weights = _movement_weights(reference, release)
    kinds = _kinds_of_evidence(reference, _movements(reference), release)
    return np.asarray(sum(weight * one for weight, one in zip(weights, kinds, strict=True)))


@lru_cache(maxsize=1)
def _movements(reference: Reference) -> Movements:
    """How people move, by all reference days."""
    traces = reference.traces
    return Movements.learn(
        traces.region, reference.rules.step_of_day(traces.time_ids), reference.rules
    )


@lru_cache(maxsize=1)
def _earlier_half(reference: Reference) -> tuple[Reference, Movements, TraceMatrix]:
    """Some users and how they move, by the earlier half of the days, and their traces since."""
    traces, rules = reference.traces, reference.rules
    begin = (traces.time_ids - 1) // rules.steps_per_day
    early = begin < begin[0] + reference.days // 2
    step, some = rules.step_of_day(traces.time_ids), some_users(traces.n_users)
    movements = Movements.learn(traces.region[:, early], step[early], rules).of_users(some)
    known = Reference(replace(traces, region=traces.region[np.ix_(some, early)]), rules)
    first = int(traces.time_ids[~early][0])
    return known, movements, TraceMatrix(traces.region[np.ix_(some, ~early)], first)


@lru_cache(maxsize=1)
def _movement_weights(reference: Reference, release: Cells) -> Floats:
    """(4,) how much each kind of evidence counts: what tells people apart in the later half.

    The later half of the days is held out, shown as the release shows its own, and attacked with
    what the others tell: the more days a release has, and the less it hides, the less each kind
    says beyond the others.
    """
    known, movements, since = _earlier_half(reference)
    noise, regions = noise_in(reference, release), reference.rules.regions
    hidden = replace(
        shown_alike(release, noise, regions, since.region), first_time=since.first_time
    )
    return evidence_weights([np.stack(_kinds_of_evidence(known, movements, hidden))])


def _kinds_of_evidence(
    reference: Reference, movements: Movements, release: Cells
) -> tuple[Floats, ...]:
    """Log-ratios of each track and user: by all mornings, by later cells, by moves, by stays."""
    step = reference.rules.step_of_day(release.time_ids)
    ratio, tracks = ratios_of(reference, release, 0), smoothed(reference, release)
    later = (np.arange(reference.rules.steps_per_day) > 0).astype(np.float32)
    where = shown_regions(release) if tracks is None else tracks.regions
    return (
        *_pair_evidence(reference.people, (release, step), tracks, ratio, later),
        *movements.evidence(where, step),
    )


@lru_cache(maxsize=1)
def _track_evidence(reference: Reference, release: Cells) -> tuple[Floats, Floats]:
    """Evidence of all mornings and of all later steps, by weight; kept, for all answers."""
    weight, noise = reference.people.step_weight.astype(np.float32), noise_in(reference, release)
    if reference.trained is None and not noise.none:
        weight[1:] = np.maximum(weight[1:], noise.least_weight)
    ratio, tracks = ratios_of(reference, release, 0), smoothed(reference, release)
    step = reference.rules.step_of_day(release.time_ids)
    mornings, later = _pair_evidence(reference.people, (release, step), tracks, ratio, weight)
    return np.float32(reference.people.home_weight) * mornings, later


def _pair_evidence(
    people: People,
    shown: tuple[Cells, npt.NDArray[np.int64]],
    tracks: SmoothedTracks | None,
    ratio: Floats,
    weight: Floats,
) -> tuple[Floats, Floats]:
    """Log-ratios of each track and user, (n_tracks, n_users): by all mornings, by later steps.

    Parameters
    ----------
    shown
        A release whose pseudonyms keep their users, and the step of the day of each column.
    tracks
        Its tracks smoothed; None: no cell hides anything.
    ratio
        (steps_per_day, n_contents, n_users) log-ratios of the release's contents by habit.
    weight
        (steps_per_day,) how much that of each cell counts; 0 at the first step.
    """
    release, step = shown
    n_users = release.n_rows
    if tracks is None:
        eye = np.eye(release.n_regions, dtype=np.float32)
        mornings = [eye[release.code[:, first]] for first in np.flatnonzero(step == 0)]
    else:
        mornings = tracks.mornings
    later = np.zeros((n_users, n_users), np.float32)
    for first in range(0, n_users, BLOCK):
        part = later[:, first : first + BLOCK]
        add_evidence(release.code, ratio, step, weight[step], first, part)
    return people.homes.ratios(mornings), later


def tells_nothing(reference: Reference, release: Cells) -> bool:
    """Whether all that a release shows is noise."""
    return noise_in(reference, release).everything and len(release.ptr) == 1
