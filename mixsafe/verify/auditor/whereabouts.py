"""On which rows a token can be: the auditor's questions, answered by the engines of the publisher.

The publisher asks which tokens a row can have, an auditor on which rows a token can be. Both are
read off the same sets of tokens per wire, along paths (see :mod:`mixsafe.verify.auditor.paths`).
Rows per token are counted step by step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled
from mixsafe.model.answer.verdict import Argument
from mixsafe.solver.local.generator import next_random
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.tokens import TokenSets, add, below
from mixsafe.verify.auditor.paths import FIRST, PathQuestion


@dataclass(frozen=True, eq=False)
class Presence:
    """On which rows tokens may be at each step.

    Parameters
    ----------
    count
        (n_tokens, horizon + 1) int32: number of rows.
    mark
        (n_tokens, horizon + 1) uint64: sums of random numbers of the rows, so equal where the rows
        are the same ones. For grouping only: nothing is concluded from it.
    """

    count: npt.NDArray[np.int32]
    mark: npt.NDArray[np.uint64]


def presence(
    sets: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    n_tokens: int,
    horizon: int,
) -> Presence:
    """Rows of the tokens 0 to ``n_tokens`` - 1.

    Parameters
    ----------
    sets
        (n_wires, words) tokens of each wire.
    start, end, row
        (n_wires,) each: first and last step of the wire, and the row that it belongs to; a wire
        that ends before it begins counts for nothing.
    horizon
        The last step.
    """
    names = np.random.default_rng(1).integers(2**64, size=int(row.max()) + 1, dtype=np.uint64)
    count, mark = _changes(sets, start, end, names[row], n_tokens, horizon)
    return Presence(np.cumsum(count, axis=1)[:, :-1], np.cumsum(mark, axis=1)[:, :-1])


@compiled
def _changes(  # pragma: no cover - compiled
    sets: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    name: npt.NDArray[np.uint64],
    n_tokens: int,
    horizon: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
    count = np.zeros((n_tokens, horizon + 2), np.int32)
    mark = np.zeros((n_tokens, horizon + 2), np.uint64)
    members = np.empty(n_tokens, np.int64)
    for w in range(len(sets)):
        for token in members[: below(sets[w], members)]:
            count[token, start[w]] += 1
            count[token, end[w] + 1] -= 1
            mark[token, start[w]] += name[w]
            mark[token, end[w] + 1] -= name[w]
    return count, mark


@compiled
def rows_of_tokens(  # pragma: no cover - compiled
    sets: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    n_tokens: int,
    first: int,
    steps: int,
    words: int,
) -> TokenSets:
    """(n_tokens * steps, words): sets of rows of the tokens 0 to ``n_tokens`` - 1.

    Parameters
    ----------
    sets, start, end, row
        Tokens of each wire, its first and last step, and its row.
    first, steps
        The first step, and how many: the sets of a token follow on each other.
    words
        Words that hold all rows.
    """
    rows_of_token = np.zeros((n_tokens * steps, words), np.uint64)
    members = np.empty(n_tokens, np.int64)
    for w in range(len(sets)):
        begin, last = max(start[w], first), min(end[w], first + steps - 1)
        if begin > last:
            continue
        for token in members[: below(sets[w], members)]:
            for t in range(begin, last + 1):
                add(rows_of_token[token * steps + t - first], row[w])
    return rows_of_token


@compiled
def wanted(  # pragma: no cover - compiled
    missing: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    unsettled: TokenSets,
) -> TokenSets:
    """Of the ``missing`` tokens of each wire those with an open question while it lasts.

    Parameters
    ----------
    missing
        (n_wires, words).
    start, end
        (n_wires,) each.
    unsettled
        (horizon + 1, words): tokens whose question is open at each step.
    """
    found = np.zeros_like(missing)
    for w in range(len(missing)):
        for t in range(start[w], end[w] + 1):
            for word in range(missing.shape[1]):
                found[w, word] |= missing[w, word] & unsettled[t, word]
    return found


@compiled
def draw(  # pragma: no cover - compiled
    missing: TokenSets,
    start: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    unsettled: npt.NDArray[np.bool_],
    seed: int,
) -> npt.NDArray[np.int64]:
    """(n_tokens, horizon + 1) int64: for each open question a wire on which its token is missing.

    Drawn uniformly; -1 where there is none.

    Parameters
    ----------
    missing, start, end
        As for :func:`wanted`.
    unsettled
        (n_tokens, horizon + 1) bool: steps at which a token's question is open.
    """
    drawn = np.full(unsettled.shape, -1, np.int64)
    seen = np.zeros(unsettled.shape, np.int32)
    random = np.full(1, seed, np.uint64)
    members = np.empty(len(unsettled), np.int64)
    for w in range(len(missing)):
        for token in members[: below(missing[w], members)]:
            for t in range(start[w], end[w] + 1):
                if unsettled[token, t]:
                    seen[token, t] += 1
                    if next_random(random, seen[token, t]) == 0:
                        drawn[token, t] = w
    return drawn


@dataclass(eq=False)
class Whereabouts:
    """Bounds on the rows of each known token at each step, and what settled them.

    Parameters
    ----------
    paths
        The question.
    n_known
        Tokens 0 to n_known - 1 are asked about.
    k
        Do they have k rows or more? One row, or more than one, is always asked, too. One number,
        or (n_known, steps): one for each token and step.
    exhaustive
        Ask for all rows of each token instead.
    records
        Whether to record witnesses, for certificates.
    """

    paths: PathQuestion
    n_known: int
    k: int | npt.NDArray[np.int32]
    exhaustive: bool = False
    records: bool = False
    answers: Answers = field(init=False)
    lower: Presence = field(init=False)
    upper: Presence = field(init=False)
    decided_by: npt.NDArray[np.uint8] = field(init=False)
    # Candidates in all sets together: proven ones only become more, possible ones only fewer, so
    # where their number is the same, so are they.
    _sizes: list[int] = field(init=False, default_factory=lambda: [-1, -1])

    def __post_init__(self) -> None:
        network = self.paths.core.network
        every_wire = np.arange(network.n_wires)
        ones = np.ones(network.n_wires, np.int32)
        ledger = Ledger(self.paths.core) if self.records else None
        self.answers = Answers(self.paths.core, every_wire, ones, exhaustive=True, ledger=ledger)
        n_steps = self.paths.along.network.horizon + 1
        self.decided_by = np.full((self.n_known, n_steps), Argument.NONE, np.uint8)
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

    def ask(self, which: npt.NDArray[np.bool_], k: npt.NDArray[np.int32]) -> None:
        """Ask ``which`` tokens and steps, (n_known, steps), for other numbers of rows.

        What is known stays, and so do the other questions.
        """
        self.k = np.where(which, k, self.k).astype(np.int32)
        self.decided_by[which] = Argument.NONE

    def unsettled(self) -> npt.NDArray[np.bool_]:
        """(n_known, steps) bool: open questions; none about what is before the data."""
        unsettled = ~(self._settled(self.k) & self._settled(2))
        unsettled[:, :FIRST] = False
        return unsettled

    def wanted(self) -> TokenSets:
        """(n_wires, words): tokens of whom it is open, and matters, whether they can be there."""
        missing = self.answers.possible & ~self.answers.proven
        unsettled = self.unsettled()
        token, step = np.nonzero(unsettled)
        open_at = tokens.sets_of(step, token, unsettled.shape[1], missing.shape[1])
        return wanted(missing, self.paths.begin, self.paths.end, open_at)

    def missing_pairs(
        self, random: np.random.Generator, *, near: bool
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """For each open question one wire, drawn, on which its token is possible but not proven.

        Parameters
        ----------
        near
            Draw from those only that come from a zone, or lead to one, in which its own row is.

        Returns
        -------
        wire, token
            (n,) each: pairs, each once, in random order.
        """
        paths, missing = self.paths, self.wanted()
        if near:
            missing &= self._neighbours
        seed = int(random.integers(1, 2**62))
        drawn = draw(missing, paths.begin, paths.end, self.unsettled(), seed)
        token, step = np.nonzero(drawn >= 0)
        pairs = np.unique(drawn[token, step] * self.n_known + token)
        wire, token = np.divmod(random.permutation(pairs), self.n_known)
        return wire, token

    @cached_property
    def _neighbours(self) -> TokenSets:
        """(n_wires, words): tokens whose own rows meet in a zone at either end of each wire."""
        core = self.paths.core
        network, zone = core.network, core.network.zone_of_entry
        home = tokens.identity(network.row, core.words)
        found = np.zeros_like(home)
        if len(zone):
            met = np.bitwise_or.reduceat(home[network.before], network.zone_ptr[:-1])[zone]
            found[network.before] |= met
            found[network.before + 1] |= met
        return found

    def unproven(
        self, token: int, step: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Wires at a step on which a token is proven, and those on which it is only possible."""
        wires = np.flatnonzero((self.paths.begin <= step) & (step <= self.paths.end))
        proven = tokens.are_in(self.answers.proven, wires, token)
        possible = tokens.are_in(self.answers.possible, wires, token)
        return wires[proven], wires[possible & ~proven]

    def rule_out(self, token: int, wires: npt.NDArray[np.int64], argument: Argument) -> None:
        """A token cannot be on any of some wires."""
        tokens.exclude(self.answers.possible, wires, token)
        self.answers.settle(argument, wires)
        self.settle(argument)

    def known(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) bool: the tokens that are asked about."""
        return np.arange(self.paths.core.network.n_rows) < self.n_known

    def _settled(self, k: int | npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        if self.exhaustive:
            return self.lower.count == self.upper.count
        return (self.lower.count >= k) | (self.upper.count < k)

    def _presence(self, sets: TokenSets) -> Presence:
        paths, horizon = self.paths, self.paths.along.network.horizon
        return presence(sets, paths.begin, paths.end, paths.track, self.n_known, horizon)
