"""Of another question nothing is recalled, by whatever it differs, in the library, too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mixsafe.errors import InputError
from mixsafe.machinery.checkpoint import NAME, Checkpoint
from mixsafe.model.course import SolveLimits
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.requirement import Rule
from mixsafe.verify.verification import Verification, verify
from tests.support.strategies import problem

ASKED = problem(4, 6, [(1, [0, 1]), (3, [1, 2]), (5, [0, 1, 2])], [(0, 0), (0, 6), (1, 6), (2, 2)])


def run(folder: Path, asked: Any = ASKED, **changes: Any) -> Verification:
    with Checkpoint(folder) as journal:
        return verify(asked, **{"k": 2, "journal": journal, **changes})


def test_a_run_of_the_library_is_taken_up_again(tmp_path: Path) -> None:
    alone = verify(ASKED, k=2)
    first = run(tmp_path)
    content = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(content[:-3])
    second = run(tmp_path)
    for answer in (first, second):
        pd.testing.assert_frame_equal(answer.wires, alone.wires)
    assert (tmp_path / NAME).read_bytes() == content


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"k": 3}, "k 2, not 3"),
        ({"at": [2, 3]}, "at none, not 2,3"),
        ({"rule": Rule("every")}, "rule none, not every"),
        ({"exhaustive": True}, "exhaustive False, not True"),
        ({"engine": "dp"}, "engine auto, not dp"),
        ({"limits": SolveLimits(seed=5)}, "seed 0, not 5"),
        ({"asked": replace(ASKED, knowledge=Knowledge.from_pairs([(0, 0)]))}, "data"),
    ],
    ids=lambda value: "" if isinstance(value, str) else next(iter(value)),
)
def test_whatever_the_outcome_depends_on_is_checked(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    run(tmp_path)
    content = (tmp_path / NAME).read_bytes()
    with pytest.raises(InputError, match=f"it belongs to a run with {told}"):
        run(tmp_path, **changes)
    assert (tmp_path / NAME).read_bytes() == content


def test_encodings_are_told_apart(tmp_path: Path) -> None:
    run(tmp_path, engine="cpsat", encoding="flow")
    with pytest.raises(InputError, match="encoding flow, not permutation"):
        run(tmp_path, engine="cpsat", encoding="permutation")


def test_name_workers_and_limits_of_time_do_not_count(tmp_path: Path) -> None:
    run(tmp_path)
    run(tmp_path, asked=replace(ASKED, name="other"), limits=SolveLimits(60, workers=1))
