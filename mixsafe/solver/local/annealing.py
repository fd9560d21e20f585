"""Annealing around all that is open, for as long as it brings witnesses."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from mixsafe.journal.steps import Entry, once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver.local.histories import landscape, near
from mixsafe.solver.local.luck import Luck, no_luck
from mixsafe.solver.local.rounds import Round, anneal_once
from mixsafe.solver.local.workspaces import Workspaces
from mixsafe.solver.propagate import elimination
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.findings import packed, unpacked
from mixsafe.solver.state.ledger import told_in, told_of
from mixsafe.solver.state.questions import Questions, Targets

_LONGER = 4  # times as many moves when few restarts succeed


def search(
    questions: Questions,
    moves_of_restart: tuple[int, int],
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Settle open questions by witnesses that move many tokens.

    Parameters
    ----------
    questions
        What is asked. Upper bounds must be at most what reachability leaves.
    moves_of_restart
        Moves that one may take to begin with, and at most: restarts become longer when shorter ones
        are in vain.
    limits, deadline, progress
        As for every engine.

    Raises
    ------
    MixsafeError
        A witness breaks a rule of the problem: a bug.
    """
    answers, strategy = questions.answers, questions.strategy
    if not questions.n_open or deadline.passed or is_small(questions):
        return
    elimination.search(questions, limits, deadline, progress)
    workspaces = Workspaces(answers.core, landscape(answers.core, answers.possible))
    (moves, most_moves), number, fruitless = moves_of_restart, 0, 0
    luck = no_luck(len(strategy.temperatures))
    while questions.n_open and fruitless < strategy.fruitless_rounds and not deadline.passed:
        progress("moving many tokens", questions.n_asked - questions.n_open, questions.n_asked)
        before, targets = questions.n_open, questions.targets()
        seed = (limits.seed * 1000 + number) * 64 + moves.bit_length()
        asked = _round_of(questions, targets, moves, luck, seed, workspaces)
        found = once(
            answers.journal,
            f"annealing {most_moves} {number} {moves} {len(targets.wires)}",
            partial(_round, answers, workspaces, asked, seed, limits, deadline),
        )
        if found is None:
            questions.settle(Argument.ANNEALING, targets.wires)
            return
        _take_in(answers, targets, found)
        questions.settle(Argument.ANNEALING, targets.wires)
        luck = luck.with_those_of(found["moves"], found["successes"])
        number += 1
        if found["successes"].sum() < strategy.annealing_share * len(asked.tries.wires):
            fruitless += questions.n_open == before and moves == most_moves
            moves = min(moves * _LONGER, most_moves)


def _round_of(
    questions: Questions,
    targets: Targets,
    moves: int,
    luck: Luck,
    seed: int,
    workspaces: Workspaces,
) -> Round:
    """What the next round is about: where short tries are in vain, they begin far from home."""
    answers, strategy = questions.answers, questions.strategy
    far = moves > strategy.annealing[0] and strategy.perturbation > 0
    strays = near(targets.wires, answers.core.network, workspaces.around) if far else None
    proven = answers.proven[targets.wires]
    tries = questions.tries(targets, seed)
    return Round(targets, tries, proven, moves, luck, strays, strategy)


def is_small(questions: Questions) -> bool:
    """Whether solvers decide what is open sooner than annealing is compiled."""
    return int(questions.answers.upper.sum(dtype=np.int64)) < questions.strategy.small


def _round(
    answers: Answers,
    workspaces: Workspaces,
    asked: Round,
    seed: int,
    limits: SolveLimits,
    deadline: Deadline,
) -> Entry | None:
    """What a round finds; None: it was cut short, and what it found by then is in the answers."""
    ledger, workers = answers.ledger, limits.workers
    how = {"seed": seed, "workers": workers}
    outcome = anneal_once(workspaces, asked, deadline=deadline, writes=ledger is not None, **how)
    if deadline.passed:
        if ledger is not None:
            ledger.add(outcome.told)
        answers.proven[asked.targets.wires] |= outcome.found
        answers.witnesses.extend(outcome.witnesses)
        _rule_out(answers, outcome.refuted)
        return None
    luck = outcome.luck
    return {
        "found": outcome.found,
        "moves": luck.moves,
        "successes": luck.witnesses,
        "refuted": np.array(outcome.refuted, np.int64).reshape(-1, 2),
        **packed(outcome.witnesses),
        **({} if ledger is None else told_of(outcome.told)),
    }


def _take_in(answers: Answers, targets: Targets, found: Entry) -> None:
    """Add what a round found to what is known."""
    answers.proven[targets.wires] |= found["found"].astype(np.uint64, copy=False)
    answers.witnesses.extend(unpacked(found))
    if answers.ledger is not None:
        answers.ledger.add(told_in(found))
    _rule_out(answers, found["refuted"].tolist())


def _rule_out(answers: Answers, refuted: Iterable[tuple[int, int]]) -> None:
    """Strike tokens off wires of which no history shows them there: -1 is any but the proven."""
    for wire, token in refuted:
        if token < 0:
            answers.refute_rest(wire, Argument.ASSUMPTION)
        else:
            answers.rule_out(wire, token, Argument.ASSUMPTION)
