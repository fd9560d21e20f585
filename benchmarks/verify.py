"""How long exact audits take, from the files to the written table, next to other solvers.

    python benchmarks/verify.py --data DIR --runs 3 -o docs/benchmarks.md

DIR holds ``pwscup2019/`` and ``cabspotting/`` as published. Every run is a line of the results
(``--results``), so a long benchmark can be stopped and goes on where it was; the page and its
picture are made of the lines. ``--cases`` names some of the cases only, ``--list`` shows them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import measure
import page
import peers
from cases import CABS, Case, cases

LIMIT = 20.0
"""Seconds for each value that is put to a peer, as in the CSP paper."""

VERDICTS, ENDS = ("safe", "unsafe", "undecided"), (0, 1, 3, 4)
"""Of wires; and exit statuses of a command that did what it was asked."""


def audit(case: Case, data: Path) -> dict[str, Any]:
    """Run one audit through the installed command; what it cost and what it decided."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, result = source_of(case, data, folder), folder / "result.json"
        asked = ["verify", source, *case.options, "-q", "-o", str(folder / "wires.parquet")]
        cost = run(case, [*asked, "--json", str(result)])
        found = json.loads(result.read_text())
        line = {
            "seconds": round(cost.seconds, 2),
            "processor": round(cost.processor, 2),
            "stolen": round(cost.stolen, 2),
            "peak_mib": round(cost.peak),
            "verdicts": {word: found["summary"][word] for word in VERDICTS},
            "decided_by": found["decided_by"],
            "processor_seconds": found["processor_seconds"],
        }
        return line | (certified(case, asked, folder) if case.certified else {})


def source_of(case: Case, data: Path, folder: Path) -> str:
    """The file of a case; that of a city is made."""
    if case.source:
        return str(data / case.source)
    source, (people, steps) = folder / "city.parquet", case.city
    size = ["--users", str(people), "--steps", str(steps), "--seed", "1"]
    run(case, ["synthesize", "metro", *size, "-o", str(source), "-q"])
    return str(source)


def certified(case: Case, asked: list[str], folder: Path) -> dict[str, Any]:
    """Seconds of the same command with a certificate, and of checking this; its size."""
    certificate = folder / "certificate"
    made = run(case, [*asked, "--certificates", str(certificate)])
    checked = run(case, ["check", str(certificate), "-q"])
    size = sum(file.stat().st_size for file in certificate.rglob("*") if file.is_file())
    return {
        "with_certificate": round(made.seconds, 2),
        "checked": round(checked.seconds, 2),
        "certificate_mib": round(size / 2**20, 1),
    }


def run(case: Case, words: list[str]) -> measure.Cost:
    """Run a command of mixsafe; what it cost."""
    cost = measure.measure([mixsafe(), *words])
    if cost.status not in ENDS:
        raise SystemExit(f"{case.name}: {words[0]} ended with status {cost.status}")
    return cost


def mixsafe() -> str:
    """The installed command."""
    beside = Path(sys.executable).with_name("mixsafe")
    found = str(beside) if beside.exists() else shutil.which("mixsafe")
    if found is None:
        raise SystemExit("the command mixsafe is not installed")
    return found


def questions(data: Path, users: int, days: int, number: int, k: int = 3) -> dict[str, Any]:
    """A problem with ``number`` requirements at random users and steps, as JSON."""
    import numpy as np

    from mixsafe.extract.pose import pose
    from mixsafe.extract.select import select
    from mixsafe.io.problems.problem import problem_object
    from mixsafe.io.sources import load

    problem = pose(select(load(data / CABS), users=users, days=days, seed=0))
    found: dict[str, Any] = problem_object(problem, asked=False)
    random = np.random.default_rng(0)
    who = random.integers(problem.zones.n_users, size=number).tolist()
    when = random.integers(1, problem.zones.axis.steps + 1, size=number).tolist()
    names = found["users"]
    if not isinstance(names, int):
        who = [names[row] for row in who]
    found["requirements"] = [[user, t, k] for user, t in zip(who, when, strict=True)]
    return found


def against_peers(given: argparse.Namespace, results: Path) -> None:
    """Put the same questions to us and to the peers, unless the answers are there already."""
    folder = results.with_suffix("")
    folder.mkdir(exist_ok=True)
    file = folder / "questions.json"
    if not file.exists():
        file.write_text(json.dumps(questions(given.data, given.users, given.days, given.questions)))
    ours = folder / "ours.jsonl"
    done = len(ours.read_text().splitlines()) if ours.exists() else 0
    answers = folder / "answers.json"
    for run in range(done, given.runs):
        cost = measure.measure([mixsafe(), "verify", str(file), "-q", "--json", str(answers)])
        told = json.loads(answers.read_text())
        add(ours, {
            "run": run, "seconds": round(cost.seconds, 3), "processor": round(cost.processor, 3),
            "deciding": told["seconds"], "verdicts": [row["verdict"] for row in told["results"]],
            "machine": measure.machine(),
        })  # fmt: skip
    for peer in given.peers:
        reason = peers.missing(peer)
        if reason is not None:
            print(f"{peer} is left out: {reason}")
            continue
        print(f"asking {peer}", flush=True)
        problem = json.loads(file.read_text())
        peers.answer(peer, problem, folder / "peers.jsonl", given.limit, given.give_up)


def add(file: Path, line: dict[str, Any]) -> None:
    """Add a line to a file of results."""
    with file.open("a") as out:
        out.write(json.dumps(line) + "\n")


def run_cases(given: argparse.Namespace, chosen: list[Case]) -> None:
    """Run what is not among the results yet."""
    lines = given.results.read_text().splitlines() if given.results.exists() else []
    done = {(line["case"], line["run"]) for line in map(json.loads, lines)}
    machine = measure.machine()
    for case in chosen:
        for run in range(given.runs):
            if (case.name, run) not in done:
                print(f"{case.name}, run {run + 1} of {given.runs}", end=": ", flush=True)
                found = audit(case, given.data)
                add(given.results, {"case": case.name, "run": run, **found, "machine": machine})
                print(f"{found['seconds']} s, {found['peak_mib']} MiB", flush=True)


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of the published data")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cases", help="names, with commas; 'none' for none; default: all")
    parser.add_argument("--list", action="store_true", help="show the cases")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/verify.jsonl"))
    parser.add_argument("--peers", type=lambda text: [p for p in text.split(",") if p],
                        default=list(peers.PEERS), help="with commas; '' for none")  # fmt: skip
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds per value for peers")
    parser.add_argument("--give-up", type=int, metavar="N", help="late values, then next question")
    parser.add_argument("--users", type=int, default=25, help="cabs that peers are asked about")
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path, help="page to write, .md")
    return parser


def main() -> None:
    """Run the benchmark, and write the page."""
    given = options().parse_args()
    named = None if given.cases is None else given.cases.split(",")
    chosen = [case for case in cases() if named is None or case.name in named]
    if given.list:
        for case in chosen:
            print(case.name, "|", case.title)
        return
    if given.data is not None:
        given.results.parent.mkdir(parents=True, exist_ok=True)
        run_cases(given, chosen)
        against_peers(given, given.results)
    if given.output is not None:
        page.write(given.output, given.results, cases())


if __name__ == "__main__":
    main()
