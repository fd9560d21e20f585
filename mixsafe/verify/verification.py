"""The main job: decide (k, t)-pseudonym location privacy and say what decided it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.errors import InputError
from mixsafe.journal.steps import Journal
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.bounds import bounds
from mixsafe.verify.core.answers import Answers
from mixsafe.verify.core.core import compress
from mixsafe.verify.engines import auto, cpsat, dynamic_programming
from mixsafe.verify.parts import answered
from mixsafe.verify.tables import domain_list, requirement_table, user_table, wire_table

Engine = Callable[[Answers, SolveLimits, Deadline, Progress], None]
"""Settles as many questions as it can, by proofs only."""

ENGINES = ("auto", "cpsat", "dp", "bounds")
MAX_ZONE = 50_000
"""Users in one mix zone beyond which a data set is refused: it is one place, not mix zones."""

_VERDICTS = np.array([v.value for v in (Verdict.SAFE, Verdict.UNSAFE, Verdict.UNDECIDED)])


@dataclass(frozen=True, eq=False)
class Grounds:
    """What the verdicts rest on: certificates are built from it.

    Parameters
    ----------
    answers
        Bounds on the candidates of every wire of the compressed network.
    requirements
        What was asked at single steps; None: every wire was asked.
    wire
        (n_asked,) wire of the compressed network that each row of the result is about.
    """

    answers: Answers
    requirements: Requirements | None
    wire: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Verification:
    """The answer to a problem.

    Parameters
    ----------
    problem
        The question.
    engine
        Engine that answered.
    seconds
        Wall time of the decision, loading not included.
    rule
        When a user passes.
    wires
        A row per wire when every wire was asked: user_id, from_time, to_time, k, lower, upper,
        verdict, decided_by. Else None.
    results
        A row per requirement when those were asked: user, time, k, verdict, lower, upper,
        decided_by. Else None.
    domains
        With ``exhaustive``, the proven candidates of every user and time.
    users
        A row per user asked about: user_id, verdict, safe_share, undecided_share, lower (the
        smallest proven number of candidates).
    grounds
        What the verdicts rest on, where it was to be kept.
    """

    problem: Problem
    engine: str
    seconds: float
    rule: Rule
    wires: pd.DataFrame | None
    results: pd.DataFrame | None
    domains: list[dict[str, Any]] | None
    users: pd.DataFrame
    grounds: Grounds | None = None

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Counts of requirements (or wires) and of users by verdict."""
        asked = self.results if self.wires is None else self.wires
        if asked is None:
            asked = pd.DataFrame({"verdict": []})
        counts = asked["verdict"].value_counts()
        people = self.users["verdict"].value_counts()
        weight = self.users["weight"].to_numpy()
        share = float((self.users["safe_share"] * weight).sum() / max(weight.sum(), 1))
        return {
            "requirements": len(asked),
            **{word: int(counts.get(word, 0)) for word in _VERDICTS},
            "rule": str(self.rule),
            "users": {word: int(people.get(word, 0)) for word in _VERDICTS},
            "share_of_time_safe": round(share, 6),
        }

    @property
    def verdict(self) -> Verdict:
        """UNSAFE if some user fails by the rule, else UNDECIDED if one is undecided, else SAFE."""
        people = self.summary["users"]
        for verdict in (Verdict.UNSAFE, Verdict.UNDECIDED):
            if people[verdict.value]:
                return verdict
        return Verdict.SAFE

    def to_dict(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        answer: dict[str, Any] = {
            "name": self.problem.name,
            "users": self.problem.zones.n_users,
            "steps": self.problem.zones.axis.steps,
            "zones": len(self.problem.zones),
            "engine": self.engine,
            "seconds": round(self.seconds, 3),
            "summary": self.summary,
        }
        if self.results is not None:
            answer["results"] = self.results.to_dict(orient="records")
        if self.domains is not None:
            answer["domains"] = self.domains
        return answer


def verify(
    problem: Problem,
    *,
    k: int | None = None,
    at: Sequence[int] | None = None,
    rule: Rule | None = None,
    engine: str = "auto",
    encoding: cpsat.Encoding = "flow",
    exhaustive: bool = False,
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
    keep_grounds: bool = False,
    journal: Journal | None = None,
) -> Verification:
    """Decide whether users have enough candidates (CSP paper, definitions 1 and 9).

    Parameters
    ----------
    problem
        Mix zones, knowledge, and requirements if there are any.
    k
        Ask for k candidates for every user at every time. Needed unless the problem has
        requirements or ``exhaustive`` is set.
    at
        With ``k``: ask at these steps only.
    rule
        When a user passes; default: ``every`` where times are asked for, else ``some``.
    engine
        ``auto``, ``cpsat``, ``dp`` or ``bounds``.
    encoding
        Of engine ``cpsat``: ``flow`` or ``permutation``.
    exhaustive
        Find all candidates of every user and time.
    limits
        Time, workers and seed.
    progress
        Called with stage, questions settled and questions asked.
    keep_grounds
        Keep the bounds of every wire in the result, for certificates; not where they are too large
        and the problem is decided in parts.
    journal
        What an earlier run with the same question, engine and seed has found, and where to keep
        what this one finds: the answer is the same as that of one run without interruption.

    Returns
    -------
    Verification
        Verdicts with what decided them.

    Raises
    ------
    InputError
        Nothing is asked, k is not in 1..|U|, a step is not in 0..t*, or an unknown engine.
    """
    began = time.monotonic()
    limits = limits or SolveLimits()
    decide = _engine(engine, encoding)
    zones = problem.zones
    requirements = _requirements(problem, k, at)
    if requirements is None and k is None and not exhaustive:
        raise InputError("nothing is asked", hint="give k, requirements, or ask exhaustively")
    check_size(zones)

    whole = WireNetwork.of(zones)
    core, merged = compress(problem, whole)
    n_wires, everywhere = core.network.n_wires, requirements is None
    question = np.arange(n_wires), np.full(n_wires, (everywhere and k) or 1, np.int32)
    asked = merged
    if requirements is not None:
        asked = merged[whole.wire_at(requirements.row, requirements.time)]
        question = question if exhaustive else (asked, requirements.k)
    deadline = Deadline(limits.seconds)

    def settle(one: Answers, report: Progress) -> None:
        decide(one, limits, deadline, report)

    answers = answered(core, *question, settle, exhaustive, journal, progress)

    rule = rule or Rule("some" if requirements is None else "every")
    wires = results = None
    if requirements is None:
        wires = wire_table(zones, whole, k or 1, answers, merged)
        weight = (whole.end - np.maximum(whole.start, 1) + 1).astype(np.int64)  # t = 0 is not asked
        users = user_table(whole.row, weight, wires, zones.users, rule)
    else:
        decided_by = answers.decided_by[asked] if exhaustive else answers.decided_by
        results = requirement_table(zones, requirements, answers, asked, decided_by)
        weight = np.ones(len(results), np.int64)
        users = user_table(requirements.row, weight, results, zones.users, rule)
    kept = answers if isinstance(answers, Answers) else None
    domains = domain_list(zones, whole, kept, merged) if exhaustive and kept else None
    seconds = time.monotonic() - began
    grounds = Grounds(kept, requirements, asked) if keep_grounds and kept else None
    return Verification(problem, engine, seconds, rule, wires, results, domains, users, grounds)


def _engine(name: str, encoding: cpsat.Encoding) -> Engine:
    """Function that decides answers."""
    if encoding not in ("flow", "permutation"):
        raise InputError(f"unknown encoding '{encoding}'", hint="use flow or permutation")
    engines: dict[str, Engine] = {
        "auto": auto.decide,
        "bounds": bounds.decide,
        "cpsat": partial(cpsat.decide, encoding=encoding),
        "dp": dynamic_programming.decide,
    }
    if name not in engines:
        raise InputError(f"unknown engine '{name}'", hint=f"use one of {', '.join(ENGINES)}")
    return engines[name]


def _requirements(problem: Problem, k: int | None, at: Sequence[int] | None) -> Requirements | None:
    """What is asked at single steps; None when whole wires are asked about."""
    n_users = problem.zones.n_users
    if k is not None and not 1 <= k <= n_users:
        raise InputError(f"k = {k} is not between 1 and the number of users, {n_users}")
    if at is None:
        return problem.requirements if k is None else None
    if k is None:
        raise InputError("times are given, but not k")
    steps = sorted(set(at))
    horizon = problem.zones.axis.steps
    if not steps or steps[0] < 0 or steps[-1] > horizon:
        raise InputError(f"steps {list(at)} are not in 0..{horizon}")
    row, time_step = np.divmod(np.arange(n_users * len(steps)), len(steps))
    return Requirements(
        row.astype(np.int32),
        np.array(steps, np.int32)[time_step],
        np.full(len(row), k, np.int32),
    )


def check_size(zones: MixZones, file: Path | None = None, column: str | None = None) -> None:
    """Refuse zones that are too large to be mix zones.

    Parameters
    ----------
    zones
        The mix zones.
    file, column
        Where they were read, for the message.

    Raises
    ------
    InputError
        A zone has more than ``MAX_ZONE`` users.
    """
    if len(zones) and zones.sizes.max() > MAX_ZONE:
        largest = int(zones.sizes.argmax())
        raise InputError(
            f"{zones.sizes[largest]} users are in one mix zone at time"
            f" {zones.axis.label(int(zones.time[largest]))}, more than {MAX_ZONE}",
            file=file,
            column=column,
            hint="that is one place for everybody: use smaller cells or shorter steps",
        )
