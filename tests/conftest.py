"""What all tests may use: a tiny world, and published data where somebody has them."""

from __future__ import annotations

import functools
import gc
import json
import os
from collections.abc import Callable, Iterator
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from typer import testing
from typer.main import get_command

from mixsafe.documents.atlas import Atlas, Context
from mixsafe.documents.document import Document
from mixsafe.extract.pose import pose
from mixsafe.io.problems.problem import read_problems
from mixsafe.io.sources import load
from mixsafe.machinery.compiled import compile_always
from mixsafe.model.mobility.traces import Traces
from mixsafe.synthesize.samples import sample
from mixsafe.verify.verification import Verification, verify
from mixsafe.verify.verification_document import verification_document

# The first example of a test may compile or import something: its time says nothing. A red run must
# be red again when it is repeated: other examples, and more of them, with
# --hypothesis-profile=search.
settings.register_profile("mixsafe", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("mixsafe")

# Small questions begin as plain Python, and tests are about those: about what is compiled, instead.
compile_always()

ROOT = Path(__file__).resolve().parent.parent

# Processes that tests start run the code of this checkout, whatever is installed.
CODE = [str(ROOT), str(ROOT / "cli"), os.environ.get("PYTHONPATH", "")]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, CODE))


def pytest_configure(config: pytest.Config) -> None:
    """Processes take files in the order given here.

    By default pytest-xdist begins with those of most tests: a long file with few tests comes last.
    """
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False
    gc.disable()  # until all tests are collected


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files of one folder do not follow each other.

    Processes that run tests side by side take file after file. If two of them need the same
    compiled functions at once, for the first time, one of them waits while the other one compiles.
    """
    files = [list(own) for _, own in groupby(items, key=lambda item: item.path)]
    half = (len(files) + 1) // 2
    turns = zip_longest(files[:half], files[half:], fillvalue=[])
    items[:] = [item for pair in turns for own in pair for item in own]


def pytest_collection_finish() -> None:
    """What has been loaded by now stays: no search for garbage looks through it again.

    Syntax trees stay, too, and what Numba knows of types: searches for garbage among them took a
    tenth of the time of some files, and a third of others. They are rare from now on.
    """
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[Callable[[], None]]:
    """Each command is made of its options once: thousands of calls took 20 ms for it.

    What is yielded forgets all commands.
    """
    made_once = functools.cache(get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "_get_command", made_once)
        yield made_once.cache_clear


@pytest.fixture
def new_commands(commands_made_once: Callable[[], None]) -> Iterator[None]:
    """Commands of this test alone, because it registers something that they name."""
    commands_made_once()
    yield
    commands_made_once()


@pytest.fixture
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture
def four_walkers() -> dict[str, Any]:
    """Four users, six steps, two mix zones; the adversary sees walker 0 at both ends.

    ::

        step      0   1   2   3   4   5   6
        walker 0  *---o-------------------*      * seen
        walker 1      |       o                  o in a mix zone
        walker 2  ----o-------o------------
        walker 3  ------------o------------

    Walker 0 must come back to her own pseudonym, and never meets anybody again: she cannot have
    exchanged it. Walkers 1, 2 and 3 may carry each other's after step 3.
    """
    return {
        "name": "four-walkers",
        "users": 4,
        "horizon": 6,
        "zones": [[1, [0, 2]], [3, [1, 2, 3]]],
        "knowledge": [[0, 0], [0, 6]],
        "requirements": [[1, 4, 3], [3, 5, 2]],
    }


@pytest.fixture
def published() -> Callable[[str], Path]:
    """Path of a published data set's file below MIXSAFE_DATA; skips where it is not there."""

    def find(name: str) -> Path:
        folder = os.environ.get("MIXSAFE_DATA")
        if not folder:
            pytest.skip("MIXSAFE_DATA does not name a folder of published data")
        path = Path(folder) / name
        if not path.exists():
            pytest.skip(f"{path} is not there")
        return path

    return find


@pytest.fixture(scope="session")
def town() -> Verification:
    """The town that ships with the package, k = 3, by bounds only: some of it stays undecided."""
    traces = load(sample("town"))
    return verify(pose(traces), k=3, engine="bounds", keep_proof_data=True)


@pytest.fixture(scope="session")
def town_document(town: Verification) -> Document:
    """What is said of it, maps included."""
    traces = load(sample("town"))
    assert isinstance(traces, Traces)
    known = "The adversary knows both ends"
    context = Context("town.csv", known, Atlas.of(traces, time_step=60))
    return verification_document(town, None, context)


@pytest.fixture
def walkers(four_walkers: dict[str, Any], tmp_path: Path) -> Verification:
    """The four walkers and what was required of two of them."""
    path = tmp_path / "walkers.json"
    path.write_text(json.dumps(four_walkers))
    (problem,) = read_problems(path)
    return verify(problem, keep_proof_data=True)
