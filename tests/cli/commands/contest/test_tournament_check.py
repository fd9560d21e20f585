"""``mixsafe contest tournament check``: a judge who changed anything at all is found out."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe.from_files.tournaments.commitment import COMMITMENT, JUDGE, read_secret
from mixsafe_cli.app import app

SIZE = ("--users", 6, "--days", 1, "--workers", 1, "--quiet")
ONE = (*SIZE, "--challenge", "TRP")

TEAMS = """
[[team]]
name = "Paper"
folder = "paper"

[[team]]
name = "Code"
anonymise = "A4-7-1"
identify = "I3"
infer = "T3"
"""

RELEASE = "public/pubtraces_team002_data02_TRP.csv"


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def tournament(*arguments: object) -> None:
    found = run("contest", "tournament", *arguments)
    assert found.exit_code == 0, found.stderr


def check(place: Path, *arguments: object) -> Any:
    teams = place / "teams.toml"
    given = () if "--quiet" in arguments else ("--workers", 1)
    return run("contest", "tournament", "check", place / "out", teams, *given, *arguments)


@pytest.fixture(scope="module")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of a team of files and a team of code, held in three calls."""
    place = tmp_path_factory.mktemp("fair")
    (place / "teams.toml").write_text(TEAMS)
    paper, out = place / "paper", place / "out"
    paper.mkdir()
    tournament(place / "teams.toml", "-o", out, *ONE)
    own = out / "distributed" / "team001" / "orgtraces_team001_data02_TRP.csv"
    handed_in = paper / "anotraces_team001_data02_TRP.csv"
    assert run("contest", "anonymize", "A1", own, "-o", handed_in, "-q").exit_code == 0
    tournament(place / "teams.toml", "-o", out, *ONE)
    known = out / "public" / "reftraces_team002_data02_TRP.csv", out / RELEASE
    answer = paper / "etable_team001-002.csv"
    assert run("contest", "attack", "I3", *known, "-o", answer, "-q").exit_code == 0
    tournament(place / "teams.toml", "-o", out, *ONE)
    return place


@pytest.fixture
def place(fair: Path, tmp_path: Path) -> Path:
    """A copy of it, in another place."""
    return Path(shutil.copytree(fair, tmp_path / "place"))


def refused(found: Any, *parts: str) -> None:
    """One line of standard error, with these parts, and the status of bad input."""
    assert found.exit_code == 2, found.stdout
    assert len(found.stderr.splitlines()) == 1, found.stderr
    for part in parts:
        assert part in found.stderr


def test_a_fair_judge_passes_wherever_the_folder_lies(place: Path) -> None:
    found = check(place)
    assert found.exit_code == 0, found.stderr
    committed = hashlib.sha256((place / "out" / JUDGE).read_bytes()).hexdigest()
    assert found.stdout.startswith("CHECKED  The judge did what the commitment says.")
    assert committed in found.stdout
    assert "the folder: compare it with what you got at first" in found.stdout


def test_the_published_hash_is_that_of_the_file_as_other_tools_find_it(place: Path) -> None:
    """Whoever trusts no line of mixsafe checks it with ``sha256sum -c``."""
    digest, name = (place / "out" / COMMITMENT).read_text().split()
    assert name == Path(JUDGE).name
    assert digest == hashlib.sha256((place / "out" / JUDGE).read_bytes()).hexdigest()


def test_the_commitment_is_the_same_from_the_first_call_on(place: Path) -> None:
    before = (place / "out" / COMMITMENT).read_bytes(), (place / "out" / JUDGE).read_bytes()
    tournament(place / "teams.toml", "-o", place / "out", *ONE)
    assert before == (
        (place / "out" / COMMITMENT).read_bytes(),
        (place / "out" / JUDGE).read_bytes(),
    )


def test_a_seed_that_somebody_guesses_is_not_found_by_its_hash(tmp_path: Path) -> None:
    """Two judges with one seed commit to different hashes: each has a salt of 256 bits."""
    (tmp_path / "teams.toml").write_text(
        '[[team]]\nname = "a"\ninfer = "T1"\n' * 1 + '[[team]]\nname = "b"\ninfer = "T1"\n'
    )
    salts = set()
    for name in ("one", "two"):
        tournament(tmp_path / "teams.toml", "-o", tmp_path / name, "--seed", 1, *ONE)
        kept = read_secret(tmp_path / name / JUDGE)
        assert kept.seed == 1
        assert len(bytes.fromhex(kept.salt)) == 32
        salts.add(kept.salt)
        for told in (tmp_path / name).rglob("*"):
            if told.is_file() and told != tmp_path / name / JUDGE:
                assert kept.salt.encode() not in told.read_bytes()
    assert len(salts) == 2


def change(path: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    """Edit JSON as it was written."""
    found = json.loads(path.read_text())
    edit(found)
    path.write_text(json.dumps(found, indent=2) + "\n")


def recommit(out: Path) -> None:
    """What a judge who lies does to the public hash."""
    digest = hashlib.sha256((out / JUDGE).read_bytes()).hexdigest()
    (out / COMMITMENT).write_text(f"{digest}  judge.json\n")


EDITS: dict[str, Callable[[dict[str, Any]], None]] = {
    "seed": lambda found: found.update(seed=found["seed"] + 1),
    "salt": lambda found: found.update(salt="0" * 64),
    "required": lambda found: found["settings"].update(required=0.99),
    "team": lambda found: found["settings"]["teams"]["TRP"].reverse(),
    "towns": lambda found: found["settings"]["towns"].update(users=7),
    "pseudonymization": lambda found: found["settings"].update(pseudonymization="mixzone"),
    "challenge": lambda found: found["settings"].update(challenge="both"),
    "steps": lambda found: found["settings"].update(steps_per_day=10),
}


@pytest.mark.parametrize("edit", EDITS)
def test_nothing_that_was_committed_to_can_be_changed(place: Path, edit: str) -> None:
    change(place / "out" / JUDGE, EDITS[edit])
    refused(check(place), "judge.json", "the judge committed to")


@pytest.mark.parametrize("edit", EDITS)
def test_who_keeps_the_hash_notices_that_another_was_put_in_its_place(
    place: Path, edit: str
) -> None:
    kept = place / "kept.sha256"
    shutil.copy(place / "out" / COMMITMENT, kept)
    digest = kept.read_text().split()[0]
    change(place / "out" / JUDGE, EDITS[edit])
    recommit(place / "out")
    for own in (kept, digest, digest.upper()):
        refused(check(place, "--commitment", own), "judge.json.sha256", f"--commitment {digest}")


@pytest.mark.parametrize("edit", [edit for edit in EDITS if edit != "salt"])
def test_even_with_another_hash_the_replay_shows_what_was_changed(place: Path, edit: str) -> None:
    """But for the salt, which decides nothing."""
    change(place / "out" / JUDGE, EDITS[edit])
    recommit(place / "out")
    assert check(place).exit_code == 2


def test_the_own_hash_makes_the_answer_say_so(place: Path) -> None:
    digest = (place / "out" / COMMITMENT).read_text().split()[0]
    found = check(place, "--commitment", digest)
    assert found.exit_code == 0, found.stderr
    assert "Given by    you" in found.stdout


def written_again(path: Path, *, line: int) -> None:
    """Change a number of a line, counted from 1."""
    lines = path.read_text().splitlines()
    fields = lines[line - 1].split(",")
    place = max(number for number, field in enumerate(fields) if field[-1:].isdigit())
    fields[place] = fields[place][:-1] + str((int(fields[place][-1]) + 1) % 10)
    lines[line - 1] = ",".join(fields)
    path.write_text("\n".join(lines) + "\n")


FILES = (
    "attacks.csv",
    "distributed/samples/orgtraces_team004_data02_TRP.csv",
    "distributed/team001/orgtraces_team001_data02_TRP.csv",
    "distributed/team001/reftraces_team001_data02_TRP.csv",
    RELEASE,
    "public/reftraces_team001_data02_TRP.csv",
    "secret/ptable_team001_data02_TRP.csv",
    "teams.csv",
)


@pytest.mark.parametrize("name", FILES)
def test_no_line_of_a_file_can_be_changed(place: Path, name: str) -> None:
    written_again(place / "out" / name, line=3)
    refused(check(place), f"{Path(name).name}, line 3", "where the replay has")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_or_shorter_is_named(place: Path, name: str) -> None:
    path = place / "out" / name
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1]) + "\n")
    refused(check(place), f"{path.name}, line {len(lines)}", "nothing where the replay has")
    path.unlink()
    refused(check(place), path.name)


def test_a_release_that_the_judge_made_up_is_named(place: Path) -> None:
    path = place / "out" / "public" / "pubtraces_team007_data02_TRP.csv"
    shutil.copy(place / "out" / RELEASE, path)
    refused(check(place), path.name, "the replay makes no such file")


STANDINGS: dict[str, Callable[[dict[str, Any]], None]] = {
    "challenges.0.teams.1.rank": lambda it: it["challenges"][0]["teams"][1].update(rank=7),
    "challenges.0.awards.anonymization.teams": lambda it: it["challenges"][0]["awards"][
        "anonymization"
    ].update(teams=["Paper", "x"]),
    "challenges.0.attacks": lambda it: it["challenges"][0]["attacks"].pop(),
    "document.sentence": lambda it: it["document"].update(sentence="Paper wins."),
}


@pytest.mark.parametrize("place_of", STANDINGS)
def test_nothing_of_the_standings_can_be_changed(place: Path, place_of: str) -> None:
    change(place / "out" / "tournament.json", STANDINGS[place_of])
    refused(check(place), "tournament.json", f"{place_of} is not that of the replay")


def test_another_submission_than_the_one_that_was_judged_is_noticed(place: Path) -> None:
    """A release of the team's own file: whoever replays with it sees another one."""
    handed_in = place / "paper" / "anotraces_team001_data02_TRP.csv"
    written_again(handed_in, line=4)
    refused(check(place), "pubtraces_team001_data02_TRP.csv, line", "where the replay has")


def test_another_answer_of_an_attacker_is_noticed(place: Path) -> None:
    answer = place / "paper" / "etable_team001-002.csv"
    table = json.loads((place / "out" / "tournament.json").read_text())["challenges"][0]
    (told,) = (
        one for one in table["attacks"] if (one["attacker"], one["victim"]) == ("Paper", "Code")
    )
    if told["score"]["value"] > 0:  # somebody was not found: the truth finds all
        shutil.copy(place / "out" / "secret" / "ptable_team002_data02_TRP.csv", answer)
    else:  # reversed, nobody of an even number is found
        users = answer.read_text().splitlines()
        answer.write_text("\n".join([users[0], *reversed(users[1:])]) + "\n")
    found = check(place)
    refused(found, "attacks.csv, line", "where the replay has")


def test_other_teams_than_those_that_were_committed_to_are_refused(place: Path) -> None:
    text = TEAMS.replace('"Code"', '"Others"')
    (place / "teams.toml").write_text(text)
    refused(check(place), "the judge committed to other teams.TRP.1")


def test_the_judge_notices_a_commitment_that_is_not_the_own_one(place: Path) -> None:
    (place / "out" / COMMITMENT).write_text(f"{'0' * 64}  judge.json\n")
    found = run("contest", "tournament", place / "teams.toml", "-o", place / "out", *ONE)
    refused(found, "judge.json", "the judge committed to 000")


def test_a_tournament_of_data_sets_is_bound_to_their_content(fair: Path, tmp_path: Path) -> None:
    data, teams = tmp_path / "data", tmp_path / "teams.toml"
    data.mkdir()
    for path in (fair / "out" / "distributed").rglob("*.csv"):
        shutil.copy(path, data)
    teams.write_text(TEAMS.replace('folder = "paper"', 'anonymise = "A1"'))
    first, *others = sorted(data.glob("orgtraces*"))
    for number, path in enumerate(others, 2):  # without a gap
        for kind in ("orgtraces", "reftraces"):
            source = path.with_name(path.name.replace("orgtraces", kind))
            source.rename(data / f"{kind}_team{number:03d}_data02_TRP.csv")
    how = (teams, "--data", data, "-o", tmp_path / "out", "--workers", 1, "-q")
    tournament(*how, "--challenge", "TRP")
    refused(check(tmp_path), "the tournament had data sets; give their folder with --data")
    moved = data.rename(tmp_path / "elsewhere")
    assert check(tmp_path, "--data", moved).exit_code == 0
    written_again(moved / first.name, line=5)
    refused(check(tmp_path, "--data", moved), f"committed to other data.{first.name}")


@pytest.mark.parametrize(
    "content",
    ["", "[]", "7", "{}", '{"seed": 1, "salt": "00", "settings": {}}', "\xff", '{"seed": 1}'],
)
def test_what_is_no_secret_of_a_judge_is_refused_in_one_line(place: Path, content: str) -> None:
    (place / "out" / JUDGE).write_bytes(content.encode("latin-1"))
    recommit(place / "out")
    refused(check(place), "this is not what the judge keeps")


@pytest.mark.parametrize(
    "edit",
    [
        lambda told: told.update(challenge=7),
        lambda told: told.update(towns={"users": "6", "days": 1}),
        lambda told: told.update(towns=[1]),
        lambda told: told.update(steps_per_day=None),
        lambda told: told.pop("required"),
    ],
)
def test_settings_that_nobody_can_have_had_are_refused_in_one_line(place: Path, edit: Any) -> None:
    change(place / "out" / JUDGE, lambda found: edit(found["settings"]))
    recommit(place / "out")
    refused(check(place), "this is not what the judge keeps")


def test_without_the_secret_or_the_hash_there_is_nothing_to_check(place: Path) -> None:
    (place / "out" / JUDGE).unlink()
    refused(check(place), "the judge hands it out when the contest is over")
    (place / "out" / COMMITMENT).write_text("nothing\n")
    refused(check(place), "this is no SHA-256")
    refused(check(place, "--commitment", "12ab"), "this is no SHA-256")


def test_a_file_of_teams_called_check_needs_its_folder(tmp_path: Path) -> None:
    found = run("contest", "tournament", tmp_path / "check", "-o", tmp_path / "out", *ONE)
    refused(found, "cannot read")
    assert "TEAMS" in run("contest", "tournament", "--help").stdout
    assert "DIR" in run("contest", "tournament", "check", "--help").stdout
