"""A run of a command: what it may take, whom it tells how far it is, where its answers go."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mixsafe_cli.data.executors import executor_of
from mixsafe_cli.data.invocation import CommandLine, Invocation, atlas_of
from mixsafe_cli.data.outputs import check_one_problem, say_notes, write_answers
from mixsafe_cli.data.sources import problems_of, read_source
from mixsafe_cli.options.cluster_options import ClusterOptions
from mixsafe_cli.options.question_options import QuestionOptions
from mixsafe_cli.options.targets import AnswerTargets
from mixsafe_cli.render.progress import Report, progress
from mixsafe_cli.run_time import RunTime

if TYPE_CHECKING:
    from mixsafe.model.executor import Executor
    from mixsafe.model.limits import SolveLimits
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.render.printing import Part, Written

_Made = TypeVar("_Made", Invocation, CommandLine)


@dataclasses.dataclass(frozen=True)
class Run(Generic[_Made]):
    """A run of a command.

    Parameters
    ----------
    command
        What it is called.
    invocation
        Its words and options.
    target
        Where answers go.
    time
        How long it may take.
    report
        Whom to tell how far it is.
    crew
        Who works for it on other machines; None: nobody.
    """

    command: str
    invocation: _Made
    target: AnswerTargets
    time: RunTime
    report: Report
    executor: Executor | None

    @property
    def written(self) -> Written:
        """The files of the answer, for what is said about them."""
        from mixsafe_cli.render.printing import Written

        return Written(self.target.output, self.target.json)

    def limits(self, workers: int, seed: int) -> SolveLimits:
        """What the next question may take: all the time but what certificates need."""
        from mixsafe.model.limits import SolveLimits

        return SolveLimits(self.time.to_decide, workers, seed, self.executor)

    def say(self, notes: Iterable[str]) -> None:
        """Tell what was merged, dropped or assumed."""
        say_notes(notes, self.target.quiet)

    def deliver(
        self,
        found: Iterable[dict[str, Any]],
        parts: Iterable[Part],
        page: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        """Write JSON, and tell people; what nobody wants is not made.

        Parameters
        ----------
        found
            The answer, or one to each problem, as JSON objects.
        parts
            The same for people.
        page
            Of answers to problems: adds to the only one what a page shows of it. Of several, and
            of a source that has a line for each, each is a line.
        """
        if self.target.json is not None:
            answers, source = list(found), self.invocation.files.get("source")
            in_lines = source is not None and source.suffix.lower() == ".jsonl"
            lines = page is not None and (in_lines or len(answers) != 1)
            if page is not None and not lines:
                answers = [page(answers[0])]
            words = self.invocation.words
            write_answers(self.target.json, self.command, answers, lines=lines, words=words)
        if self.target.told:
            from mixsafe_cli.render.printing import tell

            tell(parts)


@contextmanager
def running(
    command: str,
    invocation: _Made,
    target: AnswerTargets,
    seconds: float | None = None,
    cluster: ClusterOptions | None = None,
) -> Iterator[Run[_Made]]:
    """Run a command, once all of its options and targets are such as can be right.

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
    target.check(invocation.files.values())
    executor = executor_of(wanted, target.quiet, target.resume)
    with progress(target.quiet) as report, executor as workers:
        yield Run(command, invocation, target, time, report, workers)


def posed(run: Run[Invocation], question: QuestionOptions) -> tuple[list[Problem], Run[Invocation]]:
    """The problems of the source, and the run with what was found out about it.

    Raises
    ------
    InputError
        The source or another file cannot be used, or a target is for one problem alone.
    """
    source, target = run.invocation.source, run.target
    data = read_source(source, run.report, run.executor)
    atlas = atlas_of(data, source) if target.shown else None
    problems = problems_of(data, source, run.invocation.adversary, question, run.report)
    check_one_problem(len(problems), {"--output": target.output, "--plot": target.plot})
    invocation = dataclasses.replace(
        run.invocation, atlas=atlas, said_by_source=isinstance(data, list)
    )
    return problems, dataclasses.replace(run, invocation=invocation)
