"""Engine ``dp``: a dynamic program over the rows of the tracked tokens (docs/develop/facts.md).

The CSP paper compares with a polynomial algorithm of its authors that it does not describe. This
is a reconstruction of what such an algorithm can be, not theirs. Time is swept backward with the
set of states that can still satisfy all knowledge; a state holds the rows of the tracked tokens
only: one per pinned token, one per open link (where people are different, one per person who is
seen later), and the token on the wire that is asked about, which arrives at step 0 on the row that
names it. Exact for any knowledge. With at most c tokens tracked
at once there are at most ``|U|**c`` states, so time is polynomial for bounded c, and exponential
in c.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.journal import once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Deadline, Entry
from mixsafe.network.compression import components
from mixsafe.solver.dp.sweep import Sweep
from mixsafe.solver.dp.tracked import Tracked, TrackedRows
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers


def decide(answers: Answers, course: Course) -> None:
    """Find all candidates of each open wire, one connected component after another.

    Questions with too many tracked tokens stay open, and ``answers.notes`` says so.

    Parameters
    ----------
    answers
        The questions; proven candidates are added, and all others removed.
    course
        As for every engine. At its deadline the question in progress stays open; nothing is drawn,
        and one thread is used.
    """
    for inside, wires in _components(answers):
        sweep = Sweep(inside, inside.tracked, deadline=course.deadline)
        for wire in wires:
            course.progress(
                "sweeping over states", len(answers.wire) - answers.n_open, len(answers.wire)
            )
            asked = inside.asked(wire)
            reason = inside.too_many(asked)
            if reason is None:
                found = once(course, f"dp {wire}", partial(_found, sweep, asked))
                if found is None:
                    return
                _take_in(answers, wire, found["candidates"].astype(np.int64))
            elif reason not in answers.notes:
                answers.notes.append(reason)


def decide_few(answers: Answers, most: int, course: Course) -> None:
    """Decide open questions for which few states are tracked; leave the others open.

    With sightings of few users this is complete, and faster than a solver.

    Parameters
    ----------
    answers
        What is asked.
    most
        Steps, and looks at wires before that, at most.
    course
        As for every engine.
    """
    core, wires = answers.core, answers.open_wires()
    labels = len(wires) + len(core.pins) + len(core.links) + len(core.apart)
    if not len(wires) or labels * (core.network.n_wires + len(core.network.member)) > most:
        return
    found = once(course, "few states", partial(_few, answers, wires, most, course.deadline))
    if found is not None:
        answers.proven[wires] = found["proven"].astype(np.uint64, copy=False)
        answers.possible[wires] = found["possible"].astype(np.uint64, copy=False)
        answers.settle(Argument.DYNAMIC_PROGRAMMING, wires)


def _few(
    answers: Answers, wires: npt.NDArray[np.int64], most: int, deadline: Deadline
) -> Entry | None:
    """What is known of some ``wires`` afterwards; None: the time is up."""
    # All in one, since to tell components apart a library is loaded, which takes longer.
    inside = TrackedRows(answers.core, np.arange(answers.core.network.n_rows))
    sweep = Sweep(inside, inside.tracked, deadline=deadline, left=most)
    for wire in _backward(answers).tolist():
        asked = inside.asked(wire)
        if inside.too_many(asked) is not None:
            continue
        candidates = _candidates(sweep, asked)
        if candidates is None:
            break
        _take_in(answers, wire, candidates)
    if deadline.passed:
        return None
    return {"proven": answers.proven[wires], "possible": answers.possible[wires]}


def _components(answers: Answers) -> Iterator[tuple[TrackedRows, list[int]]]:
    """For each component what is tracked, and the open wires in it, the last in time first."""
    network = answers.core.network
    component, wires = components(network), _backward(answers)
    label = component[network.row[wires]]
    for mine in np.unique(label).tolist():
        inside = TrackedRows(answers.core, np.flatnonzero(component == mine))
        yield inside, wires[label == mine].tolist()


def _backward(answers: Answers) -> npt.NDArray[np.int64]:
    """Open wires, the last in time first; wires before any meeting are settled."""
    network, wires = answers.core.network, answers.open_wires()
    for wire in wires[network.start[wires] == 0].tolist():
        _take_in(answers, wire, network.row[[wire]].astype(np.int64))
    wires = wires[network.start[wires] > 0]
    return wires[np.argsort(-network.start[wires], kind="stable")]


def _found(sweep: Sweep, asked: Tracked) -> Entry | None:
    """Candidates of the asked wire as a journal entry; None: time is up."""
    candidates = _candidates(sweep, asked)
    return None if candidates is None else {"candidates": candidates}


def _candidates(sweep: Sweep, asked: Tracked) -> npt.NDArray[np.int64] | None:
    """Rows of step 0 from which a label can have come; None: no time or steps are left.

    Questions come in descending order of time; each goes its own way from its step on.
    """
    if not sweep.move_to(asked.label.end):
        return None
    branch = sweep.with_label(asked)
    ended = branch.move_to(0)
    sweep.left = branch.left
    return np.unique(branch.rows_of(len(sweep.inside.tracked))) if ended else None


def _take_in(answers: Answers, wire: int, candidates: npt.NDArray[np.int64]) -> None:
    """The ``candidates`` of a wire are these, and no others."""
    found = tokens.set_of(candidates, answers.core.words)
    answers.proven[wire] |= found
    answers.possible[wire] &= found
    answers.settle(Argument.DYNAMIC_PROGRAMMING, np.array([wire]))
