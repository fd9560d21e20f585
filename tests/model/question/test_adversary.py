"""Knowledge: sightings, and what they say of tokens."""

import numpy as np
import pytest

from mixsafe.model.question.adversary import Knowledge, apart_rows, pins_and_links

SEEN = [(0, 0), (0, 4), (1, 2), (2, 3), (2, 5), (4, 6)]


def test_whoever_is_seen_but_not_at_step_0_has_a_token_of_her_own():
    apart = apart_rows(Knowledge.from_pairs(SEEN, distinct=True))
    assert (apart.row.tolist(), apart.time.tolist()) == ([1, 2, 4], [2, 3, 6])


@pytest.mark.parametrize(
    "known",
    [
        Knowledge.from_pairs(SEEN),  # the paper's reading
        Knowledge.from_pairs([(u, t) for u in range(3) for t in (0, 5)], distinct=True),
        Knowledge.from_pairs([(2, 3), (2, 5)], distinct=True),  # nobody else is seen
        Knowledge.from_pairs([], distinct=True),
    ],
)
def test_nobody_is_apart_where_it_says_nothing(known):
    assert len(apart_rows(known)) == 0


def test_pins_and_links_are_the_same_in_both_readings():
    paper, distinct = (pins_and_links(Knowledge.from_pairs(SEEN, distinct=d)) for d in (0, 1))
    for one, other in zip(paper, distinct, strict=True):
        assert all(np.array_equal(vars(one)[name], vars(other)[name]) for name in vars(one))


def test_parts_of_knowledge_and_more_of_it_are_read_alike():
    known = Knowledge.from_pairs(SEEN, distinct=True)
    assert known.with_more([3], [1]).distinct
    assert known.those(known.time > 2).distinct
    assert known.reading == "distinct"
    assert Knowledge.from_pairs(SEEN).reading == "paper"
