"""The way of a user through mix zones: beliefs by sums forward and backward, and drawn paths.

The path of one user is a Markov chain. Those of several are drawn in turn, each given the others
(Gibbs sampling), and two of them exchange parts of their paths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.model.csr import pointers
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.movement.permutations import believe
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.local.generator import State, spread_beginning, uniform

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

BEGINNINGS = 20
"""Times that paths are drawn for a chain to begin with, at most."""


class Seen(NamedTuple):
    """Sightings of one user by their steps, with the likelihood of each on each track.

    Parameters
    ----------
    step
        (n,) ascending.
    likelihood
        (n, n_rows) of each track.
    """

    step: Ints
    likelihood: Floats


def size_of(zones: MixZones) -> int:
    """Numbers that a sum forward and backward visits, and what names tracks."""
    stretches = len(np.unique(zones.time)) + 1
    pairs = 0 if zones.relation is None else int((zones.sizes.astype(np.int64) ** 2).sum())
    return 4 * (len(zones.members) + zones.n_users) + pairs + stretches * zones.n_users


class Paths(NamedTuple):
    """Mix zones for compiled functions.

    Parameters
    ----------
    first, row
        As in :class:`mixsafe.network.wires.WireNetwork`.
    zone
        (n_wires,) zone to which each wire leads, -1 at the end.
    time, ptr, before
        Of zones: step, offsets of members, and the wire on which each member comes.
    pair_ptr, pair
        Chances of the pairs of zones that do not allow all, (m * m,) each, CSR.
    """

    first: Ints
    row: Ints
    zone: Ints
    time: Ints
    ptr: Ints
    before: Ints
    pair_ptr: Ints
    pair: Floats


@dataclass(frozen=True, eq=False)
class TrackChain:
    """The way of one user through mix zones.

    Parameters
    ----------
    network
        Wires of the tracks.
    paths
        The same for compiled functions.
    size
        Numbers that a sum forward and backward visits.
    """

    network: WireNetwork
    paths: Paths
    size: int

    @classmethod
    def of(cls, zones: MixZones) -> TrackChain:
        """The chain through some mix zones."""
        network = WireNetwork.of(zones)
        pair_ptr, pair = _chances(zones)
        wires = network.first, network.row, network.leads_to
        of_zones = network.zone_time, network.zone_ptr, network.before
        first, row, zone, time, ptr, before = (
            np.array(one, np.int64) for one in (*wires, *of_zones)
        )
        paths = Paths(first, row, zone, time, ptr, before, pair_ptr, pair)
        return cls(network, paths, size_of(zones))

    @property
    def n_wires(self) -> int:
        """Number of wires."""
        return self.network.n_wires

    def beliefs(self, seen: Seen, taken: Bools) -> tuple[Floats | None, Floats]:
        """(n_wires,) beliefs of a user, and the sums forward; None: no path fits.

        Parameters
        ----------
        taken
            (n_wires,) wires on which others are.
        """
        forward, belief = np.zeros((2, self.n_wires))
        scale = np.zeros(len(seen.step))
        if not _forward(self.paths, seen, taken, forward, scale):
            return None, forward
        _backward(self.paths, seen, taken, forward, scale, belief)
        return belief, forward

    def gibbs(self, seen: list[Seen], sweeps: int, sums: Floats, seed: int) -> bool:
        """Draw paths of users in turn, and average their beliefs given the others.

        Parameters
        ----------
        sums
            (n, n_wires) filled with the means after the first quarter.
        seed
            Of what is drawn.

        Returns
        -------
        bool
            Whether there were paths to begin with.
        """
        random, state = np.random.default_rng(seed), spread_beginning(seed + 1)
        path: list[Ints] = []
        taken, drawn = np.zeros(self.n_wires, bool), np.zeros(self.n_wires, np.int64)

        def draw(user: int) -> Floats | None:
            taken[path[user]] = False
            belief, forward = self.beliefs(seen[user], taken)
            if belief is not None:
                path[user] = drawn[: _draw(self.paths, forward, state, drawn)][::-1].copy()
                taken[path[user]] = True
            return belief

        def begin() -> bool:
            path[:] = [np.zeros(0, np.int64)] * len(seen)
            taken[:] = False
            return all(draw(user) is not None for user in random.permutation(len(seen)).tolist())

        if not any(begin() for _ in range(BEGINNINGS)):
            return False
        for sweep in range(sweeps):
            for _ in range(len(seen)):
                self._exchange(seen, path, random)
            for user in range(len(seen)):
                belief = draw(user)
                if sweep >= sweeps // 4:
                    sums[user] += 0.0 if belief is None else belief
        sums /= sweeps - sweeps // 4
        return True

    def _exchange(self, seen: list[Seen], path: list[Ints], random: np.random.Generator) -> None:
        """Let two users exchange their paths between two zones where both are (Metropolis).

        The start, where anybody may be on any track, and the end count as such.
        """
        a, b = random.choice(len(seen), 2, replace=False).tolist()
        one, other = path[a], path[b]
        zones = self.network.leads_to[one[:-1]], self.network.leads_to[other[:-1]]
        _, here, there = np.intersect1d(*zones, assume_unique=True, return_indices=True)
        cuts = np.stack([np.r_[0, here + 1, len(one)], np.r_[0, there + 1, len(other)]])
        first, last = np.sort(random.choice(cuts.shape[1], 2, replace=False))
        (begin, end), (start, stop) = cuts[:, [first, last]].tolist()
        new_one = np.concatenate([one[:begin], other[start:stop], one[end:]])
        new_other = np.concatenate([other[:start], one[begin:end], other[stop:]])
        better = self._fits(seen[a], new_one) + self._fits(seen[b], new_other)
        worse = self._fits(seen[a], one) + self._fits(seen[b], other)
        if np.log(random.random()) < better - worse:
            path[a], path[b] = new_one, new_other

    def _fits(self, seen: Seen, path: Ints) -> float:
        """Logarithm of the likelihood of a user's sightings on a path."""
        wire = path[np.searchsorted(self.network.start[path], seen.step, side="right") - 1]
        chances = seen.likelihood[np.arange(len(wire)), self.network.row[wire]]
        with np.errstate(divide="ignore"):
            return float(np.log(chances).sum())

    def name(self, belief: Floats, first: Ints, track: npt.NDArray[np.int32], best: Floats) -> None:
        """Fill in the likeliest track of each stretch, and the belief in it."""
        _name(self.paths, belief, first, track, best)


def _chances(zones: MixZones) -> tuple[Ints, Floats]:
    """Chances of pairs in zones that do not allow all: all that they allow are alike."""
    sizes = zones.sizes.astype(np.int64)
    if zones.relation is None:
        return np.zeros(len(zones) + 1, np.int64), np.zeros(0)
    some = zones.relation.zones
    ptr = np.zeros(len(zones), np.int64)
    ptr[some] = sizes[some] ** 2
    cost = [
        np.where(zones.relation.matrix(zone, int(sizes[zone])), 0.0, np.inf).ravel()
        for zone in some.tolist()
    ]
    excess = np.concatenate([np.zeros(0), *cost])
    belief = np.zeros(len(excess))
    believe(excess, sizes[some], belief)
    return pointers(ptr), belief


@inner
def _see(  # pragma: no cover - compiled
    seen: Seen, number: int, current: Ints, forward: Floats, scale: Floats
) -> bool:
    """Take a sighting into the sums forward, so that they still add up to 1."""
    total = 0.0
    for row in range(len(current)):
        forward[current[row]] *= seen.likelihood[number, row]
        total += forward[current[row]]
    if total <= 0:
        return False
    for row in range(len(current)):
        forward[current[row]] /= total
    scale[number] = total
    return True


@inner
def _cross(  # pragma: no cover - compiled
    paths: Paths, zone: int, taken: Bools, forward: Floats
) -> None:
    """Take the sums forward through a zone."""
    begin, end = paths.ptr[zone], paths.ptr[zone + 1]
    size, head = end - begin, paths.pair_ptr[zone]
    if paths.pair_ptr[zone + 1] > head:
        for other in range(size):
            total = 0.0
            for one in range(size):
                came = forward[paths.before[begin + one]]
                total += came * paths.pair[head + one * size + other]
            forward[paths.before[begin + other] + 1] = total
        return
    total, n_free = 0.0, 0
    for entry in range(begin, end):
        total += forward[paths.before[entry]]
        n_free += not taken[paths.before[entry] + 1]
    for entry in range(begin, end):
        wire = paths.before[entry] + 1
        forward[wire] = 0.0 if taken[wire] else total / n_free


@compiled
def _forward(  # pragma: no cover - compiled
    paths: Paths, seen: Seen, taken: Bools, forward: Floats, scale: Floats
) -> bool:
    """Sum up over the paths to each wire; false: none fits the sightings."""
    current = paths.first[:-1].copy()
    n_free = 0
    for wire in current:
        n_free += not taken[wire]
    for wire in current:
        if not taken[wire]:
            forward[wire] = 1.0 / n_free
    number = 0
    for zone in range(len(paths.time)):
        while number < len(seen.step) and seen.step[number] < paths.time[zone]:
            if not _see(seen, number, current, forward, scale):
                return False
            number += 1
        _cross(paths, zone, taken, forward)
        for entry in range(paths.ptr[zone], paths.ptr[zone + 1]):
            current[paths.row[paths.before[entry]]] = paths.before[entry] + 1
    while number < len(seen.step):
        if not _see(seen, number, current, forward, scale):
            return False
        number += 1
    return True


@compiled
def _backward(  # pragma: no cover - compiled
    paths: Paths, seen: Seen, taken: Bools, forward: Floats, scale: Floats, belief: Floats
) -> None:
    """Sum up over the paths from each wire on, and take both sums together."""
    current = paths.first[1:] - 1
    onward = np.zeros(len(belief))
    for wire in current:
        onward[wire] = 1.0
        belief[wire] = forward[wire]
    number = len(seen.step) - 1
    for zone in range(len(paths.time) - 1, -1, -1):
        while number >= 0 and seen.step[number] >= paths.time[zone]:
            for row in range(len(current)):
                onward[current[row]] *= seen.likelihood[number, row] / scale[number]
            number -= 1
        begin, end = paths.ptr[zone], paths.ptr[zone + 1]
        size, head = end - begin, paths.pair_ptr[zone]
        total, n_free = 0.0, 0
        for entry in range(begin, end):
            wire = paths.before[entry] + 1
            if not taken[wire]:
                total += onward[wire]
                n_free += 1
        for one in range(size):
            if paths.pair_ptr[zone + 1] > head:
                rest = 0.0
                for other in range(size):
                    chance = paths.pair[head + one * size + other]
                    rest += chance * onward[paths.before[begin + other] + 1]
            else:
                rest = total / max(n_free, 1)
            wire = paths.before[begin + one]
            onward[wire] = rest
            belief[wire] = forward[wire] * rest
            current[paths.row[wire]] = wire


@compiled
def _draw(  # pragma: no cover - compiled
    paths: Paths, forward: Floats, random: State, path: Ints
) -> int:
    """Draw a path from its last wire back to the first, by the sums forward; its length.

    All zones allow all exchanges.
    """
    luck, wire = uniform(random), -1
    for row in range(len(paths.first) - 1):
        last = paths.first[row + 1] - 1
        if forward[last] > 0:
            wire = last
            luck -= forward[last]
            if luck < 0:
                break
    length = 0
    while True:
        path[length] = wire
        length += 1
        if wire == paths.first[paths.row[wire]]:
            return length
        zone = paths.zone[wire - 1]
        total = 0.0
        for entry in range(paths.ptr[zone], paths.ptr[zone + 1]):
            total += forward[paths.before[entry]]
        luck = uniform(random) * total
        for entry in range(paths.ptr[zone], paths.ptr[zone + 1]):
            came = forward[paths.before[entry]]
            if came > 0:
                wire = paths.before[entry]
                luck -= came
                if luck < 0:
                    break


@compiled
def _name(  # pragma: no cover - compiled
    paths: Paths, belief: Floats, first: Ints, track: npt.NDArray[np.int32], best: Floats
) -> None:
    """Fill in the likeliest track of each stretch, and the belief in it."""
    current = paths.first[:-1].copy()
    zone = 0
    for stretch in range(len(first)):
        while zone < len(paths.time) and paths.time[zone] <= first[stretch]:
            for entry in range(paths.ptr[zone], paths.ptr[zone + 1]):
                current[paths.row[paths.before[entry]]] = paths.before[entry] + 1
            zone += 1
        for row in range(len(current)):
            if belief[current[row]] > best[stretch]:
                best[stretch] = belief[current[row]]
                track[stretch] = row
