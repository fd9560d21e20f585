"""Answers as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from mixsafe_cli.options.apart import STDOUT
from mixsafe_cli.standard_streams import takes_unicode

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
        Words of the command line, for ``command``; none: it is left out.
    """
    from mixsafe.io.files.json_values import json_parts
    from mixsafe.machinery.files import atomic_path

    begun = [with_schema(command, answer, words) for answer in answers]
    ascii_only = target == STDOUT and not takes_unicode(sys.stdout)
    # In parts: with all candidates, the text of an answer takes several times its memory.
    parts = (
        part
        for answer in (begun if lines else begun[:1])
        for part in chain(json_parts(answer, None if lines else 2, ascii_only=ascii_only), "\n")
    )
    if target == STDOUT:
        sys.stdout.writelines(parts)
        return
    with atomic_path(target) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        file.writelines(parts)
