"""Whether some zones are enough: the verifier's proofs on the few users that they concern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.adversary import Knowledge, pins_and_links
from mixsafe.model.limits import SolveLimits
from mixsafe.model.mix_zones import MixZones
from mixsafe.model.requirement import Requirements
from mixsafe.network.wires import WireNetwork
from mixsafe.verify import bounds, cpsat
from mixsafe.verify.answers import Answers, Deadline
from mixsafe.verify.core import Core

ENOUGH, NOT_ENOUGH, OPEN = 1, 0, -1

MAX_CANDIDATES = 300_000
"""Of all wires together: building a larger model would take longer than a question may."""


@dataclass(frozen=True, eq=False)
class Judge:
    """Decides requirements when an exchange happens in some zones only.

    Parameters
    ----------
    zones, knowledge, requirements
        The question.
    limits
        Workers and seed of CP-SAT; a limit of time is given with each question.
    """

    zones: MixZones
    knowledge: Knowledge
    requirements: Requirements
    limits: SolveLimits

    def decide(
        self,
        active: npt.NDArray[np.bool_],
        deadline: Deadline,
        which: npt.NDArray[np.int64] | None = None,
    ) -> npt.NDArray[np.int8]:
        """Decide requirements.

        Parameters
        ----------
        active
            (n_zones,) zones in which an exchange happens.
        deadline
            When to leave the rest open.
        which
            Numbers of the requirements that are asked; None: all.

        Returns
        -------
        (n_asked,) int8: ``ENOUGH`` or ``NOT_ENOUGH``, which are proven, or ``OPEN``.
        """
        asked = self.requirements
        which = np.arange(len(asked)) if which is None else which
        core, row = self._core(active, asked.row[which])
        wire = core.network.wire_at(row, asked.time[which])
        k = asked.k[which]
        answers = Answers(core, wire, k)
        bounds.decide(answers, self.limits, deadline)
        small = int(answers.upper.sum()) <= MAX_CANDIDATES
        if answers.n_open and small and not deadline.passed:
            cpsat.decide(answers, self.limits, deadline)
        verdict = np.full(len(which), OPEN, np.int8)
        verdict[answers.lower[wire] >= k] = ENOUGH
        verdict[answers.upper[wire] < k] = NOT_ENOUGH
        return verdict

    def _core(
        self, active: npt.NDArray[np.bool_], asked: npt.NDArray[np.int32]
    ) -> tuple[Core, npt.NDArray[np.int64]]:
        """The question on the users whom it concerns, and the rows of those asked about.

        Who is in no active zone keeps the pseudonym: leaving such users out changes nothing.
        """
        zones = self.zones
        member = zones.members[np.repeat(active, zones.sizes)]
        rows = np.unique(np.concatenate([member, asked]))
        ptr = np.concatenate([[0], np.cumsum(zones.sizes[active])]).astype(np.int64)
        members = np.searchsorted(rows, member).astype(np.int32)
        part = MixZones(rows.astype(np.int64), zones.axis, zones.time[active], ptr, members)
        seen = np.isin(self.knowledge.row, rows)
        known = Knowledge(
            np.searchsorted(rows, self.knowledge.row[seen]).astype(np.int32),
            self.knowledge.time[seen],
        )
        core = Core(WireNetwork.of(part), *pins_and_links(known))
        return core, np.searchsorted(rows, asked)
