"""The whole contest: obfuscations times pseudonymizations times attacks, scored.

Its outcomes are a table as the organizers have it, and one of all scores with their
uncertainty.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mixsafe.contest.base.parts import Anonymiser, Attacker, label
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.score import Score, minimum, privacy_left, utility
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, Pseudonymization
from mixsafe.contest.workers import at_work, counted, sealed
from mixsafe.model.course import Executor, Found, as_found, value_of
from mixsafe.model.mobility.complete_traces import TraceMatrix

ORGANIZERS_ATTACKS = ("I1", "I2", "I3", "T1", "T2", "T3")


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


def run(
    original: TraceMatrix,
    reference: Reference,
    plan: Plan,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Run a plan.

    Parameters
    ----------
    workers
        Processes, >= 1. The result does not depend on it.
    executor
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
    known = PSEUDONYMIZERS.names()
    pseudonymizers = {name: (PSEUDONYMIZERS[name], known.index(name)) for name in plan.attackers}
    contest = _Contest(original, reference, plan, pseudonymizers)
    found = _found(contest, range(count), min(workers, count), executor)
    return [outcome for some in counted(found, count, progress) for outcome in some]


@dataclass(frozen=True, eq=False)
class _Contest:
    """Data for all workers, with each pseudonymizer and its place: others may be registered."""

    original: TraceMatrix
    reference: Reference
    plan: Plan
    pseudonymizers: Mapping[str, tuple[Pseudonymization, int]]


def _found(
    contest: _Contest, numbers: Sequence[int], workers: int, executor: Executor | None
) -> Iterator[list[Outcome]]:
    """Outcomes of each obfuscation, as they become ready."""
    if executor is not None:
        yield from map(value_of, executor.each(_run_apart, executor.share(contest), numbers))
        return
    with at_work(contest, workers) as each:
        yield from each(_run_one, numbers)


def _run_one(contest: _Contest, number: int) -> list[Outcome]:
    """One obfuscation under all pseudonymizations and attacks.

    Raises
    ------
    InputError
        A method that does not fit the data.
    """
    original, reference, plan = contest.original, contest.reference, contest.plan
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
        pseudonymizer, place = contest.pseudonymizers[name]
        stream = np.random.default_rng([seed, number, place])
        clock = _Clock(dict(shared), time.perf_counter())
        table = pseudonymizer.table(cells, stream)
        release = table.publish(cells)
        clock.stop("pseudonymize")
        privacy = {}
        for attacker, attack_stream in zip(attackers, stream.spawn(len(attackers)), strict=True):
            answer = attacker.attack(reference, release, sealed(attack_stream))
            score = privacy_left(attacker.answers, original, table, answer, rules)
            privacy[attacker.short] = score
            clock.stop(attacker.short)
        outcomes.append(Outcome(label(method), name, kept, privacy, clock.seconds))
    return outcomes


def _run_apart(contest: _Contest, number: int) -> Found:
    """One obfuscation, by a worker of an executor."""
    return as_found(_run_one(contest, number))


def organizers_table(outcomes: Sequence[Outcome]) -> str:
    """CSV in the organizers' columns ``Ano,Util,I1,…,T3``, floats to the last digit.

    Other attacks follow as columns of their own; a cell is empty where an attack was not run.

    Parameters
    ----------
    outcomes
        Of one pseudonymization.
    """
    others = dict.fromkeys(name for outcome in outcomes for name in outcome.privacy)
    attacks = [*ORGANIZERS_ATTACKS, *(name for name in others if name not in ORGANIZERS_ATTACKS)]
    lines = [",".join(["Ano", "Util", *attacks])]
    for outcome in outcomes:
        scores = [outcome.privacy.get(name) for name in attacks]
        values = [outcome.utility, *scores]
        numbers = ["" if score is None else repr(score.value) for score in values]
        lines.append(",".join([outcome.anonymiser, *numbers]))
    return "\n".join(lines) + "\n"


def score_rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """A row per score: its release and attack, value, 95% interval, attempts, baseline, seconds."""
    rows = []
    for outcome in outcomes:
        for name, score in {"utility": outcome.utility, **outcome.privacy}.items():
            low, high = score.interval
            rows.append(
                {
                    "anonymiser": outcome.anonymiser,
                    "pseudonymization": outcome.pseudonymization,
                    "valid": bool(outcome.utility.valid),
                    "attack": name,
                    "score": score.kind,
                    "value": score.value,
                    "low": low,
                    "high": high,
                    "attempts": score.attempts,
                    "baseline": score.baseline,
                    "seconds": outcome.seconds[name],
                }
            )
    return rows


def scores_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """CSV of :func:`score_rows`."""
    lines = [
        "anonymiser,pseudonymization,valid,attack,score,value,low,high,attempts,baseline,seconds"
    ]
    for row in rows:
        valid = "yes" if row["valid"] else "no"
        lines.append(
            f"{row['anonymiser']},{row['pseudonymization']},{valid},{row['attack']},{row['score']},"
            f"{row['value']!r},{row['low']:.6f},{row['high']:.6f},{row['attempts']:g},"
            f"{row['baseline']:.6f},{row['seconds']:.4f}"
        )
    return "\n".join(lines) + "\n"
