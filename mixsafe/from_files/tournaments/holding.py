"""The challenges of a tournament, held one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.tournament.challenges import CHALLENGES, Challenge
from mixsafe.contest.tournament.hold import JudgedRelease, Tournament, hold
from mixsafe.contest.tournament.standings import Standings
from mixsafe.contest.tournament.teams import Contestant
from mixsafe.errors import InputError
from mixsafe.from_files.tournaments.data_sets import SetSource, challenge_sets, data_set_name
from mixsafe.io.contest.submissions import find_sets
from mixsafe.model.course import SolveLimits
from mixsafe.model.progress import Progress


@dataclass(frozen=True, eq=False)
class HeldChallenge:
    """A challenge that was held, and what came out of it."""

    tournament: Tournament
    standings: Standings
    published: Sequence[JudgedRelease | None]


def challenges_with_data(name: str, data: Path | None) -> tuple[list[Challenge], list[str]]:
    """The challenges that are held: the one of a name, or those of ``both`` that have data sets.

    Parameters
    ----------
    data
        Folder of data sets; None: towns, of which there are some for every challenge.

    Returns
    -------
    list of Challenge, list of str
        And notes on those that are not held.

    Raises
    ------
    InputError
        There is no such challenge, or there are no data for it.
    """
    wanted = list(CHALLENGES) if name == "both" else [CHALLENGES[name]]
    if data is None:
        return wanted, []
    held = [one for one in wanted if find_sets(data, data_set_name(one))]
    if not held:
        file = data_set_name(wanted[0]).file("orgtraces", 1)
        raise InputError(f"there are no files {file} and so on", file=data)
    without = (one for one in wanted if one not in held)
    return held, [f"{one.name} is not held: {data} has no {one.data_set}" for one in without]


def hold_challenges(
    teams: Mapping[Challenge, Sequence[Contestant]],
    source: SetSource,
    seed: int,
    rules: Rules,
    *,
    pseudonymization: str,
    workers: int,
    progress: Progress,
) -> tuple[list[HeldChallenge], list[str]]:
    """Hold challenges, each with its teams.

    Parameters
    ----------
    source
        Where the data sets of teams come from.
    seed
        The judge's.
    pseudonymization
        What the judge does with valid releases.
    workers
        Processes; 0: one per core.

    Returns
    -------
    list of HeldChallenge, list of str
        And notes on data sets that nobody got.

    Raises
    ------
    InputError
        Data sets or submissions that cannot be used.
    """
    cores = SolveLimits(workers=workers).workers
    held, notes = [], []
    for challenge, players in teams.items():
        progress(f"{challenge.name}: making data sets", 0, 0)
        sets, unused = challenge_sets(source, challenge, seed, len(players), rules)
        notes += unused
        posed = Tournament(players, sets, rules, seed, pseudonymization, challenge)
        of_challenge = _told_of(challenge.name, progress)
        held.append(HeldChallenge(posed, *hold(posed, workers=cores, progress=of_challenge)))
    return held, notes


def _told_of(challenge: str, progress: Progress) -> Progress:
    """Progress that says of which challenge it is."""
    return lambda stage, done, total: progress(f"{challenge}: {stage}", done, total)
