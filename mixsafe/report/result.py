"""A result on disk: what it is, by its content, and the page for it."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from mixsafe.errors import InputError
from mixsafe.io.files.content import cannot_read, text_head_of
from mixsafe.report.digests.verification_digest import FORMAT
from mixsafe.report.pages.assumption_page import assumption_page
from mixsafe.report.pages.comparison_page import comparison_page
from mixsafe.report.pages.contest_page import contest_page, tournament_page
from mixsafe.report.pages.minimum_page import minima_page, minimum_page
from mixsafe.report.pages.privacy_page import privacy_page
from mixsafe.report.pages.problems_page import problems_page

WAY_OUT = "give what --json of verify, audit, optimize or compare wrote, or a folder of contest run"
SCORES = ("anonymiser", "pseudonymization", "valid", "attack", "score", "value", "low", "high")
PROVENANCE = "provenance.json"
"""Beside ``scores.csv``: how it was made."""

_NUMBERS = ("value", "low", "high", "attempts", "baseline", "seconds")


@dataclass(frozen=True)
class Result:
    """What a command wrote.

    Parameters
    ----------
    path
        Where it was read.
    kind
        One of ``PAGES``.
    content
        What the page of that kind takes.
    """

    path: Path
    kind: str
    content: Any


PAGES: dict[str, Callable[[Any], str]] = {
    "privacy": privacy_page,
    "problems": problems_page,
    "minimum": minimum_page,
    "minima": minima_page,
    "comparison": comparison_page,
    "contest": lambda content: contest_page(*content),
    "tournament": tournament_page,
    "assumption": assumption_page,
}


def page_of(result: Result) -> str:
    """The page for a result: the same result gives the same bytes.

    Raises
    ------
    InputError
        Something is missing in the result, or is not what it should be.
    """
    try:
        return PAGES[result.kind](result.content)
    except (LookupError, TypeError, ValueError, AttributeError, TemplateError) as error:
        what = f"{type(error).__name__}: {error}"
        raise InputError(
            f"this {result.kind} result is damaged ({what})", file=result.path, hint="make it anew"
        ) from error


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result.

    Parameters
    ----------
    path
        JSON or JSONL of ``verify``, ``audit``, ``optimize``, ``compare`` or ``contest
        tournament``; or the folder, or the ``scores.csv``, of ``contest run``.

    Raises
    ------
    InputError
        It cannot be read, or is no result.
    """
    file = Path(path)
    if file.is_dir():
        file = _in_folder(file)
    head = text_head_of(file).lstrip()
    if head.startswith(b"{"):
        return _of_json(file)
    if head.startswith(",".join(SCORES).encode()):
        return Result(file, "contest", (read_scores(file), _provenance(file)))
    raise InputError("this is no result of mixsafe", file=file, hint=WAY_OUT)


def _in_folder(folder: Path) -> Path:
    """The file of a folder that tells the most."""
    for name in ("tournament.json", "scores.csv"):
        if (folder / name).is_file():
            return folder / name
    raise InputError("there is no scores.csv or tournament.json in it", file=folder, hint=WAY_OUT)


def read_scores(file: Path) -> list[dict[str, Any]]:
    """Rows of the ``scores.csv`` of ``contest run``, with numbers as such.

    Raises
    ------
    InputError
        A cell that should hold a number does not.
    """
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows: list[dict[str, Any]] = list(csv.DictReader(opened))
    for line, row in enumerate(rows, 2):
        for column in _NUMBERS:
            try:
                row[column] = float(row[column])
            except (KeyError, TypeError, ValueError):
                raise InputError(
                    f"'{row.get(column)}' is no number", file=file, line=line, column=column
                ) from None
    return rows


def _provenance(scores: Path) -> dict[str, Any] | None:
    """What ``contest run`` has written beside its scores about where they come from."""
    file = scores.with_name(PROVENANCE)
    if not file.is_file():
        return None
    try:
        found = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise cannot_read(file, error) from None
    except ValueError:  # of JSON, and of UTF-8
        raise InputError("this is no JSON", file=file) from None
    return found if isinstance(found, dict) else None


def _of_json(file: Path) -> Result:
    """A result that is one object, or an object a line."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise cannot_read(file, error) from None
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8 text", file=file, hint=WAY_OUT) from None
    try:
        objects = [json.loads(text)]
    except json.JSONDecodeError as whole:
        objects = _lines(file, text, whole)
    kinds = {_kind(one) for one in objects}
    if None in kinds or len(kinds) != 1:
        raise InputError("this is no result of mixsafe", file=file, hint=WAY_OUT)
    kind = str(kinds.pop())
    if kind == "privacy":
        digest = objects[0]["report"]
        if digest.get("format") != FORMAT:
            raise InputError(
                f"it has format {digest.get('format')}, not {FORMAT}",
                file=file,
                column="report",
                hint="make it anew with this version of mixsafe",
            )
        return Result(file, kind, digest)
    several = {"problems": "problems", "minimum": "minima"}.get(kind, kind)
    if kind == "problems" or len(objects) > 1:
        return Result(file, several, objects)
    return Result(file, kind, objects[0])


def _lines(file: Path, text: str, whole: json.JSONDecodeError) -> list[Any]:
    """Objects of JSONL."""
    objects = []
    for line, part in enumerate(text.splitlines(), 1):
        if not part.strip():
            continue
        try:
            objects.append(json.loads(part))
        except json.JSONDecodeError as error:
            at, message = (line, error.msg) if line > 1 else (whole.lineno, whole.msg)
            raise InputError(f"this is no JSON: {message}", file=file, line=at) from None
    return objects


def _kind(found: Any) -> str | None:  # noqa: ANN401 -- whatever a file holds
    """What an object is; None: nothing of ours."""
    if not isinstance(found, dict):
        return None
    report = found.get("report")
    if isinstance(report, dict) and report.get("kind") == "privacy":
        return "privacy"
    keys = {
        "minimum": {"status", "minimum", "bound", "zones"},
        "comparison": {"engines", "runs", "summary"},
        "tournament": {"teams", "awards", "attacks"},
        "assumption": {"sightings_per_user", "draws", "shares", "random_guess"},
        "problems": {"summary", "users", "steps", "zones"},
    }
    return next((kind for kind, needed in keys.items() if needed <= found.keys()), None)
