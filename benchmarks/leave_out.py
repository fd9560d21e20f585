"""What each step of engine ``auto`` brings: the named cases again, with one step left out.

    python benchmarks/leave_out.py --data DIR --cases osaka-home,cabs-1-daily --seeds 3

Each run is a process of its own, alone if nothing else runs on the machine, and a line of the
results (``--results``), so that a long table can be stopped and goes on where it was. The table
says for each case and step left out: questions, undecided, processor seconds in all, and processor
seconds and questions by argument. A step without which nothing gets worse is a step too many.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import measure
from cases import Case, cases

LEFT_OUT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "free users": {"free_users": False},
    "third parties": {"third_parties": 0},
    "matching": {"matching_share": math.inf},
    "dynamic program": {"states": 0},
    "large neighbourhoods": {"neighbourhoods": ()},
    "random walks": {"random_walk_solutions": 0},
    "probing": {"probed": 0},
    "annealing": {"annealing": ()},
    "choice of temperature": {"temperatures": (0.12,)},
    "assumed places": {"assumed": (0,), "assumed_later": (0,)},
    "perturbation": {"perturbation": ()},
    "variations": {"variations": False},
    "CP-SAT": {"cpsat": False},
}
"""Steps, and the numbers of the strategy that leave them out."""


def audit(case: Case, without: str, seed: int, data: Path, result: Path) -> None:
    """Run the audit in this process, through the command, by a strategy that lacks a step."""
    from mixsafe.solver import auto
    from mixsafe.solver.registry import ENGINES
    from mixsafe.solver.strategy import DEFAULT
    from mixsafe_cli.app import app

    decide = partial(auto.decide, strategy=replace(DEFAULT, **LEFT_OUT[without]))
    lacking = replace(ENGINES["auto"], name="lacking", load=lambda: decide)
    words = ["verify", str(data / case.source), *case.options, "--engine", "lacking", "-q"]
    with ENGINES.registered(lacking):
        app([*words, "--seed", str(seed), "--json", str(result)], standalone_mode=False)


def told(case: Case, without: str, seed: int, data: Path, scratch: Path) -> dict[str, Any]:
    """Run one audit in a process of its own."""
    result = scratch / "result.json"
    one = [case.name, without, str(seed)]
    words = [sys.executable, __file__, "--data", str(data), "--one", *one, "--to", str(result)]
    cost = measure.measure(words)
    answer = json.loads(result.read_text())
    return {
        "case": case.name,
        "without": without,
        "seed": seed,
        "questions": answer["summary"]["requirements"],
        "undecided": answer["summary"]["undecided"],
        "seconds": round(cost.seconds, 1),
        "processor": round(cost.processor, 1),
        "stolen": round(cost.stolen, 1),
        "decided_by": answer["decided_by"],
        "processor_seconds": answer["processor_seconds"],
    }


def table(lines: list[dict[str, Any]]) -> str:
    """A row per case and step left out: medians over seeds."""
    head = "| case | left out | undecided | processor, s | wall, s | seeds | by argument, s |"
    rows = [head, "| --- | --- | ---: | ---: | ---: | ---: | --- |"]
    for case, without in dict.fromkeys((line["case"], line["without"]) for line in lines):
        some = [line for line in lines if (line["case"], line["without"]) == (case, without)]
        middle = {
            key: statistics.median(line[key] for line in some)
            for key in ("undecided", "processor", "seconds")
        }
        spent = sorted(some[0]["processor_seconds"].items(), key=lambda one: -one[1])
        by = ", ".join(f"{word} {seconds:.1f}" for word, seconds in spent if seconds >= 0.1)
        rows.append(
            f"| {case} | {without} | {middle['undecided']:,.0f} | {middle['processor']:.1f}"
            f" | {middle['seconds']:.1f} | {len(some)} | {by} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Run what is not among the results yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published data")
    parser.add_argument("--cases", default="osaka-home,cabs-1-daily,osaka-home-k10")
    parser.add_argument("--without", default=",".join(LEFT_OUT), help="steps, with commas")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/leave_out.jsonl"))
    parser.add_argument("--one", nargs=3, metavar=("CASE", "STEP", "SEED"), help=argparse.SUPPRESS)
    parser.add_argument("--to", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    named = {case.name: case for case in cases()}
    if given.one is not None:
        case, without, seed = given.one
        audit(named[case], without, int(seed), given.data, given.to)
        return
    given.results.parent.mkdir(parents=True, exist_ok=True)
    written = given.results.read_text() if given.results.exists() else ""
    lines = [json.loads(line) for line in written.splitlines()]
    done = {(line["case"], line["without"], line["seed"]) for line in lines}
    for seed in range(given.seeds):
        for name in given.cases.split(","):
            for without in given.without.split(","):
                if (name, without, seed) not in done:
                    line = told(named[name], without, seed, given.data, given.results.parent)
                    lines.append(line)
                    with given.results.open("a") as out:
                        out.write(json.dumps(line) + "\n")
                    print(f"{name} without {without}: {line['undecided']} undecided", flush=True)
    print(table(lines))


if __name__ == "__main__":
    main()
