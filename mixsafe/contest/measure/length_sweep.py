"""How privacy goes with the length of traces (the sample programs' document, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mixsafe.contest.base.parts import Anonymiser, Attacker
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.grid import organizers_anonymisers, organizers_attackers
from mixsafe.contest.pseudonymizers import SHUFFLE
from mixsafe.contest.registry import anonymiser
from mixsafe.contest.run import Outcome, Plan, run
from mixsafe.contest.workers import counted
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix

DAYS = (2, 5, 10, 15, 20, 25, 30)
"""Lengths of the document, days of reference traces and as many of original ones."""

GRID_DAYS = 20
"""Length of the document's grid, that of the contest's final round."""


@dataclass(frozen=True)
class LengthScores:
    """What attacks leave of traces of some length that have nothing but pseudonyms.

    Parameters
    ----------
    days
        Of reference traces, and of original ones.
    privacy
        Score under each attack, by its short name.
    """

    days: int
    privacy: dict[str, float]


def by_length(
    original: TraceMatrix,
    reference: TraceMatrix,
    rules: Rules,
    *,
    days: Sequence[int] = DAYS,
    attackers: Sequence[Attacker] | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[LengthScores]:
    """Scores of the first days of both, without obfuscation.

    Parameters
    ----------
    days
        Lengths, each >= 1.
    attackers
        Default: the organizers'.
    seed
        Of pseudonyms and attacks.
    progress
        Called with the number of lengths done and of all.

    Raises
    ------
    InputError
        There are not as many days.
    """
    chosen = organizers_attackers() if attackers is None else list(attackers)
    _check_days(original, reference, rules, days)
    found = []
    for length in counted(days, len(days), progress):
        hidden, known = _first_days(original, reference, rules, length)
        plan = Plan([anonymiser("A1")], {SHUFFLE: chosen}, seed)
        (outcome,) = run(hidden, Reference(known, rules), plan)
        scores = {name: score.value for name, score in outcome.privacy.items()}
        found.append(LengthScores(length, scores))
    return found


def grid_of_days(
    original: TraceMatrix,
    reference: Reference,
    *,
    days: int = GRID_DAYS,
    anonymisers: Sequence[Anonymiser] | None = None,
    seed: int = 1,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """The organizers' grid on the first days of both: the document's figure 6.

    Parameters
    ----------
    reference
        Reference traces and the rules; what is learned of them as a whole is not used.
    days
        >= 1, of reference traces and as many of original ones.
    anonymisers
        Default: the organizers' 37 settings.
    seed
        Of everything.
    workers
        Processes, >= 1.
    progress
        Called with the number of obfuscations done and of all.

    Raises
    ------
    InputError
        There are not as many days.
    """
    rules = reference.rules
    _check_days(original, reference.traces, rules, [days])
    hidden, known = _first_days(original, reference.traces, rules, days)
    methods = organizers_anonymisers() if anonymisers is None else list(anonymisers)
    plan = Plan(methods, {SHUFFLE: organizers_attackers()}, seed)
    return run(hidden, Reference(known, rules), plan, workers=workers, progress=progress)


def _check_days(
    original: TraceMatrix, reference: TraceMatrix, rules: Rules, days: Sequence[int]
) -> None:
    """Refuse lengths that traces do not have."""
    there = min(original.n_steps, reference.n_steps) // rules.steps_per_day
    for length in days:
        if not 1 <= length <= there:
            hint = f"the traces have {there} days each"
            raise InputError(f"{length} days cannot be looked at", hint=hint)


def _first_days(
    original: TraceMatrix, reference: TraceMatrix, rules: Rules, days: int
) -> tuple[TraceMatrix, TraceMatrix]:
    """So many days of original and of reference traces, one after the other in time."""
    steps = days * rules.steps_per_day
    hidden = replace(original, region=original.region[:, :steps], first_time=steps + 1)
    return hidden, TraceMatrix(reference.region[:, :steps])
