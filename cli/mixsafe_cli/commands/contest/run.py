"""``mixsafe contest run``: every obfuscation, pseudonymization and attack, scored."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.data.outputs import check_picture_target
from mixsafe_cli.options.contest_options import (
    Original,
    Quiet,
    Reference,
    RegionFile,
    Required,
    StepsPerDay,
    VariantName,
    make_folder,
    read_rules,
    say,
)
from mixsafe_cli.options.options import PlotTarget
from mixsafe_cli.render.progress import progress

if TYPE_CHECKING:
    from mixsafe.contest.base.parts import Anonymiser, Attacker
    from mixsafe.contest.base.reference import Reference as Learned
    from mixsafe.contest.run import Outcome
    from mixsafe.model.mobility.trace_matrix import TraceMatrix


Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder to write into.")]
Attacks = Annotated[
    str,
    typer.Option(
        help="all; sample (the organizers' I1 to I3, T1 to T3: seconds instead of a minute); or a"
        " list such as I3,LINK."
    ),
]
Pseudonymization = Annotated[str, typer.Option(help="both, shuffle or mixzone.")]
Anonymisers = Annotated[
    str,
    typer.Option(help="all; sample (the organizers' 37 settings); or a list such as A1,A4-4-1,KM."),
]
RunSeed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of everything.")]
Compatible = Annotated[
    bool,
    typer.Option(
        "--compatible/--independent",
        help="Obfuscate with the organizers' order of draws, or with numpy's Generator.",
    ),
]
Workers = Annotated[int, typer.Option(min=0, help="Processes; 0: one per core.")]


def run(
    context: typer.Context,
    original: Original,
    reference: Reference,
    output: Folder,
    attacks: Attacks = "all",
    pseudonymization: Pseudonymization = "both",
    anonymisers: Anonymisers = "all",
    seed: RunSeed = 1,
    compatible: Compatible = True,
    workers: Workers = 0,
    regions: RegionFile = None,
    steps_per_day: StepsPerDay = 20,
    variant: VariantName = "program",
    required: Required = 0.7,
    plot: PlotTarget = None,
    quiet: Quiet = False,
) -> None:
    """Run the whole grid and write its tables and picture.

    Writes results.csv (shuffled pseudonyms) and results_mixzone.csv (pseudonyms exchanged at mix
    zones) in the organizers' columns, scores.csv with intervals and times, provenance.json with
    what repeats it, and privacy.png (needs matplotlib): the strongest re-identification against
    the strongest trace inference. --plot draws the valid ones alone, as 'mixsafe report' does.

    For example:

      mixsafe contest run orgtraces.csv reftraces.csv -o results

      mixsafe contest run orgtraces.csv reftraces.csv -o results --attacks sample

      mixsafe contest run orgtraces.csv reftraces.csv -o results --anonymisers A1,A4-4-1,KM

      mixsafe contest run orgtraces.csv reftraces.csv -o results --plot privacy.svg

    'mixsafe report results' makes a page of the folder.
    """
    check_picture_target("--plot", plot, (original, reference, regions))
    from mixsafe.contest.base.reference import Reference as Learned
    from mixsafe.contest.run import Plan
    from mixsafe.contest.run import run as run_plan
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.model.limits import SolveLimits

    rules = read_rules(regions, steps_per_day, variant, required)
    learned = Learned(read_traces(reference, rules.regions.count), rules)
    plan = Plan(
        choose_anonymisers(anonymisers),
        {name: choose_attackers(attacks, name, learned) for name in _both(pseudonymization)},
        seed,
        compatible,
    )
    traces = read_traces(original, rules.regions.count)
    _check_fit(traces, learned)
    make_folder(output)
    with progress(quiet) as report:
        tell = functools.partial(report, "obfuscations")
        cores = SolveLimits(workers=workers).workers
        outcomes = run_plan(traces, learned, plan, workers=cores, progress=tell)
    settings = {
        "attacks": attacks, "pseudonymization": pseudonymization, "anonymisers": anonymisers,
        "compatible": compatible, "steps-per-day": steps_per_day, "variant": variant,
        "required": required,
    }  # fmt: skip
    files = {"original": original, "reference": reference, "regions": regions}
    _write(output, outcomes, required, plot, quiet)
    _write_provenance(output, context.find_root().obj or (), files, settings, seed)
    if not quiet:
        from mixsafe_cli.render.render_contest import show

        show(outcomes, output)


def choose_anonymisers(names: str) -> list[Anonymiser]:
    """Anonymisers from ``all``, ``sample`` or ``A1,A4-4-1``."""
    from mixsafe.contest.grid import organizers_anonymisers, teams_anonymisers
    from mixsafe.contest.registry import anonymiser_labelled

    if names == "sample":
        return organizers_anonymisers()
    if names == "all":
        return [*organizers_anonymisers(), *teams_anonymisers()]
    return [anonymiser_labelled(name) for name in names.split(",")]


def choose_attackers(names: str, pseudonymization: str, learned: Learned) -> list[Attacker]:
    """Attackers for a pseudonymization, from ``sample``, ``all`` or ``I3,LINK``."""
    from mixsafe.contest import grid
    from mixsafe.contest.registry import attacker

    every = [
        *grid.organizers_attackers(),
        *grid.team_attackers(learned.traces, learned.rules),
        *grid.linking_attackers(pseudonymization),
    ]
    if names == "sample":
        return grid.organizers_attackers()
    if names == "all":
        return every
    wanted = [attacker(name.strip()).short for name in names.split(",")]
    return [candidate for candidate in every if candidate.short in wanted]


def _both(pseudonymization: str) -> Sequence[str]:
    """The pseudonymizations asked for."""
    if pseudonymization not in ("both", "shuffle", "mixzone"):
        raise InputError(
            f"unknown pseudonymization '{pseudonymization}'", hint="use both, shuffle or mixzone"
        )
    return ("shuffle", "mixzone") if pseudonymization == "both" else (pseudonymization,)


def _check_fit(traces: TraceMatrix, learned: Learned) -> None:
    """Refuse original and reference traces of different numbers of users, before any work."""
    if traces.n_users != learned.traces.n_users:
        raise InputError(
            f"{traces.n_users} users in the original traces,"
            f" but {learned.traces.n_users} in the reference traces",
            hint="both must come from one data set",
        )


def _write_provenance(
    folder: Path,
    words: Sequence[str],
    files: dict[str, Path | None],
    settings: dict[str, Any],
    seed: int,
) -> None:
    """What repeats the run."""
    import json

    from mixsafe.io.files.atomic import write_text
    from mixsafe_cli.data.digests import given

    found = given(words, files, settings, seed)
    write_text(folder / "provenance.json", f"{json.dumps(found, ensure_ascii=False, indent=2)}\n")


def _write(
    folder: Path, outcomes: list[Outcome], required: float, plot: Path | None, quiet: bool
) -> None:
    """Tables and pictures."""
    from mixsafe.contest.outcome_figure import privacy_scatter
    from mixsafe.contest.outcome_tables import organizers_table, scores_table
    from mixsafe.io.files.atomic import atomic_path, write_text

    names = {"shuffle": "results.csv", "mixzone": "results_mixzone.csv"}
    for pseudonymization, name in names.items():
        part = [one for one in outcomes if one.pseudonymization == pseudonymization]
        if part:
            write_text(folder / name, organizers_table(part))
    write_text(folder / "scores.csv", scores_table(outcomes))
    if importlib.util.find_spec("matplotlib") is None:
        say("no privacy.png: pip install 'mixsafe[plot]'", quiet)
    else:
        with atomic_path(folder / "privacy.png") as path:
            path.write_bytes(privacy_scatter(outcomes, required))
    if plot is not None:
        _draw(folder, plot, quiet)
    if any(one.pseudonymization == "mixzone" and "LINK-T" not in one.privacy for one in outcomes):
        say("exchanged pseudonyms look safer than they are without LINK and LINK-T", quiet)


def _draw(folder: Path, plot: Path, quiet: bool) -> None:
    """The picture of the page, where there is something to draw."""
    from mixsafe.report.base.drawing import save
    from mixsafe.report.figures.contest_figure import scatter
    from mixsafe.report.pages.contest_page import run_points
    from mixsafe.report.result import read_scores

    points = run_points(read_scores(folder / "scores.csv"))
    if points:
        save(scatter(points)[0], plot)
    else:
        say(f"no {plot.name}: no release is valid, or none was attacked in both ways", quiet)
