"""Declarations of options: words, settings, and what a value must be and go with.

An option that several commands have is declared once, in :mod:`mixsafe_cli.options.shared`; a field
of a record names it in its type: ``k: Annotated[int | None, K] = None``. A command says it in other
words with :meth:`Declared.said`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, get_args, get_type_hints

from mixsafe.errors import InputError
from mixsafe_cli.options.checks import check_choice, check_file, refuse, refuse_together

Help = str | Callable[[], str]
"""A help text, or what makes it when it is asked for: of all that is registered by then."""


class Constraint(Protocol):
    """What must hold of the value of an option, which is named in the message."""

    def __call__(self, option: str, value: Any, record: object) -> None:  # noqa: ANN401
        """Refuse a value of an option that was given.

        Raises
        ------
        InputError
            The constraint does not hold.
        """


@dataclasses.dataclass(frozen=True)
class Declared:
    """An option of the command line.

    Parameters
    ----------
    help
        Its help, with the default.
    constraints
        What its values must be, in the order in which they are checked.
    names
        On the command line; none: that of the field.
    settings
        Further ones of ``typer.Option``.
    """

    help: Help
    constraints: tuple[Constraint, ...] = ()
    names: tuple[str, ...] = ()
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def said(
        self,
        help: Help | None = None,
        *,
        panel: str | None = "",
        constraints: tuple[Constraint, ...] | None = None,
    ) -> Declared:
        """The same option in the words of a command, or in another panel of its help.

        Parameters
        ----------
        help
            None: the same words.
        panel
            Empty: the same panel; None: that of options without one.
        constraints
            In other words; None: the same ones.
        """
        return dataclasses.replace(
            self,
            help=self.help if help is None else help,
            settings=self.settings if panel == "" else {**self.settings, "rich_help_panel": panel},
            constraints=self.constraints if constraints is None else constraints,
        )


def declare(
    help: Help,
    *constraints: Constraint,
    names: tuple[str, ...] = (),
    panel: str | None = None,
    **settings: Any,
) -> Declared:
    """An option with its constraints."""
    return Declared(help, constraints, names, {"rich_help_panel": panel, **settings})


class CheckedOptions:
    """A record of options, which are checked as they are declared."""

    def check(self) -> None:
        """Refuse values that cannot be right, before any long work.

        Raises
        ------
        InputError
            A constraint of an option does not hold.
        """
        record: Any = type(self)
        for name, constraint in _constraints_of(record):
            value = getattr(self, name)
            if value is not None and value is not False:
                constraint(_option_of(type(self), name), value, self)


@functools.cache
def _constraints_of(record: Any) -> list[tuple[str, Constraint]]:  # noqa: ANN401 -- a dataclass
    """Names of fields with their constraints; first those that exclude other options."""
    hints, found = get_type_hints(record, include_extras=True), []
    for field in dataclasses.fields(record):
        declared = declared_in(hints[field.name])
        made = field.metadata.get("constraints", ()) if declared is None else declared.constraints
        found += [(field.name, constraint) for constraint in made]
    return sorted(found, key=lambda one: not isinstance(one[1], Excludes))


def exclusions_of(record: Any) -> list[tuple[str, Excludes]]:  # noqa: ANN401 -- as above
    """Names of fields that exclude other options, with what they exclude."""
    constraints = _constraints_of(record)
    return [(name, one) for name, one in constraints if isinstance(one, Excludes)]


def _option_of(record: Any, name: str) -> str:  # noqa: ANN401 -- as above
    """The name of a field on the command line."""
    names = record.__dataclass_fields__[name].metadata.get("names", ())
    return next((one for one in names if one.startswith("--")), f"--{name.replace('_', '-')}")


def declared_in(hint: Any) -> Declared | None:  # noqa: ANN401 -- a type
    """The declaration that the type of a field names."""
    return next((one for one in get_args(hint)[1:] if isinstance(one, Declared)), None)


def above_zero(option: str, value: float, record: object) -> None:
    """Refuse a number that is not above 0."""
    if not value > 0:
        raise InputError(f"{option} {value:g} is not above 0")


def not_negative(option: str, value: float, record: object) -> None:
    """Refuse a number below 0."""
    if value < 0:
        raise InputError(f"{option} {value} is negative")


def a_share(option: str, value: float, record: object) -> None:
    """Refuse a number that is not between 0 and 1."""
    if not 0 <= value <= 1:
        raise InputError(f"{option} {value:g} is not between 0 and 1")


def a_positive_share(option: str, value: float, record: object) -> None:
    """Refuse a number that is not above 0, or above 1."""
    if not 0 < value <= 1:
        raise InputError(f"{option} {value:g} is not above 0 and at most 1")


def a_k(option: str, value: int, record: object) -> None:
    """Refuse a number of candidates below 2, which protects no user, or too large."""
    from mixsafe.model.question.requirement import check_k

    check_k(value, option)


def a_file(option: str, value: Path, record: object) -> None:
    """Refuse a file that is not there, or a folder."""
    check_file(option, value)


def a_folder(option: str, value: Path, record: object) -> None:
    """Refuse a folder that is not there."""
    if not value.is_dir():
        raise InputError(f"no such folder, given with {option}", file=value)


def one_among(words: Callable[[], Iterable[str]]) -> Constraint:
    """Refuse a word that is not one of those that there are by then."""

    def constraint(option: str, value: str, record: object) -> None:
        check_choice(option, value, tuple(words()))

    return constraint


def valid(parse: Callable[[Any], object]) -> Constraint:
    """Refuse a text that a parser refuses."""

    def constraint(option: str, value: str, record: object) -> None:
        parse(value)

    return constraint


@dataclasses.dataclass(frozen=True)
class Excludes:
    """Refuses other options besides this one: of the record, or of the whole command.

    Options that a command does not have, or that have their default value, are not there.
    """

    why: str
    names: tuple[str, ...]

    def __call__(self, option: str, value: object, record: object) -> None:
        """Refuse them, as a :class:`Constraint`."""
        fields = getattr(record, "__dataclass_fields__", {})
        names = [
            name
            for name in self.names
            if hasattr(record, name)
            and not (name in fields and getattr(record, name) == fields[name].default)
        ]
        refuse(record, self.why, *names)


def excludes(*names: str, why: str) -> Excludes:
    """Refuse other options besides this one."""
    return Excludes(why, names)


def needs(name: str, why: str | None = None) -> Constraint:
    """Refuse the option without another one of the record; ``why``: instead of its name."""

    def constraint(option: str, value: object, record: object) -> None:
        if getattr(record, name) is None:
            if why is None:
                raise InputError(f"{option} needs {_option_of(type(record), name)}")
            refuse_together({option: value}, why)

    return constraint
