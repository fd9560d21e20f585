"""Arguments in arrays and files: a number taken for another one names the wrong argument."""

from __future__ import annotations

from mixsafe.model.answer.verdict import Argument


def test_the_numbers_of_arguments_are_their_places_and_never_change() -> None:
    words = "- identity reachability swap carrier matching support cpsat"
    words += " dynamic-programming annealing assumption"
    assert [argument.word for argument in Argument] == words.split()
    assert [int(argument) for argument in Argument] == list(range(len(Argument)))
