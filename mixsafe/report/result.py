"""Result files: recognition by content, and their pages."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from mixsafe.errors import InputError
from mixsafe.io.files.content import text_head_of, whole
from mixsafe.io.files.json_values import check_halves
from mixsafe.report.page_kinds import IN_FOLDERS, PAGES, PageKind, page_sources


@dataclass(frozen=True)
class Result:
    """The content of a result file.

    Parameters
    ----------
    path
        Where it was read.
    kind
        One of :data:`mixsafe.report.page_kinds.PAGES`.
    content
        What the page of that kind takes.
    """

    path: Path
    kind: str
    content: Any


def page_of(result: Result) -> str:
    """The page for a result: the same result gives the same bytes.

    Raises
    ------
    InputError
        Something is missing in the result, or is not what it should be.
    """
    try:
        return PAGES[result.kind].page(result.content)
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        NotImplementedError,
        TemplateError,
    ) as error:
        what = f"{type(error).__name__}: {error}"
        raise InputError(
            f"this {result.kind} result is damaged ({what})",
            file=result.path,
            hint="make it anew with this version of mixsafe",
        ) from error


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result.

    Parameters
    ----------
    path
        JSON or JSONL that a command wrote; or a folder of ``contest run`` or ``contest
        tournament``.

    Raises
    ------
    InputError
        It cannot be read, or is no result.
    """
    file = result_file(Path(path))
    if text_head_of(file).lstrip().startswith(b"{"):
        return _of_json(file)
    raise InputError("this is no result of mixsafe", file=file, hint=f"give {page_sources()}")


def result_file(path: Path) -> Path:
    """A file as it is; of a folder, the result in it.

    Raises
    ------
    InputError
        There is none in the folder.
    """
    if not path.is_dir():
        return path
    for name in IN_FOLDERS:
        if (path / name).exists():
            return path / name
    if (path / "scores.csv").exists():
        message = "this folder of 'contest run' is of an earlier version: it has no run.json"
        raise InputError(message, file=path, hint="make it anew")
    raise InputError(
        f"there is no {' or '.join(reversed(IN_FOLDERS))} in it",
        file=path,
        hint=f"give {page_sources()}",
    )


def _of_json(file: Path) -> Result:
    """A result that is one object, or an object a line."""
    objects = objects_of(file)
    for kind in PAGES:
        if _recognized(objects, kind):
            content = objects if kind.several else objects[0]
            return Result(file, kind.name, content)
    refuse_earlier(objects[0], file)
    raise InputError("this is no result of mixsafe", file=file, hint=f"give {page_sources()}")


def refuse_earlier(found: object, file: Path) -> None:
    """Refuse the result of an earlier version, whose answers had no document.

    Raises
    ------
    InputError
        It has none, and its command writes one.
    """
    if not isinstance(found, dict) or "document" in found:
        return
    command = str(found.get("schema")).rpartition(" ")[0]
    if command in PAGES["document"].made_by:
        message = f"this result of '{command}' is of an earlier version: it has no document"
        raise InputError(message, file=file, hint="make it anew")


def objects_of(file: Path) -> list[Any]:
    """The JSON values of a file: one, or one a line.

    Raises
    ------
    InputError
        It cannot be read, or is no JSON.
    """
    try:
        text = whole(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8 text", file=file, hint=f"give {page_sources()}") from None
    try:
        objects = [_value(text)]
    except json.JSONDecodeError as error:
        objects = _lines(file, text, error)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON that can be read: {error}", file=file) from None
    check_halves(objects, text.encode(), file)
    return objects


def _recognized(objects: list[Any], kind: PageKind) -> bool:
    """Whether all objects of a file are of a kind, and not more than a page of it takes."""
    fitting = all(isinstance(one, dict) and kind.recognizes(one) for one in objects)
    return fitting and (kind.several or len(objects) == 1)


def _lines(file: Path, text: str, whole: json.JSONDecodeError) -> list[Any]:
    """Objects of JSONL."""
    objects = []
    for line, part in enumerate(text.splitlines(), 1):
        if not part.strip():
            continue
        try:
            objects.append(_value(part))
        except json.JSONDecodeError as error:
            at, message = (line, error.msg) if line > 1 else (whole.lineno, whole.msg)
            raise InputError(f"this is no JSON: {message}", file=file, line=at) from None
        except (ValueError, RecursionError) as error:
            reason = f"this is no JSON that can be read: {error}"
            raise InputError(reason, file=file, line=line) from None
    return objects


def _value(text: str) -> Any:  # noqa: ANN401 -- whatever the text says
    """The value of a text of JSON.

    Raises
    ------
    ValueError
        It is none, or has a number that is none.
    """

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no number of JSON")

    return json.loads(text, parse_constant=refuse)
