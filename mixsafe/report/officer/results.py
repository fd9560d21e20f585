"""Result files that the officer's page is made of."""

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
