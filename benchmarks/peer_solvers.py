"""Solvers of today, each asked what mixsafe answers; none of them is part of mixsafe.

A peer is a function of a question and of two arrays on file, which it fills in as it goes: what it
has told by then counts, whenever it is ended. All peers get the wires that mixsafe's presolve
leaves. SAT solvers get the clauses that mixsafe writes (:mod:`mixsafe.solver.sat.encoding`), for
tokens within reach alone. Constraint solvers get the CSP paper's network (section 4.2), through
CPMpy or as a text of MiniZinc: an integer variable for each wire, and ``same`` in each zone as a
permutation. Every solution that is found shows one candidate on every wire, and counts as such.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.optimize.reduction import among, needed_zones
from mixsafe.optimize.zone_formula import ZoneFormula
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.registry import ENGINES
from mixsafe.solver.sat.encoding import Encoding, Formula
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state import tokens
from mixsafe.verify.answering import Decider, answered
from mixsafe.verify.presolved import Presolved
from mixsafe.verify.query import Query
from mixsafe.weigh.weighed import ALONE, COUNTED
from mixsafe.weigh.weighing import weigh

Task = Literal["all", "k", "zones", "weights"]
"""All candidates of every wire, k of them, fewest zones, or how likely each candidate is."""

NEWEST, HOUSE = "cadical300", "cadical153"
"""CaDiCaL of python-sat: the newest, and the one of mixsafe."""

Numbers = npt.NDArray[np.int64]


class Question(NamedTuple):
    """What a peer is asked.

    Parameters
    ----------
    problem, core
        The problem, and its wires after presolve.
    k
        Candidates that are enough; None: all are wanted.
    limit
        Seconds, for mixsafe; all others are just ended then.
    """

    problem: Problem
    core: Core
    k: int | None
    limit: float

    @property
    def course(self) -> Course:
        """A run of mixsafe within the limit."""
        return Course.begin(SolveLimits(self.limit))


class Told(NamedTuple):
    """What a peer has told, in arrays on file.

    Parameters
    ----------
    low, high
        Of candidates (n_wires, words) each: tokens that are possible, and that are impossible.
        Else bounds: (1,) on the fewest zones; (n_wires, n_users) on the chance of each token.
    """

    low: npt.NDArray[Any]
    high: npt.NDArray[Any]

    def solution(self, token: Sequence[int] | npt.NDArray[np.integer]) -> None:
        """A token on each wire, (n_wires,), in a solution; -1: not known."""
        token = np.asarray(token, np.int64)
        wire = np.flatnonzero(token >= 0)
        tokens.put(self.low, wire, token[wire])

    def impossible(self, wire: npt.ArrayLike, token: npt.ArrayLike) -> None:
        """Pairs of a wire and a token that is on it in no solution."""
        wire, token = np.atleast_1d(wire), np.atleast_1d(token)
        bit = np.uint64(1) << (token % 64).astype(np.uint64)
        np.bitwise_or.at(self.high, (wire, token // 64), bit)

    def all_found(self, wire: int, n_users: int) -> None:
        """No token is possible on the wire besides those that are known to be."""
        everyone = tokens.everything(1, n_users)[0]
        self.high[wire] |= everyone & ~self.low[wire]

    def wants(self, wire: int, asked: Question) -> bool:
        """Whether more candidates of a wire are asked for."""
        n, n_users = int(np.bitwise_count(self.low[wire]).sum()), asked.core.network.n_rows
        ruled_out = int(np.bitwise_count(self.high[wire]).sum())
        return n + ruled_out < n_users and (asked.k is None or n < asked.k <= n_users - ruled_out)


Ask = Callable[[Question, Told], None]


# mixsafe itself


def by_engine(engine: str, encoding: str | None, asked: Question, told: Told) -> None:
    """An engine of ``mixsafe verify``, its presolve included."""
    query = Query(k=asked.k, exhaustive=asked.k is None)
    presolved = Presolved.of(asked.problem, query, None)
    decider = Decider(ENGINES[engine].decider(encoding), None, needs_sets=False)
    answers = answered(
        presolved.core, presolved.wire, presolved.k, decider, asked.course, query.exhaustive
    )
    told.low[:] = answers.proven
    everyone = tokens.everything(1, asked.core.network.n_rows)[0]
    told.high[:] = everyone & ~answers.possible


def by_method(method: str, asked: Question, told: Told) -> None:
    """A method of ``mixsafe optimize``."""
    found = minimum_zones(asked.problem, method=method, course=asked.course)
    none = found.status == "infeasible"
    told.low[:] = np.inf if none else found.bound or 0
    told.high[:] = np.inf if found.minimum is None else found.minimum


def by_weighing(asked: Question, told: Told) -> None:
    """``mixsafe weigh``, of which only what is counted is an exact answer."""
    found = weigh(asked.problem, exhaustive=True, time_limit=asked.limit)
    wire = Presolved.of(asked.problem, Query(exhaustive=True), None).merged
    exact, chances = np.isin(found.rows.found.method, (ALONE, COUNTED)), found.chances
    told.low[wire[exact]] = told.high[wire[exact]] = 0.0
    mine = exact[chances.wire]
    at = wire[chances.wire[mine]], chances.token[mine]
    told.low[at] = told.high[at] = chances.chance[mine]


# SAT: clauses of mixsafe


class Clauses(NamedTuple):
    """Clauses of a core in which all tokens are tracked, and what its variables mean."""

    encoding: Encoding
    clauses: list[list[int]]
    wire: Numbers
    token: Numbers

    @classmethod
    def of(cls, asked: Question, told: Told) -> Clauses:
        """Write them; tokens out of reach are impossible."""
        core = asked.core
        possible = reachable(core)
        everyone = tokens.everything(1, core.network.n_rows)[0]
        told.high[:] = everyone & ~possible
        encoding = Encoding.of(core, possible, np.arange(core.network.n_rows))
        wire = np.repeat(np.arange(core.network.n_wires), np.diff(encoding.ptr))
        token = encoding.tracked[encoding.number]
        return cls(encoding, encoding.formula().clauses(), wire, token)

    def shown(self, model: Sequence[int], told: Told) -> None:
        """Tell what a model shows."""
        true = np.array(model[: len(self.wire)]) > 0
        if not np.array_equal(np.abs(model[: len(self.wire)]), self.encoding.variable):
            raise ValueError("a model that lacks variables")
        token = np.full(len(told.low), -1, np.int64)
        token[self.wire[true]] = self.token[true]
        told.solution(token)


def by_sat(solver: str, asked: Question, told: Told) -> None:
    """An incremental SAT solver, asked for value after value by assumptions."""
    from pysat.solvers import Solver

    written = Clauses.of(asked, told)
    told.solution(asked.core.network.row)
    with Solver(name=solver, bootstrap_with=written.clauses) as session:
        at = zip(written.wire.tolist(), written.token.tolist(), strict=True)
        for variable, (wire, token) in enumerate(at, 1):
            known = told.low[wire, token >> 6] >> np.uint64(token & 63) & np.uint64(1)
            if known or not told.wants(wire, asked):
                continue
            if session.solve(assumptions=[variable]):
                written.shown(session.get_model(), told)
            else:
                told.impossible(wire, token)


def by_backbone(algorithm: str, solver: str, asked: Question, told: Told) -> None:
    """PySAT's backbone extractor: which tokens are on a wire in no solution.

    It hands assumptions over as sets, of which PySAT's CaDiCaL makes no cores; as lists it does.
    """
    from pysat.examples.bbscan import BBScan
    from pysat.formula import CNF

    written = Clauses.of(asked, told)
    with BBScan(CNF(from_clauses=written.clauses), solver=solver) as scan:
        solve = scan.oracle.solve
        scan.oracle.solve = lambda assumptions=(): solve(assumptions=list(assumptions))
        never = scan.compute(algorithm, focus_on=(-written.encoding.variable).tolist())
    absent = np.zeros(len(written.wire), bool)
    absent[-np.array(never, np.int64) - 1] = True
    told.impossible(written.wire[absent], written.token[absent])
    told.low[:] = tokens.everything(1, asked.core.network.n_rows)[0] & ~told.high


def counted_by_sat(solver: str, asked: Question, told: Told) -> None:
    """A SAT solver enumerates all solutions."""
    from pysat.solvers import Solver

    reach = Told(*np.zeros((2, asked.core.network.n_wires, asked.core.words), np.uint64))
    written = Clauses.of(asked, reach)

    def solutions() -> Iterator[npt.NDArray[np.integer]]:
        with Solver(name=solver, bootstrap_with=written.clauses) as session:
            while session.solve():
                true = np.flatnonzero(np.array(session.get_model()[: len(written.wire)]) > 0)
                session.add_clause((-written.encoding.variable[true]).tolist())
                token = np.empty(asked.core.network.n_wires, np.int64)
                token[written.wire[true]] = written.token[true]
                yield token

    _tell_shares(solutions(), told)


def _tell_shares(solutions: Iterator[npt.NDArray[np.integer]], told: Told) -> None:
    """Of all solutions, which weigh the same, the share with each token on each wire."""
    times, wires, total = np.zeros(told.low.shape), np.arange(len(told.low)), 0
    for token in solutions:
        times[wires, token] += 1
        total += 1
    told.low[:] = told.high[:] = times / total


# Constraint solvers: the CSP paper's network


def paper_network(core: Core) -> tuple[Any, list[Any]]:
    """The variable of each wire, in an array of CPMpy, and the constraints."""
    import cpmpy as cp

    network = core.network
    if network.relation is not None or len(core.apart):
        raise ValueError("the CSP paper's network has neither relations nor people who differ")
    s = cp.intvar(0, network.n_rows - 1, shape=network.n_wires, name="s")
    begins = network.first[:-1].tolist()
    constraints = [s[wire] == row for row, wire in enumerate(begins)]
    pin, wire = core.pin_wires
    for number, token in enumerate(core.pins.token.tolist()):
        at = wire[pin == number].tolist()
        constraints.append(cp.any([s[one] == token for one in at]))
    constraints += [s[one] == s[other] for one, other in core.link_wires.tolist()]
    for came in _zones(core):
        p = cp.intvar(0, len(came) - 1, shape=len(came))
        constraints.append(cp.AllDifferent(p))
        for place, w in enumerate(came):
            constraints.append(s[w + 1] == cp.Element([s[one] for one in came], p[place]))
    return s, constraints


def _zones(core: Core) -> list[list[int]]:
    """Wires that come to each zone; each goes on as the next one."""
    network = core.network
    return [
        network.before[network.zone_ptr[z] : network.zone_ptr[z + 1]].tolist()
        for z in range(network.n_zones)
    ]


def by_cpmpy(solver: str, assumes: bool, asked: Question, told: Told) -> None:
    """A solver of CPMpy, asked on each wire for a value besides those that are known.

    Where the solver takes assumptions, one of them says which wire is asked about, and the solver
    may keep what it learns; else it is built anew for each question.
    """
    import cpmpy as cp

    s, constraints = paper_network(asked.core)
    model = cp.Model(constraints)
    session = cp.SolverLookup.get(solver, model) if assumes else None

    def another(wire: int) -> list[int] | None:
        nonlocal session
        other = [s[wire] != token for token in tokens.members(told.low[wire]).tolist()]
        if assumes:
            this = cp.boolvar()
            session += [this.implies(one) for one in other]
            holds = session.solve(assumptions=[this])
        else:
            session = cp.SolverLookup.get(solver, model)
            session += other
            holds = session.solve()
        return np.array(s.value(), np.int64).tolist() if holds else None

    _ask_wires(another, asked, told)


def choco_that_learns(asked: Question, told: Told) -> None:
    """Choco with lazy clause generation, which CPMpy has no option for."""
    import pychoco

    pychoco.Model = functools.partial(pychoco.Model, lcg=True)
    by_cpmpy("choco", False, asked, told)


def by_minizinc(asked: Question, told: Told) -> None:
    """MiniZinc with Gecode, which is built anew for each question.

    Gecode is a process in a group of its own, which nobody ends with this one: it knows the limit.
    """
    core, network = asked.core, asked.core.network
    lines = [
        'include "alldifferent.mzn";',
        f"array[0..{network.n_wires - 1}] of var 0..{network.n_rows - 1}: s;",
        "int: wire; set of int: known; constraint not (s[wire] in known); solve satisfy;",
        r'output [show(s[w]) ++ "\n" | w in index_set(s)];',
    ]
    lines += [f"constraint s[{w}] = {row};" for row, w in enumerate(network.first[:-1].tolist())]
    pin, wire = core.pin_wires
    for number, token in enumerate(core.pins.token.tolist()):
        at = " \\/ ".join(f"s[{one}] = {token}" for one in wire[pin == number].tolist())
        lines.append(f"constraint {at};")
    lines += [f"constraint s[{one}] = s[{other}];" for one, other in core.link_wires.tolist()]
    for z, came in enumerate(_zones(core)):
        before = ", ".join(f"s[{w}]" for w in came)
        lines.append(f"array[1..{len(came)}] of var 1..{len(came)}: p{z};")
        lines.append(f"constraint alldifferent(p{z});")
        for place, w in enumerate(came, 1):
            lines.append(f"constraint s[{w + 1}] = [{before}][p{z}[{place}]];")
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.mzn"
        model.write_text("\n".join(lines))

        def another(wire: int) -> list[int] | None:
            known = ", ".join(map(str, tokens.members(told.low[wire]).tolist()))
            limit = str(int(1000 * asked.limit) + 1000)
            command = ["minizinc", "--solver", "gecode", "--time-limit", limit, str(model)]
            command += ["-D", f"wire={wire};known={{{known}}};"]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            if "UNSATISFIABLE" in printed:
                return None
            if "UNKNOWN" in printed:
                raise TimeoutError("Gecode reached the limit")
            return [int(line) for line in printed.split()[: network.n_wires]]

        _ask_wires(another, asked, told)


def _ask_wires(another: Callable[[int], list[int] | None], asked: Question, told: Told) -> None:
    """Ask for another value of each wire until no more are wanted."""
    told.solution(asked.core.network.row)  # the identity is a solution, as everybody knows
    for wire in range(asked.core.network.n_wires):
        while told.wants(wire, asked):
            found = another(wire)
            if found is None:
                told.all_found(wire, asked.core.network.n_rows)
            else:
                told.solution(found)


def counted_by_cpmpy(solver: str, asked: Question, told: Told) -> None:
    """A solver of CPMpy enumerates all solutions."""
    import cpmpy as cp

    s, constraints = paper_network(asked.core)
    listed: list[npt.NDArray[np.integer]] = []
    session = cp.SolverLookup.get(solver, cp.Model(constraints))
    session.solveAll(display=lambda: listed.append(np.array(s.value(), np.int64)))
    _tell_shares(iter(listed), told)


# Fewest zones: the formula of mixsafe


class Written(Session):
    """A session that keeps its clauses, for other solvers, and is told their models."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = []
        self.n_variables = 0
        self._true = np.zeros(1, bool)

    def add(self, clauses: Sequence[Sequence[int]]) -> None:
        """Add clauses."""
        self.clauses += map(list, clauses)

    def take_in(self, formula: Formula) -> None:
        """Add the clauses of a formula, and reserve its variables."""
        self.n_variables = max(self.n_variables, formula.n_variables)
        self.add(formula.clauses())

    def fresh(self) -> list[list[int]]:
        """Clauses that were added since this was last asked."""
        found, self.clauses = self.clauses, []
        return found

    def hear(self, model: Sequence[int]) -> None:
        """Take a model."""
        self._true = np.zeros(self.n_variables + 1, bool)
        literals = np.asarray(model, np.int64)
        there = literals[(literals > 0) & (literals <= self.n_variables)]
        self._true[there] = True

    def true(self) -> npt.NDArray[np.bool_]:
        """(n_variables + 1,) whether each variable is true in the model."""
        return self._true


class Solve(NamedTuple):
    """Finds a cheapest model of clauses, to which more may be added."""

    add: Callable[[list[list[int]]], None]
    cheapest: Callable[[], tuple[int, list[int]] | None]
    """Its number of zones, and its model; None: there is none."""


def by_formula(solver: Callable[[list[int], Told], Solve], asked: Question, told: Told) -> None:
    """Cheapest models of mixsafe's formula, until one misplaces no token."""
    groups = ZoneGroups.each(np.ones(len(asked.problem.zones), np.int64))
    problem = among(asked.problem, needed_zones(asked.problem, groups))
    session = Written()
    formula = ZoneFormula(session, problem, asked.course.deadline)
    solve = solver(formula.chosen.tolist(), told)
    while True:
        clauses = session.fresh()
        solve.add(clauses)
        found = solve.cheapest() if all(clauses) else None  # an empty one is never true
        if found is None:
            told.low[:] = told.high[:] = np.inf
            return
        told.low[:] = found[0]
        session.hear(found[1])
        if not formula.track_misplaced():
            told.high[:] = found[0]
            return


def rc2(zones: list[int], told: Told) -> Solve:
    """MaxSAT by RC2: as few zones as can be."""
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula = WCNF()
    formula.extend([[-zone] for zone in zones], weights=[1] * len(zones))
    search = RC2(formula, solver=NEWEST, incr=False)

    def add(clauses: list[list[int]]) -> None:
        for clause in filter(None, clauses):
            search.add_clause(clause)

    def cheapest() -> tuple[int, list[int]] | None:
        model = search.compute()
        return None if model is None else (search.cost, model)

    return Solve(add, cheapest)


def hitman(zones: list[int], told: Told) -> Solve:
    """Implicit hitting sets: Hitman proposes zones, CaDiCaL accepts or says why not."""
    from pysat.examples.hitman import Hitman
    from pysat.solvers import Solver

    session, proposer = Solver(name=NEWEST), Hitman(htype="sorted")

    def cheapest() -> tuple[int, list[int]] | None:
        while True:
            chosen = set(proposer.get() or [])
            told.low[:] = max(told.low[0], len(chosen))
            if session.solve(assumptions=[-zone for zone in zones if zone not in chosen]):
                return len(chosen), session.get_model()
            core = session.get_core()
            if not core:
                return None
            proposer.hit([-literal for literal in core])

    return Solve(lambda clauses: session.append_formula(clauses), cheapest)


def cpsat(zones: list[int], told: Told) -> Solve:
    """CP-SAT, with the number of zones as its objective."""
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    literals: list[Any] = [None]

    def literal(number: int) -> Any:  # noqa: ANN401 -- a literal of CP-SAT
        while len(literals) <= abs(number):
            literals.append(model.new_bool_var(""))
        return literals[number] if number > 0 else ~literals[-number]

    def add(clauses: list[list[int]]) -> None:
        for clause in clauses:
            model.add_bool_or([literal(one) for one in clause])
        model.minimize(sum(literal(zone) for zone in zones))

    def cheapest() -> tuple[int, list[int]] | None:
        solver.best_bound_callback = lambda bound: told.low.__setitem__(0, max(told.low[0], bound))
        if solver.solve(model) == cp_model.INFEASIBLE:
            return None
        true = [number for number in range(1, len(literals)) if solver.value(literals[number])]
        return round(solver.objective_value), true

    return Solve(add, cheapest)


# Who they are


class Peer(NamedTuple):
    """Somebody who is asked.

    Parameters
    ----------
    name
        What the page calls it.
    packages
        Whose versions are named; ``minizinc`` is a program, ``cadical…`` are in python-sat.
    ask
        By task.
    """

    name: str
    packages: tuple[str, ...]
    ask: dict[Task, Ask]

    @property
    def versions(self) -> str | None:
        """Versions of its packages; None: one of them is not installed."""
        told = []
        for package in self.packages:
            found = _version(package)
            if found is None:
                return None
            told.append(found)
        return ", ".join(told)


@functools.cache
def _version(package: str) -> str | None:
    """A package with its version; None: it is not installed."""
    if package == "minizinc":
        if shutil.which("minizinc") is None:
            return None
        told = subprocess.run(["minizinc", "--version"], capture_output=True, text=True, check=True)
        return f"minizinc {told.stdout.partition('version ')[2].split()[0].rstrip(',')}"
    if package.startswith("cadical"):
        from pysat.solvers import SolverNames

        return f"CaDiCaL {'.'.join(package[-3:])}" if hasattr(SolverNames, package) else None
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return None


def _both(ask: Ask) -> dict[Task, Ask]:
    """Asked for all candidates, and for k."""
    return {"all": ask, "k": ask}


def _peers() -> list[Peer]:
    part = functools.partial
    made = [
        Peer("mixsafe", ("mixsafe",), {
            **_both(part(by_engine, "auto", None)), "zones": part(by_method, "auto"),
            "weights": by_weighing,
        }),
        Peer("mixsafe, dp", ("mixsafe",), {
            **_both(part(by_engine, "dp", None)), "zones": part(by_method, "dp"),
        }),
        Peer("mixsafe, cpsat", ("mixsafe", "ortools"), {
            **_both(part(by_engine, "cpsat", "flow")), "zones": part(by_method, "cpsat"),
        }),
        Peer("mixsafe, cpsat permutation", ("mixsafe", "ortools"),
             _both(part(by_engine, "cpsat", "permutation"))),
    ]  # fmt: skip
    made += [
        Peer(f"SAT, {name}", ("python-sat", name),
             {**_both(part(by_sat, name)), "weights": part(counted_by_sat, name)})
        for name in (HOUSE, "cadical195", NEWEST)
    ]  # fmt: skip
    algorithms = ("enum", "iter", "compl", "chunk", "core", "corechunk")
    asked = [(name, NEWEST) for name in algorithms] + [("corechunk", HOUSE)]
    made += [
        Peer(
            f"bbscan {name}, {solver}",
            ("python-sat", solver),
            {"all": part(by_backbone, name, solver)},
        )
        for name, solver in asked
    ]
    solvers = {
        "ortools": ("OR-Tools", "ortools", True),
        "choco": ("Choco", "pychoco", False),
        "pumpkin": ("Pumpkin", "pumpkin-solver", True),
        "exact": ("Exact", "Exact", True),
        "pindakaas": ("Pindakaas", "pindakaas", True),
        "gcs": ("Glasgow", "gcspy", False),
    }
    for solver, (name, package, assumes) in solvers.items():
        ask = _both(part(by_cpmpy, solver, assumes))
        if solver in ("ortools", "choco"):
            ask["weights"] = part(counted_by_cpmpy, solver)
        made.append(Peer(f"CPMpy, {name}", (package, "cpmpy"), ask))
        if solver == "choco":
            ask = _both(choco_that_learns)
            made.append(Peer("CPMpy, Choco that learns", (package, "cpmpy"), ask))
    made.append(Peer("MiniZinc, Gecode", ("minizinc",), _both(by_minizinc)))
    made += [
        Peer("RC2", ("python-sat", NEWEST), {"zones": part(by_formula, rc2)}),
        Peer("Hitman", ("python-sat", NEWEST), {"zones": part(by_formula, hitman)}),
        Peer("CP-SAT", ("ortools",), {"zones": part(by_formula, cpsat)}),
    ]
    return made


PEERS = {peer.name: peer for peer in _peers()}
