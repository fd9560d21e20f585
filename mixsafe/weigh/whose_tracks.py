"""The auditor's posterior: which published track is whose.

Rows are published tracks, tokens are people. Any of them may begin on any track, all bijections
alike, and zones exchange whom tracks belong to. What was seen of people weighs in as which tracks
they can be on (docs/weigh.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.machinery.compiled import side_by_side
from mixsafe.model.arguments import options_of
from mixsafe.model.course import Course
from mixsafe.network.core import Core
from mixsafe.release.evidence import Evidence
from mixsafe.release.readings import by_strictest
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.auditor.initial_solution import initial_solution
from mixsafe.verify.auditor.paths import unnamed_start
from mixsafe.weigh.draw.chains import Chains, begin_of
from mixsafe.weigh.draw.convergence import Estimates, estimate
from mixsafe.weigh.exchange_models import Uniform
from mixsafe.weigh.plan import WeighOptions, WeighSettings
from mixsafe.weigh.sampling import fill, interval, take_in
from mixsafe.weigh.weighed import ALONE, RHAT, Weighed, of_time

if TYPE_CHECKING:
    import pandas as pd


class SamePerson(NamedTuple):
    """Chance that two tracks at two times are of one person, with a 95 % interval."""

    chance: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class TrackWeighing:
    """How likely tracks are whose.

    Parameters
    ----------
    evidence
        What it rests on.
    core
        The question, in which step 1 of the data is step 2.
    found
        For each known user and each step of ``core`` from 1 on, (n_known * n_steps,): ``token`` is
        the likeliest track.
    chains
        Draws; None where no story was found in time.
    error
        Monte Carlo error at which something is settled.
    """

    evidence: Evidence
    core: Core
    found: Weighed
    chains: Chains | None
    error: float

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """(n_steps,) steps of the data that each step from 1 on stands for."""
        real = self.core.real_steps[1:].astype(np.int64)
        last = np.append(real[1:] - 1, self.evidence.zones.axis.steps)
        return np.asarray(last - np.maximum(real, 1) + 1, np.int64)

    @cached_property
    def tracks(self) -> pd.DataFrame:
        """A row per known user and stretch of time in which nothing happens.

        user_id, from_time, to_time, proven (tracks), effective, best_guess, pse_id, low, high,
        error, by, rhat, draws.
        """
        import pandas as pd

        from mixsafe.verify.tables import labels
        from mixsafe.weigh.weigh_tables import found_columns

        zones, found, steps = self.evidence.zones, self.found, self.steps
        first = np.maximum(self.core.real_steps[1:], 1)
        users = len(self.evidence.users)
        table = pd.DataFrame(
            {
                "user_id": np.repeat(self.evidence.users, len(steps)),
                "from_time": np.tile(labels(zones.axis, first), users),
                "to_time": np.tile(labels(zones.axis, (first + steps - 1).astype(np.int32)), users),
                **found_columns(found, zones.users, "pse_id"),
            }
        )
        return table[np.tile(steps, users) > 0].reset_index(drop=True)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Shares of the steps of known users: settled, and right if one bets on the likeliest."""
        steps = np.tile(np.maximum(self.steps, 0), len(self.evidence.users)).astype(float)
        return {
            "users": len(self.evidence.users),
            "tracks": self.evidence.zones.n_users,
            **of_time(self.found, steps, self.error),
            "random_guess": round(1 / self.evidence.zones.n_users, 6),
            **({"gaps": self.evidence.how_read} if self.evidence.has_gaps else {}),
        }

    def same_person(self, one: tuple[int, int], other: tuple[int, int]) -> SamePerson | None:
        """Chance that the pseudonyms at two times are of one person.

        Parameters
        ----------
        one, other
            Row of a track, and step of the data, 1 or later.

        Returns
        -------
        SamePerson
            None: not settled.
        """
        if self.chains is None:
            return None
        row, step = np.array([one, other]).T
        events = np.searchsorted(self.core.real_steps, step, side="right") - 1
        a, b = self.core.network.wire_at(row, events).tolist()
        drawn = self.chains.drawn(np.array([a, b]))
        same = (drawn[:, :, 0] == drawn[:, :, 1]).astype(np.int32)[None]
        out = Estimates.empty(1)
        estimate(np.ascontiguousarray(same), 2, begin_of(same.shape[2]), out)
        if not out.rhat[0] <= RHAT:
            return SamePerson(1.0, 1.0, 1.0) if a == b else None
        low, high = interval(out.mean, out.draws)
        share = (float(out.mean[0]), float(low[0]), float(high[0]))
        return (
            SamePerson(*share)
            if out.token[0]
            else SamePerson(1 - share[0], 1 - share[2], 1 - share[1])
        )


def weigh_tracks(evidence: Evidence, **options: Unpack[WeighOptions]) -> TrackWeighing:
    """Weigh on which published track each known user is at each time, by sampling.

    Parameters
    ----------
    evidence
        Published tracks and the adversary's knowledge.
    **options
        ``limits``, ``progress``, ``journal`` and ``error``: see
        :class:`mixsafe.weigh.plan.WeighOptions`.

    Raises
    ------
    InputError
        No users are known, or the knowledge contradicts the release.
    """
    if not len(evidence.users):
        raise InputError("nobody is known: there is nothing to weigh")
    begin, others = options_of("weigh_tracks", options, WeighOptions)
    error = WeighSettings(**others).error
    return by_strictest(evidence, lambda one: _weighed(one, error, begin()))[1]


def _weighed(evidence: Evidence, error: float, course: Course) -> TrackWeighing:
    """Weigh by one reading of gaps.

    Raises
    ------
    NoSolutionError
        The knowledge contradicts the release.
    """
    n_known = len(evidence.users)
    core = unnamed_start(evidence.zones, evidence.pins)
    starts = []
    for seed in (course.seed, course.seed + 1):
        start, possible = initial_solution(core, n_known, replace(course, seed=seed))
        if start is None:
            break
        starts.append(start)
    found = Weighed.unsettled(n_known * core.network.horizon)
    found.proven[:] = 1
    _note_alone(found, core, possible, n_known)
    if not starts:
        return TrackWeighing(evidence, core, found, None, error)
    weights = Uniform().for_sizes(core.network.n_zones, len(core.network.member))
    chains = Chains.begun(core, weights, starts, course.seed)
    fill(chains, found, lambda: _look(chains, found, n_known, error, course), course)
    return TrackWeighing(evidence, core, found, chains, error)


def _there(core: Core, step: int) -> npt.NDArray[np.int64]:
    """(n_rows,) wire of each row after a step."""
    rows = np.arange(core.network.n_rows)
    return core.network.wire_at(rows, np.full(len(rows), step))


def _note_alone(found: Weighed, core: Core, possible: TokenSets, n_known: int) -> None:
    """Note when a user can be on one track only."""
    horizon = core.network.horizon
    for step in range(1, horizon + 1):
        there = tokens.are_in(possible, _there(core, step)[:, None], np.arange(n_known))
        alone = np.flatnonzero(np.count_nonzero(there, axis=0) == 1)
        found.note_exact(alone * horizon + step - 1, ALONE, there[:, alone].argmax(axis=0))


def _look(chains: Chains, found: Weighed, n_known: int, error: float, course: Course) -> None:
    """See what is settled by all draws, step by step."""
    horizon = chains.core.network.horizon

    def look(step: int) -> None:
        drawn = chains.drawn(_there(chains.core, step)).astype(np.int64)
        rows = np.empty_like(drawn)
        np.put_along_axis(rows, drawn, np.arange(drawn.shape[2]), axis=2)
        users = np.ascontiguousarray(rows[:, :, :n_known].transpose(2, 0, 1).astype(np.int32))
        out = Estimates.empty(n_known)
        estimate(users, drawn.shape[2], begin_of(users.shape[2]), out)
        at = np.arange(n_known) * horizon + step - 1
        fresh = found.method[at] != ALONE
        take_in(found, at[fresh], Estimates._make(c[fresh] for c in out), error)

    side_by_side(look, range(1, horizon + 1), course.workers)
