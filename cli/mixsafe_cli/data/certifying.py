"""From answers to certificates in a folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.data.outputs import say_notes

if TYPE_CHECKING:
    from mixsafe.model.answer.certificate import Certificate
    from mixsafe.verify.verification import Verification
    from mixsafe_cli.render.progress import Report

DECIDING = 0.75
"""Share of a limit of time that is for deciding, where witnesses are to be found after it."""


def certify(
    answers: Sequence[Verification],
    folder: Path,
    adversary: str,
    seconds: float | None,
    report: Report,
    quiet: bool,
) -> None:
    """Write certificates of answers into a folder, and say what they leave out.

    Parameters
    ----------
    answers
        Each with its grounds.
    folder
        Where they go.
    adversary
        What she is called.
    seconds
        Time that finding witnesses and proofs may take; None: as long as it takes.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    from mixsafe.certify.certify import certify as certified
    from mixsafe.io.certificates.certificate_writer import write_certificates
    from mixsafe.model.answer.verdict import Verdict
    from mixsafe.model.limits import Deadline

    end = None if seconds is None else time.monotonic() + seconds
    notes = []

    def made() -> Iterator[Certificate]:
        for answer in answers:
            if answer.grounds is None:
                raise ValueError("the answer was given without keeping what it rests on")
            deadline = Deadline(None if end is None else max(end - time.monotonic(), 0.0))
            one = certified(answer, report, deadline, adversary)
            lost = answer.summary["safe"] - one.claims.counts[Verdict.SAFE]
            if lost:
                notes.append(f"{lost} safe verdicts are undecided in the certificate: no witnesses")
            yield one

    write_certificates(folder, made())
    say_notes(notes, quiet)
