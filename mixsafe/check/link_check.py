"""Certificates of links of tracklets: one history, and cycles that lead to the others.

A history with an arc for each exchange is a directed graph. A link that is not in the history is
in another one exactly if it is on a cycle: paths to and from a root show a cycle, numbers that
never rise along arcs show that there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.tracklets import (
    Bools,
    Contradiction,
    LinkBounds,
    LinkCertificate,
    LinkProblem,
    LinkProof,
    Nodes,
)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LinksChecked:
    """Result of checking a certificate; numbers of links, of ends, and of beginnings.

    Parameters
    ----------
    possible
        Shown to be in some history.
    possible_claimed
        Said to be, and neither shown nor refuted.
    excluded
        Shown to be in none.
    excluded_claimed
        Said to be in none, and neither shown nor refuted.
    undecided
        Of which nothing is said.
    contradiction
        True: there is no history, and that is shown. None: it is only claimed. False: not said.
    """

    possible: int
    possible_claimed: int
    excluded: int
    excluded_claimed: int
    undecided: int
    contradiction: bool | None = False

    def to_dict(self) -> dict[str, int | bool | None]:
        """The result as a JSON object."""
        return {
            "verdict": None,
            "possible_shown": self.possible,
            "possible_claimed": self.possible_claimed,
            "excluded_shown": self.excluded,
            "excluded_claimed": self.excluded_claimed,
            "undecided": self.undecided,
            "contradicted": self.contradiction is not False,
            "contradiction_shown": self.contradiction is True,
        }


def check_links(certificate: LinkCertificate) -> LinksChecked:
    """Check a certificate.

    Raises
    ------
    InputError
        The proof breaks a rule, or refutes a claim.
    """
    problem, bounds, proof = certificate.problem, certificate.bounds, certificate.proof
    proven, possible = _claims(problem, bounds)
    if bounds.contradiction is not None:
        if possible.any():
            raise InputError("links are possible although there is no history")
        shown = _is_contradiction(problem, bounds.contradiction)
        return LinksChecked(0, 0, 0, 0, 0, contradiction=True if shown else None)
    if proof is None:
        is_shown = is_excluded = np.zeros(len(proven), bool)
    else:
        graph = _Exchanges(problem, proof)
        is_shown, is_excluded = graph.possible, graph.excluded
    _refuse(proven & is_excluded, "is in a history, but no cycle has it", problem)
    _refuse(~possible & is_shown, "is in no history, but a cycle has it", problem)
    return LinksChecked(
        possible=int(np.sum(proven & is_shown)),
        possible_claimed=int(np.sum(proven & ~is_shown)),
        excluded=int(np.sum(~possible & is_excluded)),
        excluded_claimed=int(np.sum(~possible & ~is_excluded)),
        undecided=int(np.sum(possible & ~proven)),
    )


def _claims(problem: LinkProblem, bounds: LinkBounds) -> tuple[Bools, Bools]:
    """(n_links + 2 n,) whether each link, end and beginning is proven, and possible."""
    sizes = [problem.n_links, len(problem), len(problem)]
    parts = [
        (bounds.proven, bounds.may_end, bounds.may_begin),
        (bounds.possible, bounds.may_end_possible, bounds.may_begin_possible),
    ]
    if any([len(one) for one in part] != sizes for part in parts):
        raise InputError("there are not as many claims as links and tracklets")
    proven, possible = (np.concatenate(part) for part in parts)
    _refuse(proven & ~possible, "is proven and excluded at once", problem)
    return proven, possible


def _refuse(wrong: Bools, what: str, problem: LinkProblem) -> None:
    """Name the first claim that is refuted."""
    if not wrong.any():
        return
    at, m = int(np.argmax(wrong)), problem.n_links
    if at < m:
        name = f"the link from tracklet {problem.owner[at]} to {problem.to[at]}"
    elif at < m + len(problem):
        name = f"tracklet {at - m} without a continuation"
    else:
        name = f"tracklet {at - m - len(problem)} without an origin"
    raise InputError(f"{name}, it is said, {what}")


def _is_contradiction(problem: LinkProblem, why: Contradiction) -> bool:
    """Whether too few are there for those that must be covered; False: that is not the argument."""
    if len(why.pairs) or (len(why.ends) > 0) == (len(why.begins) > 0):
        return False
    n = len(problem)
    group, must = (why.ends, problem.must_continue), (why.begins, problem.must_come)
    chosen, covered = group if len(why.ends) else must
    if np.any((chosen < 0) | (chosen >= n)) or len(np.unique(chosen)) < len(chosen):
        raise InputError("the contradiction is of tracklets that are not there, or there twice")
    if not covered[chosen].all():
        raise InputError("the contradiction is of tracklets that need not be covered")
    one, other = (problem.owner, problem.to) if len(why.ends) else (problem.to, problem.owner)
    near = np.unique(other[np.isin(one, chosen)])
    if len(near) >= len(chosen):
        raise InputError("the contradiction is none: there are links to as many tracklets")
    return True


class _Exchanges:
    """The exchange graph of a history, and what its proof shows.

    Raises
    ------
    InputError
        It is no history, an arc of the proof is none, or a number rises along an arc.
    """

    def __init__(self, problem: LinkProblem, proof: LinkProof) -> None:
        n = len(problem)
        sizes = (n, 2 * n + 1, 2 * n + 1, 2 * n + 1)
        parts = (proof.after, proof.label, proof.from_root, proof.to_root)
        if tuple(map(len, parts)) != sizes:
            raise InputError("the proof is of another number of tracklets")
        self.problem, self.n, self.closing = problem, n, 2 * n
        self.after = proof.after.astype(np.int64)
        self.label = proof.label.astype(np.int64)
        self._key = problem.owner.astype(np.int64) * n + problem.to
        if np.any(np.diff(self._key) <= 0):
            raise InputError("the links are not in ascending order")
        self.before = self._history()
        self._check_labels()
        back, forth = proof.to_root.astype(np.int64), proof.from_root.astype(np.int64)
        nodes = np.arange(2 * n + 1)
        root = _roots(forth)
        if not np.array_equal(root, _roots(back)):
            raise InputError("a node of the proof has a root from which no path leads to it")
        for one, other in ((forth, nodes), (nodes, back)):
            inner = one != other
            if not self._are_arcs(one[inner], other[inner]).all():
                raise InputError("a path of the proof has an arc that is not there")
        self.root = root

    def _history(self) -> Ints:
        """What each tracklet continues in the history."""
        ends = np.flatnonzero(self.after != -1)
        begins = self.after[ends]
        if np.any((begins < 0) | (begins >= self.n)) or not self._are_links(ends, begins).all():
            raise InputError("the history of the proof has a link that is not there")
        if len(np.unique(begins)) < len(begins):
            raise InputError("the history of the proof continues two tracklets as one")
        before = np.full(self.n, -1)
        before[begins] = ends
        lost = (
            self.problem.must_continue & (self.after < 0),
            self.problem.must_come & (before < 0),
        )
        if np.any(lost):
            raise InputError("the history of the proof does not cover all that must be covered")
        return before

    def _are_links(self, end: Ints, begin: Ints) -> Bools:
        key = end * self.n + begin
        at = np.searchsorted(self._key, key)
        found: Bools = np.append(self._key, -1)[at] == key
        return found

    def _are_arcs(self, one: Ints, other: Ints) -> Bools:
        """Whether there is an arc from each node to another one."""
        n = self.n
        is_end, is_begin = one < n, (one >= n) & (one < 2 * n)
        to_end, to_begin = other < n, (other >= n) & (other < 2 * n)
        end, begin = np.where(is_end, one, other) % n, np.where(is_begin, one, other) % n
        held = self.after[end] == begin
        forth = is_end & to_begin & ~held & self._are_links(end, begin)
        back = is_begin & to_end & held
        may_lose_end = (self.after >= 0) & ~self.problem.must_continue
        may_lose_begin = (self.before >= 0) & ~self.problem.must_come
        out = is_end & may_lose_end[one % n] | is_begin & (self.before[one % n] < 0)
        into = to_end & (self.after[other % n] < 0) | to_begin & may_lose_begin[other % n]
        found: Bools = forth | back | out & (other == self.closing) | into & (one == self.closing)
        return found

    def _check_labels(self) -> None:
        """No number rises along an arc."""
        n, label, closing = self.n, self.label, self.label[self.closing]
        end, begin = label[:n], label[n : 2 * n]
        problem, after, before = self.problem, self.after, self.before
        rises = [
            ~self._in_history & (begin[problem.to] > end[problem.owner]),
            (before >= 0) & (end[before] > begin),
            (after >= 0) & ~problem.must_continue & (closing > end),
            (before < 0) & (closing > begin),
            (after < 0) & (end > closing),
            (before >= 0) & ~problem.must_come & (begin > closing),
        ]
        if any(one.any() for one in rises):
            raise InputError("a number of the proof rises along an arc")

    @cached_property
    def _in_history(self) -> Bools:
        found: Bools = self.after[self.problem.owner] == self.problem.to
        return found

    @property
    def possible(self) -> Bools:
        """(n_links + 2 n,) what is shown to be in some history."""
        n, root, problem = self.n, self.root, self.problem
        if len(problem.same):  # histories with these pairs are fewer
            return np.zeros(problem.n_links + 2 * n, bool)
        links = self._in_history | (root[problem.owner] == root[n + problem.to])
        closing = root[self.closing]
        ends = (self.after < 0) | (~problem.must_continue & (root[:n] == closing))
        begins = (self.before < 0) | (~problem.must_come & (root[n : 2 * n] == closing))
        return np.concatenate([links, ends, begins])

    @property
    def excluded(self) -> Bools:
        """(n_links + 2 n,) what is shown to be in no history."""
        n, label, problem = self.n, self.label, self.problem
        links = ~self._in_history & (label[n + problem.to] < label[problem.owner])
        closing = label[self.closing]
        ends = problem.must_continue | ((self.after >= 0) & (closing < label[:n]))
        begins = problem.must_come | ((self.before >= 0) & (label[n : 2 * n] < closing))
        return np.concatenate([links, ends, begins])


def _roots(parent: Nodes | Ints) -> Ints:
    """The root to which each node's path leads."""
    n = len(parent)
    if np.any((parent < 0) | (parent >= n)):
        raise InputError("a path of the proof leads to a node that is not there")
    found = parent.astype(np.int64)
    for _ in range(n.bit_length()):
        found = found[found]
    if np.any(parent[found] != found):
        raise InputError("a path of the proof runs in a circle")
    return found
