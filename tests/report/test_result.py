"""Results on disk: told by their content, and refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mixsafe.documents.document import Document
from mixsafe.errors import InputError
from mixsafe.report.page import moment, share
from mixsafe.report.result import page_of, read_result
from tests.support.results import (
    CHALLENGE,
    DRAW,
    TEAM,
    TOURNAMENT,
    VERIFIED,
    assumed,
    checked,
    held,
    scored,
    write,
)

SOLVED = Document("p", "Optimal", "safe", "2 mix zones are enough, and no fewer.", "").to_dict()
MINIMUM = {"schema": "optimize 1", "status": "optimal", "document": SOLVED}


@pytest.mark.parametrize(
    ("content", "kind", "sentence"),
    [
        (MINIMUM, "document", "2 mix zones are enough, and no fewer."),
        (VERIFIED, "document", "1 of 2 people never has 3 candidate pseudonyms (ann)."),
        (assumed(), "document", "25.0% of the people unprotected (95% interval 20.0% to 30.0%)"),
        (assumed(draws=[DRAW]), "document", "(in a single draw)"),
        (checked(), "document", "206 verdicts were replayed. By the rule"),
        (checked(unsafe_claimed=5), "document", "; 5 are only claimed"),
        (
            checked(unsafe_claimed=5, users_claimed=["<i>ann", "bob"]),
            "document",
            "2 undecided users fail by claims without proof.",
        ),
        (f"{json.dumps(checked())}\n{json.dumps(checked())}\n", "documents", "2 checked."),
        (
            held(),
            "document",
            "Most private: &lt;b&gt;us&lt;/b&gt; in TRP (30.0% of the places found).",
        ),
        (
            scored(),
            "document",
            "In the most private release the best attack names the owner of 40.0% of the pseudonyms"
            " (guessing: 10.0%).",
        ),
        (
            f"{json.dumps(VERIFIED)}\n{json.dumps(VERIFIED)}\n",
            "documents",
            "2 invalid.",
        ),
        (f"{json.dumps(MINIMUM)}\n{json.dumps(MINIMUM)}\n", "documents", "2 optimal."),
    ],
)
def test_each_result_has_its_page(
    tmp_path: Path, content: object, kind: str, sentence: str
) -> None:
    result = read_result(write(tmp_path, content))
    assert result.kind == kind
    page = page_of(result)
    assert sentence in page
    assert page == page_of(result)
    assert "<i>p</i>" not in page
    assert "<b>us</b>" not in page


@pytest.mark.parametrize(
    "commands", [["mixsafe one", "mixsafe one"], ["mixsafe one", "mixsafe two"]]
)
def test_several_answers_of_one_run_name_its_command(tmp_path: Path, commands: list[str]) -> None:
    """Answers of different runs may be put into one file by hand: no command made them all."""
    made = {"versions": {}, "inputs": [], "parameters": {}, "seed": None}
    lines = [json.dumps(MINIMUM | {"provenance": made | {"command": line}}) for line in commands]
    page = page_of(read_result(write(tmp_path, "\n".join(lines))))
    assert ("mixsafe one" in page) == (len(set(commands)) == 1)
    assert "mixsafe two" not in page


def test_the_strongest_attack_counts_for_a_release(tmp_path: Path) -> None:
    page = page_of(read_result(write(tmp_path, scored())))
    assert '<td class="number" data-order="0.6">0.600</td><td>I3</td>' in page


def test_a_contest_begins_with_what_an_attacker_finds_and_not_with_names_of_scores(
    tmp_path: Path,
) -> None:
    page = page_of(read_result(write(tmp_path, scored())))
    body = page[page.index("<body") :]
    assert 0 < body.index("the owner of 40.0% of the pseudonyms") < body.index("s_U")


def test_the_page_of_a_tournament_has_the_sums_that_attackers_are_ranked_by(tmp_path: Path) -> None:
    team = {**TEAM, "s_R_sum": 2.125, "s_T_sum": 3.5}
    found = held({"challenges": [{**CHALLENGE, "teams": [team]}]})
    page = page_of(read_result(write(tmp_path, found)))
    assert '<td class="number" data-order="2.125">2.125</td>' in page
    assert '<td class="number" data-order="3.5">3.500</td>' in page


@pytest.mark.parametrize("name", ["run.json", "tournament.json"])
def test_a_folder_of_the_contest_is_a_result(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, scored() if name == "run.json" else held(), name)
    assert read_result(tmp_path).path == path


def test_a_digest_makes_the_same_page_every_time(
    tmp_path: Path, town_document: Document, town_page: str
) -> None:
    content = {"schema": "verify 1", "document": town_document.to_dict()}
    result = read_result(write(tmp_path, content))
    assert page_of(result) == town_page


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "line 1: this is no JSON"),
        ('{"name": "x"}', "no result of mixsafe; give the JSON that "),
        ("[1, 2]", "no result of mixsafe"),
        (f"{json.dumps(MINIMUM)}\n{json.dumps(TOURNAMENT)}\n", "no result of mixsafe"),
        (f"{json.dumps(MINIMUM)}\n{{nope\n", "line 2: this is no JSON"),
        ("user_id,time_id\n1,2\n", "no result of mixsafe"),
        ({**VERIFIED, "document": {"kind": "privacy", "format": 4}}, "is damaged"),
        ({"schema": "verify 1", "report": {"kind": "privacy", "format": 3}}, "make it anew"),
        ({**MINIMUM, "document": {**SOLVED, "tone": "splendid"}}, "is damaged"),
        ({**VERIFIED, "document": 3}, "is damaged"),
        ("", "empty"),
    ],
)
def test_what_is_no_result_is_refused_by_name(
    tmp_path: Path, content: object, complaint: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        page_of(read_result(path))
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_folder_without_a_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no run\.json or tournament\.json"):
        read_result(tmp_path)


def test_the_folder_of_an_earlier_run_is_to_be_made_anew(tmp_path: Path) -> None:
    write(tmp_path, "anonymiser,pseudonymization,valid\n", "scores.csv")
    with pytest.raises(InputError, match=r"earlier version: it has no run\.json; make it anew"):
        read_result(tmp_path)


def test_numbers_are_written_so_that_they_do_not_mislead() -> None:
    assert [share(part) for part in (0, 0.0004, 0.25, 0.9996, 1)] == [
        "0%", "under 0.1%", "25.0%", "over 99.9%", "100%",
    ]  # fmt: skip
    assert moment("2026-01-01T08:00:00+01:00") == "2026-01-01 08:00"
    assert moment("2026-01-01T08:00:30+01:00") == "2026-01-01 08:00:30"
    assert moment(17) == "17"


def test_a_number_that_no_machine_holds_is_a_damaged_result(tmp_path: Path) -> None:
    """JSON has integers of any size."""
    document = assumed()["document"]
    (guess,) = (fact for fact in document["facts"] if fact["unit"] == "share")
    guess["value"] = 10**400
    result = read_result(write(tmp_path, assumed() | {"document": document}))
    with pytest.raises(InputError, match="this document result is damaged"):
        page_of(result)


@pytest.mark.parametrize(
    "command", ["verify", "audit", "weigh", "optimize", "breaking", "compare", "links", "check"]
)
def test_a_result_of_an_earlier_version_is_to_be_made_anew(tmp_path: Path, command: str) -> None:
    """Answers of these commands had no document; the officer's page says so, too."""
    path = write(tmp_path, {"schema": f"{command} 1", "weights": {}, "verdict": "unsafe"})
    said = f"this result of '{command}' is of an earlier version: it has no document; make it anew"
    with pytest.raises(InputError, match=said):
        read_result(path)
