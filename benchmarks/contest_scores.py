"""Studies of scores: what attacks leave of obfuscations, lengths and teams."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy import stats

from benchmarks.contest_data import (
    ANONYMISERS,
    ONE_TEAM,
    SEED,
    SUBMISSIONS,
    TEAMS,
    WORKERS,
    Team,
    anonymisers,
    first_days,
    labelled,
    read_team,
    read_teams,
)
from benchmarks.contest_exchange import OwnExchange
from benchmarks.contest_figures import (
    Protection,
    draw_boxes,
    draw_grid,
    draw_lengths,
    draw_protection,
)
from benchmarks.study import Study, Table, argument
from mixsafe.contest.base.parts import Anonymiser
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.guesses import HabitTraces
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.registry import (
    organizers_anonymisers,
    organizers_attackers,
    posterior_attackers,
)
from mixsafe.contest.run import Outcome, Plan, run
from mixsafe.errors import InputError
from mixsafe_cli.commands.contest.run import choose_attackers

PLAIN = labelled("A1")
"""Pseudonyms alone, which are also the organizers' benchmark."""

PAPERS = labelled("A1,A2-1-1-0.5,A3-1,A4-1-1")
"""Obfuscations of the paper's table 2."""

OWN_EXCHANGES = [
    OwnExchange(),
    OwnExchange(20, lasting=1),
    OwnExchange(20),
    OwnExchange(20, zone=1),
    OwnExchange(5),
    OwnExchange(5, zone=1),
]
"""Whole tracks; every second day with one other; days, and quarters of them, with anybody."""

SAMPLE = {SHUFFLE: organizers_attackers()}
"""Shuffled pseudonyms under the organizers' attacks."""


def attacked(options: Namespace, team: Team, plan: Plan, workers: int = 1) -> list[Outcome]:
    """Scores of a team's releases."""
    reference, original = team
    return run(original, Reference(reference, options.rules), plan, workers=workers)


def lowest(outcome: Outcome, kind: str) -> tuple[float, str]:
    """The score that the strongest attack of a kind leaves, and the attack.

    Raises
    ------
    InputError
        No attack is of that kind.
    """
    score = outcome.strongest(kind)
    if score is None:
        raise InputError(f"no attack is of the kind '{kind}'", hint="attack identities and traces")
    return score.value, next(name for name, each in outcome.privacy.items() if each is score)


def days_listed(text: str) -> list[int]:
    """Lengths from ``2,5,10``."""
    return [int(days) for days in text.split(",")]


def lengths(options: Namespace) -> list[Team]:
    """The first days of a team, for each length."""
    team = read_team(options)
    return [first_days(team, days, options.rules) for days in options.days]


def scores_of_length(options: Namespace, number: int, team: Team) -> list[Outcome]:
    """Scores of pseudonyms alone."""
    attackers = choose_attackers(options.attacks, SHUFFLE, Reference(team[0], options.rules))
    return attacked(options, team, Plan(PLAIN, {SHUFFLE: attackers}, options.seed))


def length_table(options: Namespace, found: list[Outcome]) -> Table:
    """A row for each length: the score under each attack."""
    rows = [
        [days, *(score.value for score in outcome.privacy.values())]
        for days, outcome in zip(options.days, found, strict=True)
    ]
    return Table(["days", *found[0].privacy], rows)


LENGTH = Study(
    "length",
    "Scores of pseudonyms alone by the length of traces: the document's figure 5.",
    arguments=[
        *ONE_TEAM,
        SEED,
        argument("--attacks", default="sample", help="default: %(default)s"),
        argument(
            "--days", type=days_listed, default="2,5,10,15,20,25,30", help="default: %(default)s"
        ),
    ],
    cases=lengths,
    findings=scores_of_length,
    table=length_table,
    draw=lambda options, found: draw_lengths(options.days, found),
)


def days_of_team(options: Namespace) -> list[Team]:
    """The first days of a team."""
    return [first_days(read_team(options), options.days, options.rules)]


def scores_of_grid(options: Namespace, number: int, team: Team) -> list[Outcome]:
    """Scores of all obfuscations."""
    methods = anonymisers(options, organizers_anonymisers())
    return attacked(options, team, Plan(methods, SAMPLE, options.seed), options.workers)


def grid_table(options: Namespace, found: list[Outcome]) -> Table:
    """A row for each obfuscation: utility, the score under each attack, the lowest of each kind."""
    rows = [
        [
            outcome.anonymiser,
            outcome.utility.value,
            *(score.value for score in outcome.privacy.values()),
            *(lowest(outcome, kind)[0] for kind in ("reid", "trace")),
        ]
        for outcome in found
    ]
    return Table(["obfuscation", "s_U", *found[0].privacy, "s_R_min", "s_T_min"], rows)


GRID = Study(
    "grid",
    "The organizers' 37 settings on the first days of traces, pseudonyms shuffled, under the six "
    "sample attacks: the document's figure 6.",
    arguments=[
        *ONE_TEAM,
        ANONYMISERS,
        SEED,
        WORKERS,
        argument("--days", type=int, default=20, help="default: %(default)s"),
    ],
    cases=days_of_team,
    findings=scores_of_grid,
    table=grid_table,
    draw=lambda options, found: draw_grid(found, f"{options.days} days"),
)


def scores_of_exchanges(options: Namespace, number: int, team: Team) -> list[Outcome]:
    """Scores of releases in which users exchange stretches of cells."""
    attackers = {SHUFFLE: posterior_attackers(SHUFFLE)}
    return attacked(options, team, Plan(OWN_EXCHANGES, attackers, options.seed), options.workers)


EXCHANGE = Study(
    "exchange",
    "Scores of a team that exchanges stretches of cells among its users in its own release, as "
    "many as the required utility allows: the nearest whole tracks, days, and quarters of days.",
    arguments=[*ONE_TEAM, SEED, WORKERS],
    cases=lambda options: [read_team(options)],
    findings=scores_of_exchanges,
    table=grid_table,
    draw=lambda options, found: draw_grid(found, "exchange"),
)


def two_teams(options: Namespace) -> list[Team]:
    """Teams to compare.

    Raises
    ------
    InputError
        There are fewer than two.
    """
    teams = read_teams(options)
    if len(teams) < 2:
        raise InputError(f"fairness is between teams: {len(teams)} is too few", hint="give two")
    return teams


def scores_of_team(options: Namespace, number: int, team: Team) -> list[Outcome]:
    """Scores of one team, with random numbers of its own."""
    methods = anonymisers(options, PAPERS)
    plan = Plan(methods, SAMPLE, options.seed + number, compatible=False)
    return attacked(options, team, plan, options.workers)


def by_obfuscation(found: Sequence[Outcome], kind: str) -> dict[str, list[float]]:
    """The lowest scores of all teams, by obfuscation."""
    scores: dict[str, list[float]] = {}
    for outcome in found:
        scores.setdefault(outcome.anonymiser, []).append(lowest(outcome, kind)[0])
    return scores


def fairness_table(options: Namespace, found: list[Outcome]) -> Table:
    """A row for each obfuscation: mean and standard deviation of the lowest scores over teams."""
    reid, trace = (by_obfuscation(found, kind) for kind in ("reid", "trace"))
    rows = [
        [name, len(reid[name]), *mean_and_deviation(reid[name]), *mean_and_deviation(trace[name])]
        for name in reid
    ]
    return Table(["obfuscation", "teams", "s_R_min", "s_R_SD", "s_T_min", "s_T_SD"], rows)


def mean_and_deviation(scores: Sequence[float]) -> tuple[float, float]:
    """Mean, and standard deviation of the population that scores are drawn from."""
    return sum(scores) / len(scores), float(np.std(scores, ddof=1))


def draw_fairness(options: Namespace, found: list[Outcome]) -> Figure:
    """Boxes over teams of the lowest scores of both kinds."""
    kinds = {"s_R,min": "reid", "s_T,min": "trace"}
    panels = {score: by_obfuscation(found, kind) for score, kind in kinds.items()}
    return draw_boxes(panels, "teams")


FAIRNESS = Study(
    "fairness",
    "How much scores depend on whose traces a team was given: the paper's appendix E.",
    arguments=[*TEAMS, ANONYMISERS, SEED, WORKERS],
    cases=two_teams,
    findings=scores_of_team,
    table=fairness_table,
    draw=draw_fairness,
)


def submissions_of_teams(options: Namespace) -> list[tuple[Anonymiser, Team]]:
    """An obfuscation for each team, the last one pseudonyms alone; teams recur if they are few."""
    methods = anonymisers(options, [*SUBMISSIONS, *PLAIN])
    return list(zip(methods, cycle(read_teams(options)), strict=False))


def scores_of_submission(
    options: Namespace, number: int, submission: tuple[Anonymiser, Team]
) -> list[Outcome]:
    """Scores of one submission, with random numbers of its own."""
    method, team = submission
    attackers = choose_attackers(options.attacks, SHUFFLE, Reference(team[0], options.rules))
    plan = Plan([method], {SHUFFLE: attackers}, options.seed + number, compatible=False)
    return attacked(options, team, plan)


def privacy_table(options: Namespace, found: list[Outcome]) -> Table:
    """A row for each submission: utility, and the lowest scores with their attacks."""
    rows = [
        [one.anonymiser, one.utility.value, *lowest(one, "reid"), *lowest(one, "trace")]
        for one in found
    ]
    return Table(["obfuscation", "s_U", "s_R_min", "attack", "s_T_min", "attack"], rows)


def privacy_correlation(found: Sequence[Outcome]) -> str:
    """Pearson's R of s_R,min and s_T,min over the valid releases.

    Raises
    ------
    InputError
        Fewer than three valid releases.
    """
    valid = [outcome for outcome in found if outcome.utility.valid]
    if len(valid) < 3:
        raise InputError(
            f"a correlation needs three valid releases at least, not {len(valid)}",
            hint="give more obfuscations",
        )
    scores = ([lowest(outcome, kind)[0] for outcome in valid] for kind in ("reid", "trace"))
    return f"R = {stats.pearsonr(*scores).statistic:.3f}"


PRIVACY = Study(
    "privacy",
    "s_R,min against s_T,min of another valid obfuscation for each team, pseudonyms shuffled, and "
    "their correlation: the paper's figure 9.",
    arguments=[
        *TEAMS,
        ANONYMISERS,
        SEED,
        argument("--attacks", default="all", help="all, sample, or a list such as I3,LINK"),
    ],
    cases=submissions_of_teams,
    findings=scores_of_submission,
    table=privacy_table,
    draw=lambda options, found: draw_grid(found, privacy_correlation(found)),
    conclude=lambda options, found: [
        f"correlation of s_R,min and s_T,min over valid releases: {privacy_correlation(found)}"
    ],
)


Scores = list[dict[str, Any]]
"""The scores in ``run.json``."""


def scores_of_run(options: Namespace) -> Scores:
    """All scores of a ``contest run``."""
    scores: Scores = json.loads((options.results / "run.json").read_text())["scores"]
    return scores


def obfuscations_of_run(options: Namespace) -> list[Scores]:
    """The scores of each obfuscation: those asked for, or the valid ones."""
    by_name: dict[str, Scores] = {}
    for row in scores_of_run(options):
        by_name.setdefault(row["anonymiser"], []).append(row)
    valid = [name for name, scores in by_name.items() if scores[0]["valid"]]
    names = valid if options.anonymisers is None else options.anonymisers.split(",")
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise InputError(f"the run has no {unknown[0]}", file=options.results)
    return [by_name[name] for name in names]


def protection_of(options: Namespace, number: int, scores: Scores) -> list[Protection]:
    """Protection by one obfuscation."""
    name, valid = scores[0]["anonymiser"], scores[0]["valid"]
    reid, trace = (
        [strongest(scores, pseudonyms, kind) for pseudonyms in (SHUFFLE, MIXZONE)]
        for kind in ("reid", "trace")
    )
    return [Protection(name, valid, reid, trace)]


def strongest(scores: Scores, pseudonyms: str, kind: str) -> tuple[float, str]:
    """The lowest score of a kind, and its attack.

    Raises
    ------
    InputError
        There was no attack of that kind.
    """
    left = [
        (row["value"], row["attack"])
        for row in scores
        if (row["pseudonymization"], row["score"]) == (pseudonyms, kind)
    ]
    if not left:
        raise InputError(
            f"the run has no {kind} score of {scores[0]['anonymiser']} with {pseudonyms}",
            hint="run both pseudonymizations against attacks of both kinds",
        )
    return min(left, key=lambda each: each[0])


def protection_table(options: Namespace, found: list[Protection]) -> Table:
    """A row for each obfuscation: the lowest scores with their attacks."""
    columns = ["obfuscation", "valid"]
    for score in ("s_R_min", "s_T_min"):
        columns += [f"{score}_shuffled", "attack", f"{score}_exchanged", "attack"]
    rows = [
        [each.anonymiser, "yes" if each.valid else "no", *sum((*each.reid, *each.trace), ())]
        for each in found
    ]
    return Table(columns, rows)


def guessed(options: Namespace) -> float:
    """s_T of the attacker who needs no release.

    Raises
    ------
    InputError
        The run did not make that attack.
    """
    values = [row["value"] for row in scores_of_run(options) if row["attack"] == HabitTraces.short]
    if not values:
        raise InputError(
            "GUESS is not among the attacks", hint="run 'mixsafe contest run --attacks all'"
        )
    return min(values)


PROTECTION = Study(
    "protection",
    "s_R,min and s_T,min of each valid release of a 'mixsafe contest run' with shuffled and with "
    "exchanged pseudonyms, beside GUESS, which looks at no release.",
    arguments=[
        argument("results", metavar="RESULTS", type=Path, help="folder of 'contest run'"),
        argument("--anonymisers", metavar="A1,A4-4-1", help="default: the valid ones"),
    ],
    cases=obfuscations_of_run,
    findings=protection_of,
    table=protection_table,
    draw=lambda options, found: draw_protection(found, guessed(options)),
    conclude=lambda options, found: [
        f"s_T of an attacker who needs no release (GUESS): {guessed(options):.4f}"
    ],
)

SCORE_STUDIES = [LENGTH, GRID, EXCHANGE, FAIRNESS, PRIVACY, PROTECTION]
