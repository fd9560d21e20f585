"""The files of a tournament: for each team, for everybody, and for the judge alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe.io.files.json_values import json_text
from mixsafe.machinery.files import SECRET, make_folder, secret
from mixsafe_cli.data.holding.judge import KEPT
from mixsafe_cli.data.outputs import with_schema

if TYPE_CHECKING:
    from mixsafe.contest.tournament.challenges import Challenge
    from mixsafe.contest.tournament.hold import JudgedRelease, Tournament
    from mixsafe.contest.tournament.standings import Standings
    from mixsafe.documents.document import Document
    from mixsafe.io.contest.submissions import DataSetName


TEAMS, ATTACKS, STANDINGS = "teams.csv", "attacks.csv", "tournament.json"
PICTURE = "tournament.png"
FILES = (TEAMS, ATTACKS, STANDINGS, PICTURE, KEPT)
"""Files of a tournament that have the same names in all."""


@dataclass(frozen=True, eq=False)
class HeldChallenge:
    """A challenge that was held, and what came out of it."""

    tournament: Tournament
    standings: Standings
    published: Sequence[JudgedRelease | None]


def data_set_name(challenge: Challenge) -> DataSetName:
    """A challenge's data set in names of files."""
    from mixsafe.contest.tournament.challenges import CHALLENGES
    from mixsafe.io.contest.submissions import DataSetName

    return DataSetName(challenge.data_set, [one.data_set for one in CHALLENGES])


def write_all(folder: Path, held: Sequence[HeldChallenge], found: dict[str, Any]) -> None:
    """Write everything but the picture.

    The reference traces and releases of all are public; original traces go to their team.

    Parameters
    ----------
    found
        The standings as a JSON object, and where they come from.
    """
    from mixsafe.contest.tournament.standings import attacks_table, teams_table
    from mixsafe.machinery.files import write_text

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
    stored = with_schema("contest tournament", found)
    write_text(folder / STANDINGS, f"{json_text(stored, indent=2)}\n")


def draw_challenges(
    document: Document, challenges: Sequence[Challenge], picture: Path
) -> list[str]:
    """Draw all challenges, and return what there is to say about the picture."""
    from mixsafe_cli.data.holding.contest_pictures import draw_releases

    charts = document.charts
    if not charts:  # an earlier call may have had some
        picture.unlink(missing_ok=True)
    drawn = {chart.name for chart in charts}
    missing = [one.name for one in challenges if f"privacy-{one.name}" not in drawn]
    return draw_releases(charts, picture, missing)


def _write_traces(folder: Path, tournament: Tournament) -> None:
    """Each team's own original and reference traces, samples, and everybody's reference traces."""
    from mixsafe.io.contest.writing import write_traces

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
    from mixsafe.io.contest.writing import write_id_table, write_public

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
