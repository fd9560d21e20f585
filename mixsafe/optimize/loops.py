"""A relaxation: each candidate's token must get to the row that is asked about, and home again.

Decides what each single token needs; that all must fit together is left to the verifier. If zones
that are active do not let token i make its way, one of the zones at the frontier of what it
reaches must be active as well: a *cut*, "if i is a candidate of requirement r, then at least one
of these zones has an exchange". The frontier of what reaches the row is a cut for all tokens
outside it at once. All minimum sets respect all cuts, so the cheapest set that
respects some of them is a lower bound, and a minimum set where it meets all requirements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.adversary import Knowledge
from mixsafe.model.mix_zones import MixZones
from mixsafe.optimize.spread import NEVER, Spread, backward, forward, go_back, go_on

ALWAYS = None
"""In place of tokens: the cut holds whoever is a candidate."""


class Cut(NamedTuple):
    """At least one of ``zones`` has an exchange, if one of ``tokens`` is a candidate.

    Parameters
    ----------
    zones
        (n,) ascending.
    requirement
        Whose candidates are meant.
    tokens
        (m,) ascending, or ``ALWAYS``.
    """

    zones: npt.NDArray[np.int64]
    requirement: int
    tokens: npt.NDArray[np.int64] | None


@dataclass(frozen=True, eq=False)
class Loops:
    """The ways of tokens to (row, step) and home, for one requirement.

    Parameters
    ----------
    zones
        The mix zones.
    number
        Number of the requirement.
    row, step, k
        The requirement; k >= 2.
    left, due
        (n_users,) int32 each: last step <= ``step`` at which the token is known to be on its own
        row, and first step >= ``step`` (``NEVER``: none).
    """

    zones: MixZones
    number: int
    row: int
    step: int
    k: int
    left: npt.NDArray[np.int32]
    due: npt.NDArray[np.int32]

    @classmethod
    def of(
        cls, zones: MixZones, knowledge: Knowledge, number: int, row: int, step: int, k: int
    ) -> Loops:
        """Loops of requirement (row, step, k) under ``knowledge``."""
        named = np.isin(knowledge.row, knowledge.row[knowledge.time == 0])
        user, time = knowledge.row[named], knowledge.time[named]
        left = np.zeros(zones.n_users, np.int32)  # token c starts on row c
        due = np.full(zones.n_users, NEVER, np.int32)
        before, after = time <= step, time >= step
        np.maximum.at(left, user[before], time[before])
        np.minimum.at(due, user[after], time[after])
        return cls(zones, number, row, step, k, left, due)

    def reach(self, active: npt.NDArray[np.bool_]) -> tuple[Spread, Spread]:
        """From where tokens come to the row, and where they get to from it."""
        back = backward(self.zones, active, [self.row], self.step, 0)
        on = forward(self.zones, active, [self.row], self.step, self.zones.axis.steps)
        return back, on

    def candidates(self, back: Spread, on: Spread) -> npt.NDArray[np.int64]:
        """Tokens, ascending, that get to the row and home; its own is not counted."""
        made = self._comes(back) & self._returns(on)
        made[self.row] = False
        return np.flatnonzero(made)

    def _comes(self, back: Spread) -> npt.NDArray[np.bool_]:
        return np.asarray(back.step >= self.left)

    def _returns(self, on: Spread) -> npt.NDArray[np.bool_]:
        return np.asarray((on.step <= self.due) | (self.due == NEVER))

    def cuts(
        self, active: npt.NDArray[np.bool_], tokens: Iterable[int], reached: tuple[Spread, Spread]
    ) -> Iterator[Cut]:
        """Cuts that ``active`` zones break, for those of ``tokens`` that do not make their way.

        For each half of a way one at the frontier of the row, for all whom it keeps away, and
        one at the frontier of each token. Each is made small by leaving out zones that cannot be
        the first to be missed.
        """
        back, on = reached
        yield from self.far_before(back.frontier)
        yield from self.far_after(on.frontier)
        comes, returns = self._comes(back), self._returns(on)
        for token in tokens:
            if not comes[token]:
                yield from self.way_in(back.frontier, token)
                start = forward(self.zones, active, [token], int(self.left[token]), self.step)
                yield from self._at_row(start.frontier, token)
            if not returns[token]:
                yield from self.way_home(on.frontier, token)
                home = backward(self.zones, active, [token], int(self.due[token]), self.step)
                yield from self._from_row(home.frontier, token)

    def way_in(self, zones: npt.NDArray[np.bool_], token: int) -> Iterator[Cut]:
        """The cut among ``zones`` that a token meets first on its way to the row, if any."""
        found = forward(self.zones, ~zones, [token], int(self.left[token]), self.step)
        if found.step[self.row] == NEVER:
            yield self._cut(found, np.array([token]))

    def way_home(self, zones: npt.NDArray[np.bool_], token: int) -> Iterator[Cut]:
        """The cut among ``zones`` that a token meets last on its way home, if any."""
        found = backward(self.zones, ~zones, [token], int(self.due[token]), self.step)
        if found.step[self.row] < 0:
            yield self._cut(found, np.array([token]))

    def _at_row(self, zones: npt.NDArray[np.bool_], token: int) -> Iterator[Cut]:
        """The cut among ``zones`` that a token meets last on its way to the row, if any."""
        since = int(self.left[token])
        found = backward(self.zones, ~zones, [self.row], self.step, since)
        if found.step[token] < since:
            yield self._cut(found, np.array([token]))

    def _from_row(self, zones: npt.NDArray[np.bool_], token: int) -> Iterator[Cut]:
        """The cut among ``zones`` that a token meets first on its way home, if any."""
        until = int(self.due[token])
        found = forward(self.zones, ~zones, [self.row], self.step, until)
        if found.step[token] > until:
            yield self._cut(found, np.array([token]))

    def far_before(self, zones: npt.NDArray[np.bool_]) -> Iterator[Cut]:
        """The cut among ``zones`` that keeps tokens from the row, for all whom it does."""
        found = backward(self.zones, ~zones, [self.row], self.step, 0)
        yield from self._group(found, ~self._comes(found))

    def far_after(self, zones: npt.NDArray[np.bool_]) -> Iterator[Cut]:
        """The cut among ``zones`` that keeps tokens on the row from home, for all whom it does."""
        found = forward(self.zones, ~zones, [self.row], self.step, self.zones.axis.steps)
        yield from self._group(found, ~self._returns(found))

    def _group(self, found: Spread, kept_away: npt.NDArray[np.bool_]) -> Iterator[Cut]:
        kept_away[self.row] = False
        if kept_away.any():
            yield self._cut(found, np.flatnonzero(kept_away))

    def _cut(self, found: Spread, tokens: npt.NDArray[np.int64] | None) -> Cut:
        return Cut(np.flatnonzero(found.frontier), self.number, tokens)

    def way_out(self, zones: npt.NDArray[np.bool_]) -> Iterator[Cut]:
        """The cut among ``zones`` that keeps the row's own token on it, if any."""
        found = self._away(~zones)
        if found.step[self.row] == NEVER:
            yield self._cut(found, ALWAYS)

    def displacement_cuts(self, active: npt.NDArray[np.bool_]) -> Iterator[Cut]:
        """Cuts for the row's own token, which must be elsewhere at the step and come home."""
        if self.due[self.row] == NEVER:
            return
        out, home = self._away(active), self._home(active)
        if home.step[self.row] >= 0:
            return
        yield self._cut(self._away(~home.frontier), ALWAYS)
        yield self._cut(self._home(~out.frontier), ALWAYS)

    def _away(self, active: npt.NDArray[np.bool_]) -> Spread:
        """Where the row's token gets to when it leaves the row before the step."""
        left, due = int(self.left[self.row]), int(self.due[self.row])
        found = forward(self.zones, active, [self.row], left, self.step)
        found.step[self.row] = NEVER
        go_on(self.zones, active, found, self.step, due)
        return found

    def _home(self, active: npt.NDArray[np.bool_]) -> Spread:
        """From where the row's token gets home when it is elsewhere at the step."""
        left, due = int(self.left[self.row]), int(self.due[self.row])
        found = backward(self.zones, active, [self.row], due, self.step)
        found.step[self.row] = -1
        go_back(self.zones, active, found, self.step, left)
        return found
