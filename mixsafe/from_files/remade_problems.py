"""Problems made of data again, with which certificates are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mixsafe.certify.certify_audit import adversary_of, question_of
from mixsafe.check.demands import compare, compare_places, demand
from mixsafe.errors import InputError
from mixsafe.extract.zones import groupings
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Seen
from mixsafe.model.question.problem import Problem
from mixsafe.release.audit import never
from mixsafe.release.evidence import Evidence
from mixsafe.release.readings import by_strictest
from mixsafe.verify.auditor.initial_solution import initial_solution
from mixsafe.verify.auditor.paths import unnamed_start
from mixsafe.verify.query import Query


class RemadeProblem(NamedTuple):
    """A problem made of data again, with the sightings of the auditor if it is one of an audit."""

    problem: Problem
    seen: Seen | None = None
    adversary: str | None = None

    @classmethod
    def of_audit(cls, evidence: Evidence, *, exchanged: bool) -> RemadeProblem:
        """The problem of an audit, by the strictest reading of gaps that contradicts nothing.

        Raises
        ------
        InputError
            The sightings contradict the release by every reading.
        """
        if not exchanged:
            evidence = replace(evidence, zones=never(evidence.zones))
        course = Course.begin()

        def solve(reading: Evidence) -> None:
            tracks = unnamed_start(reading.zones, reading.pins)
            initial_solution(tracks, len(reading.users), course)

        if evidence.has_gaps:
            evidence, _ = by_strictest(evidence, solve)
        return cls(*question_of(evidence), adversary_of(evidence))

    def check(
        self, certificate: Certificate, k: int | None = None, at: Sequence[int] | None = None
    ) -> None:
        """Refuse a certificate of another problem.

        Parameters
        ----------
        k
            What is asked of everybody; None: what the certificate says.
        at
            Steps at which it is asked; None: all of them.

        Raises
        ------
        InputError
            It is one; says what differs.
        """
        if certificate.audited is not None and self.seen is None:
            raise InputError(
                "it is one of an audit", hint="say --knowledge, too, and name a release"
            )
        problem = self.problem
        if self.seen is None:
            asked = Query(certificate.k if k is None else k, at).requirements(problem)
            problem = replace(problem, requirements=asked)
        demand(certificate, adversary=self.adversary)
        compare(certificate, problem, self.seen)
        if certificate.chosen is not None and certificate.chosen.places is not None:
            compare_places(certificate, groupings(problem))
