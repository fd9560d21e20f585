"""Certificates: from answers into a folder, and problems made again to compare theirs with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mixsafe.errors import InputError
from mixsafe_cli.data.invocation import CommandLine, Invocation
from mixsafe_cli.data.running import Run

if TYPE_CHECKING:
    from mixsafe.model.answer.certificate import Certificate
    from mixsafe.model.course import Course, Journal
    from mixsafe.model.question.adversary import Seen
    from mixsafe.model.question.problem import Problem
    from mixsafe.optimize.answer import MinimumZones
    from mixsafe.release.audit import Audit
    from mixsafe.verify.verification import Verification
    from mixsafe_cli.options.question_options import AdversaryOptions, QuestionOptions
    from mixsafe_cli.options.source_options import ComparedSource
    from mixsafe_cli.render.progress import Report

_Answer = TypeVar("_Answer")
_Command = TypeVar("_Command", Invocation, CommandLine)
_Certified = tuple["Certificate", list[str]]
"""A certificate, and notes on verdicts that it leaves out."""


def certify(
    answers: Sequence[Verification],
    run: Run[_Command],
    adversary: str,
    journal: Journal | None = None,
) -> None:
    """Write certificates of answers in the time left, and note what they leave out.

    Parameters
    ----------
    answers
        Each with its proof data.
    run
        Of the command, with the folder where they go.
    adversary
        What she is called.
    journal
        What keeps the search for witnesses, for a run that goes on from there.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    from mixsafe.certify.certify import certified

    def make(answer: Verification, course: Course) -> _Certified:
        proven = _with_proof_data(answer)
        certificate = certified(proven, course, adversary)
        return certificate, _lost(answer.summary["safe"], certificate)

    _write_each(answers, make, run, journal)


def certify_of_minima(answers: Sequence[MinimumZones], run: Run[Invocation]) -> None:
    """Write certificates of minimum sets, each with what its zones achieve by themselves.

    Errors are those of :func:`certify`.
    """
    from mixsafe.certify.certify_minimum import certify_minimum
    from mixsafe.model.course import Course, SolveLimits
    from mixsafe.optimize.minimum import verified

    left = run.time.left
    limits = SolveLimits(left and left / 4)
    achieved = [verified(one, Course.begin(limits, run.report)) for one in answers]

    def make(answer: tuple[MinimumZones, Verification], course: Course) -> _Certified:
        minimum, found = answer
        who = run.invocation.adversary.called
        proven = _with_proof_data(found)
        certificate = certify_minimum(minimum, proven, course, who)
        lost = _lost(found.summary["safe"], certificate)
        return certificate, [*lost, *_below(minimum, certificate)]

    _write_each(list(zip(answers, achieved, strict=True)), make, run)


def certify_of_audit(answer: Audit, run: Run[CommandLine]) -> None:
    """Write the certificate of an audit.

    Raises
    ------
    InputError
        No first solution was found, or the folder cannot be written.
    """
    from mixsafe.certify.certify_audit import certify_audit, claims_of
    from mixsafe.model.answer.verdict import Verdict

    def make(answer: Audit, course: Course) -> _Certified:
        certificate = certify_audit(answer, course)
        if answer.findings is None:
            return certificate, []
        safe = claims_of(answer.findings, answer.k).counts[Verdict.SAFE]
        return certificate, _lost(safe, certificate)

    _write_each([answer], make, run)


def _with_proof_data(answer: Verification) -> Verification:
    """The answer, if it kept its proof data."""
    if answer.proof_data is None:
        raise ValueError("the answer was given without keeping what it rests on")
    return answer


def _write_each(
    answers: Sequence[_Answer],
    make: Callable[[_Answer, Course], _Certified],
    run: Run[_Command],
    journal: Journal | None = None,
) -> None:
    """Make a certificate of each answer in the time that is left, write them, and say notes."""
    from mixsafe.io.certificates.certificate_writer import write_certificates
    from mixsafe.model.course import Course, SolveLimits

    if run.target.certificates is None:
        return
    notes = list[str]()
    course = Course.begin(SolveLimits(run.time.left), run.report, journal)

    def each() -> Iterator[Certificate]:
        for answer in answers:
            certificate, left_out = make(answer, course)
            notes.extend(left_out)
            yield certificate

    write_certificates(run.target.certificates, each())
    run.say(notes)


def _lost(safe: int, certificate: Certificate) -> list[str]:
    """That verdicts are not certified, if some are not."""
    from mixsafe.model.answer.verdict import Verdict

    lost = safe - certificate.claims.counts[Verdict.SAFE]
    if not lost:
        return []
    return [f"{lost} safe verdicts are undecided in the certificate: no witnesses"]


def _below(found: MinimumZones, certificate: Certificate) -> list[str]:
    """That the certificate proves less of the bound than was found, if it does."""
    bound, chosen = (found.rest or found).bound, certificate.chosen
    if bound is None or chosen is None or chosen.bound >= bound:
        return []
    return [f"the certificate proves a bound of {chosen.bound}, where the search found {bound}"]


class RemadeProblem(NamedTuple):
    """A problem, with the sightings of the auditor if it is one of an audit."""

    problem: Problem
    seen: Seen | None = None
    adversary: str | None = None

    def check(self, certificate: Certificate, question: QuestionOptions) -> None:
        """Refuse a certificate of another problem.

        Raises
        ------
        InputError
            It is one; says what differs.
        """
        from mixsafe.check.demands import compare, compare_places, demand
        from mixsafe.extract.zones import groupings

        if certificate.audited is not None and self.seen is None:
            raise InputError(
                "it is one of an audit", hint="say --knowledge, too, and name a release"
            )
        problem = self.problem if self.seen else _asked(certificate, self.problem, question)
        demand(certificate, adversary=self.adversary)
        compare(certificate, problem, self.seen)
        if certificate.chosen is not None and certificate.chosen.places is not None:
            compare_places(certificate, groupings(problem))


def read_compared(
    source: ComparedSource,
    adversary: AdversaryOptions,
    question: QuestionOptions,
    count: int,
    report: Report,
) -> list[RemadeProblem | None]:
    """The problems of the source, one for each certificate; None for each: there is no source.

    Raises
    ------
    InputError
        The source cannot be used, or does not hold as many problems.
    """
    if source.source is None:
        return [None] * count
    if source.knowledge is not None:
        found = [_audited(source)]
    else:
        from mixsafe_cli.data.sources import read_problems

        found = [RemadeProblem(one) for one in read_problems(source, adversary, question, report)]
    if len(found) != count:
        raise InputError(
            f"it holds {len(found)} problems, and there are {count} certificates",
            file=source.source,
        )
    return list(found)


def _audited(source: ComparedSource) -> RemadeProblem:
    """The problem of an audit of a release."""
    from mixsafe.certify.certify_audit import adversary_of, question_of
    from mixsafe.from_files.released import read_knowledge, some_users
    from mixsafe.model.answer.gaps import Gaps
    from mixsafe.model.course import Course
    from mixsafe.release.audit import never
    from mixsafe.release.evidence import Evidence
    from mixsafe.release.readings import by_strictest
    from mixsafe.verify.auditor.initial_solution import initial_solution
    from mixsafe.verify.auditor.paths import unnamed_start
    from mixsafe_cli.data.releases import release_of, released

    if source.source is None or source.knowledge is None:
        raise InputError("an audit is of a release, and of what was seen")
    meetings = source.exchange == "zones"
    release = release_of(source, source.source)
    exchanged = meetings or source.rotate is not None
    found = released(release, sets_meet=source.sets_meet, meetings=meetings, exchanged=exchanged)
    seen = some_users(read_knowledge(source.knowledge, found), source.users, source.seed)
    evidence = Evidence.of(found.published, seen, Gaps.named(source.gaps))
    if not exchanged:
        evidence = replace(evidence, zones=never(evidence.zones))
    course = Course.begin()

    def solve(one: Evidence) -> None:
        tracks = unnamed_start(one.zones, one.pins)
        initial_solution(tracks, len(one.users), course)

    if evidence.has_gaps:
        evidence, _ = by_strictest(evidence, solve)
    return RemadeProblem(*question_of(evidence), adversary_of(evidence))


def _asked(certificate: Certificate, problem: Problem, question: QuestionOptions) -> Problem:
    """The problem with what 'mixsafe verify' would ask of it."""
    from mixsafe.verify.query import Query
    from mixsafe_cli.data.sources import steps_of

    k = certificate.k if question.k is None else question.k
    asked = Query(k, steps_of(problem, question.at)).requirements(problem)
    return replace(problem, requirements=asked)
