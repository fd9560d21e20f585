"""Files that are no results for the officer's page are refused in one line.

Results on one page are of the same data, by their hashes, or refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mixsafe.errors import InputError
from mixsafe.report.officer.kinds import KINDS
from mixsafe.report.officer.results import one_data_set, read_results
from tests.support.officer_results import (
    ALL,
    AUDIT,
    CHECK,
    CONTEST,
    ORIGINAL,
    PSEUDONYMIZE,
    REID,
    RELEASE,
    TRACE,
    VERIFY,
    WEIGH,
    changed,
    provenance,
    written,
)
from tests.support.results import TOURNAMENT, held, write


def test_each_kind_is_recognized(tmp_path: Path) -> None:
    found = read_results(written(tmp_path, *ALL.values()))
    assert [one.kind.name for one in found] == list(ALL)
    assert {one.kind.name for one in found} == {one.name for one in KINDS}
    assert [one.mark for one in found][:2] == ["R1", "R2"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("user_id,time_id\n1,2\n", "no result of mixsafe"),
        ("{", "no JSON"),
        ("[1]", "no result of mixsafe"),
        ("", "the file is empty"),
        ('{"schema": 3}', "no result of mixsafe"),
        ('{"schema": "links 1"}', "no place for this result of 'links'"),
        ('{"schema": "verify 1", "report": {}}', "result of 'verify' is of an earlier version"),
        (TOURNAMENT, "no result of mixsafe"),
        ('{"schema": "verify 1"}\n{"schema": "verify 1"}\n', "it holds 2 answers"),
    ],
)
def test_what_is_no_result_is_refused(content: object, words: str, tmp_path: Path) -> None:
    paths = written(tmp_path, VERIFY, content)
    with pytest.raises(InputError, match=words) as error:
        read_results(paths)
    assert "\n" not in str(error.value)


def test_a_tournament_is_about_several_data_sets(tmp_path: Path) -> None:
    path = write(tmp_path, held(), "tournament.json")
    for given in (tmp_path, path):
        with pytest.raises(InputError, match="several data sets"):
            read_results([given])


def test_a_folder_of_a_run_is_the_result_in_it(tmp_path: Path) -> None:
    path = write(tmp_path, CONTEST, "run.json")
    (found,) = read_results([tmp_path])
    assert (found.kind.name, found.path) == ("contest", path)


def test_no_results_are_refused() -> None:
    with pytest.raises(InputError, match="no results are given"):
        read_results([])


OTHER = "3c" * 32


def refused(tmp_path: Path, *results: object) -> str:
    with pytest.raises(InputError) as error:
        one_data_set(read_results(written(tmp_path, *results)))
    assert "\n" not in str(error.value)
    return str(error.value)


def accepted(tmp_path: Path, *results: object) -> tuple[str, ...]:
    return one_data_set(read_results(written(tmp_path, *results))).original.files


def with_part(**part: Any) -> dict[str, Any]:
    told = {**provenance("weigh"), "parameters": {"k": 3, **part}}
    return changed(WEIGH, "provenance", told)


def test_results_of_one_file_are_of_one_data_set_whatever_it_is_called(tmp_path: Path) -> None:
    told = provenance("weigh")
    told["inputs"][0]["name"] = "renamed.csv"
    assert accepted(tmp_path, VERIFY, changed(WEIGH, "provenance", told)) == (ORIGINAL,)


def test_results_of_two_files_are_refused_by_hash(tmp_path: Path) -> None:
    other = changed(WEIGH, "provenance", provenance("weigh", sha=OTHER))
    said = refused(tmp_path, VERIFY, other)
    assert OTHER[:12] in said
    assert ORIGINAL[:12] in said
    assert "make a page for each" in said


def test_results_of_two_parts_of_a_file_are_refused(tmp_path: Path) -> None:
    assert "--users 100" in refused(tmp_path, VERIFY, with_part(users=100))
    assert "--days 1" in refused(tmp_path, with_part(days=1), with_part(days=2))
    assert accepted(tmp_path, with_part(days=1), with_part(days=1)) == (ORIGINAL,)


def test_people_who_were_drawn_by_another_seed_are_others(tmp_path: Path) -> None:
    other = with_part(users=100)
    other["provenance"]["seed"] = 5
    assert "--seed 5" in refused(tmp_path, with_part(users=100), other)


def test_lists_of_users_are_compared_by_hash(tmp_path: Path) -> None:
    def listed(sha: str) -> dict[str, Any]:
        found = with_part(**{"user-list": "kept.csv"})
        entry = {"what": "users", "name": "kept.csv", "bytes": 7, "sha256": sha}
        found["provenance"]["inputs"].append(entry)
        return found

    assert OTHER in refused(tmp_path, listed(ORIGINAL), listed(OTHER))
    assert accepted(tmp_path, listed(OTHER), listed(OTHER)) == (ORIGINAL,)


def test_a_release_is_of_the_data_that_it_was_made_of(tmp_path: Path) -> None:
    assert accepted(tmp_path, VERIFY, AUDIT, PSEUDONYMIZE) == (ORIGINAL,)
    assert accepted(tmp_path, REID, PSEUDONYMIZE, TRACE) == (ORIGINAL,)
    assert "pseudonymize that made the release" in refused(tmp_path, VERIFY, AUDIT)
    assert "pseudonymize that made the release" in refused(tmp_path, REID, TRACE)


def test_an_audit_alone_is_of_its_release(tmp_path: Path) -> None:
    assert accepted(tmp_path, AUDIT, REID) == (RELEASE,)


def test_releases_of_two_originals_are_refused(tmp_path: Path) -> None:
    told = {**PSEUDONYMIZE["provenance"], "inputs": provenance("", sha=OTHER)["inputs"]}
    refused(tmp_path, VERIFY, AUDIT, changed(PSEUDONYMIZE, "provenance", told))


def test_files_that_are_made_of_each_other_end(tmp_path: Path) -> None:
    told = {**PSEUDONYMIZE["provenance"], "inputs": provenance("", sha=RELEASE)["inputs"]}
    assert accepted(tmp_path, changed(PSEUDONYMIZE, "provenance", told)) == (RELEASE,)


def test_a_checked_certificate_belongs_to_the_result_that_names_it(tmp_path: Path) -> None:
    assert accepted(tmp_path, CHECK, VERIFY) == (ORIGINAL,)
    other = changed(CHECK, "certificate_sha256", OTHER)
    assert "that no other result names" in refused(tmp_path, VERIFY, other)
    assert "certificates alone" in refused(tmp_path, CHECK)
    unsealed = {key: value for key, value in VERIFY.items() if key != "certificate_sha256"}
    assert "that no other result names" in refused(tmp_path, unsealed, CHECK)


def test_a_result_that_does_not_name_its_files_is_refused(tmp_path: Path) -> None:
    old = {key: value for key, value in WEIGH.items() if key != "provenance"}
    assert "from which files it was made" in refused(tmp_path, VERIFY, old)
    without = {**provenance("contest score reid"), "inputs": []}
    said = refused(tmp_path, changed(REID, "provenance", without))
    assert "--release PUB" in said
