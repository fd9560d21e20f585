"""Data sets of tournaments: from folders, or synthetic towns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.tournament.challenges import CHALLENGES, Challenge
from mixsafe.contest.tournament.hold import SAMPLES
from mixsafe.contest.tournament.teams import DataSet
from mixsafe.errors import InputError
from mixsafe.io.contest.reading import read_traces
from mixsafe.io.contest.submissions import DataSetName, find_sets
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.scenarios.town import GRID, town


def data_set_name(challenge: Challenge) -> DataSetName:
    """A challenge's data set in names of files."""
    return DataSetName(challenge.data_set, [one.data_set for one in CHALLENGES])


@dataclass(frozen=True)
class SetSource:
    """Where data sets come from.

    Parameters
    ----------
    folder
        With files of each team; None: towns.
    users, days
        Of each town: inhabitants, and days of reference traces, and as many of original ones.
    """

    folder: Path | None
    users: int
    days: int


def challenge_sets(
    source: SetSource, challenge: Challenge, seed: int, n_teams: int, rules: Rules
) -> tuple[list[DataSet], list[str]]:
    """Data sets of the teams, the benchmark, and samples, for a challenge.

    Of a folder with more sets than that, the last ones are left over.

    Returns
    -------
    list of DataSet, list of str
        And what there is to say.

    Raises
    ------
    InputError
        Files that cannot be used, or towns where the rules have other regions.
    """
    most = n_teams + 1 + SAMPLES
    if source.folder is None:
        return [_town(source, challenge, [seed, number], rules) for number in range(most)], []
    count = rules.regions.count
    files = find_sets(source.folder, data_set_name(challenge))
    notes = []
    if len(files) > most:
        over = len(files) - most
        notes.append(f"{challenge.name}: the last {over} of {len(files)} data sets are not used")
    sets = [
        DataSet(read_traces(original, count), read_traces(reference, count))
        for original, reference in files[:most]
    ]
    return sets, notes


def _town(source: SetSource, challenge: Challenge, chance: list[int], rules: Rules) -> DataSet:
    """A town of its own."""
    if rules.regions.count != GRID**2:
        raise InputError(f"towns have {GRID**2} regions", hint="give --data for other regions")
    half, steps = source.days * rules.steps_per_day, rules.steps_per_day
    # The judge's streams have four numbers or five, the towns' have three.
    random = np.random.default_rng([*chance, CHALLENGES.names().index(challenge.name)])
    region = town(source.users, days=2 * source.days, steps_per_day=steps, random=random).region
    reference = TraceMatrix(region[:, :half].copy())
    return DataSet(TraceMatrix(region[:, half:].copy(), half + 1), reference)
