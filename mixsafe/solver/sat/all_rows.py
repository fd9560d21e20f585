"""The cheap refutation: can all proven tokens be off a wire at once? A few tokens, on all rows.

Some token is on the wire. If it is none of the proven ones, these are elsewhere, and are home in
time again. The clauses about them alone (facts.md, tracked tokens) say whether that can be; if
not, there are no further candidates. Neither who asks nor for whom matters here, so publishers and
auditors ask it alike.
"""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.tokens import TokenSets

LARGEST = 200_000
"""Variables of a formula that is still asked: to write more of them takes seconds."""


class Span(NamedTuple):
    """Who is told apart, and when."""

    tracked: npt.NDArray[np.int64]
    begin: int
    end: int


class Led(NamedTuple):
    """Whether a token cannot be on a wire (None: not known); if it can, the ``rows`` in use."""

    refuted: bool | None
    rows: npt.NDArray[np.int64] | None


def led(
    core: Core,
    possible: TokenSets,
    span: Span,
    wire: int,
    token: int,
    conflicts: int,
    deadline: Deadline,
) -> Led:
    """Ask whether a token can be on a wire, as far as the tracked tokens say.

    Parameters
    ----------
    core, possible, span, conflicts, deadline
        As for :func:`refuted`; the token is one of the tracked ones.
    wire, token
        What is asked.
    """
    encoding = Encoding.of(core, possible, *span)
    on_it = encoding.on(wire, token)
    if on_it == 0:
        return Led(True, None)
    if encoding.n_variables > LARGEST or deadline.passed:
        return Led(None, None)
    with closing(Session()) as session:
        session.take_in(encoding.formula())
        session.start_from(encoding.at_home())
        answer = session.solve([on_it], deadline, conflicts)
        if not answer:
            return Led(None if answer is None else True, None)
        told = encoding.told(session.true())
    away = np.flatnonzero((told >= 0) & (told != core.network.row))
    return Led(False, np.unique(core.network.row[away]).astype(np.int64))
