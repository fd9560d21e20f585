"""The folder of a tournament: files for each team, for everybody, and for the judge alone."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mixsafe.contest.tournament.hold import Tournament
from mixsafe.contest.tournament.standings import attacks_table, teams_table
from mixsafe.errors import InputError
from mixsafe.from_files.tournaments.data_sets import data_set_name
from mixsafe.from_files.tournaments.holding import HeldChallenge
from mixsafe.io.contest.writing import write_id_table, write_public, write_traces
from mixsafe.io.files.content import whole
from mixsafe.io.files.json_values import json_text
from mixsafe.machinery.files import SECRET, make_folder, secret, write_text

JUDGE = f"{SECRET}/judge.json"
TEAMS, ATTACKS, STANDINGS = "teams.csv", "attacks.csv", "tournament.json"
PICTURE = "tournament.png"
FILES = (TEAMS, ATTACKS, STANDINGS, PICTURE, JUDGE)
"""Files of a tournament that have the same names in all."""


def judges_seed(folder: Path, given: int | None, settings: dict[str, Any]) -> int:
    """The seed that was given, or that of the tournament in the folder, or a new one.

    Raises
    ------
    InputError
        The folder holds another tournament.
    """
    kept = folder / JUDGE
    if not kept.exists():
        return secrets.randbits(128) if given is None else given
    content = whole(kept)
    try:
        found = json.loads(content.decode("utf-8"))
        seed = int(found.pop("seed"))
    except (ValueError, KeyError, AttributeError):
        raise InputError("this is not what the judge keeps", file=kept) from None
    if found != settings or given not in (None, seed):
        raise InputError(
            "the folder holds a tournament of another seed or other settings",
            file=folder,
            hint="use another folder",
        )
    return seed


@secret()
def keep_seed(folder: Path, seed: int, settings: dict[str, Any]) -> None:
    """Store the seed for the next call, readable by the judge only."""
    make_folder(folder / SECRET)
    text = json.dumps({"seed": seed, **settings}, indent=2)
    write_text(folder / JUDGE, f"{text}\n")


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
