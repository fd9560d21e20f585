"""Groups of commands whose modules are loaded when somebody asks for the command."""

from __future__ import annotations

import copy
import importlib
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group


class CommandsOnDemand(TyperGroup):
    """A group that knows where its commands are, and loads the one that is called.

    What 'mixsafe verify' does not need (the options of twenty other commands) is not made.
    """

    package: ClassVar[str] = ""
    """Where its commands are: each in the module of its name, as ``app`` or under that name."""

    names: ClassVar[str] = ""
    """Of its commands in their order, with spaces between them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Any] = dict.fromkeys(self.names.split())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 -- of whichever click
        """The command of a name, loaded now; None: there is none."""
        if cmd_name in self.commands and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _load(cmd_name, f"{self.package}.{cmd_name}")
        return self.commands.get(cmd_name)


def group(home: str, commands: str, help: str) -> typer.Typer:
    """A group of the commands in a package, whose names have spaces between them."""

    class Group(CommandsOnDemand):
        package, names = home, commands

    return typer.Typer(cls=Group, no_args_is_help=True, help=help)


def _load(name: str, module: str) -> Any:  # noqa: ANN401 -- of whichever click typer is made of
    """Import a command, and make of it what click runs."""
    place = importlib.import_module(module)
    if hasattr(place, "app"):
        found = get_group(place.app)
        found.name = name
        if not isinstance(found, CommandsOnDemand):
            for command in found.commands.values():
                _tell_defaults(command)
        return found
    alone = typer.Typer(add_completion=False)
    alone.command(name)(copy.copy(getattr(place, name)))  # options name what is registered by now
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
