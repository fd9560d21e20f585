"""Whether the claims are about the question: none may be missing, added or changed."""

from __future__ import annotations

import numpy as np

from mixsafe.check.lookup import Occurrences
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, Claims
from mixsafe.model.csr import Whole


def check_asked(certificate: Certificate, places: Occurrences) -> None:
    """Refuse claims about anything but the question.

    Raises
    ------
    InputError
        A claim is missing, too many, or about something else.
    """
    claims, asked = certificate.claims, certificate.problem.requirements
    if certificate.k is not None:
        if asked is not None:
            raise InputError("k is asked of everybody, and there are requirements as well")
        if certificate.audited is None:
            _check_everything_asked(claims, certificate.k, places.n_rows, 0, places)
            _check_within_wires(claims, places)
        else:
            n_known = len(certificate.audited.seen.users)
            _check_everything_asked(claims, certificate.k, n_known, 1, places)
            _check_within_steps(claims, certificate.problem.zones.time)
        return
    if certificate.audited is not None:
        raise InputError("an audit asks k of every known user")
    if asked is None:
        raise InputError("nothing is asked: the problem has no requirements")
    columns = (
        (claims.row, asked.row),
        (claims.start, asked.time),
        (claims.end, asked.time),
        (claims.k, asked.k),
    )
    if not all(np.array_equal(claimed, wanted) for claimed, wanted in columns):
        raise InputError("the claims are not about the problem's requirements")
    exists = (asked.row >= 0) & (asked.row < places.n_rows) & (asked.time >= 0) & (asked.k >= 1)
    if not np.all(exists & (asked.time <= places.horizon)):
        raise InputError("a requirement is about a user, a step or a k that does not exist")


def _check_everything_asked(
    claims: Claims, k: int, n_users: int, first: int, places: Occurrences
) -> None:
    """Claims must cover each user's steps, from the ``first`` one on, without gaps."""
    horizon = places.horizon
    if k < 1:
        raise InputError(f"k = {k} asks for nothing")
    done = claims.end == horizon
    row = np.concatenate([[0], claims.row + done])  # of the claim that comes next, and its start
    start = np.concatenate([[first], np.where(done, first, claims.end + 1)])
    right = (claims.row == row[:-1]) & (claims.start == start[:-1]) & (claims.k == k)
    wrong = np.flatnonzero(~right | (claims.start > claims.end) | (claims.end > horizon))
    if len(wrong):
        n = wrong[0]
        raise InputError(f"claim {n} is not the next one about row {row[n]}, step {start[n]}")
    if (row[-1], start[-1]) != (n_users, first):
        raise InputError(f"the claims end before row {row[-1]}, step {start[-1]}")


def _check_within_wires(claims: Claims, places: Occurrences) -> None:
    """No claim may span an exchange of its user."""
    begin, end = (places.at(claims.row, step) + 1 for step in (claims.start, claims.end))
    spans = np.flatnonzero(places.meetings(begin, end))
    if len(spans):
        raise InputError(f"claim {spans[0]} spans a mix zone of its user")


def _check_within_steps(claims: Claims, zone_time: Whole) -> None:
    """No claim of an audit may span any mix zone: a token may be on any track."""
    last = np.searchsorted(zone_time, claims.end, side="right")
    spans = np.flatnonzero(last - np.searchsorted(zone_time, claims.start, side="right"))
    if len(spans):
        raise InputError(f"claim {spans[0]} spans a mix zone")
