"""The measures, by name: what releases and synthetic traces are compared by.

To add one, write a function of what is compared (:class:`Compared`), and register it::

    from mixsafe.contest.measure.measures import MEASURES, Measure

    def largest(compared):
        one, two = compared.statistics
        return abs(one.populations() - two.populations()).max()

    with MEASURES.registered(Measure("largest", "largest difference of a share", largest)):
        ...

``contest utility`` gives it in the block, wherever what its ``scope`` needs is given. The table in
``docs/synthesize.md`` has a line for each that comes with mixsafe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from mixsafe.errors import InputError
from mixsafe.model.choices import Choices

if TYPE_CHECKING:
    from mixsafe.contest.base.rules import Rules
    from mixsafe.contest.measure.quality import Floats, Occupancy
    from mixsafe.model.mobility.complete_traces import TraceMatrix
    from mixsafe.model.release import Cells

Scope = Literal["any", "places", "training", "teams", "attacks"]


@dataclass(frozen=True, eq=False)
class Near:
    """Places that people ask for.

    Parameters
    ----------
    places
        Latitude and longitude of each, degrees.
    near_km, asked_km
        Places so near count, and places so near to what is shown are found.
    """

    places: tuple[Floats, Floats]
    near_km: float = 1.0
    asked_km: float = 2.0


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared.

    Parameters
    ----------
    original, other
        True traces, and traces or a release; of two teams; or of what an attack inferred.
    rules
        Regions and days.
    seed
        Of directions that are drawn.
    near
        Places; None: they are not known.
    testing
        Traces of users who were not trained on; None: nobody was trained on.
    """

    original: TraceMatrix | Cells
    other: TraceMatrix | Cells
    rules: Rules
    seed: int = 0
    near: Near | None = None
    testing: TraceMatrix | None = None

    def occupancy(self, shown: TraceMatrix | Cells) -> Occupancy:
        """Statistics of traces, or of a release."""
        from mixsafe.contest.measure.quality import Occupancy

        return Occupancy.of(shown, self.rules.regions.count, self.rules.steps_per_day)

    @cached_property
    def statistics(self) -> tuple[Occupancy, Occupancy]:
        """Statistics of both."""
        return self.occupancy(self.original), self.occupancy(self.other)

    @cached_property
    def traces(self) -> tuple[TraceMatrix, TraceMatrix]:
        """Both, where they are traces.

        Raises
        ------
        InputError
            One is a release.
        """
        from mixsafe.model.mobility.complete_traces import TraceMatrix

        if isinstance(self.original, TraceMatrix) and isinstance(self.other, TraceMatrix):
            return self.original, self.other
        raise InputError("--testing is for synthetic traces, not for releases")


@dataclass(frozen=True)
class Measure:
    """A number that says how alike two things are.

    Parameters
    ----------
    name
        Name in results.
    about
        What it says, and whether higher or lower is better, in a few words.
    compute
        The number; or several, by name, where they come together.
    scope
        What must be given: ``any`` two traces or releases; ``places``; ``training``: traces that
        were not trained on; ``teams``: two of them; ``attacks``: what an attack inferred.
    """

    name: str
    about: str
    compute: Callable[[Compared], float | Mapping[str, float]]
    scope: frozenset[Scope] = frozenset({"any"})


def measured(compared: Compared, scope: Scope) -> dict[str, float]:
    """All measures of a scope, by name."""
    found: dict[str, float] = {}
    for measure in MEASURES.within(scope):
        value = measure.compute(compared)
        found |= value if isinstance(value, Mapping) else {measure.name: float(value)}
    return found


def _populations(compared: Compared) -> float:
    from mixsafe.contest.measure.quality import population_distance

    return population_distance(*compared.statistics)


def _transitions(compared: Compared) -> float:
    import numpy as np

    from mixsafe.contest.measure.quality import transition_distance

    random = np.random.default_rng(compared.seed)
    return transition_distance(*compared.statistics, compared.rules.regions, random=random)


def _visit_fractions(compared: Compared) -> float:
    from mixsafe.contest.measure.quality import visit_fraction_distance

    testing = None if compared.testing is None else compared.occupancy(compared.testing)
    return visit_fraction_distance(*compared.statistics, testing=testing)


def _poi_accuracy(compared: Compared) -> float:
    from mixsafe.contest.measure.quality import poi_accuracy
    from mixsafe.model.mobility.complete_traces import TraceMatrix

    near, original = compared.near, compared.original
    if near is None or not isinstance(original, TraceMatrix):
        raise InputError("POI accuracy needs places, and original traces")
    _, release = compared.statistics
    return poi_accuracy(
        original,
        release,
        compared.rules.regions,
        near.places,
        near_km=near.near_km,
        asked_km=near.asked_km,
    )


def _reidentified(compared: Compared) -> float:
    from mixsafe.contest.measure.privacy import reidentification_rate

    rules = compared.rules
    return reidentification_rate(*compared.traces, rules.regions.count, rules.steps_per_day)


def _membership(compared: Compared) -> float:
    from mixsafe.contest.measure.privacy import membership_advantage

    (training, synthetic), rules = compared.traces, compared.rules
    if compared.testing is None:
        raise InputError("membership needs traces that were not trained on")
    return membership_advantage(
        training, compared.testing, synthetic, rules.regions.count, rules.steps_per_day
    )


def _diversity(compared: Compared) -> dict[str, float]:
    from mixsafe.contest.measure.quality import diversity

    found = diversity(*compared.statistics)
    return {
        "Same-TV": found.same,
        "Diff-TV": found.different,
        "pairs": found.pairs,
        "deviation": found.different_deviation,
    }


def _expected_error(compared: Compared) -> float:
    from mixsafe.contest.measure.privacy import expected_error

    original, inferred = compared.traces
    return expected_error(original, inferred.region, compared.rules)


_TRAINING: frozenset[Scope] = frozenset({"training"})

MEASURES: Choices[Measure] = Choices(
    "measure",
    Measure("TP-TV-Top50", "where people are when (lower is better)", _populations),
    Measure("TM-EMD", "where they go from there, in regions (lower is better)", _transitions),
    Measure("VF-TV", "how much of their time they spend where (lower is better)", _visit_fractions),
    Measure(
        "POI accuracy",
        "whether places nearby are still found (higher is better)",
        _poi_accuracy,
        frozenset({"places"}),
    ),
    Measure(
        "re-identification rate",
        "synthetic traces whose user is told (lower is better)",
        _reidentified,
        _TRAINING,
    ),
    Measure(
        "membership advantage",
        "how well it is told who was trained on (lower is better)",
        _membership,
        _TRAINING,
    ),
    Measure(
        "Same-TV and Diff-TV",
        "how alike the i-th users of two teams are, and others (as high: diverse)",
        _diversity,
        frozenset({"teams"}),
    ),
    Measure(
        "expected error",
        "mean distance of what was inferred, km (higher is better)",
        _expected_error,
        frozenset({"attacks"}),
    ),
)
"""What there is to measure."""
