"""A small campaign of changed files; ``benchmarks/fuzz.py`` has the large one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.fuzz_cases import simple_cases
from tests.support.fuzzed import emptied, fuzz_once, run_once

NAMES = ("t.csv", "t.parquet", "p.json", "users.txt", "c.toml")
CASES = [one for one in simple_cases() if one.words[0] == "verify" and one.changed[0] in NAMES]
INPUTS = 3


@pytest.mark.parametrize("case", CASES, ids=lambda one: one.name)
def test_changed_files_are_read_or_refused_in_a_line_that_names_them(
    case: object, tmp_path: Path
) -> None:
    assert isinstance(case, type(CASES[0]))
    for number in range(INPUTS):
        _, _, content, outcome = fuzz_once(
            case, emptied(tmp_path / "run"), np.random.default_rng((7, number))
        )
        assert outcome.flaws == (), (content, outcome.said)


def test_the_campaign_begins_with_files_that_are_good(tmp_path: Path) -> None:
    for case in CASES[:3]:
        folder = emptied(tmp_path / "run")
        for file, content in case.files.items():
            (folder / file).write_bytes(content)
        outcome = run_once(case, case.changed[0], folder)
        assert (outcome.status in (0, 1, 3, 4), outcome.flaws) == (True, ()), outcome.said


def test_what_must_not_happen_would_be_noticed(tmp_path: Path) -> None:
    case = CASES[0]
    folder = emptied(tmp_path / "run")
    (folder / "t.csv").write_bytes(b"nonsense")
    (folder / "out.csv").write_text("half of it")
    assert run_once(case, "t.csv", folder).flaws == ("leaves a part of the output",)
