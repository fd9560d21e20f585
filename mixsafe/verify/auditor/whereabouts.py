"""On which rows a token can be: the auditor's questions, answered by the engines of the publisher.

The publisher asks which tokens a row can have, an auditor on which rows a token can be. Both are
read off the same sets of tokens per wire. Only the start differs: an auditor does not know which
token starts where. So all rows meet in a first zone of their own, before everything else; and once
some solution is known, rows are cut and joined at zones so that in it every token stays on one row.
Then the identity satisfies everything (fact 1), and what the engines prove holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.core import Core
from mixsafe.network.events import event_steps, in_events
from mixsafe.network.timeline import timeline
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment
from mixsafe.verify.auditor.presence import Presence, draw, draw_near, presence, wanted


def unnamed_start(zones: MixZones, pins: Pins) -> Core:
    """The question of an auditor: any token may start on any row.

    At step 1 all rows meet; step 1 of the data is step 2 here, and from then on only those steps
    count in which something happens. The identity need not be a solution.

    Parameters
    ----------
    zones
        Visible mix zones of published rows.
    pins
        Tokens on one of some rows after a step, 0 included.
    """
    n_rows = zones.n_users
    everybody = np.arange(n_rows if n_rows > 1 else 0, dtype=np.int32)
    begins = np.zeros(min(len(everybody), 1), np.int32)
    started = MixZones(
        zones.users,
        replace(zones.axis, steps=zones.axis.steps + 1),
        np.concatenate([begins + np.int32(1), zones.time + np.int32(1)]),
        np.concatenate([begins.astype(np.int64), zones.ptr + len(everybody)]),
        np.concatenate([everybody, zones.members]),
    )
    later = Pins(pins.token, pins.time + np.int32(1), pins.ptr, pins.rows)
    core = Core(WireNetwork.of(started), later, Links.none())
    steps = event_steps(started.axis.steps, np.array([1, 2]), started.time, later.time)
    here = in_events(core, steps)
    return replace(here, steps=steps - np.int32(1))


def rewired(core: Core, solution: Assignment) -> tuple[Core, npt.NDArray[np.int64]]:
    """The same question with rows along which no token moves in a known solution.

    Parameters
    ----------
    core
        A question without links.
    solution
        (n_wires,) token on each wire.

    Returns
    -------
    Core, wire
        The question, and for each of its wires the wire of ``core`` that it is.
    """
    network, pins = core.network, core.pins
    zone = network.zone_of_entry
    member = solution[network.before].astype(np.int32)
    order = np.lexsort((member, zone))
    made = WireNetwork.joining(
        network.n_rows, network.horizon, network.zone_time, network.zone_ptr, member[order]
    )
    wire = np.empty(network.n_wires, np.int64)
    wire[made.wire_at(solution, network.start)] = np.arange(network.n_wires)
    pin, at = core.pin_wires
    row = solution[at].astype(np.int32)
    order = np.lexsort((row, pin))
    held = Pins(pins.token, pins.time, pins.ptr, row[order])
    return replace(core, network=made, pins=held), wire


@dataclass(eq=False)
class Whereabouts:
    """Bounds on the rows of each known token at each step, and what settled them.

    Parameters
    ----------
    core
        The question, the identity being a solution.
    row
        (n_wires,) published row that each wire is part of.
    n_known
        Tokens 0 to n_known - 1 are asked about.
    k
        Do they have k rows or more? One row, or more than one, is always asked, too.
    exhaustive
        Ask for all rows of each token instead.
    asked
        (horizon + 1,) bool: steps that are asked about; default: all from 2 on, where the data
        begin.
    """

    core: Core
    row: npt.NDArray[np.int32]
    n_known: int
    k: int
    exhaustive: bool = False
    asked: npt.NDArray[np.bool_] | None = None
    answers: Answers = field(init=False)
    lower: Presence = field(init=False)
    upper: Presence = field(init=False)
    decided_by: npt.NDArray[np.uint8] = field(init=False)
    # Candidates in all sets together: proven ones only become more, possible ones only fewer, so
    # where their number is the same, so are they.
    _sizes: list[int] = field(init=False, default_factory=lambda: [-1, -1])

    def __post_init__(self) -> None:
        network = self.core.network
        if self.n_known > network.n_rows:
            raise InputError(f"{self.n_known} users do not fit on {network.n_rows} tracks")
        every_wire = np.arange(network.n_wires)
        ones = np.ones(network.n_wires, np.int32)
        self.answers = Answers(self.core, every_wire, ones, exhaustive=True)
        self.decided_by = np.full((self.n_known, network.horizon + 1), Argument.NONE, np.uint8)
        self.settle(Argument.IDENTITY)

    def settle(self, argument: Argument) -> None:
        """Count rows anew and name what decided the questions."""
        sizes = [
            int(tokens.count(sets).sum(dtype=np.int64))
            for sets in (self.answers.proven, self.answers.possible)
        ]
        if sizes[0] != self._sizes[0]:
            self.lower = self._presence(self.answers.proven)
        if sizes[1] != self._sizes[1]:
            self.upper = self._presence(self.answers.possible)
        self._sizes = sizes
        fresh = self._settled(self.k) & (self.decided_by == Argument.NONE)
        self.decided_by[fresh] = argument
        self.answers.spent.charge(argument)

    def unsettled(self) -> npt.NDArray[np.bool_]:
        """(n_known, horizon + 1) bool: open questions; none about what is before the data."""
        found = ~(self._settled(self.k) & self._settled(2))
        found[:, :2] = False
        if self.asked is not None:
            found &= self.asked
        return found

    def wanted(self) -> TokenSets:
        """(n_wires, words): tokens of whom it is open, and matters, whether they can be there."""
        network, answers = self.core.network, self.answers
        missing = answers.possible & ~answers.proven
        return wanted(missing, network.start, network.end, self.unsettled())

    def missing_pairs(
        self, random: np.random.Generator, *, near: bool
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """For each open question one wire, drawn, on which its token is possible but not proven.

        Parameters
        ----------
        near
            Draw from those only that come from a zone, or lead to one, of the token's own wire.

        Returns
        -------
        wire, token
            (n,) each: pairs, each once, in random order.
        """
        network, answers, asked = self.core.network, self.answers, self.unsettled()
        missing = answers.possible & ~answers.proven
        seed = int(random.integers(1, 2**62))
        if near:
            drawn = draw_near(missing, timeline(self.core), network.end, asked, seed)
        else:
            drawn = draw(missing, network.start, network.end, asked, seed)
        token, step = np.nonzero(drawn >= 0)
        pairs = np.unique(drawn[token, step] * self.n_known + token)
        wire, token = np.divmod(random.permutation(pairs), self.n_known)
        return wire, token

    def unproven(
        self, token: int, step: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Wires at a step on which a token is proven, and those on which it is only possible."""
        network, answers = self.core.network, self.answers
        rows = np.arange(network.n_rows)
        wires = network.wire_at(rows, np.full_like(rows, step))
        proven = tokens.are_in(answers.proven, wires, token)
        possible = tokens.are_in(answers.possible, wires, token)
        return wires[proven], wires[possible & ~proven]

    def rule_out(self, token: int, wires: npt.NDArray[np.int64], argument: Argument) -> None:
        """A token cannot be on any of some wires."""
        tokens.strike(self.answers.possible, wires, token)
        self.answers.settle(argument, wires)
        self.settle(argument)

    def known(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) bool: the tokens that are asked about."""
        return np.arange(self.core.network.n_rows) < self.n_known

    def _settled(self, k: int) -> npt.NDArray[np.bool_]:
        if self.exhaustive:
            return self.lower.count == self.upper.count
        return (self.lower.count >= k) | (self.upper.count < k)

    def _presence(self, sets: TokenSets) -> Presence:
        network = self.core.network
        return presence(sets, network.start, network.end, self.row, self.n_known, network.horizon)
