"""What an attacker can find at most in virtual users' traces: one who knows how each user moves.

    python benchmarks/contest_limit.py model.npz --days 40 --seed 1

Samples a team from a model of ``mixsafe synthesize train`` as ``mixsafe synthesize sample --steps
20`` does, whose later half of the days is released under pseudonyms that keep their users. The
attacker knows each user's features and home, and so the probability of every move: the likelihood
of a track under a user is that of the chain that made the user's traces. Prints s_R of the
likeliest user of each track, and of the assignment with the largest likelihood. The same of an
attacker who knows how likely each user is in each region at each time, and takes cells as
independent; and of one who knows the model, that is the factors of regions and moves and how
features are distributed, but no user: features are those under which the moves of the earlier half
are likeliest, and beside moves there is what POST makes of homes, moves and stays.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.posterior.movements import Movements
from mixsafe.contest.posterior.smoothing import shown_regions
from mixsafe.contest.posterior.whole_tracks import matched
from mixsafe.io.traces.trace_model import read_model
from mixsafe.machinery.compiled import compiled, side_by_side
from mixsafe.model.csr import ranges
from mixsafe.model.mobility.complete_traces import TraceMatrix, TraceModel
from mixsafe.model.release import Cells
from mixsafe.synthesize.ppmtf import virtual_users
from mixsafe.synthesize.ppmtf.virtual_users import FLOOR, Habits, Home, SamplingPlan, sample

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STEPS = 20
"""Times of a day."""


class Edges(NamedTuple):
    """Moves that training users made, CSR by region: where to, and the place of the way back.

    ``back`` is -1 where nobody made the way back.
    """

    ptr: Ints
    to: Ints
    back: Ints


class Tracks(NamedTuple):
    """(n, n_steps) regions of each track, and the edge over which it came; -1: over none."""

    region: Ints
    edge: Ints


@compiled
def fill_chances(
    habits: tuple[Floats, Floats],
    visits: Floats,
    edges: Edges,
    found: tuple[Floats, Floats, Floats],
) -> None:
    """Chances of one user, of one Metropolis-Hastings move.

    Parameters
    ----------
    habits
        (n_regions, z) features times those of locations, and (n_regions, z) of destinations.
    visits
        (n_steps_of_day, n_regions) stationary probabilities at each step of a day.
    found
        Filled: (n_steps_of_day, n_edges) and (n_steps_of_day, n_regions) logarithms of each move
        and of staying, and (n_regions,) sums of counts.
    """
    taste, destination = habits
    moved, stayed, sums = found
    count = np.empty(len(edges.to))
    for here in range(len(taste)):
        sums[here] = FLOOR * (len(taste) - (edges.ptr[here + 1] - edges.ptr[here]))
        for edge in range(edges.ptr[here], edges.ptr[here + 1]):
            product = np.sum(taste[here] * destination[edges.to[edge]])
            count[edge] = max(product, FLOOR)
            sums[here] += count[edge]
    for step in range(len(visits)):
        aim = visits[step]
        for here in range(len(taste)):
            left = 1.0
            for edge in range(edges.ptr[here], edges.ptr[here + 1]):
                there = edges.to[edge]
                back = count[edges.back[edge]] if edges.back[edge] >= 0 else FLOOR
                chance = min(count[edge] / sums[here], aim[there] / aim[here] * back / sums[there])
                left -= 0.0 if there == here else chance
                moved[step, edge] = np.log(max(chance, 1e-30))
            stayed[step, here] = np.log(max(left, 1e-9))


@compiled
def add_likelihood(
    chances: tuple[Floats, Floats, Floats], visits: Floats, tracks: Tracks, found: Floats
) -> None:
    """Fill (n,) the log-likelihood of each track under the user of some chances."""
    moved, stayed, sums = chances
    for track in range(len(tracks.region)):
        total = 0.0
        for at in range(tracks.region.shape[1]):
            step, here = at % len(visits), tracks.region[track, at]
            if step == 0:  # each day begins afresh
                total += np.log(visits[0, here])
                continue
            before, edge = tracks.region[track, at - 1], tracks.edge[track, at]
            if before == here:
                total += stayed[step, here]
            elif edge >= 0:
                total += moved[step, edge]
            else:
                rare = visits[step, here] / visits[step, before] * FLOOR / sums[here]
                total += np.log(max(min(FLOOR / sums[before], rare), 1e-30))
        found[track] = total


def edges_of(model: TraceModel) -> Edges:
    """The moves of a model."""
    ptr, to = model.edge_ptr.astype(np.int64), model.edge_to.astype(np.int64)
    source = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    n_regions = len(ptr) - 1
    return Edges(ptr, to, _places(source * n_regions + to, to * n_regions + source))


def _places(key: Ints, wanted: Ints) -> Ints:
    """Places of numbers in ascending ones; -1: not there."""
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    return np.where(key[at] == wanted, at, -1)


def tracks_of(region: Ints, edges: Edges) -> Tracks:
    """Tracks, and the edges over which they came."""
    n_regions = len(edges.ptr) - 1
    source = np.repeat(np.arange(n_regions), np.diff(edges.ptr))
    edge = np.full(region.shape, -1)
    moves = region[:, :-1] * n_regions + region[:, 1:]
    edge[:, 1:] = _places(source * n_regions + edges.to, moves.ravel()).reshape(moves.shape)
    return Tracks(region, edge)


def visits_of(model: TraceModel, plan: SamplingPlan, vector: Floats, chance: float) -> Floats:
    """(steps, n_regions) where a user is at each step of a day, the home included."""
    habits = Habits(
        model.location * vector, np.ascontiguousarray(model.destination.T), model.slot,
        model.edge_ptr, model.edge_to, model.visited, plan.seen_only,
    )  # fmt: skip
    visits = virtual_users._visits(habits)
    home = Home(float(plan.home), plan.slots_at_home(model.n_slots))
    virtual_users._settle(visits, home, chance)
    return np.asarray(visits[plan.slot_of_step(model.n_slots)[0]])


def likelihoods(model: TraceModel, plan: SamplingPlan, region: Ints) -> tuple[Floats, Floats]:
    """(n_tracks, n_users) logarithms: by the chain, and of cells as if they were independent."""
    edges, root = edges_of(model), virtual_users._root(model.covariance)
    tracks, destination = tracks_of(region, edges), np.ascontiguousarray(model.destination)
    chain, cells = np.empty((plan.users, len(region))), np.zeros((len(region), plan.users))
    steps = np.arange(region.shape[1]) % STEPS

    def of_user(number: int) -> None:
        # The same draws as those that made the user.
        random = np.random.default_rng([plan.seed, 1, plan.team, number])
        vector = model.mean + root @ random.standard_normal(model.z)
        visits = visits_of(model, plan, vector, random.random())
        shape = len(visits), visits.shape[1]
        chances = np.empty((shape[0], len(edges.to))), np.empty(shape), np.empty(shape[1])
        fill_chances((model.location * vector, destination), visits, edges, chances)
        add_likelihood(chances, visits, tracks, chain[number])
        cells[:, number] = np.log(visits)[steps, region].sum(axis=1)

    side_by_side(of_user, range(plan.users))
    return chain.T, cells


ROUNDS, TURNS = 3, 100
"""Of factors of edges and features in turn; of gradients for each."""

SOFT, CROWD = 1e-3, 0.01
"""How far clipping is rounded off; the part of a move that is everybody's."""


class Leavings(NamedTuple):
    """Where people went on to from each region that they left.

    Parameters
    ----------
    user, edge, count
        (n,) pairs of a user and an edge that leaves such a region, by user and region, and how
        often the user took it.
    times, begin
        For each user and region how often it was left, and where its pairs begin.
    """

    user: Ints
    edge: Ints
    count: Floats
    times: Floats
    begin: Ints

    @classmethod
    def of(cls, region: Ints, edges: Edges) -> Leavings:
        """Of (n_users, n_steps) regions; each day begins afresh."""
        user, edge = moves_of(region, edges)
        source = np.repeat(np.arange(len(edges.ptr) - 1), np.diff(edges.ptr))
        pairs, which = np.unique(user * len(edges.ptr) + source[edge], return_inverse=True)
        user, source = np.divmod(pairs, len(edges.ptr))
        size = np.diff(edges.ptr)[source]
        begin = np.cumsum(size) - size
        at = begin[which] + edge - edges.ptr[source[which]]
        count = np.bincount(at, minlength=int(size.sum())).astype(float)
        times = np.bincount(which).astype(float)
        return cls(user.repeat(size), ranges(edges.ptr[source], size), count, times, begin)

    def shares(self, weight: Floats) -> Floats:
        """(n,) part of those who leave that each pair stands for, from a weight of each."""
        size = np.diff(np.append(self.begin, len(weight)))
        return weight / np.add.reduceat(weight, self.begin).repeat(size)

    @property
    def left(self) -> Floats:
        """(n,) how often the user left the region of each pair."""
        return self.times.repeat(np.diff(np.append(self.begin, len(self.edge))))


def moves_of(region: Ints, edges: Edges) -> tuple[Ints, Ints]:
    """Row and edge of each move to another region within a day."""
    tracks = tracks_of(region, edges)
    row, column = np.nonzero((tracks.edge >= 0) & (np.arange(region.shape[1]) % STEPS > 0))
    moved = region[row, column] != region[row, column - 1]
    return row[moved], tracks.edge[row, column][moved]


def clipped(product: Floats) -> tuple[Floats, Floats]:
    """What is positive of products, with a rounded corner; and its slope over itself."""
    root = np.sqrt(product**2 + SOFT)
    return (product + root) / 2, 1 / root


def edge_factors(products: Floats, seen: Leavings, features: Floats) -> Floats:
    """(n_edges,) factors that make as many people take each edge as did."""
    taken = np.bincount(seen.edge, seen.count, minlength=len(products)) + 0.3
    weight, factor = clipped(_product(products, seen, features))[0], np.ones(len(products))
    for _ in range(5):
        expected = seen.shares(weight * factor[seen.edge]) * seen.left
        factor *= taken / (np.bincount(seen.edge, expected, minlength=len(products)) + 0.3)
    return factor


def _product(products: Floats, seen: Leavings, features: Floats) -> Floats:
    """(n,) products of features of each pair."""
    return np.einsum("ij,ij->i", features[seen.user], products[seen.edge])


def fitted_features(products: Floats, seen: Leavings, factor: Floats, n_users: int) -> Floats:
    """(n_users, 1 + z) normal features under which moves are likeliest; the first is 1 (Adam)."""
    features = np.zeros((n_users, products.shape[1]))
    features[:, 0] = 1
    begin = np.flatnonzero(np.diff(seen.user, prepend=-1))
    mean, square = np.zeros((2, *features.shape))
    for turn in range(1, TURNS + 1):
        weight, steep = clipped(_product(products, seen, features))
        share = seen.shares(weight * factor[seen.edge])
        slope = features.copy()
        of_pairs = ((share * seen.left - seen.count) * steep)[:, None] * products[seen.edge]
        slope[seen.user[begin]] += np.add.reduceat(of_pairs, begin)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        step = mean / (1 - 0.9**turn) / (np.sqrt(square / (1 - 0.99**turn)) + 1e-8)
        features[:, 1:] -= 0.1 * min(1, 3 * (1 - turn / (TURNS + 1))) * step[:, 1:]
    return features


def moves_by_model(model: TraceModel, known: Ints, shown: Ints) -> Floats:
    """(n_tracks, n_users) log-likelihoods of moves, by features that were found in earlier traces.

    Of those who leave a region the part that goes to another is the clipped product of features,
    times a factor of the edge, which stands for how often the move is accepted.
    """
    edges, root = edges_of(model), virtual_users._root(model.covariance)
    source = np.repeat(np.arange(len(edges.ptr) - 1), np.diff(edges.ptr))
    both = model.location[source] * model.destination[edges.to]
    products = np.column_stack([both @ model.mean, both @ root])
    products /= np.abs(products[:, 0]).mean()
    products[source == edges.to] = 0  # staying is no move
    products[source == edges.to, 0] = -100
    seen = Leavings.of(known, edges)
    features = np.random.default_rng(0).standard_normal((len(known), products.shape[1]))
    features[:, 0] = 1
    for _ in range(ROUNDS):
        factor = edge_factors(products, seen, features)
        features = fitted_features(products, seen, factor, len(known))
    weight = clipped(products @ features.T)[0] * factor[:, None]
    crowd = np.bincount(seen.edge, seen.count, minlength=len(products)) + 0.3
    shares = [
        one / np.add.reduceat(one, edges.ptr[:-1])[source] for one in (weight, crowd[:, None])
    ]
    table = np.log((1 - CROWD) * shares[0] + CROWD * shares[1])
    table -= table.mean(axis=1, keepdims=True)
    row, edge = moves_of(shown, edges)
    shape = len(shown), len(products)
    return np.asarray(sparse.csr_array((np.ones(len(row)), (row, edge)), shape) @ table)


def beside_moves(known: Ints, shown: Ints) -> Floats:
    """(n_tracks, n_users) what POST makes of homes, moves and stays."""
    rules = Rules(steps_per_day=STEPS)
    reference = Reference(TraceMatrix(known.astype(np.int32)), rules)
    step = rules.step_of_day(reference.traces.time_ids)
    movements = Movements.learn(reference.traces.region, step, rules)
    cells = Cells.of_regions(shown.astype(np.int32), rules.regions.count)
    eye = np.eye(rules.regions.count, dtype=np.float32)
    mornings = reference.people.homes.ratios(
        [eye[shown[:, at]] for at in np.flatnonzero(step == 0)]
    )
    return np.asarray(mornings + sum(movements.evidence(shown_regions(cells), step)), float)


def left(likelihood: Floats) -> tuple[float, float]:
    """s_R of the likeliest user of each track over all matchings, and of the best matching."""
    own = np.arange(len(likelihood))
    surest = matched(likelihood.astype(np.float32)).argmax(axis=1)
    assigned = linear_sum_assignment(-likelihood)[1]
    return float((surest != own).mean()), float((assigned != own).mean())


def main() -> None:
    """Print what is left of a team."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("model", type=Path)
    words.add_argument("--users", type=int, default=2000)
    words.add_argument("--days", type=int, default=40, help="half of them are the release's")
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    model = read_model(given.model)
    plan = SamplingPlan(given.users, given.days, steps=STEPS, home=20.0, seed=given.seed)
    region = sample(model, plan).region.astype(np.int64)
    known, region = np.split(region, [given.days // 2 * STEPS], axis=1)
    print("| attacker knows | likeliest users | one to one |\n| --- | ---: | ---: |")
    names = ("how each user moves", "how likely each user is where")
    for name, found in zip(names, likelihoods(model, plan, region), strict=True):
        print("| {} | {:.4f} | {:.4f} |".format(name, *left(found)))
    found = moves_by_model(model, known, region) + beside_moves(known, region)
    print("| the model, and no user | {:.4f} | {:.4f} |".format(*left(found)))


if __name__ == "__main__":
    main()
