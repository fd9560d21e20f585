"""Where answers go: files that are checked before the work, and standard output."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError, printable
from mixsafe_cli.standard_streams import to_nobody

STDOUT = "-"


def check_target(option: str, path: str | Path | None, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse a file that could not be written in the end, before any long work.

    Raises
    ------
    InputError
        It is a folder, its folder is missing or may not be written to, or it is an input.
    """
    if path is None or str(path) == STDOUT:
        return
    target = Path(path)
    folder = target.absolute().parent
    if target.is_dir():
        raise InputError(f"{option} is a folder", file=target, hint="name a file")
    if not folder.is_dir():
        raise InputError(f"{option}: its folder does not exist", file=target, hint="create it")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{option}: its folder may not be written to", file=target)
    for source in inputs:
        if source is not None and source.exists() and target.exists() and target.samefile(source):
            raise InputError(f"{option} would overwrite an input", file=target)


def check_table_target(option: str, path: Path | None, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse a table that could not be written in the end.

    Raises
    ------
    InputError
        Its ending is neither .csv nor .parquet, or the file cannot be written.
    """
    known = path is None or str(path) == STDOUT or path.suffix.lower() in (".csv", ".parquet")
    if not known:
        raise InputError(f"{option} '{path}' is no table", hint="end its name in .csv or .parquet")
    check_target(option, path, inputs)


def check_certificates(folder: Path | None) -> None:
    """Refuse a folder that certificates could not be written into in the end.

    Raises
    ------
    InputError
        It is a file, it holds something that is no certificate, or it cannot be made or written to.
    """
    if folder is not None:
        from mixsafe.io.certificates.certificate_writer import check_folder

        check_folder(folder)


def check_folder_target(option: str, folder: Path) -> None:
    """Refuse a folder that could not be filled in the end.

    Raises
    ------
    InputError
        It is a file, it has something in it, or the folder above it is missing or may not be
        written to.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(
            f"{option}: the folder is not empty", file=folder, hint="name another one, or empty it"
        )
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{option} is a file, not a folder", file=folder, hint="name a folder")
    above = folder.absolute().parent
    if not above.is_dir():
        raise InputError(f"{option}: its folder does not exist", file=folder, hint="create it")
    if not os.access(above, os.W_OK):
        raise InputError(f"{option}: its folder may not be written to", file=folder)


def check_picture_target(
    option: str, path: Path | None, inputs: Iterable[Path | None] = ()
) -> None:
    """Refuse a picture that could not be written in the end.

    Raises
    ------
    InputError
        Its ending is neither .png nor .svg, or the file cannot be written.
    """
    if path is not None and path.suffix.lower() not in (".png", ".svg"):
        raise InputError(f"{option} '{path}' is no picture", hint="end its name in .png or .svg")
    check_target(option, path, inputs)


def check_map_target(option: str, path: Path | None, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse a map that could not be written in the end.

    Raises
    ------
    InputError
        Its ending is neither .geojson nor .parquet, or the file cannot be written.
    """
    if path is not None:
        from mixsafe.io.problems.feature_map import ENDINGS

        if path.suffix.lower() not in ENDINGS:
            hint = f"end its name in {' or '.join(ENDINGS)}"
            raise InputError(f"{option} '{path}' is no map", hint=hint)
    check_target(option, path, inputs)


def check_different(targets: Mapping[str, str | Path | None]) -> None:
    """Refuse one file for two things.

    Raises
    ------
    InputError
        Names the two options.
    """
    out = [option for option, path in targets.items() if path is not None and str(path) == STDOUT]
    if len(out) > 1:
        raise InputError(f"{' and '.join(out)} cannot both go to standard output")
    named = {
        option: Path(path).absolute()
        for option, path in targets.items()
        if path is not None and str(path) != STDOUT
    }
    for (one, path), (other, second) in itertools.combinations(named.items(), 2):
        if path == second:
            raise InputError(f"{one} and {other} are the same file", file=path)


_FILES = {
    "output": check_table_target,
    "candidates": check_table_target,
    "json": check_target,
    "plot": check_picture_target,
    "map": check_map_target,
    "graph": check_target,
}


class AnswerTargets:
    """Where an answer goes: a record of options has those names here that its command knows."""

    def check(self, inputs: Iterable[Path | None]) -> None:
        """Refuse targets that could not be written, or that are one file.

        Parameters
        ----------
        inputs
            Files that are read.

        Raises
        ------
        InputError
            Says which, and why.
        """
        named, inputs = vars(self), tuple(inputs)
        files = [name for name in _FILES if name in named]
        for name in files:
            _FILES[name](f"--{name}", named[name], inputs)
        check_certificates(named.get("certificates"))
        if named.get("resume") is not None:
            from mixsafe.journal import checkpoint

            checkpoint.check_folder(named["resume"])
        check_different({f"--{name}": named[name] for name in files})


def check_one_problem(count: int, targets: Mapping[str, Path | None]) -> None:
    """Refuse targets that are for one problem where there are not one.

    Raises
    ------
    InputError
        Says which.
    """
    for option, path in targets.items():
        if path is not None and count != 1:
            raise InputError(f"{option} is for one problem, not {count}", hint="use --json")


SCHEMA = 1
"""Version of the form of JSON; a key that is added does not change it."""


def with_schema(
    command: str, answer: Mapping[str, Any], words: Sequence[str] = ()
) -> dict[str, Any]:
    """An answer as JSON begins everywhere: with the form that it has, and with its verdict.

    Parameters
    ----------
    words
        Of the command line, with which ``--config`` repeats it; none: a seed would undo a release.

    Returns
    -------
    dict
        ``schema``: the command and the version of its form; ``verdict``: that of the answer, or
        None where the command decides nothing; ``command``: the words, if there are any.
    """
    begin = {"schema": f"{command} {SCHEMA}", "verdict": answer.get("verdict")}
    return {**begin, **({"command": list(words)} if words else {}), **answer}


def write_answers(
    target: str,
    command: str,
    answers: Iterable[Mapping[str, Any]],
    *,
    lines: bool,
    words: Sequence[str] = (),
) -> None:
    """Write JSON objects: one on its own, or each on a line.

    Parameters
    ----------
    target
        File, or ``-`` for standard output.
    command
        Who answers.
    answers
        What was answered.
    lines
        Write a line per answer; otherwise there is one answer.
    words
        As for :func:`with_schema`.
    """
    begun = [with_schema(command, answer, words) for answer in answers]
    if lines:
        text = "".join(f"{json.dumps(answer, ensure_ascii=False)}\n" for answer in begun)
    else:
        text = f"{json.dumps(begun[0], ensure_ascii=False, indent=2)}\n"
    if target == STDOUT:
        sys.stdout.write(text)
        return
    from mixsafe.io.files.atomic import write_text

    write_text(target, text)


def say_notes(notes: Iterable[str], quiet: bool) -> None:
    """Tell what was merged, dropped or assumed, on standard error."""
    try:
        for note in () if quiet else notes:
            print(f"note: {printable(note)}", file=sys.stderr)  # noqa: T201
    except BrokenPipeError:  # nobody reads them, as after ``2>&1 | head``: files are to be written
        to_nobody(sys.stderr)
