"""Clauses about tracked tokens that every assignment fulfils, written from the problem itself.

A variable says that a tracked token is on a wire; there is one for each wire that
:class:`~mixsafe.check.reached.Reached` leaves to it, if the wire lasts at a step from ``begin`` to
``end``. Variables are numbered from 1 on, wire by wire, and on a wire token by token.

A clause is named by its kind and its subject. Each holds in every assignment that agrees with
the knowledge (facts.md, clauses of a claim), but for those of kind :data:`OFF`, which are the claim
turned round.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.check.derivation import refute
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import ClauseProof

BEGIN, ONWARD, BACK, FILLED, NEXT, LAST, APART, OFF = range(8)
"""Kinds of clauses; v and w are variables.

BEGIN i 0: the i-th tracked token, from 0, is on a wire at step ``begin``.
ONWARD v 0: who comes to a zone on the wire of v leaves it on one of its wires, by an allowed pair.
BACK v 0: who leaves a zone on the wire of v came to it on one of its wires, by an allowed pair.
FILLED i 0: some token is on the i-th wire, from 0, if all that may be there are tracked.
NEXT v 0, LAST v 0: a user who is not known by name has one token at one sighting and the next one.
APART v w: no token is on two wires at one step, or where two people are seen who are different, and
no two tokens are on one wire; v < w.
OFF v 0: v says that one of the tokens that are taken to be elsewhere is where the claim is about;
in an audit, that the token of the claim is on one of the rows where it is taken not to be.
"""


class ClaimClauses:
    """The clauses of a claim.

    Parameters
    ----------
    reached
        Where single tokens can be.
    proof
        The claim, its tokens and its stretch of time.

    Raises
    ------
    InputError
        The tokens or the stretch of time are none of the problem's.
    """

    def __init__(self, reached: Reached, proof: ClauseProof) -> None:
        self._reached, self._proof = reached, proof
        tracked, begin, end = proof.tracked, proof.begin, proof.end
        fits = (
            0 <= begin <= end <= reached.horizon
            and begin <= proof.step <= end
            and 0 <= proof.row < reached.n_rows
            and len(tracked) > 0
            and np.all(np.diff(tracked) > 0)
            and 0 <= tracked[0] <= tracked[-1] < reached.n_rows
            and np.all(np.isin(proof.off if reached.pins is None else proof.row, tracked))
        )
        if not fits:
            raise InputError("the tokens or steps of a refutation are not of this problem")
        self.wires = np.flatnonzero((reached.start <= end) & (reached.end >= begin))
        """Wires that last in this stretch of time, ascending."""
        bits = reached.sets[np.ix_(self.wires, tracked >> 6)] >> (tracked & 63).astype(np.uint64)
        there = (bits & np.uint64(1)).astype(bool)
        self.variables = np.zeros(there.shape, np.int32)
        """(n_wires, n_tracked) variable of each token on each wire; 0 where it cannot be."""
        self.variables[there] = np.arange(1, np.count_nonzero(there) + 1)
        self._wire, self._token = (np.append(0, at) for at in np.nonzero(there))

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self._wire) - 1

    def about(self, variable: int) -> tuple[int, int]:
        """Token and wire that a variable is about."""
        token = self._proof.tracked[self._token[variable]]
        return int(token), int(self.wires[self._wire[variable]])

    def clause(self, kind: int, about: int, other: int) -> list[int]:
        """The clause of a name.

        Raises
        ------
        InputError
            There is none.
        """
        found: list[int] = []
        if kind == APART:
            found = self._apart(about, other)
        elif other == 0:
            found = self._listed(kind, about)
        if not found:
            raise InputError(f"there is no clause {kind} {about} {other} of this claim")
        return found

    def _listed(self, kind: int, about: int) -> list[int]:
        """A clause of another kind than APART; empty: there is none."""
        if kind == BEGIN and 0 <= about < len(self._proof.tracked):
            return self._on(self._reached.wires_at(self._proof.begin), about)
        if kind == FILLED and 0 <= about < len(self.wires):
            return self._filled(about)
        if not 1 <= about <= self.n_variables:
            return []
        token, wire = self._token[about], int(self.wires[self._wire[about]])
        if kind == OFF:
            return [-about] if self._is_off(about) else []
        there = None
        if kind in (ONWARD, BACK):
            there = self._through(wire, kind)
        elif kind in (NEXT, LAST):
            there = self._seen_again(wire, kind)
        return [] if there is None else [-about, *self._on(there, token)]

    def _on(self, wires: npt.NDArray[np.int64], token: int) -> list[int]:
        """Variables of a token on some wires, which all last in the stretch of time."""
        variables = self.variables[np.searchsorted(self.wires, wires), token]
        found: list[int] = variables[variables > 0].tolist()
        return found

    def _filled(self, wire: int) -> list[int]:
        """All variables of a wire, if no other token may be there."""
        variables = self.variables[wire]
        there = variables[variables > 0].tolist()
        left = len(self._reached.tokens(int(self.wires[wire]))) - len(there)
        return [] if left else there

    def _through(self, wire: int, kind: int) -> npt.NDArray[np.int64] | None:
        """Wires on the other side of the zone at an end of a wire; None: there is no zone."""
        reached, proof = self._reached, self._proof
        step = int(reached.end[wire]) + 1 if kind == ONWARD else int(reached.start[wire])
        if not proof.begin < step <= proof.end:
            return None
        came = reached.met(int(reached.row[wire]), step, back=kind == BACK)
        return came + 1 if kind == ONWARD else came

    def _seen_again(self, wire: int, kind: int) -> npt.NDArray[np.int64] | None:
        """Wire of the user's next sighting, or of the last one before; None: there is none."""
        here, there = (0, 1) if kind == NEXT else (1, 0)
        same = self._reached.same
        found = same[same[:, here] == wire, there]
        return found if len(found) and np.all(np.isin(found, self.wires)) else None

    def _is_off(self, variable: int) -> bool:
        token, wire = self.about(variable)
        reached, proof = self._reached, self._proof
        row = int(reached.row[wire])
        about, other = (row, token) if reached.pins is None else (token, row)
        lasts = reached.start[wire] <= proof.step <= reached.end[wire]
        return bool(lasts and about == proof.row and other in proof.off.tolist())

    def _apart(self, one: int, other: int) -> list[int]:
        """Two variables of which one is false."""
        if not 1 <= one < other <= self.n_variables:
            return []
        (token, wire), (second, there) = self.about(one), self.about(other)
        start, end = self._reached.start[[wire, there]], self._reached.end[[wire, there]]
        here = start.max() <= end.min() or np.all(np.isin([wire, there], self._reached.apart))
        meet = token == second and here
        return [-one, -other] if meet or wire == there else []


def replay(reached: Reached, proof: ClauseProof) -> None:
    """Check that the clauses of a claim contradict each other.

    Raises
    ------
    InputError
        A clause that is named is none of the claim's, or the lemmas do not come to a contradiction.
    """
    if len(proof.needed) % 3:
        raise InputError("the names of clauses end within one")
    of_claim = ClaimClauses(reached, proof)
    named = proof.needed.reshape(-1, 3).tolist()
    refute([of_claim.clause(*name) for name in named], proof.lemmas.tolist())
