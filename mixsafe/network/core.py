"""The core question that all engines answer: which tokens can be on which wires.

A *token* is what mix zones permute: a pseudonym or, for an auditor, a user. It has the number of
the row on which it begins. What the adversary saw is in *pins*, *links* and *apart*
(:mod:`mixsafe.model.question.adversary` makes them of a publisher's sightings).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import grouped
from mixsafe.model.question.adversary import (
    Apart,
    Knowledge,
    Links,
    Pins,
    apart_rows,
    known_rows,
    pins_and_links,
)
from mixsafe.network.wires import WireNetwork


@dataclass(frozen=True, eq=False)
class Core:
    """Tokens move along wires and are permuted in zones; token c starts on row c.

    An assignment of tokens to wires that agrees with pins, links and apart is a *solution*. The
    identity (token c stays on row c) is one (fact 1), so every pin allows the token's own row.
    A token that is on a wire in some solution is a *candidate* there.

    Parameters
    ----------
    network
        The wires.
    pins
        Each says: token c is on one of some rows after step t.
    links
        Each says: the token on row r after one step, whichever it is, is on r after a later step.
    apart
        The tokens on these rows after these steps are different, and not those of pins.
    steps
        (horizon + 1,) int32: step of the data for each step here, if steps in which nothing happens
        have been removed (:mod:`mixsafe.network.compression`); None: none have.
    """

    network: WireNetwork
    pins: Pins
    links: Links
    apart: Apart = field(default_factory=Apart.none)
    steps: npt.NDArray[np.int32] | None = None

    @classmethod
    def of(cls, network: WireNetwork, knowledge: Knowledge) -> Core:
        """The question about a publisher's zones and sightings, in the steps of both."""
        core = cls(network, *pins_and_links(knowledge), apart_rows(knowledge))
        return core.without_needless_apart()

    def without_needless_apart(self) -> Core:
        """The same question; nobody is apart if zones keep the tokens of all who are seen apart.

        So they do if there is a moment at which each of them is on a wire on which she is seen.
        """
        if not len(self.apart):
            return self
        row, time = known_rows(self.pins, self.links, self.apart)
        named = np.unique(self.pins.token)  # each on her own row at step 0
        row, time = np.append(row, named), np.append(time, np.zeros_like(named))
        wire = np.unique(self.network.wire_at(row, time))
        begins, ends = np.sort(self.network.start[wire]), np.sort(self.network.end[wire])
        there = np.arange(1, len(begins) + 1) - np.searchsorted(ends, begins)  # most, at begins
        seen = len(np.unique(self.network.row[wire]))
        return replace(self, apart=Apart.none()) if there.max() == seen else self

    @property
    def words(self) -> int:
        """64-bit words of a set of tokens."""
        return (self.network.n_rows + 63) // 64

    @property
    def real_steps(self) -> npt.NDArray[np.int32]:
        """(horizon + 1,) step of the data at which each step of the network begins."""
        if self.steps is None:
            return np.arange(self.network.horizon + 1, dtype=np.int32)
        return self.steps

    def own_pins(self) -> Pins:
        """The pins, and pins of the row's own token to each row that is linked or apart.

        They are stronger than the core: each solution that agrees with them is one of the core,
        since whoever is seen has her own token. So they serve lower bounds.
        """
        links, apart = self.links, self.apart
        if not len(links) and not len(apart):
            return self.pins
        row = np.concatenate([links.row, links.row, apart.row])
        time = np.concatenate([links.start, links.end, apart.time])
        return self.pins.joined(Pins.own(row, time))

    @cached_property
    def link_wires(self) -> npt.NDArray[np.int64]:
        """(n, 2) wires at the two ends of each link; without links that begin and end on one."""
        links = self.links
        if not len(links):
            return np.zeros((0, 2), np.int64)
        pairs = np.stack(
            [
                self.network.wire_at(links.row, links.start),
                self.network.wire_at(links.row, links.end),
            ],
            axis=1,
        )
        return pairs[pairs[:, 0] != pairs[:, 1]]

    @cached_property
    def apart_wires(self) -> npt.NDArray[np.int64]:
        """(n_apart,) wires whose tokens differ from each other and from all pinned tokens."""
        return self.network.wire_at(self.apart.row, self.apart.time)

    @cached_property
    def pin_wires(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """(n_entries,) each, an entry per row of a pin: the pin, and the wire of that row."""
        pin = self.pins.pin_of_entry
        return pin, self.network.wire_at(self.pins.rows, self.pins.time[pin])

    @cached_property
    def pins_of_token(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Numbers of pins ordered by token, and pointers to those of each token."""
        return grouped(self.pins.token, self.network.n_rows)

    @cached_property
    def links_of_row(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Numbers of links ordered by row, and pointers to those of each row."""
        return grouped(self.links.row, self.network.n_rows)
