"""Confirm what annealing and refutations decide a second way, on data of a city.

    python benchmarks/confirm.py shared/data/pwscup2019/FILE.csv --adversary home --time-limit 60
    python benchmarks/confirm.py CABS.tar.gz --adversary daily --days 1 --time-limit 60

Each witness that engine `auto` kept is written as exchanges and replayed by the checker, which
shares no code with engines, on the problem as it was posed: each token that a witness shows on a
wire that annealing decided must be there. Each refutation by tracked tokens is asked of other
solvers, about the same clauses.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice

import numpy as np
from pysat.solvers import Solver

import mixsafe
from mixsafe.certify.witnesses.witness_pool import exchanges
from mixsafe.check.checker import check
from mixsafe.model.answer.certificate import Certificate, Claims, Witnesses
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.answer.verdict import SAFE, Argument
from mixsafe.model.limits import SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.findings import assignments

_AT_ONCE = 20  # witnesses that are written out together: they are large
_OTHERS = ("glucose4", "minisat22", "cadical195")


def main() -> None:
    """Verify, confirm, and say how much was confirmed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("--adversary", default="home")
    parser.add_argument("--days", type=int)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=60)
    given = parser.parse_args()
    traces = mixsafe.select(mixsafe.load(given.source), days=given.days)
    problem = mixsafe.pose(traces, adversary=given.adversary)
    limits = SolveLimits(seconds=given.time_limit)
    answer = mixsafe.verify(problem, k=given.k, limits=limits, keep_grounds=True)
    print(answer.wires.groupby(["decided_by", "verdict"]).size().to_string())
    answers = answer.grounds.answers
    print(witnesses_replayed(problem, answers))
    print(refutations_asked_again(answers))


def witnesses_replayed(problem: Problem, answers: Answers) -> str:
    """Let the checker replay all witnesses, and say what they show."""
    decided = answers.decided_by[answers.wire]
    wires = np.unique(answers.wire[decided == Argument.ANNEALING])
    shown = np.zeros((len(wires), answers.core.words), np.uint64)
    n_witnesses, n_claims = 0, 0
    kept = assignments(answers.witnesses, answers.core.network.row)
    while batch := list(islice(kept, _AT_ONCE)):
        certificate = claimed(problem, answers, wires, batch, shown)
        check(certificate)
        n_witnesses += len(batch)
        n_claims += len(certificate.claims)
    before = tokens.count(answers.proven[wires] & ~shown) - 1  # but for the own token
    return (
        f"{n_witnesses} witnesses replayed, which show {n_claims} further candidates on the"
        f" {len(wires)} wires that annealing decided; {before.sum()} there were proven"
        " by other arguments"
    )


def claimed(
    problem: Problem,
    answers: Answers,
    wires: np.ndarray,
    batch: list[np.ndarray],
    shown: np.ndarray,
) -> Certificate:
    """Two candidates, the own token and another one, for each token that is new on a wire."""
    network, real = answers.core.network, answers.core.real_steps
    wire, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for n, assignment in enumerate(batch, start=1):
        told = assignment[wires]
        new = (told != network.row[wires]) & ~tokens.are_in(shown, np.arange(len(wires)), told)
        tokens.put(shown, np.flatnonzero(new), told[new])
        wire.append(wires[new])
        number.append(np.full(np.count_nonzero(new), n, np.int32))
    of_claim, witness = np.concatenate(wire), np.concatenate(number)
    n_claims = len(of_claim)
    row, step = network.row[of_claim], real[network.start[of_claim]]
    k = np.full(n_claims, 2, np.int32)
    pairs = np.stack([np.zeros(n_claims, np.int32), witness], axis=1).ravel()
    claims = Claims(
        row, step, step, k, np.full(n_claims, SAFE, np.int8), np.zeros(n_claims, np.uint8),
        Ragged(2 * np.arange(n_claims + 1), pairs), Ragged.empty(n_claims),
        np.full(n_claims, -1, np.int32),
    )  # fmt: skip
    posed = Problem(problem.name, problem.zones, problem.knowledge, Requirements(row, step, k))
    home = np.array(network.row)
    pool = Witnesses.joined([exchanges(answers.core, one) for one in (home, *batch)])
    return Certificate(posed, Rule("every"), None, claims, pool)


def refutations_asked_again(answers: Answers) -> str:
    """Ask other solvers about the same clauses."""
    return "\n".join(_asked_again(answers)) or "no refutations"


def _asked_again(answers: Answers) -> Iterator[str]:
    for refutation in answers.refutations:
        tracked, begin, end = refutation.tracked, refutation.begin, refutation.end
        encoding = Encoding.of(answers.core, answers.possible, tracked, begin, end)
        of_others = [encoding.on(refutation.wire, token) for token in tracked.tolist()]
        given = (
            [-one for one in of_others if one]
            if refutation.token < 0
            else [encoding.on(refutation.wire, refutation.token)]
        )
        told = []
        for name in _OTHERS:
            with Solver(name=name, bootstrap_with=encoding.formula().clauses()) as solver:
                told.append(f"{name}: {'possible' if solver.solve(given) else 'refuted'}")
        yield f"wire {refutation.wire}, {len(tracked)} tokens: {', '.join(told)}"


if __name__ == "__main__":
    main()
