"""Contradictions of clauses: true ones pass, and a forgery of every kind does not."""

from __future__ import annotations

import pytest

from mixsafe.check.derivation import refute
from mixsafe.errors import InputError

CLAUSES = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
LEMMAS = [1, 0, 1, 2, 0, 0, 5, 3, 4, 0]
"""1 follows from the first two clauses; with it the others contradict each other."""


def test_lemmas_that_come_to_a_contradiction_are_accepted():
    refute(CLAUSES, LEMMAS)


def test_an_empty_clause_that_is_given_is_a_contradiction_if_it_is_named():
    refute([[1], [-1]], [0, 1, 2, 0])


@pytest.mark.parametrize(
    ("clauses", "lemmas", "message"),
    [
        (CLAUSES[:3], LEMMAS, "names what is not known"),  # one is left out
        ([*CLAUSES[:3], [-1, -2, 3]], LEMMAS, "does not follow"),  # one says less
        (CLAUSES, [2, 0, 1, 2, 0, 0, 5, 3, 4, 0], "lemma 0 does not follow"),
        (CLAUSES, [1, 0, 1, 0, 0, 5, 3, 4, 0], "lemma 0 does not follow"),  # of too few
        (CLAUSES, [1, 0, 0, 0, 5, 3, 4, 0], "lemma 0 does not follow"),  # of nothing
        (CLAUSES, [1, 0, 1, 2, 0, 0, 3, 4, 0], "lemma 1 does not follow"),
        (CLAUSES, [1, 0, 5, 2, 0, 0, 5, 3, 4, 0], "lemma 0 names what is not known"),  # itself
        (CLAUSES, [1, 0, 1, 2, 0, 0, 6, 3, 4, 0], "lemma 1 names what is not known"),
        (CLAUSES, [1, 0, 1, 2, 0, 0, -1, 3, 4, 0], "lemma 1 names what is not known"),
        (CLAUSES, [1, 0, 1, 2, 0], "no contradiction"),
        (CLAUSES, [], "no contradiction"),
        (CLAUSES, LEMMAS[:-1], "end within one"),
        ([[1, 2], [-1]], [0, 1, 2, 0], "does not follow"),  # the first is of two literals
        ([[1, 2], [-2]], [0, 1, 2, 0], "does not follow"),
        (CLAUSES, [1, 0], "end within one"),
        (CLAUSES, [*LEMMAS, 1], "end within one"),
        ([], [1, -1, 0, 0], "does not follow"),  # true, but of use to nobody
    ],
)
def test_what_does_not_follow_is_refused(clauses, lemmas, message):
    with pytest.raises(InputError, match=message):
        refute(clauses, lemmas)


def test_no_single_number_of_a_proof_can_be_changed_so_that_satisfiable_clauses_are_refuted():
    for place in range(len(LEMMAS)):
        for number in range(-6, 7):
            forged = [*LEMMAS[:place], number, *LEMMAS[place + 1 :]]
            with pytest.raises(InputError):
                refute(CLAUSES[:3], forged)
