"""Blocks drawn anew: they keep all assignments equally likely."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from mixsafe.model.question.problem import Problem
from mixsafe.solver.local.generator import spread_beginning
from mixsafe.weigh.draw.block_moves import draw_blocks, new_block, paths_of
from mixsafe.weigh.draw.pair_moves import OftenDrawn
from mixsafe.weigh.draw.solution import Instance, instance_of, solution_of
from mixsafe.weigh.exchange_models import TakingPart, Uniform
from tests.support.oracles import agrees, assignments_of, knowledge_of
from tests.support.relations import with_pairs
from tests.support.strategies import problem
from tests.support.worlds_to_weigh import core_of, known_at_both_ends

_MOVES = 80  # from each assignment

PROBLEMS = {
    "nobody is known": problem(3, 2, [(1, [0, 1, 2]), (2, [0, 1])], []),
    "four are known at the end, and one between": problem(
        4,
        4,
        [(1, [0, 1, 2, 3]), (2, [0, 1]), (2, [2, 3]), (3, [1, 2, 3]), (4, [0, 2])],
        [(0, 0), (0, 4), (1, 0), (1, 2), (1, 4), (2, 0), (2, 4)],
    ),
    "five in a zone, of whom a block takes four": problem(
        5, 3, [(1, [0, 1, 2, 3, 4]), (2, [0, 3]), (3, [1, 2])], [(4, 0), (4, 3)]
    ),
    "pairs meet again and again": known_at_both_ends(
        [(0, 1), (1, 2), (0, 1), (1, 2), (0, 2), (0, 1), (1, 2)]
    ),
}


AROUND = {(0, 1), (1, 2), (2, 3), (3, 0)}
RELATED = {
    "four go around or three of them": (
        problem(4, 2, [(1, [0, 1, 2, 3]), (2, [0, 1, 2, 3])], [(0, 0), (0, 2)]),
        [AROUND | {(2, 0)}, {(b, a) for a, b in AROUND}],
    ),
    "some pairs here and all there": (
        PROBLEMS["four are known at the end, and one between"],
        [
            {(0, 1), (1, 2), (2, 0), (0, 2), (3, 2), (2, 3)},
            None,
            None,
            {(1, 2), (2, 3), (3, 1)},
            None,
        ],
    ),
    "five in a zone, of whom a block takes four": (
        PROBLEMS["five in a zone, of whom a block takes four"],
        [{(a, b) for a in range(5) for b in range(5) if a != b and (a + 2 * b) % 3}, None, None],
    ),
}
PROBLEMS |= {
    f"{name} (related)": replace(asked, zones=with_pairs(asked.zones, allowed))
    for name, (asked, allowed) in RELATED.items()
}


@pytest.mark.parametrize("presolved", PROBLEMS.values(), ids=PROBLEMS)
def test_one_move_from_each_assignment_leads_to_each_as_often(presolved: Problem) -> None:
    core = core_of(presolved)
    network = core.network
    instance = instance_of(core, Uniform().weights(presolved.zones))
    paths = paths_of(core, instance)
    assert paths is not None
    every = [
        np.array(story, np.int32)[network.start, network.row]
        for story in assignments_of(presolved)
        if agrees(story, knowledge_of(presolved))
    ]
    everywhere = np.arange(len(instance.before))
    often, block, reached = OftenDrawn(everywhere, everywhere), new_block(), Counter[bytes]()
    for number, story in enumerate(every):
        solution = solution_of(core, instance, story)
        random = spread_beginning(number + 1)
        begun = [part.copy() for part in solution[:3]]  # all that a move changes
        for _ in range(_MOVES):
            draw_blocks(1, often, paths, instance, solution, random, block)
            reached[solution.token.tobytes()] += 1
            for now, before in zip(solution[:3], begun, strict=True):
                now[:] = before
    assert set(reached) == {story.tobytes() for story in every}
    counts = np.array(list(reached.values()))
    surprise = ((counts - _MOVES) ** 2 / _MOVES).sum()
    assert surprise < len(every) + 5 * np.sqrt(2 * len(every))


def _instance(presolved: Problem, chance: float) -> Instance:
    return instance_of(core_of(presolved), TakingPart(chance).weights(presolved.zones))


def test_blocks_are_not_drawn_where_permutations_weigh_differently_or_tokens_are_linked() -> None:
    zones = [(1, [0, 1]), (2, [0, 1])]
    linked, plain = problem(2, 3, zones, [(0, 1), (0, 3)]), problem(2, 3, zones, [])
    assert paths_of(core_of(linked), _instance(linked, 1.0)) is None
    assert paths_of(core_of(plain), _instance(plain, 0.5)) is None
    assert paths_of(core_of(plain), _instance(plain, 1.0)) is not None
