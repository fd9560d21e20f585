"""``--config``: what is in the file counts, what is on the line counts more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe_cli.app import app
from mixsafe_cli.configuration import with_config, with_stdout
from tests.support.results import without_times


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text('k = 3\nrule = "every"\ncolumn = ["lat=y", "lon=x"]\nper_user = true\n')
    return path


def test_options_of_the_file_come_before_those_of_the_line_which_count(config: Path) -> None:
    words = with_config(["verify", "t.csv", "--config", str(config), "--rule=some"])
    assert words == [
        "verify", "--k=3", "--column=lat=y", "--column=lon=x", "--per-user", "t.csv", "--rule=some",
    ]  # fmt: skip


def test_a_file_may_name_the_command_and_its_arguments(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('command = "contest score utility"\narguments = ["a.csv", "b.csv"]\n')
    assert with_config([f"--config={path}"]) == ["contest", "score", "utility", "a.csv", "b.csv"]


@pytest.mark.parametrize(
    ("text", "words", "complaint"),
    [
        ("k = ", [], "run.toml: this is no TOML: invalid value (at end of document)"),
        ("[k]\na = 1", [], "run.toml: 'k' is neither a text nor a number"),
        ("command = 3", [], "run.toml: 'command' is no text"),
        ("arguments = 3", [], "run.toml: 'arguments' is no list of texts"),
        ('command = "audit"', ["verify"], "run.toml: it is for 'audit', not 'verify'"),
    ],
)
def test_what_is_no_configuration_is_refused_by_name(
    tmp_path: Path, text: str, words: list[str], complaint: str
) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        with_config([*words, "--config", str(path)])
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words", "complaint"),
    [
        ('rule = "sometimes"', [], "{}: unknown rule 'sometimes'"),
        ("k = -1", [], "{}: --k -1 is not from 2"),
        ('k = "three"', [], "{}: Invalid value for '--k'"),
        ("kk = 1", [], "{}: No such option: --kk"),
        ("per-user = 2008-05-17T10:00:04Z", [], "{}: Option '--per-user' does not take a value"),
        ('rule = "every"', ["--rule", "sometimes"], "unknown rule 'sometimes'"),
        ("workers = 2", ["--k", "-1"], "--k -1 is not from 2"),
    ],
)
def test_a_message_about_what_a_file_says_names_the_file_and_no_other_does(
    tmp_path: Path, text: str, words: list[str], complaint: str
) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text)
    done = CliRunner().invoke(app, ["verify", "--config", str(path), *words])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"mixsafe: {complaint.format(path)}")


@pytest.mark.parametrize("words", [["--config"], ["--config", "none.toml"]])
def test_a_file_that_is_not_there_is_one_line(words: list[str]) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_json_without_a_file_is_standard_output_wherever_it_stands() -> None:
    assert with_stdout(["a", "--json", "--quiet"]) == ["a", "--json", "-", "--quiet"]
    assert with_stdout(["a", "--json"]) == ["a", "--json", "-"]
    assert with_stdout(["a", "--json", "-", "b"]) == ["a", "--json", "-", "b"]


TRACES = "user_id,time_id,reg_id\nann,1,5\nbob,1,5\n"


def test_a_result_says_which_command_repeats_it_and_nothing_else_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TRACES)
    words = ["verify", "t.csv", "--k", "2", "--adversary", "none", "--json", 'r "1".json']
    assert CliRunner().invoke(app, words).exit_code == 0
    result = Path('r "1".json')
    first = json.loads(result.read_text())
    assert first["command"] == words
    assert sorted(one.name for one in tmp_path.iterdir()) == ['r "1".json', "t.csv"]
    assert CliRunner().invoke(app, ["--config", str(result)]).exit_code == 0
    again = json.loads(result.read_text())
    assert without_times(again) == without_times(first)
    assert CliRunner().invoke(app, ["--config", str(result), "--k", "3"]).exit_code == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "this is no JSON"),
        ("{}", "column 'command': this result does not say which command it is from"),
        ('{"command": [3]}', "does not say which command it is from"),
        ('{"command": ["contest", "score"]}', "it is for 'contest score', not 'verify'"),
    ],
)
def test_a_file_that_is_no_result_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        with_config(["verify", "--config", str(path)])
    assert complaint in str(caught.value)


def test_pages_tell_no_folder_of_an_absolute_path(tmp_path: Path) -> None:
    source, seen, users = (tmp_path / name for name in ("t.csv", "seen.csv", "users.txt"))
    result, page = tmp_path / "r.json", tmp_path / "r.html"
    source.write_text(TRACES)
    seen.write_text("user_id,time_id\nann,1\n")
    users.write_text("ann\nbob\n")
    words = [
        "verify",
        source,
        "--k=2",
        "--adversary",
        seen,
        f"--user-list={users}",
        "--json",
        result,
    ]
    assert CliRunner().invoke(app, [*map(str, words)]).exit_code in (0, 1, 4)
    assert CliRunner().invoke(app, ["report", str(result), "-o", str(page)]).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    assert tmp_path.name not in text
    assert "--user-list=users.txt" in text


def test_a_key_of_many_parts_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """200 KB of a.a.a… took 5.5 GB: TOML keeps a key with all of its beginnings."""
    path = tmp_path / "run.toml"
    path.write_text(f"{'a.' * 100_000}a = 1\n")
    with pytest.raises(InputError, match=r"run.toml: its keys take more than 50 times its size"):
        with_config([f"--config={path}"])


def test_values_may_have_many_dots(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    files = [f"traces.{number}.csv" for number in range(2_000)]
    path.write_text(f"further = {json.dumps(files)}\n")
    assert len(with_config([f"--config={path}"])) == 2_000
