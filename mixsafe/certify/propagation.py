"""Lemmas of a solver with what they follow from: by unit propagation, with two watched literals.

A solver logs the clauses that it learns, not why. Each is propagated again here, over all clauses
before it, and the clauses that take part in the contradiction are noted. What the contradiction
in the end does not rest on is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered

Ints = npt.NDArray[np.int64]

_NONE = -1
_GIVEN = -2  # reason of a literal that is assumed


class Derivation(NamedTuple):
    """A contradiction of some clauses, without what it does not need.

    Parameters
    ----------
    needed
        (n,) int64: places of the clauses, from 0, ascending.
    lemmas
        (n,) int32: as in :class:`~mixsafe.model.answer.certificate.ClauseProof`.
    """

    needed: Ints
    lemmas: npt.NDArray[np.int32]


class _State(NamedTuple):
    """Clauses, and what is propagated; variable v has the code 2 v, its negation 2 v + 1."""

    code: npt.NDArray[np.int32]  # literals of all clauses
    ptr: Ints  # (n_clauses + 1,)
    first: Ints  # (2 n_variables + 2,): first watch of each literal; watch 2 c + i is of clause c
    following: Ints  # (2 n_clauses,): next watch of the same literal
    false: npt.NDArray[np.bool_]  # (2 n_variables + 2,): whether a literal is false
    trail: Ints  # (n_variables + 1,): true literals, in their order
    reason: Ints  # (n_variables + 1,): clause that made a variable known
    seen: npt.NDArray[np.bool_]  # (n_variables + 1,)
    named: Ints  # (n_variables + 2,): clauses that a lemma follows from, in their order
    at: Ints  # (2,): literals on the trail, and literals that were propagated


def derive(
    clauses: npt.NDArray[np.int32], learned: npt.NDArray[np.int32], n_variables: int
) -> Derivation | None:
    """Say what each learned clause follows from.

    Parameters
    ----------
    clauses, learned
        Literals, each clause ended by a 0.
    n_variables
        Number of variables.

    Returns
    -------
    Derivation | None
        None: some learned clause does not follow by unit propagation, or they end without a
        contradiction.
    """
    whole = np.concatenate([clauses, learned])
    ends = np.flatnonzero(whole == 0)
    n_clauses = int(np.count_nonzero(clauses == 0))
    state = _state(whole, ends, n_variables)
    lemmas: dict[int, Ints] = {}
    end = _take_all(state, n_clauses)
    for lemma in range(n_clauses, len(ends)):
        if end != _NONE:
            break
        n_named = _infer(state, lemma)
        if n_named == 0:
            return None
        if n_named > 0:  # else it is known to be true already
            lemmas[lemma] = state.named[:n_named].copy()
            end = _take(state, lemma)
    if end == _NONE:
        return None
    last = state.named[: _name(state, end)].copy()
    return _without_rest(whole, ends, n_clauses, lemmas, last)


def _state(whole: npt.NDArray[np.int32], ends: Ints, n_variables: int) -> _State:
    ptr = np.concatenate([[0], ends - np.arange(len(ends))])
    literals = whole[whole != 0]
    return _State(
        (2 * np.abs(literals) + (literals < 0)).astype(np.int32),
        ptr.astype(np.int64),
        np.full(2 * n_variables + 2, _NONE),
        np.full(2 * len(ends), _NONE),
        np.zeros(2 * n_variables + 2, np.bool_),
        np.zeros(n_variables + 1, np.int64),
        np.full(n_variables + 1, _NONE),
        np.zeros(n_variables + 1, np.bool_),
        np.zeros(n_variables + 2, np.int64),
        np.zeros(2, np.int64),
    )


def _without_rest(
    whole: npt.NDArray[np.int32], ends: Ints, n_clauses: int, lemmas: dict[int, Ints], last: Ints
) -> Derivation:
    """Leave out what the contradiction does not rest on."""
    needed = set(last.tolist())
    for lemma in sorted(lemmas, reverse=True):
        if lemma in needed:
            needed.update(lemmas[lemma].tolist())
    kept = sorted(needed)
    place = {clause: number for number, clause in enumerate(kept, 1)}
    begins = np.concatenate([[0], ends[:-1] + 1]).tolist()
    flat: list[int] = []
    for lemma in kept:
        if lemma >= n_clauses:
            flat += whole[begins[lemma] : ends[lemma]].tolist()
            flat += [0, *(place[one] for one in lemmas[lemma].tolist()), 0]
    flat += [0, *(place[one] for one in last.tolist()), 0]
    originals = [clause for clause in kept if clause < n_clauses]
    return Derivation(np.array(originals, np.int64), np.array(flat, np.int32))


@tiered
def _take_all(state: _State, n_clauses: int) -> int:  # pragma: no cover - compiled
    """Take in the clauses that are given; the one that is contradicted, or none."""
    for c in range(n_clauses):
        end = _take(state, c)
        if end != _NONE:
            return end
    return _NONE


@tiered
def _take(state: _State, c: int) -> int:  # pragma: no cover - compiled
    """Watch two literals of a clause that are not false, or propagate the only one."""
    begin, end = state.ptr[c], state.ptr[c + 1]
    n = 0
    for k in range(begin, end):
        if not state.false[state.code[k]]:
            state.code[begin + n], state.code[k] = state.code[k], state.code[begin + n]
            n += 1
            if n == 2:
                break
    if n == 0:
        return c
    if n == 1:
        literal = state.code[begin]
        if not state.false[literal ^ 1]:
            _assign(state, literal, c)
            return _propagate(state)
        return _NONE
    for i in range(2):
        _watch(state, 2 * c + i, state.code[begin + i])
    return _NONE


@inner
def _watch(state: _State, watch: int, literal: int) -> None:  # pragma: no cover - compiled
    state.following[watch] = state.first[literal]
    state.first[literal] = watch


@inner
def _assign(state: _State, literal: int, reason: int) -> None:  # pragma: no cover - compiled
    """Let a literal be true."""
    state.false[literal ^ 1] = True
    state.reason[literal >> 1] = reason
    state.trail[state.at[0]] = literal
    state.at[0] += 1


@inner
def _propagate(state: _State) -> int:  # pragma: no cover - compiled
    """Follow from what is known; a clause all of whose literals are false, or none."""
    while state.at[1] < state.at[0]:
        literal = state.trail[state.at[1]] ^ 1  # which is false
        state.at[1] += 1
        before, watch = np.int64(_NONE), state.first[literal]
        while watch != _NONE:
            following, c = state.following[watch], watch >> 1
            begin, i = state.ptr[c], watch & 1
            other = state.code[begin + 1 - i]
            true = state.false[other ^ 1]
            if not true:
                k = _another(state, c)
                if k != _NONE:
                    if before == _NONE:
                        state.first[literal] = following
                    else:
                        state.following[before] = following
                    state.code[begin + i], state.code[k] = state.code[k], state.code[begin + i]
                    _watch(state, watch, state.code[begin + i])
                    watch = following
                    continue
                if state.false[other]:
                    return c
                _assign(state, other, c)
            before, watch = watch, following
    return _NONE


@inner
def _another(state: _State, c: int) -> int:  # pragma: no cover - compiled
    """Place of a literal of a clause that is not watched and not false, or none."""
    for k in range(state.ptr[c] + 2, state.ptr[c + 1]):
        if not state.false[state.code[k]]:
            return k
    return _NONE


@tiered
def _infer(state: _State, lemma: int) -> int:  # pragma: no cover - compiled
    """Number of clauses that a lemma follows from; 0: it does not, none: it is true already."""
    kept = state.at[0]
    for k in range(state.ptr[lemma], state.ptr[lemma + 1]):
        literal = state.code[k]
        if state.false[literal ^ 1]:  # true: known before, or the lemma has a literal and its not
            _forget(state, kept)
            return _NONE
        if not state.false[literal]:
            _assign(state, literal ^ 1, _GIVEN)
    end = _propagate(state)
    n = 0
    if end != _NONE:
        n = _name(state, end)
    _forget(state, kept)
    return n


@inner
def _forget(state: _State, kept: int) -> None:  # pragma: no cover - compiled
    """Take back what is not known for good."""
    for place in range(kept, state.at[0]):
        literal = state.trail[place]
        state.false[literal ^ 1] = False
        state.reason[literal >> 1] = _NONE
    state.at[0] = kept
    state.at[1] = kept


@tiered
def _name(state: _State, end: int) -> int:  # pragma: no cover - compiled
    """Write the clauses that made all literals of clause ``end`` false, and it, to ``named``.

    Returns how many they are: what a contradiction of what is known rests on.
    """
    n = 1
    state.named[0] = end
    _see(state, end)
    for place in range(state.at[0] - 1, -1, -1):
        variable = state.trail[place] >> 1
        if state.seen[variable]:
            state.seen[variable] = False
            if state.reason[variable] >= 0:
                state.named[n] = state.reason[variable]
                n += 1
                _see(state, state.reason[variable])
    for i in range(n // 2):
        state.named[i], state.named[n - 1 - i] = state.named[n - 1 - i], state.named[i]
    return n


@inner
def _see(state: _State, c: int) -> None:  # pragma: no cover - compiled
    """Look at the variables of a clause that are known."""
    for k in range(state.ptr[c], state.ptr[c + 1]):
        literal = state.code[k]
        if state.false[literal]:
            state.seen[literal >> 1] = True
