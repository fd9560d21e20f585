"""What help says of defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from mixsafe_cli.app import app


def options(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """Each option of a command and of all below it: where it is, and what help says of it."""
    for one in getattr(command, "commands", {}):
        yield from options(command.get_command(None, one), f"{name} {one}")
    for one in command.params:
        told = getattr(one, "help", None) or ""
        yield f"{name} {' '.join(one.opts)}", told


def test_a_default_is_told_once_and_in_words() -> None:
    told = dict(options(typer.main.get_command(app), "mixsafe"))
    assert len(told) > 300
    twice = [name for name, said in told.items() if said.lower().count("default") > 1]
    bare = [name for name, said in told.items() if re.search(r" \[\w+\]\.?( Default|$)", said)]
    assert (twice, bare) == ([], [])
