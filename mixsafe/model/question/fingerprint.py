"""Hash of a question; equal hashes mean, for practical purposes, equal questions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Seen
from mixsafe.model.question.problem import Problem

_BLOCK = 1 << 20
"""Numbers that are widened together."""


def fingerprint(problem: Problem, audited: Seen | None = None) -> str:
    """SHA-256 of everything in a problem except its name and notes.

    Parameters
    ----------
    problem
        Mix zones, users and steps without data, knowledge, and requirements if there are any.
    audited
        Knowledge of an auditor, if rows are published tracks; None: it is a publisher's question.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    zones, asked = problem.zones, problem.requirements
    digest = hashlib.sha256()
    # Absent users neither pass nor fail: unless hashed, any user in no zone could be added to them.
    whole = [np.asarray(zones.users).tolist(), astuple(zones.axis), zones.absent.tolist()]
    digest.update(json.dumps(whole, default=str).encode())
    seen = problem.knowledge
    if seen.distinct:
        digest.update(b"distinct")
    arrays: list[npt.NDArray[np.generic]] = [zones.time, zones.ptr, zones.members]
    if zones.published is not None:  # unless hashed, any step could be said not to count
        digest.update(b"published")
        arrays += [zones.published.ptr, zones.published.step]
    if zones.relation is not None:
        arrays += [zones.relation.ptr, zones.relation.words]
    arrays += [seen.row, seen.time]
    if asked is not None:
        arrays += [asked.row, asked.time, asked.k]
    if audited is not None:
        known, pins = np.asarray(audited.users).tolist(), audited.pins
        digest.update(json.dumps(known, default=str).encode())
        arrays += [pins.token, pins.time, pins.ptr, pins.rows]
    for array in arrays:
        _add(digest, array)
    return digest.hexdigest()


def _add(digest: hashlib._Hash, array: npt.NDArray[np.generic]) -> None:
    """Add an array with its length, so that different lists of arrays give different input."""
    digest.update(len(array).to_bytes(8, "little"))
    for begin in range(0, len(array), _BLOCK):
        digest.update(np.ascontiguousarray(array[begin : begin + _BLOCK], dtype="<i8").data)
