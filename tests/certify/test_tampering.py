"""Somebody changes certificates, and seals them again: only what is true is accepted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mixsafe.certify.certify import certify
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.verify.verification import verify
from tests.support.audit_certificates import drawn
from tests.support.oracles import domains_of
from tests.support.random_problems import random_problem
from tests.support.tampered import KINDS, accepted, is_true, tampered
from tests.support.tampered_anew import ANEW_KINDS
from tests.support.tampered_audits import AUDIT_KINDS
from tests.support.tampered_files import FILE_KINDS
from tests.support.tampered_minima import MinimumTruth, certified
from tests.support.tampered_proofs import (
    CORE_PROOF_KINDS,
    PROOF_KINDS,
    cores_with_proofs,
    with_proofs,
)


def test_no_certificate_whose_claims_are_false_for_the_source_is_accepted() -> None:
    random, kinds, passed = np.random.default_rng(15), set(), 0
    for number in range(25):
        asked = random_problem(random, max_users=5, max_zones=7)
        k = 2 if number % 2 else None
        if k is not None:
            asked = replace(asked, requirements=None)
        own = certify(verify(asked, k=k, engine="dp", keep_proof_data=True))
        domains = domains_of(asked)
        assert accepted(own, own)
        assert is_true(own, domains)
        for _ in range(30):
            try:
                kind, changed = tampered(own, random)
            except InputError:
                continue
            kinds.add(kind)
            if accepted(changed, own):
                passed += 1
                assert is_true(changed, domains), kind
    assert kinds == {*KINDS, "several at once"}
    assert passed > 0  # as a proof that nothing needs, or a witness that shows the same


def test_nor_is_a_certificate_of_an_audit() -> None:
    random, kinds = np.random.default_rng(16), set()
    for own, truth, _ in drawn(10, 3):
        assert accepted(own, own)
        for _ in range(16):
            try:
                kind, changed = tampered(own, random, AUDIT_KINDS)
            except InputError:
                continue
            kinds.add(kind)
            assert accepted(changed, own) is None or is_true(changed, truth), kind
    assert kinds == {*AUDIT_KINDS, "several at once"}


def test_nor_is_one_whose_proofs_are_changed_all_of_which_are_there() -> None:
    random, kinds, refused = np.random.default_rng(17), set(), 0
    for number in range(12):
        asked = random_problem(random, max_users=5, max_zones=6)
        own = with_proofs(certify(verify(asked, engine="dp", keep_proof_data=True)))
        domains = domains_of(asked)
        assert accepted(own, own)
        for _ in range(20):
            try:
                kind, changed = tampered(own, random, PROOF_KINDS)
            except InputError:
                continue
            kinds.add(kind)
            if accepted(changed, own):
                assert is_true(changed, domains), (number, kind)
            else:
                refused += 1
    assert kinds == {*PROOF_KINDS, "several at once"}
    assert refused > 100


def test_nor_is_one_of_a_minimum_set_whose_cores_proofs_are_changed() -> None:
    random, kinds, refused = np.random.default_rng(18), set(), 0
    for _ in range(10):
        asked = random_problem(random, max_users=4, max_zones=6)
        own, truth = cores_with_proofs(certified(asked)), MinimumTruth(asked)
        assert accepted(own, own)
        for _ in range(15):
            try:
                kind, changed = tampered(own, random, CORE_PROOF_KINDS)
            except InputError:
                continue
            kinds.add(kind)
            found = accepted(changed, own)
            assert found is None or truth.holds(changed, found), kind
            refused += found is None
    assert kinds == {*CORE_PROOF_KINDS, "several at once"}
    assert refused > 30


def test_nor_is_a_claim_with_all_that_it_needs_but_the_truth() -> None:
    random, kinds, refused = np.random.default_rng(19), set(), 0
    for _ in range(12):
        asked = random_problem(random, max_users=5, max_zones=6)
        own = with_proofs(certify(verify(asked, engine="dp", keep_proof_data=True)))
        domains = domains_of(asked)
        for _ in range(20):
            try:
                kind, changed = tampered(own, random, ANEW_KINDS)
            except InputError:
                continue
            kinds.add(kind)
            if accepted(changed, own):
                assert is_true(changed, domains), kind
            else:
                refused += 1
    assert kinds == {*ANEW_KINDS, "several at once"}
    assert refused > 100


def test_nor_is_one_whose_files_are_changed_and_sealed_again(tmp_path: Path) -> None:
    random, refused = np.random.default_rng(20), 0
    for number in range(3):
        asked = random_problem(random, max_users=4, max_zones=5)
        own = certify(verify(asked, engine="dp", keep_proof_data=True))
        domains = domains_of(asked)
        for kind, change in FILE_KINDS.items():
            folder = write_certificates(tmp_path / f"{number} {kind}", [own])
            change(folder, random)
            try:
                changed = read_certificates(folder)[0]
            except InputError:
                refused += 1
                continue
            assert not accepted(changed, own) or is_true(changed, domains), kind
    assert refused > 2 * len(FILE_KINDS)
