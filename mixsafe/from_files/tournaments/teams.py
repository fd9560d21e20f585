"""The teams of a tournament, from a TOML file: algorithms, code of their own, folders of files."""

from __future__ import annotations

import importlib
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mixsafe.contest
from mixsafe.contest.base.parts import AnswerKind
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.registry import anonymiser_labelled, attacker_labelled
from mixsafe.contest.tournament.challenges import CHALLENGES, Challenge
from mixsafe.contest.tournament.teams import Contestant, Numbers, Target, Team
from mixsafe.errors import InputError
from mixsafe.from_files.tournaments.data_sets import data_set_name
from mixsafe.io.contest.reading import read_anonymized, read_inferred_ids, read_inferred_traces
from mixsafe.io.contest.submissions import DataSetName, check_attackers, find_submission
from mixsafe.io.files.content import whole
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells, IdTable

WAYS = "anonymise, identify and infer, or folder, or entry"
KEYS = {"name", "anonymise", "identify", "infer", "folder", "entry"}


def example() -> Path:
    """The tournament that ships with mixsafe: built-in algorithms of all kinds."""
    return Path(mixsafe.contest.__file__).parent / "data" / "tournament.toml"


def read_teams(path: Path, challenge: Challenge) -> list[Contestant]:
    """Teams in their order, as they play in a challenge.

    What a key says is for all challenges, but ``anonymise-IDP`` for that one alone.

    Raises
    ------
    InputError
        The file is no TOML, has no teams, or one that is not described in one of the ways there
        are.
    """
    try:
        found = tomllib.loads(whole(path).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is no TOML: {error}", file=path) from None
    teams = found.pop("team", None)
    if found or not isinstance(teams, list) or not teams:
        hint = f"write [[team]] for each team, with {WAYS}"
        raise InputError("there must be teams and nothing else", file=path, hint=hint)
    return [_team(team, number, path, challenge) for number, team in enumerate(teams, 1)]


def _in_challenge(given: Any, number: int, path: Path, challenge: str) -> dict[str, str]:  # noqa: ANN401
    """What a team's table says about a challenge."""
    if not isinstance(given, dict):
        raise InputError(f"team {number} is no table", file=path, hint="write [[team]]")
    own = {f"{key}-{name}": key for key in KEYS - {"name"} for name in CHALLENGES.names()}
    for key, value in given.items():
        if not (key in KEYS or key in own) or not isinstance(value, str) or not value:
            hint = f"use {', '.join(sorted(KEYS))}, each a text, or for one challenge anonymise-IDP"
            raise InputError(f"team {number}: '{key}' is unknown or no text", file=path, hint=hint)
    chosen = {own[key]: text for key, text in given.items() if key.endswith(f"-{challenge}")}
    return {key: text for key, text in given.items() if key in KEYS} | chosen


def _team(whole: Any, number: int, path: Path, challenge: Challenge) -> Contestant:  # noqa: ANN401
    """One team."""
    given = _in_challenge(whole, number, path, challenge.name)
    ways = [set(given) & {"anonymise", "identify", "infer"}, "folder" in given, "entry" in given]
    if sum(map(bool, ways)) != 1:
        raise InputError(f"team {number} does not say who plays", file=path, hint=f"give {WAYS}")
    if "entry" in given:
        return _entry(given, number, path)
    if "name" not in given:
        raise InputError(f"team {number} has no name", file=path)
    if "folder" in given:
        folder = path.parent / given["folder"]
        return FolderTeam(given["name"], folder, number, data_set_name(challenge))
    return _algorithms(given, number, path)


def _algorithms(given: dict[str, str], number: int, path: Path) -> Contestant:
    """A team of built-in algorithms."""
    try:
        return Team(
            given["name"],
            anonymiser_labelled(given["anonymise"]) if "anonymise" in given else None,
            attacker_labelled(given["identify"]) if "identify" in given else None,
            attacker_labelled(given["infer"]) if "infer" in given else None,
        )
    except InputError as error:
        raise InputError(f"team {number}: {error}", file=path) from None


def _entry(given: dict[str, str], number: int, path: Path) -> Contestant:
    """A team of one's own code: a contestant, or what makes one when it is called."""
    entry, folder = given["entry"], str(path.parent.absolute())
    module, _, name = entry.partition(":")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = getattr(importlib.import_module(module), name or "team")
        made = found() if isinstance(found, type) or not hasattr(found, "attack") else found
    except Exception as error:  # noqa: BLE001 -- the code is the team's own
        reason = f"{type(error).__name__}: {error}"
        raise InputError(f"team {number}: cannot load '{entry}': {reason}", file=path) from None
    lacking = [part for part in ("name", "obfuscate", "attack") if not hasattr(made, part)]
    if lacking:
        hint = "see mixsafe.contest.tournament.teams.Contestant"
        raise InputError(f"team {number}: '{entry}' has no {lacking[0]}", file=path, hint=hint)
    if "name" in given and given["name"] != made.name:
        raise InputError(f"team {number}: '{entry}' calls itself '{made.name}'", file=path)
    return made  # type: ignore[no-any-return]


@dataclass(frozen=True)
class FolderTeam:
    """A team's folder of submissions.

    Parameters
    ----------
    name
        The team.
    folder
        With ``anotraces….csv``, and for each other team's release that was attacked
        ``etable_team001-002….csv`` and ``etraces_team001-002….csv``: team 1 attacks team 2.
    number
        The team's, from 1.
    data_set
        That of the challenge.
    """

    name: str
    folder: Path
    number: int
    data_set: DataSetName

    def obfuscate(
        self, original: TraceMatrix, rules: Rules, random: np.random.Generator
    ) -> Cells | None:
        """What stands in the team's file.

        Raises
        ------
        InputError
            Names the file, or the line, that is not as it should be.
        """
        path = find_submission(self.folder, "anotraces", self.data_set, self.number)
        return None if path is None else read_anonymized(path, original, rules.regions.count)

    def attack(
        self,
        answers: AnswerKind,
        target: Target,
        reference: Reference,
        release: Cells,
        random: np.random.Generator,
    ) -> Numbers | None:
        """What stands in the team's file about this release.

        Raises
        ------
        InputError
            Names the file, or the line, that is not as it should be.
        """
        check_attackers(self.folder, self.data_set, self.number)
        kind = "etable" if answers == "ids" else "etraces"
        start = f"{kind}_team{target.attacker:03d}-{target.victim:03d}"
        path = find_submission(self.folder, start, self.data_set, self.number)
        if path is None:
            return None
        if answers == "ids":
            # Only the shape of the table counts here: who is who is the judge's secret.
            everyone = np.arange(release.n_rows, dtype=np.int32)[:, None]
            anyone = np.repeat(everyone, release.n_steps, axis=1)
            return read_inferred_ids(path, IdTable(anyone, release.first_time))
        shape = TraceMatrix(np.zeros(release.code.shape, np.int32), release.first_time)
        return read_inferred_traces(path, shape, release.n_regions)
