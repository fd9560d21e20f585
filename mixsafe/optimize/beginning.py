"""A set of zones to begin with, whatever the requirements: there always is one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.limits import SolveLimits
from mixsafe.model.mix_zones import MixZones
from mixsafe.model.problem import Problem
from mixsafe.optimize.recreate import Recreate
from mixsafe.verify.answers import Deadline
from mixsafe.verify.certificate import certify
from mixsafe.verify.verification import Verification

_SETS_SECONDS = 5.0  # for sets of rows to begin with, of all requirements together
_SEARCH_SECONDS = 8.0


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

    def __call__(self, enough: int, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) bool: zones that are enough; no cheaper ones than ``enough`` are looked for.

        All zones where the time is too short for anything else.
        """
        everything = np.ones(len(self._cost), bool)
        asked, left = self._posed.requirements, deadline.left
        if asked is None or deadline.passed:
            return everything
        search = Recreate(
            self._posed.zones,
            self._posed.knowledge,
            asked,
            self._cost,
            np.random.default_rng(self._limits.seed),
            Deadline(min(_SETS_SECONDS, 0.1 * left)),
        )
        easy = [number for number in range(len(asked)) if search.alone(number) is not None]
        given = np.zeros(len(self._cost), bool)
        hard = np.setdiff1d(np.arange(len(asked)), easy)
        if len(hard):
            given = self._witnessed(hard)
        if not easy:
            return given
        end = Deadline(min(_SEARCH_SECONDS, 0.2 * left))
        found = search.run(given, easy, enough, end)
        return everything if found is None else found

    def _witnessed(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Zones in which witnesses of some requirements exchange anything."""
        zones = self._posed.zones
        if self._verified.grounds is None:
            return np.ones(len(zones), bool)
        try:
            made = certify(self._verified)
        except InputError:
            return np.ones(len(zones), bool)
        claims = [made.claims[number] for number in self._real[numbers].tolist()]
        used = {witness for claim in claims for witness in claim.witnesses}
        places = [(e.time, e.rows[0]) for witness in used for e in made.witnesses[witness]]
        return _zones_at(zones, places)


def _zones_at(zones: MixZones, places: list[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """(n_zones,) bool: zones in which a row is at a step, for all pairs (step, row)."""
    key = zones.time[zones.zone_of_member].astype(np.int64) * zones.n_users + zones.members
    wanted = [step * zones.n_users + row for step, row in places]
    chosen = np.zeros(len(zones), bool)
    chosen[zones.zone_of_member[np.isin(key, wanted)]] = True
    return chosen
