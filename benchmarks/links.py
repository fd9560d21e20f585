"""Links of tracklets: answers against all histories, listed; time and memory by size.

    python benchmarks/links.py check --problems 2000
    python benchmarks/links.py measure --tracklets 10000 30000 100000 --links 100
    python benchmarks/links.py beliefs --tracklets 100000 --links 100

``check`` asks random problems (open, closed, in between, and with pairs of one vehicle) for next,
previous, chains, and chances, compares with brute force, and checks the certificates. Exit status
1 if anything differs.

``measure`` makes vehicles that are parked, ride, and get another identifier, with links from each
end to ``--links`` beginnings of the next hour on average; all must continue but at the end of the
data, and all must have come but at its beginning. It measures :func:`decide`, and SciPy's maximum
flow (Dinic's algorithm) for the ends alone, which is half of one history.

``beliefs`` makes the same vehicles, with random weights, and measures
:func:`marginals`, and how far the beliefs are off, as they say.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.certify.certify_links import certify_links
from mixsafe.check.link_check import check_links
from mixsafe.model.course import Deadline
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.tracklets import LinkBounds, LinkProblem
from mixsafe.tracklets.counting import chances_of
from mixsafe.tracklets.histories import decide
from mixsafe.tracklets.marginals import marginals
from mixsafe.tracklets.problems import chain_at
from tests.support.link_oracle import Listed, listed, random_links, times_of

HOUR = 3600


def main() -> None:
    """Check or measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    jobs = parser.add_subparsers(dest="job", required=True)
    checking = jobs.add_parser("check")
    checking.add_argument("--problems", type=int, default=2000)
    checking.add_argument("--most", type=int, default=8)
    measuring = jobs.add_parser("measure")
    measuring.add_argument("--tracklets", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    measuring.add_argument("--links", type=int, default=100)
    measuring.add_argument("--no-flow", action="store_true", help="leave out the maximum flow")
    believing = jobs.add_parser("beliefs")
    believing.add_argument("--tracklets", type=int, nargs="+", default=[100_000])
    believing.add_argument("--links", type=int, default=100)
    given = parser.parse_args()
    if given.job == "beliefs":
        for n in given.tracklets:
            believe(vehicles(n, given.links))
        return
    if given.job == "check":
        sys.exit(check(given.problems, given.most))
    for n in given.tracklets:
        measure(vehicles(n, given.links), with_flow=not given.no_flow)


def check(n_problems: int, most: int) -> bool:
    """Whether an answer differs from brute force."""
    wrong = contradicted = same = chains = 0
    for seed in range(n_problems):
        problem = random_links(np.random.default_rng(seed), most)
        truth, bounds = listed(problem), decide(problem)
        contradicted += truth.contradicted
        same += len(problem.same) > 0
        chains += len({asked[:2] for asked in truth.chain})
        if differs(problem, truth, bounds):
            wrong += 1
            print(f"problem {seed} differs")
    print(
        f"{n_problems} problems, {same} with pairs of one vehicle, {contradicted} contradicted, "
        f"{chains} chains: {wrong} differ"
    )
    return wrong > 0


def differs(problem: LinkProblem, truth: Listed, bounds: LinkBounds) -> bool:
    """Whether an answer differs from what is listed."""
    if truth.contradicted or bounds.contradiction is not None:
        return truth.contradicted != (bounds.contradiction is not None)
    proven = np.column_stack([problem.owner, problem.to])[bounds.proven].tolist()
    links = {(i, j) for i, j in proven}
    ends, begins = np.flatnonzero(bounds.may_end), np.flatnonzero(bounds.may_begin)
    after = links | {(i, -1) for i in ends.tolist()}
    before = {(j, i) for i, j in links} | {(i, -1) for i in begins.tolist()}
    chains = set()
    for i in range(len(problem)):
        for at in times_of(problem, i):
            found = chain_at(problem, bounds, i, at, Deadline(None))
            chains |= {(i, at, j) for j in found.proven.tolist()}
            chains |= {(i, at, -1)} if found.may_be_none else set()
            if not found.decided:
                return True
    chance = chances_of(problem, bounds)
    pairs = zip(problem.owner.tolist(), problem.to.tolist(), strict=True)
    count = np.array([truth.count.get(pair, 0) for pair in pairs]) / truth.n_histories
    is_claimed = len(problem.same) == 0
    close = np.allclose(chance, count) if is_claimed else np.isnan(chance).all()
    checked = check_links(certify_links(problem, bounds))
    shown = checked.possible_claimed == checked.excluded_claimed == checked.undecided == 0
    good = bounds.decided and close and (shown or not is_claimed)
    return not good or (after, before, chains) != truth[1:4]


def vehicles(n: int, links: int, seed: int = 0) -> LinkProblem:
    """Tracklets of a fleet in which each vehicle has 50, with ``links`` from each on average."""
    rng = np.random.default_rng(seed)
    fleet = n // 50
    gap, stay = rng.integers(60, HOUR, n), rng.integers(600, 4 * HOUR, n)
    length = (gap + stay).reshape(-1, fleet)
    first = (np.cumsum(length, axis=0) - length + rng.integers(0, HOUR, fleet)).ravel()
    order = np.argsort(first, kind="stable")
    vehicle, last, first = (np.arange(n) % fleet)[order], (first + stay)[order], first[order]
    own = np.lexsort((first, vehicle))
    after = np.full(n, -1)
    after[own[:-1]] = np.where(vehicle[own[:-1]] == vehicle[own[1:]], own[1:], -1)
    low, high = np.searchsorted(first, last, "right"), np.searchsorted(first, last + HOUR, "right")
    end, begin = np.repeat(np.arange(n), high - low), ranges(low, high - low)
    keep = (rng.random(len(end)) < links * n / len(end)) | (begin == after[end])
    end, begin = end[keep], begin[keep].astype(np.int32)
    come = np.zeros(n, bool)
    come[after[after >= 0]] = True
    must_continue = (after >= 0) & (last < first.max() - 5 * HOUR)
    ptr, none = pointers(np.bincount(end, minlength=n)), np.zeros((0, 2), np.int32)
    return LinkProblem(first, last, ptr, begin, must_continue, come & (first > 4 * HOUR), none)


def measure(problem: LinkProblem, *, with_flow: bool) -> None:
    """Print what a problem costs, with processor time of one thread."""
    began, used = time.perf_counter(), time.process_time()
    bounds = decide(problem)
    seconds, used = time.perf_counter() - began, time.process_time() - used
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1e6
    size = f"{len(problem):,} tracklets, {problem.n_links:,} links"
    print(f"{size}: {seconds:.1f} s, processor {used:.1f} s, {peak:.1f} GB", flush=True)
    used = time.process_time()
    checked = check_links(certify_links(problem, bounds))
    used = time.process_time() - used
    print(f"  certificate: processor {used:.1f} s, {checked.possible_claimed} claimed", flush=True)
    if with_flow:
        used = time.process_time()
        covered = flow(problem)
        used = time.process_time() - used
        print(f"  maximum flow of {covered:,} ends alone: processor {used:.1f} s", flush=True)


def believe(problem: LinkProblem, seed: int = 0) -> None:
    """Print what beliefs cost: processor time of all threads, and memory."""
    rng = np.random.default_rng(seed)
    usual = np.diff(problem.ptr)[problem.owner]
    weight = np.exp(rng.normal(0, 3, problem.n_links)) / usual * 10
    before, used = getrusage(RUSAGE_SELF).ru_maxrss / 1e6, time.process_time()
    found = marginals(problem, weight)
    used = time.process_time() - used
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(problem):,} tracklets, {problem.n_links:,} links: processor {used:.1f} s,"
        f" {peak:.1f} GB ({before:.1f} before), beliefs {found.error:.3f} off",
        flush=True,
    )


def flow(problem: LinkProblem) -> int:
    """Number of ends that must continue and can, by SciPy's maximum flow."""
    n, m = len(problem), problem.n_links
    rows = np.concatenate([problem.ptr, m + np.arange(1, n + 1), [m + 2 * n] * 2])
    ends = np.concatenate([problem.to + n, np.full(n, 2 * n + 1), np.arange(n)])
    capacity = np.ones(len(ends), np.int32)
    capacity[m + n :] = problem.must_continue
    graph = csr_array((capacity, ends.astype(np.int32), rows.astype(np.int32)))
    graph.resize((2 * n + 2, 2 * n + 2))
    return int(maximum_flow(graph, 2 * n, 2 * n + 1).flow_value)


if __name__ == "__main__":
    main()
