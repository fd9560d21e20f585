"""The breaking number: how many more sightings it takes until a user is not protected."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from mixsafe.breaking.breaking_answer import BreakingNumbers, Number
from mixsafe.breaking.searching import BreakingSearch
from mixsafe.breaking.targets import Allowed, BreakingTarget, WantedTargets, targets
from mixsafe.errors import InputError
from mixsafe.machinery.journal import question_of
from mixsafe.model.arguments import KeptCourseOptions, of_kind, options_of
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import check_k
from mixsafe.network.compression import useful
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.parts import set_bytes
from mixsafe.verify.presolved import check_size

MOST = 1000
"""Largest number of sightings in a set that is searched for."""

_LARGEST = np.iinfo(np.int32).max


class BreakingArguments(KeptCourseOptions, total=False):
    """Optional arguments of the search, besides those about its course.

    Parameters
    ----------
    drawn
        Number of targets to sample, by the seed; None: all.
    """

    drawn: int | None


def breaking(
    problem: Problem,
    *,
    k: int | None = None,
    at_most: int = 4,
    target: str | None = None,
    sightings: str | Knowledge = "self",
    away: int | None = None,
    **options: Unpack[BreakingArguments],
) -> BreakingNumbers:
    """Find the fewest further sightings that break each target, with bounds that are proven.

    Parameters
    ----------
    problem
        Mix zones and base knowledge. Without ``k``, requirements restrict the question to their
        users and times.
    k
        Required number of candidates of every user at every time; None: from the requirements.
    at_most
        Largest set size to search for, 0 to :data:`MOST`.
    target
        ``lost``: the adversary loses a user at some time asked about (rule ``some``); ``every``
        and ``share:P`` as rules have it; ``followed``: she is followed by one pseudonym all the
        time (then k is 2); ``each``: each wire, or requirement, by itself. None: ``each`` if the
        question is that of the requirements, else ``lost``.
    sightings
        Allowed sightings: ``self``, of the user herself; ``anybody``; or a list.
    away
        A sighting counts for a wire if it is more than this many steps before its first or after
        its last step; None: 0 with ``each``, otherwise all sightings count.
    **options
        ``limits``, ``progress``, ``journal`` and others: see :class:`BreakingArguments`.

    Raises
    ------
    InputError
        Neither k nor requirements are given, or a value is out of range.
    """
    of_kind("problem", problem, (Problem,), "a problem", "give what mixsafe.pose returns")
    begin, others = options_of("breaking", options, BreakingArguments)
    began = time.monotonic()
    if k is not None:  # asks about everybody at all times, as verify does
        problem = replace(problem, requirements=None)
    if target is None:
        target = "lost" if problem.requirements is None else "each"
    wanted = WantedTargets.parse(target, k)
    _check(problem, wanted, at_most, away)
    if away is None and wanted.rule is None:
        away = 0
    of = sightings if isinstance(sightings, str) else "listed"
    asked = {"target": target, "k": wanted.k, "at_most": at_most, "sightings": of, "away": away}
    drawn = others.get("drawn")
    network = useful(WireNetwork.of(problem.zones))
    every = _asked_about(problem, network, wanted)
    found, chosen = _numbers(
        problem, network, every, _allowed(sightings, away), asked, drawn, begin()
    )
    seconds = time.monotonic() - began
    return BreakingNumbers(problem, asked, tuple(chosen), tuple(found), seconds)


def _asked_about(
    problem: Problem, network: WireNetwork, wanted: WantedTargets
) -> list[BreakingTarget]:
    """All targets; without requirements, users without data are skipped."""
    every = targets(problem.zones, network, wanted, problem.requirements)
    absent = set(problem.zones.absent.tolist()) if problem.requirements is None else set()
    return [one for one in every if one.user not in absent]


def _numbers(
    problem: Problem,
    network: WireNetwork,
    every: list[BreakingTarget],
    allowed: Allowed,
    asked: dict[str, Any],
    drawn: int | None,
    course: Course,
) -> tuple[list[Number], list[BreakingTarget]]:
    """Numbers of the targets, or of a sample of them, and these targets."""
    if drawn is not None and drawn < len(every):
        random = np.random.default_rng(course.seed)
        every = [every[one] for one in np.sort(random.choice(len(every), drawn, replace=False))]
    if course.keeps:
        listed = None if allowed.listed is None else _written(allowed.listed)
        question = {**asked, "listed": listed, "drawn": drawn, "seed": course.seed}
        course.journal.begin(question_of(problem, question))
    sizes = network.n_wires, network.n_rows
    if set_bytes(*sizes) > course.memory.largest_bytes:
        needed = set_bytes(*sizes) / 2**30
        raise InputError(
            f"{sizes[1]} users with {sizes[0]} stretches need {needed:.0f} GiB",
            hint="take fewer users (--users), a shorter time (--days) or smaller cells",
        )
    at_most = int(asked["at_most"])
    search = BreakingSearch(network, problem.knowledge, allowed, at_most, course)
    return list(search.numbers(every)), every


def check_at_most(at_most: int) -> None:
    """Reject an ``at_most`` above :data:`MOST`."""
    if at_most > MOST:
        raise InputError(
            f"at most {at_most} sightings: larger sets than {MOST:,} are not looked for"
        )


def _check(problem: Problem, wanted: WantedTargets, at_most: int, away: int | None) -> None:
    """Reject arguments that are missing or out of range."""
    if wanted.k is None and problem.requirements is None:
        raise InputError("nothing is asked", hint="give k, or requirements")
    if wanted.k is not None:
        check_k(wanted.k)
    if at_most < 0:
        raise InputError(f"at most {at_most} sightings are fewer than none")
    check_at_most(at_most)
    if away is not None and away < 0:
        raise InputError(f"{away} steps away are fewer than none")
    if away is not None and away > _LARGEST:
        raise InputError(
            f"{away} steps away is more than there ever are", hint=f"{_LARGEST:,} or less"
        )
    check_size(problem.zones)


def _allowed(sightings: str | Knowledge, away: int | None) -> Allowed:
    """Allowed sightings of an argument ``sightings``."""
    if isinstance(sightings, Knowledge):
        return Allowed("anybody", sightings, away)
    if sightings == "self":
        return Allowed("self", None, away)
    if sightings == "anybody":
        return Allowed("anybody", None, away)
    raise InputError(f"unknown sightings '{sightings}'", hint="use self, anybody, or a list")


def _written(listed: Knowledge) -> str:
    """Listed sightings as one line, for the journal."""
    pairs = zip(listed.row.tolist(), listed.time.tolist(), strict=True)
    return " ".join(f"{row}@{step}" for row, step in pairs)
