"""``mixsafe contest run``: every obfuscation, pseudonymization and attack, scored."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

from mixsafe.contest.pseudonymizers import MIXZONE, PSEUDONYMIZERS, SHUFFLE
from mixsafe.errors import InputError, about
from mixsafe.machinery.files import make_folder
from mixsafe_cli.commands.contest.attack import trained
from mixsafe_cli.options.apart import Output, check_apart, named
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.contest_options import (
    AllRules,
    ContestFolder,
    OriginalFile,
    Processes,
    QuietButResult,
    ReferenceFile,
    TrainFolder,
    say,
)
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import PICTURE, AnswerTargets, Kind, PlotTarget
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.run import running

if TYPE_CHECKING:
    from mixsafe.contest.base.parts import Anonymiser, Attacker
    from mixsafe.contest.base.reference import Reference
    from mixsafe.contest.run import Outcome, Plan
    from mixsafe.model.mobility.complete_traces import TraceMatrix

_option = panel()

ANSWER = "run.json"
"""File of the answer in the folder."""


@dataclass(frozen=True)
class ContestTraces:
    """What is released, and what attackers know."""

    original: OriginalFile
    reference: ReferenceFile


@dataclass(frozen=True)
class GridOptions:
    """What is combined with what, and how it is run."""

    attacks: str = _option(
        "all; sample (the organizers' I1 to I3, T1 to T3: seconds instead of a minute); or a list"
        " such as I3,LINK.",
        default="all",
    )
    pseudonymization: str = _option(
        lambda: f"both (shuffle and mixzone), or one: {PSEUDONYMIZERS.help()}.", default="both"
    )
    anonymisers: str = _option(
        "all; sample (the organizers' 37 settings); or a list such as A1,A4-4-1,KM.", default="all"
    )
    seed: int = _option("Of everything.", default=1, min=0, max=2**32 - 1)
    compatible: bool = _option(
        "Obfuscate with the organizers' order of draws, or with numpy's Generator.",
        "--compatible/--independent",
        default=True,
    )
    workers: Processes = 0
    train: TrainFolder = None

    def plan(self, learned: Reference) -> Plan:
        """What is run against what attackers have learned.

        Raises
        ------
        InputError
            An algorithm or a pseudonymization is unknown.
        """
        from mixsafe.contest.run import Plan

        return Plan(
            choose_anonymisers(self.anonymisers),
            {
                name: choose_attackers(self.attacks, name, learned)
                for name in _both(self.pseudonymization)
            },
            self.seed,
            self.compatible,
        )

    def settings(self, rules: AllRules) -> dict[str, Any]:
        """What repeats the run, but for files and the seed."""
        names = ("attacks", "pseudonymization", "anonymisers", "compatible")
        told = ("steps_per_day", "variant", "required")
        return {
            **{name: getattr(self, name) for name in names},
            **{name: getattr(rules, name) for name in told},
        }


@dataclass(frozen=True)
class GridTargets(AnswerTargets):
    """What is written and told beside the folder."""

    plot: PlotTarget = None
    quiet: QuietButResult = False


@dataclass(frozen=True)
class RunTargets(GridTargets):
    """The same with the folder, and the answer in it."""

    output: Path | None = None
    json: str | None = None

    kinds: ClassVar[dict[str, Kind | None]] = {"json": None, "plot": PICTURE}


@takes_records
def run(
    context: typer.Context,
    given: ContestTraces,
    output: ContestFolder,
    grid: GridOptions,
    rules: AllRules,
    cluster: ClusterOptions,
    target: GridTargets,
) -> None:
    """Run every anonymiser against every attack; write tables and a picture.

    The folder gets results.csv (shuffled pseudonyms) and results_mixzone.csv (pseudonyms exchanged
    at mix zones) in the organizers' columns, scores.csv with intervals and times, run.json with the
    same scores and all that repeats the run, and privacy.png: the strongest re-identification
    against the strongest trace inference. --plot draws valid releases only. 'mixsafe report
    results' makes a page of the folder.

    For example:

      mixsafe contest run org.csv ref.csv -o results

      mixsafe contest run org.csv ref.csv -o results --attacks sample

      mixsafe contest run org.csv ref.csv -o results --anonymisers A1,A4-4-1,KM

      mixsafe contest run org.csv ref.csv -o results --attacks POST,POST-T --train samples
    """
    files = {**vars(given), "regions": rules.regions, "train": grid.train}
    invocation = CommandLine(context.find_root().obj or (), files, grid.settings(rules), grid.seed)
    _check_apart(output, target, [*vars(given).values(), rules.regions])
    traces, learned, plan = _posed(given, grid, rules, quiet=target.quiet)
    make_folder(output)

    from mixsafe.contest.run import run as run_plan
    from mixsafe.contest.run import score_rows
    from mixsafe.contest.run_document import run_document
    from mixsafe.model.course import SolveLimits

    written = RunTargets(target.plot, target.quiet, output, str(output / ANSWER))
    with running("contest run", invocation, written, None, cluster) as its:
        tell = functools.partial(its.report, "obfuscations")
        cores = SolveLimits(workers=grid.workers).workers
        outcomes = run_plan(
            traces, learned, plan, workers=cores, executor=its.executor, progress=tell
        )
    scores = score_rows(outcomes)
    _write(output, outcomes, scores, target)
    its.tell(
        [{"scores": scores}],
        lambda pages: [run_document(scores)],
        ("Tables, and scores with intervals", ""),
        whole=True,
    )


def _check_apart(folder: Path, target: GridTargets, inputs: Sequence[Path | None]) -> None:
    """Refuse a picture or an input that is a file of the folder."""
    names = (*map(_results, PSEUDONYMIZERS.names()), "scores.csv", ANSWER, "privacy.png")
    own = [Output(f"{name} of --output", folder / name) for name in names]
    check_apart([*own, *named(vars(target))], inputs)


def _results(pseudonymization: str) -> str:
    """File of the organizers' table."""
    return "results.csv" if pseudonymization == SHUFFLE else f"results_{pseudonymization}.csv"


def _posed(
    given: ContestTraces, grid: GridOptions, rules: AllRules, *, quiet: bool
) -> tuple[TraceMatrix, Reference, Plan]:
    """The traces, what attackers have learned, and what is run; refused before any work."""
    from mixsafe.contest.base.reference import Reference
    from mixsafe.io.contest.reading import read_traces

    kept = rules.read()
    learned = Reference(read_traces(given.reference, kept.regions.count), kept)
    plan = grid.plan(learned)
    traces = read_traces(given.original, kept.regions.count)
    with about(given.original):
        _check_fit(traces, learned)
    attackers = [one for several in plan.attackers.values() for one in several]
    return traces, trained(grid.train, attackers, learned, traces, quiet=quiet), plan


def choose_anonymisers(names: str) -> list[Anonymiser]:
    """Anonymisers from ``all``, ``sample`` or ``A1,A4-4-1``."""
    from mixsafe.contest.registry import (
        anonymiser_labelled,
        organizers_anonymisers,
        teams_anonymisers,
    )

    if names == "sample":
        return organizers_anonymisers()
    if names == "all":
        return [*organizers_anonymisers(), *teams_anonymisers()]
    return [anonymiser_labelled(name) for name in names.split(",")]


def choose_attackers(names: str, pseudonymization: str, learned: Reference) -> list[Attacker]:
    """Attackers for a pseudonymization, from ``sample``, ``all`` or ``I3,LINK``."""
    from mixsafe.contest import registry
    from mixsafe.contest.registry import attacker

    every = [
        *registry.organizers_attackers(),
        *registry.team_attackers(learned.traces, learned.rules),
        *registry.linking_attackers(pseudonymization),
        *registry.posterior_attackers(pseudonymization),
        # The last: each attack has a stream of its place, and the others keep theirs.
        *registry.team_programs(learned.traces, learned.rules),
    ]
    if names == "sample":
        return registry.organizers_attackers()
    if names == "all":
        return every
    wanted = {one.short: one for one in (attacker(name.strip()) for name in names.split(","))}
    listed = [candidate for candidate in every if candidate.short in wanted]
    tuned = {one.short for one in listed}
    return [*listed, *(one for short, one in wanted.items() if short not in tuned)]


def _both(pseudonymization: str) -> Sequence[str]:
    """The pseudonymizations asked for."""
    if pseudonymization == "both":
        return SHUFFLE, MIXZONE
    return (PSEUDONYMIZERS[pseudonymization].name,)


def _check_fit(traces: TraceMatrix, learned: Reference) -> None:
    """Refuse original and reference traces of different numbers of users, before any work."""
    if traces.n_users != learned.traces.n_users:
        raise InputError(
            f"{traces.n_users} users in the original traces,"
            f" but {learned.traces.n_users} in the reference traces",
            hint="both must come from one data set",
        )


def _write(
    folder: Path, outcomes: list[Outcome], scores: list[dict[str, Any]], target: GridTargets
) -> None:
    """Tables and pictures."""
    from mixsafe.contest.run import organizers_table, scores_table
    from mixsafe.contest.run_document import release_chart, releases_of
    from mixsafe.machinery.files import write_text
    from mixsafe.report.chart_figure import save_releases

    for name in dict.fromkeys(one.pseudonymization for one in outcomes):
        part = [one for one in outcomes if one.pseudonymization == name]
        write_text(folder / _results(name), organizers_table(part))
    write_text(folder / "scores.csv", scores_table(scores))
    releases = releases_of(scores)
    valid = [release for release in releases if release["valid"]]
    notes = save_releases(release_chart(releases), folder / "privacy.png")
    if target.plot is not None:
        notes += save_releases(release_chart(valid), target.plot)
    for note in notes:
        say(note, target.quiet)
