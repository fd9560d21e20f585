"""Problems of tracklets and links: what is read, what is refused, what is answered."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.problems.links import link_answers, read_link_problems
from mixsafe.model.course import Deadline
from mixsafe.tracklets.histories import decide
from mixsafe.tracklets.problems import chain_at

THREE = {
    "name": "three",
    "tracklets": 3,
    "alive": [[0, 1], [0, 2], [5, 6]],
    "links": [[1, 2], [0, 2]],
    "continue": [1],
    "come": [2],
    "same": [[1, 2]],
}


def read(tmp_path, *problems, lines=False):
    path = tmp_path / "links.json"
    texts = [json.dumps(one) for one in problems]
    path.write_text("\n".join(texts) if lines else f"[{', '.join(texts)}]")
    return read_link_problems(path)


def test_a_problem_is_read_as_written(tmp_path):
    (problem,) = read(tmp_path, THREE)
    assert problem.name == "three"
    assert (problem.first.tolist(), problem.last.tolist()) == ([0, 0, 5], [1, 2, 6])
    assert (problem.ptr.tolist(), problem.to.tolist()) == ([0, 1, 2, 2], [2, 2])
    assert np.flatnonzero(problem.must_continue).tolist() == [1]
    assert np.flatnonzero(problem.must_come).tolist() == [2]
    assert problem.same.tolist() == [[1, 2]]


def test_lines_and_lists_and_single_objects_are_the_same(tmp_path):
    nameless = {key: THREE[key] for key in ("tracklets", "alive", "links")}
    for lines in (False, True):
        names = [one.name for one in read(tmp_path, THREE, nameless, lines=lines)]
        assert names == ["three", "links-1"]
    assert len(read(tmp_path, nameless, lines=True)) == 1


@pytest.mark.parametrize(
    ("change", "column", "told"),
    [
        ({"links": [[2, 0]]}, "links", r"\[2, 0\] does not go forward in time: 2 ends at 6, 0 b"),
        ({"links": [[0, 2], [0, 2]]}, "links", r"\[0, 2\] is there twice"),
        ({"links": [[0, 3]]}, "links", "tracklet 3 is not one of the tracklets 0 to 2"),
        ({"links": [[0, 1.0]]}, "links", "entry 0 is"),
        ({"links": [[0, True]]}, "links", "entry 0 is"),
        ({"links": "all"}, "links", "is not a list"),
        ({"alive": [[0, 1], [2, 0], [5, 6]]}, "alive", "tracklet 1 ends at 0, before it begins"),
        ({"alive": [[0, 1]]}, "alive", "there are 1 intervals for 3 tracklets"),
        ({"same": [[1, 1]]}, "same", r"\[1, 1\] is one tracklet"),
        ({"same": [[1, -1]]}, "same", "tracklet -1 is not"),
        ({"continue": [7]}, "continue", "tracklet 7 is not"),
        ({"continue": 1}, "continue", "is not a list of tracklets"),
        ({"come": ["2"]}, "come", '"2" is not the number of a tracklet'),
        ({"tracklets": 0}, "tracklets", "0 is not a whole number"),
        ({"name": 5}, "name", "5 is not a text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, change, column, told):
    with pytest.raises(InputError, match=told) as raised:
        read(tmp_path, THREE, {**THREE, **change}, lines=True)
    assert raised.value.line == 2
    assert raised.value.column == column


@pytest.mark.parametrize("key", ["tracklets", "alive", "links"])
def test_a_missing_key_is_named(tmp_path, key):
    with pytest.raises(InputError, match="missing") as raised:
        read(tmp_path, {name: value for name, value in THREE.items() if name != key})
    assert raised.value.column == key


def test_answers_name_tracklets_and_none(tmp_path):
    (problem,) = read(tmp_path, {**THREE, "same": [], "come": [], "continue": []})
    bounds = decide(problem)
    chains = [chain_at(problem, bounds, 1, 5, Deadline(None))]
    assert link_answers(problem, bounds, chains) == {
        "name": "three",
        "contradicted": False,
        "next": {"0": ["2", "none"], "1": ["2", "none"], "2": ["none"]},
        "previous": {"0": ["none"], "1": ["none"], "2": ["0", "1", "none"]},
        "chain": [{"tracklet": 1, "time": 5, "candidates": ["2", "none"]}],
    }


def test_a_contradiction_is_an_answer(tmp_path):
    (problem,) = read(tmp_path, {**THREE, "continue": [0, 1]})
    assert link_answers(problem, decide(problem), []) == {
        "name": "three",
        "contradicted": True,
        "contradiction": {"continue": [0, 1], "come": [], "same": []},
    }


def test_what_is_open_is_told(tmp_path):
    (problem,) = read(tmp_path, THREE)
    answers = link_answers(problem, decide(problem, Deadline(0)), [])
    assert answers["next"]["1"] == []
    assert answers["next_possible"]["1"] == ["2"]
