"""Engine ``bounds``: fast proofs by sweeps over all users at once."""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.timeline import timeline
from mixsafe.solver.construct.free_users import carried
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.construct.recorded_exchanges import shown_by
from mixsafe.solver.construct.swaps import swapped
from mixsafe.solver.construct.through_others import meet_through_others
from mixsafe.solver.propagate.matching import match
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.strategy import DEFAULT, Strategy


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
    strategy: Strategy = DEFAULT,
) -> None:
    """Run reachability, swaps, free users, third parties; then matchings while they help."""
    kept = answers.journal.recall("bounds")
    if kept is not None:
        answers.restore(kept)
        return
    _bound(answers, deadline, progress, strategy)
    if deadline.passed:
        answers.journal.cut()
    else:
        answers.journal.keep("bounds", answers.state())


def _bound(answers: Answers, deadline: Deadline, progress: Progress, strategy: Strategy) -> None:
    """Bound all wires."""
    total = len(answers.wire)
    progress("bounding by reachability", 0, total)
    narrow(answers.core, answers.possible)
    answers.settle(Argument.REACHABILITY)
    progress("swapping pairs", total - answers.n_open, total)
    answers.proven |= swapped(answers.core)
    answers.settle(Argument.SWAP)
    if answers.n_open and strategy.free_users:
        brought = carried(answers.core, answers.open_wires())
        if brought is not None:
            answers.proven |= brought
            answers.settle(Argument.CARRIER)
    if answers.n_open and not answers.exhaustive and not deadline.passed:
        progress("swapping through others", total - answers.n_open, total)
        _exchange_through_others(answers, strategy.third_parties)
    settled, share = answers.n_open, strategy.matching_share
    while settled > answers.n_open * share and answers.n_open and not deadline.passed:
        before = answers.n_open
        progress("matching tokens to rows", total - before, total)
        if not match(answers.core, answers.possible, answers.open_wires()):
            break
        narrow(answers.core, answers.possible)
        answers.settle(Argument.MATCHING)
        settled = before - answers.n_open


def _exchange_through_others(answers: Answers, most: int) -> None:
    """Find candidates of open wires by third parties, where at most ``most`` settle a wire."""
    core, wires = answers.core, answers.open_wires()
    enough = answers.enough(wires)
    wires, enough = wires[enough <= most], enough[enough <= most]
    if not len(wires):
        return
    known = OpenLists.of(wires, enough, records=answers.ledger is not None)
    own = tokens.identity(core.network.row[wires], core.words)
    on, proven = tokens.pairs(answers.proven[wires] & ~own)
    known.add(wires[on], proven.astype(np.int32))
    meet_through_others(timeline(core), known)
    if answers.ledger is not None:
        answers.ledger.through_others = shown_by(known)
    for column in known.tokens.T:
        has = column >= 0
        tokens.put(answers.proven, wires[has], column[has])
    answers.settle(Argument.SUPPORT, wires)
