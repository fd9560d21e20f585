"""``mixsafe contest study``: the published studies, each a table and a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from mixsafe.errors import InputError, about
from mixsafe.model.numerals import parse_whole
from mixsafe_cli.commands.contest.study_options import (
    Challenge,
    StudyTargets,
    TableTargets,
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
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.render.progress import progress

if TYPE_CHECKING:
    from mixsafe.contest.base.parts import Attacker
    from mixsafe.contest.base.reference import Reference
    from mixsafe.contest.base.rules import Rules
    from mixsafe.contest.run import Outcome
    from mixsafe.model.mobility.trace_matrix import TraceMatrix

_option = panel()

_Found = TypeVar("_Found")

app = typer.Typer(
    no_args_is_help=True,
    help="Repeat a published study: each is a table and a picture.",
)


@app.command("length")
@takes_records
def length(
    original: OriginalFile,
    reference: ReferenceFile,
    rules: RuleOptions,
    target: StudyTargets,
    days: str = _option("Lengths: first days of both files.", default="2,5,10,15,20,25,30"),
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

    target.check()
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
        return [parse_whole(part, 1) for part in text.split(",")]
    except InputError:
        raise InputError(f"'{text}' are no days", hint="write whole numbers, 2,5,10") from None


@app.command("grid")
@takes_records
def grid(
    original: OriginalFile,
    reference: ReferenceFile,
    rules: RuleOptions,
    target: StudyTargets,
    days: int = _option("First days of both files.", default=20, min=1),
    anonymisers: str | None = _option("A list such as A1,A4-4-1. Default: the organizers' 37."),
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
    target.write(*_outcome_table(found), lambda: draw_grid(found, f"{days} days"))


def _outcome_table(found: Sequence[Outcome]) -> tuple[list[str], list[list[object]]]:
    """Columns and rows: utility, the score under each attack, and the lowest of each kind."""
    names = list(found[0].privacy)
    rows: list[list[object]] = []
    for one in found:
        scores = [one.utility, *(one.privacy[name] for name in names)]
        lowest = [one.strongest("reid"), one.strongest("trace")]
        rows.append([one.anonymiser, *(it.value for it in (*scores, *lowest) if it is not None)])
    return ["obfuscation", "s_U", *names, "s_R_min", "s_T_min"], rows


def _of_teams(
    study: Callable[..., _Found],
    data: Path,
    teams: TeamOptions,
    rules: RuleOptions,
    target: StudyTargets,
    **more: Any,
) -> _Found:
    """What a study finds out about the traces of all teams."""
    target.check()
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

    A submission is another valid obfuscation for each team. Mean s_U is in brackets.

    For example:

      mixsafe contest study utility contest -o utility.csv --plot utility.png

      mixsafe contest study utility contest --anonymisers KM-100,A4-4-1 -o utility.csv
    """
    from mixsafe.contest.measure.team_utility import mean_utility, team_utility
    from mixsafe.report.figures.study_figure import draw_boxes

    target.check()
    found = _of_teams(team_utility, data, teams, rules, target, near=places.read())
    names = list(found[0].values)
    rows = [[one.release, one.team, one.utility, *one.values.values()] for one in found]
    panels: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    kept = mean_utility(found)
    for one in found:
        for name in names:
            release = f"{one.release} [{kept[one.release]:.2f}]"
            panels[name].setdefault(release, []).append(one.values[name])
    columns = ["release", "team", "s_U", *names]
    target.write(columns, rows, lambda: draw_boxes(panels, "teams"))


@app.command("privacy")
@takes_records
def privacy(
    data: TeamFolder,
    teams: TeamOptions,
    rules: RuleOptions,
    target: StudyTargets,
    attacks: str = _option("all, sample, or a list such as I3,LINK.", default="all"),
) -> None:
    """s_R,min against s_T,min of a release of each team, and their correlation (figure 9).

    Each team hands in another valid obfuscation, the last one pseudonyms alone; shuffled.

    For example:

      mixsafe contest study privacy contest -o privacy.csv --plot privacy.png
    """
    from mixsafe.contest.measure.team_privacy import privacy_correlation, team_privacy
    from mixsafe.contest.pseudonymizers import SHUFFLE
    from mixsafe.report.figures.study_figure import draw_grid
    from mixsafe_cli.commands.contest.run import choose_attackers

    def attackers(learned: Reference) -> list[Attacker]:
        return choose_attackers(attacks, SHUFFLE, learned)

    found = _of_teams(team_privacy, data, teams, rules, target, attackers=attackers)
    said = f"R = {privacy_correlation(found):.3f}"
    rows = [
        [one.anonymiser, one.utility.value, *_lowest(one, "reid"), *_lowest(one, "trace")]
        for one in found
    ]
    columns = ["obfuscation", "s_U", "s_R_min", "attack", "s_T_min", "attack"]
    target.write(columns, rows, lambda: draw_grid(found, said))
    say(f"correlation of s_R,min and s_T,min over valid releases: {said}", target.quiet)


def _lowest(outcome: Outcome, kind: str) -> tuple[object, str]:
    """The score that the strongest attack of a kind leaves, and the attack."""
    score = outcome.strongest(kind)
    by = next((name for name, one in outcome.privacy.items() if one is score), "")
    return None if score is None else score.value, by


@app.command("protection")
@takes_records
def protection(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="Folder that 'contest run' wrote.")
    ],
    target: TableTargets,
    anonymisers: str | None = _option("A list such as A1,A4-4-1. Default: the valid ones."),
) -> None:
    """What exchange of pseudonyms protects, and what an attacker needs no release for.

    s_R,min and s_T,min of each obfuscation with shuffled and with exchanged pseudonyms, beside the
    s_T of GUESS, which looks at no release.

    For example:

      mixsafe contest study protection results -o protection.csv --plot protection.svg
    """
    from mixsafe.contest.measure.protection import protections
    from mixsafe.report.base.scores import read_scores
    from mixsafe.report.figures.study_figure import draw_protection

    scores = results / "scores.csv"
    target.check()
    only = None if anonymisers is None else anonymisers.split(",")
    rows = read_scores(scores)
    with about(scores):
        found, guessed = protections(rows, only)
    columns = ["obfuscation", "valid"]
    for score in ("s_R_min", "s_T_min"):
        columns += [f"{score}_shuffled", "attack", f"{score}_exchanged", "attack"]
    table = []
    for one in found:
        left = [
            it for kind in ("reid", "trace") for it in (one.shuffled[kind], one.exchanged[kind])
        ]
        cells = [cell for it in left for cell in (it.value, it.attack)]
        table.append([one.anonymiser, "yes" if one.valid else "no", *cells])
    target.write(columns, table, lambda: draw_protection(found, guessed))
    say(f"s_T of an attacker who needs no release (GUESS): {guessed:.4f}", target.quiet)


@app.command("tuning")
@takes_records
def tuning(
    original: OriginalFile,
    reference: ReferenceFile,
    rules: RuleOptions,
    target: StudyTargets,
    anonymisers: str | None = _option("A list such as A1,A4-4-1. Default: those of the slides."),
) -> None:
    """IF by n_0, lambda and scheme, and TS by n (team 004's slides).

    One parameter varies, the others are the team's best. Releases: AS(94,0,3), PL(3.5,1) and
    AS(89,4,3), as on the slides.

    For example:

      mixsafe contest study tuning orgtraces.csv reftraces.csv -o tuning.csv --plot tuning.svg
    """
    from mixsafe.contest.base.reference import Reference
    from mixsafe.contest.measure.team_tuning import team_tuning
    from mixsafe.report.figures.study_figure import draw_tuning

    hidden, known, kept = _read(original, reference, rules, target)
    with progress(target.quiet) as report, about(original):
        found = team_tuning(
            hidden,
            Reference(known, kept),
            anonymisers=chosen_anonymisers(anonymisers),
            seed=target.seed,
            progress=partial(report, "obfuscations"),
        )
    rows = [[*vars(one).values()] for one in found]
    columns = ["obfuscation", "s_U", "varied", "parameter", "scheme", "score"]
    target.write(columns, rows, lambda: draw_tuning(found))


@app.command("population")
@takes_records
def population(
    training: Annotated[
        Path, typer.Argument(metavar="TRAIN", help="Traces that the synthesizer was trained on.")
    ],
    data: TeamFolder,
    rules: RuleOptions,
    target: StudyTargets,
    training_steps: int = _option(
        "Times per day of TRAIN.", "--training-steps-per-day", default=20, min=1
    ),
    hour: int = _option("Of days from 8:00 to 18:00.", default=12, min=8, max=17),
    challenge: Challenge = "IDP",
) -> None:
    """Where people are at noon, in training and in synthetic traces (the paper's figure 4).

    The table has the most crowded regions first.

    For example:

      mixsafe contest study population train.csv contest -o noon.csv --plot noon.svg
    """
    import numpy as np

    from mixsafe.contest.measure.populations import populations_at
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.report.figures.synthesis_figure import draw_populations

    target.check()
    kept = rules.read()
    known = read_traces(training, kept.regions.count)
    found = populations_at(
        known,
        read_teams(data, challenge, kept),
        kept,
        training_steps_per_day=training_steps,
        passed=(hour - 8) / 10,
    )
    shares = np.stack([found.training, found.synthetic])
    order = np.argsort(-shares.sum(axis=0), kind="stable").astype(np.int32)
    centres = kept.regions.centres(order)
    rows = [
        [int(region) + 1, *map(float, (*centre, *both))]
        for region, centre, both in zip(
            order, zip(*centres, strict=True), shares[:, order].T, strict=True
        )
    ]
    columns = ["reg_id", "lat", "lon", "training", "synthetic"]
    target.write(
        columns, rows, lambda: draw_populations(found, kept.regions, f"{hour}:00"), first=10
    )
    say(f"correlation over regions: R = {found.correlation:.3f}", target.quiet)


@app.command("synthesizers")
@takes_records
def synthesizers(
    cities: Annotated[
        list[Path], typer.Argument(metavar="CITY...", help="Traces of the people of a city.")
    ],
    rules: RuleOptions,
    target: StudyTargets,
    users: int | None = _option("Random users of each city. Default: all.", min=5),
    days: int = _option("Of each virtual user.", default=20, min=1),
    iterations: int = _option("Sweeps of the Gibbs sampler.", default=100, min=1),
    workers: Processes = 0,
) -> None:
    """Diversity and utility of synthesizers, by city (the paper's figures 16 and 17).

    Four fifths of the users are trained on; the others are the row Real. All measures are those of
    a day of the first team, the mean over days.

    For example:

      mixsafe contest study synthesizers one.csv two.csv -o cities.csv --plot cities.svg
    """
    from mixsafe.contest.workers import counted
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.model.limits import SolveLimits
    from mixsafe.report.figures.synthesis_figure import draw_synthesizers
    from mixsafe.synthesize.comparing import compare_synthesizers
    from mixsafe.synthesize.ppmtf.train import TrainingSettings

    target.check()
    kept, threads = rules.read(), SolveLimits(workers=workers).workers
    traces = [read_traces(path, kept.regions.count) for path in cities]
    found = {}
    with progress(target.quiet) as report:
        told = partial(report, "cities")
        for path, some in counted(zip(cities, traces, strict=True), len(cities), told):
            with about(path):
                found[path.stem] = compare_synthesizers(
                    some,
                    kept.regions,
                    kept.steps_per_day,
                    days=days,
                    users=users,
                    settings=TrainingSettings(iterations=iterations),
                    seed=target.seed,
                    workers=threads,
                )
    columns = ["city", "traces", "TP-TV-Top50", "TM-EMD", "VF-TV", "Same-TV", "Diff-TV", "SD"]
    rows: list[list[object]] = []
    for city, compared in found.items():
        for one in compared:
            row = [city, one.synthesizer, *one.quality.to_dict().values()]
            pairs = one.diversity
            of_two = pairs and (pairs.same, pairs.different, pairs.different_deviation)
            rows.append([*row, *(of_two or ("", "", ""))])
    target.write(columns, rows, lambda: draw_synthesizers(found))


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

    target.check()
    kept = rules.read()
    found = at_home(read_teams(data, challenge, kept), kept)
    rows = [
        [step, float(shares.mean()), float(shares.min()), float(shares.max())]
        for step, shares in enumerate(found.T, 1)
    ]
    columns = ["step_of_day", "at_home", "lowest_team", "highest_team"]
    target.write(columns, rows, lambda: draw_homes(found))
