"""The teams of a tournament, from a TOML file."""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe.errors import InputError
from mixsafe.io.files.content import whole

if TYPE_CHECKING:
    from mixsafe.contest.tournament.challenges import Challenge
    from mixsafe.contest.tournament.teams import Contestant

WAYS = "anonymise, identify and infer, or folder, or entry"
KEYS = {"name", "anonymise", "identify", "infer", "folder", "entry"}


def example() -> Path:
    """The tournament that ships with mixsafe: built-in algorithms of all kinds."""
    import mixsafe.contest

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
    from mixsafe.contest.tournament.challenges import CHALLENGES

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
        from mixsafe_cli.data.holding.folder_teams import FolderTeam
        from mixsafe_cli.data.holding.tournament_files import data_set_name

        folder = path.parent / given["folder"]
        return FolderTeam(given["name"], folder, number, data_set_name(challenge))
    return _algorithms(given, number, path)


def _algorithms(given: dict[str, str], number: int, path: Path) -> Contestant:
    """A team of built-in algorithms."""
    from mixsafe.contest.registry import anonymiser_labelled, attacker_labelled
    from mixsafe.contest.tournament.teams import Team

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
