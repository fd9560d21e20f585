"""What releases of several teams are still good for (contest paper, section 5.5, figure 13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mixsafe.contest.base.parts import Anonymiser, label
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import utility
from mixsafe.contest.grid import submissions
from mixsafe.contest.measure.measures import Compared, Near, measured
from mixsafe.contest.obfuscate.organizers import PlanarLaplace
from mixsafe.contest.workers import counted
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.model.release.cells import Cells


@dataclass(frozen=True)
class TeamUtility:
    """How useful one release of one team is.

    Parameters
    ----------
    release
        The obfuscation, ``Submission``, ``Uniform`` or ``Reference``.
    team
        From 1.
    utility
        s_U.
    values
        Each measure of :mod:`mixsafe.contest.measure.measures`, by its name.
    """

    release: str
    team: int
    utility: float
    values: dict[str, float]


def figure_anonymisers() -> list[Anonymiser]:
    """Those of the paper's figure 13 that everybody can repeat."""
    return [PlanarLaplace(4, 1), PlanarLaplace(1, 1), PlanarLaplace(0.1, 1)]


def team_utility(
    teams: Sequence[tuple[TraceMatrix, TraceMatrix]],
    rules: Rules,
    *,
    anonymisers: Sequence[Anonymiser] | None = None,
    near: Near | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[TeamUtility]:
    """Utility of every team's releases, of regions at random, and of its reference traces.

    Parameters
    ----------
    teams
        Reference and original traces of each.
    anonymisers
        Default: those of the figure, and for each team another one of ``submissions``.
    near
        Places that people ask for; None: POI accuracy is left out.
    seed
        Of obfuscation; each team has its own stream.
    progress
        Called with the number of teams done and of all.
    """
    methods = figure_anonymisers() if anonymisers is None else list(anonymisers)
    handed_in = submissions() if anonymisers is None else []
    found = []
    for number, (reference, original) in counted(enumerate(teams), len(teams), progress):
        random = np.random.default_rng([seed, number])
        releases = _releases(reference, original, methods, rules, random)
        if handed_in:
            own = handed_in[number % len(handed_in)].anonymise(original, rules, random)
            releases.insert(0, ("Submission", own))
        for name, cells in releases:
            compared = Compared(original, cells, rules, seed, near)
            values = measured(compared, "any")
            if near is not None:
                values |= measured(compared, "places")
            kept = utility(original, cells, rules).value
            found.append(TeamUtility(name, number + 1, kept, values))
    return found


def _releases(
    reference: TraceMatrix,
    original: TraceMatrix,
    methods: Sequence[Anonymiser],
    rules: Rules,
    random: np.random.Generator,
) -> list[tuple[str, Cells]]:
    """Releases of a team by name; reference traces are shown again where they are too short."""
    count, first = rules.regions.count, original.first_time
    made = [(label(method), method.anonymise(original, rules, random)) for method in methods]
    anywhere = random.integers(count, size=original.region.shape).astype(np.int32)
    column = np.arange(original.n_steps) % reference.n_steps
    for name, region in (("Uniform", anywhere), ("Reference", reference.region[:, column])):
        made.append((name, Cells.of_regions(region.copy(), count, first)))
    return made


def mean_utility(found: Sequence[TeamUtility]) -> dict[str, float]:
    """Mean s_U over teams, by release."""
    names = dict.fromkeys(one.release for one in found)
    return {
        name: float(np.mean([one.utility for one in found if one.release == name]))
        for name in names
    }
