"""Advice fits the answer: it asks for nothing that cannot help, and tells all that can."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.answer.next_steps import WEAK_PASS, Situation, next_steps
from mixsafe.model.answer.verdict import Verdict


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """A situation with numbers that fit each other."""
    people = draw(st.integers(1, 9))
    failing = draw(st.integers(0, people))
    return Situation(
        verdict=draw(st.sampled_from([Verdict.SAFE, Verdict.WEAK_PASS, Verdict.UNDECIDED]))
        if not failing
        else Verdict.UNSAFE,
        failing=failing,
        people=people,
        alone=draw(st.integers(0, failing)),
        most_k=draw(st.integers(2, 12)),
        users=draw(st.integers(people, 12)),
        timed=draw(st.booleans()),
        cells=draw(st.booleans()),
        engine=draw(st.sampled_from(["auto", "dp"])),
        out_of_time=draw(st.booleans()),
        once=draw(st.integers(0, failing)),
    )


@given(situations())
def test_removal_is_advised_only_where_somebody_remains_who_can_pass(found: Situation) -> None:
    said = " ".join(next_steps(found))
    possible = found.most_k <= found.users
    removable = 0 < found.failing < found.people
    assert ("Remove the" in said) is (removable and possible)
    assert ("Lower --k" in said) is (found.verdict is Verdict.UNSAFE and not possible)
    if "Remove the" in said and found.failing > 1:
        assert f"the {found.failing} people who fail" in said


@given(situations())
def test_who_fails_is_told_not_to_publish_unless_k_alone_is_impossible(found: Situation) -> None:
    said = " ".join(next_steps(found))
    asks = found.verdict is Verdict.UNSAFE and found.most_k <= found.users
    assert ("do not publish" in said) is asks


@given(situations())
def test_options_of_cells_and_steps_are_named_where_there_are_such(found: Situation) -> None:
    said = " ".join(next_steps(found))
    meet = "Let more people meet" in said
    assert ("--cell-size" in said) is (meet and found.cells)
    assert ("--time-step" in said) is (meet and found.timed)


@given(situations())
def test_whoever_has_data_in_one_step_is_not_told_to_meet_more_people(found: Situation) -> None:
    said = " ".join(next_steps(found))
    possible = found.verdict is Verdict.UNSAFE and found.most_k <= found.users
    assert ("Let more people meet" in said) is (possible and found.once < found.failing)
    if "Remove the" in said:
        assert ("with data in one step only" in said) is (found.once > 0)


@given(situations())
def test_a_weak_pass_is_not_advised_to_be_published(found: Situation) -> None:
    if found.verdict is Verdict.WEAK_PASS:
        assert next_steps(found) == [WEAK_PASS]


@given(situations())
def test_more_time_is_advised_only_where_time_ran_out(found: Situation) -> None:
    said = " ".join(next_steps(found))
    undecided = found.verdict is Verdict.UNDECIDED
    assert ("more time (--time-limit)" in said) is (undecided and found.out_of_time)
    assert ("--engine auto" in said) is (undecided and found.engine != "auto")
