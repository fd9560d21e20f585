"""Certificates of links of tracklets: what they show, and forgeries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.certify.certify_links import certify_links
from mixsafe.check.links.link_check import LinksChecked, check_links
from mixsafe.errors import InputError
from mixsafe.model.limits import Deadline
from mixsafe.model.tracklets.links import Contradiction
from mixsafe.tracklets.histories import decide
from tests.support.link_oracle import problem_of, random_links


@given(st.integers(0, 2**32 - 1))
def test_what_is_decided_is_shown(seed):
    problem = random_links(np.random.default_rng(seed))
    problem = replace(problem, same=problem.same[:0])
    bounds = decide(problem)
    found = check_links(certify_links(problem, bounds))
    if bounds.contradiction is not None:
        assert found.contradiction is True
        return
    proven = bounds.proven.sum() + bounds.may_end.sum() + bounds.may_begin.sum()
    everything = problem.n_links + 2 * len(problem)
    assert found == LinksChecked(proven, 0, everything - proven, 0, 0)


@given(st.integers(0, 2**32 - 1))
def test_no_claim_can_be_turned(seed):
    rng = np.random.default_rng(seed)
    problem = random_links(rng)
    problem = replace(problem, same=problem.same[:0])
    bounds = decide(problem)
    if bounds.contradiction is not None or problem.n_links == 0:
        return
    certificate = certify_links(problem, bounds)
    turned = bounds.proven.copy()
    turned[rng.integers(len(turned))] ^= True
    with pytest.raises(InputError, match="it is said"):
        check_links(replace(certificate, bounds=replace(bounds, proven=turned, possible=turned)))


@given(st.integers(0, 2**32 - 1))
def test_with_pairs_of_one_vehicle_the_rest_is_only_claimed(seed):
    problem = random_links(np.random.default_rng(seed))
    bounds = decide(problem)
    found = check_links(certify_links(problem, bounds))
    if len(problem.same) and bounds.contradiction is None:
        assert found.possible == 0
        proven = bounds.proven.sum() + bounds.may_end.sum() + bounds.may_begin.sum()
        assert found.possible_claimed == proven


def closed():
    """0 and 1 must become 3 or 4 (2 may become 4 or 5); 3 must have come."""
    alive = [(0, 1)] * 3 + [(5, 6)] * 3
    links = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 4), (2, 5)]
    problem = problem_of(alive, links, [0, 1], [3])
    return certify_links(problem, decide(problem))


def with_proof(certificate, **parts):
    return replace(certificate, proof=replace(certificate.proof, **parts))


def changed(array, at, value):
    array = array.copy()
    array[at] = value
    return array


def refused(certificate, told):
    with pytest.raises(InputError, match=told):
        check_links(certificate)


def test_a_history_must_be_one():
    certificate = closed()
    after = certificate.proof.after
    assert check_links(certificate).possible > 0
    refused(with_proof(certificate, after=changed(after, 2, 3)), "a link that is not there")
    refused(with_proof(certificate, after=changed(after, 2, 99)), "a link that is not there")
    refused(with_proof(certificate, after=changed(after, 2, 4)), "continues two tracklets as one")
    refused(with_proof(certificate, after=changed(after, 0, -1)), "does not cover all")
    refused(with_proof(certificate, after=after[:-1]), "another number of tracklets")


def test_a_beginning_that_must_have_come_must_be_covered():
    problem = problem_of([(0, 1), (5, 6)], [(0, 1)], [], [1])
    certificate = certify_links(problem, decide(problem))
    refused(with_proof(certificate, after=np.array([-1, -1], np.int32)), "does not cover all")


def test_paths_of_a_proof_must_be_paths():
    certificate = closed()
    tree = certificate.proof.to_root
    nodes = np.arange(len(tree))
    inner = int(np.flatnonzero(tree != nodes)[0])
    below = int(tree[inner])
    alone = int(
        np.flatnonzero(np.bincount(certificate.proof.label)[certificate.proof.label] == 1)[0]
    )
    for name in ("to_root", "from_root"):
        tree = getattr(certificate.proof, name)
        circle = changed(changed(tree, inner, below), below, inner)
        refused(with_proof(certificate, **{name: circle}), "in a circle")
        refused(with_proof(certificate, **{name: changed(tree, inner, -2)}), "is not there")
        refused(with_proof(certificate, **{name: changed(tree, inner, alone)}), "no path leads")
    # There and back, but by arcs that are not there.
    both = changed(certificate.proof.to_root, alone, below)
    back = changed(certificate.proof.from_root, alone, below)
    refused(with_proof(certificate, to_root=both, from_root=back), "an arc that is not there")


@pytest.mark.parametrize("node", range(13))
def test_no_number_may_rise(node):
    certificate = closed()
    label = certificate.proof.label
    for value in (label.max() + 1, -1):
        forged = with_proof(certificate, label=changed(label, node, value))
        try:
            found = check_links(forged)
        except InputError:
            continue
        assert found == check_links(certificate)  # a change that says nothing else


def test_one_number_for_all_shows_nothing_excluded():
    certificate = closed()
    found = check_links(with_proof(certificate, label=np.zeros_like(certificate.proof.label)))
    free = certificate.problem.must_continue.sum() + certificate.problem.must_come.sum()
    assert found.excluded == free
    assert found.excluded_claimed == check_links(certificate).excluded - free


def test_a_link_must_not_be_proven_and_excluded():
    certificate = closed()
    forged = replace(certificate.bounds, possible=np.zeros_like(certificate.bounds.possible))
    refused(replace(certificate, bounds=forged), "at once")
    short = replace(certificate.bounds, proven=certificate.bounds.proven[:-1])
    refused(replace(certificate, bounds=short), "as many claims")


def contradicted():
    problem = problem_of([(0, 1)] * 3 + [(5, 6)] * 2, [(0, 3), (1, 3), (2, 4)], [0, 1])
    return certify_links(problem, decide(problem))


def told(certificate, why):
    return replace(certificate, bounds=replace(certificate.bounds, contradiction=why))


def test_a_contradiction_must_be_one():
    certificate = contradicted()
    assert check_links(certificate).contradiction is True
    for ends, reason in (
        ([0], "as many"),
        ([0, 0], "twice"),
        ([0, 9], "not there"),
        ([0, 1, 2], "need not be covered"),
    ):
        refused(told(certificate, Contradiction(ends=np.array(ends))), reason)
    possible = np.ones_like(certificate.bounds.possible)
    refused(
        replace(certificate, bounds=replace(certificate.bounds, possible=possible)), "no history"
    )


def test_a_contradiction_by_pairs_is_only_claimed():
    problem = problem_of([(0, 1), (0, 1), (5, 6)], [(1, 2)], same=[(0, 2)])
    found = check_links(certify_links(problem, decide(problem)))
    assert found.contradiction is None


def test_what_is_open_is_counted():
    problem = problem_of([(0, 1), (5, 6)], [(0, 1)], same=[(0, 1)])
    bounds = decide(problem, Deadline(0))
    assert check_links(certify_links(problem, bounds)).undecided == 5
