"""What a witness of a requirement must respect, as clauses: tokens on wires, zone by zone.

A witness puts another token, the *candidate*, on the row that is asked about, and whoever is known
to be somewhere is there. A zone without an exchange leaves every token on its row, a zone with one
permutes them. Only some tokens are *tracked*: the candidate, whoever it is, the row's own token,
and those that are added later. All others are anonymous, and fill what is left; so what holds
here holds for every witness, and a witness that puts all tokens where they are known to be is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Knowledge, pins_and_links
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize.cores.clauses import Clauses, Literals
from mixsafe.optimize.cores.spread import backward, forward

_DIRECT = 20  # members of a zone; with more, clauses go through a boolean for the whole zone


@dataclass(frozen=True, eq=False)
class ZoneVariables:
    """Zones, a variable for each, and knowledge: what all witnesses share.

    Parameters
    ----------
    zones
        The mix zones.
    core
        The question on all of them.
    active
        (n_zones,) variables: an exchange happens in the zone.
    """

    zones: MixZones
    core: Core
    active: Literals

    @classmethod
    def of(cls, zones: MixZones, knowledge: Knowledge, clauses: Clauses) -> ZoneVariables:
        """What all witnesses share that are written to ``clauses``."""
        core = Core(WireNetwork.of(zones), *pins_and_links(knowledge))
        return cls(zones, core, clauses.new(len(zones)))

    def of_size(self, size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """(n,) zones of so many members, and (n, size) wires on which these come to them."""
        zone = np.flatnonzero(self.zones.sizes == size)
        return zone, self.core.network.before[self.zones.ptr[zone][:, None] + np.arange(size)]

    def known(self, token: int) -> list[int]:
        """Steps after which a token is known to be on its own row, ascending; 0 is one."""
        pins = self.core.pins
        return sorted({0, *pins.time[pins.token == token].tolist()})

    def ahead(self, row: int, after: int, until: int) -> npt.NDArray[np.bool_]:
        """(n_wires,) where a token may be, up to a step, that is on ``row`` after another one."""
        network, step = self.core.network, forward(self.zones, row, after, until)
        here = np.arange(network.n_wires) == network.wire_at(row, after)
        return np.asarray(here | (network.start >= np.maximum(step[network.row], after + 1)))

    def back(self, row: int, at: int, since: int) -> npt.NDArray[np.bool_]:
        """(n_wires,) where a token may be, from a step on, that is on ``row`` after a later one."""
        network, step = self.core.network, backward(self.zones, row, at, since)
        here = np.arange(network.n_wires) == network.wire_at(row, at)
        return np.asarray(here | (network.end <= np.minimum(step[network.row], at - 1)))


class WitnessClauses:
    """One witness, written to ``clauses``.

    Parameters
    ----------
    clauses
        Where to.
    shared
        Zones, knowledge, and variables of the zones.
    row, step
        The candidate, not the row's own token, is on this row after this step.
    """

    def __init__(self, clauses: Clauses, shared: ZoneVariables, row: int, step: int) -> None:
        self._clauses, self._shared = clauses, shared
        self._row, self._step = row, step
        network = shared.core.network
        self._wire = int(network.wire_at(row, step))
        pairs, self._coming = shared.of_size(2)
        self._swapped = clauses.new(len(pairs))
        clauses.write(-self._swapped, shared.active[pairs])
        self._larger = [shared.of_size(s) for s in np.unique(shared.zones.sizes).tolist() if s > 2]
        self._on: dict[int, Literals] = {}  # of each tracked token, the variable for each wire
        self._candidate = self._follow_candidate()
        self._start = self._candidate[network.first[:-1]]
        self._started = clauses.first_ones(self._start[None])[0]
        self.track(row)

    @property
    def tracked(self) -> set[int]:
        """Tokens that are told apart, whoever the candidate is."""
        return set(self._on)

    def before(self, other: WitnessClauses) -> None:
        """Let the candidate be a token of a lower number than that of another witness."""
        lower = np.concatenate([[0], self._started[:-1]])
        self._clauses.implied(other._start, lower)

    def told(self, true: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """(n_wires,) tracked token on each wire, -1 for an anonymous one, in an answer."""
        told = np.full(len(self._candidate), -1, np.int32)
        for token, on in self._on.items():
            told[true[on]] = token
        told[true[self._candidate]] = int(np.argmax(true[self._start]))
        return told

    def _follow_candidate(self) -> Literals:
        """(n_wires,) variables of the candidate, who starts on one row and is known there."""
        shared, network = self._shared, self._shared.core.network
        there = shared.back(self._row, self._step, 0)
        there |= shared.ahead(self._row, self._step, network.horizon)
        there[network.first[self._row]] = False
        on = self._variables(there)
        self._clauses.write(on[[self._wire]])
        pin, wire = shared.core.pin_wires
        start = on[network.first[shared.core.pins.token[pin]]]
        self._clauses.implied(start, on[wire])
        self._clauses.implied(on[wire], start)
        return on

    def track(self, token: int) -> None:
        """Tell one more token from the anonymous ones."""
        shared, network = self._shared, self._shared.core.network
        steps = shared.known(token)
        there = shared.ahead(token, steps[-1], network.horizon)
        for after, at in pairwise(steps):
            there |= shared.ahead(token, after, at) & shared.back(token, at, after)
        there[shared.core.pin_wires[1]] = False
        home = np.unique(network.wire_at(np.full(len(steps), token), steps))
        there[home] = True
        if token == self._row:
            there[self._wire] = False
        on = self._variables(there)
        self._clauses.write(on[home])
        for other in self._on.values():
            self._apart(on, other)
        self._apart_from_candidate(on, int(self._start[token]))
        self._on[token] = on

    def _apart(self, on: Literals, other: Literals) -> None:
        """Two tokens do not leave a zone on one row; in a zone of two that is so anyway."""
        for _, coming in self._larger:
            self._clauses.not_both(on[coming + 1].ravel(), other[coming + 1].ravel())

    def _apart_from_candidate(self, on: Literals, same: int) -> None:
        """A token leaves zones where the candidate does if it is the ``same``, else elsewhere."""
        for _, coming in self._larger:
            candidate, token = self._candidate[coming + 1].ravel(), on[coming + 1].ravel()
            self._clauses.not_both(candidate, token, same)
            if same:
                self._clauses.implied(candidate, np.full(len(candidate), -same), token)

    def _variables(self, there: npt.NDArray[np.bool_]) -> Literals:
        """(n_wires,) variables where a token may be, with what zones and links make of it."""
        on = np.zeros(len(there), np.int64)
        on[there] = self._clauses.new(int(np.count_nonzero(there)))
        self._through_pairs(on)
        for zone, coming in self._larger:
            self._through_larger(on, self._shared.active[zone], coming)
        for one, other in self._shared.core.link_wires.T, self._shared.core.link_wires.T[::-1]:
            self._clauses.implied(on[one], on[other])
        return on

    def _through_pairs(self, on: Literals) -> None:
        """Tokens change rows in a zone of two where they are swapped, and only there."""
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            before, after = on[self._coming[:, i]], on[self._coming[:, j] + 1]
            otherwise = self._swapped if i == j else -self._swapped
            self._clauses.implied(before, otherwise, after)
            self._clauses.implied(after, otherwise, before)

    def _through_larger(
        self, on: Literals, active: Literals, coming: npt.NDArray[np.int64]
    ) -> None:
        """Tokens leave a zone on one of its rows, on the same one where there is no exchange."""
        there = np.any(on[coming], axis=1) | np.any(on[coming + 1], axis=1)
        active, before, after = active[there], on[coming[there]], on[coming[there] + 1]
        size = coming.shape[1]
        each = np.repeat(active, size)
        self._clauses.implied(before.ravel(), each, after.ravel())
        self._clauses.implied(after.ravel(), each, before.ravel())
        if size <= _DIRECT:
            self._clauses.implied(before.ravel(), np.repeat(after, size, axis=0))
            self._clauses.implied(after.ravel(), np.repeat(before, size, axis=0))
        else:
            inside = self._clauses.new(len(active))
            each = np.repeat(inside, size)
            for side in (before, after):
                self._clauses.implied(side.ravel(), each)
                self._clauses.write(-inside, side)
        self._clauses.at_most_one(after)
