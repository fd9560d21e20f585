"""Are weights those of all assignments? Random problems with any knowledge and any law.

    python benchmarks/weights_checked.py --problems 2000
    python benchmarks/weights_checked.py --problems 200 --sampled 200
    python benchmarks/weights_checked.py --problems 0 --apart 50
    python benchmarks/weights_checked.py --problems 2000 --movement

Each problem is counted, and compared with the weights of all its assignments, listed. As many as
`--sampled` says are drawn from by chains as well: how often do their 95 % intervals hold the truth,
and is the total variation to it below the stated error? Exit status 1 if counting is off by more
than 1e-12, or intervals hold the truth for less than 93 % or more than 97 % of what is settled.
With `--apart` as many problems are drawn whose assignments small moves do not connect; the exit
status is 1, too, if one wire of them is settled and off by more than four times its error. With
`--movement` pairs of members have random likelihoods, and half of the problems zones that allow
some pairs only.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from mixsafe.model.course import Course
from mixsafe.model.question.problem import Problem

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import ByMovement, ExchangeModel, TakingPart, Uniform
from mixsafe.weigh.plan import ERROR
from mixsafe.weigh.sampling import RHAT, error_of_share, furthest, interval
from tests.support.likelihoods import truth_of, with_likelihoods
from tests.support.worlds_to_weigh import (
    all_are_one_move_apart,
    apart,
    core_of,
    full_chains,
    known_at_both_ends,
    random_model,
    random_problem,
    random_related,
)

EXACT = 1e-12


def main() -> None:
    """Weigh, compare, and say how far they differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--sampled", type=int, default=0)
    parser.add_argument("--apart", type=int, default=0)
    parser.add_argument("--movement", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began, worst, sums = time.process_time(), 0.0, np.zeros(3, np.int64)
    for number in range(given.problems):
        seed = [given.seed, number]
        posed, law = _drawn(seed, movement=given.movement)
        worst = max(worst, _off(posed, law))
        if number < given.sampled:
            sums += _sampled(posed, law, number)
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


def _drawn(seed: list[int], *, movement: bool) -> tuple[Problem, TakingPart]:
    """A random problem, and which exchanges happen; with ``movement``, its pairs' likelihoods."""
    random = np.random.default_rng(seed)
    if movement and random.integers(2):
        posed, law = random_related(random)
    else:
        posed = random_problem(random)
        law = random_model(random, posed)
    if movement:
        posed = with_likelihoods(posed, random, random.choice([0.5, 3.0]))
    return posed, law


def _model(posed: Problem, law: TakingPart) -> ExchangeModel:
    """The exchange model of a problem."""
    return law if posed.zones.likelihoods is None else ByMovement(law)


def _off(posed: Problem, law: TakingPart) -> float:
    """How far counting is from the weights of all assignments."""
    found = counted(core_of(posed), _model(posed, law).weights(posed.zones))
    if found is None:
        raise AssertionError("a problem that is too large to be counted")
    return float(np.abs(found - truth_of(posed, law)).max())


def _sampled(
    posed: Problem, law: TakingPart, number: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Wires that settle, those whose interval holds the truth, and those as near as stated."""
    model = _model(posed, law)
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
