"""Breaking sets with proofs: sightings, and proofs that they leave too few candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.breaking_answer import BreakingNumbers
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.certify.certify import certify
from mixsafe.check.unsafe import CLAIMED, shown_unsafe
from mixsafe.model.answer.breaking_proof import BrokenTarget
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.verification import verify

Seen = tuple[tuple[int, int], ...]
"""Row and step of each sighting."""


def broken_sets(
    found: BreakingNumbers, network: WireNetwork, deadline: Deadline, progress: Progress
) -> Iterator[BrokenTarget]:
    """Targets proven to be broken; targets with the same set are verified together.

    Parameters
    ----------
    found
        Breaking numbers, with breaking sets where known.
    network
        All wires.
    deadline, progress
        Time limit of the proofs; progress callback.
    """
    together: dict[Seen, list[int]] = {}
    for place, (target, number) in enumerate(zip(found.targets, found.numbers, strict=True)):
        if number.upper is not None and counts_alike(found, target):
            together.setdefault(number.sightings, []).append(place)
    for done, (seen, places) in enumerate(together.items()):
        progress("proving what breaks", done, len(together))
        if deadline.passed:
            return
        certificate = _certified(found, network, (seen, places), deadline)
        shown = shown_unsafe(certificate)
        proven = np.zeros(len(certificate.claims), bool)
        proven[shown.claim[shown.by != CLAIMED]] = True
        for place in places:
            one = _broken(certificate, proven, network, found.targets[place], seen)
            if one is not None:
                yield one._replace(target=place)


def counts_alike(found: BreakingNumbers, target: BreakingTarget) -> bool:
    """Whether the same sightings count for all wires of a target."""
    return found.asked["away"] is None or len(np.unique(target.wires)) == 1


def _certified(
    found: BreakingNumbers, network: WireNetwork, those: tuple[Seen, list[int]], deadline: Deadline
) -> Certificate:
    """Certificate of the wires of some targets, once some sightings are known."""
    seen, places = those
    asked = [_asked(network, found.targets[place]) for place in places]
    row, step, k = (np.concatenate(column).astype(np.int32) for column in zip(*asked, strict=True))
    presolved = replace(
        _knowing(found.problem, seen), requirements=Requirements(row, step, k), zone_index=None
    )
    limits = SolveLimits(workers=1).until(deadline)
    answer = verify(presolved, limits=limits, keep_proof_data=True)
    return certify(answer, deadline=deadline)


def _knowing(problem: Problem, seen: Seen) -> Problem:
    """The problem with further sightings."""
    more = np.array(seen, np.int32).reshape(-1, 2)
    return replace(problem, knowledge=problem.knowledge.with_more(more[:, 0], more[:, 1]))


def _asked(network: WireNetwork, target: BreakingTarget) -> tuple[Ints, Ints, Ints]:
    """Row, step and k of the distinct wires and k of a target."""
    pairs = np.unique(np.stack([target.wires, target.k], axis=1), axis=0)
    wire, k = pairs[:, 0], pairs[:, 1]
    return np.full(len(wire), target.user), network.start[wire].astype(np.int64), k


def _broken(
    certificate: Certificate,
    proven: npt.NDArray[np.bool_],
    network: WireNetwork,
    target: BreakingTarget,
    seen: Seen,
) -> BrokenTarget | None:
    """Proof that a target fails, by few wires; None: not proven."""
    claims = certificate.claims
    may, chosen = np.ones(len(target.wires), bool), list[int]()
    own = np.flatnonzero(proven & (claims.row == target.user))
    for wire in np.unique(target.wires).tolist():
        here = own[claims.start[own] == network.start[wire]]
        if len(here):
            claim = int(here[claims.k[here].argmin()])
            chosen.append(claim)
            may &= (target.wires != wire) | (target.k < claims.k[claim])
        if not target.passes(may):
            break
    else:
        return None
    numbers = [int(one) for one in claims.proof[chosen] if one >= 0]
    proof = [numbers.index(one) if one >= 0 else -1 for one in claims.proof[chosen].tolist()]
    sightings = np.array(seen, np.int32).reshape(-1, 2)
    return BrokenTarget(
        -1,
        sightings[:, 0],
        sightings[:, 1],
        claims.start[chosen],
        claims.k[chosen],
        Ragged.of(claims.candidates[one].tolist() for one in chosen),
        np.array(proof, np.int32),
        tuple(certificate.hall_sets),
        tuple(certificate.clause_proofs[one] for one in numbers),
    )
