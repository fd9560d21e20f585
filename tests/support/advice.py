"""Advice that commands print, and whether it can be followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import click
import typer

from mixsafe_cli.app import app

_COMMAND = re.compile(r"\bmixsafe((?: [a-z]+)+)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@cache
def _options_of(words: tuple[str, ...]) -> frozenset[str]:
    """All options of a command; words after its name are ignored."""
    found: click.Command = typer.main.get_command(app)
    for word in words:
        listed = getattr(found, "commands", None)
        if listed is None or found.get_command(None, word) is None:  # type: ignore[attr-defined]
            break
        found = found.get_command(None, word)  # type: ignore[attr-defined]
    common = {"--debug", "--verbose", "--spreadsheet", "--config", "--help", "--help-all"}
    return frozenset(common | {option for one in found.params for option in one.opts})


def options_that_are_not_there(said: str, words: Sequence[str]) -> list[str]:
    """Options that a text advises and that the command which it names, or that ran, does not have.

    Parameters
    ----------
    said
        What a command printed.
    words
        Of its command line, the name of the command first.
    """
    missing = []
    said = re.sub(r"No such option: \S+", "", said)  # what was given, not what is advised
    ran = tuple(word for word in words[:2] if not word.startswith("-"))
    for sentence in re.split(r"(?<=[.;])\s|\n", said):
        named = _COMMAND.search(sentence)
        for option in _OPTION.findall(sentence):
            later = named is not None and sentence.index(option) > named.start()
            command = tuple(named[1].split()) if named is not None and later else ran
            if option not in _options_of(command):
                missing.append(option)
    return missing


def every_command() -> list[list[str]]:
    """The words of each command, such as ``datasets write``."""
    found, waiting = [], [([], typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop()
        below = getattr(command, "commands", None)
        if below is None:
            found.append(words)
        else:
            names = command.list_commands(None)
            waiting += [([*words, name], command.get_command(None, name)) for name in names]
    return found
