"""The core question that all engines answer: tokens on wires, with pins and links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import grouped
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.wires import WireNetwork


@dataclass(frozen=True, eq=False)
class Core:
    """Tokens move along wires and are permuted in zones; token c starts on row c.

    The identity (token c stays on row c) satisfies everything (fact 1), so every pin
    holds the token's own row.

    Parameters
    ----------
    network
        The wires.
    pins
        Token c is on one of these rows after step t.
    links
        The token on a row at one step is the token on it at a later one.
    steps
        (horizon + 1,) int32: step of the data for each step here, if steps without events have been
        removed (see ``events``); None: none have.
    """

    network: WireNetwork
    pins: Pins
    links: Links
    steps: npt.NDArray[np.int32] | None = None

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
        """The pins, and the links as pins to the row's own token.

        They are stronger than the core: what is possible under them is possible in the core.
        """
        links = self.links
        if not len(links):
            return self.pins
        row = np.concatenate([links.row, links.row])
        time = np.concatenate([links.start, links.end])
        return self.pins.joined(Pins.own(row, time))

    @cached_property
    def link_wires(self) -> npt.NDArray[np.int64]:
        """(n_links, 2) pairs of different wires that carry the same token."""
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
    def pin_wires(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """(n_entries,) each: pin, and wire on which its token may be."""
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
