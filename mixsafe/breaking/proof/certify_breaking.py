"""Certificates of breaking numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.breaking_answer import BreakingNumbers
from mixsafe.breaking.proof.broken_sets import broken_sets, counts_alike
from mixsafe.breaking.proof.recorded_assignments import RecordedAssignments
from mixsafe.breaking.proof.survivors import SafeWire, Withstanding, survivors_of
from mixsafe.breaking.targets import WantedTargets
from mixsafe.errors import InputError
from mixsafe.model.answer.breaking_proof import BreakingProof, BrokenTargets, Of
from mixsafe.model.answer.certificate import Certificate, Claims
from mixsafe.model.answer.ragged import Ragged, Whole
from mixsafe.model.answer.verdict import SAFE
from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.version import __version__


def certify_breaking(
    found: BreakingNumbers,
    progress: Progress = no_progress,
    deadline: Deadline | None = None,
    adversary: str = "-",
) -> Certificate:
    """Certificate of breaking numbers, with the part of their bounds that can be shown.

    Parameters
    ----------
    found
        Result of ``breaking(..., keep_witnesses=True)``; without witnesses lower bounds are 0.
    progress
        Called with the stage, the work done and all work.
    deadline
        Time limit for proofs of breaking sets.
    adversary
        Name of the adversary in the certificate.

    Raises
    ------
    InputError
        Sightings are from a list, or a requirement occurs twice.
    """
    check_certifiable(found.asked["sightings"])
    problem, wanted = found.problem, WantedTargets.parse(found.asked["target"], found.asked["k"])
    network = WireNetwork.of(problem.zones)
    core = Core.of(network, problem.knowledge)
    assignments, about = RecordedAssignments(core), _about(found)
    below = _from_below(found, core, assignments, progress)
    broken = broken_sets(found, network, deadline or Deadline(None), progress)
    proof = BreakingProof(
        cast("Of", found.asked["sightings"]),
        found.asked["away"],
        *_columns(about),
        np.array([one.lower for one in below], np.int32),
        Ragged.of([len(one) for one in each.survivors] for each in below),
        BrokenTargets.of(sorted(broken, key=lambda one: one.target)),
    )
    return Certificate(
        _posed(problem, wanted), wanted.rule or Rule("every"),
        wanted.k if problem.requirements is None else None,
        _claims(network, [one for each in below for some in each.survivors for one in some]),
        assignments.witnesses, breaking=proof, adversary=adversary, engine="breaking",
        version=__version__,
    )  # fmt: skip


def _about(found: BreakingNumbers) -> npt.NDArray[np.int32]:
    """(n, 3) user, first and last step of each target."""
    about = np.array([(one.user, one.start, one.end) for one in found.targets], np.int32)
    about = about.reshape(-1, 3)
    if len(np.unique(about[:, :2], axis=0)) < len(about):
        raise InputError("a requirement occurs twice", hint="remove one of them")
    return about


def _columns(about: npt.NDArray[np.int32]) -> tuple[Whole, Whole, Whole]:
    """User, first and last step of each target, (n,) each."""
    user, start, end = (np.ascontiguousarray(column) for column in about.T)
    return user, start, end


def _from_below(
    found: BreakingNumbers, core: Core, assignments: RecordedAssignments, progress: Progress
) -> list[Withstanding]:
    """Certified lower bound of each target, with its survivors."""
    below = []
    for done, (target, number) in enumerate(zip(found.targets, found.numbers, strict=True)):
        progress("looking at what survives", done, len(found.targets))
        withstanding = Withstanding(0, [])
        if counts_alike(found, target):
            withstanding = survivors_of(core, target, number, assignments)
        below.append(withstanding)
    return below


def check_certifiable(sightings: str) -> None:
    """Reject listed sightings, which certificates do not support."""
    if sightings == "listed":
        raise InputError(
            "certificates support sightings of the user herself, or of anybody, but no list",
            hint="omit the list of sightings",
        )


def not_certified(found: BreakingNumbers, certificate: Certificate) -> int:
    """Number of targets whose bounds are better than their certificate shows."""
    proof = certificate.breaking
    if proof is None:
        return len(found.numbers)
    shown = set(proof.broken.target.tolist())
    return sum(
        number.lower > lower or (number.upper is not None and place not in shown)
        for place, (number, lower) in enumerate(
            zip(found.numbers, proof.lower.tolist(), strict=True)
        )
    )


def _posed(problem: Problem, wanted: WantedTargets) -> Problem:
    """The problem, with the given k instead of that of its requirements."""
    asked = problem.requirements
    if asked is not None and wanted.k is not None:
        asked = Requirements(asked.row, asked.time, np.full(len(asked), wanted.k, np.int32))
    return replace(problem, requirements=asked, zone_index=None)


def _claims(network: WireNetwork, safe: list[SafeWire]) -> Claims:
    """Safe claims, each at the first step of its wire."""
    n = len(safe)
    wire = np.array([one.wire for one in safe], np.int64)
    step = network.start[wire]
    return Claims(
        network.row[wire],
        step,
        step,
        np.array([one.k for one in safe], np.int32),
        np.full(n, SAFE, np.int8),
        np.zeros(n, np.uint8),
        Ragged.of(one.witnesses for one in safe),
        Ragged.empty(n),
        np.full(n, -1, np.int32),
    )
