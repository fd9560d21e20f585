"""The shape of the house, where no other tool holds it."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

import mixsafe

HEAVY = ("duckdb", "numba", "numpy", "ortools", "pandas", "pyarrow", "scipy", "networkx")


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file, which many tests of this file read."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Import statements anywhere in a file."""
    return [one for one in ast.walk(parsed(path)) if isinstance(one, ast.Import | ast.ImportFrom)]


def sources(root: Path) -> list[Path]:
    """The files of both packages."""
    return [path for folder in ("mixsafe", "cli") for path in sorted((root / folder).rglob("*.py"))]


def test_nobody_inside_imports_the_front_door(root: Path) -> None:
    wrong = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in sources(root)
        for node in imports_of(path)
        if (isinstance(node, ast.Import) and any(name.name == "mixsafe" for name in node.names))
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "mixsafe"
            and [name.name for name in node.names] != ["__version__"]
        )
    ]
    assert not wrong


def modules_imported(path: Path) -> Iterator[str]:
    """Full names of what a file imports, whether they are modules or not."""
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_no_files_import_each_other_in_a_circle_not_even_for_types(root: Path) -> None:
    files = [(path, path.relative_to(root)) for path in sources(root)]
    files += [(path, Path(path.name)) for path in (root / "benchmarks").glob("*.py")]
    named = {
        ".".join(place.with_suffix("").parts).removeprefix("cli."): path for path, place in files
    }
    arrows = nx.DiGraph(
        (name, other)
        for name, path in named.items()
        for other in modules_imported(path)
        if other in named
    )
    assert arrows.number_of_edges() > 500
    assert [circle for circle in nx.strongly_connected_components(arrows) if len(circle) > 1] == []


def test_helpers_of_tests_are_in_support_and_no_test_file_imports_another(root: Path) -> None:
    folder = root / "tests"
    files = [path for path in folder.rglob("*.py") if folder / "support" not in path.parents]
    assert not [path for path in files if not re.match(r"test_\w+|conftest", path.name)]
    wrong = [
        (path.name, name)
        for path in [*folder.rglob("*.py"), *(root / "benchmarks").glob("*.py")]
        for name in modules_imported(path)
        if name.startswith("tests.") and not (name + ".").startswith("tests.support.")
    ]
    assert not wrong


def test_the_tests_that_mutants_must_make_fail_exist(root: Path) -> None:
    tests = tomllib.loads((root / "benchmarks" / "mutants.toml").read_text(encoding="utf-8"))
    assert not [path for path in tests["tests"] if not (root / path).is_file()]
    for named in {one for several in tests["tests"].values() for one in several}:
        path, _, test = named.removeprefix("--deselect=").partition("[")[0].partition("::")
        assert (root / path).exists(), named
        assert not test or f"def {test}(" in (root / path).read_text(encoding="utf-8"), named


def test_every_module_says_what_it_is_for(root: Path) -> None:
    silent = [
        str(path.relative_to(root)) for path in sources(root) if not ast.get_docstring(parsed(path))
    ]
    assert not silent


def test_every_public_name_is_there_and_lives_where_a_type_checker_looks_for_it(root: Path) -> None:
    typed = {
        name.name: node.module
        for node in imports_of(root / "mixsafe" / "__init__.py")
        if isinstance(node, ast.ImportFrom) and re.match(r"mixsafe\.(?!version$)", node.module)
        for name in node.names
    }
    assert sorted(typed) == sorted(mixsafe.__all__)
    for name in mixsafe.__all__:
        assert getattr(mixsafe, name) is getattr(importlib.import_module(typed[name]), name)


def test_the_front_door_knows_no_other_name() -> None:
    with pytest.raises(AttributeError, match="nobody"):
        _ = mixsafe.nobody


@pytest.mark.parametrize("module", ["mixsafe", "mixsafe_cli.app"])
def test_nothing_heavy_is_loaded_before_it_is_needed(module: str) -> None:
    program = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    path = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_verify_stays_a_function_however_the_engines_were_loaded_first() -> None:
    path = [entry for entry in sys.path if entry]
    program = (
        f"import sys; sys.path[:0] = {path!r}\n"
        "import mixsafe.verify.verification, mixsafe\n"
        "assert callable(mixsafe.verify), mixsafe.verify\n"
        "from mixsafe.solver.state import tokens\n"
        "assert callable(mixsafe.verify), mixsafe.verify\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def shared_names(root: Path) -> list[str]:
    """Names at the front door that are those of folders, too."""
    return [name for name in mixsafe.__all__ if (root / "mixsafe" / name).is_dir()]


INSIDE_FIRST = """
for name, home in homes.items():
    inside = importlib.import_module(f"mixsafe.{home}")
    assert getattr(mixsafe, name) is getattr(inside, name), name
    room, module = f"mixsafe.{home}".rsplit(".", 1)
    exec(f"from {room} import {module} as again")
    assert again is inside, name
    assert getattr(mixsafe, name) is getattr(inside, name), name
"""
DOOR_FIRST = """
doors = {name: getattr(mixsafe, name) for name in homes}
for name, home in homes.items():
    exec(f"import mixsafe.{home}")
    importlib.reload(sys.modules[f"mixsafe.{name}"])
    exec(f"from mixsafe import {name} as again")
    assert getattr(mixsafe, name) is again is doors[name], name
    assert callable(again), name
"""


@pytest.mark.parametrize("order", [INSIDE_FIRST, DOOR_FIRST], ids=["inside first", "door first"])
def test_functions_keep_names_that_folders_have_too(root: Path, order: str) -> None:
    homes = {name: mixsafe._HOME[name] for name in shared_names(root)}
    assert "verify" in homes
    path = [entry for entry in sys.path if entry]
    program = f"import sys; sys.path[:0] = {path!r}\nimport importlib, mixsafe\nhomes = {homes!r}\n"
    subprocess.run([sys.executable, "-c", program + order], check=True)
