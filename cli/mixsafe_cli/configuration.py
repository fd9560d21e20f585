"""``--config FILE``: options kept in a TOML file, or the command that a result says it is from."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError

OPTION = "--config"
SHORT = {"-o": "--output", "-q": "--quiet"}
_POINTER = 8
"""Bytes."""
GROUPS = ("contest", "datasets", "synthesize")


def with_config(words: Sequence[str]) -> list[str]:
    """Add the options of a file to a command line, whose own options take precedence.

    Parameters
    ----------
    words
        Of the command line, without the program's name.

    Raises
    ------
    InputError
        The file is missing, is neither TOML nor a result, or has a value that no option takes.
    """
    line = list(words)
    path = _taken(line)
    if path is None:
        return line
    settings = _read(path)
    command, arguments = _command(settings, path)
    own = _own(line)
    if own and command and own != command:
        raise InputError(f"it is for '{' '.join(command)}', not '{' '.join(own)}'", file=path)
    rest = line[len(own) :]
    if rest and not rest[0].startswith("-"):
        arguments = []
    return [*(own or command), *arguments, *_options(settings, rest, path), *rest]


def at_fault(words: Sequence[str], message: str) -> Path | None:
    """The configuration file at fault for a message; None: the command line is, or there is none.

    Parameters
    ----------
    words
        Of a command line that :func:`with_config` took.
    message
        What is wrong. It is about an option that it names, or whose value it quotes.
    """
    line = list(words)
    path = _taken(line)
    if path is None:
        return None
    said = _options(_read(path), line, path)
    for word in said:
        option, _, value = word.partition("=")
        named = re.search(rf"{re.escape(option)}(?![\w-])", message)
        if named or (value and f"'{value}'" in message):
            return path
    return None


def _taken(line: list[str]) -> Path | None:
    """Take the file out of a command line; None: there is none.

    Raises
    ------
    InputError
        It is named twice, or not at all.
    """
    named = [place for place, word in enumerate(line) if word.split("=")[0] == OPTION]
    if not named:
        return None
    if len(named) > 1:
        raise InputError(f"{OPTION} is given twice")
    _, equals, value = line.pop(named[0]).partition("=")
    if not equals and named[0] == len(line):
        raise InputError(f"{OPTION} is without its file", hint="as in --config run.toml")
    return Path(value if equals else line.pop(named[0]))


def with_stdout(words: Sequence[str]) -> list[str]:
    """The words with ``-`` after each ``--json`` that is without its file."""
    line: list[str] = []
    for place, word in enumerate(words):
        line.append(word)
        then = words[place + 1] if place + 1 < len(words) else "--"
        if word == "--json" and then.startswith("-") and then != "-":
            line.append("-")
    return line


def _read(path: Path) -> dict[str, Any]:
    """Content of a file: options in TOML, or the command of a result.

    Raises
    ------
    InputError
        It cannot be read, or is neither.
    """
    import tomllib

    from mixsafe.io.files.content import check_plausible, whole

    content = whole(path)
    if content.lstrip().startswith(b"{"):
        return _of_result(content, path)
    # Each key is kept with all of its beginnings: no option has a dot.
    needed = sum(_POINTER * line.count(b".") ** 2 for line in content.split(b"\n"))
    check_plausible(path, needed, "its keys take", "write options without dots")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = f"{error}"
        raise InputError(f"this is no TOML: {reason[:1].lower()}{reason[1:]}", file=path) from None


def _of_result(content: bytes, path: Path) -> dict[str, Any]:
    """The command that a result is from: an object of JSON, or of JSON in lines the first."""
    from mixsafe.io.files.json_values import check_halves

    try:
        result = json.JSONDecoder().raw_decode(content.decode("utf-8").lstrip())[0]
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON: {error}", file=path) from None
    check_halves(result, content, path)
    words = result.get("command") if isinstance(result, dict) else None
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words) or not words:
        raise InputError(
            "this result does not say which command it is from", file=path, column="command"
        )
    own = _own(words)
    return {"command": " ".join(own), "arguments": words[len(own) :]}


def _command(settings: dict[str, Any], path: Path) -> tuple[list[str], list[str]]:
    """Remove the command and its arguments from the content of a file."""
    command, arguments = settings.pop("command", ""), settings.pop("arguments", [])
    if not isinstance(command, str):
        raise InputError("'command' is no text", file=path)
    if not isinstance(arguments, list) or any(not isinstance(one, str) for one in arguments):
        raise InputError("'arguments' is no list of texts", file=path)
    return command.split(), list(arguments)


def _own(line: Sequence[str]) -> list[str]:
    """The command that a line names: a word, or a group and a word."""
    own: list[str] = []
    for word in line[: 2 if line and line[0] in GROUPS else 1]:
        if word.startswith("-"):
            break
        own.append(word)
    return own


def _options(settings: dict[str, Any], rest: Sequence[str], path: Path) -> list[str]:
    """Options of a file as words, but for those that the line has.

    A value stands in one word with its option: it never becomes a source where that takes none.

    Raises
    ------
    InputError
        A value is neither a text, a number, a time, true or false, nor a list of those.
    """
    given = {SHORT.get(word, word.split("=")[0]) for word in rest}
    words: list[str] = []
    for key, value in settings.items():
        name = f"--{key.replace('_', '-')}"
        if name in given:
            continue
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                words.append(name)
            elif isinstance(one, str | int | float) and not isinstance(one, bool):
                words.append(f"{name}={one}")
            elif hasattr(one, "isoformat"):
                words.append(f"{name}={one.isoformat()}")
            elif one is not False:
                raise InputError(f"'{key}' is neither a text nor a number", file=path)
    return words
