"""Audits of releases in which not everything is possible where tracks meet."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.certify_audit import certify_audit, question_of
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import SAFE, UNDECIDED
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.release.audit import audit
from mixsafe.release.evidence import Evidence
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.witness import fault
from mixsafe.verify.auditor.negotiated_routes import Terms, route
from tests.support.audit_oracle import Cell, tracks_of
from tests.support.audit_tables import found_tracks
from tests.support.relations import Pairs, related_problems, with_pairs
from tests.support.small_releases import evidence_of

ONE_WORKER = SolveLimits(workers=1)


class Case(NamedTuple):
    """What an audit rests on, the tracks of each user at each time by brute force, and times."""

    evidence: Evidence
    truth: dict[tuple[int, int], set[int]]
    n_steps: int


def drawn(number: int, seed: int) -> Iterator[Case]:
    """Three tracks that meet most of the time, by some pairs only; sightings that fit them."""
    random = np.random.default_rng(seed)
    while number:
        n_steps, n_known = int(random.integers(2, 5)), int(random.integers(1, 4))
        tracks = [[_cell(random) for _ in range(n_steps)] for _ in range(3)]
        times = {(int(random.integers(n_known)), int(random.integers(n_steps)) + 1) for _ in "1234"}
        seen = [(*one, int(random.choice([0, 0, 1, 1, 2]))) for one in sorted(times)]
        try:
            evidence = evidence_of(tracks, seen, n_known)
        except InputError:
            continue
        zones, allowed, lacking = evidence.zones, list[Pairs | None](), set[tuple[int, int, int]]()
        for z, t in enumerate(zones.time.tolist()):
            members = zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()
            pairs = list(itertools.permutations(members, 2))
            some = {pair for pair in pairs if random.random() < 0.55}
            allowed.append(some)
            lacking |= {(t, *pair) for pair in pairs if pair not in some}
        may = partial(_is_possible, lacking)
        truth = tracks_of(tracks, seen, n_known, exchanged=True, may=may)
        if all(truth.values()):
            yield Case(replace(evidence, zones=with_pairs(zones, allowed)), truth, n_steps)
            number -= 1


def _cell(random: np.random.Generator) -> Cell:
    kind = random.choice(["together", "apart", "hidden"], p=[0.75, 0.175, 0.075])
    return None if kind == "hidden" else frozenset([int(kind == "apart")])


def _is_possible(lacking: set[tuple[int, int, int]], *pair: int) -> bool:
    return pair not in lacking


def test_the_tracks_of_a_user_are_those_of_some_story() -> None:
    for evidence, truth, n_steps in drawn(60, 1):
        for engine in ("auto", "cpsat", "dp"):
            answer = audit(evidence, 2, engine=engine, exhaustive=True, limits=ONE_WORKER)
            for proven in (True, False):
                assert found_tracks(answer, n_steps, proven=proven) == truth


def test_bounds_enclose_the_truth() -> None:
    for evidence, truth, _ in drawn(40, 2):
        answer = audit(evidence, 3, engine="bounds", limits=ONE_WORKER)
        for row in answer.intervals.itertuples():
            for t in range(row.from_time - 40, row.to_time - 40 + 1):
                assert row.lower <= len(truth[row.user_id, t]) <= row.upper


def test_all_that_is_decided_is_certified_and_replayed() -> None:
    """A base that leaves a zone by pairs that it allows, in the order in which it does not."""
    for evidence, truth, _ in drawn(50, 3):
        for k in (2, 3):
            certificate = certify_audit(audit(evidence, k, limits=ONE_WORKER, keep_proof_data=True))
            claims = certificate.claims
            assert not np.any(claims.verdict == UNDECIDED)
            for i in range(len(claims.row)):
                for t in range(int(claims.start[i]), int(claims.end[i]) + 1):
                    safe = len(truth[int(claims.row[i]), t]) >= k
                    assert safe == (claims.verdict[i] == SAFE)
            found = check(certificate)
            assert (found.unsafe_claimed, found.undecided) == (0, 0)


def test_witnesses_that_the_pairs_forbid_are_refused() -> None:
    """The certificate of a release that allows all exchanges, put on one that allows few."""
    refused = 0
    for evidence, _, _ in drawn(40, 4):
        freely = replace(evidence, zones=replace(evidence.zones, relation=None))
        whole = certify_audit(audit(freely, 2, limits=ONE_WORKER, keep_proof_data=True))
        strict, seen = question_of(evidence)
        assert whole.audited is not None
        forged = replace(whole, problem=strict, audited=replace(whole.audited, seen=seen))
        try:
            check(forged)
        except InputError as error:
            refused += "does not allow" in error.message
    assert refused > 10


def test_a_zone_hides_nothing_when_nobody_gains_a_track_by_it() -> None:
    for evidence, truth, _ in drawn(40, 5):
        zones = evidence.zones
        found = audit(evidence, 2, exhaustive=True, limits=ONE_WORKER).zones["hides"].tolist()
        for z, t in enumerate(zones.time.tolist()):
            if t == 1:  # what could be before the first time is not in the stories' sets
                continue
            gained = any(
                track in truth[user, t] - truth[user, t - 1]
                for user in range(len(evidence.users))
                for track in zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()
            )
            assert found[z] == ("something" if gained else "nothing")


@given(problem=related_problems(), data=st.data())
@settings(max_examples=25)
def test_negotiated_routes_take_allowed_pairs_only(problem, data) -> None:
    """Tokens are seen at the end on any row of a few."""
    zones = problem.zones
    rows = st.sets(st.integers(0, zones.n_users - 1), min_size=1)
    seen = [sorted(data.draw(rows)) for _ in range(zones.n_users)]
    pins = Pins(
        np.arange(zones.n_users, dtype=np.int32),
        np.full(zones.n_users, zones.axis.steps, np.int32),
        np.cumsum([0, *map(len, seen)]),
        np.array([row for some in seen for row in some], np.int32),
    )
    core = Core(WireNetwork.of(zones), pins, Links.none())
    possible = reachable(core)
    if (
        not np.all(possible[core.network.first[1:] - 1].any(axis=1))
        or not possible.any(axis=1).all()
    ):
        return
    found = route(
        core, possible, np.ones(zones.n_users, bool), Course.begin(), terms=Terms(rounds=40)
    )
    assert found is None or fault(core, found) is None
