"""Pieces that threads make ahead: the same ones, in the same order, and few at a time."""

from __future__ import annotations

import time

import pytest

from mixsafe.machinery.spill import ahead, in_turn


def counted(until: int, made: list[int]):
    """Numbers, and an error at the end."""
    for number in range(until):
        made.append(number)
        yield number
    raise ValueError("the end")


def test_pieces_come_in_their_order_and_an_error_where_it_was():
    made: list[int] = []
    pieces = ahead(counted(5, made))
    for number in range(5):
        assert next(pieces) == number
        assert len(made) <= number + 2
    with pytest.raises(ValueError, match="the end"):
        next(pieces)
    assert list(ahead([])) == []


def test_whoever_stops_early_stops_what_is_made():
    made: list[int] = []
    pieces = ahead(counted(5, made))
    assert next(pieces) == 0
    pieces.close()
    assert made == [0, 1]


@pytest.mark.parametrize("workers", [1, 3])
def test_parts_are_done_in_turn_and_no_more_than_there_are_workers_wait(workers):
    under_way: list[int] = []

    def work(part: int) -> int:
        under_way.append(part)
        time.sleep(0.001 * (part % 3))
        return -part

    found = in_turn(work, range(10), workers)
    for part, one in enumerate(found):
        assert one == -part
        assert len(under_way) <= part + 1 + workers
    assert sorted(under_way) == list(range(10))


def test_an_error_ends_it():
    done: list[int] = []

    def work(part: int) -> int:
        if part == 2:
            raise ValueError("part 2")
        done.append(part)
        return part

    with pytest.raises(ValueError, match="part 2"):
        list(in_turn(work, range(100), 2))
    assert len(done) < 6
