"""What attackers know: reference traces, and what can be learned from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from mixsafe.contest.base.evidence import VisitEvidence
from mixsafe.contest.base.habits import VisitHabits
from mixsafe.contest.base.people import People
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.visits import VisitModel
from mixsafe.contest.base.weights import Weights
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells


@dataclass(frozen=True, eq=False)
class Reference:
    """Reference traces under the rules of a contest; models are learned once, when asked for.

    Parameters
    ----------
    traces
        Earlier traces of the same users.
    rules
        The contest's rules.
    trained
        Weights of evidence, trained on other teams; None: learned from ``traces`` alone.
    """

    traces: TraceMatrix
    rules: Rules
    trained: Weights | None = None

    def __post_init__(self) -> None:
        # An array that is cut out of a larger one leads to it, and so perhaps to original traces.
        if self.traces.region.base is not None:
            own = replace(self.traces, region=self.traces.region.copy())
            object.__setattr__(self, "traces", own)

    def __reduce__(self) -> tuple[type[Reference], tuple[TraceMatrix, Rules, Weights | None]]:
        """Another process learns for itself what it needs."""
        return Reference, (self.traces, self.rules, self.trained)

    @cached_property
    def visits(self) -> VisitModel:
        """Visit probabilities over all times."""
        return VisitModel.learn(self.traces, self.rules.regions.count)

    @cached_property
    def homes(self) -> VisitModel:
        """Visit probabilities in the home hours.

        Raises
        ------
        InputError
            The reference traces have no home hour.
        """
        at_home = self.rules.is_home_time(self.traces.time_ids)
        return VisitModel.learn(self.traces, self.rules.regions.count, at_home)

    @cached_property
    def evidence(self) -> VisitEvidence:
        """How much cells speak for each user, by the time of the day."""
        step_of_day = self.rules.step_of_day(self.traces.time_ids)
        return VisitEvidence.learn(self.traces, self.rules.regions.count, step_of_day)

    @cached_property
    def habits(self) -> VisitHabits:
        """Where each user may be at each time of the day, and what seeing a cell tells."""
        return VisitHabits.learn(self.traces, self.rules)

    @cached_property
    def people(self) -> People:
        """Where users live and how their days go, and how much each kind of evidence counts."""
        return People.learn(self.traces, self.rules, self.habits, self.trained)

    def check_fits(self, release: Cells) -> None:
        """Refuse a release of another number of users.

        Raises
        ------
        InputError
            There are more or fewer pseudonyms than users.
        """
        if self.traces.n_users != release.n_rows:
            raise InputError(
                f"the reference traces have {self.traces.n_users} users,"
                f" the release {release.n_rows} pseudonyms",
                hint="both must come from one data set",
            )
