"""Upper bounds on all wires from lists of tokens and matchings of these lists.

A wire that can hold only its own token acts as a sighting (fact 6). This shortens the stretches
between sightings, and so the lists, so both are computed again while that helps.
"""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Pins
from mixsafe.network.timeline import timeline_of
from mixsafe.solver.large.capped.list_matching import match_lists
from mixsafe.solver.large.capped.stretches import stretches, sweeps_needed
from mixsafe.solver.large.capped.token_lists import list_tokens
from mixsafe.solver.large.possible_tokens import QUESTIONS
from mixsafe.solver.large.sparse_answers import SparseAnswers


def narrow(answers: SparseAnswers, pins: Pins, share: float, course: Course) -> bool:
    """Bound all wires, if that takes fewer sweeps than a question for each of the open ones.

    Parameters
    ----------
    answers
        The questions; settled in place.
    pins
        Sightings of single tokens on their own rows.
    share
        Repeat while that settles this share of the open questions.
    course
        Of the run; what is open when its time is up stays open.

    Returns
    -------
    Whether it was done.
    """
    network, net = answers.core.network, answers.core.network.wires
    settled = answers.n_open
    for number in range(settled + 1):
        before = answers.n_open
        if not before or course.passed or settled < share * before:
            break
        whole = timeline_of(network, pins)
        asked, closed = stretches(whole)
        open_wires, _ = answers.open_wires()
        if number == 0 and sweeps_needed(asked, net) > -(-len(open_wires) // QUESTIONS):
            return False
        course.progress("following stretches", len(answers.k) - before, len(answers.k))
        lists = list_tokens(whole, asked, closed, course.workers)
        np.minimum(answers.upper, lists.size, out=answers.upper)
        answers.settle(Argument.MATCHING if number else Argument.REACHABILITY)
        course.progress("matching tokens to rows", len(answers.k) - answers.n_open, len(answers.k))
        open_wires, _ = answers.open_wires()
        steps = np.unique([network.start[open_wires], network.end[open_wires]])
        np.minimum(answers.upper, match_lists(lists, steps, net, course.workers), out=answers.upper)
        answers.settle(Argument.MATCHING)
        fixed = np.flatnonzero((answers.upper == 1) & ~closed)
        pins = pins.joined(Pins.own(network.row[fixed], network.start[fixed]))
        settled = before - answers.n_open
    return True
