"""A set of zones to begin with, whatever the requirements: there always is one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.errors import TimeUpError
from mixsafe.model.certificate import Certificate
from mixsafe.model.limits import SolveLimits
from mixsafe.model.mix_zones import MixZones
from mixsafe.model.problem import Problem
from mixsafe.optimize.enough import ENOUGH, Judge
from mixsafe.optimize.recreate import Recreate
from mixsafe.optimize.shrink import shrink
from mixsafe.verify.answers import Deadline
from mixsafe.verify.certificate import certify
from mixsafe.verify.verification import Verification

_SETS_SECONDS = 8.0  # for sets of rows to begin with, of all requirements together
_SEARCH_SECONDS = 8.0
_SPARE_SECONDS = 4.0  # for zones that a requirement's witnesses do not need
_PROBE_SECONDS = 0.5
_SHARE = 0.2  # of the time that is left, for each of these searches at most


class Beginning:
    """Zones that are enough, found among a few rows, or else from what verified them.

    Parameters
    ----------
    verified
        All zones together are proven to meet all requirements, and the grounds were kept.
    posed
        The problem with those of its requirements that have k >= 2.
    real
        Their numbers in ``verified``.
    cost
        (n_zones,) int64 > 0.
    limits
        Seed of the search.
    """

    def __init__(
        self,
        verified: Verification,
        posed: Problem,
        real: npt.NDArray[np.int64],
        cost: npt.NDArray[np.int64],
        limits: SolveLimits,
    ) -> None:
        self._verified, self._posed, self._real = verified, posed, real
        self._cost, self._limits = cost, limits
        self._search: Recreate | None = None
        self._alone_met: list[int] = []
        self._given = np.zeros(len(cost), bool)
        self._made: Certificate | None = None
        self._certified_in_vain = False

    def __call__(self, enough: int, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) bool: zones that are enough; no cheaper ones than ``enough`` are looked for.

        All zones where the time is too short for anything else.
        """
        asked, left = self._posed.requirements, deadline.left
        if asked is None or deadline.passed:
            return np.ones(len(self._cost), bool)
        search = self._search = Recreate(
            self._posed.zones,
            self._posed.knowledge,
            asked,
            self._cost,
            np.random.default_rng(self._limits.seed),
            Deadline(min(_SETS_SECONDS, _SHARE * left)),
        )
        first = self._alone(search, len(asked), deadline)
        if not self._alone_met:
            return first
        end = Deadline(min(_SEARCH_SECONDS, _SHARE * left))
        found = search.run(self._given, self._alone_met, enough, end)
        if found is None or self._cost[found].sum() > self._cost[first].sum():
            return first
        return found

    def near(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
        """(n_zones,) zones that are enough, many of which are ``active``; None: not found."""
        if self._search is None or not self._alone_met:
            return None
        return self._search.near(active, self._given, self._alone_met)

    def _alone(self, search: Recreate, n_asked: int, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) zones that meet each requirement by itself, all together.

        Requirements that a few rows meet are noted; the others' zones are given.
        """
        first = np.zeros(len(self._cost), bool)
        for number in range(n_asked):
            met = search.alone(number)
            if met is None:
                witnessed = self._witnessed(number, deadline)
                search.suggest(number, self._rows_of(witnessed))
                met = search.alone(number)
                self._given |= witnessed if met is None else False
            if met is not None:
                self._alone_met.append(number)
                first[met] = True
        return first | self._given

    def _witnessed(self, number: int, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) bool: zones of witnesses of a requirement, without some that are not needed.

        All zones where there are no grounds for witnesses, or little time.
        """
        zones, asked = self._posed.zones, self._posed.requirements
        made = self._certificate(Deadline(_SHARE * deadline.left))
        if made is None or asked is None:
            return np.ones(len(zones), bool)
        end = Deadline(min(_SPARE_SECONDS, 0.1 * deadline.left))
        claim = made.claims[int(self._real[number])]
        exchanges = [e for witness in claim.witnesses for e in made.witnesses[witness]]
        used = _zones_at(zones, [(e.time, e.rows[0]) for e in exchanges])
        judge = Judge(zones, self._posed.knowledge, asked, self._limits)
        which = np.array([number])

        def enough(active: npt.NDArray[np.bool_]) -> bool:
            probe = Deadline(min(_PROBE_SECONDS, end.left))
            return bool(judge.decide(active, probe, which)[0] == ENOUGH)

        return shrink(used, self._cost, np.zeros(len(zones)), enough, end)

    def _rows_of(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Rows that are in two or more of the zones."""
        zones = self._posed.zones
        times = np.bincount(zones.members[np.repeat(active, zones.sizes)], minlength=zones.n_users)
        return np.flatnonzero(times >= 2)

    def _certificate(self, deadline: Deadline) -> Certificate | None:
        """Witnesses of all requirements, where there are grounds for them, and time."""
        if self._verified.grounds is None or self._certified_in_vain:
            return None
        if self._made is None:
            try:
                self._made = certify(self._verified, deadline=deadline)
            except TimeUpError:
                self._certified_in_vain = True
        return self._made


def _zones_at(zones: MixZones, places: list[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """(n_zones,) bool: zones in which a row is at a step, for all pairs (step, row)."""
    key = zones.time[zones.zone_of_member].astype(np.int64) * zones.n_users + zones.members
    wanted = [step * zones.n_users + row for step, row in places]
    chosen = np.zeros(len(zones), bool)
    chosen[zones.zone_of_member[np.isin(key, wanted)]] = True
    return chosen
