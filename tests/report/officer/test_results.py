"""Files that are no results for the officer's page are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixsafe.errors import InputError
from mixsafe.report.officer.kinds import KINDS
from mixsafe.report.officer.results import read_results
from tests.support.officer_results import ALL, CONTEST, VERIFY, written
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
