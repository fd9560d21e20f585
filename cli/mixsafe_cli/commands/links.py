"""``mixsafe links``: whether rides can be followed through a feed of rotating identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import typer

from mixsafe.errors import about
from mixsafe_cli.failures import status_of
from mixsafe_cli.options.checks import refuse
from mixsafe_cli.options.links_options import LinksOptions
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import (
    AnswerTargets,
    JsonTarget,
    Kind,
    PlotTarget,
    Quiet,
    table_option,
)
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.run import Run, check_one_problem, running

if TYPE_CHECKING:
    from mixsafe.model.answer.verdict import Verdict
    from mixsafe.model.tracklets import LinkBounds, LinkProblem
    from mixsafe.tracklets.feeds import FeedAnswer

_option = panel()


@dataclass(frozen=True)
class LinksTargets(AnswerTargets):
    """Output targets of the answer."""

    output: Path | None = table_option("Table of rides: .csv or .parquet.")
    json: JsonTarget = None
    plot: PlotTarget = None
    certificate: Path | None = _option("Write the proof for 'mixsafe check': .npz.", metavar="FILE")
    quiet: Quiet = False

    kinds: ClassVar = {**AnswerTargets.kinds, "certificate": Kind("certificate", (".npz",))}


@takes_records
def links(context: typer.Context, wanted: LinksOptions, target: LinksTargets) -> None:
    """Find which rides can be followed through a feed whose identifiers change.

    Counts for every identifier that ends those that may continue it, and the other way round: if no
    vehicle leaves the fleet, and if any may. And says how often a follower is right who learns how
    vehicles move, and names the likeliest.

    For example:

      mixsafe links snapshots --k 3 --json feed.json

      mixsafe links feed.tar.gz --rule share:0.9 --remedies

    Exit status: 0 enough rides have k candidates and none that is believed too much, 1 too few, 3
    neither is shown, 2 bad usage or input.
    """
    from mixsafe.io.problems.links import holds_link_problems

    words, settings = context.find_root().obj, vars(wanted)
    invocation = CommandLine(words, wanted.files, settings, None, (wanted,))
    with running("links", invocation, target, wanted.time_limit) as run, about(wanted.feed):
        decide = _of_problems if holds_link_problems(wanted.feed) else _of_feed
        verdicts = decide(wanted, run, target.certificate)
    raise typer.Exit(status_of(verdicts))


def _of_problems(
    wanted: LinksOptions, run: Run[CommandLine], certificate: Path | None
) -> list[Verdict]:
    """Decide problems, write what was found, and tell people."""
    from mixsafe.io.problems.links import link_answers, read_link_problems
    from mixsafe.model.course import Deadline
    from mixsafe.tracklets.links_document import link_document
    from mixsafe.tracklets.problems import answer

    wanted.refuse_for_problems()
    refuse(run.target, "it is for a feed: use --json", "output", "plot")
    deadline, problems = Deadline(run.time.to_decide), read_link_problems(wanted.feed)
    check_one_problem(len(problems), {"--certificate": certificate})
    answers = [answer(one, wanted.k, deadline, exhaustive=wanted.exhaustive) for one in problems]
    found = (
        {"verdict": one.verdict.value, **link_answers(one.problem, one.bounds, one.chains)}
        for one in answers
    )
    if certificate is not None:
        _certify(certificate, answers[0].problem, answers[0].bounds)
    run.tell(found, lambda _: [link_document(one) for one in answers])
    return [one.verdict for one in answers]


def _of_feed(
    wanted: LinksOptions, run: Run[CommandLine], certificate: Path | None
) -> list[Verdict]:
    """Decide a feed, write what was found, and tell people."""
    answer = _follow(wanted, run)
    if certificate is not None:
        _certify(certificate, answer.followed.decided, answer.followed.bounds)
    _deliver(answer, wanted, run)
    return [answer.verdict]


def _follow(wanted: LinksOptions, run: Run[CommandLine]) -> FeedAnswer:
    """Read the feed and count candidates."""
    from mixsafe.model.course import Deadline
    from mixsafe.tracklets.feeds import links as follow

    run.report("reading snapshots", 0, 0)
    feed = wanted.read()
    return follow(
        feed,
        wanted.k,
        rules=wanted.link_rules(),
        may_leave=wanted.may_leave(),
        rule=wanted.required,
        closed=wanted.closed,
        remedies=wanted.remedies,
        at=wanted.times(feed.tz),
        betting=wanted.betting(),
        deadline=Deadline(run.time.to_decide),
        progress=run.report,
    )


def _certify(path: Path, problem: LinkProblem, bounds: LinkBounds) -> None:
    """Write the proof of what was decided."""
    from mixsafe.certify.certify_links import certify_links
    from mixsafe.io.certificates.link_certificates import write_link_certificate

    write_link_certificate(path, certify_links(problem, bounds))


def _deliver(answer: FeedAnswer, wanted: LinksOptions, run: Run[CommandLine]) -> None:
    """Write the answer to files, and tell people."""
    from mixsafe.tracklets.feed_numbers import feed_numbers
    from mixsafe.tracklets.links_document import candidates_chart, feed_document

    name = wanted.feed.name
    run.say(answer.feed.notes)
    run.write_table(lambda: answer.table)
    run.draw(lambda: [candidates_chart(answer)])
    run.tell(
        [{"name": name, **feed_numbers(answer)}],
        lambda pages: [feed_document(answer, name, pages=pages)],
        ("Candidates of each ride", "rides.csv"),
    )
