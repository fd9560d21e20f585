"""A new attack beside those that ship: on the real team, on towns, and on traces without habits.

    MIXSAFE_DATA=… python benchmarks/contest_attacks.py MY_ATTACK.py …

An attack is a Python file with one or more attackers, frozen records as in
:mod:`mixsafe.contest.base.parts`. Each is run on releases of every kind and stands beside the
strongest attack that ships. Without files the shipped attacks stand alone. The truth is used for
scores only: an attacker gets the reference traces and the release.

The set "no habits" has uniform traces. An attack that finds more than chance there reads something
that it should not. Without MIXSAFE_DATA the real team is left out.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from runpy import run_path

import numpy as np

from mixsafe.contest.base.parts import Anonymiser, Attacker
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscations import (
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
)
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.registry import posterior_attackers
from mixsafe.contest.run import Plan, run
from mixsafe.io.contest.reading import read_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.scenarios.town import town

METHODS: Sequence[Anonymiser] = [
    NoObfuscation(),
    PlanarLaplace(4, 1),
    RandomizedResponse(8),
    MergeAndHide(0, 0, 0.5),
    MergeAndHide(1, 1, 0.1),
]
TEAM = "team001_data01_IDP.csv"
TOWNS = range(1, 4)
PEOPLE = 200


def attackers_in(path: Path) -> list[Attacker]:
    """The attackers that a file defines, with their default parameters."""
    found = [
        one()
        for one in run_path(str(path)).values()
        if isinstance(one, type)
        and one.__module__ == "<run_path>"
        and hasattr(one, "short")
        and hasattr(one, "attack")
    ]
    if not found:
        raise SystemExit(f"{path} defines no attacker")
    return found


def data_sets(seed: int) -> Iterator[tuple[str, TraceMatrix, TraceMatrix]]:
    """Name, original traces and reference traces of each set."""
    if "MIXSAFE_DATA" in os.environ:
        folder = Path(os.environ["MIXSAFE_DATA"]) / "pwscup2019"
        original, known = (
            read_traces(folder / f"{kind}_{TEAM}", Rules().regions.count)
            for kind in ("orgtraces", "reftraces")
        )
        yield "team 001", original, known
    for one in TOWNS:
        region = town(PEOPLE, days=4, random=np.random.default_rng(one)).region
        yield f"town {one}", TraceMatrix(region[:, 40:], 41), TraceMatrix(region[:, :40])
    uniform = np.random.default_rng(seed).integers(1024, size=(PEOPLE, 80)).astype(np.int32)
    yield "no habits", TraceMatrix(uniform[:, 40:], 41), TraceMatrix(uniform[:, :40])


def main() -> None:
    """Print a row for each set, release and pseudonymization: every attack, the strongest named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("attacks", nargs="*", type=Path, help="files that define attackers")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    mine = [attacker for path in asked.attacks for attacker in attackers_in(path)]
    print("| set | release | pseudonyms | scores | strongest s_R | strongest s_T |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, original, known in data_sets(asked.seed):
        attackers = {how: [*mine, *posterior_attackers(how)] for how in (SHUFFLE, MIXZONE)}
        reference = Reference(known, Rules())
        for outcome in run(original, reference, Plan(METHODS, attackers, asked.seed)):
            scores = ", ".join(f"{k} {v.value:.4f}" for k, v in outcome.privacy.items())
            best = []
            for kind in ("reid", "trace"):
                of_kind = {k: v.value for k, v in outcome.privacy.items() if v.kind == kind}
                best.append(min(of_kind, key=lambda one: of_kind[one]))
            print(
                f"| {name} | {outcome.anonymiser} | {outcome.pseudonymization} | {scores}"
                f" | {best[0]} | {best[1]} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
