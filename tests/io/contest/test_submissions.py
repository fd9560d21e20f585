"""Files of a tournament are found by their names, and two that would both do are refused."""

from pathlib import Path

import pytest

from mixsafe.errors import InputError
from mixsafe.io.contest.submissions import DataSetName, check_attackers, find_sets, find_submission

NAMES = ("data01_IDP", "data02_TRP")
IDP, TRP = (DataSetName(name, NAMES) for name in NAMES)


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).touch()


def test_names_are_those_of_the_contest() -> None:
    assert TRP.file("pubtraces", 7) == "pubtraces_team007_data02_TRP.csv"


@pytest.mark.parametrize("name", ["anotraces.csv", "anotraces_team001_data01_IDP.csv"])
def test_what_follows_the_kind_is_free(tmp_path: Path, name: str) -> None:
    touch(tmp_path, name, "anotraces_old.txt", "etable_team001-002.csv")
    assert find_submission(tmp_path, "anotraces", IDP, 1) == tmp_path / name


def test_an_attack_on_team_one_is_not_taken_for_one_on_team_eleven(tmp_path: Path) -> None:
    touch(tmp_path, "etable_team002-0011.csv", "etable_team002-001_data02_TRP.csv")
    found = find_submission(tmp_path, "etable_team002-001", TRP, 2)
    assert found == tmp_path / "etable_team002-001_data02_TRP.csv"


def test_what_is_not_there_yet_is_none_and_two_are_one_too_many(tmp_path: Path) -> None:
    assert find_submission(tmp_path, "anotraces", IDP, 1) is None
    touch(tmp_path, "anotraces.csv", "anotraces_new.csv")
    with pytest.raises(
        InputError, match=r"anotraces\.csv and anotraces_new\.csv are both submitted"
    ):
        find_submission(tmp_path, "anotraces", IDP, 1)
    with pytest.raises(InputError, match="the folder does not exist"):
        find_submission(tmp_path / "nowhere", "anotraces", IDP, 1)


def test_sets_are_paired_by_the_number_of_their_team(tmp_path: Path) -> None:
    names = [TRP.file(kind, team) for team in (2, 10, 1) for kind in ("orgtraces", "reftraces")]
    touch(tmp_path, *names, "orgtraces_teamX.csv")
    numbers = [[path.name for path in pair] for pair in find_sets(tmp_path, TRP)]
    expected = [[TRP.file(kind, n) for kind in ("orgtraces", "reftraces")] for n in (1, 2, 10)]
    assert numbers == expected


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["orgtraces_team001.csv"], "reftraces of team 001 are missing"),
        (["orgtraces_team001.csv", "reftraces_team001.csv", "reftraces_team002.csv"], "orgtraces"),
        (["orgtraces_team001_a.csv", "orgtraces_team1_b.csv"], "are of the same team"),
    ],
)
def test_incomplete_sets_are_refused(tmp_path: Path, names: list[str], message: str) -> None:
    touch(tmp_path, *names)
    with pytest.raises(InputError, match=message):
        find_sets(tmp_path, TRP)


def test_files_of_another_challenge_do_not_count_and_those_of_none_count_for_all(
    tmp_path: Path,
) -> None:
    touch(tmp_path, IDP.file("anotraces", 1), "etable_team001-002.csv")
    assert find_submission(tmp_path, "anotraces", TRP, 1) is None
    for challenge in (IDP, TRP):
        assert find_submission(tmp_path, "etable_team001-002", challenge, 1) is not None
    touch(tmp_path, IDP.file("orgtraces", 1), IDP.file("reftraces", 1))
    assert (len(find_sets(tmp_path, IDP)), len(find_sets(tmp_path, TRP))) == (1, 0)


@pytest.mark.parametrize("name", ["etable_team003-001.csv", "etraces_team003-001_data01_IDP.csv"])
def test_answers_named_for_another_team_are_refused(tmp_path: Path, name: str) -> None:
    """Protects a team's attacks: a misnamed file would otherwise count for nobody, unsaid."""
    touch(tmp_path, name, "etable_team002-001.csv")
    with pytest.raises(InputError, match="this is of team 003, not of team 002"):
        check_attackers(tmp_path, IDP, 2)
    check_attackers(tmp_path / "elsewhere", IDP, 2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("anotraces_team002_data01_IDP.csv", "the file is of team 002, not of team 001"),
        ("anotraces_team001_data02_IDP.csv", "unknown data set 'data02_IDP'"),
        ("anotraces_team001_data1.csv", "unknown data set 'data1'"),
    ],
)
def test_names_of_another_team_or_of_no_data_set_are_refused(
    tmp_path: Path, name: str, message: str
) -> None:
    touch(tmp_path, name)
    with pytest.raises(InputError, match=message):
        find_submission(tmp_path, "anotraces", IDP, 1)
