"""Engine ``bounds``: fast proofs about all wires at once.

1. Reachability: a token that has no path through a wire is not possible on it (fact 5).
2. Swaps: a token that one swap of two rows brings to a wire is a candidate on it (fact 7).
3. Free users: so is a token that comes by way of rows that are not seen later.
4. Third parties: so is a token that comes by exchanges among three to five rows (fact 8).
5. Matching: a token that no perfect matching of tokens to rows puts on a wire is not possible on it
   (fact 6).

Steps 1 and 5 remove possible tokens, steps 2 to 4 add proven ones. Each is in a file of its own.
"""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.network.timeline import timeline
from mixsafe.solver.construct.free_users import carried
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.construct.swaps import swapped
from mixsafe.solver.construct.through_others import meet_through_others, shown_by
from mixsafe.solver.propagate.matching import match
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.strategy import DEFAULT, Strategy


def decide(answers: Answers, course: Course, strategy: Strategy = DEFAULT) -> None:
    """Run reachability, swaps, free users, third parties; then matchings while they help."""
    kept = course.journal.recall("bounds")
    if kept is not None:
        answers.restore(kept)
        return
    _bound(answers, course, strategy)
    if course.passed:
        course.journal.cut()
    else:
        course.journal.keep("bounds", answers.state())


def _bound(answers: Answers, course: Course, strategy: Strategy) -> None:
    """Bound all wires: from above, from below, and from above again where questions are open."""
    total = len(answers.wire)
    course.progress("bounding by reachability", 0, total)
    narrow(answers.core, answers.possible)
    answers.settle(Argument.REACHABILITY)
    course.progress("swapping pairs", total - answers.n_open, total)
    answers.proven |= swapped(answers.core)
    answers.settle(Argument.SWAP)
    if answers.n_open and strategy.free_users:
        brought = carried(answers.core, answers.open_wires())
        if brought is not None:
            answers.proven |= brought
            answers.settle(Argument.CARRIER)
    if answers.n_open and not answers.exhaustive and not course.passed:
        course.progress("swapping through others", total - answers.n_open, total)
        _exchange_through_others(answers, strategy.third_parties)
    _match(answers, course, strategy.matching_share)


def _exchange_through_others(answers: Answers, most: int) -> None:
    """Find candidates of open wires by third parties, where at most ``most`` settle a wire.

    The search works on short lists of proven tokens instead of sets.
    """
    core, wires = answers.core, answers.open_wires()
    enough = answers.enough(wires)
    wires, enough = wires[enough <= most], enough[enough <= most]
    if not len(wires):
        return
    lists = OpenLists.of(wires, enough, records=answers.ledger is not None)
    own = tokens.identity(core.network.row[wires], core.words)
    number, token = tokens.pairs(answers.proven[wires] & ~own)
    lists.add(wires[number], token.astype(np.int32))
    meet_through_others(timeline(core), lists)
    if answers.ledger is not None:
        answers.ledger.through_others = shown_by(lists)
    for column in lists.tokens.T:
        has = column >= 0
        tokens.put(answers.proven, wires[has], column[has])
    answers.settle(Argument.SUPPORT, wires)


def _match(answers: Answers, course: Course, share: float) -> None:
    """Exclude tokens by matchings, again while one settles ``share`` of the open questions.

    Each is followed by reachability, which has fewer tokens to follow. An infinite share: no
    matching.
    """
    total = len(answers.wire)
    settled = answers.n_open  # so that there is a first one
    while settled > answers.n_open * share and answers.n_open and not course.passed:
        before = answers.n_open
        course.progress("matching tokens to rows", total - before, total)
        if not match(answers.core, answers.possible, answers.open_wires()):
            break
        narrow(answers.core, answers.possible)
        answers.settle(Argument.MATCHING)
        settled = before - answers.n_open
