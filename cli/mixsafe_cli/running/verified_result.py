"""``mixsafe weigh RESULT``: what ``verify --json`` was about, posed again as it was."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.files.content import whole
from mixsafe_cli.options.checks import given, refuse_together
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.running.invocation import Invocation


def as_verified(
    source: SourceOptions,
    adversary: AdversaryOptions,
    commands: Any,  # noqa: ANN401 -- of whichever click typer is made of
) -> tuple[SourceOptions, AdversaryOptions, Path | None]:
    """Options of the data and the adversary: those of the result, if the source is one; and it.

    Parameters
    ----------
    source, adversary
        Of the command line.
    commands
        The group of all commands, which reads the command line that made the result.

    Raises
    ------
    InputError
        The result does not say how it was made, its data are not there or not the same any more, or
        options of the data are given besides.
    """
    content = _result(source.source)
    if source.source is None or content is None:
        return source, adversary, None
    result = source.source
    _check_alone(source, adversary)
    words, inputs = _command_of(content, result)
    verify = commands.get_command(None, "verify")
    params = verify.make_context("verify", words[2:], resilient_parsing=True).params
    was = SourceOptions(**_fields(SourceOptions, params))
    was = dataclasses.replace(was, source=_found(was.source, result))
    who = AdversaryOptions(**_fields(AdversaryOptions, params))
    _check_same(was, who, inputs)
    return was, who, result


def _check_alone(source: SourceOptions, adversary: AdversaryOptions) -> None:
    """Refuse options of the data besides a result."""
    fields = [field for field in dataclasses.fields(source) if field.name != "source"]
    others = [one.name for one in fields if getattr(source, one.name) not in (one.default, [])]
    why = f"{source.source} is a result of verify, which says what its data were"
    refuse_together({**given(source, *others), **given(adversary, "adversary")}, why)


def _command_of(
    found: Mapping[str, Any], result: Path
) -> tuple[list[str], Mapping[str, Mapping[str, Any]]]:
    """The command line of a result, and its inputs by role."""
    provenance = found.get("provenance")
    try:
        words = shlex.split(provenance["command"])  # type: ignore[index]
        inputs = {one["what"]: one for one in provenance["inputs"]}  # type: ignore[index]
    except (TypeError, KeyError, ValueError):
        words, inputs = [], {}
    if words[1:2] != ["verify"]:
        raise InputError(
            "it does not say by which command it was made",
            file=result,
            hint="weigh the data themselves, with the options that verify had",
        )
    return words, inputs


def _result(path: Path | None) -> Mapping[str, Any] | None:
    """A result of ``verify``; None: the file is something else."""
    if path is None or path.suffix.lower() != ".json" or not path.is_file():
        return None
    try:
        found = json.loads(whole(path))
    except (ValueError, RecursionError):
        return None  # who reads sources says what is wrong
    schema = found.get("schema") if isinstance(found, dict) else None
    return found if isinstance(schema, str) and schema.startswith("verify ") else None


def _fields(record: type[Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a record of options, those that were given."""
    given = {field.name: asked.get(field.name) for field in dataclasses.fields(record)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None and value != ()
    }


def _found(source: Path | None, result: Path) -> Path | None:
    """The source at its recorded path, or next to the result."""
    if source is None or source.exists():
        return source
    return result.parent / source.name


def _check_same(
    source: SourceOptions, adversary: AdversaryOptions, inputs: Mapping[str, Mapping[str, Any]]
) -> None:
    """Refuse data that are not those of the result."""
    from mixsafe.report.provenance import told_input

    files = Invocation((), (source, adversary)).files
    for what, path in files.items():
        if path is None or what not in inputs:
            continue
        if not path.exists():
            raise InputError(
                "it was verified, and is not there any more",
                file=path,
                hint="put it beside the result",
            )
        if told_input(what, path)["sha256"] != inputs[what].get("sha256"):
            raise InputError(
                "it is not what was verified: its SHA-256 is another",
                file=path,
                hint="verify it anew, or weigh it without the result",
            )
