"""Somebody changes certificates, and seals them again: only what is true is accepted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.certify.certify import certify
from mixsafe.errors import InputError
from mixsafe.verify.verification import verify
from tests.certify.test_certify_audit import drawn
from tests.oracles import domains_of
from tests.random_problems import random_problem
from tests.tampered import KINDS, accepted, is_true, tampered
from tests.tampered_audits import AUDIT_KINDS


def test_no_certificate_whose_claims_are_false_for_the_source_is_accepted() -> None:
    random, kinds, passed = np.random.default_rng(15), set(), 0
    for number in range(25):
        asked = random_problem(random, max_users=5, max_zones=7)
        k = 2 if number % 2 else None
        if k is not None:
            asked = replace(asked, requirements=None)
        own = certify(verify(asked, k=k, engine="dp", keep_grounds=True))
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
