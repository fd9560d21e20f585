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
from mixsafe.model.question.adversary import pins_and_links
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
    """Certificate of breaking numbers: of each as much of its bounds as is shown.

    Parameters
    ----------
    found
        Of ``breaking(..., keep_witnesses=True)``: without witnesses nothing is shown from below.
    progress
        Called with stage, how far it is, and how far it goes.
    deadline
        When to prove no more sets that break a target.
    adversary
        What she is called, for people who read the certificate.

    Raises
    ------
    InputError
        Sightings were those of a list, or a requirement is there twice.
    """
    check_certifiable(found.asked["sightings"])
    problem, wanted = found.problem, WantedTargets.parse(found.asked["target"], found.asked["k"])
    network = WireNetwork.of(problem.zones)
    core = Core(network, *pins_and_links(problem.knowledge))
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
        raise InputError("a requirement is there twice", hint="leave one out")
    return about


def _columns(about: npt.NDArray[np.int32]) -> tuple[Whole, Whole, Whole]:
    """User, first and last step of each target, (n,) each."""
    user, start, end = (np.ascontiguousarray(column) for column in about.T)
    return user, start, end


def _from_below(
    found: BreakingNumbers, core: Core, assignments: RecordedAssignments, progress: Progress
) -> list[Withstanding]:
    """What survives, for each target."""
    below = []
    for done, (target, number) in enumerate(zip(found.targets, found.numbers, strict=True)):
        progress("looking at what survives", done, len(found.targets))
        told = Withstanding(0, [])
        if counts_alike(found, target):
            told = survivors_of(core, target, number, assignments)
        below.append(told)
    return below


def check_certifiable(sightings: str) -> None:
    """Refuse sightings that certificates know nothing of."""
    if sightings == "listed":
        raise InputError(
            "certificates are of sightings of the user herself, or of anybody",
            hint="leave the list of sightings out",
        )


def not_certified(found: BreakingNumbers, made: Certificate) -> int:
    """How many numbers are known better than their certificate shows."""
    proof = made.breaking
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
    """The question, with the k that was asked in the place of that of requirements."""
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
