"""The manifest of a certificate: its problems, numbers of rows, and hashes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mixsafe.errors import InputError
from mixsafe.io.certificates.stored_columns import TABLES, file_of
from mixsafe.io.files.content import reading, whole
from mixsafe.io.files.json_values import check_halves
from mixsafe.machinery.modes import new_file

FORMAT = "mixsafe certificate 10"
_FORMER_FORMATS = tuple(f"mixsafe certificate {number}" for number in range(2, 10))
NAME = "manifest.json"
FORMER = ("certificate.json", "certificate.jsonl")
"""File names of format 1."""

_KEYS = {"format", "version", "parts", "files", "sha256"}
_PART: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "users": (int,),
    "user_ids": (str,),
    "absent": (list,),
    "known_ids": (str, type(None)),
    "steps": (int,),
    "first": (int,),
    "step_seconds": (int, type(None)),
    "tz": (str,),
    "adversary": (str,),
    "distinct": (bool,),
    "k": (int, type(None)),
    "rule": (str,),
    "rule_by_default": (bool,),
    "engine": (str,),
    "weight": (str, type(None)),
    "bound": (int, type(None)),
    "places": (list, type(None)),
    "costs": (list, type(None)),
    "problem": (str,),
    "rows": (dict,),
}


@dataclass(frozen=True)
class Manifest:
    """Metadata of a certificate.

    Parameters
    ----------
    version
        Version of mixsafe that wrote it.
    parts
        For each problem its entry, by key.
    seal
        SHA-256 of the manifest, which contains the hashes of all other files.
    """

    version: str
    parts: tuple[dict[str, Any], ...]
    seal: str


def former(path: Path) -> InputError:
    """The error for a certificate in an older format."""
    return InputError(
        "the certificate has the format of an earlier version of mixsafe",
        file=path,
        hint="write it again: mixsafe verify … --certificates DIR (breaking numbers have none now)",
    )


def seal_of(manifest: dict[str, Any]) -> str:
    """SHA-256 of a manifest without its seal, independent of key order and white space."""
    unsealed = {key: value for key, value in manifest.items() if key != "sha256"}
    content = json.dumps(unsealed, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def hash_of(path: Path) -> str:
    """SHA-256 of a file.

    Raises
    ------
    InputError
        It is not a file, or cannot be read.
    """
    with reading(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, version: str, parts: list[dict[str, Any]]) -> None:
    """Write the manifest of a folder that already contains all other files."""
    files = {f"{table}.parquet": hash_of(file_of(folder, table)) for table in TABLES}
    manifest = {"format": FORMAT, "version": version, "parts": parts, "files": files}
    text = json.dumps({**manifest, "sha256": seal_of(manifest)}, ensure_ascii=False, indent=1)
    new_file(folder / NAME).write_text(f"{text}\n", encoding="utf-8", newline="")


def seal_in(folder: Path) -> str:
    """The seal that the manifest of a folder names, of a certificate that was just written."""
    found: str = json.loads((folder / NAME).read_bytes())["sha256"]
    return found


def read_manifest(folder: Path) -> Manifest:
    """Read a manifest and check the hashes of all files.

    Raises
    ------
    InputError
        It is not a certificate, has an older format, or a file was changed or damaged.
    """
    path = folder / NAME
    found = _ManifestReader(path).manifest()
    for name, wanted in found["files"].items():
        if hash_of(folder / name) != wanted:
            raise InputError(
                "the content does not match its hash: it was changed or damaged",
                file=folder / name,
            )
    return Manifest(found["version"], tuple(found["parts"]), found["sha256"])


@dataclass(frozen=True)
class _ManifestReader:
    """Reads a manifest; errors name the key at fault."""

    path: Path

    def refuse(self, message: str, key: str | None = None) -> NoReturn:
        raise InputError(message, file=self.path, column=key)

    def keys_once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.refuse("an object contains a key twice")
        return found

    def manifest(self) -> dict[str, Any]:
        try:
            content = whole(self.path)
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            self.refuse("not UTF-8 text")
        try:
            found = json.loads(text, object_pairs_hook=self.keys_once)
        except json.JSONDecodeError as error:
            self.refuse(f"not JSON: {error.msg.lower()} at character {error.pos + 1}")
        except (RecursionError, ValueError) as error:
            self.refuse(f"unreadable JSON: {error}")
        check_halves(found, content, self.path)
        if isinstance(found, dict) and found.get("format") in _FORMER_FORMATS:
            raise former(self.path)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            self.refuse(f"not a certificate: its format is not '{FORMAT}'")
        if found.get("sha256") != seal_of(found):
            self.refuse("the content does not match its hash: it was changed or damaged")
        self._check(found)
        return found

    def _check(self, found: dict[str, Any]) -> None:
        """Refuse missing keys, unknown keys, and values of another type."""
        if set(found) != _KEYS or not isinstance(found["version"], str):
            self.refuse("keys are missing or unknown")
        files, parts = found["files"], found["parts"]
        if not isinstance(files, dict) or set(files) != {f"{table}.parquet" for table in TABLES}:
            self.refuse("files are missing or unknown", "files")
        if not isinstance(parts, list) or not parts:
            self.refuse("the certificate contains no problem", "parts")
        for part in parts:
            if not isinstance(part, dict) or set(part) != set(_PART):
                self.refuse("keys of a problem are missing or unknown", "parts")
            for key, kinds in _PART.items():
                if type(part[key]) not in kinds:
                    self.refuse("the value has the wrong type", key)
            rows = part["rows"]
            if set(rows) != set(TABLES):
                self.refuse("tables are missing or unknown", "rows")
            if any(type(n) is not int or n < 0 for n in rows.values()):
                self.refuse("a number of rows is not an integer from 0 on", "rows")
