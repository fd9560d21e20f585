"""Problems as JSON: what is written is what is asked, and every fault has its line and key."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.files import content
from mixsafe.io.problems.problem import problem_object, read_problems
from mixsafe.model.question.problem import fingerprint
from tests.support.oracles import pairs_of

GOOD = {
    "name": "home-001",
    "users": 4,
    "horizon": 6,
    "zones": [[3, [3, 1, 2]], [1, [0, 2]]],
    "knowledge": [[0, 6], [0, 0], [0, 6]],
    "requirements": [[0, 2, 2], [3, 0, 9]],
}


def read(tmp_path, content, name="problem.json"):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_problems(path)


def members(problem):
    zones = problem.zones
    return [
        (int(time), zones.members[start:end].tolist())
        for time, start, end in zip(zones.time, zones.ptr[:-1], zones.ptr[1:], strict=True)
    ]


def test_a_problem_is_read_with_its_zones_in_order_of_time(tmp_path):
    (problem,) = read(tmp_path, GOOD)
    assert (problem.name, problem.zones.n_users, problem.zones.axis.steps) == ("home-001", 4, 6)
    assert members(problem) == [(1, [0, 2]), (3, [1, 2, 3])]
    assert problem.zone_index == (1, 0)
    assert (problem.knowledge.row.tolist(), problem.knowledge.time.tolist()) == ([0, 0], [0, 6])
    asked = problem.requirements
    assert (asked.row.tolist(), asked.time.tolist(), asked.k.tolist()) == ([0, 3], [2, 0], [2, 9])


def test_zones_of_one_step_stay_in_the_order_in_which_they_are_written(tmp_path):
    (problem,) = read(tmp_path, GOOD | {"zones": [[2, [2, 3]], [1, [0, 1]], [2, [0, 1]]]})
    assert members(problem) == [(1, [0, 1]), (2, [2, 3]), (2, [0, 1])]
    assert problem.zone_index == (1, 0, 2)


def test_users_may_have_names(tmp_path):
    named = {
        "users": ["cat", "ann", "bob"],
        "horizon": 2,
        "zones": [[1, ["bob", "cat"]]],
        "knowledge": [["ann", 0]],
        "requirements": [["cat", 1, 2]],
    }
    (problem,) = read(tmp_path, named, "names.json")
    assert problem.name == "names"
    assert problem.zones.users.tolist() == ["cat", "ann", "bob"]
    assert members(problem) == [(1, [0, 2])]
    assert problem.knowledge.row.tolist() == [1]
    assert problem.requirements.row.tolist() == [0]


def test_names_may_be_numbers(tmp_path):
    (problem,) = read(tmp_path, {"users": [30, 10], "horizon": 1, "zones": [[1, [10, 30]]]})
    assert problem.zones.users.tolist() == [30, 10]
    assert problem.zones.users.dtype == np.int64
    with pytest.raises(InputError, match="user 0 is not one of the users"):
        read(tmp_path, {"users": [30, 10], "horizon": 1, "zones": [[1, [0, 10]]]})


def test_what_is_not_said_is_not_asked_and_strange_keys_are_no_matter(tmp_path):
    bare = {"users": 2, "horizon": 1, "zones": [], "domains": 7, "minimum": None}
    (problem,) = read(tmp_path, bare)
    assert len(problem.zones) == len(problem.knowledge) == 0
    assert problem.requirements is None


def test_lines_and_lists_hold_many_problems(tmp_path):
    nameless = {key: value for key, value in GOOD.items() if key != "name"}
    lines = f"{json.dumps(GOOD)}\n\n{json.dumps(nameless)}\r\n"
    assert [problem.name for problem in read(tmp_path, lines, "p.jsonl")] == ["home-001", "p-1"]
    listed = read(tmp_path, [GOOD, nameless], "q.json")
    assert [problem.name for problem in listed] == ["home-001", "q-1"]
    assert [problem.name for problem in read(tmp_path, json.dumps(GOOD), "r.jsonl")] == ["home-001"]


def test_a_byte_order_mark_is_no_matter(tmp_path):
    assert len(read(tmp_path, "\ufeff" + json.dumps(GOOD))) == 1


def test_zones_may_allow_some_pairs_only(tmp_path):
    """Zones are sorted by time; a member may be paired with itself."""
    zones = [[4, [2, 0, 1], [[2, 0], [1, 1], [0, 1]]], [3, [1, 3]], [1, [0, 3], []]]
    (problem,) = read(tmp_path, GOOD | {"zones": zones})
    assert pairs_of(problem.zones) == [set(), None, {(2, 0), (0, 1)}]
    (again,) = read(tmp_path, json.dumps(problem_object(problem)))
    assert pairs_of(again.zones) == pairs_of(problem.zones)


def test_problems_that_differ_in_pairs_have_different_fingerprints(tmp_path):
    asked = [GOOD | {"zones": [[1, [0, 1], pairs]]} for pairs in ([[0, 1]], [[1, 0]])]
    asked.append(GOOD | {"zones": [[1, [0, 1]]]})
    (one,), (other,), (free,) = (read(tmp_path, problem) for problem in asked)
    assert len({fingerprint(problem) for problem in (one, other, free)}) == 3


BAD = {
    "no object": (7, None, "a problem must be an object"),
    "no users": ({"horizon": 1, "zones": []}, "users", "missing"),
    "no horizon": ({"users": 1, "zones": []}, "horizon", "missing"),
    "no zones": ({"users": 1, "horizon": 1}, "zones", "missing"),
    "zero users": (GOOD | {"users": 0}, "users", "0 is not a whole number from 1"),
    "more users than memory": (GOOD | {"users": 10**9}, "users", "1000000000 is not a whole"),
    "a fraction of users": (GOOD | {"users": 2.0}, "users", "2.0 is not a whole number"),
    "true users": (GOOD | {"users": True}, "users", "true is not a whole number"),
    "an empty list of users": (GOOD | {"users": []}, "users", "one or more names"),
    "names of two kinds": (GOOD | {"users": [1, "a"]}, "users", "must be one or more names"),
    "a user listed twice": (GOOD | {"users": ["a", "a"]}, "users", "user a is listed twice"),
    "horizon 0": (GOOD | {"horizon": 0}, "horizon", "0 is not a whole number from 1"),
    "a name that is none": (GOOD | {"name": [1]}, "name", "not a text"),
    "zones that are none": (GOOD | {"zones": {}}, "zones", "not a list of [time, users]"),
    "a zone without time": (GOOD | {"zones": [[[0, 1]]]}, "zones", "entry 0 is [[0, 1]]"),
    "a zone of a number": (GOOD | {"zones": [[1, 2]]}, "zones", "2 is not a list of users"),
    "a time that is a text": (GOOD | {"zones": [["1", [0, 1]]]}, "zones", 'time "1" is not'),
    "a zone at time 0": (GOOD | {"zones": [[0, [0, 1]]]}, "zones", "time 0 is outside 1 to 6"),
    "a zone too late": (GOOD | {"zones": [[7, [0, 1]]]}, "zones", "time 7 is outside 1 to 6"),
    "a zone of one": (GOOD | {"zones": [[1, [0, 1]], [2, [3]]]}, "zones", "zone 1, at time 2, has"),
    "a user twice in a zone": (GOOD | {"zones": [[1, [2, 2]]]}, "zones", "user 2 is in two places"),
    "overlapping zones": (
        GOOD | {"zones": [[5, [2, 1]], [4, [2, 0]], [5, [0, 2]]]},
        "zones",
        "user 2 is in two places (or twice in one zone) at time 5",
    ),
    "pairs that are none": (
        GOOD | {"zones": [[1, [0, 1], 7]]},
        "zones",
        "7 is not a list of pairs",
    ),
    "a pair of one": (GOOD | {"zones": [[1, [0, 1], [[0]]]]}, "zones", "zone 0 allows [0], not a"),
    "a pair with a stranger": (
        GOOD | {"zones": [[2, [2, 3]], [1, [0, 1], [[0, 2]]]]},
        "zones",
        "zone 1 allows a pair with user 2, who is no member",
    ),
    "a pair of nobody": (GOOD | {"zones": [[1, [0, 1], [[0, 9]]]]}, "zones", "user 9 is not one"),
    "a pair listed twice": (
        GOOD | {"zones": [[1, [0, 1], [[1, 0], [0, 1], [1, 0]]]]},
        "zones",
        "zone 0 allows the pair [1, 0] twice",
    ),
    "a zone of four parts": (
        GOOD | {"zones": [[1, [0, 1], [], []]]},
        "zones",
        "entry 0 is [1, [0,",
    ),
    "an unknown user": (GOOD | {"zones": [[1, [0, 4]]]}, "zones", "user 4 is not one of the users"),
    "a negative user": (GOOD | {"zones": [[1, [0, -1]]]}, "zones", "user -1 is not one"),
    "a user that is null": (GOOD | {"zones": [[1, [0, None]]]}, "zones", "user null is not one"),
    "a user that is a list": (GOOD | {"zones": [[1, [0, [1]]]]}, "zones", "user [1] is not one"),
    "a user that is true": (GOOD | {"zones": [[1, [0, True]]]}, "zones", "user true is not one"),
    "knowledge of nobody": (GOOD | {"knowledge": [[9, 0]]}, "knowledge", "user 9 is not one"),
    "knowledge too late": (GOOD | {"knowledge": [[0, 7]]}, "knowledge", "time 7 is outside 0 to 6"),
    "knowledge before all": (GOOD | {"knowledge": [[0, -1]]}, "knowledge", "time -1 is outside"),
    "knowledge without time": (GOOD | {"knowledge": [[0]]}, "knowledge", "entry 0 is [0], not"),
    "knowledge that is none": (GOOD | {"knowledge": None}, "knowledge", "null is not a list"),
    "k = 0": (GOOD | {"requirements": [[0, 1, 0]]}, "requirements", "k = 0 is not from 2"),
    "k of one": (GOOD | {"requirements": [[0, 1, 1]]}, "requirements", "k = 1 is not from 2"),
    "k that is NaN": (GOOD | {"requirements": [[0, 1, float("nan")]]}, "requirements", "k NaN"),
    "a demand of nobody": (GOOD | {"requirements": [[4, 1, 1]]}, "requirements", "user 4 is not"),
    "a key that is nearly one": (
        {"knowlegde" if key == "knowledge" else key: part for key, part in GOOD.items()},
        "knowlegde",
        "unknown key; did you mean 'knowledge'?",
    ),
    "a key that nobody knows": (GOOD | {"sightings": []}, "sightings", "unknown key"),
    "a reading that is no truth value": (GOOD | {"distinct": 1}, "distinct", "1 is neither true"),
    "a demand too late": (
        GOOD | {"requirements": [[0, 7, 1]]},
        "requirements",
        "time 7 is outside",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_named_with_its_key_and_in_lines_with_its_line(name, tmp_path):
    content, key, says = BAD[name]
    with pytest.raises(InputError, match=re.escape(says)) as caught:
        read(tmp_path, content)
    assert (caught.value.line, caught.value.column) == (None, key)
    lines = f"{json.dumps(GOOD)}\n\n{json.dumps(content)}\n"
    with pytest.raises(InputError, match=re.escape(says)) as caught:
        read(tmp_path, lines, "problems.jsonl")
    assert (caught.value.line, caught.value.column) == (3, key)
    assert "\n" not in str(caught.value)


def test_an_answer_beside_its_problem_is_not_read(tmp_path):
    (problem,) = read(tmp_path, GOOD | {"minimum": 2, "domains": [], "comment": "by brute force"})
    assert problem.name == "home-001"


@pytest.mark.parametrize("distinct", [True, False, None])
def test_a_problem_says_whether_different_people_are_different(tmp_path, distinct):
    (problem,) = read(tmp_path, GOOD if distinct is None else GOOD | {"distinct": distinct})
    assert problem.knowledge.distinct == bool(distinct)
    (again,) = read(tmp_path, problem_object(problem))
    assert again.knowledge.distinct == bool(distinct)
    assert fingerprint(again) == fingerprint(problem)
    other = replace(problem, knowledge=replace(problem.knowledge, distinct=not distinct))
    assert fingerprint(other) != fingerprint(problem)


MALFORMED = {
    "cut off": ('{"users": 2,\n"horizon": 3,\n"zones": [[1, [0', 3),
    "no JSON": ("{users: 4}", 1),
    "something after it": (json.dumps(GOOD) + " and more", 1),
    "a bad third line": (f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}\n{{]\n", 3),
    "brackets without end": ("[" * 100_000, None),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_json_is_named_with_its_line(name, tmp_path):
    content, line = MALFORMED[name]
    with pytest.raises(InputError, match=r"not JSON|nested") as caught:
        read(tmp_path, content)
    if line is not None:
        assert caught.value.line == line


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path):
    path = tmp_path / "problem.json"
    path.write_bytes(b'{"users": 2,\n"name": "\xff"}')
    with pytest.raises(InputError, match="UTF-8") as caught:
        read_problems(path)
    assert caught.value.line == 2


def test_a_million_users_in_one_zone_are_read_like_others(tmp_path):
    n_users = 1_000_000
    crowd = {"users": n_users, "horizon": 1, "zones": [[1, list(range(n_users))]]}
    (problem,) = read(tmp_path, crowd)
    assert problem.zones.sizes.tolist() == [n_users]


def test_places_name_the_zones_in_the_order_of_the_file_and_cost_what_is_written(tmp_path):
    named = GOOD | {"places": ["Q", "P"], "costs": {"P": 3, "Q": 0}}
    (problem,) = read(tmp_path, named)
    assert (problem.places.names, problem.places.of.tolist()) == (("Q", "P"), [1, 0])
    assert problem.places.cost.tolist() == [0, 3]
    assert problem_object(problem)["places"] == ["P", "Q"]
    (again,) = read(tmp_path, problem_object(problem))
    assert again.places.cost[again.places.of].tolist() == [3, 0]
    (each_one,) = read(tmp_path, GOOD | {"places": [7, 7]})
    assert (each_one.places.names, each_one.places.cost.tolist()) == ((7,), [1])


@pytest.mark.parametrize(
    ("more", "key", "said"),
    [
        ({"places": ["P"]}, "places", "not a list with a place for each of 2 zones"),
        ({"places": "PQ"}, "places", "not a list with a place for each of 2 zones"),
        ({"places": ["P", 1]}, "places", "texts or whole numbers"),
        ({"places": [True, False]}, "places", "texts or whole numbers"),
        ({"costs": {"P": 1}}, "costs", "no places"),
        ({"places": ["P", "Q"], "costs": [1, 2]}, "costs", "not an object"),
        ({"places": ["P", "Q"], "costs": {"P": 1}}, "costs", 'place "Q" has no cost'),
        ({"places": ["P", "P"], "costs": {"P": 1, "R": 1}}, "costs", 'no zone is at place "R"'),
        ({"places": ["P", "P"], "costs": {"P": -1}}, "costs", "place P costs -1"),
        ({"places": ["P", "P"], "costs": {"P": 1.5}}, "costs", "1.5 is not a whole number"),
        ({"place": ["P", "P"]}, "place", "did you mean 'places'"),
    ],
)
def test_places_and_costs_that_do_not_fit_are_refused(tmp_path, more, key, said):
    with pytest.raises(InputError, match=f"'{key}': .*{re.escape(said)}"):
        read(tmp_path, GOOD | more)


@pytest.mark.parametrize("problems", [1, 10])
def test_a_few_bytes_do_not_make_millions_of_users(tmp_path, monkeypatch, problems):
    """Ten million took 37 s and 1.2 GB; so would ten problems of a million each."""
    monkeypatch.setattr(content, "ALWAYS", 1 << 20)
    found = GOOD | {"users": 50_000 // problems}
    with pytest.raises(InputError, match="its users take more than 50 times its size"):
        read(tmp_path, [found] * problems)


def test_users_who_are_met_may_be_many(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "ALWAYS", 0)
    zones = [[1, [user, user + 1]] for user in range(0, 10_000, 2)]
    (problem,) = read(tmp_path, {"users": 10_000, "horizon": 2, "zones": zones})
    assert problem.zones.n_users == 10_000
