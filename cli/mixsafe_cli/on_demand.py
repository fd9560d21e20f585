"""Groups of commands, each loaded from its module when it is first called."""

from __future__ import annotations

import copy
import importlib
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from mixsafe_cli.first_screen import FirstScreen, prepared


class CommandsOnDemand(TyperGroup):
    """A group that imports a command's module when the command is first called.

    'mixsafe verify' does not pay for the options of twenty other commands.
    """

    package: ClassVar[str] = ""
    """Package of the commands: each in the module of its name, as ``app`` or under that name."""

    names: ClassVar[str] = ""
    """Names of the commands in their order, separated by spaces."""

    panels: ClassVar[dict[str, str]] = {}
    """Names of commands, separated by spaces, by panel of the help; empty: one panel."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Any] = dict.fromkeys(self.names.split())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 -- of whichever click
        """Load and return the command of a name; None if there is none."""
        if cmd_name in self.commands and self.commands[cmd_name] is None:
            found = _load(cmd_name, f"{self.package}.{cmd_name}")
            for title, names in self.panels.items():
                if cmd_name in names.split():
                    found.rich_help_panel = title
            self.commands[cmd_name] = found
        return self.commands.get(cmd_name)


def group(home: str, commands: str, help: str) -> typer.Typer:
    """A group of the commands in a package, named in a string separated by spaces."""

    class Group(CommandsOnDemand):
        package, names = home, commands

    return typer.Typer(cls=Group, no_args_is_help=True, help=help)


def _load(name: str, module: str) -> Any:  # noqa: ANN401 -- of whichever click typer is made of
    """Import a command and convert it to a click command."""
    place = importlib.import_module(module)
    if hasattr(place, "app"):
        found = get_group(place.app)
        found.name = name
        if not isinstance(found, CommandsOnDemand):
            for command in found.commands.values():
                _with_defaults(command)
        return found
    alone = typer.Typer(add_completion=False)
    # A copy: its help names what is registered by now.
    alone.command(name, cls=FirstScreen)(copy.copy(getattr(place, name)))
    path = module.removeprefix("mixsafe_cli.commands.")
    return prepared(_with_defaults(get_command(alone)), path)


def _with_defaults(command: Any) -> Any:  # noqa: ANN401 -- as above
    """End the help of each option with its default, in the same form everywhere."""
    for one in command.params:
        one.show_default = False
        default = one.default
        worth_saying = default not in (None, "") and not isinstance(default, bool | list | tuple)
        if worth_saying and one.help and not one.required and "Default: " not in one.help:
            one.help = f"{one.help.removesuffix('.')}. Default: {default}."
    return command
