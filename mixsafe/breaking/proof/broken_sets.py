"""What breaks targets: sightings, and proofs that too few candidates are left with them."""

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
    """Targets that are proven to be broken, by number; those of one set are asked about at once.

    Parameters
    ----------
    found
        Numbers, each with a set that breaks its target if one is known.
    network
        All wires.
    deadline, progress
        When to prove no more; whom to tell how far it is.
    """
    together: dict[Seen, list[int]] = {}
    for place, (target, number) in enumerate(zip(found.targets, found.numbers, strict=True)):
        told = number.upper is not None
        if told and counts_alike(found, target):
            together.setdefault(number.sightings, []).append(place)
    for done, (seen, places) in enumerate(together.items()):
        progress("proving what breaks", done, len(together))
        if deadline.passed:
            return
        made = _certified(found, network, (seen, places), deadline)
        shown = shown_unsafe(made)
        proven = np.zeros(len(made.claims), bool)
        proven[shown.claim[shown.by != CLAIMED]] = True
        for place in places:
            one = _broken(made, proven, network, found.targets[place], seen)
            if one is not None:
                yield one._replace(target=place)


def counts_alike(found: BreakingNumbers, target: BreakingTarget) -> bool:
    """Whether the same sightings count for all that is asked about a target."""
    return found.asked["away"] is None or len(np.unique(target.wires)) == 1


def _certified(
    found: BreakingNumbers, network: WireNetwork, those: tuple[Seen, list[int]], deadline: Deadline
) -> Certificate:
    """What is proven of the wires of some targets, with the same sightings known."""
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
    """Row, step and k of all that is asked about a target, wire by wire, each once."""
    pairs = np.unique(np.stack([target.wires, target.k], axis=1), axis=0)
    wire, k = pairs[:, 0], pairs[:, 1]
    return np.full(len(wire), target.user), network.start[wire].astype(np.int64), k


def _broken(
    made: Certificate,
    proven: npt.NDArray[np.bool_],
    network: WireNetwork,
    target: BreakingTarget,
    seen: Seen,
) -> BrokenTarget | None:
    """That a target fails, by as few wires as it takes; None: it is not proven."""
    claims = made.claims
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
        tuple(made.hall_sets),
        tuple(made.clause_proofs[one] for one in numbers),
    )
