"""Is everything unsafe proven so that the checker replays it? Random problems, every engine.

    python benchmarks/proofs.py --problems 10000
    python benchmarks/proofs.py --vectors domains.json --k 2 3 4
    python benchmarks/proofs.py --problems 1000 --export DIR

Each problem is decided by each engine; its certificate is made and checked. A row of the table is
an engine: claims that are safe, unsafe by what shows them, only claimed, and undecided. Random
problems have requirements, or k is asked of everybody at every time, in turn; users are seen never,
at both ends, at any steps, or at any but step 0. With `--export` every unsafe claim of the first
engine is refuted by clauses, brute force (or the file) says whether it is true, and the checkers
that are installed (dratify, drup) are asked about the files. Exit status 1 if anything was only
claimed, or somebody says something else.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.certify.certify import certify
from mixsafe.check.checker import check
from mixsafe.from_files.certificates import export_proofs
from mixsafe.io.problems.problem import problem_of
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.verdict import UNSAFE
from mixsafe.model.question.problem import Problem
from mixsafe.verify.verification import verify
from tests.support.oracles import domains_of
from tests.support.random_problems import random_problem
from tests.support.refuted import CHECKERS, by_clauses, is_installed

COLUMNS = ("safe", "reachability", "closures", "clauses", "claimed", "undecided")

Truth = dict[tuple[int, int], set[int]]
"""Candidates of each user and time."""

Asked = tuple[Problem, int | None, Truth | None]
"""A problem, k if it is asked of everybody, and the truth if it is known."""


def drawn(number: int, seed: int) -> Iterator[Asked]:
    """Random problems, with requirements or without."""
    random = np.random.default_rng(seed)
    for place in range(number):
        problem = random_problem(random, max_users=6, max_zones=9)
        if place % 2:
            k = int(random.integers(2, min(problem.zones.n_users, 4) + 1))
            yield replace(problem, requirements=None), k, None
        else:
            yield problem, None, None


def of_file(path: Path, ks: list[int]) -> Iterator[Asked]:
    """Problems of a JSON list, each with every k."""
    for listed in json.loads(path.read_text()):
        found = {key: value for key, value in listed.items() if key != "domains"}
        problem = problem_of(found, found["name"], str(path))
        truth = {(one["user"], one["time"]): set(one["pseudonyms"]) for one in listed["domains"]}
        yield from ((problem, k, truth) for k in ks if k <= problem.zones.n_users)


def measure(asked: Asked, engine: str, counts: Counter[str]) -> Certificate:
    """Certify one answer and check it."""
    problem, k, _ = asked
    certificate = certify(verify(problem, k=k, engine=engine, keep_proof_data=True))
    found = check(certificate)
    counts.update(found.unsafe_shown)
    counts.update(safe=found.safe, claimed=found.unsafe_claimed, undecided=found.undecided)
    return certificate


def is_true(certificate: Certificate, truth: Truth | None) -> bool:
    """Whether brute force, or what is known, says what the unsafe claims say."""
    claims = certificate.claims
    truth = domains_of(certificate.problem) if truth is None else truth
    for one in np.flatnonzero(claims.verdict == UNSAFE).tolist():
        left = truth[int(claims.row[one]), int(claims.start[one])]
        if len(left) >= claims.k[one] or not left <= set(claims.candidates[one].tolist()):
            return False
    return True


def confirmed(certificates: list[tuple[Certificate, Truth | None]], folder: Path) -> bool:
    """Export refutations of all unsafe claims, and ask everybody else about them."""
    number = export_proofs([by_clauses(one) for one, _ in certificates], folder)
    agreed = all(is_true(*one) for one in certificates)
    print(f"{number} refutations in {folder}; brute force {'agrees' if agreed else 'DISAGREES'}")
    for name, checker in CHECKERS.items():
        if is_installed(name):
            files = sorted(folder.glob("*.cnf"))
            valid = sum(checker(file, file.with_suffix(".drat")) for file in files)
            print(f"{name}: {valid} of {len(files)} are valid")
            agreed &= valid == len(files) == number
    return agreed


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=int, default=1000, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument(
        "--vectors", type=Path, help="problems of a file with their candidates instead"
    )
    parser.add_argument("--k", type=int, nargs="+", default=[2, 3], help="asked of those")
    parser.add_argument("--engines", default="auto,cpsat,dp,bounds", help="who decides")
    parser.add_argument("--export", type=Path, help="folder for proofs of the first engine's")
    given = parser.parse_args()
    engines = given.engines.split(",")
    counts: dict[str, Counter[str]] = {engine: Counter() for engine in engines}
    kept: list[tuple[Certificate, Truth | None]] = []
    asked = of_file(given.vectors, given.k) if given.vectors else drawn(given.problems, given.seed)
    for one in asked:
        for engine in engines:
            certificate = measure(one, engine, counts[engine])
            if given.export is not None and engine == engines[0]:
                kept.append((certificate, one[2]))
    agreed = given.export is None or confirmed(kept, given.export)
    print(f"| engine | {' | '.join(COLUMNS)} |\n| --- |{' ---: |' * len(COLUMNS)}")
    for engine in engines:
        cells = " | ".join(f"{counts[engine][column]:,}" for column in COLUMNS)
        print(f"| `{engine}` | {cells} |")
    return int(not agreed or any(found["claimed"] for found in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
