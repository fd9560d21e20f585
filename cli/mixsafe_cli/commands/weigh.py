"""``mixsafe weigh``: how likely each candidate is, not only how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.data.outputs import (
    AnswerTargets,
    check_one_problem,
    say_notes,
    write_answers,
)
from mixsafe_cli.data.resuming import kept
from mixsafe_cli.data.verified import as_verified
from mixsafe_cli.options.audit_options import OutsideOptions
from mixsafe_cli.options.checks import check_file, check_positive
from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.options.targets import JsonTarget, Quiet, ResumeFolder
from mixsafe_cli.run_time import RunTime
from mixsafe_cli.standard_streams import on_stdout

if TYPE_CHECKING:
    from mixsafe.model.question.problem import Problem
    from mixsafe.weigh.laws import TakingPart
    from mixsafe.weigh.weighing import Weighing
    from mixsafe_cli.data.digests import Made
    from mixsafe_cli.render.progress import Report

_weight = panel("How it is weighed")


@dataclass(frozen=True)
class BetOptions:
    """How exchanges are, what the adversary bets on, and how long weighing may take."""

    bet: Annotated[
        float, _weight("--bet", help="Chance above which the adversary bets. Default: 0.5.")
    ] = 0.5
    exchange: Annotated[
        str | None,
        _weight(
            "--exchange",
            metavar="Q|FILE",
            help="Chance that a zone's exchange happens; or CSV zone_id,chance or user_id,chance."
            " Default: 1.",
        ),
    ] = None
    time_limit: Annotated[
        float | None, _weight("--time-limit", help="Seconds for the whole run. Default: none.")
    ] = None
    workers: Annotated[int, _weight("--workers", help="Threads; 0: one per core. Default: 0.")] = 0
    exhaustive: Annotated[
        bool, _weight("--exhaustive", help="How likely every candidate is, into the JSON.")
    ] = False

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A chance outside 0..1, no such file, a limit out of range.
        """
        if not 0 <= self.bet <= 1:
            raise InputError(f"--bet {self.bet:g} is not between 0 and 1")
        chance = self.chance
        if chance is not None and not 0 <= chance <= 1:
            raise InputError(f"--exchange {chance:g} is not between 0 and 1")
        check_file("--exchange", self.file)
        check_positive("--time-limit", self.time_limit)
        if self.workers < 0:
            raise InputError(f"--workers {self.workers} is negative")

    @property
    def chance(self) -> float | None:
        """The chance of every zone's exchange; None: a file says it, or it is 1."""
        try:
            return None if self.exchange is None else float(self.exchange)
        except ValueError:
            return None

    @property
    def file(self) -> Path | None:
        """The file of chances; None: there is none."""
        return None if self.exchange is None or self.chance is not None else Path(self.exchange)

    @property
    def files(self) -> dict[str, Path | None]:
        """What is read besides the source, by what it is."""
        return {"chances of exchanges": self.file}

    def law(self, problem: Problem) -> TakingPart | None:
        """The law of exchanges; None: all happen."""
        if self.exchange is None:
            return None
        from mixsafe.weigh.laws import TakingPart

        if self.chance is not None:
            return TakingPart(self.chance)
        from mixsafe.io.problems.chances import read_chances

        return TakingPart(*read_chances(Path(self.exchange), problem.zones))


@dataclass(frozen=True)
class WeighTargets(AnswerTargets):
    """Where the answer goes."""

    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A row per wire: .csv or .parquet.")
    ] = None
    json: JsonTarget = None
    resume: ResumeFolder = None
    quiet: Quiet = False


@takes_records
def weigh(
    context: typer.Context,
    source: SourceOptions,
    adversary: AdversaryOptions,
    bets: BetOptions,
    outside: OutsideOptions,
    target: WeighTargets,
) -> None:
    """Weigh candidates: what the adversary would bet, and how sure that is.

    k candidates need not be equally likely. For every wire this says how likely the likeliest is:
    counted where few tokens are tracked, estimated with an interval elsewhere, or not settled.
    Estimates are never called safe.

    For example:

      mixsafe weigh --time-limit 60

      mixsafe weigh orgtraces.csv --adversary home --time-limit 900 --output weights.parquet

      mixsafe weigh orgtraces.csv --exchange 0.8 --bet 0.9 --json weights.json

      mixsafe weigh pubtraces.csv --audit seen.csv --same 4@41 5@43

    A SOURCE that 'mixsafe verify --json' wrote stands for its data and its adversary.
    'mixsafe report weights.json' makes a page of what --json wrote.

    Exit status: 0 all was weighed that could be, 2 bad usage or bad input.
    """
    root = context.find_root()
    source, adversary, verified = as_verified(source, adversary, root.command)
    time = _check(source, adversary, bets, outside, target)
    if outside.audit is not None:
        _tracks(root.obj, source, bets, outside, target)
        return
    from mixsafe_cli.data.digests import Made, atlas_of
    from mixsafe_cli.data.sources import path_of, problems_of, read_source
    from mixsafe_cli.render.progress import progress

    with progress(target.quiet) as report:
        data = read_source(source, report)
        atlas = atlas_of(data, source) if target.json is not None else None
        problems = problems_of(data, source, adversary, QuestionOptions(), report)
        check_one_problem(len(problems), {"--output": target.output})
        records = (source, adversary, bets, verified)
        made = Made(root.obj, records, path_of(source), atlas, isinstance(data, list))
        answers = _weighed(problems, source, bets, target, time, report)
    _deliver(answers, target, made)


def _check(
    source: SourceOptions,
    adversary: AdversaryOptions,
    bets: BetOptions,
    outside: OutsideOptions,
    target: WeighTargets,
) -> RunTime:
    """Refuse values that cannot be right, or do not go together; what time there is."""
    time = RunTime(bets.time_limit)
    for options in (source, adversary, bets):
        options.check()
    outside.check(
        {
            "--adversary": adversary.adversary,
            "--exchange": bets.exchange,
            "--resume": target.resume,
        }
    )
    target.check((*source.inputs, adversary.file, outside.audit, *bets.files.values()))
    return time


def _tracks(
    words: Sequence[str],
    source: SourceOptions,
    bets: BetOptions,
    outside: OutsideOptions,
    target: WeighTargets,
) -> None:
    """Weigh a release, write what was found, and tell people."""
    from mixsafe.model.limits import SolveLimits
    from mixsafe_cli.data.digests import CommandLine
    from mixsafe_cli.data.sources import path_of
    from mixsafe_cli.data.weighed_release import told_tracks, weighed_release, with_page
    from mixsafe_cli.render.progress import progress
    from mixsafe_cli.render.render_weigh import show_tracks

    if outside.audit is None:
        return
    limits = SolveLimits(bets.time_limit, bets.workers, source.seed)
    with progress(target.quiet) as report:
        answer = weighed_release(source, outside.audit, limits, report)
    found = told_tracks(answer, outside.same)
    if target.output is not None:
        from mixsafe.io.problems.wires import write_wires

        write_wires(target.output, answer.tracks)
    release = path_of(source)
    if target.json is not None:
        files = {"release": release, "knowledge": outside.audit, "places": source.places}
        not_told = dict.fromkeys(("source", "places"))
        made = CommandLine(words, files, {**vars(source), **vars(bets), **not_told})
        whole = with_page(answer, {"name": release.name, **found}, made, source.seed)
        write_answers(target.json, "weigh", [whole], lines=False, words=words)
    if not target.quiet and not on_stdout(target.json, target.output):
        show_tracks(found, release)


def _weighed(
    problems: list[Problem],
    source: SourceOptions,
    bets: BetOptions,
    target: WeighTargets,
    time: RunTime,
    report: Report,
) -> list[Weighing]:
    """Weigh problem after problem, in what time is left."""
    from mixsafe.journal.steps import NoJournal
    from mixsafe.model.limits import SolveLimits
    from mixsafe.weigh.weighing import weigh as weighed

    answers = []
    with kept(target.resume) as journal:
        for problem in problems:
            limits = SolveLimits(time.left, bets.workers, source.seed)
            law, notes = bets.law(problem), journal or NoJournal()
            answers.append(
                weighed(
                    problem,
                    law=law,
                    bet=bets.bet,
                    limits=limits,
                    progress=report,
                    journal=notes,
                    exhaustive=bets.exhaustive,
                )
            )
    return answers


def _deliver(answers: list[Weighing], target: WeighTargets, made: Made) -> None:
    """Write the answers to files, and tell people."""
    say_notes([note for answer in answers for note in answer.problem.zones.notes], target.quiet)
    if target.output is not None:
        from mixsafe.io.problems.wires import write_wires

        write_wires(target.output, answers[0].wires)
    if target.json is not None:
        found = [answer.to_dict() for answer in answers]
        if made.said_by_source:  # problems, of which --output takes but one
            from mixsafe_cli.render.printing import records

            pairs = zip(found, answers, strict=True)
            found = [{**one, "wires": records(answer.wires)} for one, answer in pairs]
        lines = made.source.suffix.lower() == ".jsonl" or len(found) != 1
        if not lines:
            from mixsafe.report.digests.weighing_digest import weighing_digest

            shown = weighing_digest(answers[0], made.adversary_words(), made.atlas)
            found[0] |= {"shown": shown, "provenance": made.provenance()}
        write_answers(target.json, "weigh", found, lines=lines, words=made.words)
    if not target.quiet and not on_stdout(target.json, target.output):
        from mixsafe_cli.render.render_weigh import show

        seen = sum(len(answer.problem.knowledge) for answer in answers)
        show(answers, made.source, made.adversary_said(seen), target)
