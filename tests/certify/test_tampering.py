"""Somebody changes certificates, and seals them again: only what is true is accepted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.certify.certify import certify
from mixsafe.errors import InputError
from mixsafe.verify.verification import verify
from tests.oracles import domains_of
from tests.random_problems import random_problem
from tests.tampered import KINDS, accepted, is_true, tampered


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
