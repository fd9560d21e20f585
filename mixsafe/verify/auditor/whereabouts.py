"""On which rows a token can be: the auditor's questions, answered by the engines of the publisher.

The publisher asks which tokens a row can have, an auditor on which rows a token can be. Both are
read off the same sets of tokens per wire, along paths (see :mod:`mixsafe.verify.auditor.paths`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.auditor.paths import FIRST, PathQuestion
from mixsafe.verify.auditor.presence import Presence, draw, presence, wanted


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
        found = ~(self._settled(self.k) & self._settled(2))
        found[:, :FIRST] = False
        return found

    def wanted(self) -> TokenSets:
        """(n_wires, words): tokens of whom it is open, and matters, whether they can be there."""
        missing = self.answers.possible & ~self.answers.proven
        return wanted(missing, self.paths.begin, self.paths.end, self.unsettled())

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
        paths, missing = self.paths, self.answers.possible & ~self.answers.proven
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
