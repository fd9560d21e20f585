"""Options that several commands share, as records; a command takes records, typer sees options."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES, DEFAULT
from mixsafe.io.formats import FORMATS
from mixsafe.verify.engines.registry import ENGINES, Engine
from mixsafe_cli.options.checks import (
    check_choice,
    check_file,
    check_positive,
    column_names,
    moments,
    refuse_together,
)


class _Command:
    """A command whose records have been taken apart, as typer sees it.

    Its signature is made anew each time that it is asked for, so that help texts name what is
    registered by then.
    """

    def __init__(self, command: Callable[..., None]) -> None:
        self._command = command
        self.__name__, self.__doc__ = command.__name__, command.__doc__
        self.__module__ = command.__module__

    def _records(self) -> tuple[dict[str, Any], dict[str, Callable[..., Any]]]:
        """Type hints of the command, and those among them that are records."""
        hints = get_type_hints(self._command, include_extras=True)
        records: dict[str, Callable[..., Any]] = {
            name: hint
            for name, hint in hints.items()
            if isinstance(hint, type) and dataclasses.is_dataclass(hint)
        }
        return hints, records

    @property
    def __signature__(self) -> inspect.Signature:
        """The fields of all records, and the command's own parameters."""
        hints, records = self._records()
        parameters: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(self._command).parameters.items():
            if name in records:
                made = inspect.signature(records[name], eval_str=True)
                parameters.extend(made.parameters.values())
            else:
                parameters.append(parameter.replace(annotation=hints[name]))
        only = inspect.Parameter.KEYWORD_ONLY
        return inspect.Signature([one.replace(kind=only) for one in parameters])

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        """Types of the parameters."""
        parameters = self.__signature__.parameters.values()
        return {one.name: one.annotation for one in parameters}

    def __call__(self, **values: Any) -> None:
        """Put the records together and run the command."""
        made = {
            name: record(
                **{field: values.pop(field) for field in inspect.signature(record).parameters}
            )
            for name, record in self._records()[1].items()
        }
        self._command(**made, **values)


def takes_records(command: Callable[..., None]) -> Callable[..., None]:
    """Let typer see the fields of a command's records as the command's own parameters.

    Parameters
    ----------
    command
        Function whose parameters are dataclasses with annotated fields, or plain options.
    """
    return _Command(command)


def _panel(name: str) -> Callable[..., Any]:
    """Option maker for one panel of the help."""
    return functools.partial(typer.Option, rich_help_panel=name, show_default=False)


_data = _panel("Which data")
_zone = _panel("What a mix zone is")
_adversary = _panel("What the adversary knows")
_asked = _panel("What is asked")
_engine = _panel("How it is decided")


@dataclasses.dataclass(frozen=True)
class SourceOptions:
    """Which data, and what a mix zone is."""

    source: Annotated[
        Path | None, typer.Argument(metavar="SOURCE", help="Traces, mix zones or problems.")
    ] = None
    format: Annotated[
        str | None, _data("--format", help=f"{FORMATS.told()}. Default: by content.")
    ] = None
    users: Annotated[int | None, _data("--users", help="A random sample of N users.")] = None
    user_list: Annotated[
        Path | None, _data("--user-list", help="These users only: a file with a name per line.")
    ] = None
    start: Annotated[
        str | None, _data("--start", help="From this time on: ISO 8601, Unix seconds or time_id.")
    ] = None
    end: Annotated[str | None, _data("--end", help="Before this time.")] = None
    days: Annotated[int | None, _data("--days", help="N times 24 hours from the start.")] = None
    steps_per_day: Annotated[
        int | None, _data("--steps-per-day", help="Length of a day where times are numbers. [20]")
    ] = None
    tz: Annotated[
        str | None, _data("--tz", help="Time zone of days, as Asia/Tokyo; by default the data's.")
    ] = None
    seed: Annotated[int, _data("--seed", help="Seed of everything random. [0]")] = 0
    column: Annotated[
        list[str] | None,
        _data(
            "--column",
            metavar="MEANING=NAME",
            help="A table's own column name, as user_id=driver; may be repeated. Meanings: user_id,"
            " time, time_id, lat, lon, geometry, reg_id.",
        ),
    ] = None
    cell_size: Annotated[
        float | None, _zone("--cell-size", help="Side of a grid cell, metres. [100]")
    ] = None
    time_step: Annotated[
        int | None, _zone("--time-step", help="Length of a time step, seconds. [60]")
    ] = None
    min_users: Annotated[
        int | None, _zone("--min-users", help="Fewest users who make a mix zone. [2]")
    ] = None

    @property
    def columns(self) -> dict[str, str] | None:
        """Own names of columns, by what they mean; None if all are called as usual."""
        return column_names(self.column) if self.column else None

    @property
    def cell_metres(self) -> float:
        """Side of a grid cell."""
        return 100.0 if self.cell_size is None else self.cell_size

    @property
    def step_seconds(self) -> int:
        """Length of a time step."""
        return 60 if self.time_step is None else self.time_step

    @property
    def day_steps(self) -> int:
        """Steps of a day where times are numbers."""
        return 20 if self.steps_per_day is None else self.steps_per_day

    @property
    def fewest(self) -> int:
        """Users who make a mix zone."""
        return 2 if self.min_users is None else self.min_users

    def check(self) -> None:
        """Refuse values that cannot be right, before anything is read.

        Raises
        ------
        InputError
            An option out of range, or two that contradict each other.
        """
        check_choice("--format", self.format, FORMATS.names())
        column_names(self.column or [])
        for option, value in (
            ("--users", self.users),
            ("--days", self.days),
            ("--cell-size", self.cell_size),
            ("--time-step", self.time_step),
            ("--steps-per-day", self.steps_per_day),
        ):
            check_positive(option, value)
        if self.min_users is not None and self.min_users < 2:
            raise InputError(f"--min-users {self.min_users}: a mix zone needs two users or more")
        if self.days is not None:
            refuse_together({"--end": self.end}, "--days says where the data end already")
        check_file("--user-list", self.user_list)
        if self.users is not None:
            refuse_together({"--user-list": self.user_list}, "--users takes a random sample")
        if self.seed < 0:
            raise InputError(f"--seed {self.seed} is negative")


@dataclasses.dataclass(frozen=True)
class AdversaryOptions:
    """What the adversary knows."""

    adversary: Annotated[
        str | None,
        _adversary(
            "--adversary",
            metavar="NAME|FILE",
            help=f"{ADVERSARIES.told()}; FILE: CSV user_id,time_id. Default: {DEFAULT}.",
        ),
    ] = None

    @property
    def name(self) -> str:
        """The adversary who was named, or the one by default."""
        return DEFAULT if self.adversary is None else self.adversary

    @property
    def file(self) -> Path | None:
        """File of sightings; None: the adversary is a ready-made one."""
        return None if self.name in ADVERSARIES else Path(self.name)

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An adversary that is neither known nor a file.
        """
        if self.file is not None and not self.file.is_file():
            raise InputError(
                f"--adversary '{self.name}' is neither a known one nor a file",
                hint=f"use {', '.join(ADVERSARIES.names())}, or a CSV file with user_id,time_id",
            )


@dataclasses.dataclass(frozen=True)
class QuestionOptions:
    """What is asked about users and times."""

    k: Annotated[
        int | None, _asked("--k", help="Pseudonyms that each user might carry, at least.")
    ] = None
    at: Annotated[
        str | None, _asked("--at", metavar="T1,T2", help="At these times only; default: all.")
    ] = None
    requirements: Annotated[
        Path | None, _asked("--requirements", help="Instead of --k: CSV user_id,time_id,k.")
    ] = None
    rule: Annotated[
        str | None,
        _asked(
            "--rule",
            metavar="every|some|share:P",
            help="When a user passes; default: every with --at or --requirements, else some.",
        ),
    ] = None
    exhaustive: Annotated[
        bool, _asked("--exhaustive", help="Find all candidates of every user and time.")
    ] = False

    def check(self) -> None:
        """Refuse questions that cannot be asked.

        Raises
        ------
        InputError
            A k below 1, or options that contradict each other.
        """
        if self.k is not None and self.k < 1:
            raise InputError(f"--k {self.k} asks for nothing", hint="1 or more; 2 or more protects")
        if self.requirements is not None:
            refuse_together({"--k": self.k, "--at": self.at}, "--requirements says it already")
            check_file("--requirements", self.requirements)
        if self.at is not None:
            moments(self.at)
            if self.k is None:
                raise InputError("--at needs --k")
        if self.rule is not None:
            from mixsafe.model.question.requirement import Rule

            Rule.parse(self.rule)


def encoded() -> list[Engine]:
    """Engines that have a choice of encodings."""
    return [engine for engine in ENGINES.within("verify") if engine.encodings]


@dataclasses.dataclass(frozen=True)
class EngineOptions:
    """How it is decided, and how long that may take."""

    engine: Annotated[
        str,
        _engine(
            "--engine",
            metavar="|".join(ENGINES.names("verify")),
            help=f"{ENGINES.told('verify')}. Default: auto.",
        ),
    ] = "auto"
    encoding: Annotated[
        str | None,
        _engine(
            "--encoding",
            metavar="|".join(one for engine in encoded() for one in engine.encodings),
            help=f"Of {' or '.join(engine.name for engine in encoded())}; default: the first.",
        ),
    ] = None
    time_limit: Annotated[
        float | None, _engine("--time-limit", help="Seconds for the whole run; default: none.")
    ] = None
    workers: Annotated[
        int, _engine("--workers", help="Threads and processes; 0: one per core. [0]")
    ] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An unknown engine, a limit out of range, an encoding for an engine that has none.
        """
        check_choice("--engine", self.engine, ENGINES.names("verify"))
        chosen = ENGINES[self.engine]
        if not chosen.encodings:
            who = " and ".join(engine.name for engine in encoded())
            refuse_together({"--encoding": self.encoding}, f"only engine {who} has encodings")
        check_choice("--encoding", self.encoding, chosen.encodings)
        check_positive("--time-limit", self.time_limit)
        if self.workers < 0:
            raise InputError(f"--workers {self.workers} is negative")


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
JsonTarget = Annotated[
    str | None, typer.Option("--json", metavar="FILE|-", help="The answer as JSON; -: on stdout.")
]
PlotTarget = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Pictures of it: .png or .svg.")
]
