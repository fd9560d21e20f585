"""On which track somebody believes each known user to be, who saw her now and then.

The weight of a story, who is behind each track when, is the product of the likelihoods of all
sightings (:mod:`mixsafe.release.sighting_likelihoods`); before them all stories are alike. Where
pseudonyms are never exchanged, a story is a placement of the known users on tracks, no two on one.
Elsewhere the path of one user through mix zones is a Markov chain, summed up forward and backward;
of several, paths are drawn in turn, each given the others (Gibbs sampling), and the sums averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.errors import MixsafeError
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.wires import WireNetwork
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.placements import place
from mixsafe.release.sighting_likelihoods import LastSeen, SightingLikelihoods
from mixsafe.release.track_chain import Seen, TrackChain, size_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

PAIRS = 1 << 22
"""Pairs of a known user and a track, at most; of more users a sample is taken."""

ENTRIES = 1 << 17
"""Tracks that may explain sightings, at most; likewise."""

WORK = 100_000_000
"""Numbers that sums through mix zones visit, at most; likewise."""

SWEEPS = (24, 200)
"""Least and greatest number of draws of each path in a chain; with fewer, nothing is drawn."""

EXCHANGE = 10_000
"""Numbers that could be visited in the time in which two users exchange paths."""

KEPT = 1 << 24
"""Beliefs that chains keep, at most."""

CHAINS = 2

_BELOW_ONE = float(np.nextafter(1.0, 0.0))  # a belief that rounding makes 1, though others may be


@dataclass(frozen=True, eq=False)
class TrackBeliefs:
    """The track that is named for each of some known users, and the belief in it.

    Parameters
    ----------
    user
        (n,) numbers of the users, ascending; a sample where there are too many.
    n_known
        Number of all known users.
    first
        (n_stretches,) first step of each stretch in which nothing is exchanged.
    n_steps
        Number of all steps.
    track, belief
        (n, n_stretches) the likeliest track, and the belief in it.
    learned
        Whether the release taught how people move in gaps, or nothing had to be learned.
    together
        Whether beliefs are of all users at once, no two of whom are on one track; else each user is
        weighed as if nothing was known of the others.
    error
        Mean difference of the beliefs of two chains, halved; 0: nothing was drawn.
    """

    user: Ints
    n_known: int
    first: Ints
    n_steps: int
    track: npt.NDArray[np.int32]
    belief: Floats
    learned: bool
    together: bool
    error: float

    @classmethod
    def of(cls, evidence: Evidence, seed: int = 0, joined: Joined | None = None) -> TrackBeliefs:
        """Weigh the tracks of known users.

        All gaps may hide everybody, unless a reading was asked for: by likelihood alone.

        Parameters
        ----------
        joined
            The releases of which the evidence is; None: it is of one.
        """
        zones = evidence.zones
        weighed = _Weighed.of(evidence, seed, joined)
        if not len(zones):
            return weighed.placed()
        return weighed.through(zones)

    @cached_property
    def lasts(self) -> Ints:
        """(n_stretches,) number of steps of each stretch."""
        return np.diff(self.first, append=self.n_steps + 1)

    @cached_property
    def of_user(self) -> Floats:
        """(n,) belief in the named track, on average over the time."""
        shares: Floats = self.belief @ self.lasts / max(self.n_steps, 1)
        return shares


@dataclass(frozen=True, eq=False)
class Joined:
    """Several releases that are one after the other.

    Parameters
    ----------
    published
        The tracks of each.
    begins
        (n_releases,) step 0 of each.
    rows
        For each, (n_tracks,) row that carries each of its tracks.
    """

    published: Sequence[Published]
    begins: Ints
    rows: Sequence[Ints]

    @classmethod
    def alone(cls, published: Published | None) -> Joined | None:
        """One release; None: it is not known."""
        if published is None:
            return None
        return cls([published], np.zeros(1, np.int64), [np.arange(published.zones.n_users)])

    def steps(self, number: int) -> tuple[int, int]:
        """First and last step of a release."""
        begin = int(self.begins[number])
        return begin + 1, begin + self.published[number].zones.axis.steps

    def carries(self, n_rows: int) -> Bools:
        """(n_releases, n_rows) whether a row carries a track of each release."""
        found = np.zeros((len(self.rows), n_rows), bool)
        for number, mine in enumerate(self.rows):
            found[number, mine] = True
        return found

    def shown(self, network: WireNetwork) -> list[Bools]:
        """(n_wires,) for each release, the wires that carry a track of it while it lasts."""
        found = []
        for number, carries in enumerate(self.carries(network.n_rows)):
            first, last = self.steps(number)
            lasts = (network.start <= last) & (network.end >= first)
            found.append(lasts & carries[network.row])
        return found

    def likelihood(
        self, evidence: Evidence, sighting: Ints, row: npt.NDArray[np.int32], seed: int
    ) -> tuple[Floats, bool]:
        """Likelihood of each sighting on each track, and whether the releases taught enough."""
        time, places = evidence.pins.time, evidence.places
        found, learned = np.ones(len(row)), True
        if places is None:
            return found, learned
        for number, published in enumerate(self.published):
            first, last = self.steps(number)
            pins = np.flatnonzero((time >= first) & (time <= last))
            mine = np.flatnonzero((time[sighting] >= first) & (time[sighting] <= last))
            track = np.full(evidence.zones.n_users, -1, np.int64)
            track[self.rows[number]] = np.arange(len(self.rows[number]))
            known = evidence.pins.token[pins], time[pins].astype(np.int64) - first + 1, places[pins]
            of_pin = np.searchsorted(pins, sighting[mine])
            sure = SightingLikelihoods.of(published, seed)
            found[mine] = sure.of_sightings(
                track[row[mine]], known[1][of_pin], known[2][of_pin], _last_seen(*known, of_pin)
            )
            learned &= sure.table is not None or bool(np.all(found[mine] == 1))
        return found, learned


@dataclass(frozen=True, eq=False)
class _Weighed:
    """Sightings with the likelihood of each track that may explain them.

    Parameters
    ----------
    evidence
        The sightings.
    user
        Users of whom there is a belief.
    chosen
        (n_pins,) numbers of their sightings.
    ptr, row, likelihood
        Tracks of each of these, CSR, and their likelihoods.
    learned
        Whether the release taught how people move in gaps, or nothing had to be learned.
    seed
        Of what is drawn.
    joined
        The releases of which the evidence is; None: it is of one.
    """

    evidence: Evidence
    user: Ints
    chosen: Ints
    ptr: Ints
    row: npt.NDArray[np.int32]
    likelihood: Floats
    learned: bool
    seed: int
    joined: Joined | None = None

    @classmethod
    def of(cls, evidence: Evidence, seed: int, joined: Joined | None = None) -> _Weighed:
        """Weigh the sightings of as many users as can be weighed quickly."""
        tracks, token = evidence.tracks, evidence.pins.token
        n_known, n_rows = len(evidence.users), evidence.zones.n_users
        entries = np.bincount(token, np.diff(tracks.ptr), n_known)
        order = np.random.default_rng(seed).permutation(n_known)
        work = n_rows + n_rows * len(evidence.pins) / n_known + size_of(evidence.zones)
        fitting = min(PAIRS // n_rows, int(WORK / work) if len(evidence.zones) else n_known)
        fitting = min(fitting, int(np.searchsorted(np.cumsum(entries[order]), ENTRIES, "right")))
        user = np.sort(order[: max(fitting, 1)])
        chosen = np.flatnonzero(np.isin(token, user))
        entry = ranges(tracks.ptr[chosen], np.diff(tracks.ptr)[chosen])
        sighting = np.repeat(chosen, np.diff(tracks.ptr)[chosen])
        if evidence.asked is not None:
            kept = tracks.level[entry] <= evidence.asked.level
            entry, sighting = entry[kept], sighting[kept]
        row = tracks.rows[entry]
        likelihood, learned = np.ones(len(entry)), True
        releases = joined or Joined.alone(evidence.published)
        if releases is not None:
            likelihood, learned = releases.likelihood(evidence, sighting, row, seed)
        ptr = pointers(np.bincount(np.searchsorted(chosen, sighting), minlength=len(chosen)))
        return cls(evidence, user, chosen, ptr, row, likelihood, learned, seed, joined)

    def placed(self) -> TrackBeliefs:
        """Beliefs where pseudonyms are never exchanged."""
        n_rows, n = self.evidence.zones.n_users, len(self.user)
        token = np.searchsorted(self.user, self.evidence.pins.token[self.chosen])
        size = np.diff(self.ptr)
        pair = np.repeat(token, size) * np.int64(n_rows) + self.row
        with np.errstate(divide="ignore"):
            summed = np.bincount(pair, np.log(self.likelihood), n * n_rows)
        explained = np.bincount(pair, minlength=n * n_rows).reshape(n, n_rows)
        log: Floats = summed.reshape(n, n_rows).astype(np.float64)
        log[explained < np.bincount(token, minlength=n)[:, None]] = -np.inf
        belief, error = place(log, self.seed)
        open_to_doubt = np.count_nonzero(log > -np.inf, axis=1) > 1
        belief[open_to_doubt] = np.minimum(belief[open_to_doubt], _BELOW_ONE)
        track = belief.argmax(axis=1)
        return self._found(
            np.ones(1, np.int64),
            track[:, None].astype(np.int32),
            belief[np.arange(n), track][:, None],
            together=True,
            error=float(error.mean()),
        )

    def through(self, zones: MixZones) -> TrackBeliefs:
        """Beliefs through mix zones."""
        chain = TrackChain.of(zones)
        seen = [self._seen(user) for user in self.user.tolist()]
        first = np.unique(np.concatenate([[1], zones.time[zones.time > 0]])).astype(np.int64)
        several = len(seen) > 1 and zones.relation is None
        drawn = self._drawn(chain, seen, first) if several else None
        if drawn is not None:
            return drawn
        n = len(seen)
        track, belief = np.zeros((n, len(first)), np.int32), np.zeros((n, len(first)))
        free = np.zeros(chain.n_wires, bool)
        for number, one in enumerate(seen):
            wires, _ = chain.beliefs(one, free)
            if wires is None:
                raise MixsafeError("internal error, a known user is on no track")
            self._name(chain, wires, first, track[number], belief[number])
        return self._found(first, track, belief, together=n == 1)

    def _name(
        self,
        chain: TrackChain,
        wires: Floats,
        first: Ints,
        track: npt.NDArray[np.int32],
        belief: Floats,
    ) -> None:
        """Fill in the likeliest track of each stretch, and the belief in it.

        Of several releases, it is that of somebody who is in the release: not to be in it is none.
        """
        if self.joined is None:
            chain.name(wires, first, track, belief)
            return
        shown = self.joined.shown(chain.network)
        chain.name(wires * np.logical_or.reduce(shown), first, track, belief)
        for number, mine in enumerate(shown):
            begin, end = self.joined.steps(number)
            present = mine & (chain.network.start <= begin)
            here = (first >= begin - 1) & (first <= end)
            belief[here] /= max(float(wires[present].sum()), np.finfo(float).tiny)

    def _drawn(self, chain: TrackChain, seen: list[Seen], first: Ints) -> TrackBeliefs | None:
        """Beliefs of several users, by drawing their paths; None: that is too much work."""
        n = len(seen)
        sweeps = int(min(WORK / (2 * CHAINS * (chain.size + EXCHANGE) * n), SWEEPS[1]))
        if sweeps < SWEEPS[0] or CHAINS * n * chain.n_wires > KEPT:
            return None
        sums = np.zeros((CHAINS, n, chain.n_wires))
        for number in range(CHAINS):
            if not chain.gibbs(seen, sweeps, sums[number], self.seed * CHAINS + number):
                return None
        track = np.zeros((CHAINS + 1, n, len(first)), np.int32)
        belief = np.zeros((CHAINS + 1, n, len(first)))
        mean = sums.mean(axis=0)
        for one in range(n):
            self._name(chain, mean[one], first, track[-1, one], belief[-1, one])
            for number in range(CHAINS):
                of_chain = track[number, one], belief[number, one]
                self._name(chain, sums[number, one], first, *of_chain)
        error = float(np.ptp(belief[:CHAINS], axis=0).mean()) / 2
        return self._found(first, track[-1], belief[-1], together=True, error=error)

    def _seen(self, user: int) -> Seen:
        """Sightings of a user."""
        pins = self.evidence.pins
        mine = np.flatnonzero(pins.token[self.chosen] == user)
        mine = mine[np.argsort(pins.time[self.chosen[mine]], kind="stable")]
        likelihood = np.zeros((len(mine), self.evidence.zones.n_users))
        size = np.diff(self.ptr)[mine]
        entry = ranges(self.ptr[mine], size)
        likelihood[np.repeat(np.arange(len(mine)), size), self.row[entry]] = self.likelihood[entry]
        return Seen(pins.time[self.chosen[mine]].astype(np.int64), likelihood)

    def _found(
        self,
        first: Ints,
        track: npt.NDArray[np.int32],
        belief: Floats,
        *,
        together: bool,
        error: float = 0.0,
    ) -> TrackBeliefs:
        zones, n_known = self.evidence.zones, len(self.evidence.users)
        return TrackBeliefs(
            self.user,
            n_known,
            first,
            zones.axis.steps,
            track,
            np.minimum(belief, 1.0),
            self.learned,
            together,
            error,
        )


def _last_seen(
    token: npt.NDArray[np.int32], time: npt.NDArray[np.integer], places: Ints, sighting: Ints
) -> LastSeen:
    """When and where the same user was seen last before each of some sightings.

    Parameters
    ----------
    token, time, places
        (n_pins,) user, step and place of all sightings.
    sighting
        Numbers of those that are asked about.
    """
    order = np.lexsort((time, token))
    before = np.full(len(order), -1)
    again = np.diff(token[order]) == 0
    before[order[1:][again]] = order[:-1][again]
    last = before[sighting]
    step = np.where(last >= 0, time[last], -1).astype(np.int64)
    return LastSeen(step, np.where(last >= 0, places[last], 0))
