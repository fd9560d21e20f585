"""What is still asked of an auditor's tokens, against its definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.solver.state import tokens
from mixsafe.verify.auditor.whereabouts import draw, wanted


@given(st.integers(0, 2**32 - 1), st.integers(1, 130), st.integers(1, 12), st.integers(1, 9))
def test_what_matters_is_missing_while_its_question_is_open(
    seed: int, n_tokens: int, n_wires: int, n_steps: int
) -> None:
    """Protects audits: a search that looks for too little leaves questions open, without a word."""
    random = np.random.default_rng(seed)
    words = (n_tokens + 63) // 64
    may = random.random((n_wires, n_tokens)) < 0.3
    is_open = random.random((n_tokens, n_steps)) < 0.2
    start = random.integers(0, n_steps, n_wires).astype(np.int32)
    end = np.minimum(n_steps - 1, start + random.integers(-1, 4, n_wires)).astype(np.int32)
    missing = tokens.sets_of(*np.nonzero(may), n_wires, words)
    open_at = tokens.sets_of(*np.nonzero(is_open.T), n_steps, words)
    expected = {
        (wire, token)
        for wire, token in np.argwhere(may).tolist()
        if is_open[token, start[wire] : end[wire] + 1].any()
    }
    found = wanted(missing, start, end, open_at)
    assert set(zip(*(one.tolist() for one in tokens.pairs(found)), strict=True)) == expected
    drawn = draw(found, start, end, is_open, seed | 1)
    assert np.all(drawn[~is_open] == -1)
    for token, step in np.argwhere(is_open).tolist():
        on = {wire for wire, one in expected if one == token and start[wire] <= step <= end[wire]}
        assert int(drawn[token, step]) in (on or {-1})
