"""Whether results are of one data set: by the hashes of the files that they were made from.

The rule: each result names the files that it read, by SHA-256. Its *data* are the original traces
among them, and which part of them was looked at (``--users``, ``--start``, …). A result that read a
release instead is of the data from which another result on the page says that the release was made.
All results of a page must be of the same data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mixsafe.errors import InputError
from mixsafe.report.officer.results import OfficerResult

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
