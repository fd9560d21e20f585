"""How long whole commands take, from the files to the written table.

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
from cases import Case, cases

VERDICTS, ENDS = ("safe", "unsafe", "undecided"), (0, 1, 3, 4)
"""Of wires; and exit statuses of a command that did what it was asked."""


def timed(case: Case, data: Path) -> dict[str, Any]:
    """Run one command as installed; what it cost, what it found, and what its bytes cost alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, result = source_of(case, data, folder), folder / "result.json"
        asked = [case.command, str(source), *case.options, "-q", "--json", str(result)]
        table = folder / "wires.parquet"
        if case.command == "audit":
            asked += ["--reference", str(data / case.source)]
        else:
            asked += ["-o", str(table)]
        cost = run(case, asked)
        written = [file for file in (table, result) if file.exists()]
        least = measure.least(source, written)
        line = {
            "seconds": round(cost.seconds, 2),
            "processor": round(cost.processor, 2),
            "stolen": round(cost.stolen, 2),
            "peak_mib": round(cost.peak),
            "least": {what: round(seconds, 3) for what, seconds in least.items()},
            **FOUND[case.command](json.loads(result.read_text())),
        }
        return line | (certified(case, asked, folder) if case.certified else {})


def of_verify(found: dict[str, Any]) -> dict[str, Any]:
    """Verdicts of wires, and what decided them."""
    told = {word: found[word] for word in ("decided_by", "processor_seconds")}
    return told | {"verdicts": {word: found["summary"][word] for word in VERDICTS}}


def of_weigh(found: dict[str, Any]) -> dict[str, Any]:
    """Share of people's time that is not settled."""
    return {"open": found["weights"]["share_not_settled"]}


def of_audit(found: dict[str, Any]) -> dict[str, Any]:
    """Share of people's time that is undecided, in the mean of the draws."""
    return {"open": found["shares"]["undecided_time"]["mean"]}


FOUND = {"verify": of_verify, "weigh": of_weigh, "audit": of_audit}
"""What a line keeps of the JSON of each command."""


def source_of(case: Case, data: Path, folder: Path) -> Path:
    """The file of a case; that of a city, or of a release, is made."""
    if case.command == "audit":
        source = folder / "release.csv"
        how = ["--method", "mixzone", "--seed", "1", "--engine", "bounds"]
        kept = ["-o", str(source), "--table", str(folder / "secret.csv"), "-q"]
        run(case, ["pseudonymize", str(data / case.source), *how, *kept])
        return source
    if case.source:
        return data / case.source
    source, (people, steps) = folder / "city.parquet", case.city
    size = ["--users", str(people), "--steps", str(steps), "--seed", "1"]
    run(case, ["synthesize", "metro", *size, "-o", str(source), "-q"])
    return source


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
                found = timed(case, given.data)
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
    if given.output is not None:
        page.write(given.output, given.results, cases())


if __name__ == "__main__":
    main()
