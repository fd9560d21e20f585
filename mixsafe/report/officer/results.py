"""Result files that the officer's page is made of, all of one data set.

The rule: each result names the files that it read, by SHA-256. Its *data* are the original traces
among them, and which part of them was looked at (``--users``, ``--start``, …). A result that read a
release instead is of the data from which another result on the page says that the release was made.
All results of a page must be of the same data.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mixsafe.documents.document import CriterionEvidence, Document
from mixsafe.errors import InputError
from mixsafe.io.files.content import text_head_of
from mixsafe.report.officer.kinds import KINDS, OfficerKind
from mixsafe.report.result import objects_of, refuse_earlier, result_file

_CONTEST_RUN = "contest run"


@dataclass(frozen=True)
class OfficerResult:
    """One result of the page.

    Parameters
    ----------
    mark
        What the page calls it, such as ``R1``.
    path
        Where it was read.
    kind
        What it is a result of.
    found
        The JSON object.
    """

    mark: str
    path: Path
    kind: OfficerKind
    found: Mapping[str, Any]

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Command, versions and inputs of the result.

        Raises
        ------
        InputError
            It does not say them, or not which files it read.
        """
        told: Any = self.found.get("provenance")
        if not _is_provenance(told):
            raise InputError(
                "it does not say from which files it was made, so it cannot be shown to be of the"
                " same data as the others",
                file=self.path,
                hint="make it anew, of one problem, with this version of mixsafe",
            )
        found: Mapping[str, Any] = told
        return found

    @cached_property
    def evidence(self) -> dict[str, CriterionEvidence]:
        """What the document of the result says, by heading; empty: it has none."""
        document = self.found.get("document")
        if document is None:
            return {}
        return {one.criterion: one for one in Document.from_dict(document).evidence}

    @property
    def inputs(self) -> dict[str, Mapping[str, Any]]:
        """Files that were read, by their role."""
        return {str(one["what"]): one for one in self.provenance["inputs"]}


def _is_provenance(told: object) -> bool:
    """Whether a value says a command, versions, settings, and files with their hashes."""
    if not isinstance(told, dict):
        return False
    files = told.get("inputs"), told.get("outputs", [])
    return (
        isinstance(told.get("command"), str)
        and isinstance(told.get("versions"), dict)
        and isinstance(told.get("parameters", {}), dict)
        and all(isinstance(some, list) and all(map(_is_file, some)) for some in files)
    )


def _is_file(one: object) -> bool:
    """Whether a value says of a file what it is, its name and its hash."""
    keys = ("what", "name", "sha256")
    return isinstance(one, dict) and all(
        isinstance(one.get(key), str) and one[key].strip() for key in keys
    )


def read_results(paths: Sequence[str | os.PathLike[str]]) -> list[OfficerResult]:
    """Read the results of a page, in their order.

    Parameters
    ----------
    paths
        JSON of one answer, or folders of ``contest run``.

    Raises
    ------
    InputError
        One cannot be read, is no result, or is one that the page has no place for.
    """
    if not paths:
        raise InputError("no results are given", hint=_takes())
    return [_read(Path(path), f"R{number}") for number, path in enumerate(paths, 1)]


def _read(path: Path, mark: str) -> OfficerResult:
    """A result, recognized by its content."""
    path = result_file(path)
    if not text_head_of(path).lstrip().startswith(b"{"):
        raise InputError("this is no result of mixsafe", file=path, hint=_takes())
    objects = objects_of(path)
    if len(objects) != 1:
        raise InputError(
            f"it holds {len(objects)} answers, and the page is about one data set",
            file=path,
            hint="give the JSON of one problem",
        )
    found = objects[0]
    schema = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(schema, str):
        raise InputError("this is no result of mixsafe", file=path, hint=_takes())
    command = schema.rpartition(" ")[0]
    if command == "contest tournament":
        why = "the officer's page has no place for it: a tournament is about several data sets"
        raise InputError(why, file=path, hint=_takes())
    for kind in KINDS:
        if kind.command == command and kind.recognizes(found):
            refuse_earlier(found, path)
            return OfficerResult(mark, path, kind, found)
    if "document" in found:  # of a question that was added
        kind = OfficerKind(command, command, command, "the data", ())
        return OfficerResult(mark, path, kind, found)
    raise InputError(
        f"the officer's page has no place for this result of '{command}'", file=path, hint=_takes()
    )


def _takes() -> str:
    """What the page is made of, in words."""
    *first, last = dict.fromkeys(one.command for one in KINDS if one.command != _CONTEST_RUN)
    return f"give the JSON that {', '.join(first)} or {last} wrote, or a folder of contest run"


_ROLES = ("original", "source", "release")
"""Inputs that are the data, the first that a result has."""

_PART = ("users", "user-list", "start", "end", "days")
"""Options that say which part of the data was looked at."""


@dataclass(frozen=True)
class Data:
    """The data of a result.

    Parameters
    ----------
    role
        ``original``, ``source`` or ``release``.
    files
        SHA-256 of each file, in their order.
    names
        Their names.
    part
        Options that chose a part, with their values; empty: all of the data.
    """

    role: str
    files: tuple[str, ...]
    names: tuple[str, ...]
    part: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal data, whatever the files are called."""
        return self.files, self.part

    @property
    def words(self) -> str:
        """Which data they are, for messages."""
        hashes = ", ".join(f"{one[:12]}…" for one in self.files)
        part = " ".join(f"--{name} {value}" for name, value in self.part)
        return f"{', '.join(self.names)} (SHA-256 {hashes}{f'; {part}' if part else ''})"


@dataclass(frozen=True)
class PageDataSet:
    """The data set of a page.

    Parameters
    ----------
    original
        The data that all results are of.
    read
        The data that each result read itself: the original, or a release of it.
    """

    original: Data
    read: tuple[Data | None, ...]


def one_data_set(results: Sequence[OfficerResult]) -> PageDataSet:
    """The one data set of all results.

    Raises
    ------
    InputError
        A result does not say of which data it is, or they are not the same.
    """
    seals = {one.found["certificate_sha256"] for one in results if _is_sealed(one)}
    read = [None if one.kind.command == "check" else _data_of(one) for one in results]
    made = _made(results, read)
    first: tuple[OfficerResult, Data] | None = None
    for result, data in zip(results, read, strict=True):
        if data is None:
            continue
        origin = _origin(data, made)
        if first is None:
            first = result, origin
        elif origin.key != first[1].key:
            raise _others(result, origin, *first)
    if first is None:
        raise InputError(
            "the data set is not known: certificates alone do not name it",
            file=results[0].path,
            hint="give the result that was written with the certificate, too",
        )
    _check_certificates(results, seals)
    return PageDataSet(first[1], tuple(read))


def _is_sealed(result: OfficerResult) -> bool:
    """Whether a result says which certificate was written with it."""
    return result.kind.command != "check" and "certificate_sha256" in result.found


def _data_of(result: OfficerResult) -> Data:
    """The data that a result read."""
    inputs = result.inputs
    for role in _ROLES:
        files = [one for what, one in inputs.items() if what.split()[0] == role]
        if files:
            hashes, names = (tuple(str(one[key]) for one in files) for key in ("sha256", "name"))
            return Data(role, hashes, names, _part_of(result) if role == "source" else ())
    hint = "give --release PUB" if result.kind.name == "reid" else "make it anew"
    raise InputError("it does not say of which data it is", file=result.path, hint=hint)


def _part_of(result: OfficerResult) -> tuple[tuple[str, str], ...]:
    """The part of the data that a result is about."""
    provenance = result.provenance
    said: Mapping[str, Any] = provenance.get("parameters", {})
    part = {name: str(said[name]) for name in _PART if said.get(name) is not None}
    if "user-list" in part and "users" in result.inputs:
        part["user-list"] = str(result.inputs["users"]["sha256"])
    if "users" in part:
        part["seed"] = str(provenance.get("seed"))  # who is drawn
    return tuple(sorted(part.items()))


def _made(results: Sequence[OfficerResult], read: Sequence[Data | None]) -> dict[str, Data]:
    """From which data each file was made that a result says it wrote, by its hash."""
    found = {}
    for result, data in zip(results, read, strict=True):
        for output in result.provenance.get("outputs", ()):
            if data is not None:
                found[str(output["sha256"])] = data
    return found


def _origin(data: Data, made: Mapping[str, Data]) -> Data:
    """The data from which some were made, as far as results say it."""
    for _ in made:
        if len(data.files) != 1 or data.part or data.files[0] not in made:
            break
        data = made[data.files[0]]
    return data


def _others(result: OfficerResult, origin: Data, first: OfficerResult, data: Data) -> InputError:
    """The error for results of different data."""
    hint = "make a page for each"
    if "release" in (origin.role, data.role):
        hint = "give the JSON of the pseudonymize that made the release, too, or make two pages"
    return InputError(
        f"it is of other data, {origin.words}, than {first.path.name}, {data.words}",
        file=result.path,
        hint=hint,
    )


def _check_certificates(results: Sequence[OfficerResult], seals: set[str]) -> None:
    """Refuse a check of a certificate that no result of the page was written with."""
    for result in results:
        seal = str(result.found.get("certificate_sha256"))
        if result.kind.command == "check" and seal not in seals:
            raise InputError(
                f"it is about a certificate (SHA-256 {seal[:12]}…) that no other result names",
                file=result.path,
                hint="give the result that was written with it (--certificates and --json)",
            )
