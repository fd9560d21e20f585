"""Simulated annealing around open wires, for as long as it finds witnesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Entry
from mixsafe.solver.local.rounds import (
    Round,
    TemperatureSelection,
    Workspaces,
    anneal_once,
    no_selection,
)
from mixsafe.solver.local.solutions import instance_of, near
from mixsafe.solver.propagate.assumptions import steps as probing
from mixsafe.solver.state.answers import Answers, packed, unpacked
from mixsafe.solver.state.searches import Questions, Step, Targets, add_proven, proven_entry


def steps(questions: Questions, course: Course) -> Iterator[Step]:
    """Settle open questions by witnesses that move many tokens, in stages of longer restarts.

    Parameters
    ----------
    questions
        The questions. Upper bounds must be at least as tight as those of reachability.
    course
        Of the run; what is open when its time is up stays open.

    Raises
    ------
    MixsafeError
        A witness violates a rule of the problem: a bug.
    """
    for moves, most_moves in pairwise(questions.strategy.annealing):
        if questions.is_small:
            return
        yield from probing(questions, course)
        yield from _stage(questions, moves, most_moves, course)


def _stage(questions: Questions, moves: int, most_moves: int, course: Course) -> Iterator[Step]:
    """Rounds of restarts, which become longer when too few shorter ones succeed."""
    answers, strategy = questions.answers, questions.strategy
    workspaces = Workspaces(answers.core, instance_of(answers.core, answers.possible))
    number, fruitless = 0, 0
    selection = no_selection(len(strategy.temperatures))
    while fruitless < strategy.fruitless_rounds:
        before, targets = questions.n_open, questions.targets()
        seed = (course.seed * 1000 + number) * 64 + moves.bit_length()
        asked = _round_of(questions, targets, moves, selection, seed, workspaces)
        step = Step(
            "moving many tokens",
            f"annealing {most_moves} {number} {moves} {len(targets.wires)}",
            Argument.ANNEALING,
            targets.wires,
            partial(_round, answers, workspaces, asked, seed, course),
            partial(_record, answers, targets),
        )
        yield step
        successes = step.found["successes"]
        selection = selection.with_those_of(step.found["moves"], successes)
        number += 1
        if successes.sum() < strategy.success_share * len(asked.restarts.wires):
            fruitless += questions.n_open == before and moves == most_moves
            moves = min(moves * strategy.annealing_growth, most_moves)


def _round_of(
    questions: Questions,
    targets: Targets,
    moves: int,
    selection: TemperatureSelection,
    seed: int,
    workspaces: Workspaces,
) -> Round:
    """Input of the next round; long restarts begin with a perturbed solution."""
    answers, strategy = questions.answers, questions.strategy
    proven, restarts = answers.proven[targets.wires], questions.restarts(targets, seed)
    asked = Round(targets, restarts, proven, moves, selection, strategy=strategy)
    if not asked.has_long_restarts or not strategy.perturbation:
        return asked
    return asked._replace(
        perturbed_wires=near(targets.wires, answers.core.network, workspaces.instance)
    )


def _round(
    answers: Answers, workspaces: Workspaces, asked: Round, seed: int, course: Course
) -> Entry:
    """Run a round, and return its result as an entry of the journal."""
    writes = answers.ledger is not None
    outcome = anneal_once(workspaces, asked, course, seed=seed, writes=writes)
    return {
        "moves": outcome.selection.moves,
        "successes": outcome.selection.witnesses,
        "refuted": np.array(outcome.refuted, np.int64).reshape(-1, 2),
        **packed(outcome.witnesses),
        **proven_entry(outcome.found, outcome.recorded if writes else None),
    }


def _record(answers: Answers, targets: Targets, found: Entry) -> None:
    """Add the result of a round to the answers."""
    add_proven(answers, targets.wires, found)
    answers.witnesses.extend(unpacked(found))
    _rule_out(answers, found["refuted"].tolist())


def _rule_out(answers: Answers, refuted: Iterable[tuple[int, int]]) -> None:
    """Exclude refuted tokens from wires; -1: all that are not proven."""
    for wire, token in refuted:
        if token < 0:
            answers.refute_rest(wire, Argument.ASSUMPTION)
        else:
            answers.rule_out(wire, token, Argument.ASSUMPTION)
