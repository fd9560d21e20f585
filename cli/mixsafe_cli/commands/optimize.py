"""``mixsafe optimize``: the fewest zones, or places, in which an exchange must really happen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from mixsafe.errors import InputError, about
from mixsafe.solver.registry import ENGINES
from mixsafe_cli.failures import status_of
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import check_file
from mixsafe_cli.options.declaring import CheckedOptions, a_file, not_negative, one_among
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import one_of, panel, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import (
    AnswerTargets,
    CertificateFolder,
    JsonTarget,
    PlotTarget,
    Quiet,
    table_option,
)
from mixsafe_cli.running.invocation import Invocation
from mixsafe_cli.running.run import Run, prepare_problems, running
from mixsafe_cli.running.sources import check_asked, steps_of
from mixsafe_cli.standard_streams import DASH

if TYPE_CHECKING:
    from mixsafe.model.answer.certificate import Weight
    from mixsafe.model.question.places import ZonePlaces
    from mixsafe.model.question.problem import Problem
    from mixsafe.optimize.answer import MinimumZones

_option = panel()

WEIGHTS = ("count", "members")


def _choices_of_per() -> tuple[str, ...]:
    """What zones are chosen by; loaded on demand, with NumPy."""
    from mixsafe.model.question.places import PER

    return PER


@dataclass(frozen=True)
class SearchOptions(CheckedOptions):
    """Options of the requirements, the cost of zones and the time of the search."""

    k: Annotated[
        int | None,
        shared.K.said(
            "Fewest candidates at the times --at.",
            panel=None,
        ),
    ] = None
    at: Annotated[str | None, shared.AT.said("Times of --k.", panel=None)] = None
    requirements: Annotated[Path | None, shared.REQUIREMENTS.said(panel=None)] = None
    weight: str = _option(
        "Cost of a zone.",
        default="count",
        constraints=(one_among(lambda: WEIGHTS),),
        **one_of(WEIGHTS),
    )
    per: str = _option(
        "Choose zones, places with all their zones, or their hours.",
        default="zone",
        constraints=(one_among(_choices_of_per),),
        **one_of(_choices_of_per),
    )
    costs: Path | None = _option(
        "Costs of places: CSV place,cost. Default: the problem's, else 1 each.",
        constraints=(a_file,),
    )
    budget: int | None = _option(
        "Protect the most people at a cost of C or less.", metavar="C", constraints=(not_negative,)
    )
    method: str = _option(
        "auto, or the engine that a search over zone sets asks.",
        default="auto",
        constraints=(one_among(lambda: ENGINES.names("optimize")),),
        **one_of(lambda: ENGINES.names("optimize")),
    )
    time_limit: Annotated[
        float | None,
        shared.TIME_LIMIT.said(
            "Seconds for the run; then the best so far is given.",
            panel=None,
        ),
    ] = None
    workers: Annotated[int, shared.WORKERS.said("Threads; 0: one per core.", panel=None)] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A value out of range, or options that contradict each other.
        """
        super().check()
        if self.k is not None and self.at is None:
            raise InputError(
                "--k needs --at: next to a sighting, a user has one candidate only",
                hint="name times with --at, or requirements with --requirements",
            )
        self._check_places()
        if self.budget is not None and self.method != "auto":
            raise InputError("--budget is for method auto", hint="leave out --method")

    def _check_places(self) -> None:
        """Refuse costs of places where zones are chosen, and costs of zones where places are."""
        if self.per == "zone" and self.costs is not None:
            raise InputError("--costs are those of places", hint="say --per place, too")
        if self.per != "zone" and self.weight != "count":
            raise InputError(
                "--weight is what a zone costs", hint="leave it out; places have --costs"
            )

    @property
    def question(self) -> QuestionOptions:
        """The question, as for verify."""
        return QuestionOptions(k=self.k, at=self.at, requirements=self.requirements)


@dataclass(frozen=True)
class OptimizeTargets(AnswerTargets):
    """Output targets of the answer."""

    output: Path | None = table_option("Table of the zones: .csv or .parquet.")
    json: JsonTarget = None
    plot: PlotTarget = None
    map: Path | None = _option("Map of the places of the zones for GIS: .geojson or .parquet.")
    certificates: CertificateFolder = None
    quiet: Quiet = False


@takes_records
def optimize(
    context: typer.Context,
    source: SourceOptions,
    wanted: SearchOptions,
    adversary: AdversaryOptions,
    target: OptimizeTargets,
) -> None:
    """Find a minimum set of mix zones, or places, that meets requirements.

    The minimum is proven. SOURCE defaults to the bundled sample: two days of a small town. If some
    requirements cannot be met, the answer covers the others. 'mixsafe report answer.json' turns the
    result of --json into a page. 'mixsafe check' replays --certificates: the zones or places
    suffice, and every set that suffices costs at least the bound.

    For example:

      mixsafe optimize --k 2 --at 20

      mixsafe optimize problem.json --json -

      mixsafe optimize traces.csv --requirements asked.csv --per place --budget 9

      mixsafe optimize problems.jsonl --time-limit 60 --json answers.jsonl

    Exit status: 0 the set meets all requirements (minimum, or the best found in time), 1 not even
    all zones do, or none for --budget, 3 undecided in time, 2 bad usage or input.
    """
    if source.source is not None and not source.source.is_dir() and str(source.source) != DASH:
        check_file("SOURCE", source.source)
    if wanted.budget is not None and target.certificates is not None:
        raise InputError("certificates are of minima for everybody", hint="leave out --budget")
    invocation = Invocation(context.find_root().obj, (source, wanted, adversary))
    with running("optimize", invocation, target, wanted.time_limit) as run, about(invocation.path):
        problems, run = _posed(run, wanted)
        answers = [_search(problem, wanted, run) for problem in problems]
        if target.certificates is not None:
            from mixsafe.from_files.certifying import write_minimum_certificates

            folder, adversary_name = target.certificates, run.invocation.adversary.called
            run.say(write_minimum_certificates(folder, answers, run.rest(), adversary_name))
    _deliver(answers, run)
    raise typer.Exit(status_of(answer.verdict for answer in answers))


def _posed(run: Run[Invocation], wanted: SearchOptions) -> tuple[list[Problem], Run[Invocation]]:
    """Problems with requirements."""
    from mixsafe.optimize.minimum import everybody_at

    check_asked(run.invocation.source, wanted.question)
    located = wanted.per != "zone"
    problems, run = prepare_problems(run, wanted.question, located=located, followed=True)
    if run.target.map is not None:
        from mixsafe.report.exposure_map import check_map

        check_map(run.invocation.atlas)
    if wanted.k is not None and wanted.at is not None:
        problems = [everybody_at(one, wanted.k, steps_of(one, wanted.at) or []) for one in problems]
    for one in problems:
        if one.requirements is None or not len(one.requirements):
            raise InputError(
                f"problem '{one.name}' has no requirements",
                file=run.invocation.path,
                hint="say --requirements FILE, or --k with --at",
            )
    return problems, run


def _places(problem: Problem, wanted: SearchOptions, run: Run[Invocation]) -> ZonePlaces | None:
    """The places that are chosen from, with their costs; None: zones are."""
    from mixsafe.extract.zones import places_per
    from mixsafe.io.problems.side_tables import read_costs

    outlines = None if run.invocation.atlas is None else run.invocation.atlas.outlines
    label = None if outlines is None else outlines.label
    cost = None if wanted.costs is None else partial(read_costs, wanted.costs)
    return places_per(problem, wanted.per, label, cost)


def _search(problem: Problem, wanted: SearchOptions, run: Run[Invocation]) -> MinimumZones:
    """Answer a problem, in what time is left, and is not for certificates."""
    from mixsafe.optimize.minimum import minimum_zones, within_budget

    weight, places = cast("Weight", wanted.weight), _places(problem, wanted, run)
    course = run.course(wanted.workers, run.invocation.source.seed)
    if wanted.budget is not None:
        return within_budget(problem, wanted.budget, weight=weight, places=places, course=course)
    return minimum_zones(
        problem,
        weight=weight,
        places=places,
        method=wanted.method,
        course=course,
        rest=True,
    )


def _deliver(answers: list[MinimumZones], run: Run[Invocation]) -> None:
    """Write the answers to files, and tell people."""
    from mixsafe.optimize.minimum_document import minimum_document

    invocation, target = run.invocation, run.target
    run.say(note for one in answers for note in (*one.problem.zones.notes, *one.notes))
    if target.output is not None:
        from mixsafe.io.problems.zone_table import write_zones

        write_zones(target.output, answers[0].chosen)
    if target.map is not None:
        from mixsafe.io.problems.maps import write_zone_map

        outlines = None if invocation.atlas is None else invocation.atlas.outlines
        write_zone_map(target.map, answers[0].chosen, outlines)
    context = invocation.context()
    run.draw(lambda: minimum_document(answers[0], context).charts)
    run.tell(
        (answer.to_dict() for answer in answers),
        lambda pages: [minimum_document(answer, context, pages=pages) for answer in answers],
        ("Zones with time, place and members", "zones.csv"),
    )
