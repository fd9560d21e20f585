"""Minimum mix zones by search over zone sets, with a verify engine as oracle (``--method dp``).

The CSP paper (section 5) finds the minimum number of mix zones with "an optimization program based
on dynamic programming" on top of its verifier, and says no more about it. This is a reconstruction
with the same parts: a verifier that is asked whether a set of zones meets a requirement, and a
memory of the answers. A verifier may say which of the zones are enough: CP-SAT does, whose
solutions show it; the dynamic program says yes or no. Sets are tried in order of increasing cost:

1. The cheapest set that hits all known cuts is a candidate, and its cost a lower bound.
2. If it meets all requirements it is a minimum. Otherwise it is grown as long as some requirement
   fails; what is left outside is a new cut: no set without any of it will do. Small sets that are
   known to meet a requirement say which zones must stay outside.

It is an implicit hitting set search (Moreno-Centeno and Karp 2013, Operations Research 61(2)), the
same as Reiter's diagnosis (1987, Artificial Intelligence 32(1)) with the verifier for a theorem
prover.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course, Deadline
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.compression import connected
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.solver.hitting import Answer, ImplicitHittingSet, minimal_part
from mixsafe.solver.registry import Engine, engine_of
from mixsafe.solver.zone_verdict import GroupMask, ZoneSets, ZoneVerdict
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import answer

_FIRST_TRIED = 8
"""Zones, the nearest in time to a requirement, that are tried first."""


Numbers = npt.NDArray[np.int64]


def search(problem: Problem, groups: ZoneGroups, engine: str | Engine, course: Course) -> ZoneSet:
    """Find a cheapest set of zones that meets all requirements of a problem.

    Parameters
    ----------
    problem
        With requirements.
    groups
        Groups of zones, and their costs, > 0.
    engine
        Engine of :func:`mixsafe.verify.verify` that is the oracle: ``dp``, ``cpsat`` or ``auto``.
    course
        After its deadline the best set so far is returned, with the lower bound so far; progress is
        called with the stage, the lower bound, and the cost of the best set so far.

    Returns
    -------
    ZoneSet
        With ``notes`` that say why a search is not complete.
    """
    oracle = Oracle(problem, groups, engine, course)
    everything = np.ones(len(groups.cost), bool)
    met = [oracle.meets(number, everything) for number in range(oracle.n_requirements)]
    if False in met:
        return ZoneSet(None, 0, complete=True)
    cores = _Cores(oracle, problem, groups)
    for number, is_met in enumerate(met):
        if is_met:
            cores.new_safe_set(number, everything)
    found = ImplicitHittingSet(groups.cost)
    joined = cores.joined()
    if joined is not None:
        found.accept(joined)
    found.run(
        cores, course.deadline, lambda low, up: course.progress("searching zone sets", low, up or 0)
    )
    zones = None
    if found.upper is not None:
        zones = tuple(np.flatnonzero(groups.among(found.best)).tolist())
    if found.upper == found.lower:
        return ZoneSet(zones, found.lower, complete=True)
    because = "the time was up" if course.passed else cores.undecided
    return ZoneSet(zones, found.lower, complete=False, notes=(because, *oracle.notes[:1]))


class _Cores:
    """The oracle of the search: asks the engine, and turns refusals into cores.

    Parameters
    ----------
    oracle
        The engine, with a memory.
    problem
        With requirements.
    groups
        Groups of zones, and their costs. Sets are of groups.

    Attributes
    ----------
    undecided
        Which requirement the engine left undecided last.
    """

    def __init__(self, oracle: Oracle, problem: Problem, groups: ZoneGroups) -> None:
        self._oracle, self._groups, self._cost = oracle, groups, groups.cost
        self._time = problem.zones.time
        self._order = list(range(oracle.n_requirements))
        self.undecided = ""

    def __call__(self, chosen: Sequence[int]) -> Answer:
        """Whether zones are enough: a set that is enough, or a core."""
        zones = self._mask(chosen)
        unmet = self._oracle.first_unmet(zones, self._order)
        if unmet is None:
            return Answer(True, self.joined() or ())
        number, undecided = unmet
        if undecided:
            self.undecided = f"requirement {number} was left undecided for a set of zones"
            return Answer(None)
        # What failed is likely to fail again: it is asked first next time.
        self._order.remove(number)
        self._order.insert(0, number)
        return Answer(False, np.flatnonzero(~self._grown(number, zones)).tolist())

    def _grown(self, number: int, zones: GroupMask) -> GroupMask:
        """A superset of ``zones`` that fails a requirement, as large as one can be.

        What is left out is a smallest set that hits all sets that meet the requirement, as far as
        they are known. If the rest still meets it, a smallest part of that is one more such set
        (Ignatiev, Previti, Liffiton and Marques-Silva 2015).
        """
        search, left_out = ImplicitHittingSet(), list[int]()
        while True:
            known = self._oracle.known_safe(number)
            for one in known[~known[:, left_out].any(axis=1)]:
                search.refute(np.flatnonzero(one & ~zones).tolist())
            left_out = search.propose(Deadline(None)) or []
            tried = ~self._mask(left_out)
            met = self.new_safe_set(number, tried)
            if met is False:
                return tried
            if met is None:
                return self._grown_by_halves(number, zones)

    def _grown_by_halves(self, number: int, zones: GroupMask) -> GroupMask:
        """A superset of ``zones`` that fails a requirement, where the engine cannot say of all.

        Where the engine is undecided, a zone stays outside: the cut is a weaker one then, but true.
        """

        def fails_without(outside: list[int]) -> bool:
            return self._oracle.meets(number, ~self._mask(outside)) is False

        return ~self._mask(minimal_part(np.flatnonzero(~zones).tolist(), fails_without))

    def new_safe_set(self, number: int, zones: GroupMask) -> bool | None:
        """Whether ``zones`` meet a requirement; if so, keep a smallest sufficient part.

        Where the engine does not say which zones are enough, what is near in time is tried first,
        then four times as much, and so on: small sets are decided at once.
        """
        inside = np.flatnonzero(zones)
        far = np.full(len(zones), np.iinfo(np.int64).max)
        np.minimum.at(far, self._groups.of, np.abs(self._time - self._oracle.step(number)))
        inside = inside[np.argsort(far[inside], kind="stable")]
        size = len(inside) if self._oracle.shows_part else _FIRST_TRIED
        while True:
            tried = self._mask(inside[:size].tolist())
            met = self._oracle.meets(number, tried)
            if met:
                # The memory keeps the smallest set that it is asked about
                enough = self._oracle.known_part(number, tried)
                minimal_part(
                    inside[enough[inside]][::-1].tolist(),
                    lambda part: self._oracle.meets(number, self._mask(part)) is True,
                )
            if met or size >= len(inside):
                return met
            size *= 4

    def _mask(self, groups: Sequence[int]) -> GroupMask:
        """(n_groups,) groups with these numbers."""
        mask = np.zeros(len(self._cost), bool)
        mask[list(groups)] = True
        return mask

    def joined(self) -> list[int] | None:
        """Sets that meet one requirement each, joined: the cheapest addition at each turn."""
        zones = np.zeros(len(self._cost), bool)
        for number in range(self._oracle.n_requirements):
            known = self._oracle.known_safe(number)
            if not len(known):
                return None
            added = (known & ~zones) @ self._cost
            zones |= known[int(added.argmin())]
        return np.flatnonzero(zones).tolist()


class Memory:
    """Sets of zones of which it is known whether they meet one requirement.

    More zones never remove a candidate (fact 2). So a set that meets a requirement answers for all
    its supersets, and one that does not for all its subsets; only what neither decides is asked.

    Parameters
    ----------
    n_zones
        Number of zones that there are.
    """

    def __init__(self, n_zones: int) -> None:
        self._n_zones = n_zones
        self._safe: list[npt.NDArray[np.uint8]] = []
        self._unsafe: list[npt.NDArray[np.uint8]] = []

    @property
    def safe(self) -> npt.NDArray[np.bool_]:
        """(n_known, n_zones) bool: sets that meet the requirement, none within another."""
        if not self._safe:
            return np.zeros((0, self._n_zones), bool)
        return np.unpackbits(np.array(self._safe), axis=1, count=self._n_zones).astype(bool)

    def recall(self, zones: GroupMask) -> bool | None:
        """Whether ``zones`` meet the requirement by monotonicity; None: it does not follow."""
        packed = np.packbits(zones)
        if self._safe and not np.all(np.any(np.array(self._safe) & ~packed, axis=1)):
            return True
        if self._unsafe and not np.all(np.any(packed & ~np.array(self._unsafe), axis=1)):
            return False
        return None

    def part(self, zones: GroupMask) -> GroupMask:
        """(n_zones,) the smallest known set among ``zones``, which are known to be enough."""
        safe = self.safe
        known: GroupMask = safe[~(safe & ~zones).any(axis=1)]
        smallest: GroupMask = known[int(known.sum(axis=1).argmin())]
        return smallest

    def keep(self, zones: GroupMask, safe: bool) -> None:
        """Store a result, and drop stored results that it implies."""
        packed = np.packbits(zones)
        if safe:
            self._safe = [one for one in self._safe if np.any(packed & ~one)] + [packed]
        else:
            self._unsafe = [one for one in self._unsafe if np.any(one & ~packed)] + [packed]


class Oracle:
    """Whether a set of zones meets the requirements, by one engine of :func:`verify`.

    An engine with ``load_zone_sets`` has one model for all sets, and shows which zones are enough.
    For any other one, each set is a problem of its own.

    Parameters
    ----------
    problem
        With requirements.
    groups
        Groups of zones; sets are of groups.
    engine
        ``cpsat``, ``dp``, ``auto`` or ``bounds``.
    course
        After its deadline nothing is asked any more.
    """

    def __init__(
        self, problem: Problem, groups: ZoneGroups, engine: str | Engine, course: Course
    ) -> None:
        asked = problem.requirements
        self._problem, self._groups = problem, groups
        self._step = [] if asked is None else asked.time.tolist()
        self._engine, self._course = engine_of(engine), course.silent
        self._memory = [Memory(len(groups.cost)) for _ in self._step]
        self._zone_sets: dict[int, ZoneSets] = {}
        self.notes: list[str] = []
        """Why the engine left questions undecided, a sentence for each reason."""

    @property
    def shows_part(self) -> bool:
        """Whether the engine shows which zones of a set are enough."""
        return self._engine.load_zone_sets is not None

    @property
    def n_requirements(self) -> int:
        """Number of requirements."""
        return len(self._step)

    def step(self, number: int) -> int:
        """Time step that requirement ``number`` is about."""
        return int(self._step[number])

    def known_safe(self, number: int) -> npt.NDArray[np.bool_]:
        """(n_known, n_zones) bool: sets of zones known to meet requirement ``number``."""
        return self._memory[number].safe

    def meets(self, number: int, zones: GroupMask) -> bool | None:
        """Whether ``zones`` meet requirement ``number``; None: the engine could not decide."""
        known = self._memory[number].recall(zones)
        if known is not None or self._course.passed:
            return known
        load = self._engine.load_zone_sets
        if load is None:
            return self._keep(number, self._verified(number, zones))
        if number not in self._zone_sets:
            self._zone_sets[number] = load()(*self._question(number), self._course)
        verdict = self._zone_sets[number].ask(zones)
        self._note(self._zone_sets[number].notes)
        return self._keep(number, verdict)

    def known_part(self, number: int, zones: GroupMask) -> GroupMask:
        """(n_groups,) the smallest part of a set that is known to be enough, as the set is."""
        return self._memory[number].part(zones)

    def _question(self, number: int) -> tuple[Core, Numbers, Numbers, tuple[int, int, int]]:
        """What is asked of a model of all zones about one requirement."""
        asked, groups = self._problem.asked, self._groups
        of_one = int(asked.row[number]), int(asked.time[number]), int(asked.k[number])
        return self._core, groups.of, groups.cost, of_one

    @cached_property
    def _core(self) -> Core:
        """The question on all zones."""
        return Core.of(WireNetwork.of(self._problem.zones), self._problem.knowledge)

    def _verified(self, number: int, zones: GroupMask) -> ZoneVerdict:
        """The verdict about a set, which is posed as a problem of its own."""
        part = part_of(self._problem, number, zones[self._groups.of])
        settings = Settings(self._engine, keep_proof_data=True)
        found = answer(part, Query(), settings, self._course)
        if found.verdict is Verdict.UNDECIDED:
            self._note(found.proof_data.answers.notes if found.proof_data else [])
            return ZoneVerdict(None, zones)
        return ZoneVerdict(found.verdict is Verdict.SAFE, zones)

    def _note(self, notes: Sequence[str]) -> None:
        """Note why the engine left something open, each reason once."""
        self.notes += [note for note in notes if note not in self.notes]

    def _keep(self, number: int, verdict: ZoneVerdict) -> bool | None:
        """Remember a verdict; a set of which no part is enough refutes all of its parts."""
        memory, part = self._memory[number], verdict.part
        if verdict.met is not None:
            memory.keep(part, verdict.met)
        if verdict.is_smallest:
            for one in np.flatnonzero(part & (self._groups.cost > 0)).tolist():
                memory.keep(part & (np.arange(len(part)) != one), safe=False)
        return verdict.met

    def first_unmet(self, zones: GroupMask, order: Sequence[int]) -> tuple[int, bool] | None:
        """First requirement, in ``order``, that ``zones`` are not known to meet.

        Returns
        -------
        tuple
            Its number, and whether it is undecided; None when all are met.
        """
        for number in order:
            met = self.meets(number, zones)
            if met is not True:
                return number, met is None
        return None


def part_of(problem: Problem, requirement: int, zones: npt.NDArray[np.bool_]) -> Problem:
    """The problem with some zones only, as far as it matters for one requirement.

    Tokens move in zones, so only users who are connected with the requirement's user, by who
    meets whom in ``zones``, can have to do with her; and steps in which nothing happens and
    nothing is seen can be left out. The candidates are the same ones.

    Parameters
    ----------
    problem
        With requirements.
    requirement
        Number of the requirement.
    zones
        (n_zones,) bool: zones in which an exchange happens.

    Returns
    -------
    Problem
        With that requirement; users and steps are numbered anew.
    """
    asked, whole, seen = problem.requirements, problem.zones, problem.knowledge
    if asked is None:
        raise ValueError("the problem has no requirements")
    one = slice(requirement, requirement + 1)
    near = _connected(whole, zones, int(asked.row[requirement]))
    rows = np.flatnonzero(near)
    kept = zones & near[whole.members[whole.ptr[:-1]]]
    known = near[seen.row]
    steps = np.unique(np.concatenate([[0, 1], whole.time[kept], seen.time[known], asked.time[one]]))
    knowledge = Knowledge(
        np.searchsorted(rows, seen.row[known]).astype(np.int32),
        np.searchsorted(steps, seen.time[known]).astype(np.int32),
        seen.distinct,
    )
    question = Requirements(
        np.searchsorted(rows, asked.row[one]).astype(np.int32),
        np.searchsorted(steps, asked.time[one]).astype(np.int32),
        asked.k[one],
    )
    return Problem(problem.name, _renumbered(whole, kept, rows, steps), knowledge, question)


def _renumbered(
    whole: MixZones,
    kept: npt.NDArray[np.bool_],
    rows: npt.NDArray[np.int64],
    steps: npt.NDArray[np.int64],
) -> MixZones:
    """The zones that are ``kept``, of ``rows`` and at ``steps`` alone, both numbered anew."""
    members = whole.members[np.repeat(kept, whole.sizes)]
    relation = whole.relation
    return MixZones(
        users=rows,
        axis=TimeAxis(steps=len(steps) - 1),
        time=np.searchsorted(steps, whole.time[kept]).astype(np.int32),
        ptr=pointers(whole.sizes[kept]),
        members=np.searchsorted(rows, members).astype(np.int32),
        relation=None if relation is None else relation.those(np.flatnonzero(kept)),
    )


def _connected(whole: MixZones, zones: npt.NDArray[np.bool_], row: int) -> npt.NDArray[np.bool_]:
    """(n_users,) bool: users connected with ``row`` by meetings in ``zones``."""
    head = np.repeat(whole.members[whole.ptr[:-1]], whole.sizes)
    used = np.repeat(zones, whole.sizes)
    label = connected(whole.n_users, head[used], whole.members[used])
    same: npt.NDArray[np.bool_] = label == label[row]
    return same
