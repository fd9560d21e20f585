"""Groups of commands whose modules are loaded when somebody asks for the command."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group


class CommandsOnDemand(TyperGroup):
    """A group that knows where its commands are, and loads the one that is called.

    What 'mixsafe verify' does not need (the options of twenty other commands) is not made.
    """

    places: ClassVar[Mapping[str, str]] = {}
    """By name of a command: ``module:name``, of its function or of the app that it is."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Any] = dict.fromkeys(self.places)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 -- of whichever click
        """The command of a name, loaded now; None: there is none."""
        if cmd_name in self.places and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _load(cmd_name, self.places[cmd_name])
        return self.commands.get(cmd_name)


def _load(name: str, place: str) -> Any:  # noqa: ANN401 -- of whichever click typer is made of
    """Import a command, and make of it what click runs."""
    module, _, attribute = place.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if isinstance(found, typer.Typer):
        group = get_group(found)
        group.name = name
        if not isinstance(group, CommandsOnDemand):
            for command in group.commands.values():
                _tell_defaults(command)
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(name)(copy.copy(found))  # options name what is registered by now
    return _tell_defaults(get_command(alone))


def _tell_defaults(command: Any) -> Any:  # noqa: ANN401 -- as above
    """Have the help of each option end with its default, in one and the same form."""
    for one in command.params:
        one.show_default = False
        default = one.default
        told = default not in (None, "") and not isinstance(default, bool | list | tuple)
        if told and one.help and not one.required and "Default: " not in one.help:
            one.help = f"{one.help.removesuffix('.')}. Default: {default}."
    return command
