"""From options to problems: read, select, find mix zones, add the adversary."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe.errors import InputError, about
from mixsafe_cli.options.checks import about_list, moments, refuse, refuse_together
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.source_options import DataOptions, SourceOptions
from mixsafe_cli.standard_streams import as_file

if TYPE_CHECKING:
    from mixsafe.extract.exchange.rules import ExchangeRules
    from mixsafe.extract.exchange.together import PosedRelease
    from mixsafe.extract.zones import Extraction
    from mixsafe.model.course import Executor
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.progress import Report

    Source = Traces | Extraction | MixZones | list[Problem]


def path_of(options: DataOptions) -> Path:
    """The source that was named, or the sample that ships with the package."""
    if options.source is not None:
        return as_file(options.source)
    from mixsafe.synthesize.samples import sample

    return sample()


def paths_of(options: DataOptions) -> list[Path]:
    """All files of the source; the first is that of :func:`path_of`."""
    return [path_of(options), *map(as_file, options.further or ())]


def check_asked(options: SourceOptions, question: QuestionOptions) -> None:
    """Refuse traces without a question, before they are read.

    Raises
    ------
    InputError
        Neither k nor requirements are given, and the source is not one that has its own.
    """
    if question.k is not None or question.requirements is not None or question.exhaustive:
        return
    if not holds_problems(options):
        raise InputError("nothing is asked", hint="say --k 3, or --requirements FILE")


def holds_problems(options: SourceOptions) -> bool:
    """Whether the source holds problems, which include the adversary's knowledge.

    Raises
    ------
    InputError
        The source cannot be read, or is nothing that is known.
    """
    from mixsafe.io.sources import format_of

    return format_of(path_of(options), options.reading).yields == "problems"


def read_source(options: SourceOptions, report: Report, executor: Executor | None = None) -> Source:
    """Read the source and take the part of it that was asked for.

    Traces that would take more memory than they may are not read into it: what is found in them is
    returned instead.

    Raises
    ------
    InputError
        The source cannot be used, or an option does not apply to it.
    """
    from mixsafe.extract.positions import persons
    from mixsafe.io.sources import at_places, read
    from mixsafe.model.mobility.traces import Traces

    path = path_of(options)
    report(f"reading {path.name}", 0, 0)
    if _is_large(options):
        return _extracted(options, path, report, executor)
    files = paths_of(options) if options.further else path
    source = read(files, options.reading)
    if isinstance(source, Traces):
        traces = _selected(source, options)
        if options.places is not None:
            traces = at_places(traces, options.places, elsewhere=options.has_grid)
        numbered = traces.clock == "time_id"
        _check_units(traces.region is not None, numbered, options, path)
        return persons(
            traces,
            cell_size=options.grid_cells,
            time_step=options.step_seconds,
            keep_together=options.keep_together,
        )
    why = f"{path} has no traces to choose from, but mix zones; they are taken as they are"
    grid = ("cell_size", "cells", "time_step", "min_users", "places", "keep_together")
    refuse(options, why, *_PART, *grid)
    if isinstance(source, list):
        why = f"problems in {path} say themselves what is possible"
        refuse(options, why, "max_speed", "max_step", "rotate", "believable")
    return source


_PART = ("users", "user_list", "start", "end", "days")
"""Options that say which part of the data counts."""


def _is_large(options: SourceOptions) -> bool:
    """Whether the source is one of traces that would take more memory than they may."""
    from mixsafe.io.traces.in_pieces import memory_of

    # Looked at first, because it is little work: most sources are small.
    paths = paths_of(options)
    needed = sum(memory_of(path, options.table_form, options.step_seconds) for path in paths)
    if needed <= options.memory:
        return False
    from mixsafe.from_files.large_sources import is_large

    return is_large(paths, options.memory, options.reading)


def _extracted(
    options: SourceOptions, path: Path, report: Report, executor: Executor | None
) -> Extraction:
    """Positions and mix zones of traces that stay on disk.

    Raises
    ------
    InputError
        The source cannot be used, an option does not apply to it, or the disk is full.
    """
    from mixsafe.extract.large.extraction import WantedZones
    from mixsafe.from_files.large_sources import extract, kind_of
    from mixsafe.machinery.spill import SpillRoom

    if options.places is not None:
        hint = "give more --memory-limit, or a period"
        raise InputError("places need the traces in memory", file=path, hint=hint)
    reading = options.reading
    kind = kind_of(path, reading)
    _check_units(kind.regions, kind.numbered, options, path)
    part = _part(options)
    wanted = WantedZones(
        options.grid_cells,
        options.step_seconds,
        options.fewest,
        part,
        executor,
        keep_together=options.keep_together,
    )
    room = closing(SpillRoom(options.memory, options.temporary_folder))
    with room as scratch, about_list(options.user_list):
        return extract(paths_of(options), wanted, scratch, reading, report)


def read_problems(
    options: SourceOptions,
    adversary: AdversaryOptions,
    question: QuestionOptions,
    report: Report,
) -> list[Problem]:
    """Read the source and pose one problem, or all that it holds.

    Raises
    ------
    InputError
        The source or another file cannot be used, or an option does not apply to it.
    """
    return problems_of(read_source(options, report), options, adversary, question, report)


def problems_of(
    source: Source,
    options: SourceOptions,
    adversary: AdversaryOptions,
    question: QuestionOptions,
    report: Report,
    *,
    placed: bool = False,
    followed: bool = False,
    movement: bool = False,
) -> list[Problem]:
    """Make one problem of the data, or take all problems that the source holds.

    With ``placed``, the problem keeps where tracks are; with ``followed``, it says what a follower
    who bets makes of its mix zones; with ``movement``, how likely exchanges are there.

    Raises
    ------
    InputError
        A file cannot be used, or an option does not apply to the source.
    """
    if isinstance(source, list):
        refuse_together(
            {"--movement": movement or None},
            f"problems in {path_of(options)} have no fixes, which tell how people move",
        )
        refuse_together(
            {"--adversary": adversary.adversary, "--steps-per-day": options.steps_per_day},
            f"{path_of(options)} says itself what the adversary knows",
        )
        problems = source
    else:
        report("finding mix zones", 0, 0)
        problem = posed_problem(
            source, options, adversary, placed=placed, followed=followed, movement=movement
        )
        problems = [problem]
        _check_zones(problem, source, path_of(options))
    if question.requirements is not None:
        problems = [_asked(problem, question.requirements) for problem in problems]
    return problems


def _check_zones(problem: Problem, source: Traces | Extraction | MixZones, path: Path) -> None:
    """Refuse a place that everybody shares, naming the file."""
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.verify.presolved import check_size

    check_size(problem.zones, path, "zone_id" if isinstance(source, MixZones) else None)


def _selected(traces: Traces, options: SourceOptions) -> Traces:
    """The part of the data that was asked for."""
    part = _part(options)
    if part is None:
        return traces
    from mixsafe.extract.select import select

    with about_list(options.user_list):
        return select(traces, **part)


def _part(options: SourceOptions) -> dict[str, Any] | None:
    """The part that was asked for, as arguments of a selection; None: all of the data."""
    part = {name: getattr(options, name) for name in _PART}
    if all(value is None for value in part.values()):
        return None
    if options.user_list is not None:
        from mixsafe.io.problems.side_tables import read_user_list

        part["user_list"] = read_user_list(options.user_list)
    return {**part, "seed": options.seed, "steps_per_day": options.day_steps}


def _check_units(regions: bool, numbered: bool, options: SourceOptions, path: Path) -> None:
    """Refuse metres where places are regions, seconds where times are numbers, and so on."""
    if regions:
        refuse(options, f"places in {path} are regions already", "cell_size", "cells")
    if numbered:
        refuse(options, f"times in {path} are steps already", "time_step")
    else:
        refuse(options, f"days in {path} are those of the calendar", "steps_per_day")


def posed_problem(
    source: Traces | Extraction | MixZones,
    options: SourceOptions,
    adversary: AdversaryOptions,
    *,
    placed: bool = False,
    followed: bool = False,
    movement: bool = False,
) -> Problem:
    """Make a problem of a source and the adversary's knowledge.

    With ``placed``, ``followed`` and ``movement``, as :func:`problems_of`.

    Raises
    ------
    InputError
        The adversary cannot be one of this source.
    """
    from mixsafe.extract.adversaries import sealed
    from mixsafe.extract.pose import pose
    from mixsafe.io.problems.side_tables import read_sightings

    problem = pose(
        source,
        adversary=adversary.name if adversary.file is None else "none",
        cell_size=options.grid_cells,
        time_step=options.step_seconds,
        min_users=options.fewest,
        steps_per_day=options.day_steps,
        rules=replace(rules_of(options), movement=movement),
        placed=placed,
        followed=followed,
        name=path_of(options).name.split(".")[0],
    )
    zones = problem.zones
    if adversary.file is not None:
        aliases = zones.premises.aliases
        seen = read_sightings(adversary.file, zones.users, zones.axis, aliases=aliases)
        problem = replace(problem, knowledge=seen)
    if adversary.sealed:
        problem = replace(problem, knowledge=sealed(problem))
    return problem


def rules_of(options: SourceOptions) -> ExchangeRules:
    """Which exchanges are possible.

    Raises
    ------
    InputError
        The file of speeds cannot be used.
    """
    return options.rules(meetings=not options.no_meetings)


def _asked(problem: Problem, path: Path) -> Problem:
    """The problem with the requirements of a file."""
    from mixsafe.io.problems.side_tables import read_requirements

    zones = problem.zones
    asked = read_requirements(path, zones.users, zones.axis, zones.premises.aliases)
    return replace(problem, requirements=asked)


def steps_of(problem: Problem, at: str | None) -> list[int] | None:
    """Steps that ``--at`` names; None: it names none."""
    if at is None:
        return None
    return [problem.zones.axis.step(moment) for moment in moments(at, problem.zones.axis)]


def read_releases(
    options: SourceOptions, adversary: AdversaryOptions, report: Report
) -> list[PosedRelease]:
    """Read each source as a release.

    Raises
    ------
    InputError
        Only one source, or one that cannot be used, names no traces, or is too large for memory.
    """
    paths = paths_of(options)
    if len(paths) < 2:
        raise InputError("--together needs two releases or more", hint="name their files")
    found = []
    for path in paths:
        with about(path):
            found.append(
                _release_alone(replace(options, source=path, further=None), adversary, report)
            )
    return found


def _release_alone(
    options: SourceOptions, adversary: AdversaryOptions, report: Report
) -> PosedRelease:
    from mixsafe.extract.exchange.rules import movement_of
    from mixsafe.extract.exchange.together import PosedRelease
    from mixsafe.model.mobility.traces import Traces

    traces = read_source(options, report)
    if not isinstance(traces, Traces):
        raise InputError("releases are compared by their traces, which must fit into memory")
    rules = rules_of(options)
    limited = movement_of(traces, rules, options.day_steps) if rules.limit is not None else None
    return PosedRelease(posed_problem(traces, options, adversary), limited)
