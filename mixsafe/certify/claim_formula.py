"""All clauses of a claim for a solver, with their names: written by a compiled function.

What they are, and what they are called, is in :mod:`mixsafe.check.claim_clauses`; here they are
only written faster. Any of them may be left out, which cannot make a wrong proof. So where zones
are large, those that most refutations do without are: that a token leaves by one wire only, and
that it came from where it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.check import claim_clauses as kinds
from mixsafe.check.claim_clauses import ClaimClauses
from mixsafe.check.reached import Reached
from mixsafe.compiled import as_python, compiled, inner
from mixsafe.model.answer.proof import ClauseProof

_PAIRED = 16  # wires of a zone; with more, a token is not kept from being on two of them
_MOST_LITERALS = 4_000_000  # of a formula; of larger ones nothing is asked

_BEGIN, _ONWARD, _BACK, _FILLED, _NEXT, _LAST, _APART, _OFF = (
    kinds.BEGIN, kinds.ONWARD, kinds.BACK, kinds.FILLED, kinds.NEXT, kinds.LAST,
    kinds.APART, kinds.OFF,
)  # fmt: skip


class ClaimFormula(NamedTuple):
    """Clauses, each ended by a 0, and their names.

    ``literals``: (n_literals,) int32. ``names``: (n_clauses, 3) int32. ``n_variables``: how many.
    """

    literals: npt.NDArray[np.int32]
    names: npt.NDArray[np.int32]
    n_variables: int


class _Written(NamedTuple):
    """What is written on: once to count, with no room at all, then to keep."""

    literals: npt.NDArray[np.int32]
    names: npt.NDArray[np.int32]  # three for each clause
    at: npt.NDArray[np.int64]  # (2,): how many of either are written


class _Given(NamedTuple):
    """What the clauses are about."""

    variables: npt.NDArray[np.int32]  # (n_wires, n_tracked) of the wires in the stretch of time
    filled: npt.NDArray[np.bool_]  # (n_wires,): whether nobody but tracked tokens can be there
    begins: npt.NDArray[np.int64]  # (n_rows,): places of the wires at the first step
    zone_ptr: npt.NDArray[np.int64]  # (n_zones + 1,)
    came: npt.NDArray[np.int64]  # (n_memberships,): places of wires that come to a zone,
    goes: npt.NDArray[np.int64]  # and of those that leave it
    same: npt.NDArray[np.int64]  # (n_links, 2): places of wires that have one token
    off: npt.NDArray[np.int32]  # variables that the claim takes to be false
    n_variables: int


def claim_formula(reached: Reached, proof: ClauseProof) -> ClaimFormula | None:
    """All clauses of a claim; None: they are too many.

    Parameters
    ----------
    reached
        Where single tokens can be.
    proof
        Claim, tokens and stretch of time; what it needs is not looked at.
    """
    told = ClaimClauses(reached, proof)
    given = _given(reached, proof, told)
    most = int(np.diff(given.zone_ptr).max(initial=0))
    steps = given.variables.size * 4 + len(given.came) * given.variables.shape[1] * min(most, 99)
    page = _blank(0, 0)
    with as_python(steps):
        _write(page, given)  # to count
        if page.at[0] > _MOST_LITERALS:
            return None
        page = _blank(*page.at.tolist())
        _write(page, given)
    return ClaimFormula(page.literals, page.names.reshape(-1, 3), given.n_variables)


def _blank(n_literals: int, n_names: int) -> _Written:
    return _Written(
        np.zeros(n_literals, np.int32), np.zeros(n_names, np.int32), np.zeros(2, np.int64)
    )


def _given(reached: Reached, proof: ClauseProof, told: ClaimClauses) -> _Given:
    """Arrays of a claim."""
    zones, wires = reached.problem.zones, told.wires
    low, high = np.searchsorted(zones.time, [proof.begin + 1, proof.end + 1])
    entries = slice(int(zones.ptr[low]), int(zones.ptr[high]))
    same = reached.same[np.isin(reached.same, wires).all(axis=1)]
    if reached.pins is None:
        claimed, tokens = reached.wire_at(np.array([proof.row]), np.array([proof.step])), proof.off
    else:
        claimed, tokens = reached.wires_at(proof.step)[proof.off], np.array([proof.row])
    of_token = np.searchsorted(proof.tracked, tokens)
    off = told.variables[np.ix_(np.searchsorted(wires, claimed), of_token)].ravel()
    there = np.count_nonzero(told.variables, axis=1)
    all_there = np.bitwise_count(reached.sets[wires]).sum(axis=1)
    return _Given(
        told.variables,
        (there == all_there) & (there > 0),
        np.searchsorted(wires, reached.wires_at(proof.begin)),
        zones.ptr[low : high + 1] - zones.ptr[low],
        np.searchsorted(wires, reached.before[entries]),
        np.searchsorted(wires, reached.before[entries] + 1),
        np.searchsorted(wires, same),
        off[off > 0],
        told.n_variables,
    )


@compiled
def _write(page: _Written, given: _Given) -> None:  # pragma: no cover - compiled
    """Write all clauses."""
    variables = given.variables
    for i in range(variables.shape[1]):
        _all_of(0, given.begins, i, given, page)
        _name(_BEGIN, i, 0, page)
        _one_at_most(given.begins, i, given, page)
    for w in range(len(variables)):
        _wire(w, given, page)
    for z in range(len(given.zone_ptr) - 1):
        came = given.came[given.zone_ptr[z] : given.zone_ptr[z + 1]]
        goes = given.goes[given.zone_ptr[z] : given.zone_ptr[z + 1]]
        for i in range(variables.shape[1]):
            _pass(_ONWARD, came, goes, i, given, page)
            if len(came) <= _PAIRED:
                _pass(_BACK, goes, came, i, given, page)
            _one_at_most(goes, i, given, page)
    for s in range(len(given.same)):
        for i in range(variables.shape[1]):
            _pass(_NEXT, given.same[s, :1], given.same[s, 1:], i, given, page)
            _pass(_LAST, given.same[s, 1:], given.same[s, :1], i, given, page)
    for v in given.off:
        _put(-v, page)
        _name(_OFF, v, 0, page)


@inner
def _put(literal: int, page: _Written) -> None:  # pragma: no cover - compiled
    """Write a literal; where there is no room, count it."""
    if page.at[0] < len(page.literals):
        page.literals[page.at[0]] = literal
    page.at[0] += 1


@inner
def _name(kind: int, about: int, other: int, page: _Written) -> None:  # pragma: no cover
    """End a clause."""
    _put(0, page)
    at = page.at[1]
    if at < len(page.names):
        page.names[at] = kind
        page.names[at + 1] = about
        page.names[at + 2] = other
    page.at[1] += 3


@inner
def _all_of(  # pragma: no cover - compiled
    literal: int, wires: npt.NDArray[np.int64], i: int, given: _Given, page: _Written
) -> None:
    """A literal, unless it is 0, and the variables of a token on some wires."""
    if literal:
        _put(literal, page)
    for w in wires:
        if given.variables[w, i]:
            _put(given.variables[w, i], page)


@inner
def _pass(  # pragma: no cover - compiled
    kind: int,
    here: npt.NDArray[np.int64],
    there: npt.NDArray[np.int64],
    i: int,
    given: _Given,
    page: _Written,
) -> None:
    """A token that is on one of these wires is on one of those."""
    for w in here:
        v = given.variables[w, i]
        if v:
            _all_of(-v, there, i, given, page)
            _name(kind, v, 0, page)


@inner
def _apart(one: int, other: int, page: _Written) -> None:  # pragma: no cover - compiled
    """One of two variables is false."""
    low, high = min(one, other), max(one, other)
    _put(-low, page)
    _put(-high, page)
    _name(_APART, low, high, page)


@inner
def _one_at_most(  # pragma: no cover - compiled
    wires: npt.NDArray[np.int64], i: int, given: _Given, page: _Written
) -> None:
    """A token is on one of these wires, or on none."""
    if len(wires) > _PAIRED:
        return
    for a in range(len(wires)):
        for b in range(a):
            one, other = given.variables[wires[a], i], given.variables[wires[b], i]
            if one and other:
                _apart(one, other, page)


@inner
def _wire(w: int, given: _Given, page: _Written) -> None:  # pragma: no cover - compiled
    """No two tokens are on a wire, and one is, if no other can be."""
    variables = given.variables[w]
    for a in range(len(variables)):
        if variables[a]:
            for b in range(a):
                if variables[b]:
                    _apart(variables[a], variables[b], page)
    if given.filled[w]:
        for a in range(len(variables)):
            if variables[a]:
                _put(variables[a], page)
        _name(_FILLED, w, 0, page)
