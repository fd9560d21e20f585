"""Results about a minimum set of zones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Weight
from mixsafe.model.answer.shown import Shown
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.mobility.places import PlaceName
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import without

Status = Literal["optimal", "feasible", "infeasible", "undecided"]


class ZoneSet(NamedTuple):
    """The best set of zones found, and the proven bound.

    Parameters
    ----------
    zones
        Numbers of the zones in ``problem.zones`` (in order of time), ascending, that meet all
        requirements; None: no such set is known.
    bound
        No set that meets all requirements costs less than this.
    complete
        Whether the search has finished: ``zones`` is a minimum, or, if None, there is none.
    notes
        Why the search is not complete, a sentence for each reason.
    """

    zones: tuple[int, ...] | None
    bound: int
    complete: bool
    notes: tuple[str, ...] = ()


class Budget(NamedTuple):
    """What was protected within a budget.

    Parameters
    ----------
    limit
        What zones or places may cost.
    asked, protected
        Number of people of whom something is asked, and of those for whom all of it holds.
    most
        No zones within the budget protect more of them.
    """

    limit: int
    asked: int
    protected: int
    most: int


@dataclass(frozen=True, eq=False, repr=False)
class MinimumZones(Shown):
    """A minimum set of mix zones (CSP paper, section 5), or bounds on it.

    Parameters
    ----------
    problem
        The question, with requirements.
    weight, method
        What a zone costs, and who searched.
    status
        ``optimal``: ``zones`` meets all requirements and nothing cheaper does; ``feasible``:
        ``zones`` meets them, and nothing that costs less than ``bound`` does; ``infeasible``: not
        even all zones meet them; ``undecided``: the time was up before that was known.
    minimum
        Cost of ``zones``; None when infeasible or undecided.
    bound
        No set that meets all requirements costs less; None when infeasible.
    zones
        Indices into the zones as the problem was written (``Problem.zone_index``), ascending.
    unmet
        Numbers of requirements that not even all zones meet.
    rest
        The same for all other requirements, where some cannot be met; None: that was not asked.
    seconds
        Wall time, that of ``rest`` included.
    notes
        Why something was left open, a sentence for each reason.
    places
        Names of the places that were chosen, in the order of the problem; ``zones`` are all of
        theirs then. None: zones were chosen.
    budget
        Whom a budget protects: ``problem`` asks for these people only, ``optimal`` says that no
        more can be, ``feasible`` that it is not known. None: everybody is to be protected.
    out_of_time
        Whether the time limit passed.

    Raises
    ------
    InputError
        The parts contradict each other.
    """

    problem: Problem
    weight: Weight
    method: str
    status: Status
    minimum: int | None
    bound: int | None
    zones: tuple[int, ...]
    unmet: tuple[int, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    rest: MinimumZones | None = None
    places: tuple[PlaceName, ...] | None = None
    budget: Budget | None = None
    out_of_time: bool = False

    def __post_init__(self) -> None:
        known = self.status in ("optimal", "feasible")
        if known != (self.minimum is not None):
            raise InputError(f"an answer that is {self.status} cannot cost {self.minimum}")
        if (self.status == "infeasible") != (self.bound is None):
            raise InputError(f"an answer that is {self.status} cannot have the bound {self.bound}")
        if self.minimum is None or self.bound is None:
            return
        if self.bound > self.minimum:
            raise InputError(f"a set that costs {self.minimum} is below the bound {self.bound}")
        if self.status == "optimal" and self.bound != self.minimum:
            raise InputError(f"{self.minimum} is not proven optimal by the bound {self.bound}")

    @property
    def facts(self) -> Mapping[str, str]:
        """The question and its result."""
        cost = "none" if self.minimum is None else f"{self.minimum:,}"
        asked = self.problem.requirements
        return {
            "requirements": f"{0 if asked is None else len(asked):,}",
            "status": self.status,
            "fewest mix zones" if self.weight == "count" else "cost": cost,
            "at least": "nothing is enough" if self.bound is None else f"{self.bound:,}",
        }

    @property
    def gap(self) -> int | None:
        """Upper bound on the excess cost of ``zones`` over a minimum; None without zones."""
        if self.minimum is None or self.bound is None:
            return None
        return self.minimum - self.bound

    @property
    def chosen(self) -> MixZones:
        """The zones that are needed, for all requirements that can be met, in order of time."""
        written = self.problem.zone_index or tuple(range(len(self.problem.zones)))
        zones = self.zones if self.rest is None else self.rest.zones
        return without(self.problem.zones, ~np.isin(written, zones))

    @property
    def verdict(self) -> Verdict:
        """SAFE: the zones meet all requirements; UNSAFE: no zones do, or none within a budget."""
        if self.budget is not None and self.budget.protected < self.budget.asked:
            unsafe = self.budget.most < self.budget.asked
            return Verdict.UNSAFE if unsafe else Verdict.UNDECIDED
        if self.status == "infeasible":
            return Verdict.UNSAFE
        return Verdict.UNDECIDED if self.minimum is None else Verdict.SAFE

    def to_dict(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        answer: dict[str, Any] = {
            "verdict": self.verdict.value,
            "name": self.problem.name,
            "knowledge": self.problem.knowledge.reading,
            "status": self.status,
            "minimum": self.minimum,
            "bound": self.bound,
            "zones": list(self.zones),
            "seconds": round(self.seconds, 3),
            **self.problem.zones.premises.to_dict(),
        }
        if self.places is not None:
            answer["places"] = list(self.places)
        if self.budget is not None:
            answer["budget"] = self.budget._asdict()
        if self.unmet:
            answer["unmet"] = len(self.unmet)
        if self.rest is not None:
            asked = self.rest.problem.requirements
            met = {"requirements": 0 if asked is None else len(asked)}
            answer["rest"] = {**met, **self.rest.to_dict()}
        return answer
