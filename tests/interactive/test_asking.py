"""In a notebook: questions about whatever holds the data, and answers that show themselves."""

import json

import numpy as np
import pandas as pd
import pytest

import mixsafe

TOWN = mixsafe.sample("town")


@pytest.fixture(scope="module")
def frame():
    """A day of some of the town's people."""
    whole = pd.read_csv(TOWN)
    return whole[(whole.time_id <= 20) & (whole.user_id <= 60)]


@pytest.fixture(scope="module")
def answer(frame):
    return mixsafe.verify(frame, k=3)


def test_a_problem_is_posed_about_whatever_is_given(frame, answer):
    traces = mixsafe.load(frame)
    by_hand = mixsafe.verify(mixsafe.pose(traces), k=3)
    again = mixsafe.verify(traces, k=np.int64(3), adversary="endpoints", rule="some")
    assert by_hand.summary == again.summary == answer.summary
    stricter = mixsafe.verify(traces, k=3, rule="share:0.5", min_users=3, adversary="daily")
    assert stricter.summary["share_of_time_safe"] < answer.summary["share_of_time_safe"]


def test_an_answer_has_frames_a_dictionary_a_page_and_pictures(answer, tmp_path):
    assert {"user_id", "safe_share"} <= set(answer.users.columns)
    assert len(answer.wires) == answer.summary["requirements"]
    assert json.loads(json.dumps(answer.to_dict()))["summary"] == answer.summary
    page = answer.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert "The adversary saw every person" in page
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert "<script>" not in page._repr_html_()
    assert len(repr(page)) < 60
    answer.plot(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_bytes().startswith(b"<?xml")


def test_an_answer_is_short_in_words_and_a_table_in_a_notebook(answer):
    assert len(repr(answer)) < 700
    assert "\n" not in repr(answer)
    assert repr(answer).startswith("<Verification data: traces, 60 users")
    html = answer._repr_html_()
    assert html.count("<table") == 2
    assert f"{answer.verdict.value} by rule some" in html


def test_names_that_are_markup_stay_names_in_a_notebook():
    names = ["<script>alert(1)</script>", "b"]
    rows = {"user_id": names * 2, "time_id": [1, 1, 2, 2], "reg_id": [1, 1, 2, 2]}
    assert "<script" not in mixsafe.verify(rows, k=2)._repr_html_()


def test_knowledge_and_requirements_may_be_frames(frame, tmp_path):
    seen = pd.DataFrame({"user_id": [1, 1, 2], "time_id": [1, 9, 4]})
    seen.to_csv(tmp_path / "seen.csv", index=False)
    by_frame = mixsafe.verify(frame, k=3, knowledge=seen)
    by_file = mixsafe.verify(frame, k=3, knowledge=tmp_path / "seen.csv")
    assert by_frame.problem.knowledge.time.tolist() == [1, 9, 4]
    assert by_frame.summary == by_file.summary
    asked = {"user_id": [1, 2], "time_id": [5, 6], "k": [2, 3]}
    found = mixsafe.verify(frame, requirements=asked)
    assert found.results["k"].tolist() == [2, 3]
    assert found.summary["rule"] == "every"


def test_times_may_be_steps_or_moments():
    rows = {
        "user_id": ["a", "b"] * 2,
        "time": [946684800] * 2 + [946684860] * 2,
        "lat": [1.0] * 4,
        "lon": [1.0] * 4,
    }
    by_step = mixsafe.verify(rows, k=2, at=[2])
    by_moment = mixsafe.verify(rows, k=2, at=["2000-01-01T00:01:30Z"])
    assert by_step.results["time"].tolist() == by_moment.results["time"].tolist()


@pytest.mark.parametrize("step", [0, 1, 2, np.int64(20)])
def test_a_step_is_asked_about_by_its_number_however_small(step, frame):
    """That k is 2 or more says nothing about times."""
    found = mixsafe.verify(frame, k=2, at=[step])
    assert found.results["time"].unique().tolist() == [step]
    assert mixsafe.optimize(frame, k=2, at=[step]).minimum is None  # not everybody is safe then


BAD = {
    "half a candidate": ({"k": 2.5}, "k = 2.5 is not a whole number"),
    "a text": ({"k": "3"}, "k = '3' is not a whole number"),
    "a truth": ({"k": True}, "k = True is not a whole number"),
    "one": ({"k": 1}, "k = 1 is not from 2"),
    "nothing": ({}, "nothing is asked"),
    "a rule that is none": ({"k": 3, "rule": "most"}, "unknown rule"),
    "a rule that is no text": ({"k": 3, "rule": 0.5}, "a rule is a text"),
    "a share above all": ({"k": 3, "rule": "share:2"}, "share"),
    "no knowledge": ({"k": 3, "knowledge": 5}, "knowledge cannot be read from a int"),
    "knowledge of a stranger": (
        {"k": 3, "knowledge": {"user_id": [999], "time_id": [1]}},
        "row 1: user 999 is not in the data",
    ),
    "knowledge of another time": (
        {"k": 3, "knowledge": {"user_id": [1], "time_id": [999]}},
        "row 1: time 999 is outside the data's",
    ),
    "two adversaries": ({"k": 3, "knowledge": {}, "adversary": "home"}, "not both"),
    "no requirements": ({"requirements": 3}, "requirements cannot be read from a int"),
    "no time": ({"k": 3, "at": ["noon"]}, "'noon' is not a time"),
    "half a step": ({"k": 3, "at": [1.5]}, "at = 1.5 is not a whole number"),
    "a truth as a step": ({"k": 3, "at": [False]}, "at = False is not a whole number"),
    "a step before all": ({"k": 3, "at": [-1]}, r"steps \[-1\] are not in"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_asked_is_one_clear_error(name, frame):
    how, says = BAD[name]
    with pytest.raises(mixsafe.InputError, match=says):
        mixsafe.verify(frame, **how)


def test_a_problem_says_itself_what_is_known(frame):
    problem = mixsafe.pose(mixsafe.load(frame))
    with pytest.raises(mixsafe.InputError, match="cell_size cannot be given"):
        mixsafe.verify(problem, k=3, cell_size=5)


def test_the_other_answers_show_themselves_too(frame, tmp_path):
    found = mixsafe.optimize(frame, k=2, at=[5])
    assert repr(found).startswith("<MinimumZones requirements: 60, status: ")
    assert "fewest mix zones" in found._repr_html_()
    assert "mix zone" in found.report()
    tracks = frame.rename(columns={"user_id": "pseudonym"})
    tracks[tracks.pseudonym < 10].to_csv(tmp_path / "release.csv", index=False)
    frame[(frame.user_id < 3) & (frame.time_id < 4)].to_csv(tmp_path / "seen.csv", index=False)
    audit = mixsafe.audit(tmp_path / "release.csv", tmp_path / "seen.csv", k=3, rule="every")
    assert repr(audit).startswith("<Audit data: 9 tracks, 2 users known")
    assert audit.to_dict()["summary"] == audit.summary
    assert "known" in audit.report()
