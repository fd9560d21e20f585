"""All commands, by the words that call them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from mixsafe_cli.app import app


def commands(found: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands with the words that call them."""
    if not hasattr(found, "list_commands"):
        yield path, found
        return
    context = found.context_class(found)
    for name in found.list_commands(context):
        yield from commands(found.get_command(context, name), (*path, name))


EVERY = dict(commands(get_command(app)))
