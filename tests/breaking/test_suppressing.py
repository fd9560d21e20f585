"""What to suppress: the fewest sightings, equal to brute force."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mixsafe.breaking.breaking import breaking
from mixsafe.journal.checkpoint import Checkpoint
from mixsafe.model.limits import SolveLimits
from tests.support.breaking_questions import drawn, wrongly_suppressed
from tests.support.strategies import problem


def test_what_to_suppress_is_what_brute_force_finds_and_raises_the_number() -> None:
    random = np.random.default_rng(3)
    sizes = {"max_users": 4, "max_horizon": 4, "max_assignments": 60}
    wrong = [wrongly_suppressed(drawn(random, **sizes)) for _ in range(30)]
    assert not any(wrong), wrong


def test_what_to_suppress_is_all_of_a_stretch_and_nothing_where_nothing_helps() -> None:
    meeting = problem(3, 6, [(1, [0, 1]), (5, [0, 1])], [(0, 0), (1, 0), (0, 6), (1, 6)])
    found = breaking(meeting, k=2, suppress=True)
    told = [one.suppress for one in found.numbers]
    assert told[0] is not None
    assert (told[0].lower, told[0].upper) == (4, 4)
    assert found.stretches(told[0]) == [(0, 1, 4)]
    assert found.table["suppress"].tolist() == ["0@1..4", "1@1..4", ""]
    assert (found.numbers[2].lower, told[2]) == (0, None)


def test_what_to_suppress_is_taken_up_again_and_bounded_where_time_is_up(tmp_path: Path) -> None:
    question = problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 1])], [(0, 0), (1, 0)])
    with Checkpoint(tmp_path) as journal:
        breaking(question, k=2, journal=journal)
    with Checkpoint(tmp_path) as journal:
        no_time = SolveLimits(seconds=1e-9)
        cut = breaking(question, k=2, journal=journal, suppress=True, limits=no_time)
    bounds = {one.suppress[:2] for one in cut.numbers if one.suppress}
    assert bounds == {(1, None)}
    for _ in range(2):  # once found, once recalled
        with Checkpoint(tmp_path) as journal:
            again = breaking(question, k=2, journal=journal, suppress=True)
        assert again.numbers == breaking(question, k=2, suppress=True).numbers
    assert any(one.suppress for one in again.numbers)
