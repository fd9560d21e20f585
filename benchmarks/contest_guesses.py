"""Studies of single attacks: the expected error that they leave, and their parameters."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from benchmarks.contest_data import (
    ANONYMISERS,
    ONE_TEAM,
    SEED,
    TEAMS,
    Team,
    anonymisers,
    labelled,
    read_team,
    read_teams,
)
from benchmarks.contest_figures import draw_errors, draw_tuning
from benchmarks.study import Study, Table, table_of
from mixsafe.contest.base.parts import Anonymiser, label
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.score import privacy_left, trace_inference, utility
from mixsafe.contest.measure.privacy import error_correlations, expected_error
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, SHUFFLE
from mixsafe.contest.registry import organizers_attackers
from mixsafe.contest.team_attacks import FuzzyVisitVector, SwapFrequentRegions
from mixsafe.contest.workers import sealed
from mixsafe.model.mobility.complete_traces import TraceMatrix

UNEVEN = labelled("A1,A2-1-1-0.1,A3-8,A4-4-1,AS-12-0-3,AS-12-4-3,AS-0-8-0")
"""Obfuscations of all kinds; some treat hospitals otherwise than other regions."""

SLIDES = labelled("AS-94-0-3,A4-3.5-1,AS-89-4-3")
"""The three releases that team 004's slides attack."""

SCHEMES = (1, 2, 3, 4)
"""TF and IDF that somebody used; 5 and 6 are misprints."""

DECAYS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Values of lambda."""

INITIALS = (0.05, 0.1, 0.2, 0.33, 0.5, 1.0)
"""Values of n_0."""

THRESHOLDS = (0, 1, 2, 3, 5, 8, 12, 16, 20)
"""Values of n, days."""


class Inferred(NamedTuple):
    """What the strongest of T1 to T3 leaves of a release.

    Parameters
    ----------
    anonymiser, team
        The obfuscation with its parameters, and whose release it is, from 1.
    attack
        The attack that leaves the lowest s_T.
    trace, error
        s_T, and the expected error of that attack, km.
    original, guess
        The true traces, and what the attack inferred.
    """

    anonymiser: str
    team: int
    attack: str
    trace: float
    error: float
    original: TraceMatrix
    guess: npt.NDArray[np.int32]


def errors_of_team(options: Namespace, number: int, team: Team) -> Iterator[Inferred]:
    """The strongest trace inference on each release of a team."""
    (reference, original), rules = team, options.rules
    learned = Reference(reference, rules)
    attackers = [each for each in organizers_attackers() if each.answers == "traces"]
    for place, method in enumerate(anonymisers(options, UNEVEN)):
        # An attack changes no release, and cannot draw the pseudonyms again.
        streams = np.random.default_rng([options.seed, number, place]).spawn(2 + len(attackers))
        cells = method.anonymise(original, rules, streams[0])
        release = PSEUDONYMIZERS[SHUFFLE].table(cells, streams[1]).publish(cells)
        guesses = [
            attacker.attack(learned, release, sealed(stream))
            for attacker, stream in zip(attackers, streams[2:], strict=True)
        ]
        scores = [trace_inference(original, guess, rules).value for guess in guesses]
        least = int(np.argmin(scores))
        error = expected_error(original, guesses[least], rules)
        short = attackers[least].short
        yield Inferred(
            label(method), number + 1, short, scores[least], error, original, guesses[least]
        )


def error_table(options: Namespace, found: list[Inferred]) -> Table:
    """A row for each release."""
    columns = ["obfuscation", "team", "attack", "s_T", "expected_error_km"]
    return Table(columns, [each[: len(columns)] for each in found])


def correlations(options: Namespace, found: Sequence[Inferred]) -> dict[float, float]:
    """R of s_T and the expected error over releases, by the weight of hospitals."""
    return error_correlations([(each.original, each.guess) for each in found], options.rules)


def draw_inferred(options: Namespace, found: list[Inferred]) -> Figure:
    """Expected error against s_T of all releases, and their correlation."""
    scores: dict[str, list[tuple[float, float]]] = {}
    for release in found:
        scores.setdefault(release.anonymiser, []).append((release.trace, release.error))
    return draw_errors(scores, correlations(options, found))


ERROR = Study(
    "error",
    "Expected error against s_T, and their correlation by the weight of hospitals: the paper's "
    "figure 12.",
    arguments=[*TEAMS, ANONYMISERS, SEED],
    cases=read_teams,
    findings=errors_of_team,
    table=error_table,
    draw=draw_inferred,
    conclude=lambda options, found: [
        f"weight of hospitals {weight:g}: R = {value:.3f}"
        for weight, value in correlations(options, found).items()
    ],
)


def releases_to_tune(options: Namespace) -> list[tuple[Anonymiser, Reference, TraceMatrix]]:
    """Obfuscations, each with what is known of a team and its original traces."""
    reference, original = read_team(options)
    learned = Reference(reference, options.rules)
    return [(method, learned, original) for method in anonymisers(options, SLIDES)]


def tuned_scores(
    options: Namespace, number: int, release: tuple[Anonymiser, Reference, TraceMatrix]
) -> Iterator[dict[str, object]]:
    """IF and TS with one parameter varied at a time, the others at the team's best."""
    method, learned, original = release
    random = np.random.default_rng([options.seed, number])
    cells = method.anonymise(original, options.rules, random)
    table = PSEUDONYMIZERS[SHUFFLE].table(cells, random)
    published = table.publish(cells)
    useful = utility(original, cells, options.rules).value
    for varied, parameter, attacker in settings():
        answer = attacker.attack(learned, published, sealed(random.spawn(1)[0]))
        score = privacy_left(attacker.answers, original, table, answer, options.rules)
        yield {
            "obfuscation": label(method),
            "s_U": useful,
            "varied": varied,
            "parameter": parameter,
            "scheme": attacker.scheme,
            "score": score.value,
        }


def settings() -> Iterator[tuple[str, float, FuzzyVisitVector | SwapFrequentRegions]]:
    """What is varied, its value, and the attack."""
    for scheme, decay in product(SCHEMES, DECAYS):
        yield "lambda", decay, FuzzyVisitVector(decay=decay, scheme=scheme)
    for scheme, initial in product(SCHEMES, INITIALS):
        yield "n_0", initial, FuzzyVisitVector(initial, scheme=scheme)
    for threshold in THRESHOLDS:
        yield "n", threshold, SwapFrequentRegions(threshold)


TUNING = Study(
    "tuning",
    "s_R of IF by n_0, lambda and scheme, s_T of TS by n, under AS(94,0,3), PL(3.5,1) and "
    "AS(89,4,3): the slides' curves.",
    arguments=[*ONE_TEAM, ANONYMISERS, SEED],
    cases=releases_to_tune,
    findings=tuned_scores,
    table=lambda options, found: table_of(found),
    draw=lambda options, found: draw_tuning(found),
)

GUESS_STUDIES = [ERROR, TUNING]
