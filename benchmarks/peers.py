"""The CSP paper's method with other solvers: value after value, each within a limit of time.

    python benchmarks/peers.py choco problem.json answers.jsonl --limit 20

The constraint network is the paper's (section 4.2): an integer variable for each user and time,
``s(u, t) = s(u, t - 1)`` outside mix zones, and ``same`` within them, as a permutation: indices
that are all different, and an element constraint each. It is built more sparingly than the paper
does: variables that are equal outside zones are one variable. For a requirement (u, t, k) the
values 0, 1, … are tried in turn until k are found or none is left; a value that takes longer than
the limit stays open. Each value is a line of the answers, so a run that was stopped goes on.

Choco comes with the package pychoco; MiniZinc, with Gecode, is a program of its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Ask = Callable[[int, int, float], bool | None]
"""Can this variable have this value? None: not known within so many seconds."""


class Network(NamedTuple):
    """The paper's constraint network.

    Parameters
    ----------
    n_users
        Values are 0, 1, … below it.
    fixed
        Value of the variables that are known.
    same
        For each mix zone the variables before it and those after it.
    equal
        Pairs of variables that have one value.
    at
        Variable of each requirement (user, time, k).
    n_variables
        How many there are.
    """

    n_users: int
    fixed: dict[int, int]
    same: list[tuple[list[int], list[int]]]
    equal: list[tuple[int, int]]
    at: list[int]
    n_variables: int


def network_of(problem: dict[str, Any]) -> Network:
    """The network of a problem whose users are a count, or a list of names."""
    users = problem["users"]
    n_users = users if isinstance(users, int) else len(users)
    place = {user: row for row, user in enumerate(range(n_users) if users == n_users else users)}
    assignment: list[list[tuple[int, int]]] = [[(0, row)] for row in range(n_users)]
    same = []
    n_variables = n_users
    for t, members in sorted(problem["zones"], key=lambda zone: zone[0]):
        rows = [place[user] for user in members]
        before = [assignment[row][-1][1] for row in rows]
        after = list(range(n_variables, n_variables + len(rows)))
        n_variables += len(rows)
        for row, variable in zip(rows, after, strict=True):
            assignment[row].append((t, variable))
        same.append((before, after))

    def at(user: int | str, t: int) -> int:
        return max(entry for entry in assignment[place[user]] if entry[0] <= t)[1]

    fixed = {row: row for row in range(n_users)}
    seen: dict[Any, list[int]] = {}
    for user, t in problem["knowledge"]:
        seen.setdefault(user, []).append(t)
    equal = []
    for user, times in seen.items():
        variables = [at(user, t) for t in sorted(times)]
        equal += list(itertools.pairwise(variables))
    asked = [at(user, t) for user, t, _ in problem["requirements"]]
    return Network(n_users, fixed, same, equal, asked, n_variables)


def choco(network: Network) -> Ask:
    """Choco with its default search. A new model for each value: it keeps what it has learnt."""
    from pychoco import Model

    def ask(variable: int, value: int, limit: float) -> bool | None:
        model = Model()
        s = [
            model.intvar(network.fixed[v]) if v in network.fixed
            else model.intvar(0, network.n_users - 1)
            for v in range(network.n_variables)
        ]  # fmt: skip
        for before, after in network.same:
            index = [model.intvar(0, len(before) - 1) for _ in before]
            model.all_different(index).post()
            came = [s[v] for v in before]
            for i, v in zip(index, after, strict=True):
                model.element(s[v], came, i).post()
        for one, other in network.equal:
            model.arithm(s[one], "=", s[other]).post()
        model.arithm(s[variable], "=", value).post()
        solver = model.get_solver()
        solver.limit_time(f"{limit:g}s")
        if solver.solve():
            return True
        # Without a solution the search is either complete, or was stopped by the limit.
        return False if "TERMINATED" in str(solver.get_search_state()).upper() else None

    return ask


def minizinc(network: Network) -> Ask:
    """MiniZinc with Gecode and its default search; its limit counts the time to compile, too."""
    values = f"0..{network.n_users - 1}"
    text = [
        'include "alldifferent.mzn";',
        f"array[0..{network.n_variables - 1}] of var {values}: s;",
        "int: asked; int: value; constraint s[asked] = value; solve satisfy;",
    ]
    text += [f"constraint s[{v}] = {value};" for v, value in network.fixed.items()]
    text += [f"constraint s[{one}] = s[{other}];" for one, other in network.equal]
    for z, (before, after) in enumerate(network.same):
        came = ", ".join(f"s[{v}]" for v in before)
        text.append(f"array[1..{len(before)}] of var 1..{len(before)}: p{z};")
        text.append(f"constraint alldifferent(p{z});")
        text += [f"constraint s[{v}] = [{came}][p{z}[{i}]];" for i, v in enumerate(after, 1)]
    folder = Path(tempfile.mkdtemp(prefix="peers-"))
    model = folder / "model.mzn"
    model.write_text("\n".join(text))

    def ask(variable: int, value: int, limit: float) -> bool | None:
        command = ["minizinc", "--solver", "gecode", "--time-limit", str(int(limit * 1000))]
        command += ["-D", f"asked={variable};value={value};", str(model)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if "UNSATISFIABLE" in printed:
            return False
        return None if "UNKNOWN" in printed else True

    return ask


PEERS = {"choco": choco, "minizinc": minizinc}


def missing(peer: str) -> str | None:
    """Why a peer cannot take part; None: it can."""
    if peer == "minizinc":
        return None if shutil.which("minizinc") else "MiniZinc is not installed"
    try:
        import pychoco  # noqa: F401
    except ImportError:
        return "pychoco is not installed"
    return None


def answer(
    peer: str, problem: dict[str, Any], answers: Path, limit: float, give_up: int | None = None
) -> None:
    """Ask for value after value, and add a line for each to ``answers``.

    A question is given up when ``give_up`` of its values have run out of time; None: never.
    """
    network = network_of(problem)
    ask = PEERS[peer](network)
    known: dict[tuple[int, int], bool | None] = {}
    if answers.exists():
        for line in map(json.loads, answers.read_text().splitlines()):
            if (line["peer"], line["limit"]) == (peer, limit):
                known[line["question"], line["value"]] = line["possible"]
    with answers.open("a") as file:
        for question, (user, t, k) in enumerate(problem["requirements"]):
            found = late = 0
            for value in range(network.n_users):
                if found == k or late == give_up:
                    break
                if (question, value) not in known:
                    start = time.perf_counter(), time.process_time()
                    known[question, value] = ask(network.at[question], value, limit)
                    made = {
                        "peer": peer, "limit": limit, "question": question, "user": user,
                        "time": t, "k": k, "users": network.n_users,
                        "value": value, "possible": known[question, value],
                        "seconds": round(time.perf_counter() - start[0], 4),
                        "processor": round(time.process_time() - start[1], 4),
                    }  # fmt: skip
                    file.write(json.dumps(made) + "\n")
                    file.flush()
                found += known[question, value] is True
                late += known[question, value] is None


def main() -> None:
    """Read the problem, and answer it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("problem", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds per value")
    parser.add_argument("--give-up", type=int, metavar="N", help="questions, after N late values")
    given = parser.parse_args()
    reason = missing(given.peer)
    if reason is not None:
        raise SystemExit(reason)
    answer(
        given.peer, json.loads(given.problem.read_text()), given.answers, given.limit, given.give_up
    )


if __name__ == "__main__":
    main()
