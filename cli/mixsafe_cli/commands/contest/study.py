"""``mixsafe contest study``: the published studies, each a table and a picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.commands.contest.study_options import (
    Challenge,
    StudyTargets,
    TeamFolder,
    TeamOptions,
    chosen_anonymisers,
    read_teams,
)
from mixsafe_cli.commands.contest.utility import PlaceOptions
from mixsafe_cli.options.contest_options import (
    OriginalFile,
    Processes,
    ReferenceFile,
    RuleOptions,
    say,
)
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.render.progress import progress

if TYPE_CHECKING:
    from mixsafe.contest.base.rules import Rules
    from mixsafe.model.mobility.trace_matrix import TraceMatrix

_Found = TypeVar("_Found")

app = typer.Typer(
    no_args_is_help=True,
    help="Repeat a published study: length, grid, fairness, expected error, utility, homes.",
)


@app.command("length")
@takes_records
def length(
    original: OriginalFile,
    reference: ReferenceFile,
    rules: RuleOptions,
    target: StudyTargets,
    days: Annotated[
        str, typer.Option(help="Lengths: first days of both files.")
    ] = "2,5,10,15,20,25,30",
) -> None:
    """Privacy of pseudonyms alone by the length of traces (the organizers' document, figure 5).

    For example:

      mixsafe contest study length orgtraces.csv reftraces.csv -o length.csv --plot length.png
    """
    from mixsafe.contest.measure.length_sweep import by_length
    from mixsafe.report.figures.study_figure import draw_lengths

    hidden, known, kept = _read(original, reference, rules, target)
    with progress(target.quiet) as report, about(original):
        tell = partial(report, "lengths")
        found = by_length(hidden, known, kept, days=_days(days), seed=target.seed, progress=tell)
    rows = [[one.days, *one.privacy.values()] for one in found]
    target.write(["days", *found[0].privacy], rows, lambda: draw_lengths(found))


def _read(
    original: Path, reference: Path, rules: RuleOptions, target: StudyTargets
) -> tuple[TraceMatrix, TraceMatrix, Rules]:
    """Original and reference traces, and the rules."""
    from mixsafe.io.contest.reading import read_traces

    target.check((original, reference, rules.regions))
    kept = rules.read()
    count = kept.regions.count
    return read_traces(original, count), read_traces(reference, count), kept


def _days(text: str) -> list[int]:
    """Lengths from ``2,5,10``.

    Raises
    ------
    InputError
        Something between the commas is no whole number.
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"'{text}' are no days", hint="write whole numbers, 2,5,10") from None


@app.command("grid")
@takes_records
def grid(
    original: OriginalFile,
    reference: ReferenceFile,
    rules: RuleOptions,
    target: StudyTargets,
    days: Annotated[int, typer.Option(min=1, help="First days of both files.")] = 20,
    anonymisers: Annotated[
        str | None, typer.Option(help="A list such as A1,A4-4-1. Default: the organizers' 37.")
    ] = None,
    workers: Processes = 0,
) -> None:
    """The organizers' grid on so many days (their document's figure 6: 20).

    Pseudonyms are shuffled, and the six sample attacks are made.

    For example:

      mixsafe contest study grid orgtraces.csv reftraces.csv -o grid.csv --plot grid.png
    """
    from mixsafe.contest.base.reference import Reference
    from mixsafe.contest.measure.length_sweep import grid_of_days
    from mixsafe.model.limits import SolveLimits
    from mixsafe.report.figures.study_figure import draw_grid

    hidden, known, kept = _read(original, reference, rules, target)
    with progress(target.quiet) as report, about(original):
        found = grid_of_days(
            hidden,
            Reference(known, kept),
            days=days,
            anonymisers=chosen_anonymisers(anonymisers),
            seed=target.seed,
            workers=SolveLimits(workers=workers).workers,
            progress=partial(report, "obfuscations"),
        )
    names = list(found[0].privacy)
    rows = []
    for one in found:
        scores = [one.utility, *(one.privacy[name] for name in names)]
        lowest = [one.strongest("reid"), one.strongest("trace")]
        rows.append([one.anonymiser, *(it.value for it in (*scores, *lowest) if it is not None)])
    columns = ["obfuscation", "s_U", *names, "s_R_min", "s_T_min"]
    target.write(columns, rows, lambda: draw_grid(found, f"{days} days"))


def _of_teams(
    study: Callable[..., _Found],
    data: Path,
    teams: TeamOptions,
    rules: RuleOptions,
    target: StudyTargets,
    **more: Any,
) -> _Found:
    """What a study finds out about the traces of all teams."""
    target.check((data, rules.regions))
    kept = rules.read()
    given = read_teams(data, teams.challenge, kept)
    chosen = chosen_anonymisers(teams.anonymisers)
    with progress(target.quiet) as report:
        tell = partial(report, "teams")
        return study(given, kept, anonymisers=chosen, seed=target.seed, progress=tell, **more)


@app.command("fairness")
@takes_records
def fairness(
    data: TeamFolder, teams: TeamOptions, rules: RuleOptions, target: StudyTargets
) -> None:
    """How much scores depend on whose traces a team was given (the paper's appendix E).

    For example:

      mixsafe contest study fairness contest -o fairness.csv --plot fairness.png
    """
    from mixsafe.contest.measure.fairness import fairness as spread
    from mixsafe.report.figures.study_figure import draw_boxes

    found = _of_teams(spread, data, teams, rules, target)
    rows = [
        [one.anonymiser, len(one.reid), sum(one.reid) / len(one.reid), one.reid_deviation,
         sum(one.trace) / len(one.trace), one.trace_deviation]
        for one in found
    ]  # fmt: skip
    panels = {
        "s_R,min": {one.anonymiser: one.reid for one in found},
        "s_T,min": {one.anonymiser: one.trace for one in found},
    }
    columns = ["obfuscation", "teams", "s_R_min", "s_R_SD", "s_T_min", "s_T_SD"]
    target.write(columns, rows, lambda: draw_boxes(panels, "teams"))


@app.command("error")
@takes_records
def error(data: TeamFolder, teams: TeamOptions, rules: RuleOptions, target: StudyTargets) -> None:
    """Expected error against s_T, by the weight of hospitals (the paper's figure 12).

    For example:

      mixsafe contest study error contest -o error.csv --plot error.png
    """
    from mixsafe.contest.measure.expected_error import errors_of_releases
    from mixsafe.report.figures.study_figure import draw_errors

    found, correlation = _of_teams(errors_of_releases, data, teams, rules, target)
    rows = [[one.anonymiser, one.team, one.attack, one.trace, one.error] for one in found]
    columns = ["obfuscation", "team", "attack", "s_T", "expected_error_km"]
    target.write(columns, rows, lambda: draw_errors(found, correlation))
    for weight, value in correlation.items():
        say(f"weight of hospitals {weight:g}: R = {value:.3f}", target.quiet)


@app.command("utility")
@takes_records
def utility(
    data: TeamFolder,
    teams: TeamOptions,
    places: PlaceOptions,
    rules: RuleOptions,
    target: StudyTargets,
) -> None:
    """What releases of all teams are good for: boxes over teams (the paper's figure 13).

    For example:

      mixsafe contest study utility contest -o utility.csv --plot utility.png

      mixsafe contest study utility contest --anonymisers KM-100,A4-4-1 -o utility.csv
    """
    from mixsafe.contest.measure.team_utility import team_utility
    from mixsafe.report.figures.study_figure import draw_boxes

    target.check((places.places,))
    found = _of_teams(team_utility, data, teams, rules, target, near=places.read())
    names = list(found[0].values)
    rows = [[one.release, one.team, one.utility, *one.values.values()] for one in found]
    panels: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for one in found:
        for name in names:
            panels[name].setdefault(one.release, []).append(one.values[name])
    columns = ["release", "team", "s_U", *names]
    target.write(columns, rows, lambda: draw_boxes(panels, "teams"))


@app.command("home")
@takes_records
def home(
    data: TeamFolder,
    rules: RuleOptions,
    target: StudyTargets,
    challenge: Challenge = "IDP",
) -> None:
    """Share of users at home by the time of the day (the paper's figure 19).

    Estimated from how often a cell agrees with the mornings of other days: two mornings agree only
    if the user is at home on both.

    For example:

      mixsafe contest study home contest -o home.csv --plot home.png
    """
    from mixsafe.contest.measure.at_home import at_home
    from mixsafe.report.figures.study_figure import draw_homes

    target.check((data, rules.regions))
    kept = rules.read()
    found = at_home(read_teams(data, challenge, kept), kept)
    rows = [
        [step, float(shares.mean()), float(shares.min()), float(shares.max())]
        for step, shares in enumerate(found.T, 1)
    ]
    columns = ["step_of_day", "at_home", "lowest_team", "highest_team"]
    target.write(columns, rows, lambda: draw_homes(found))
