"""Random problems whose answers were compared with all assignments, and differed once."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.answers_checked import QUESTIONS


@pytest.mark.parametrize("seed", [(0, 161), (2, 233)])
def test_no_token_stands_in_for_another_where_people_are_different(seed: tuple[int, int]) -> None:
    """Protects ``optimize`` by CP-SAT: a token shown where it never came hid who was there."""
    differs, answers = QUESTIONS["optimize"](np.random.default_rng(seed), seed[1], "people")
    assert answers
    assert not differs
