"""Files of teams and options that several studies of the contest read."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.study import argument
from mixsafe.contest.base.parts import Anonymiser
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.registry import anonymiser_labelled
from mixsafe.contest.tournament.challenges import CHALLENGES
from mixsafe.errors import InputError
from mixsafe.io.contest.reading import read_traces
from mixsafe.io.contest.submissions import DataSetName, find_sets
from mixsafe.model.course import SolveLimits
from mixsafe.model.mobility.complete_traces import TraceMatrix

Team = tuple[TraceMatrix, TraceMatrix]
"""Reference and original traces."""


def labelled(names: str) -> list[Anonymiser]:
    """Anonymisers by their labels: ``A1,A4-4-1``."""
    return [anonymiser_labelled(name) for name in names.split(",")]


def anonymisers(options: Namespace, default: Sequence[Anonymiser]) -> Sequence[Anonymiser]:
    """The anonymisers of ``--anonymisers``, or those of the study."""
    return default if options.anonymisers is None else labelled(options.anonymisers)


def cores(count: str) -> int:
    """A number of processes or threads; 0: one per core."""
    return SolveLimits(workers=int(count)).workers


SUBMISSIONS = labelled(
    "A4-4-1,KM-100,AS-12-4-3,A2-1-1-0.1,A3-8,A2-0-0-0.2,A4-6-1,KM-50,AS-12-0-3,A2-1-1-0,A3-10,"
    "A2-0-0-0.1,A4-5-1,KM-200,AS-0-8-0,A4-7-1,KM-20"
)
"""Seventeen obfuscations in place of what the contest's 17 teams handed in.

All kinds that mixsafe has, with parameters that keep s_U at about 0.7 or more, but for A5: no team
used the cheating anonymization (contest paper, 5.1). The first six are of all these kinds.
"""

ONE_TEAM = (
    argument("original", metavar="ORG", type=Path, help="original traces"),
    argument("reference", metavar="REF", type=Path, help="reference traces"),
)
TEAMS = (
    argument("teams", metavar="TEAMS", type=Path, help="folder of the traces of all teams"),
    argument("--challenge", choices=CHALLENGES.names(), default="IDP", help="whose data sets"),
)
ANONYMISERS = argument(
    "--anonymisers", metavar="A1,A4-4-1", help="obfuscations; default: the study's own"
)
SEED = argument("--seed", type=int, default=1, help="of everything")
WORKERS = argument("--workers", type=cores, default="0", help="0: one per core")


def read_team(options: Namespace) -> Team:
    """The team of ``ONE_TEAM``."""
    count = options.rules.regions.count
    return read_traces(options.reference, count), read_traces(options.original, count)


def read_teams(options: Namespace) -> list[Team]:
    """All teams of ``TEAMS``.

    Raises
    ------
    InputError
        There are none, or they cannot be used.
    """
    challenge, count = CHALLENGES[options.challenge], options.rules.regions.count
    name = DataSetName(challenge.data_set, [each.data_set for each in CHALLENGES])
    files = find_sets(options.teams, name)
    if not files:
        wanted = name.file("orgtraces", 1)
        raise InputError(f"there are no files {wanted} and so on", file=options.teams)
    return [(read_traces(known, count), read_traces(hidden, count)) for hidden, known in files]


def first_days(team: Team, days: int, rules: Rules) -> Team:
    """So many days of reference and of original traces, one after the other in time.

    Raises
    ------
    InputError
        There are not as many days.
    """
    reference, original = team
    there = min(original.n_steps, reference.n_steps) // rules.steps_per_day
    if not 1 <= days <= there:
        hint = f"the traces have {there} days each"
        raise InputError(f"{days} days cannot be looked at", hint=hint)
    steps = days * rules.steps_per_day
    return (
        TraceMatrix(reference.region[:, :steps]),
        replace(original, region=original.region[:, :steps], first_time=steps + 1),
    )
