"""The folder of a tournament: files for each team, for everybody, and for the judge alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mixsafe.contest.tournament.hold import Tournament
from mixsafe.contest.tournament.standings import attacks_table, teams_table
from mixsafe.from_files.tournaments.commitment import COMMITMENT, JUDGE
from mixsafe.from_files.tournaments.data_sets import data_set_name
from mixsafe.from_files.tournaments.holding import HeldChallenge
from mixsafe.io.contest.writing import write_id_table, write_public, write_traces
from mixsafe.io.files.json_values import json_text
from mixsafe.machinery.files import SECRET, make_folder, secret, write_text

TEAMS, ATTACKS, STANDINGS = "teams.csv", "attacks.csv", "tournament.json"
PICTURE = "tournament.png"
FILES = (TEAMS, ATTACKS, STANDINGS, PICTURE, JUDGE, COMMITMENT)
"""Files of a tournament that have the same names in all."""


def write_all(folder: Path, held: Sequence[HeldChallenge], answer: dict[str, Any]) -> None:
    """Write everything but the picture.

    The reference traces and releases of all are public; original traces go to their team.

    Parameters
    ----------
    answer
        The standings as a JSON object, and where they come from.
    """
    make_folder(folder / "public")
    with secret():  # each team is to see its own traces only
        make_folder(folder / SECRET)
        make_folder(folder / "distributed")
    standings = [one.standings for one in held]
    for one in held:
        _write_traces(folder, one.tournament)
        _write_releases(folder, one)
    write_text(folder / TEAMS, teams_table(standings))
    write_text(folder / ATTACKS, attacks_table(standings))
    write_text(folder / STANDINGS, f"{json_text(answer, indent=2)}\n")


def _write_traces(folder: Path, tournament: Tournament) -> None:
    """Each team's own original and reference traces, samples, and everybody's reference traces."""
    name, distributed = data_set_name(tournament.challenge).file, folder / "distributed"
    for number, one in enumerate(tournament.sets, 1):
        if number in (place + 1 for place in tournament.released):
            write_traces(folder / "public" / name("reftraces", number), one.reference)
        if number == len(tournament.teams) + 1:
            continue  # the benchmark's original traces have no team
        team = number <= len(tournament.teams)
        own = distributed / (f"team{number:03d}" if team else "samples")
        with secret():
            make_folder(own)
            write_traces(own / name("orgtraces", number), one.original)
            write_traces(own / name("reftraces", number), one.reference)


def _write_releases(folder: Path, held: HeldChallenge) -> None:
    """Valid releases, and the judge's tables; what is no longer valid is taken away."""
    name = data_set_name(held.tournament.challenge).file
    for number, one in enumerate(held.published, 1):
        release = folder / "public" / name("pubtraces", number)
        table = folder / SECRET / name("ptable", number)
        if one is None:
            release.unlink(missing_ok=True)
            table.unlink(missing_ok=True)
        else:
            write_public(release, one.release)
            write_id_table(table, one.table)
