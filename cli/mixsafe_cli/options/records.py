"""Records of options: a command takes records, typer sees their fields as options."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from types import SimpleNamespace
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from mixsafe.errors import InputError
from mixsafe.model.numerals import parse_decimal, parse_whole
from mixsafe_cli.options.apart import check_options
from mixsafe_cli.options.declaring import Constraint, Excludes, declared_in, exclusions_of

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_PROGRAM = re.compile(r"\b(mixsafe|dask) [a-z]")
_OF_ALL = frozenset({"--config", "--debug", "--help", "--help-all", "--spreadsheet", "--verbose"})


class _Command:
    """A command whose records have been taken apart, as typer sees it.

    Its signature is made when it is first asked for, so that help texts name what is registered by
    then; a copy asks anew.
    """

    def __init__(self, command: Callable[..., None]) -> None:
        self._command = command
        self.__name__, self.__doc__ = command.__name__, command.__doc__
        self.__module__ = command.__module__

    def __copy__(self) -> _Command:
        return _Command(self._command)

    def _records(self) -> tuple[dict[str, Any], dict[str, Callable[..., Any]]]:
        """Type hints of the command, and those among them that are records."""
        hints = get_type_hints(self._command, include_extras=True)
        records: dict[str, Callable[..., Any]] = {
            name: hint
            for name, hint in hints.items()
            if isinstance(hint, type) and dataclasses.is_dataclass(hint)
        }
        return hints, records

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        """The fields of all records, and the command's own parameters."""
        hints, records = self._records()
        parameters: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(self._command).parameters.items():
            if name in records:
                parameters.extend(_fields(records[name]))
            elif isinstance(parameter.default, dataclasses.Field):
                made = _annotated(name, hints[name], parameter.default)
                default = parameter.default.default
                parameters.append(parameter.replace(annotation=made, default=default))
            else:
                made = _annotated(name, hints[name], dataclasses.field())
                parameters.append(parameter.replace(annotation=made))
        only = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature([one.replace(kind=only) for one in parameters])

    @functools.cached_property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        """Types of the parameters."""
        parameters = self.__signature__.parameters.values()
        return {one.name: one.annotation for one in parameters}

    def __call__(self, **values: Any) -> None:
        """Put the records together and run the command, if its files are different ones."""
        options = {name: value for name, value in values.items() if not self._is_argument(name)}
        check_options(options, (values[name] for name in values if name not in options))
        self._check_excluded(values)
        records = {
            name: record(
                **{field: values.pop(field) for field in inspect.signature(record).parameters}
            )
            for name, record in self._records()[1].items()
        }
        try:
            self._command(**records, **values)
        except InputError as error:
            if error.hint is not None:
                error.advising(followed(error.hint, self._options()))
            raise

    def _check_excluded(self, values: dict[str, Any]) -> None:
        """Refuse options that another one excludes, whichever record has them."""
        parameters = self.__signature__.parameters
        given = {
            name: None if value == parameters[name].default else value
            for name, value in values.items()
        }
        for name, exclusion in self._exclusions:
            if given[name] is not None:
                exclusion(name, given[name], SimpleNamespace(**given))

    @functools.cached_property
    def _exclusions(self) -> list[tuple[str, Excludes]]:
        """Names of parameters that exclude other options, with what they exclude."""
        records = self._records()[1].values()
        found = [one for record in records for one in exclusions_of(record)]
        for name, parameter in inspect.signature(self._command).parameters.items():
            if isinstance(parameter.default, dataclasses.Field):
                made = parameter.default.metadata.get("constraints", ())
                found += [(name, one) for one in made if isinstance(one, Excludes)]
        return found

    def _options(self) -> set[str]:
        """Names of the options."""
        found: set[str] = set()
        for name, annotation in self.__annotations__.items():
            said = getattr(annotation, "__metadata__", ())
            infos = [one for one in said if isinstance(one, OptionInfo)]
            # In an annotation, typer takes the first name for the default.
            given = [(one.default, *(one.param_decls or ())) for one in infos]
            names = [one for one in chain(*given) if isinstance(one, str) and one[:1] == "-"]
            for one in names or [f"--{name.replace('_', '-')}"]:
                found.update(one.split("/"))
        return found

    def _is_argument(self, name: str) -> bool:
        """Whether a parameter has its place on the command line, not a name."""
        said = getattr(self.__annotations__[name], "__metadata__", ())
        return any(isinstance(one, ArgumentInfo) for one in said)


def _fields(record: Any) -> Iterator[inspect.Parameter]:  # noqa: ANN401 -- a dataclass
    """Fields of a record as parameters; those of a record that it extends come first."""
    hints = get_type_hints(record, include_extras=True)
    fields = {one.name: one for one in dataclasses.fields(record)}
    for name, parameter in inspect.signature(record).parameters.items():
        yield parameter.replace(annotation=_annotated(name, hints[name], fields[name]))


def _annotated(name: str, hint: Any, field: dataclasses.Field[Any]) -> Any:  # noqa: ANN401 -- a type
    """The type of an option as typer takes it: annotated with what was declared of it."""
    made, declared = field.metadata, declared_in(hint)
    if declared is not None:
        hint, names = get_args(hint)[0], declared.names
        settings = {"help": declared.help, **declared.settings}
    elif made:
        names, settings = made["names"], made["settings"]
    else:
        return _with_numbers(hint)
    names = names or ((f"--{name.replace('_', '-')}",) if hint is bool else ())
    late = {what: _now(settings.get(what)) for what in ("help", "metavar")}
    return _with_numbers(Annotated[hint, typer.Option(*names, **{**settings, **late})])


def _with_numbers(hint: Any) -> Any:  # noqa: ANN401 -- a type
    """The type of an option, which reads numbers by the rule of all readers if it is one.

    Those of typer and of click take ``1_000``, and numbers of any size.
    """
    kinds = [one for one in get_args(hint)[1:] if isinstance(one, typer.models.OptionInfo)]
    base = get_args(hint)[0] if kinds else None
    kind = next((one for one in (int, float) if base in (one, one | None)), None)
    if kind is None:
        return hint
    info = copy.copy(kinds[0])
    info.parser = _parser(kind, info.min, info.max)
    info.metavar = info.metavar or ("INTEGER" if kind is int else "FLOAT")
    info.min = info.max = None
    return Annotated[base, info]


def _parser(kind: type[int | float], least: Any, most: Any) -> Callable[[Any], int | float]:  # noqa: ANN401 -- numbers or None
    """Reader of a number from ``least`` to ``most``; None: see :mod:`mixsafe.model.numerals`."""
    most = {} if most is None else {"most": most}

    def parsed(given: object) -> int | float:
        try:
            if kind is int:
                return parse_whole(str(given), least, **most)
            return parse_decimal(str(given), least, **most)
        except InputError as error:
            raise typer.BadParameter(str(error)) from None

    return parsed


def takes_records(command: Callable[..., None]) -> Callable[..., None]:
    """Let typer see the fields of a command's records as the command's own parameters.

    Its other parameters may be options made by :func:`panel`, too.

    Parameters
    ----------
    command
        Function whose parameters are records (dataclasses whose fields are made by :func:`panel`,
        or annotated), or plain options.
    """
    return _Command(command)


def panel(name: str | None = None) -> Callable[..., Any]:
    """Maker of options in one panel of the help: of fields, as :func:`_option` describes them."""
    return functools.partial(_option, rich_help_panel=name)


Words = Iterable[str] | Callable[[], Iterable[str]]
"""Words, or what says which there are when they are asked for: others may be registered by then."""


def _option(
    help: str | Callable[[], str],
    *names: str,
    default: Any = None,  # noqa: ANN401
    constraints: tuple[Constraint, ...] = (),
    **settings: Any,
) -> Any:  # noqa: ANN401
    """A field of a record that is an option of the command.

    Parameters
    ----------
    help
        Its help, without the default, which is added; or what makes it, of all that is registered.
    names
        On the command line; none: that of the field. A bool is a flag without a negation then.
    default
        The value if the option is not given.
    constraints
        What its values must be.
    settings
        Further ones of ``typer.Option``.
    """
    made = {"names": names, "constraints": constraints, "settings": {"help": help, **settings}}
    return dataclasses.field(default=default, metadata=made)


def one_of(names: Words, *more: str) -> dict[str, Any]:
    """Settings of an option that takes one of some words.

    Parameters
    ----------
    names
        The words.
    more
        What else it takes, for help alone.
    """
    return {"metavar": lambda: "|".join((*_now(names), *more)), "autocompletion": offering(names)}


def offering(words: Words) -> Callable[[], list[str]]:
    """What the Tab key offers; the shell takes those that begin as what is there."""
    return lambda: list(_now(words))


def _now(said: Any) -> Any:  # noqa: ANN401 -- a text or words
    """A setting, or what a function says of it now."""
    return said() if inspect.isroutine(said) else said


def followed(hint: str, options: Collection[str]) -> str | None:
    """The parts of a hint that a command with these options can follow; None: there is none.

    Readers are shared by all commands, and their hints name options that not every command has.
    What names such an option is left out, unless it names the program or the command that has it.

    Examples
    --------
    >>> followed("check for a missing quote; or skip such rows with --skip-bad", ["--seed"])
    'check for a missing quote'
    >>> followed("the columns are a, b: name it with --column time=NAME", ["--seed"])
    'the columns are a, b'
    """
    known = _OF_ALL | {*options}
    parts = []
    for part in hint.split("; "):
        if _PROGRAM.search(part) or known.issuperset(_OPTION.findall(part)):
            parts.append(part)
        elif ": " in part:
            first = part.rpartition(": ")[0]
            parts += [first] if known.issuperset(_OPTION.findall(first)) else []
    return "; ".join(parts).removeprefix("or ") or None
