"""Assumptions: what follows from "some tokens are not on some wire", and probing by it.

A token excluded from a wire is excluded where it could only come from, or go to, over that wire. A
token that is alone on a wire is nowhere else, and a wire where a token must be has no other token.
This excludes a few thousand pairs of millions, so each is propagated on its own, and put back
afterwards. If a wire is left without a token, or a token without a wire, no assignment agrees with
the assumption.

Matching (:mod:`mixsafe.solver.propagate.matching`) starts from the identity, which is no solution
under an assumption. These rules are the cheap part of what matching would find.

Probing assumes one candidate on a wire, and excludes it if that leads to a contradiction. Where few
possible tokens are unproven, most of them are not candidates. Assuming that *some* of them is on
the wire contradicts nothing, but assuming a single one does. So each is assumed alone. Refuted ones
are excluded for good, with all consequences.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.domains import (
    ALONE,
    EXCLUDED,
    FAILED,
    FOLLOWED,
    HELD,
    ZONES,
    Domains,
    exclude,
    exclude_all,
    keep_only,
    next_zone,
    only_token,
    rest,
    take_back,
)
from mixsafe.solver.state.searches import Questions, Step
from mixsafe.solver.workers import until

Pairs = npt.NDArray[np.int64]
"""(n, 2): wires, and tokens that may be there."""


@compiled
def assume_off(  # pragma: no cover - compiled
    wire: int, off: npt.NDArray[np.uint64], domains: Domains, net: Wires
) -> bool:
    """Exclude the tokens of a set, (words,), from a wire, and propagate.

    Returns
    -------
    bool
        False: no assignment agrees with this and all earlier assumptions. True proves nothing.
    """
    for word in range(len(off)):
        exclude_all(wire, word, domains.possible[wire, word] & off[word], domains, net)
    return follow(domains, net)


@inner
def follow(domains: Domains, net: Wires) -> bool:  # pragma: no cover - compiled
    """Propagate to a fixed point; False: the assumptions are contradictory."""
    counters = domains.counters
    while not counters[FAILED]:
        if counters[EXCLUDED] == len(domains.excluded):
            rest(domains)  # the trail is full: nothing more is derived
            return True
        if counters[FOLLOWED] < counters[EXCLUDED]:
            i = counters[FOLLOWED]
            counters[FOLLOWED] += 1
            _exclude_linked(domains.excluded[i, 0], domains.excluded[i, 1], domains, net)
        elif counters[HELD]:
            counters[HELD] -= 1
            _exclude_elsewhere(domains.held[counters[HELD]], domains, net)
        elif counters[ALONE]:
            counters[ALONE] -= 1
            i = counters[ALONE]
            _exclude_others(domains.alone[i, 0], domains.alone[i, 1], domains, net)
        elif counters[ZONES]:
            _propagate_zone(next_zone(domains), domains, net)
        else:
            return True
    return False


@inner
def _exclude_linked(  # pragma: no cover - compiled
    wire: int, token: int, domains: Domains, net: Wires
) -> None:
    """Exclude a token from the wires that are linked to ``wire``."""
    for i in range(domains.linked_ptr[wire], domains.linked_ptr[wire + 1]):
        exclude(domains.linked[i], token, domains, net)


@inner
def _exclude_elsewhere(  # pragma: no cover - compiled
    wire: int, domains: Domains, net: Wires
) -> None:
    """Exclude the only token of a wire from all other wires that overlap it in time."""
    if domains.size[wire] != 1:
        return
    token = only_token(wire, domains.possible)
    for row in range(len(net.first) - 1):
        if row == net.row[wire]:
            continue
        other = wire_at(row, net.start[wire], net)
        while other < net.first[row + 1] and net.start[other] <= domains.end[wire]:
            exclude(other, token, domains, net)
            other += 1


@inner
def _exclude_others(  # pragma: no cover - compiled
    step: int, token: int, domains: Domains, net: Wires
) -> None:
    """Exclude all other tokens from the only wire on which a token may be after a step."""
    if domains.places[step, token] != 1:
        return
    for row in range(len(net.first) - 1):
        wire = wire_at(row, step, net)
        if tokens.holds(domains.possible[wire], token):
            keep_only(wire, token, domains, net)
            return


@inner
def _propagate_zone(zone: int, domains: Domains, net: Wires) -> None:  # pragma: no cover - compiled
    """Exclude tokens that leave a zone but do not come to it, or come but do not leave."""
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    for word in range(domains.possible.shape[1]):
        come = leave = np.uint64(0)
        for m in range(begin, end):
            come |= domains.possible[net.before[m], word]
            leave |= domains.possible[net.before[m] + 1, word]
        if come == leave:
            continue
        for m in range(begin, end):
            wire = net.before[m]
            exclude_all(wire, word, domains.possible[wire, word] & ~leave, domains, net)
            exclude_all(wire + 1, word, domains.possible[wire + 1, word] & ~come, domains, net)


def steps(questions: Questions, course: Course) -> Iterator[Step]:
    """Probe the missing candidates of open wires that have few of them.

    Upper bounds must be at least as tight as those of reachability.
    """
    answers, seen = questions.answers, np.zeros(0, np.int64)
    while True:
        wires, asked = _few_missing(questions, seen)
        if not len(wires):
            return
        seen = np.union1d(seen, wires)
        step = Step(
            "ruling out candidates",
            f"elimination {len(seen)} {len(asked)}",
            Argument.ASSUMPTION,
            None,
            partial(_ruled_out, answers, asked, course),
            partial(_exclude, answers, asked),
        )
        yield step
        n_ruled_out = np.count_nonzero(step.found["ruled_out"])
        if n_ruled_out < questions.strategy.success_share * len(asked):
            return


def _few_missing(questions: Questions, seen: npt.NDArray[np.int64]) -> tuple[Pairs, Pairs]:
    """Unseen open wires with the fewest missing candidates, and pairs with these candidates."""
    targets, proven, strategy = questions.targets(), questions.answers.proven, questions.strategy
    wires = np.setdiff1d(targets.wires, seen)
    missing = targets.sought[wires] & questions.answers.possible[wires] & ~proven[wires]
    many = tokens.count(missing)
    some = np.argsort(many, kind="stable")
    is_few = (many[some] > 0) & (many[some] <= strategy.probed)
    some = some[is_few][: strategy.probed_at_once]
    on, token = tokens.pairs(missing[some])
    return wires[some], np.column_stack([wires[some][on], token])


def _ruled_out(answers: Answers, asked: Pairs, course: Course) -> Entry:
    """Which of the pairs are refuted."""
    stop, ruled_out = np.zeros(1, np.bool_), np.zeros(len(asked), bool)
    shares = min(course.workers, len(asked))
    runs = [
        partial(_assume_each, answers, asked[share::shares], ruled_out[share::shares], stop)
        for share in range(shares)
    ]
    until(course, runs, stop)
    return {"ruled_out": ruled_out}


def _assume_each(
    answers: Answers, asked: Pairs, ruled_out: npt.NDArray[np.bool_], stop: npt.NDArray[np.bool_]
) -> None:
    """Assume one pair after the other, and mark the refuted ones."""
    core = answers.core
    domains, words = Domains.of(core, answers.possible), answers.possible.shape[1]
    for i, (wire, token) in enumerate(asked.tolist()):
        if stop[0]:
            return
        alone = tokens.set_of(np.array([token]), words)
        ruled_out[i] = not assume_off(wire, ~alone, domains, core.network.wires)
        take_back(0, domains, core.network.wires)


def _exclude(answers: Answers, asked: Pairs, found: Entry) -> None:
    """Exclude the refuted pairs of ``asked``, and propagate."""
    ruled_out = asked[found["ruled_out"].astype(bool)]
    domains, words = Domains.of(answers.core, answers.possible), answers.possible.shape[1]
    for wire in np.unique(ruled_out[:, 0]).tolist():
        off = tokens.set_of(ruled_out[ruled_out[:, 0] == wire, 1], words)
        assume_off(wire, off, domains, answers.core.network.wires)
    answers.possible[:] = domains.possible
