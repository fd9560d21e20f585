"""Certificates of answers, written into a folder, with notes on what they leave out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from mixsafe.certify.certify import certified
from mixsafe.certify.certify_audit import certify_audit, claims_of
from mixsafe.certify.certify_minimum import certify_minimum
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum import verified
from mixsafe.release.audit import Audit
from mixsafe.verify.verification import Verification

Folder = str | os.PathLike[str]

_Answer = TypeVar("_Answer")
_Certified = tuple[Certificate, list[str]]
"""A certificate, and notes on verdicts that it leaves out."""


def write_verification_certificates(
    folder: Folder, answers: Sequence[Verification], course: Course, adversary: str
) -> list[str]:
    """Write certificates of verifications, and return notes on what they leave out.

    Parameters
    ----------
    folder
        Of certificates; it is made or replaced.
    answers
        Each with its proof data.
    course
        Of the search for witnesses; its journal keeps them for a run that goes on from there.
    adversary
        Her name in the certificates.

    Raises
    ------
    InputError
        An answer without proof data, or a folder that cannot be written.
    """

    def make(answer: Verification) -> _Certified:
        certificate = certified(answer, course, adversary)
        return certificate, _lost(answer.summary["safe"], certificate)

    return _write_each(folder, answers, make)


def write_minimum_certificates(
    folder: Folder, answers: Sequence[MinimumZones], course: Course, adversary: str
) -> list[str]:
    """Write certificates of minimum sets, each with what its zones achieve by themselves.

    Parameters and errors are those of :func:`write_verification_certificates`.
    """
    achieved = [verified(answer, course.share(0.25)) for answer in answers]

    def make(answer: tuple[MinimumZones, Verification]) -> _Certified:
        minimum, verification = answer
        certificate = certify_minimum(minimum, verification, course, adversary)
        lost = _lost(verification.summary["safe"], certificate)
        return certificate, [*lost, *_below(minimum, certificate)]

    return _write_each(folder, list(zip(answers, achieved, strict=True)), make)


def write_audit_certificate(folder: Folder, answer: Audit, course: Course) -> list[str]:
    """Write the certificate of an audit, and return notes on what it leaves out.

    Raises
    ------
    InputError
        No first solution was found, or the folder cannot be written.
    """

    def make(answer: Audit) -> _Certified:
        certificate = certify_audit(answer, course)
        if answer.findings is None:
            return certificate, []
        safe = claims_of(answer.findings, answer.k).counts[Verdict.SAFE]
        return certificate, _lost(safe, certificate)

    return _write_each(folder, [answer], make)


def _write_each(
    folder: Folder, answers: Sequence[_Answer], make: Callable[[_Answer], _Certified]
) -> list[str]:
    """Write a certificate of each answer, made one after the other; return all notes."""
    notes = list[str]()

    def each() -> Iterator[Certificate]:
        for answer in answers:
            certificate, left_out = make(answer)
            notes.extend(left_out)
            yield certificate

    write_certificates(folder, each())
    return notes


def _lost(safe: int, certificate: Certificate) -> list[str]:
    """That verdicts are not certified, if some are not."""
    lost = safe - certificate.claims.counts[Verdict.SAFE]
    if not lost:
        return []
    return [f"{lost} safe verdicts are undecided in the certificate: no witnesses"]


def _below(answer: MinimumZones, certificate: Certificate) -> list[str]:
    """That the certificate proves less of the bound than was found, if it does."""
    bound, chosen = (answer.rest or answer).bound, certificate.chosen
    if bound is None or chosen is None or chosen.bound >= bound:
        return []
    return [f"the certificate proves a bound of {chosen.bound}, where the search found {bound}"]
