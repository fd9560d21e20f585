"""Answers as arrays: a row per wire or requirement, and a row per user.

A row here is a line of the result. In :mod:`mixsafe.network` a row is what a token is on.

Tables are made of them on request: loading pandas takes longer than deciding a small question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill import blocks
from mixsafe.model.answer.headline import UserShares
from mixsafe.model.answer.verdict import DECISIONS, SAFE, UNDECIDED, UNSAFE
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.requirement import Rule


class WireTimes(NamedTuple):
    """What rows of a result say of wires: a network without the meetings, the larger part of it.

    Parameters
    ----------
    row, start, end
        (n_wires,) each, as in :class:`mixsafe.network.wires.WireNetwork`.
    """

    row: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]


class Rows(NamedTuple):
    """What was found on the wires, or on the requirements, that were asked about.

    Parameters
    ----------
    user
        (n,): number of the user.
    start, end
        (n,) each: first and last step of a wire; both the step of a requirement.
    weight
        (n,): steps that each row stands for: of a wire, those in which something of the user is
        published; of a requirement, one.
    k, lower, upper
        (n,) each: what was asked, and proven bounds on the number of candidates.
    verdict
        (n,): 0 for safe, 1 for unsafe, 2 for undecided.
    decided_by
        (n,): numbers of :class:`mixsafe.model.answer.verdict.Argument`.
    """

    user: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    weight: npt.NDArray[np.int32]
    k: npt.NDArray[np.int32]
    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    verdict: npt.NDArray[np.int8]
    decided_by: npt.NDArray[np.uint8]

    def parts(self, rows: int) -> Iterator[Rows]:
        """The same, ``rows`` at a time; one part at least."""
        for begin in range(0, max(len(self.user), 1), rows):
            yield Rows._make(column[begin : begin + rows] for column in self)

    def known(self, seen: npt.NDArray[np.int64], n_users: int) -> npt.NDArray[np.int64]:
        """(n_users,): steps of each user that are known by assumption.

        Parameters
        ----------
        seen
            (n,) rows of wires on which the adversary saw the user, each once.
        """
        steps = self.weight[seen].astype(np.float64) * (self.verdict[seen] == UNSAFE)
        return np.bincount(self.user[seen], steps, n_users).astype(np.int64)

    def best(self, n_users: int) -> npt.NDArray[np.int32]:
        """(n_users,): the largest number of candidates that is proven of each user; else 0."""
        best = np.zeros(n_users, np.int32)
        np.maximum.at(best, self.user, self.lower)
        return best


class UserRows(NamedTuple):
    """What was found about the users who were asked about.

    Parameters
    ----------
    user
        (n,): numbers of the users, ascending.
    verdict
        (n,): as in :class:`Rows`, by the rule.
    safe_share, undecided_share
        (n,) each: of the steps asked about, 0 to 1.
    known_share
        (n,): likewise, of the steps that are known by assumption: the user has fewer than k
        candidates, and is on a wire on which the adversary saw her.
    lower
        (n,): the smallest number of candidates that is proven of a row with a step.
    weight
        (n,): steps asked about, without those of wires in which nothing of the user is published.
    without_data
        (n,): steps asked about in which nothing of the user is published.
    """

    user: npt.NDArray[np.int64]
    verdict: npt.NDArray[np.int8]
    safe_share: npt.NDArray[np.float64]
    undecided_share: npt.NDArray[np.float64]
    known_share: npt.NDArray[np.float64]
    lower: npt.NDArray[np.int64]
    weight: npt.NDArray[np.int64]
    without_data: npt.NDArray[np.int64]

    @property
    def share_safe(self) -> float:
        """Share of the time of all users that is safe, 0 to 1."""
        return float((self.safe_share * self.weight).sum() / max(self.weight.sum(), 1))

    def shares(self, names: Names) -> UserShares:
        """The shares that a headline is about; ``names``: of all users, by number."""
        return UserShares(
            names[self.user], self.safe_share, self.undecided_share, self.known_share, self.weight
        )

    def share_without_data(self, every_wire: bool) -> float:
        """Share of all steps asked about in which nothing of the user is published, 0 to 1.

        Parameters
        ----------
        every_wire
            Whether wires were asked about: their steps without data are not in ``weight``.
        """
        empty, counted = int(self.without_data.sum()), int(self.weight.sum())
        return empty / max(counted + empty if every_wire else counted, 1)

    def without(self, users: npt.NDArray[np.int64]) -> UserRows:
        """The same without some users."""
        if not len(users):
            return self
        return self.those(~np.isin(self.user, users))

    def those(self, which: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> UserRows:
        """Some of the rows, by number or mask."""
        return UserRows._make(column[which] for column in self)


def verdict_codes(
    lower: npt.NDArray[np.int32], upper: npt.NDArray[np.int32], k: npt.NDArray[np.int32] | np.int32
) -> npt.NDArray[np.int8]:
    """0 for safe, 1 for unsafe, 2 for undecided: their places in :data:`DECISIONS`."""
    return ((lower < k) * (1 + (upper >= k))).astype(np.int8)


def verdict_counts(verdict: npt.NDArray[np.int8]) -> dict[str, int]:
    """How often there is each verdict, by its word."""
    return {
        decision.value: int(np.count_nonzero(verdict == code))
        for code, decision in enumerate(DECISIONS)
    }


def summary_of(verdict: npt.NDArray[np.int8], users: UserRows, rule: Rule) -> dict[str, Any]:
    """Counts of questions and of users by verdict, and the share of the time that is safe.

    Parameters
    ----------
    verdict
        (n_asked,) codes of what was asked about.
    """
    return {
        "requirements": len(verdict),
        **verdict_counts(verdict),
        "rule": str(rule),
        "users": verdict_counts(users.verdict),
        "share_of_time_safe": round(users.share_safe, 6),
    }


def user_rows(
    row: npt.NDArray[np.int32],
    weight: npt.NDArray[np.integer],
    verdict: npt.NDArray[np.int8],
    lower: npt.NDArray[np.int32],
    known: npt.NDArray[np.int64],
    rule: Rule,
    without_data: npt.NDArray[np.int64] | None = None,
) -> UserRows:
    """A row per user asked about. Whoever was asked about at no published step has none.

    Parameters
    ----------
    row, weight, verdict, lower
        (n_asked,) each: user of what was asked about, the steps that it stands for, what was found.
    known
        (n_users,) steps of each user that are known by assumption.
    rule
        When a user passes.
    without_data
        (n_users,) steps asked about in which nothing of the user is published; None: none.
    """
    n_users = len(known)
    total, safe, undecided = np.zeros((3, n_users))
    smallest = np.full(n_users, np.iinfo(np.int32).max)
    for part in blocks(len(row)):
        some, steps = row[part], weight[part].astype(np.float64)
        total += np.bincount(some, steps, n_users)
        for counted, code in ((safe, SAFE), (undecided, UNDECIDED)):
            counted += np.bincount(some, steps * (verdict[part] == code), n_users)
        counts = steps > 0
        np.minimum.at(smallest, some[counts], lower[part][counts])
    needed = rule.needed(total.astype(np.int64))
    passes = safe >= needed
    may_pass = safe + undecided >= needed
    verdicts = np.select([passes, ~may_pass], [SAFE, UNSAFE], UNDECIDED).astype(np.int8)
    asked = np.flatnonzero(total > 0)
    share = np.maximum(total, 1)[asked]
    return UserRows(
        asked,
        verdicts[asked],
        safe[asked] / share,
        undecided[asked] / share,
        known[asked] / share,
        smallest[asked],
        total[asked].astype(np.int64),
        (np.zeros(n_users, np.int64) if without_data is None else without_data)[asked],
    )
