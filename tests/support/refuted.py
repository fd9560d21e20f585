"""Certificates that refute every unsafe claim by clauses; checkers of DRAT that are not ours."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from mixsafe.certify.proving import Doubt, refutations
from mixsafe.check.minima import of_core
from mixsafe.check.unsafe import reached_in
from mixsafe.model.answer.certificate import Certificate, ClauseProofs, ZoneCores
from mixsafe.model.answer.verdict import UNSAFE
from mixsafe.model.course import Course, SolveLimits


def by_clauses(certificate: Certificate) -> Certificate:
    """The certificate with a refutation of every unsafe claim, needed or not."""
    claims = certificate.claims
    unsafe = np.flatnonzero(claims.verdict == UNSAFE)
    doubts = [
        Doubt(int(claims.row[one]), int(claims.start[one]), claims.candidates[one].astype(np.int64))
        for one in unsafe.tolist()
    ]
    reached = reached_in(certificate)
    reached.close(list(certificate.hall_sets))
    reached.follow()
    proof = np.full(len(claims), -1, np.int32)
    proof[unsafe] = np.arange(len(unsafe))
    found = [
        one
        for one in refutations(reached, doubts, Course.begin(SolveLimits(workers=1)))
        if one is not None
    ]
    assert len(found) == len(unsafe)
    return replace(
        certificate, claims=replace(claims, proof=proof), clause_proofs=ClauseProofs.of(found)
    )


def cores_by_clauses(certificate: Certificate) -> Certificate:
    """A certificate of a minimum set with a refutation of every core, needed or not."""
    chosen = certificate.chosen
    assert chosen is not None
    cores = [
        core._replace(refutation=by_clauses(of_core(certificate, core)).clause_proofs[0])
        for core in chosen.cores
    ]
    return replace(certificate, chosen=replace(chosen, cores=ZoneCores.of(cores)))


def dratify(clauses: Path, lemmas: Path) -> bool:
    """What a checker in Python says; it is a package of its own."""
    from dratify import check_proof, parse_dimacs

    return bool(check_proof(parse_dimacs(clauses.read_text()), lemmas.read_text()).ok)


def drup(clauses: Path, lemmas: Path) -> bool:
    """What a checker says that is extracted from a program that is proven to be correct."""
    from drup import Outcome, check_proof_from_files

    return bool(check_proof_from_files(str(clauses), str(lemmas)).outcome == Outcome.VALID)


CHECKERS: dict[str, Callable[[Path, Path], bool]] = {"dratify": dratify, "drup": drup}


def is_installed(checker: str) -> bool:
    """Whether a checker can be asked."""
    return importlib.util.find_spec(checker) is not None
