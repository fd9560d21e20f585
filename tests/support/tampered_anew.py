"""Forgeries by somebody who knows the definitions: assignments, Hall sets and claims made anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.model.answer.certificate import Certificate, HallSet, HallSets, Witnesses
from mixsafe.model.answer.verdict import SAFE, UNDECIDED
from mixsafe.model.csr import Ragged
from mixsafe.model.question.problem import Problem
from tests.support.certificates import Exchange, Witness, witnesses_of
from tests.support.tampered import Change, Random, made_unsafe, of_witnesses, saying
from tests.support.tampered_proofs import unsafe_with_hall_set, unsafe_with_refutation

_DRAWN = 40  # assignments


def drawn_assignment(problem: Problem, random: Random) -> Witness:
    """Exchanges as zones allow them, whatever is known: half of the zones permute."""
    zones, on = problem.zones, np.arange(problem.zones.n_users)
    exchanges = []
    for zone in range(len(zones)):
        rows = zones.members[zones.ptr[zone] : zones.ptr[zone + 1]]
        if random.integers(2):
            on[rows] = on[random.permutation(rows)]
            after = tuple(on[rows].tolist())
            exchanges.append(Exchange(int(zones.time[zone]), tuple(rows.tolist()), after))
    return tuple(exchanges)


def shown_by(assignment: Witness, row: int, step: int) -> int:
    """Token on a row after a step."""
    on = row
    for exchange in assignment:
        if exchange.time <= step and row in exchange.rows:
            on = exchange.tokens[exchange.rows.index(row)]
    return on


def safe_anew(certificate: Certificate, random: Random) -> Certificate:
    """A claim is said to be safe by assignments that show k tokens and may contradict sightings."""
    claims = certificate.claims
    if not len(claims):
        return certificate
    place = int(random.integers(len(claims)))
    row, step, k = (int(one[place]) for one in (claims.row, claims.start, claims.k))
    drawn = [drawn_assignment(certificate.problem, random) for _ in range(_DRAWN)]
    by_token = {shown_by(one, row, step): one for one in drawn}
    chosen = list(by_token.values())[: max(k, 0)]
    first = len(certificate.witnesses)
    pool = Witnesses.joined([*certificate.witnesses.pieces(), witnesses_of(chosen)])
    made = replace(certificate, witnesses=pool)
    return saying(made, place, SAFE, [first + n for n in range(len(chosen))], [])


def exchanged_on(pool: Witnesses, random: Random) -> Witnesses:
    """Two tokens of one witness have changed places from one of its exchanges on."""
    if not len(pool.time):
        return pool
    at = int(random.integers(len(pool.time)))
    end = int(pool.ptr[np.searchsorted(pool.ptr, at, side="right")])
    one, other = random.choice(pool.tokens[at], 2).tolist()
    tokens = pool.tokens.values.copy()
    rest = slice(int(pool.tokens.ptr[at]), int(pool.tokens.ptr[end]))
    was = tokens[rest]
    tokens[rest] = np.where(was == one, other, np.where(was == other, one, was))
    return replace(pool, tokens=Ragged(pool.tokens.ptr, tokens))


def without_data(certificate: Certificate, random: Random) -> Certificate:
    """Somebody is said to be one of whom there are no data: she would not be counted."""
    zones = certificate.problem.zones
    alone = np.setdiff1d(np.arange(zones.n_users), zones.members)
    if not len(alone):
        return certificate
    absent = np.setxor1d(zones.absent, random.choice(alone, 1))
    problem = replace(certificate.problem, zones=replace(zones, absent=absent))
    return replace(certificate, problem=problem)


def one_verdict_only(certificate: Certificate, changed: Certificate) -> Certificate:
    """What was changed, and nothing beside it that could contradict that."""
    claims = changed.claims
    kept = claims.verdict != certificate.claims.verdict
    verdict = np.where(kept, claims.verdict, UNDECIDED).astype(np.int8)
    witnesses, candidates = (
        Ragged.of(lists[i] if kept[i] else () for i in range(len(claims)))
        for lists in (claims.witnesses, claims.candidates)
    )
    proof = np.where(kept, claims.proof, -1).astype(np.int32)
    left = replace(claims, verdict=verdict, witnesses=witnesses, candidates=candidates, proof=proof)
    pool = changed.witnesses if len(witnesses.values) else witnesses_of([])
    return replace(changed, claims=left, witnesses=pool)


def alone(change: Change) -> Change:
    return lambda certificate, random: one_verdict_only(certificate, change(certificate, random))


def unsafe_with_hall_sets_anew(certificate: Certificate, random: Random) -> Certificate:
    """A claim is unsafe, and Hall sets of any rows and tokens say so."""
    made, n_rows = made_unsafe(certificate, random), certificate.problem.zones.n_users
    drawn = list(made.hall_sets)
    for _ in range(int(random.integers(1, 4))):
        size = int(random.integers(1, n_rows + 1))
        rows, tokens = (np.sort(random.choice(n_rows, size, replace=False)) for _ in range(2))
        time = int(random.integers(certificate.problem.zones.axis.steps + 1))
        drawn.append(HallSet(time, rows, rows if random.integers(2) else tokens))
    return replace(made, hall_sets=HallSets.of(drawn))


ANEW_KINDS: dict[str, Change] = {
    "a claim made safe by assignments drawn anew": safe_anew,
    "tokens of a witness exchanged from a step on": of_witnesses(exchanged_on),
    "somebody without data": without_data,
    "a claim made unsafe, all else open": alone(made_unsafe),
    "a claim made unsafe with a Hall set, all else open": alone(unsafe_with_hall_set),
    "a claim made unsafe with Hall sets drawn anew": unsafe_with_hall_sets_anew,
    "a claim made unsafe with Hall sets drawn anew, all else open": alone(
        unsafe_with_hall_sets_anew
    ),
    "a claim made unsafe with a refutation, all else open": alone(unsafe_with_refutation),
}
"""Changes that fit each other, so that one guard alone stands in their way."""
