"""Groups of commands whose modules are loaded when somebody asks for the command."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Iterator, Mapping, MutableMapping
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
        self.commands = _Shelf(self.places)


class _Shelf(MutableMapping[str, Any]):
    """Commands by name, each made when it is taken for the first time."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = places
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 -- of whichever click typer is made of
        if name not in self.made:
            self.made[name] = _load(name, self.places[name])
        return self.made[name]

    def __setitem__(self, name: str, command: Any) -> None:  # noqa: ANN401 -- as above
        self.made[name] = command

    def __delitem__(self, name: str) -> None:
        del self.made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


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
