"""Two editions of the officer's page: for the controller, and for others."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from mixsafe.extract.adversaries import ADVERSARIES
from mixsafe.model.choices import Choices


@dataclass(frozen=True)
class Edition:
    """An edition.

    Parameters
    ----------
    name
        Value of ``--edition``.
    about
        Whom it is for, and what it leaves out.
    with_names
        It names people and files, and has the hashes of secret data.
    """

    name: str
    about: str
    with_names: bool


EDITIONS: Choices[Edition] = Choices(
    "edition",
    Edition("internal", "with names of people and files, and all hashes", True),
    Edition("external", "without names of people and files, and without hashes of secrets", False),
)

HIDDEN = "…"
"""What the external edition has in place of a name."""

_TOLD = frozenset(
    f"--{name}"
    for name in (
        *("k", "rule", "at-most", "bet", "engine", "time-limit", "workers", "exchange", "rotate"),
        *("max-step", "max-speed", "cell-size", "cells", "time-step", "steps-per-day", "days"),
        *("min-users", "draws", "assume", "method", "distinct-places", "target", "seed"),
    )
)
"""Options whose values name nobody: numbers, and words that mixsafe defines."""

_VALUE = re.compile(r"[\w.:%,@|-]+")
_COMMANDS = 4
"""Words that begin a command line and are no names: ``mixsafe contest score reid``."""


def command_of(command: str, edition: Edition) -> str:
    """A command line as an edition shows it."""
    if edition.with_names:
        return command
    try:
        words = shlex.split(command)
    except ValueError:  # no command line
        return HIDDEN
    return " ".join(_without_names(words))


def _without_names(words: list[str]) -> Iterator[str]:
    """Words of a command line; whatever may name a file or a person is hidden."""
    before = ""
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if word.startswith("-") and len(word) > 1:
            yield f"{option}={_told(option, value)}" if equals else option
        elif place < _COMMANDS and word in _NAMES and not before.startswith("-"):
            yield word
        else:
            yield _told(before, word)
        before = word


def _told(option: str, value: str) -> str:
    """The value of an option, if it names nobody."""
    if option == "--adversary":
        return value if value in ADVERSARIES else HIDDEN
    return value if option in _TOLD and _VALUE.fullmatch(value) else HIDDEN


_NAMES = frozenset(
    (
        *("mixsafe", "verify", "audit", "weigh", "breaking", "protect", "compare", "optimize"),
        *("check", "pseudonymize", "contest", "score", "run", "reid", "trace", "utility"),
    )
)
"""Names of commands."""
