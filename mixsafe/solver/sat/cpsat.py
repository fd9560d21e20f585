"""The CSP paper's method on CP-SAT: build the network once, then ask for value after value.

Two encodings of one and the same constraints. ``permutation`` is the paper's: one integer
variable s per wire, and ``same`` at each mix zone. ``flow`` has one Boolean per token and wire;
tokens that are neither asked for nor constrained stay anonymous. A zone may have a Boolean that
says whether an exchange happens there, so that one model serves all sets of zones
(:mod:`mixsafe.solver.sat.zone_sets`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from ortools.sat.python import cp_model

from mixsafe.errors import InputError
from mixsafe.machinery.journal import once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers, Finding, packed, unpacked
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import complete

Encoding = Literal["flow", "permutation"]

MAX_VARIABLES = 5_000_000
"""Maximum number of variables of a model; larger questions stay undecided."""


class Solver(cp_model.CpSolver):
    """CP-SAT within the limits of a run.

    It has one thread: with several, the first solution, and so the witnesses, would differ between
    runs.

    Parameters
    ----------
    course
        Its seed, when to give up, whom to tell, and what keeps the answers.

    Attributes
    ----------
    is_best
        Whether the last solution is proven to be one of the best by the model's objective.
    """

    def __init__(self, course: Course) -> None:
        super().__init__()
        self.course, self.is_best = course, False
        self.parameters.num_workers = 1
        self.parameters.random_seed = course.seed
        self.parameters.catch_sigint_signal = False  # it would make an interruption an UNKNOWN

    def holds(self, model: cp_model.CpModel) -> bool | None:
        """Whether a model has a solution, which is kept; None: that is not known.

        It is solved on another thread, so that this one can handle Control-C.
        """
        if not math.isinf(self.course.left):
            self.parameters.max_time_in_seconds = max(self.course.left, 1e-3)
        with ThreadPoolExecutor(1) as pool:
            solving = pool.submit(self.solve, model)
            try:
                status = solving.result()
            except KeyboardInterrupt:
                self.stop_search()
                raise
        self.is_best = status == cp_model.OPTIMAL
        known = {cp_model.OPTIMAL: True, cp_model.FEASIBLE: True, cp_model.INFEASIBLE: False}
        return known.get(status)


class Model(Protocol):
    """A constraint model that is solved repeatedly with different domains."""

    def ask(self, wire: int, values: npt.NDArray[np.int64], solver: Solver) -> bool | None:
        """Whether the token on ``wire`` can be among ``values``; None: that is not known."""

    def assignment(self, solver: Solver) -> npt.NDArray[np.int32]:
        """Token on each wire, (n_wires,), in the solution just found."""


class PermutationModel:
    """One integer variable per wire, ``same`` at each zone (CSP paper, figure 4)."""

    def __init__(self, core: Core, possible: TokenSets) -> None:
        network = core.network
        self._model = cp_model.CpModel()
        self._domain = [tokens.members(possible[wire]).tolist() for wire in range(len(possible))]
        # s(u, t) = s(u, t - 1) outside zones holds by construction: a wire is one variable.
        # s(u, 0) = u and the sightings of users known at step 0 are in the domains.
        self._token = [
            self._model.new_int_var_from_domain(cp_model.Domain.from_values(domain), "")
            for domain in self._domain
        ]
        for z in range(network.n_zones):
            came = network.before[network.zone_ptr[z] : network.zone_ptr[z + 1]].tolist()
            allowed = allowed_pairs(network, z)
            left = [self._token[w + 1] for w in came]
            self._add_same([self._token[w] for w in came], left, allowed)
        for one, other in core.link_wires.tolist():  # s(u, t1) = s(u, t2), section 4.2
            self._model.add(self._token[one] == self._token[other])
        self._model.add_all_different(self._token[wire] for wire in core.apart_wires.tolist())

    def _add_same(
        self,
        came: list[cp_model.IntVar],
        left: list[cp_model.IntVar],
        allowed: npt.NDArray[np.bool_],
    ) -> None:
        """Constrain ``left`` to be an allowed permutation of ``came``, given by Booleans."""
        for (i, j), goes in _permuted(self._model, allowed).items():
            self._model.add(left[j] == came[i]).only_enforce_if(goes)

    def ask(self, wire: int, values: npt.NDArray[np.int64], solver: Solver) -> bool | None:
        """Whether the token on ``wire`` can be among ``values``; None: that is not known."""
        domain = self._model.proto.variables[self._token[wire].index].domain
        _set_domain(domain, values.tolist())
        holds = solver.holds(self._model)
        _set_domain(domain, self._domain[wire])
        return holds

    def assignment(self, solver: Solver) -> npt.NDArray[np.int32]:
        """Token on each wire, (n_wires,), in the solution just found."""
        return np.array([solver.value(token) for token in self._token], np.int32)


def allowed_pairs(network: WireNetwork, zone: int) -> npt.NDArray[np.bool_]:
    """(size, size): whether who comes to a zone on one member's track may leave on another's."""
    size = int(network.zone_ptr[zone + 1] - network.zone_ptr[zone])
    if network.relation is None:
        return np.ones((size, size), bool)
    return network.relation.matrix(zone, size)


def _permuted(
    model: cp_model.CpModel, allowed: npt.NDArray[np.bool_]
) -> dict[tuple[int, int], cp_model.IntVar]:
    """Booleans of the allowed pairs (i, j), one of each i and of each j."""
    goes = {(i, j): model.new_bool_var("") for i, j in np.argwhere(allowed).tolist()}
    for side in range(2):
        for member in range(len(allowed)):
            model.add_exactly_one(one for pair, one in goes.items() if pair[side] == member)
    return goes


def _set_domain(domain: object, values: list[int]) -> None:
    """Replace the domain of a variable in the model's protocol buffer."""
    domain.clear()  # type: ignore[attr-defined]
    domain.extend(list(cp_model.Domain.from_values(values).flattened_intervals()))  # type: ignore[attr-defined]


class Exchanges(NamedTuple):
    """Groups of zones, each with or without exchanges, at a cost.

    Parameters
    ----------
    group
        (n_zones,) int64: number of the group of each zone.
    cost
        (n_groups,) int64: what exchanges in zones of a group cost.
    """

    group: npt.NDArray[np.int64]
    cost: npt.NDArray[np.int64]


class FlowModel:
    """One Boolean per token and wire: a path from zone to zone for each token.

    Clauses only say how a path goes on. A Boolean off the path may be true, too; that does no harm
    but to links, so tokens at their ends are on one wire at a time.

    Parameters
    ----------
    core, possible
        The question, and the tokens that may be on each wire: at most what reachability leaves.
    tracked
        (n_rows,) bool: tokens that are distinguished. The others are anonymous: they share the
        remaining wires in any order.
    exchanges
        Each group of zones has a Boolean. If it is false, every token stays on its row there. The
        cost of the others is minimized. None: exchanges happen in all zones at no cost.
    """

    def __init__(
        self,
        core: Core,
        possible: TokenSets,
        tracked: npt.NDArray[np.bool_] | None = None,
        exchanges: Exchanges | None = None,
    ) -> None:
        self._core = core
        self._model = cp_model.CpModel()
        network = core.network
        self._tracked = np.ones(network.n_rows, bool) if tracked is None else tracked
        self._on_wire = [self._add_wire(possible[wire]) for wire in range(network.n_wires)]
        cost = [] if exchanges is None else exchanges.cost.tolist()
        self._allowed = np.ones(len(cost), bool)
        self._exchange = [self._model.new_bool_var("") for _ in cost]
        if cost:
            self._model.minimize(cp_model.LinearExpr.weighted_sum(self._exchange, cost))
        exact = {token for wire in _compared(core).tolist() for token in self._on_wire[wire]}
        for z in range(network.n_zones):
            came = network.before[network.zone_ptr[z] : network.zone_ptr[z + 1]].tolist()
            self._add_paths(came, exact)
            if exchanges is not None:
                self._add_exchange(came, self._exchange[int(exchanges.group[z])])
            if not (allowed := allowed_pairs(network, z)).all():
                self._add_relation(came, allowed)
        for one, other in core.link_wires.tolist():  # the same token at both ends
            for token, literal in self._on_wire[one].items():
                self._model.add(literal == self._on_wire[other].get(token, 0))
        self._add_apart(core.apart_wires.tolist())

    def _add_wire(self, allowed: npt.NDArray[np.uint64]) -> dict[int, cp_model.IntVar]:
        """Put one token on a wire, or at most one tracked token if anonymous ones are possible."""
        everyone = tokens.members(allowed)
        distinguished = everyone[self._tracked[everyone]].tolist()
        literals = {token: self._model.new_bool_var("") for token in distinguished}
        if len(distinguished) == len(everyone):
            self._model.add_exactly_one(literals.values())
        elif literals:
            self._model.add_at_most_one(literals.values())
        return literals

    def _add_apart(self, wires: list[int]) -> None:
        """People who are seen have different tokens."""
        seen: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        for wire in wires:
            for token, literal in self._on_wire[wire].items():
                seen[token].append(literal)
        for literals in seen.values():
            self._model.add_at_most_one(literals)

    def _add_paths(self, came: list[int], exact: set[int]) -> None:
        """Each tracked token that comes to a zone leaves it on one of its wires.

        Those that are ``exact`` leave it on one only, and only if they came: links, and that people
        differ, are about the tokens of single wires, which no other may stand in for.
        """
        coming: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        leaving: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        for wire in came:
            for token, literal in self._on_wire[wire].items():
                coming[token].append(literal)
            for token, literal in self._on_wire[wire + 1].items():
                leaving[token].append(literal)
        for token, literals in coming.items():
            for literal in literals:
                self._model.add_bool_or(~literal, *leaving[token])
        for token, literals in leaving.items():
            if token in exact:
                self._model.add_at_most_one(literals)
                for literal in literals:
                    self._model.add_bool_or(~literal, *coming[token])

    def _add_exchange(self, came: list[int], exchange: cp_model.IntVar) -> None:
        """Without an exchange in a zone, tokens stay on their rows."""
        for wire in came:
            for token, literal in self._on_wire[wire].items():
                stays = self._on_wire[wire + 1].get(token)
                self._model.add_bool_or(~literal, exchange, *([] if stays is None else [stays]))

    def _add_relation(self, came: list[int], allowed: npt.NDArray[np.bool_]) -> None:
        """Tokens take allowed pairs; anonymous ones, too, so each pair has a Boolean for them."""
        goes = None if self._tracked.all() else _permuted(self._model, allowed)
        for i, wire in enumerate(came):
            for token, here in self._on_wire[wire].items():
                there = [self._on_wire[other + 1].get(token) for other in came]
                for j, literal in enumerate(there):
                    if literal is None:
                        continue
                    if not allowed[i, j]:
                        self._model.add_bool_or(~here, ~literal)
                    elif goes is not None:
                        self._model.add_bool_or(~here, ~literal, goes[i, j])

    def allow(self, groups: npt.NDArray[np.bool_]) -> None:
        """Let exchanges happen in the zones of these groups only, (n_groups,) bool."""
        for number in np.flatnonzero(groups != self._allowed).tolist():
            domain = self._model.proto.variables[self._exchange[number].index].domain
            _set_domain(domain, [0, int(groups[number])])
        self._allowed = groups.copy()

    def ask(self, wire: int, values: npt.NDArray[np.int64], solver: Solver) -> bool | None:
        """Whether the token on ``wire`` can be among ``values``; None: that is not known.

        Tokens that may be on the wire and are not among them are tracked.
        """
        allowed = set(values.tolist())
        others = [literal for token, literal in self._on_wire[wire].items() if token not in allowed]
        return self._holds_without(others, solver)

    def ask_elsewhere(
        self, token: int, wires: npt.NDArray[np.int64], solver: Solver
    ) -> bool | None:
        """Whether a tracked token can be on none of ``wires``; None: that is not known."""
        there = [self._on_wire[wire].get(token) for wire in wires.tolist()]
        return self._holds_without([one for one in there if one is not None], solver)

    def _holds_without(self, literals: Sequence[cp_model.IntVar], solver: Solver) -> bool | None:
        """Whether the model has a solution in which these are false."""
        domains = [self._model.proto.variables[literal.index].domain for literal in literals]
        for domain in domains:
            _set_domain(domain, [0])
        holds = solver.holds(self._model)
        for domain in domains:
            _set_domain(domain, [0, 1])
        return holds

    def paths(self, solver: Solver) -> npt.NDArray[np.int32]:
        """(n_wires,) tracked token on each wire in the solution just found, -1: an anonymous one.

        A token stays on its row where it may.
        """
        network, on_wire = self._core.network, self._on_wire
        leads_to, path = network.leads_to, np.full(network.n_wires, -1, np.int32)
        for token in np.flatnonzero(self._tracked).tolist():
            wire = int(network.first[token])
            path[wire] = token
            while (zone := int(leads_to[wire])) >= 0:
                came = network.before[network.zone_ptr[zone] : network.zone_ptr[zone + 1]].tolist()
                wire = next(
                    other + 1
                    for other in (wire, *came)
                    if token in on_wire[other + 1]
                    and solver.boolean_value(on_wire[other + 1][token])
                )
                path[wire] = token
        return path

    def assignment(self, solver: Solver) -> npt.NDArray[np.int32]:
        """Token on each wire, (n_wires,), in the solution just found."""
        return complete(self._core, self.paths(solver), self._tracked)


def too_large(size: int, most: int) -> str:
    """Why a question stays open whose model would have ``size`` variables."""
    return f"too large for CP-SAT: {size} variables, more than {most}"


def ask_all(answers: Answers, model: Model, solver: Solver) -> None:
    """Ask for value after value of each open wire, until k are found or none is left."""
    total = len(answers.wire)
    for wire in answers.open_wires().tolist():
        solver.course.progress("asking CP-SAT", total - answers.n_open, total)
        while answers.is_open(wire) and not solver.course.passed:
            left = tokens.members(answers.possible[wire] & ~answers.proven[wire])
            finding = ask_once(answers, model, solver, f"cpsat {wire}", (wire, left))
            if finding is None:
                break
            answers.take_in(finding, Argument.CPSAT)


def ask_once(
    answers: Answers,
    model: Model,
    solver: Solver,
    name: str,
    asked: tuple[int, npt.NDArray[np.int64]],
) -> Finding | None:
    """Ask for one of some tokens on a wire, as a step of the journal.

    Parameters
    ----------
    answers
        What is known.
    model, solver
        What is asked, and who is.
    name
        Of the step.
    asked
        The wire, and the tokens.

    Returns
    -------
    A witness, or the refutation of all of them; None: that is not known.
    """
    found = once(solver.course, name, partial(_asked, answers, model, solver, *asked))
    return next(iter(unpacked(found)), None) if found else None


def _asked(
    answers: Answers, model: Model, solver: Solver, wire: int, values: npt.NDArray[np.int64]
) -> Entry | None:
    """A finding; or no finding if the solver gives up; None: time is up."""
    holds = model.ask(wire, values, solver)
    if holds:
        return packed([Finding.witness(model.assignment(solver), answers.core.network.row)])
    if holds is None:
        return packed([]) if math.isinf(solver.course.left) else None
    return packed([Finding.refutation(wire)])


def asked_tokens(answers: Answers) -> npt.NDArray[np.bool_]:
    """(n_tokens,) bool: tokens that must be distinguished to answer the open questions.

    These are those that knowledge is about, and those that may be on an open wire.
    """
    tracked, wires = known_tokens(answers.core, answers.possible), answers.open_wires()
    if len(wires):
        tracked[tokens.members(np.bitwise_or.reduce(answers.possible[wires], axis=0))] = True
    return tracked


def known_tokens(core: Core, possible: TokenSets) -> npt.NDArray[np.bool_]:
    """(n_tokens,) bool: tokens that must be distinguished for the sake of knowledge.

    These are the tokens of pins, and those that may be at the end of a link, or where people are
    seen who are different: one that must be there is nowhere else, where others may be.

    Parameters
    ----------
    core, possible
        The question, and the tokens that may be on each wire.
    """
    tracked = np.zeros(core.network.n_rows, bool)
    if len(wires := _compared(core)):
        tracked[tokens.members(np.bitwise_or.reduce(possible[wires], axis=0))] = True
    matters = (core.pins.time > 0) | (len(core.apart) > 0)  # whoever is apart has no pinned token
    tracked[core.pins.token[matters]] = True
    return tracked


def _compared(core: Core) -> npt.NDArray[np.int64]:
    """Wires whose tokens must be, or must not be, those of other wires."""
    return np.concatenate([core.link_wires.ravel(), core.apart_wires])


def decide(
    answers: Answers,
    course: Course,
    *,
    encoding: Encoding = "flow",
    max_variables: int = MAX_VARIABLES,
) -> None:
    """Engine ``cpsat``: the paper's incremental method, on domains narrowed by reachability.

    Questions of a model of more than ``max_variables`` variables stay open, and ``answers.notes``
    says so.

    Raises
    ------
    InputError
        An unknown encoding.
    """
    if encoding not in ("flow", "permutation"):
        raise InputError(f"unknown encoding '{encoding}'", hint="use flow or permutation")
    if answers.n_open:
        answers.possible &= reachable(answers.core)
        answers.settle(Argument.REACHABILITY)
    if answers.n_open == 0:
        return
    if (size := int(answers.upper.sum(dtype=np.int64))) > max_variables:
        answers.notes.append(too_large(size, max_variables))
        return
    model: Model
    if encoding == "flow":
        model = FlowModel(answers.core, answers.possible, asked_tokens(answers))
    else:
        model = PermutationModel(answers.core, answers.possible)
    ask_all(answers, model, Solver(course))
