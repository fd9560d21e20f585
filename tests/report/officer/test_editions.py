"""Command lines as the editions show them."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.report.officer.editions import EDITIONS, HIDDEN, command_of

INTERNAL, EXTERNAL = EDITIONS["internal"], EDITIONS["external"]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (
            "mixsafe verify ann.csv --k 3 --adversary home --json out.json",
            "mixsafe verify … --k 3 --adversary home --json …",
        ),
        (
            "mixsafe verify --adversary ann.csv --rule=share:0.9",
            "mixsafe verify --adversary … --rule=share:0.9",
        ),
        ("mixsafe verify --user-list=ann --days 2", "mixsafe verify --user-list=… --days 2"),
        ("mixsafe verify --column user_id=ann -o 'ann lee.csv'", "mixsafe verify --column … -o …"),
        ("mixsafe contest score reid t.csv e.csv", "mixsafe contest score reid … …"),
        ("mixsafe verify 'ann", "…"),
        ("mixsafe check proofs", "mixsafe check …"),
    ],
)
def test_values_that_may_name_somebody_are_hidden(command: str, shown: str) -> None:
    assert command_of(command, EXTERNAL) == shown
    assert command_of(command, INTERNAL) == command


@given(st.lists(st.sampled_from(["-o", "ANN", "--json=ANN", "/ANN/x", "ANN lee.csv", "--k=3"])))
def test_a_name_is_never_shown(words: list[str]) -> None:
    shown = command_of(shlex.join(["mixsafe", "verify", *words]), EXTERNAL)
    assert "ANN" not in shown
    assert shown.startswith("mixsafe verify")
    assert shown.count(HIDDEN) == sum("ANN" in one for one in words)
