"""Certificates of links of tracklets: what they show, and forgeries."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.certify.certify_links import certify_links
from mixsafe.check.link_check import LinksChecked, check_links
from mixsafe.errors import InputError
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Contradiction, LinkBounds, LinkCertificate, LinkProof
from mixsafe.tracklets.histories import decide
from mixsafe.tracklets.matching import History, exchange_graph
from tests.support.link_oracle import histories_of, listed, problem_of, random_links


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


def test_without_links_nothing_continues():
    problem = problem_of([(0, 1), (5, 6), (8, 9)], [])
    certificate = certify_links(problem, decide(problem))
    for end, begin in ((0, 1), (0, 2), (1, 2)):
        after = np.array([begin if i == end else -1 for i in range(3)], np.int32)
        refused(with_proof(certificate, after=after), "a link that is not there")


def test_links_are_in_ascending_order_and_none_is_there_twice():
    certificate = closed()
    problem = certificate.problem
    for to in ([4, 3], [3, 3]):
        other = replace(problem, to=np.array([*to, *problem.to[2:]], np.int32))
        refused(replace(certificate, problem=other), "not in ascending order")


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
        for beyond in (-1, len(tree)):
            forged = with_proof(certificate, **{name: changed(tree, inner, beyond)})
            refused(forged, "a node that is not there")
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


def claiming(problem, proven, possible):
    m, n = problem.n_links, len(problem)
    (links, ends, begins), (more_links, more_ends, more_begins) = (
        np.split(one, [m, m + n]) for one in (proven, possible)
    )
    return LinkBounds(links, more_links, ends, begins, more_ends, more_begins)


def test_what_is_refused_is_named():
    certificate = closed()
    problem, n = certificate.problem, len(certificate.problem)
    links = zip(problem.owner.tolist(), problem.to.tolist(), strict=True)
    names = [f"the link from tracklet {i} to {j}" for i, j in links]
    names += [f"tracklet {i} without a continuation" for i in range(n)]
    names += [f"tracklet {i} without an origin" for i in range(n)]
    for at, name in enumerate(names):
        claimed = np.arange(len(names)) >= at  # the first one is named
        bounds = claiming(problem, claimed, np.zeros(len(names), bool))
        refused(replace(certificate, bounds=bounds), f"^{name}, it is said, is proven and excluded")


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
    assert found.contradiction is False


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


def drawn(seed, most=4):
    rng = np.random.default_rng(seed)
    problem = random_links(rng, most)
    return rng, replace(problem, same=problem.same[:0])


def truth_of(problem):
    """Whether each link, end and beginning is in some history, by listing all of them."""
    found = listed(problem)
    links = [link in found.after for link in zip(problem.owner, problem.to, strict=True)]
    ends = [(i, -1) in found.after for i in range(len(problem))]
    begins = [(i, -1) in found.before for i in range(len(problem))]
    return np.array(links + ends + begins, bool)


def shows_nothing_false(problem, truth, proof):
    """Whether no false claim is shown by a proof, whatever it is; each is made alone."""
    for at in range(len(truth)):
        one = np.arange(len(truth)) == at
        bounds = claiming(problem, one & ~truth, ~(one & truth))
        try:
            found = check_links(LinkCertificate(problem, bounds, proof))
        except InputError:
            continue
        if found.possible or found.excluded:
            return False
        assert found.possible_claimed == (not truth[at])
        assert found.excluded_claimed == truth[at]
    return True


def saying_nothing(after):
    """A history, one number for all, and no paths."""
    nodes = np.arange(2 * len(after) + 1, dtype=np.int32)
    return LinkProof(np.array(after, np.int32), np.zeros_like(nodes), nodes, nodes)


@given(st.integers(0, 2**32 - 1))
def test_what_is_no_history_shows_nothing_false(seed):
    rng, problem = drawn(seed)
    truth = truth_of(problem)
    for _ in range(4):
        ahead = [problem.to[problem.owner == i].tolist() for i in range(len(problem))]
        after = [rng.choice([*further, *further, -1]) for further in ahead]
        if rng.random() < 0.3:
            after[rng.integers(len(after))] = rng.integers(-3, len(after) + 1)
        assert shows_nothing_false(problem, truth, saying_nothing(after))


def history_and_arcs(rng, problem):
    """One of all histories, and whether there is an arc from each node to each."""
    found = list(histories_of(problem))
    if not found:
        return None
    chosen = found[rng.integers(len(found))]
    after = np.array([chosen.get(i, -1) for i in range(len(problem))], np.int32)
    before = np.full(len(problem), -1, np.int32)
    before[after[after >= 0]] = np.flatnonzero(after >= 0)
    arcs = exchange_graph(problem, History(after, before)).toarray() > 0
    np.fill_diagonal(arcs, val=False)
    return after, arcs


def reached_from(arcs, node):
    """Predecessor of each node on a path from one of them; -1: there is none."""
    before = np.full(len(arcs), -1)
    before[node], new = node, [node]
    for one in new:
        for other in np.flatnonzero(arcs[one] & (before < 0)).tolist():
            before[other] = one
            new.append(other)
    return before


@given(st.integers(0, 2**32 - 1))
def test_a_cycle_with_an_arc_too_many_shows_nothing_false(seed):
    rng, problem = drawn(seed)
    found = history_and_arcs(rng, problem)
    if found is None:
        return
    after, arcs = found
    truth = truth_of(problem)
    must = [np.zeros(problem.n_links, bool), problem.must_continue, problem.must_come]
    others = ~truth & ~np.concatenate(must)  # in no history: to say that they are in one is false
    bounds = claiming(problem, others, np.ones_like(truth))
    for one, other in np.argwhere(~arcs).tolist():
        before = reached_from(arcs, other)
        if one == other or before[one] < 0:
            continue
        path = [one]
        while path[-1] != other:
            path.append(int(before[path[-1]]))
        proof = saying_nothing(after)
        from_root, to_root = proof.from_root.copy(), proof.to_root.copy()
        from_root[other] = one
        for further, nearer in pairwise(path):
            to_root[nearer] = further
            if further != one:
                from_root[further] = nearer
        proof = replace(proof, from_root=from_root, to_root=to_root)
        try:
            found = check_links(LinkCertificate(problem, bounds, proof))
        except InputError:
            continue
        assert found.possible == 0
        assert found.possible_claimed == others.sum()


@given(st.integers(0, 2**32 - 1))
def test_numbers_that_rise_along_one_arc_show_nothing_false(seed):
    rng, problem = drawn(seed)
    found = history_and_arcs(rng, problem)
    if found is None:
        return
    after, arcs = found
    truth = truth_of(problem)
    in_it = [after[problem.owner] == problem.to, after < 0, ~np.isin(np.arange(len(after)), after)]
    others = truth & ~np.concatenate(in_it)  # in other histories: to exclude them is false
    bounds = claiming(problem, np.zeros_like(truth), ~others)
    for one, other in np.argwhere(arcs).tolist():
        cut = arcs.copy()
        cut[one, other] = False
        behind = np.flatnonzero(reached_from(cut.T, one) >= 0)
        label = (reached_from(cut, rng.choice(behind)) < 0).astype(np.int32)
        proof = replace(saying_nothing(after), label=label)
        try:
            found = check_links(LinkCertificate(problem, bounds, proof))
        except InputError:
            continue
        assert found.excluded == 0
        assert found.excluded_claimed == others.sum()


def any_argument(rng, problem):
    """Some tracklets that must be covered, or any, and rarely others and pairs beside."""
    n, parts = len(problem), [np.zeros(0, np.int64)] * 2
    side = rng.integers(2)
    must = (problem.must_continue, problem.must_come)[side]
    parts[side] = np.flatnonzero(must & (rng.random(n) < 0.8))
    if rng.random() < 0.3:
        side = rng.integers(2)
        parts[side] = rng.integers(-1, n + 1, rng.integers(1, n + 1))
    return Contradiction(*parts, np.zeros(int(rng.random() < 0.2), np.int64))


@given(st.integers(0, 2**32 - 1))
def test_there_is_no_history_where_a_contradiction_is_shown(seed):
    rng, problem = drawn(seed)
    for _ in range(10):
        why = any_argument(rng, problem)
        certificate = LinkCertificate(problem, LinkBounds.impossible(problem, why), proof=None)
        if len(why.pairs) or (len(why.ends) == 0) == (len(why.begins) == 0):
            assert check_links(certificate).contradiction is None  # no argument that it knows
            continue
        try:
            found = check_links(certificate)
        except InputError:
            continue
        is_shown = found.contradiction
        assert found == LinksChecked(0, 0, 0, 0, 0, contradiction=is_shown)
        assert is_shown is None or (is_shown and listed(problem).contradicted)
