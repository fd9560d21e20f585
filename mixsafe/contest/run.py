"""The whole contest: obfuscations times pseudonymizations times attacks, scored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing import get_context

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import (
    Anonymiser,
    AnswerKind,
    Attacker,
    Scorer,
    label,
)
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import Score, minimum, reidentification, trace_inference, utility
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, Pseudonymization
from mixsafe.model.crew import Crew, Found, as_found, value_of
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.model.release.id_table import IdTable


def score_ids(
    original: TraceMatrix, table: IdTable, answer: npt.NDArray[np.int32], rules: Rules
) -> Score:
    """Re-identification: whose pseudonyms were found."""
    return reidentification(table, answer)


def score_traces(
    original: TraceMatrix, table: IdTable, answer: npt.NDArray[np.int32], rules: Rules
) -> Score:
    """Trace inference: which locations were found."""
    return trace_inference(original, answer, rules)


SCORERS: dict[AnswerKind, Scorer] = {"ids": score_ids, "traces": score_traces}


@dataclass(frozen=True)
class Plan:
    """What to run.

    Parameters
    ----------
    anonymisers
        A row of the result for each.
    attackers
        Attackers by pseudonymization (:mod:`mixsafe.contest.pseudonymizers`), in the order of the
        columns.
    seed
        Of the obfuscation. Every anonymiser starts from it afresh, as the organizers' do.
    compatible
        Whether anonymisers draw from ``RandomState(seed)``, as the organizers' programs do.
    attack_seed
        Of pseudonyms and attacks; default: ``seed``.
    """

    anonymisers: Sequence[Anonymiser]
    attackers: dict[str, Sequence[Attacker]]
    seed: int = 1
    compatible: bool = True
    attack_seed: int | None = None


@dataclass(frozen=True)
class Outcome:
    """Scores of one obfuscation under one pseudonymization.

    Parameters
    ----------
    anonymiser, pseudonymization
        Their names; the anonymiser's with parameters.
    utility
        s_U.
    privacy
        Score under each attack, by its short name.
    seconds
        Of obfuscation (``anonymize``), ``utility``, ``pseudonymize`` and each attack.
    """

    anonymiser: str
    pseudonymization: str
    utility: Score
    privacy: dict[str, Score]
    seconds: dict[str, float] = field(compare=False)

    def strongest(self, kind: str) -> Score | None:
        """Lowest score over the attacks of a kind, ``reid`` or ``trace``; None if there is none."""
        scores = [score for score in self.privacy.values() if score.kind == kind]
        return minimum(scores) if scores else None


@dataclass
class _Clock:
    """Seconds by what they were spent on."""

    seconds: dict[str, float]
    since: float

    def stop(self, what: str) -> None:
        """Book the time since the last stop."""
        now = time.perf_counter()
        self.seconds[what] = now - self.since
        self.since = now


def run_one(number: int, original: TraceMatrix, reference: Reference, plan: Plan) -> list[Outcome]:
    """One obfuscation under all pseudonymizations and attacks.

    Raises
    ------
    InputError
        A method that does not fit the data.
    """
    method, rules = plan.anonymisers[number], reference.rules
    clock = _Clock({}, time.perf_counter())
    random: np.random.RandomState | np.random.Generator = (
        np.random.RandomState(plan.seed) if plan.compatible else np.random.default_rng(plan.seed)
    )
    cells = method.anonymise(original, rules, random)
    clock.stop("anonymize")
    kept = utility(original, cells, rules)
    clock.stop("utility")
    shared = dict(clock.seconds)
    outcomes = []
    seed = plan.seed if plan.attack_seed is None else plan.attack_seed
    for name, attackers in plan.attackers.items():
        # Each part has its own stream, so that leaving one out does not change the others.
        stream = np.random.default_rng([seed, number, PSEUDONYMIZERS.names().index(name)])
        clock = _Clock(dict(shared), time.perf_counter())
        table = PSEUDONYMIZERS[name].table(cells, stream)
        release = table.publish(cells)
        clock.stop("pseudonymize")
        privacy = {}
        for attacker, attack_stream in zip(attackers, stream.spawn(len(attackers)), strict=True):
            answer = attacker.attack(reference, release, attack_stream)
            privacy[attacker.short] = SCORERS[attacker.answers](original, table, answer, rules)
            clock.stop(attacker.short)
        outcomes.append(Outcome(label(method), name, kept, privacy, clock.seconds))
    return outcomes


def run(
    original: TraceMatrix,
    reference: Reference,
    plan: Plan,
    *,
    workers: int = 1,
    crew: Crew | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Run a plan.

    Parameters
    ----------
    workers
        Processes, >= 1. The result does not depend on it.
    crew
        Who does it instead; models are learned once by each of its workers.
    progress
        Called with the number of obfuscations done and of all.

    Returns
    -------
    list of Outcome
        In the order of the plan's anonymisers, and of its pseudonymizations for each.

    Raises
    ------
    InputError
        A method that does not fit the data.
    """
    count = len(plan.anonymisers)
    outcomes: list[Outcome] = []
    if crew is None:
        found = _in_order(original, reference, plan, min(workers, count))
    else:
        found = _apart(original, reference, plan, crew)
    for done, some in enumerate(found, 1):
        outcomes += some
        if progress is not None:
            progress(done, count)
    return outcomes


def _in_order(
    original: TraceMatrix, reference: Reference, plan: Plan, workers: int
) -> Iterator[list[Outcome]]:
    """Outcomes of each obfuscation, as they become ready."""
    numbers = range(len(plan.anonymisers))
    if workers <= 1:
        for number in numbers:
            yield run_one(number, original, reference, plan)
        return
    # A new process knows no pseudonymizer but those that come with mixsafe.
    own = tuple(PSEUDONYMIZERS)
    kept = (original, reference.traces, reference.rules, plan, own)
    with ProcessPoolExecutor(workers, get_context("spawn"), _keep, kept) as pool:
        yield from pool.map(_run_kept, numbers)


_kept: list[tuple[TraceMatrix, Reference, Plan]] = []
"""What a worker process works on; empty in every other process."""


def _keep(
    original: TraceMatrix,
    traces: TraceMatrix,
    rules: Rules,
    plan: Plan,
    pseudonymizers: Sequence[Pseudonymization],
) -> None:
    """Set up a worker process: models are learned once in each."""
    for one in pseudonymizers:
        if one.name not in PSEUDONYMIZERS:
            PSEUDONYMIZERS.register(one)
    _kept[:] = [(original, Reference(traces, rules), plan)]


def _run_kept(number: int) -> list[Outcome]:
    """One obfuscation, in a worker process."""
    return run_one(number, *_kept[0])


@dataclass(frozen=True, eq=False)
class _Contest:
    """What workers of a crew share."""

    original: TraceMatrix
    traces: TraceMatrix
    rules: Rules
    plan: Plan
    pseudonymizers: Sequence[Pseudonymization]

    @cached_property
    def reference(self) -> Reference:
        """What attackers have learned, learned once."""
        _keep(self.original, self.traces, self.rules, self.plan, self.pseudonymizers)
        return _kept[0][1]


def _apart(
    original: TraceMatrix, reference: Reference, plan: Plan, crew: Crew
) -> Iterator[list[Outcome]]:
    """Outcomes of each obfuscation, by a crew."""
    own = tuple(PSEUDONYMIZERS)
    shared = crew.share(_Contest(original, reference.traces, reference.rules, plan, own))
    numbers = range(len(plan.anonymisers))
    return map(value_of, crew.each(_run_apart, shared, numbers))


def _run_apart(contest: _Contest, number: int) -> Found:
    """One obfuscation, by a worker of a crew."""
    return as_found(run_one(number, contest.original, contest.reference, contest.plan))
