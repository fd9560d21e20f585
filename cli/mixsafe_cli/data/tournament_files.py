"""The files of a tournament: for each team, for everybody, and for the judge alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe.io.files.together import make_folder, remove

if TYPE_CHECKING:
    from mixsafe.contest.tournament.hold import JudgedRelease, Tournament
    from mixsafe.contest.tournament.standings import Standings


def write_all(
    folder: Path,
    tournament: Tournament,
    standings: Standings,
    published: Sequence[JudgedRelease | None],
    found: dict[str, Any],
) -> list[str]:
    """Write everything, and return what there is to say about it.

    The reference traces and releases of all are public; original traces go to their team.

    Parameters
    ----------
    found
        The standings as a JSON object, and where they come from.
    """
    from mixsafe.contest.tournament.standings_tables import attacks_table, teams_table
    from mixsafe.io.files.atomic import write_text
    from mixsafe.report.pages.contest_page import tournament_corner, tournament_points
    from mixsafe_cli.data.contest_pictures import draw_releases

    for name in ("public", "secret", "distributed"):
        make_folder(folder / name)
    _write_traces(folder, tournament)
    _write_releases(folder, published)
    write_text(folder / "teams.csv", teams_table(standings))
    write_text(folder / "attacks.csv", attacks_table(standings))
    write_text(folder / "tournament.json", f"{json.dumps(found, indent=2)}\n")
    points, corner = tournament_points(found), tournament_corner(found)
    if not points:  # an earlier call may have had some
        remove(folder / "tournament.png")
    return draw_releases(points, folder / "tournament.png", corner)


def _write_traces(folder: Path, tournament: Tournament) -> None:
    """Each team's own original and reference traces, and everybody's reference traces."""
    from mixsafe.io.contest.submissions import set_name
    from mixsafe.io.contest.writing import write_traces

    for number, one in enumerate(tournament.sets, 1):
        write_traces(folder / "public" / set_name("reftraces", number), one.reference)
        if number <= len(tournament.teams):
            own = folder / "distributed" / f"team{number:03d}"
            make_folder(own)
            write_traces(own / set_name("orgtraces", number), one.original)
            write_traces(own / set_name("reftraces", number), one.reference)


def _write_releases(folder: Path, published: Sequence[JudgedRelease | None]) -> None:
    """Valid releases, and the judge's tables; what is no longer valid is taken away."""
    from mixsafe.io.contest.submissions import set_name
    from mixsafe.io.contest.writing import write_id_table, write_public

    for number, one in enumerate(published, 1):
        release = folder / "public" / set_name("pubtraces", number)
        table = folder / "secret" / set_name("ptable", number)
        if one is None:
            remove(release)
            remove(table)
        else:
            write_id_table(table, one.table)
            write_public(release, one.release)
