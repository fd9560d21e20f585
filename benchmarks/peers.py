"""The same problems to mixsafe and to solvers of today: time, memory, and whether they agree.

    python benchmarks/peers.py --data DIR -o docs/peers.md
    python benchmarks/peers.py --data DIR --cases strong-12,town --tasks all,k --limit 5

DIR holds ``pwscup2019/`` and ``cabspotting/`` as published. A row is one peer (``peer_solvers.py``)
on one task of one problem, alone in a process that ends at the limit, or that gets no more memory
than ``--memory``. Rows are lines of the results (``--results``), so a run that was stopped goes on
where it was; the page is made of them. What a peer has told by the limit counts, and is kept beside
the results. A peer that has not half of the answers is not asked about larger problems. Exit status
1 if two rows contradict each other, which is a bug.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import pickle
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, get_args

import measure
import numpy as np
import numpy.typing as npt
import peer_page
from cases import CABS, OSAKA
from peer_solvers import PEERS, Peer, Question, Task, Told

import mixsafe
from mixsafe.compare.engine_runs import GRACE
from mixsafe.compare.experiment import draw_requirements
from mixsafe.compare.isolated import STARTING
from mixsafe.extract.select import select
from mixsafe.machinery.compiled import compile_always
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.verify.presolved import Presolved
from mixsafe.verify.query import Query

K = 3
ALIKE = 1e-9
"""Chances that differ by less are the same."""

EVENING = {"start": "2008-05-17T18:00:00Z", "end": "2008-05-17T22:00:00Z"}
"""The period of docs/comparison.md."""


class Case(NamedTuple):
    """A problem.

    Parameters
    ----------
    name, title
        For the command line, and for people.
    tasks
        What is asked.
    make
        Makes it of the folder of published data and the seed.
    source
        File of the published data; "": it needs none.
    seed
        Of whatever is drawn.
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
    make: Callable[[Path, int], Problem]
    source: str = ""
    seed: int = 0


def strong(users: int, _: Path, seed: int) -> Problem:
    """People who walk about few cells, and are often seen."""
    random = np.random.default_rng([seed, users])
    steps, cells = 20, users
    moves = random.choice([-1, 0, 0, 1], (steps, users))
    cell = (random.integers(cells, size=users) + np.cumsum(moves, axis=0)) % cells
    met = [
        (step, np.flatnonzero(at == one))
        for step, at in enumerate(cell, 1)
        for one in np.flatnonzero(np.bincount(at, minlength=cells) > 1)
    ]
    seen = np.argwhere(random.random((users, steps)) < 0.25) + np.array([0, 1])
    ends = [(user, step) for user in range(users) for step in (0, steps)]
    posed = Problem(
        f"strong-{users}",
        MixZones(
            np.arange(users),
            TimeAxis(steps=steps),
            np.array([step for step, _ in met], np.int32),
            np.cumsum([0, *(len(members) for _, members in met)]),
            np.concatenate([members for _, members in met]).astype(np.int32),
        ),
        Knowledge.from_pairs(sorted({*map(tuple, seen.tolist()), *ends})),
    )
    return draw_requirements(posed, count=5, k=2, seed=seed, known="everyone")


def cabs(users: int | None, known: str, k: int, data: Path, seed: int) -> Problem:
    """Cabs of San Francisco: an evening where the drawn users are known, else a day."""
    period: dict[str, Any] = {**EVENING} if known == "asked" else {"days": 1}
    traces = select(mixsafe.load(data / CABS), users=users, seed=seed, **period)
    posed = mixsafe.pose(traces, placed=False, followed=False)
    return draw_requirements(posed, count=5, k=k, seed=seed, known=known)


def osaka(adversary: str, data: Path, _: int) -> Problem:
    """People of Osaka."""
    return mixsafe.pose(
        mixsafe.load(data / OSAKA), adversary=adversary, placed=False, followed=False
    )


def bundled(name: str, _: Path, __: int) -> Problem:
    """A sample that ships with mixsafe."""
    return mixsafe.pose(mixsafe.load(mixsafe.sample(name)), placed=False, followed=False)


def cases() -> list[Case]:
    """All problems; those of a task grow."""
    part = functools.partial
    every: tuple[Task, ...] = ("all", "zones", "weights")
    made = [
        Case(f"strong-{users}", f"{users} people, often seen", every if users > 6 else ("weights",),
             part(strong, users))
        for users in (6, 12, 24, 36)
    ]  # fmt: skip
    made += [
        Case(f"figure-5-{users}", f"{users} cabs, figure 5", ("all", "zones"),
             part(cabs, users, "asked", 2), CABS)
        for users in (25, 50, 100)
    ]  # fmt: skip
    made += [
        Case("cabs-36", "36 bundled cabs", ("all", "k"), part(bundled, "cabs")),
        Case("town", "town, 200 people", ("all", "k"), part(bundled, "town")),
        Case("cabs-100", "100 cabs, a day", ("all", "k", "zones"),
             part(cabs, 100, "everyone", K), CABS),
        Case("osaka-endpoints", "Osaka, endpoints", ("k",), part(osaka, "endpoints"), OSAKA),
        Case("osaka-home", "Osaka, home", ("k",), part(osaka, "home"), OSAKA),
        Case("cabs-536", "536 cabs, a day", ("k",), part(cabs, None, "everyone", K), CABS),
    ]  # fmt: skip
    return made


# One row, in a process of its own


def question(problem: Problem, task: Task, limit: float) -> Question:
    """The question of a task."""
    core = Presolved.of(problem, Query(exhaustive=True), None).core
    return Question(problem, core, K if task == "k" else None, limit)


def shape_of(task: Task, asked: Question) -> tuple[tuple[int, ...], type[np.generic]]:
    """Shape and type of the two arrays of what is told."""
    network = asked.core.network
    if task in ("all", "k"):
        return (network.n_wires, asked.core.words), np.uint64
    return ((1,) if task == "zones" else (network.n_wires, network.n_rows)), np.float64


def files_of(folder: Path, case: str, task: Task, peer: str) -> tuple[Path, Path]:
    """Files of the two arrays."""
    stem = "-".join([case, task, re.sub(r"\W+", "-", peer)])
    return folder / f"{stem}.low.npy", folder / f"{stem}.high.npy"


def on_file(task: Task, asked: Question, files: tuple[Path, Path]) -> Told:
    """Nothing told yet, in new files."""
    shape, kind = shape_of(task, asked)
    low, high = (np.lib.format.open_memmap(file, "w+", kind, shape) for file in files)
    if task in ("zones", "weights"):
        high[:] = np.inf if task == "zones" else 1.0
    return Told(low, high)


def ask_one(given: argparse.Namespace) -> None:
    """Ask one peer, and write how it went; the process ends at the limit, whatever it does."""
    name, task, peer = given.one
    folder = given.results.with_suffix("")
    posed = problem_of(named()[name], given.data, folder)
    resource.setrlimit(resource.RLIMIT_DATA, (int(given.memory * 2**30),) * 2)
    how: dict[str, Any] = {"users": posed.zones.n_users}

    def tell(**more: object) -> None:
        how.update(more)
        (folder / "how.json").write_text(json.dumps(how))

    asked = question(posed, task, given.limit)
    told = on_file(task, asked, files_of(folder, name, task, peer))
    began, used = time.perf_counter(), _processor()
    tell(used=used)
    signal.setitimer(signal.ITIMER_REAL, STARTING)
    try:
        _load(PEERS[peer], task)
        began, used = time.perf_counter(), _processor()
        tell(used=used)
        # Peers tell as they go; mixsafe knows the limit, and tells in the end.
        grace = 1 + GRACE * given.limit if peer.startswith(peer_page.OURS) else 0.0
        signal.setitimer(signal.ITIMER_REAL, given.limit + grace)
        PEERS[peer].ask[task](asked, told)
        how["status"] = "ended"
    except MemoryError:
        how["status"] = "out of memory"
    except Exception as error:  # noqa: BLE001 -- the row says so
        how |= {"status": "failed", "note": f"{type(error).__name__}: {error}"[:200]}
    tell(seconds=time.perf_counter() - began, processor=_processor() - used)
    os._exit(0)  # no library may take its time to tidy up


def _load(peer: Peer, task: Task) -> None:
    """Ask a tiny question, so that everything is loaded and compiled before a clock starts."""
    compile_always()
    tiny = question(strong(6, Path(), 0), task, 60.0)
    shape, kind = shape_of(task, tiny)
    peer.ask[task](tiny, Told(np.zeros(shape, kind), np.zeros(shape, kind)))


def _processor() -> float:
    """Processor time of this process and of its ended children, seconds."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def problem_of(case: Case, data: Path, folder: Path) -> Problem:
    """The problem of a case, kept in a file."""
    file = folder / f"{case.name}.pickle"
    if not file.exists():
        file.write_bytes(pickle.dumps(case.make(data, case.seed)))
    found: Problem = pickle.loads(file.read_bytes())
    return found


# All rows


def run(case: Case, task: Task, peer: Peer, given: argparse.Namespace) -> dict[str, Any]:
    """Ask a peer; how it went."""
    folder = given.results.with_suffix("")
    how_file = folder / "how.json"
    words = ["--one", case.name, task, peer.name, "--limit", f"{given.limit:g}"]
    words += ["--memory", f"{given.memory:g}", "--results", str(given.results)]
    words += ["--data", str(given.data)]
    for _ in range(2 if peer.name.startswith("mixsafe") else 1):  # the first one may compile
        how_file.write_text("{}")
        cost = measure.measure([sys.executable, __file__, *words], with_children=True)
        how = json.loads(how_file.read_text())
    if "used" not in how:
        raise SystemExit(f"{case.name}, {task}, {peer.name}: it ended before it was asked")
    late = cost.status == -signal.SIGALRM
    died = "out of time" if late else f"died with status {cost.status}"
    files = files_of(folder, case.name, task, peer.name)
    told = Told(*map(np.load, files))
    answers, of = answered(task, told, how["users"])
    bounds = [float(told.low[0]), float(told.high[0])] if task == "zones" else []
    return {
        "status": how.get("status", died),
        "seconds": round(how.get("seconds", given.limit), 3),
        "processor": round(how.get("processor", cost.processor - how["used"]), 3),
        "peak_mib": round(cost.peak), "stolen": round(cost.stolen, 2), "note": how.get("note", ""),
        "machine": measure.machine(), "answers": answers, "of": of, "bounds": bounds,
        "wrong": contradictions(case.name, task, told, folder),
    }  # fmt: skip


def answered(task: Task, told: Told, n_users: int) -> tuple[int, int]:
    """How many of how many answers a peer has given."""
    if task == "all":
        known = int(_count(told.low).sum() + _count(told.high).sum())
        return known, len(told.low) * n_users
    if task == "k":
        settled = (_count(told.low) >= K) | (n_users - _count(told.high) < K)
        return int(settled.sum()), len(settled)
    known = told.high - told.low <= ALIKE if task == "weights" else told.high == told.low
    return int(np.atleast_2d(known).all(axis=1).sum()), len(told.low)


def _count(sets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    return np.bitwise_count(sets).sum(axis=1, dtype=np.int64)


def contradictions(case: str, task: Task, told: Told, folder: Path) -> int:
    """Answers that any row contradicts, itself included."""
    wrong = 0
    of: Iterable[str] = ("all", "k") if task in ("all", "k") else (task,)
    for low_file in sorted(file for one in of for file in folder.glob(f"{case}-{one}-*.low.npy")):
        high_file = low_file.with_name(low_file.name.replace(".low.", ".high."))
        low, high = np.load(low_file), np.load(high_file)
        if task in ("all", "k"):
            against = (told.low & high) | (told.high & low)
            wrong = max(wrong, int(_count(against).sum()))
        else:
            against = (told.low > high + ALIKE) | (low > told.high + ALIKE)
            wrong = max(wrong, int(against.sum()))
    return wrong


def named() -> dict[str, Case]:
    """Cases by name."""
    return {case.name: case for case in cases()}


def installed(row: dict[str, Any]) -> str | None:
    """Versions of the peer of a row; None: it is not installed."""
    peer = PEERS.get(row["peer"])
    return None if peer is None else peer.versions


def rows_of(results: Path) -> list[dict[str, Any]]:
    """The rows so far."""
    lines = results.read_text().splitlines() if results.exists() else []
    return [json.loads(line) for line in lines]


def run_all(given: argparse.Namespace) -> None:
    """Ask whoever was not asked yet."""
    rows = rows_of(given.results)
    done = {
        (row["case"], row["task"], row["peer"])
        for row in rows
        if row["limit"] == given.limit and (row["status"] != "not installed" or not installed(row))
    }
    for case in cases():
        if case.name in given.cases and case.source and not (given.data / case.source).exists():
            raise SystemExit(f"{case.name} needs {given.data / case.source}: give --data")
        for task in case.tasks:
            for peer in PEERS.values():
                at = case.name, task, peer.name
                chosen = case.name in given.cases and task in given.tasks and task in peer.ask
                if not chosen or at in done or (given.peers and peer.name not in given.peers):
                    continue
                row = _row(case, task, peer, rows, given)
                rows.append(row)
                with given.results.open("a") as out:
                    out.write(json.dumps(row) + "\n")
                print(", ".join([*at, peer_page.cell(row)]), flush=True)


def _row(
    case: Case, task: Task, peer: Peer, rows: list[dict[str, Any]], given: argparse.Namespace
) -> dict[str, Any]:
    """A row, also of a peer that is not asked."""
    row = {
        "case": case.name, "title": case.title, "task": task, "peer": peer.name, "seed": case.seed,
        "limit": given.limit, "memory": given.memory, "versions": peer.versions,
    }  # fmt: skip
    if peer.versions is None:
        return row | {"status": "not installed"}
    before = [one for one in rows if (one["task"], one["peer"]) == (task, peer.name)]
    before = [one for one in before if one["status"] != "not installed"]
    if peer.name != peer_page.OURS and before and not _half(before[-1]):
        return row | {"status": "not asked"}
    return row | run(case, task, peer, given)


def _half(row: dict[str, Any]) -> bool:
    """Whether a row has half of the answers."""
    return bool(2 * row.get("answers", 0) >= row.get("of", 1))


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("MIXSAFE_DATA", "data")),
                        help="folder of the published data")  # fmt: skip
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for each row")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB for each row")
    parser.add_argument("--cases", default=",".join(named()), help="names, with commas")
    parser.add_argument("--tasks", default=",".join(get_args(Task)), help="with commas")
    parser.add_argument("--peers", action="append", help="a name; again for more; default: all")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/peers.jsonl"))
    parser.add_argument("-o", "--output", type=Path, help="page to write, .md")
    parser.add_argument("--one", nargs=3, metavar=("CASE", "TASK", "PEER"), help=argparse.SUPPRESS)
    return parser


def main() -> int:
    """Ask all peers, and write the page."""
    given = options().parse_args()
    if given.one is not None:
        ask_one(given)
    given.cases, given.tasks = given.cases.split(","), given.tasks.split(",")
    given.results.with_suffix("").mkdir(parents=True, exist_ok=True)
    run_all(given)
    rows = rows_of(given.results)
    if given.output is not None:
        peer_page.write(given.output, rows)
    return 1 if any(row.get("wrong") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
