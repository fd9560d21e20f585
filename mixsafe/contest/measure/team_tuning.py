"""How team 004 tuned its attacks: IF by n_0, lambda and scheme, TS by n (the team's slides)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from mixsafe.contest.attack.fuzzy import FuzzyVisitVector, SwapFrequentRegions
from mixsafe.contest.base.parts import Anonymiser, label
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.score import privacy_left, utility
from mixsafe.contest.base.streams import sealed
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, SHUFFLE
from mixsafe.contest.registry import anonymiser_labelled
from mixsafe.contest.workers import counted
from mixsafe.model.mobility.trace_matrix import TraceMatrix

SCHEMES = (1, 2, 3, 4)
"""TF and IDF that somebody used; 5 and 6 are misprints."""

DECAYS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Values of lambda."""

INITIALS = (0.05, 0.1, 0.2, 0.33, 0.5, 1.0)
"""Values of n_0."""

THRESHOLDS = (0, 1, 2, 3, 5, 8, 12, 16, 20)
"""Values of n, days."""


@dataclass(frozen=True)
class TunedScore:
    """What one setting of an attack leaves.

    Parameters
    ----------
    anonymiser
        The obfuscation with its parameters.
    utility
        s_U of the release.
    varied
        The parameter that is varied: ``lambda``, ``n_0`` (IF) or ``n`` (TS).
    parameter
        Its value.
    scheme
        TF and IDF of IF, and of the IF that TS begins with.
    value
        s_R of IF, s_T of TS.
    """

    anonymiser: str
    utility: float
    varied: str
    parameter: float
    scheme: int
    value: float


def slides_anonymisers() -> list[Anonymiser]:
    """The three releases that the slides attack."""
    return [anonymiser_labelled(one) for one in ("AS-94-0-3", "A4-3.5-1", "AS-89-4-3")]


def team_tuning(
    original: TraceMatrix,
    reference: Reference,
    *,
    anonymisers: Sequence[Anonymiser] | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[TunedScore]:
    """IF and TS with one parameter varied at a time, the others at the team's best.

    Parameters
    ----------
    anonymisers
        Default: those of the slides.
    seed
        Of obfuscation and pseudonyms.
    progress
        Called with the number of obfuscations done and of all.

    Raises
    ------
    InputError
        Reference traces of other users.
    """
    rules, found = reference.rules, []
    methods = slides_anonymisers() if anonymisers is None else list(anonymisers)
    for number, method in counted(enumerate(methods), len(methods), progress):
        random = np.random.default_rng([seed, number])
        cells = method.anonymise(original, rules, random)
        table = PSEUDONYMIZERS[SHUFFLE].table(cells, random)
        release, kept = table.publish(cells), utility(original, cells, rules).value
        for varied, parameter, attacker in _settings():
            answer = attacker.attack(reference, release, sealed(random.spawn(1)[0]))
            value = privacy_left(attacker.answers, original, table, answer, rules).value
            scheme = attacker.scheme
            found.append(TunedScore(label(method), kept, varied, parameter, scheme, value))
    return found


def _settings() -> Iterator[tuple[str, float, FuzzyVisitVector | SwapFrequentRegions]]:
    """What is varied, to which value, and the attack."""
    for scheme, decay in product(SCHEMES, DECAYS):
        yield "lambda", decay, FuzzyVisitVector(decay=decay, scheme=scheme)
    for scheme, initial in product(SCHEMES, INITIALS):
        yield "n_0", initial, FuzzyVisitVector(initial, scheme=scheme)
    for threshold in THRESHOLDS:
        yield "n", threshold, SwapFrequentRegions(threshold)
