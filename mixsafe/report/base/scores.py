"""The ``scores.csv`` of ``contest run``, and its provenance file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.files.content import whole
from mixsafe.io.files.csv_records import records

SCORES = ("anonymiser", "pseudonymization", "valid", "attack", "score", "value", "low", "high")
"""Columns that such a file begins with."""

PROVENANCE = "provenance.json"
"""File next to ``scores.csv`` with its provenance."""

_NUMBERS = ("value", "low", "high", "attempts", "baseline", "seconds")


def read_scores(file: Path) -> list[dict[str, Any]]:
    """Rows of the ``scores.csv`` of ``contest run``, with numbers as such.

    Raises
    ------
    InputError
        It is no table of text, or a cell that should hold a number does not.
    """
    lines = records(file)
    _, header = next(lines, (1, []))
    rows: list[dict[str, Any]] = []
    for line, fields in lines:
        if len(fields) != len(header):
            message = f"{len(fields)} fields instead of {len(header)}"
            raise InputError(message, file=file, line=line, hint="a line is broken, or cut off")
        row: dict[str, Any] = dict(zip(header, fields, strict=True))
        rows.append(row)
        for column in _NUMBERS:
            try:
                row[column] = float(row[column])
            except (KeyError, TypeError, ValueError):
                raise InputError(
                    f"'{row.get(column)}' is no number", file=file, line=line, column=column
                ) from None
    return rows


def releases_of(scores: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Releases of a run: ``name``, ``kind`` (of pseudonyms), ``valid``, ``utility``, and attacks.

    Under ``reid`` and ``trace`` is the row of the strongest attack of that kind; None: there is
    none.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in scores:
        name, kind, score = row["anonymiser"], row["pseudonymization"], row["score"]
        release = found.setdefault(
            (name, kind),
            {"name": name, "kind": kind, "valid": row["valid"] == "yes"}
            | dict.fromkeys(("utility", "reid", "trace")),
        )
        if score == "utility":
            release[score] = row["value"]
        elif release[score] is None or row["value"] < release[score]["value"]:
            release[score] = row
    return list(found.values())


def provenance_beside(scores: Path) -> dict[str, Any] | None:
    """The provenance that ``contest run`` wrote next to its scores."""
    file = scores.with_name(PROVENANCE)
    if not file.exists():
        return None
    content = whole(file)
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except ValueError:  # of JSON, and of UTF-8
        raise InputError("this is no JSON", file=file) from None
    return found if isinstance(found, dict) else None
