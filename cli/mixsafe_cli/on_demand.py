"""Commands, each loaded when it is first called, with its main options on one screen of help."""

from __future__ import annotations

import copy
import functools
import importlib
from collections.abc import Iterable
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

MAIN_OPTIONS = {
    "verify": "k rule adversary output json",
    "zones": "cell_size time_step days output json",
    "audit": "knowledge k exchange output json",
    "check": "source k rule adversary json",
    "weigh": "adversary bet time_limit output json",
    "optimize": "k at requirements per budget output json",
    "breaking": "k at_most adversary output json",
    "compare": "k engines sizes output plot",
    "links": "k rule fields truth closed remedies output json plot",
    "report": "output reader purpose recipient edition",
    "protect": "k rule leave_out output apply plot json",
    "pseudonymize": "output method k adversary table",
    "contest.run": "output attacks anonymisers workers plot",
    "contest.tournament": "output data users days pseudonymization",
    "synthesize.sample": "output users days teams seed",
}
"""Parameters on the first screen of each command with many options, in their order."""

OUTPUT = "Output"
"""Panel of options that name no other panel."""

_ON_FIRST_SCREEN = ("For example:", "Exit status:")

_SHOW_ALL = "mixsafe.help-all"


class CommandsOnDemand(TyperGroup):
    """A group that imports a command's module when the command is first called.

    'mixsafe verify' does not pay for the options of twenty other commands.
    """

    package: ClassVar[str] = ""
    """Package of the commands: each in the module of its name, as ``app`` or under that name."""

    names: ClassVar[str] = ""
    """Names of the commands in their order, separated by spaces: ``_`` is a space of a name."""

    panels: ClassVar[dict[str, str]] = {}
    """Names of commands, separated by spaces, by panel of the help; empty: one panel."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        names = [name.replace("_", " ") for name in self.names.split()]
        self.commands: dict[str, Any] = dict.fromkeys(names)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 -- as below
        """Resolve the command; one of two words before one of the first word."""
        both = " ".join(args[:2])
        return super().resolve_command(ctx, [both, *args[2:]] if both in self.commands else args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 -- of whichever click
        """Load and return the command of a name; None if there is none."""
        if cmd_name in self.commands and self.commands[cmd_name] is None:
            command = _load(cmd_name, self.package)
            for title, names in self.panels.items():
                if cmd_name in names.split():
                    command.rich_help_panel = title
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)


def group(home: str, commands: str, help: str) -> typer.Typer:
    """A group of the commands in a package, named in a string separated by spaces."""

    class Group(CommandsOnDemand):
        package, names = home, commands

    return typer.Typer(cls=Group, no_args_is_help=True, help=help)


def _load(name: str, package: str) -> Any:  # noqa: ANN401 -- of whichever click typer is made of
    """Import a command and convert it to a click command."""
    own = name.replace(" ", "_")
    module = f"{package}.{own}"
    place = importlib.import_module(module)
    if hasattr(place, "app"):
        group = get_group(place.app)
        group.name = name
        if not isinstance(group, CommandsOnDemand):
            for command in group.commands.values():
                _with_defaults(command)
        return group
    alone = typer.Typer(add_completion=False)
    # A copy: its help names what is registered by now.
    alone.command(name, cls=FirstScreen)(copy.copy(getattr(place, own)))
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


class FirstScreen(TyperCommand):
    """A command whose ``--help`` shows its main options alone."""

    main_options: tuple[str, ...] = ()
    """Names of the main options in their order; empty: ``--help`` shows every option."""

    _shown = False

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 -- of whichever click
        """Parameters, with ``--help`` and ``--help-all``."""
        params = list(super().get_params(ctx))
        return [*params, self._help_all(ctx)] if self.main_options and not self._shown else params

    def _help_all(self, ctx: Any) -> Any:  # noqa: ANN401 -- as above
        """The option ``--help-all``: that of ``--help`` under another name."""
        option: Any = copy.copy(self.get_help_option(ctx))
        option.name, option.opts, option.help = "help_all", ["--help-all"], "Show every option."
        option.callback = functools.partial(_show_all, option.callback)
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 -- as above
        """Print the main options, or every option in panels."""
        shown = self
        if self.main_options:
            shown = copy.copy(self)
            shown._shown = True
            everything = _SHOW_ALL in ctx.meta
            shown.params = list(_arranged(self.params, self.main_options, everything))
            if not everything:
                options = sum(isinstance(one, typer.core.TyperOption) for one in self.params)
                shown.help = _short(self.help or "")
                shown.epilog = f"All {options} options: {ctx.command_path} --help-all"
        super(FirstScreen, shown).format_help(ctx, formatter)


def _show_all(show: Any, ctx: Any, param: Any, value: bool) -> None:  # noqa: ANN401 -- as above
    """Print help with every option, and exit."""
    if value:
        ctx.meta[_SHOW_ALL] = True
    show(ctx, param, value)


def _arranged(params: Iterable[Any], main: tuple[str, ...], everything: bool) -> Iterable[Any]:
    """Copies of parameters: arguments, main options, and the others, in panels or hidden."""
    rank = {name: place for place, name in enumerate(main)}
    for option in sorted(params, key=lambda option: rank.get(option.name, len(rank))):
        shown = copy.copy(option)
        if option.name in rank:
            shown.rich_help_panel = None
        elif isinstance(option, typer.core.TyperOption):
            shown.hidden = shown.hidden or not everything
            shown.rich_help_panel = option.rich_help_panel or OUTPUT
        yield shown


def prepared(command: Any, path: str) -> Any:  # noqa: ANN401 -- as above
    """Give a command its main options, and paragraphs that fit any width.

    Parameters
    ----------
    command
        As typer makes it of a function.
    path
        Names of its groups and its own, with dots between them: a key of ``MAIN_OPTIONS``.
    """
    command.main_options = tuple(MAIN_OPTIONS.get(path, "").split())
    command.help = unwrapped(command.help or "")
    return command


def _short(text: str) -> str:
    """The summary, the examples and the exit status of a help text."""
    first, *rest = text.split("\n\n")
    return "\n\n".join([first, *(one for one in rest if one.startswith(_ON_FIRST_SCREEN))])


def unwrapped(text: str) -> str:
    """Join the lines of each paragraph; examples, which are indented, take one line each."""
    found = ""
    for one in text.split("\n\n"):
        example = one.startswith(" ")
        between = "\n" if example else "\n\n"
        found += (between if found else "") + (one if example else " ".join(one.split()))
    return found
