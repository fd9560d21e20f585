"""The README's promises: its commands, its tables, its Python, and the gate that runs them."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

import mixsafe
from mixsafe_cli.app import app


def blocks(path: Path, language: str) -> list[str]:
    """Code blocks of a page."""
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def shell_lines(root: Path) -> list[str]:
    return [line for block in blocks(root / "README.md", "sh") for line in block.splitlines()]


def test_exactly_two_commands_do_all_the_set_up(shell_lines: list[str]) -> None:
    set_up = [line for line in shell_lines if not line.startswith("mixsafe ")]
    assert len(set_up) == 2
    assert all(line.startswith("python3 -m venv .venv && ") for line in set_up)
    assert set_up[0].endswith("&& .venv/bin/mixsafe verify --k 3")
    assert set_up[1].endswith("&& .venv/bin/python -m pytest -n 2 --dist loadfile")


def test_the_gate_runs_the_second_command_of_the_readme(root: Path, shell_lines: list[str]) -> None:
    gate = (root / ".ci" / "run").read_text(encoding="utf-8")
    assert subprocess.run(["bash", "-n", root / ".ci" / "run"], check=False).returncode == 0
    grep = re.search(r"\$\((grep .* README\.md)\)", gate)
    assert grep is not None
    found = subprocess.run(
        shlex.split(grep[1]), cwd=root, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines() == [
        line for line in shell_lines if line.endswith("pytest -n 2 --dist loadfile")
    ]
    for tool in ("ruff check .", "ruff format --check .", "/mypy", "/lint-imports"):
        assert tool in gate


def test_all_commands_are_in_the_table(root: Path) -> None:
    table = re.findall(r"^\| `mixsafe (\w+)", (root / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(table) == sorted(get_command(app).commands)


def test_examples_use_options_that_exist(root: Path) -> None:
    pages = (root / "README.md", root / "docs" / "index.md", root / "datasets" / "README.md")
    lines = [line for page in pages for block in blocks(page, "sh") for line in block.splitlines()]
    examples = [shlex.split(line) for line in lines if line.startswith("mixsafe ")]
    assert len(examples) > 2
    for words in examples:
        command = get_command(app)
        rest = words[1:]
        while rest and hasattr(command, "commands"):
            command = command.get_command(None, rest.pop(0))
        known = {name for parameter in command.params for name in parameter.opts}
        used = {word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert used <= known, words


def test_the_python_example_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = blocks(root / "README.md", "python")
    exec(compile(example, "README.md", "exec"), {})
    assert "Verdict.UNSAFE" in capsys.readouterr().out


def test_links_lead_somewhere(root: Path) -> None:
    for page in (
        root / "README.md",
        *(root / "docs").glob("*.md"),
        root / "datasets" / "README.md",
    ):
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if not target.startswith("https://"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_one_version_everywhere(root: Path) -> None:
    cff = (root / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {mixsafe.__version__}\n" in cff


def test_checksums_of_the_samples_are_right(root: Path) -> None:
    (listed,) = blocks(root / "datasets" / "README.md", "text")
    rows = [line.split() for line in listed.splitlines()]
    assert sorted(name for _, name in rows) == ["cabs.csv", "town.csv"]
    for checksum, name in rows:
        data = (root / "datasets" / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == checksum
