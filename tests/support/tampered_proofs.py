"""Certificates in which somebody changed Hall sets and refutations, all needed or true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mixsafe.certify.proving import closed
from mixsafe.check.minima import of_core
from mixsafe.check.unsafe import reached_in
from mixsafe.model.answer.certificate import (
    Certificate,
    ClauseProof,
    ClauseProofs,
    HallSet,
    HallSets,
    ZoneCore,
    ZoneCores,
)
from mixsafe.model.course import Deadline
from tests.support.refuted import by_clauses
from tests.support.tampered import Change, Random, made_unsafe, proofs
from tests.support.tampered_minima import of_chosen
from tests.support.tampered_minima import proofs as proofs_of_cores


def with_proofs(certificate: Certificate) -> Certificate:
    """The certificate with all Hall sets that strike anything, or one, and by clauses from there.

    Needed or not: what is wrong with any of them must be found.
    """
    hall_sets = certificate.hall_sets
    if certificate.audited is None:  # those of audits begin at their base, and stay
        reached = reached_in(certificate)
        any_left = np.zeros(len(reached.row), np.int64)
        found = closed(reached, reached.row, reached.start, any_left, Deadline(None))
        everybody = np.arange(reached.n_rows)
        hall_sets = HallSets.of(found or [HallSet(0, everybody, everybody)])
    return by_clauses(replace(certificate, hall_sets=hall_sets))


def cores_with_proofs(certificate: Certificate) -> Certificate:
    """A certificate of a minimum set each core of which has Hall sets and a refutation."""
    chosen = certificate.chosen
    assert chosen is not None

    def proven(core: ZoneCore) -> ZoneCore:
        made = with_proofs(of_core(certificate, core))
        return core._replace(hall_sets=tuple(made.hall_sets), refutation=made.clause_proofs[0])

    cores = ZoneCores.of([proven(core) for core in chosen.cores])
    return replace(certificate, chosen=replace(chosen, cores=cores))


def other_hall_sets(hall_sets: HallSets, random: Random) -> HallSets:
    """A Hall set is left out, doubled, moved, made smaller, or of one row and its own token."""
    listed = list(hall_sets)
    if not listed:
        return hall_sets
    place, what = int(random.integers(len(listed))), random.integers(5)
    one = listed[place]
    if what == 0:
        del listed[place]
    elif what == 1:
        listed.append(one)
    elif what == 2:
        listed.insert(int(random.integers(len(listed))), listed.pop(place))
    elif what == 3:
        listed[place] = one._replace(rows=one.rows[1:], tokens=one.tokens[1:])
    else:
        row = np.array([random.choice(one.rows)] if len(one.rows) else [0])
        listed.append(HallSet(one.time + int(random.integers(-1, 2)), row, row))
    return HallSets.of(listed)


def _other_refutation(proof: ClauseProof, random: Random) -> ClauseProof:
    """A lemma or a clause is left out, or it is about another row, step, stretch or tokens."""
    what = random.integers(6)
    if what == 0:
        return proof._replace(lemmas=np.delete(proof.lemmas, random.integers(len(proof.lemmas))))
    if what == 1 and len(proof.needed):
        gone = 3 * int(random.integers(len(proof.needed) // 3))
        return proof._replace(needed=np.delete(proof.needed, slice(gone, gone + 3)))
    if what == 2:
        return proof._replace(row=int(random.integers(0, 6)))
    if what == 3:
        return proof._replace(step=int(random.integers(0, 8)))
    if what == 4:
        return proof._replace(off=proof.off[1:])
    return proof._replace(begin=proof.begin + 1, end=proof.end - int(random.integers(2)))


def other_refutations(refutations: ClauseProofs, random: Random) -> ClauseProofs:
    """One is another one in some way, or two change places."""
    listed = list(refutations)
    if listed:
        one, other = (int(random.integers(len(listed))) for _ in range(2))
        if random.integers(4):
            listed[one] = _other_refutation(listed[one], random)
        else:
            listed[one], listed[other] = listed[other], listed[one]
    return ClauseProofs.of(listed)


def of_hall_sets(certificate: Certificate, random: Random) -> Certificate:
    return replace(certificate, hall_sets=other_hall_sets(certificate.hall_sets, random))


def of_refutations(certificate: Certificate, random: Random) -> Certificate:
    changed = other_refutations(certificate.clause_proofs, random)
    return replace(certificate, clause_proofs=changed)


def unsafe_with_hall_set(certificate: Certificate, random: Random) -> Certificate:
    """A claim is unsafe, and a Hall set says so: her own token is on her row only."""
    made = made_unsafe(certificate, random)
    changed = np.flatnonzero(made.claims.verdict != certificate.claims.verdict)
    listed = list(made.hall_sets)
    for claim in changed.tolist():
        row = np.array([made.claims.row[claim]], np.int64)
        listed.append(HallSet(int(made.claims.start[claim]), row, row))
    return replace(made, hall_sets=HallSets.of(listed))


def unsafe_with_refutation(certificate: Certificate, random: Random) -> Certificate:
    """A claim is unsafe, and has the refutation of another one, which is said to be its own."""
    made, listed = made_unsafe(certificate, random), list(certificate.clause_proofs)
    proof = made.claims.proof.copy()
    changed = np.flatnonzero(made.claims.verdict != certificate.claims.verdict)
    for claim in changed.tolist() if listed else []:
        row, step = int(made.claims.row[claim]), int(made.claims.start[claim])
        one = listed[int(random.integers(len(listed)))]
        proof[claim] = len(listed)
        listed.append(one._replace(row=row, step=step, off=np.array([row], np.int64)))
    return replace(
        made, claims=replace(made.claims, proof=proof), clause_proofs=ClauseProofs.of(listed)
    )


def smaller_core(chosen_cores: ZoneCores, random: Random) -> ZoneCores:
    """A core loses a zone, and a Hall set says that it is one yet."""
    cores = list(chosen_cores)
    full = [place for place, core in enumerate(cores) if len(core.off)]
    if full:
        place = int(random.choice(full))
        core, gone = cores[place], int(random.integers(len(cores[place].off)))
        row = core.left[:1].astype(np.int64)
        hall_sets = (*core.hall_sets, *(HallSet(time, row, row) for time in range(2)))
        cores[place] = core._replace(off=np.delete(core.off, gone), hall_sets=hall_sets)
    return ZoneCores.of(cores)


def of_cores(change: Callable[[ZoneCores, Random], ZoneCores]) -> Change:
    return of_chosen(lambda chosen, random: replace(chosen, cores=change(chosen.cores, random)))


PROOF_KINDS: dict[str, Change] = {
    "a Hall set changed": proofs("hall_sets"),
    "a refutation changed": proofs("clause_proofs"),
    "Hall sets left out, doubled, moved, smaller": of_hall_sets,
    "refutations left out, shorter, of others": of_refutations,
    "a claim made unsafe, with a Hall set": unsafe_with_hall_set,
    "a claim made unsafe, with a refutation": unsafe_with_refutation,
}
"""Changes of what shows unsafe claims."""

CORE_PROOF_KINDS: dict[str, Change] = {
    "a core's Hall set": of_chosen(proofs_of_cores("hall_sets")),
    "a core's refutation": of_chosen(proofs_of_cores("refutations")),
    "cores' Hall sets left out, doubled, moved, smaller": of_cores(
        lambda cores, random: _each(cores, random, hall_sets=True)
    ),
    "cores' refutations left out, shorter, of others": of_cores(
        lambda cores, random: _each(cores, random, hall_sets=False)
    ),
    "a core made smaller, with Hall sets": of_cores(smaller_core),
}
"""Changes of what shows cores."""


def _each(cores: ZoneCores, random: Random, *, hall_sets: bool) -> ZoneCores:
    """The Hall sets or the refutation of one core are others."""
    listed = list(cores)
    if not listed:
        return cores
    place = int(random.integers(len(listed)))
    core = listed[place]
    if hall_sets:
        changed = tuple(other_hall_sets(HallSets.of(list(core.hall_sets)), random))
        listed[place] = core._replace(hall_sets=changed)
    elif core.refutation is not None:
        listed[place] = core._replace(refutation=_other_refutation(core.refutation, random))
    return ZoneCores.of(listed)
