"""Whether the claims are about the question: none may be missing, added or changed."""

from __future__ import annotations

import numpy as np

from mixsafe.check.lookup import Places
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate, Claims


def check_asked(certificate: Certificate, places: Places) -> None:
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
        _check_everything_asked(claims, certificate.k, places)
        return
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
    if not np.all(exists & (asked.time <= places.horizon) & (asked.k <= places.n_rows)):
        raise InputError("a requirement is about a user, a step or a k that does not exist")


def _check_everything_asked(claims: Claims, k: int, places: Places) -> None:
    """Claims must cover each user's steps without gaps, and none may span an exchange."""
    horizon = places.horizon
    if not 1 <= k <= places.n_rows:
        raise InputError(f"k = {k} is not between 1 and the number of users, {places.n_rows}")
    done = claims.end == horizon
    row = np.concatenate([[0], claims.row + done])  # of the claim that comes next, and its start
    start = np.concatenate([[0], np.where(done, 0, claims.end + 1)])
    right = (claims.row == row[:-1]) & (claims.start == start[:-1]) & (claims.k == k)
    wrong = np.flatnonzero(~right | (claims.start > claims.end) | (claims.end > horizon))
    if len(wrong):
        n = wrong[0]
        raise InputError(f"claim {n} is not the next one about row {row[n]}, step {start[n]}")
    begin, end = (places.at(claims.row, step) + 1 for step in (claims.start, claims.end))
    spans = np.flatnonzero(places.meetings(begin, end))
    if len(spans):
        raise InputError(f"claim {spans[0]} spans a mix zone of its user")
    if (row[-1], start[-1]) != (places.n_rows, 0):
        raise InputError(f"the claims end before row {row[-1]}, step {start[-1]}")
