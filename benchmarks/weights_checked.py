"""Are weights those of all assignments? Random problems with any knowledge and any law.

    python benchmarks/weights_checked.py --problems 2000
    python benchmarks/weights_checked.py --problems 200 --sampled 200
    python benchmarks/weights_checked.py --problems 0 --apart 50

Each problem is counted, and compared with the weights of all its assignments, listed. As many as
`--sampled` says are drawn from by chains as well: how often do their 95 % intervals hold the truth,
and is the total variation to it below the stated error? Exit status 1 if counting is off by more
than 1e-12, or intervals hold the truth for less than 93 % or more than 97 % of what is settled.
With `--apart` as many problems are drawn whose assignments small moves do not connect; the exit
status is 1, too, if one wire of them is settled and off by more than four times its error.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from mixsafe.model.course import Course

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import Uniform
from mixsafe.weigh.plan import ERROR
from mixsafe.weigh.sampling import RHAT, error_of_share, furthest, interval
from tests.support.oracles import posterior
from tests.support.worlds_to_weigh import (
    all_are_one_move_apart,
    apart,
    core_of,
    full_chains,
    known_at_both_ends,
    random_model,
    random_problem,
)

EXACT = 1e-12


def main() -> None:
    """Weigh, compare, and say how far they differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--sampled", type=int, default=0)
    parser.add_argument("--apart", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began, worst, sums = time.process_time(), 0.0, np.zeros(3, np.int64)
    for number in range(given.problems):
        seed = [given.seed, number]
        worst = max(worst, _off(seed))
        if number < given.sampled:
            sums += _sampled(seed, number)
    print(f"{given.problems:,} problems counted: off by {worst:.1e} at most")
    settled, held, within = sums.tolist()
    good = worst <= EXACT
    if settled:
        print(f"{given.sampled:,} of them sampled, {settled:,} wires settled:")
        print(f"  intervals hold the truth on {held / settled:.2%},")
        print(f"  total variation is as stated on {within / settled:.2%}")
        good &= 0.93 <= held / settled <= 0.97 and within / settled >= 0.95
    if given.apart:
        looked, settled, wires, wrong = _apart(given.apart, given.seed)
        print(
            f"{given.apart:,} problems of {looked:,} whose assignments small moves do not connect:"
        )
        print(f"  {settled:,} of {wires:,} wires settled, {wrong} of them wrong")
        good &= wrong == 0
    print(f"{time.process_time() - began:.0f} s of processor time")
    sys.exit(0 if good else 1)


def _off(seed: list[int]) -> float:
    """How far counting is from the weights of all assignments."""
    random = np.random.default_rng(seed)
    posed = random_problem(random)
    model = random_model(random, posed)
    core, truth = core_of(posed), posterior(posed, model.zone.tolist(), model.user.tolist())
    found = counted(core, model.weights(posed.zones))
    if found is None:
        raise AssertionError("a problem that is too large to be counted")
    network = core.network
    wire = network.wire_at(*np.array(list(truth)).T)
    return float(np.abs(found[wire] - np.array(list(truth.values()))).max())


def _sampled(seed: list[int], number: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Wires that settle, those whose interval holds the truth, and those as near as stated."""
    random = np.random.default_rng(seed)
    posed = random_problem(random)
    model = random_model(random, posed)
    truth = counted(core_of(posed), model.weights(posed.zones))
    chains = full_chains(posed, model, number)
    found = chains.estimates(Course.begin(), np.arange(chains.core.network.n_wires))
    good = found.rhat <= RHAT
    likeliest = truth[np.arange(len(truth)), found.token]
    low, high = interval(found.mean, found.draws)
    held = good & (low <= likeliest) & (likeliest <= high)
    within = good & (apart(chains, truth) <= furthest(found.spread, found.draws))
    return np.array([good.sum(), held.sum(), within.sum()])


def _apart(wanted: int, seed: int) -> tuple[int, int, int, int]:
    """Problems that were drawn, wires that settle, all wires, and those that are wrong."""
    random, looked, found = np.random.default_rng([seed, 1]), 0, 0
    settled = wires = wrong = 0
    while found < wanted:
        users, meetings = int(random.integers(4, 6)), int(random.integers(6, 9))
        posed = known_at_both_ends(
            [tuple(random.choice(users, 2, replace=False).tolist()) for _ in range(meetings)]
        )
        looked += 1
        if all_are_one_move_apart(posed):
            continue
        found += 1
        truth = counted(core_of(posed), Uniform().weights(posed.zones))
        chains = full_chains(posed, Uniform(), looked)
        told = chains.estimates(Course.begin(), np.arange(len(truth)))
        error = error_of_share(told.mean, told.draws)
        off = np.abs(told.mean - truth[np.arange(len(truth)), told.token])
        good = (told.rhat <= RHAT) & (error <= ERROR)
        settled, wires = settled + int(good.sum()), wires + len(good)
        wrong += int((good & (off > 4 * error)).sum())
    return looked, settled, wires, wrong


if __name__ == "__main__":
    main()
