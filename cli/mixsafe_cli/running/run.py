"""A run of a command: its time, progress report, executor and output targets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mixsafe.errors import InputError
from mixsafe_cli.options.apart import check_apart, named
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.question_options import QuestionOptions
from mixsafe_cli.options.targets import AnswerTargets
from mixsafe_cli.progress import Report, progress
from mixsafe_cli.running.invocation import CommandLine, Invocation, atlas_of, is_centred
from mixsafe_cli.running.json_answers import write_answers
from mixsafe_cli.running.resources import RunTime, executor_of
from mixsafe_cli.running.sources import problems_of, read_source
from mixsafe_cli.standard_streams import say_notes

if TYPE_CHECKING:
    import pandas as pd

    from mixsafe.documents.document import Chart, Document
    from mixsafe.model.course import Course, Executor, Journal, SolveLimits
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.terminal import Part, Written

_Command = TypeVar("_Command", Invocation, CommandLine)


@dataclasses.dataclass(frozen=True)
class Run(Generic[_Command]):
    """A run of a command.

    Parameters
    ----------
    command
        Its name.
    invocation
        Its words and options.
    target
        Where answers go.
    time
        Time limit, and time left.
    report
        Called with progress.
    executor
        Runs tasks on other machines; None: all work is done here.
    """

    command: str
    invocation: _Command
    target: AnswerTargets
    time: RunTime
    report: Report
    executor: Executor | None

    @property
    def written(self) -> Written:
        """The files of the answer, for the lines that name them."""
        from mixsafe_cli.terminal import Written

        return Written(self.target.output, self.target.json)

    def limits(self, workers: int, seed: int) -> SolveLimits:
        """Limits of the next question: the time left, less the share for certificates."""
        from mixsafe.model.course import SolveLimits

        return SolveLimits(self.time.to_decide, workers, seed, self.executor)

    def course(self, workers: int, seed: int, journal: Journal | None = None) -> Course:
        """The course of the next question, which begins now."""
        from mixsafe.model.course import Course

        return Course.begin(self.limits(workers, seed), self.report, journal)

    def rest(self, journal: Journal | None = None) -> Course:
        """The course of the certificates, which begins now: all the time that is left."""
        from mixsafe.model.course import Course, SolveLimits

        return Course.begin(SolveLimits(self.time.left), self.report, journal)

    def say(self, notes: Iterable[str]) -> None:
        """Print notes on merged or dropped data and on assumptions."""
        say_notes(notes, self.target.quiet)

    def write_table(self, table: Callable[[], pd.DataFrame]) -> None:
        """Write the table of ``--output``, if it is wanted."""
        if self.target.output is not None:
            from mixsafe.io.files.writing import write_wires

            write_wires(self.target.output, table())

    def draw(self, charts: Callable[[], Sequence[Chart]]) -> None:
        """Draw the picture of ``--plot``, if it is wanted."""
        if self.target.plot is not None:
            from mixsafe.report.chart_figure import save_charts

            save_charts(charts(), self.target.plot)

    def deliver(
        self,
        found: Iterable[dict[str, Any]],
        parts: Iterable[Part],
        page: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        """Write JSON and print the answer, each only if wanted.

        Parameters
        ----------
        found
            The answer, or one to each problem, as JSON objects.
        parts
            The answer for the terminal.
        page
            For answers to problems: adds the view model of the page to a single answer. Several
            answers, and those of a ``.jsonl`` source, are written as one line each.
        """
        if self.target.json is not None:
            answers = self._sealed(found)
            lines = page is not None and (self.invocation.in_lines or len(answers) != 1)
            if page is not None and not lines:
                answers = [page(answers[0])]
            answers = [_with_skipped(answer) for answer in answers]
            words = self.invocation.words
            write_answers(self.target.json, self.command, answers, lines=lines, words=words)
        if self.target.printed:
            from mixsafe_cli.terminal import tell

            tell(parts)

    def tell(
        self,
        found: Iterable[dict[str, Any]],
        documents: Callable[[bool], Sequence[Document]],
        table: tuple[str, str] | None = None,
        made_by: CommandLine | None = None,
        outputs: Mapping[str, Any] | None = None,
        *,
        last: str = "",
        whole: bool = False,
    ) -> None:
        """Write answers with their documents as JSON, and print the documents.

        Parameters
        ----------
        found
            The answers as JSON objects.
        documents
            Makes their documents; takes whether the parts for pages are wanted.
        table
            What the table of ``--output`` holds, and a name for it; None: there is none.
        made_by
            Whose provenance the answers have; None: that of the run.
        outputs
            What provenance says of files that were written for the public; None: there are none.
        last
            The last line; empty: there is none.
        whole
            The answer is about all problems of the source together.
        """
        # Rows of JSON, and words, are made only where somebody reads them.
        answers = [] if self.target.json is None else list(found)
        read = bool(answers) or self.target.printed
        told = documents(len(answers) == 1) if read else []
        from mixsafe_cli.terminal import document_lines

        def parts() -> Iterator[Part]:
            yield from document_lines(told)
            if table is not None:
                yield self.written.where(*table)
            yield self.written.page(f"{self.command.rpartition(' ')[2]}.json")
            if last:
                yield last

        def with_provenance(answer: dict[str, Any]) -> dict[str, Any]:
            provenance = (made_by or self.invocation).provenance()
            return {**answer, "provenance": {**provenance, **(outputs or {})}}

        documented = (
            {**answer, "document": document.to_dict()}
            for answer, document in zip(answers, told, strict=True)
        )
        if whole:
            self.deliver(map(with_provenance, documented), parts())
        else:
            self.deliver(documented, parts(), with_provenance)

    def _sealed(self, found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answers, with the seal of their certificates, if those are written."""
        folder = self.target.certificates
        if folder is None:
            return list(found)
        from mixsafe.io.certificates.certificate_folder import seal_in

        seal = {"certificate_sha256": seal_in(folder)}
        return [{**answer, **seal} for answer in found]


def _with_skipped(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer whose page says how many rows of the data were skipped."""
    skipped, provenance = answer.get("skipped"), answer.get("provenance")
    if not skipped or provenance is None:
        return answer
    return {**answer, "provenance": {**provenance, "skipped": skipped}}


@contextmanager
def running(
    command: str,
    invocation: _Command,
    target: AnswerTargets,
    seconds: float | None = None,
    cluster: ClusterOptions | None = None,
) -> Iterator[Run[_Command]]:
    """Check the options and targets of a command, then run it.

    Parameters
    ----------
    seconds
        That it may take; None: as long as it takes.
    cluster
        Other machines; None: the command is for one.

    Raises
    ------
    InputError
        Options or targets that cannot be used, or workers that cannot be reached.
    """
    time = RunTime(seconds, target.certificates is not None)
    wanted = ClusterOptions() if cluster is None else cluster
    for options in (*invocation.records, wanted):
        options.check()
    target.check()
    check_apart(named(vars(target)), invocation.files.values())  # a result names its source
    executor = executor_of(wanted, target.quiet, target.resume)
    if target.shown:
        _hash(invocation.files)
    with progress(target.quiet) as report, executor as workers:
        yield Run(command, invocation, target, time, report, workers)


def check_one_problem(count: int, targets: Mapping[str, Path | None]) -> None:
    """Refuse targets that are for one problem where there are not one.

    Raises
    ------
    InputError
        Says which.
    """
    for option, path in targets.items():
        if path is not None and count != 1:
            raise InputError(f"{option} is for one problem, not {count}", hint="use --json")


def _hash(files: Mapping[str, Path | None]) -> None:
    """Hash inputs for the provenance of the answer before they are read.

    A file that is exchanged while a long run decides does not end it then: it was read before.
    """
    from mixsafe.report.provenance import told_input

    for what, path in files.items():
        if path is not None:
            with suppress(InputError):  # who reads it says what is wrong
                told_input(what, path)


_NOT_FOLLOWED = (
    "whether people can be followed through the mix zones by how they move is not known: the traces"
    " are larger than memory (--memory-limit)"
)


def prepare_problems(
    run: Run[Invocation],
    question: QuestionOptions,
    *,
    located: bool = False,
    placed: bool = False,
    followed: bool = False,
    movement: bool = False,
) -> tuple[list[Problem], Run[Invocation]]:
    """Read the problems of the source; return them and the run with facts about the source.

    With ``located``, names and outlines of places are among them although nothing is drawn; with
    ``placed``, problems keep where tracks are; with ``followed``, they say what a follower who bets
    makes of their mix zones; with ``movement``, how likely exchanges are there.

    Raises
    ------
    InputError
        The source or another file cannot be used, or a target is for one problem alone.
    """
    from mixsafe.extract.zones import Extraction

    source, target = run.invocation.source, run.target
    data = read_source(source, run.report, run.executor)
    atlas = atlas_of(data, source) if target.shown or located else None
    problems = problems_of(
        data,
        source,
        run.invocation.adversary,
        question,
        run.report,
        placed=placed,
        followed=followed,
        movement=movement,
    )
    if followed and isinstance(data, Extraction):
        run.say([_NOT_FOLLOWED])
    check_one_problem(
        len(problems), {"--output": target.output, "--plot": target.plot, "--map": target.map}
    )
    invocation = dataclasses.replace(
        run.invocation,
        atlas=atlas,
        said_by_source=isinstance(data, list),
        centred=is_centred(data, source),
    )
    return problems, dataclasses.replace(run, invocation=invocation)
