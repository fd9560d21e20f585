"""Several releases of the same people, for ``mixsafe verify --together``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mixsafe.errors import InputError, about
from mixsafe_cli.data.sources import paths_of, posed_problem, read_source, rules_of
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.source_options import SourceOptions

if TYPE_CHECKING:
    from mixsafe.extract.exchange.together import Release
    from mixsafe_cli.render.progress import Report


def read_releases(
    options: SourceOptions, adversary: AdversaryOptions, report: Report
) -> list[Release]:
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
            found.append(_release(replace(options, source=path, further=None), adversary, report))
    return found


def _release(options: SourceOptions, adversary: AdversaryOptions, report: Report) -> Release:
    from mixsafe.extract.exchange.rules import movement_of
    from mixsafe.extract.exchange.together import Release
    from mixsafe.model.mobility.traces import Traces

    traces = read_source(options, report)
    if not isinstance(traces, Traces):
        raise InputError("releases are compared by their traces, which must fit into memory")
    rules = rules_of(options)
    limited = movement_of(traces, rules, options.day_steps) if rules.limit is not None else None
    return Release(posed_problem(traces, options, adversary), limited)
