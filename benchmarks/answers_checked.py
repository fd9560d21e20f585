"""Answers against all assignments, listed: zones with relations, and people who are different.

    python benchmarks/answers_checked.py --problems 2000
    python benchmarks/answers_checked.py --problems 2000 --question weigh --sampled 200
    python benchmarks/answers_checked.py --problems 2000 --question optimize --of people

Random problems with any knowledge are asked each question, and the answers compared with brute
force: candidates by each engine and by bounds, breaking numbers, weights, minimum sets of zones,
cheapest places, which cost 0 to 4, and what `protect` hides: the same whatever happened. Zones
allow some pairs, or all, or none (`--of relations`), or the adversary knows that different people
are different, and in some problems zones allow some pairs only besides (`--of people`). Verdicts,
breaking numbers and minima of zones are certified, and the certificates checked. With `--sampled`
chains draw as well: their 95 % intervals hold the truth for a share of the wires that settle. Exit
status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from mixsafe.model.course import Course

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.breaking import plan
from mixsafe.certify.certify import certify
from mixsafe.certify.certify_minimum import certify_minimum
from mixsafe.check.checker import check
from mixsafe.model.answer.verdict import UNDECIDED
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import without
from mixsafe.optimize.minimum import minimum_zones, verified
from mixsafe.verify.verification import verify
from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import TakingPart
from mixsafe.weigh.sampling import RHAT, interval
from tests.support.breaking_questions import differences, drawn
from tests.support.budgets import budgets
from tests.support.hidden_cells import hidden_by_mixsafe, hidden_tracks, worlds
from tests.support.oracles import domains_of, posterior, requirements_of
from tests.support.random_problems import of_different_people, random_problem
from tests.support.relations import with_random_pairs
from tests.support.strategies import requirements_of as asked_for
from tests.support.worlds_to_weigh import core_of, full_chains, random_model, random_related
from tests.support.worlds_to_weigh import random_problem as world_to_weigh

EXACT = 1e-12
ENGINES = ("auto", "cpsat", "dp")


def main() -> None:
    """Ask, compare, and count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--question", choices=list(QUESTIONS), action="append")
    parser.add_argument("--of", choices=["relations", "people"], action="append")
    parser.add_argument("--sampled", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    good = True
    asked = itertools.product(given.of or ["relations", "people"], given.question or QUESTIONS)
    for of, name in asked:
        began, wrong, told = time.process_time(), 0, 0
        for number in range(given.problems):
            seed = [given.seed, number]
            try:
                differs, answers = QUESTIONS[name](np.random.default_rng(seed), number, of)
            except Exception as error:
                raise RuntimeError(f"{name} of {of}, seed {seed}") from error
            told += answers
            wrong += differs
            if differs:
                print(f"{name} of {of}: differs, seed {seed}", flush=True)
        seconds = time.process_time() - began
        print(f"{name} of {of}: {given.problems:,} problems, {told:,} answers, {wrong} wrong; "
              f"{seconds:.0f} s of processor time", flush=True)  # fmt: skip
        good &= wrong == 0
    for of in given.of or ["relations", "people"] if given.sampled else []:
        good &= _sampled(given.sampled, given.seed, of)
    sys.exit(0 if good else 1)


def _as_of(random: np.random.Generator, of: str, posed: Problem) -> Problem:
    """The problem with relations, or of different people, and then sometimes with relations too."""
    if of == "relations":
        return with_random_pairs(posed, random)
    posed = replace(posed, knowledge=replace(posed.knowledge, distinct=True))
    return with_random_pairs(posed, random) if random.random() < 0.3 else posed


def _problem(random: np.random.Generator, of: str, most: int) -> Problem:
    """A problem with requirements, of so many assignments at most."""
    if of == "people" and random.random() < 0.5:
        return of_different_people(random, most)
    return _as_of(random, of, random_problem(random, max_assignments=most))


def _verify(random: np.random.Generator, number: int, of: str) -> tuple[bool, int]:
    """Candidates by each engine in turn, bounds, and certificates of what is safe and unsafe."""
    posed = replace(_problem(random, of, 100), requirements=None)
    truth = domains_of(posed)
    answer = verify(posed, exhaustive=True, engine=ENGINES[number % 3])
    found = {(one["user"], one["time"]): set(one["pseudonyms"]) for one in answer.domains or ()}
    differs = found != truth
    rows = verify(posed, k=2, engine="bounds").wires
    for row in rows.itertuples():
        size = len(truth[row.user_id, row.from_time])
        differs |= not row.lower <= size <= row.upper
    asked = [(*at, len(some) + more) for at, some in truth.items() for more in (0, 1)]
    asked = [one for one in asked if one[2] > 1]
    if asked:
        engine = ENGINES[(number + 1) % 3]
        presolved = replace(posed, requirements=asked_for(*asked))
        made = certify(verify(presolved, engine=engine, keep_proof_data=True))
        differs |= check(made).unsafe_claimed > 0 or bool(np.any(made.claims.verdict == UNDECIDED))
    return differs, len(truth)


def _breaking(random: np.random.Generator, number: int, of: str) -> tuple[bool, int]:
    """Breaking numbers, every fourth time those of the plan for large problems."""
    question = drawn(random, max_assignments=100)
    question = replace(question, problem=_as_of(random, of, question.problem))
    with budgets(plan, small=plan.SMALL if number % 4 else 0):
        return bool(differences(question)), len(question.expected())


def _weigh(random: np.random.Generator, number: int, of: str) -> tuple[bool, int]:
    """Posteriors, counted."""
    posed, model = _to_weigh(random, of)
    users = np.broadcast_to(model.user, posed.zones.n_users)
    truth = posterior(posed, model.zone.tolist(), users.tolist())
    core = core_of(posed)
    found = counted(core, model.weights(posed.zones))
    if found is None:
        raise AssertionError("a problem that is too large to be counted")
    wire = core.network.wire_at(*np.array(list(truth)).T)
    off = np.abs(found[wire] - np.array(list(truth.values()))).max()
    return bool(off > EXACT), len(truth)


def _to_weigh(random: np.random.Generator, of: str) -> tuple[Problem, TakingPart]:
    """A problem, and chances of zones and users; of zones only, or none, where there are pairs."""
    if of == "relations":
        return random_related(random)
    posed = _as_of(random, of, world_to_weigh(random))
    if posed.zones.relation is None:
        return posed, random_model(random, posed)
    return posed, TakingPart(np.ones(len(posed.zones)))


def _hiding(random: np.random.Generator, number: int, of: str) -> tuple[bool, int]:
    """Whether the same cells of tracks are hidden whoever of all possible people was on which."""
    posed = _as_of(random, of, random_problem(random, max_users=4, max_zones=4, max_assignments=40))
    known = replace(posed.knowledge, distinct=True)  # or nothing may be hidden
    posed, k = replace(posed, requirements=None, knowledge=known), int(random.integers(2, 4))
    too_few = {at for at, found in domains_of(posed).items() if len(found) < k and at[1] > 0}
    possible = worlds(posed)
    drawn = random.choice(len(possible), min(3, len(possible)), replace=False)
    differs = hidden_by_mixsafe(k, posed) != too_few
    for world in (possible[one] for one in drawn.tolist()):
        differs |= hidden_tracks(posed, world, partial(hidden_by_mixsafe, k)) != too_few
    return differs, 1 + len(drawn)


def _asked(random: np.random.Generator, of: str) -> Problem:
    """A problem that asks twice for as many candidates as there are, if there are several."""
    posed = _problem(random, of, 60)
    several = [(*at, len(some)) for at, some in domains_of(posed).items() if len(some) > 1]
    if several:
        chosen = random.choice(len(several), min(len(several), 2), replace=False)
        asked = [several[one] for one in chosen.tolist()]
        posed = replace(posed, requirements=asked_for(*asked))
    return posed


def _optimize(random: np.random.Generator, number: int, of: str) -> tuple[bool, int]:
    """The size of a minimum set of zones, and every fourth time its certificate."""
    posed = _asked(random, of)
    found = minimum_zones(posed, method=("auto", "dp", "cpsat")[number % 3], rest=True)
    expected = _least(posed)
    differs = found.minimum != expected
    differs |= found.status != ("infeasible" if expected is None else "optimal")
    if number % 4 == 0 and found.status == "optimal":
        checked = check(certify_minimum(found, verified(found)))
        differs |= checked.least is None or checked.least.bound != expected
    return differs, 1


def _places(random: np.random.Generator, number: int, of: str) -> tuple[bool, int]:
    """The cost of the cheapest places, of up to four."""
    posed = _asked(random, of)
    places = ZonePlaces.named(random.integers(4, size=len(posed.zones)).tolist())
    if number % 2:
        places = replace(places, cost=random.integers(0, 5, len(places)))
    method = ("auto", "dp", "cpsat")[number % 3]
    found, expected = minimum_zones(posed, places=places, method=method), _cheapest(posed, places)
    status = "infeasible" if expected is None else "optimal"
    return (found.minimum, found.status) != (expected, status), 1


def _least(posed: Problem) -> int | None:
    """Fewest zones that meet all requirements."""
    n = len(posed.zones)
    for size in range(n + 1):
        for kept in itertools.combinations(range(n), size):
            if _meets(posed, np.isin(np.arange(n), kept)):
                return size
    return None


def _cheapest(posed: Problem, places: ZonePlaces) -> int | None:
    """Least cost of places that meet all requirements."""
    sets = [np.array(some, bool) for some in itertools.product((0, 1), repeat=len(places))]
    costs = [int(places.cost[some].sum()) for some in sets]
    for n in np.argsort(costs, kind="stable").tolist():
        if _meets(posed, sets[n][places.of]):
            return costs[n]
    return None


def _meets(posed: Problem, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    """Whether exchanges in some zones meet all requirements."""
    there = domains_of(replace(posed, zones=without(posed.zones, ~kept), zone_index=None))
    return all(len(there[user, t]) >= k for user, t, k in requirements_of(posed))


def _sampled(problems: int, seed: int, of: str) -> bool:
    """Whether intervals hold the truth as often as they say."""
    settled = held = 0
    for number in range(problems):
        posed, model = _to_weigh(np.random.default_rng([seed, number]), of)
        truth = counted(core_of(posed), model.weights(posed.zones))
        chains = full_chains(posed, model, number)
        found = chains.estimates(Course.begin(), np.arange(len(truth)))
        good = found.rhat <= RHAT
        likeliest = truth[np.arange(len(truth)), found.token]
        low, high = interval(found.mean, found.draws)
        settled += int(good.sum())
        held += int((good & (low <= likeliest) & (likeliest <= high)).sum())
    print(f"{problems:,} problems of {of} sampled, {settled:,} wires settled: intervals hold the"
          f" truth on {held / max(settled, 1):.2%}")  # fmt: skip
    return 0.93 <= held / max(settled, 1) <= 0.98


QUESTIONS: dict[str, Callable[[np.random.Generator, int, str], tuple[bool, int]]] = {
    "verify": _verify,
    "breaking": _breaking,
    "weigh": _weigh,
    "optimize": _optimize,
    "places": _places,
    "hiding": _hiding,
}

if __name__ == "__main__":
    main()
