"""What the judge of a tournament commits to: seed, salt and settings, told by their hash.

The judge keeps ``secret/judge.json``, from which the tournament can be made again. Its SHA-256 is
public from the first call on, in the form that ``sha256sum -c`` reads. When the judge hands out the
file in the end, everybody sees that nothing in it was chosen after releases were handed in. The
salt, which nobody can guess, keeps a seed that somebody could guess from being found by its hash.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mixsafe.contest.tournament.challenges import Challenge
from mixsafe.contest.tournament.teams import Contestant
from mixsafe.errors import InputError
from mixsafe.from_files.tournaments.data_sets import SetSource, data_set_name
from mixsafe.io.contest.submissions import find_sets
from mixsafe.io.files.content import whole
from mixsafe.machinery.files import SECRET, make_folder, secret, write_text

JUDGE = f"{SECRET}/judge.json"
COMMITMENT = "public/judge.json.sha256"

SALT_BYTES = 32

_KEYS = {"seed", "salt", "settings"}
_OPTIONS = {
    "challenge": str,
    "pseudonymization": str,
    "steps_per_day": int,
    "required": int | float,
}
"""Options of a tournament that must not change, and the kinds of their values."""


@dataclass(frozen=True)
class JudgesSecret:
    """What the judge keeps.

    Parameters
    ----------
    seed
        Of everything that is random in the tournament.
    salt
        Random and of no use but that nobody can guess it: 64 hexadecimal digits.
    settings
        What must not change between two calls for one folder (:func:`settings_of`).
    """

    seed: int
    salt: str
    settings: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The file's text."""
        return f"{json.dumps(vars(self), indent=2)}\n"

    @property
    def sha256(self) -> str:
        """Hash of the file, hexadecimal: the commitment."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def settings_of(
    options: Mapping[str, Any],
    source: SetSource,
    regions: Path | None,
    teams: Mapping[Challenge, Sequence[Contestant]],
) -> dict[str, Any]:
    """What decides, with the seed, everything that the judge does.

    Parameters
    ----------
    options
        Of the tournament: ``challenge``, ``pseudonymization``, ``steps_per_day`` and ``required``.
    source
        Data sets: told by the hashes of their files, or by the size of the towns.
    regions
        The file of regions, told by its hash; None: the contest's own.
    teams
        Told by their names, in their order, which is that of the data sets.

    Raises
    ------
    InputError
        Files that cannot be read.
    """
    towns = None if source.folder is not None else {"users": source.users, "days": source.days}
    return {
        **options,
        "regions": None if regions is None else _hash(regions),
        "towns": towns,
        "data": None if source.folder is None else _hashes(source.folder, teams),
        "teams": {one.name: [team.name for team in players] for one, players in teams.items()},
    }


def _hashes(folder: Path, challenges: Mapping[Challenge, Any]) -> dict[str, str]:
    """Hashes of the traces in a folder, by file name."""
    sets = [pair for one in challenges for pair in find_sets(folder, data_set_name(one))]
    return {path.name: _hash(path) for pair in dict.fromkeys(sets) for path in pair}


def _hash(path: Path) -> str:
    return hashlib.sha256(whole(path)).hexdigest()


def judges_secret(folder: Path, given: int | None, settings: Mapping[str, Any]) -> JudgesSecret:
    """What the judge of the tournament in the folder keeps, or of a new one.

    Parameters
    ----------
    given
        A seed that was asked for; None: that of the folder, or one that nobody can guess.

    Raises
    ------
    InputError
        The folder holds another tournament, or one whose commitment is not that of its secret.
    """
    path = folder / JUDGE
    if not path.exists():
        seed = secrets.randbits(128) if given is None else given
        return JudgesSecret(seed, secrets.token_hex(SALT_BYTES), settings)
    kept = read_secret(path)
    if kept.settings != settings or given not in (None, kept.seed):
        raise InputError(
            "the folder holds a tournament of another seed or other settings",
            file=folder,
            hint="use another folder",
        )
    check_commitment(folder, read_commitment(folder / COMMITMENT))
    return kept


def read_secret(path: Path) -> JudgesSecret:
    """What the judge keeps.

    Raises
    ------
    InputError
        It is something else.
    """
    content = whole(path)
    try:
        found = json.loads(content.decode("utf-8"))
        kept = JudgesSecret(**found) if set(found) == _KEYS else None
        right = kept is not None and _is_secret(kept)
    except (ValueError, TypeError, AttributeError):
        kept, right = None, False
    # Only the text that mixsafe writes: whoever hashes the file hashes what is read from it.
    if kept is None or not right or kept.text.encode() != content:
        raise InputError("this is not what the judge keeps", file=path)
    return kept


def _is_secret(found: JudgesSecret) -> bool:
    """Whether the values of a file are such as the judge keeps."""
    told = found.settings
    numbers = [found.seed]
    if not isinstance(told, dict) or not isinstance(found.salt, str):
        return False
    if told.get("towns") is not None:
        numbers += [told["towns"].get(name) for name in ("users", "days")]
    return (
        re.fullmatch(rf"[0-9a-f]{{{2 * SALT_BYTES}}}", found.salt) is not None
        and all(type(number) is int and number >= 0 for number in numbers)
        and all(isinstance(told.get(name), kind) for name, kind in _OPTIONS.items())
    )


@secret()
def keep_secret(folder: Path, kept: JudgesSecret) -> None:
    """Store the secret for the next call, readable by the judge only."""
    make_folder(folder / SECRET)
    write_text(folder / JUDGE, kept.text)


def publish_commitment(folder: Path, kept: JudgesSecret) -> None:
    """Publish the hash of the judge's secret."""
    path = folder / COMMITMENT
    make_folder(path.parent)
    write_text(path, f"{kept.sha256}  {Path(JUDGE).name}\n")


def read_commitment(path: Path) -> str:
    """The hash in a file as ``sha256sum`` writes it, or alone.

    Raises
    ------
    InputError
        It holds no SHA-256.
    """
    return as_commitment(whole(path).decode("utf-8", "replace"), path)


def as_commitment(text: str, file: Path | None = None) -> str:
    """The hash at the beginning of a text, in lower case.

    Raises
    ------
    InputError
        The text does not begin with a SHA-256.
    """
    found = re.match(r"\s*([0-9A-Fa-f]{64})(?![^\s])", text)
    if found is None:
        raise InputError("this is no SHA-256", file=file, hint="64 hexadecimal digits are wanted")
    return found[1].lower()


def check_commitment(folder: Path, commitment: str) -> JudgesSecret:
    """What the judge keeps, if it is what the judge committed to.

    Parameters
    ----------
    commitment
        SHA-256, 64 hexadecimal digits in lower case.

    Raises
    ------
    InputError
        It is not.
    """
    path = folder / JUDGE
    if not path.exists():
        raise InputError(
            "it is not there", file=path, hint="the judge hands it out when the contest is over"
        )
    kept = read_secret(path)
    if kept.sha256 != commitment:
        raise InputError(
            f"its SHA-256 is {kept.sha256}, but the judge committed to {commitment}", file=path
        )
    return kept
