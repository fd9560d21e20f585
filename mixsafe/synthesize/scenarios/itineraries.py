"""Days of people as legs between way points, and positions at a moment.

All routes follow a street or rail grid: north or south first, then east or west. A passenger's
position is the last stop of the train.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Minutes = npt.NDArray[np.float32]
Blocks = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Leg:
    """A leg that all people have at the same place of their day, each at a personal pace.

    Parameters
    ----------
    begin, end
        Numbers of the way points; the same one: she stays there.
    stop
        Blocks between positions that are reported: 1 in a street, more on rails.
    """

    begin: int
    end: int
    stop: int = 1


@dataclass(frozen=True, eq=False)
class Itineraries:
    """The legs of some days, one after the other.

    Parameters
    ----------
    legs
        In the order in which they are made.
    points
        (2, n_points, n_days) rows and columns of the way points, blocks.
    ends
        (n_legs - 1, n_days) minutes from midnight at which a leg is over; ascending along the
        first axis. The last leg is never over.
    """

    legs: tuple[Leg, ...]
    points: Blocks
    ends: Minutes

    def places(self, moments: Minutes) -> Blocks:
        """Row and column of everybody at each moment.

        Parameters
        ----------
        moments
            (n_moments,) minutes from midnight, before 24:00 and not before the first leg began.

        Returns
        -------
        (2, n_days, n_moments) blocks.
        """
        n_days, n_moments = self.ends.shape[1], len(moments)
        # Which leg is made at a moment: how many are over, counted where each of them ends.
        over = np.searchsorted(moments, self.ends, side="left")
        slot = np.arange(n_days) * (n_moments + 1) + over
        ended = np.bincount(slot.reshape(-1), minlength=n_days * (n_moments + 1))
        leg = np.cumsum(ended.reshape(n_days, n_moments + 1)[:, :-1], axis=1)
        flat = leg.reshape(-1)
        day = np.repeat(np.arange(n_days), n_moments)
        begin, end, stop = (
            np.array(column)[flat]
            for column in zip(*((e.begin, e.end, e.stop) for e in self.legs), strict=True)
        )
        at = self.points[:, begin, day]
        moves = np.flatnonzero(begin != end)
        at[:, moves] = self._on_the_way(
            at[:, moves],
            self.points[:, end[moves], day[moves]],
            self._done(flat[moves], day[moves], np.tile(moments, n_days)[moves]),
            stop[moves],
        )
        return at.reshape(2, n_days, n_moments)

    def _done(
        self, leg: npt.NDArray[np.intp], day: npt.NDArray[np.intp], moment: Minutes
    ) -> Minutes:
        """The share of each leg that is made at the moment, 0 to 1."""
        since = np.where(leg == 0, np.float32(0), self.ends[leg - 1, day])
        until = self.ends[np.minimum(leg, len(self.ends) - 1), day]
        share = (moment - since) / np.maximum(until - since, np.float32(1e-3))
        return share.astype(np.float32)

    @staticmethod
    def _on_the_way(
        begin: Blocks, end: Blocks, done: Minutes, stop: npt.NDArray[np.int64]
    ) -> Blocks:
        """The last reported position after a share of a leg."""
        off = end - begin
        length = np.abs(off)
        made = (done * length.sum(axis=0) / stop).astype(np.int32) * stop
        first = np.minimum(made, length[0])
        step = np.stack([first, np.minimum(made - first, length[1])])
        at: Blocks = (begin + np.sign(off) * step).astype(np.int32)
        return at
