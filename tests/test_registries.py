"""Every list of choices can be added to from outside, and commands know what was added."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.contest.measure.measures import MEASURES, Compared, Measure
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, Pseudonymization
from mixsafe.contest.registry import ANONYMISERS, ATTACKERS, about
from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES, Adversary
from mixsafe.extract.scene import Scene
from mixsafe.io.contest.writing import write_public, write_traces
from mixsafe.io.formats import FORMATS, Format
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.choices import Choices
from mixsafe.model.course import Course
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.model.release import Cells, IdTable
from mixsafe.report.page_kinds import PAGES, PageKind
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.registry import ENGINES, Engine
from mixsafe.solver.state.answers import Answers
from mixsafe_cli.app import app
from tests.support.strategies import problem

TABLE = """user_id,time_id,lat,lon
ann,1,50.0,10.0
ann,2,50.01,10.0
bob,1,50.0,10.0
bob,2,50.02,10.0
cy,1,50.03,10.0
cy,2,50.02,10.0
"""


def reach_alone(answers: Answers, course: Course) -> None:
    """An engine that knows reachability alone."""
    answers.possible &= reachable(answers.core)
    answers.settle(Argument.REACHABILITY)
    answers.notes.append("reachability is all that I know")


def load_reach() -> Any:
    return reach_alone


EVERYWHERE = frozenset({"verify", "audit", "compare", "optimize"})
REACH = Engine(
    "reach", "reachability alone", "It knows how far pseudonyms get.", load_reach, EVERYWHERE
)


def last_seen(scene: Scene) -> Knowledge:
    """Everybody is seen at the last step, and at no other."""
    return Knowledge.from_pairs([(row, scene.zones.axis.steps) for row in range(3)])


LAST = Adversary(
    "last", "knows every user at the end", "The adversary knows every person at the end", last_seen
)


def read_mine(path: Path, reading: object) -> list[Problem]:
    """One problem, whatever follows the file's first word."""
    return [problem(3, 4, [(1, [0, 1]), (3, [0, 1, 2])], [(0, 0), (0, 4)], [(1, 3, 2)])]


MINE = Format(
    "mine",
    "what my receiver says",
    "problems",
    lambda sniffed: sniffed.head.startswith(b"MINE"),
    read_mine,
)


def crowded(found: Any) -> str:
    """A page with one number."""
    return f"<!doctype html><p>{len(found['crowds'])} crowds</p>"


CROWDS = PageKind("crowds", "crowds", ("crowds find",), crowded, lambda found: "crowds" in found)


@dataclass(frozen=True)
class Alphabetical:
    """ABC: the users in their own order."""

    short: ClassVar[str] = "ABC"
    long: ClassVar[str] = "ABC-order"
    answers: ClassVar[str] = "ids"

    def attack(self, reference: Any, release: Any, random: Any) -> Any:
        """The n-th pseudonym is the n-th user's."""
        return np.arange(release.n_rows, dtype=np.int32)


def in_order(cells: Any, random: Any) -> IdTable:
    """Nobody is hidden: pseudonyms follow the users."""
    return IdTable(np.arange(cells.n_rows, dtype=np.int32)[:, None])


ORDERED = Pseudonymization("ordered", "nobody is hidden", "Nobody is hidden", in_order)


def parts_shown(compared: Compared) -> dict[str, float]:
    """Two numbers at once."""
    return {"users": compared.other.n_users, "steps": compared.other.n_steps}


PARTS = Measure("parts", "how much is shown", parts_shown)


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """Six users of the contest's regions, two days before and two days after."""
    random = np.random.default_rng(2)
    for name, first in (("ref", 1), ("org", 41)):
        region = random.integers(1024, size=(6, 40)).astype(np.int32)
        write_traces(tmp_path / f"{name}.csv", TraceMatrix(region, first))
    return tmp_path


@pytest.fixture
def newcomers() -> Iterator[None]:
    """A dummy of each kind, for one test."""
    with (
        ENGINES.registered(REACH),
        ADVERSARIES.registered(LAST),
        FORMATS.registered(MINE),
        PAGES.registered(CROWDS),
        MEASURES.registered(PARTS),
        PSEUDONYMIZERS.registered(ORDERED),
        ATTACKERS.registered(Alphabetical),
    ):
        yield
    assert "reach" not in ENGINES
    assert "last" not in ADVERSARIES
    assert "mine" not in FORMATS


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


pytestmark = pytest.mark.usefixtures("new_commands")

LISTS: list[Choices[Any]] = [ENGINES, ADVERSARIES, FORMATS, PAGES, MEASURES, PSEUDONYMIZERS]


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def words(text: str) -> str:
    """Text without the frames and line breaks of a help page."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("choices", LISTS, ids=lambda one: one.what)
def test_a_name_is_registered_once(choices: Choices[Any]) -> None:
    one = next(iter(choices))
    said = f"{choices.what} '{one.name}' is already registered"
    with pytest.raises(InputError, match=said), choices.registered(one):
        pass
    assert choices.names().count(one.name) == 1


@pytest.mark.parametrize("choices", LISTS, ids=lambda one: one.what)
def test_who_asks_for_an_unknown_name_is_told_the_known_ones(choices: Choices[Any]) -> None:
    with pytest.raises(InputError, match=f"unknown {choices.what} 'nobody'.*{choices.names()[-1]}"):
        _ = choices["nobody"]


def test_names_can_be_read_without_loading_what_they_name() -> None:
    program = (
        "import sys, mixsafe.solver.registry;"
        "import mixsafe.extract.adversaries, mixsafe.io.formats, mixsafe.report.page_kinds;"
        "import mixsafe.contest.measure.measures, mixsafe.contest.pseudonymizers;"
        "heavy = ('numba', 'numpy', 'ortools', 'pandas', 'pyarrow', 'scipy');"
        "print([m for m in heavy if m in sys.modules])"
    )
    path = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_the_documentation_lists_all_adversaries(root: Path) -> None:
    page = (root / "docs" / "adversary.md").read_text(encoding="utf-8")
    listed = [line for line in page.splitlines() if line.startswith("| `") and "--" not in line]
    assert listed == [f"| `{one.name}` | {one.about} |" for one in ADVERSARIES]


def test_the_documentation_lists_all_pages(root: Path) -> None:
    page = (root / "docs" / "results.md").read_text(encoding="utf-8")
    for one in PAGES:
        made_by = ", ".join(f"`{command}`" for command in one.made_by)
        assert f"| {one.name} | {made_by} | {one.about} |\n" in page


@pytest.mark.usefixtures("newcomers")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("verify", "reach: reachability alone"),
        ("verify", "last: knows every user at the end"),
        ("verify", "mine: what my receiver says"),
        ("zones", "mine: what my receiver says"),
        (
            "report",
            "contest score, contest utility, datasets describe, links, optimize, protect,"
            " pseudonymize, verify, weigh",
        ),
        ("audit", "reach: reachability alone"),
        ("compare", "auto, cpsat, dp, bounds, reach"),
        ("compare", "last: knows every user at the end"),
        ("optimize", "auto|cpsat|dp|reach"),
        ("optimize", "last: knows every user at the end"),
    ],
)
def test_help_names_newcomers(command: str, said: str) -> None:
    option = "--help" if command == "report" else "--help-all"
    assert said in words(run(command, option).stdout)


@pytest.mark.usefixtures("newcomers")
def test_verify_and_report_know_a_new_engine_and_a_new_adversary(
    table: Path, tmp_path: Path
) -> None:
    result, page = tmp_path / "result.json", tmp_path / "page.html"
    chosen = ("--engine", "reach", "--adversary", "last")
    done = run("verify", table, "--k", 2, *chosen, "--json", result)
    assert done.exit_code in (0, 1, 3), done.stderr
    assert "engine reach" in done.stdout
    said = " ".join(done.stdout.split())
    assert "The adversary knows every person at the end. Pseudonyms change in mix zones" in said
    assert "(3 sightings)" in said
    answer = json.loads(result.read_text())
    assert answer["engine"] == "reach"
    assert answer["provenance"]["parameters"]["adversary"] == "last"
    done = run("report", result, "-o", page)
    assert done.exit_code == 0, done.stderr
    assert (
        "among all who are there, at any speed. In all, 3 sightings of 3 people."
        in page.read_text()
    )


@pytest.mark.usefixtures("newcomers")
def test_compare_runs_a_new_engine_in_its_own_process_and_its_page_says_what_it_is(
    table: Path, tmp_path: Path
) -> None:
    result, picture = tmp_path / "times.json", tmp_path / "times.svg"
    page = tmp_path / "page.html"
    chosen = ("--engines", "bounds,reach", "--adversary", "last")
    done = run("compare", table, "--k", 2, *chosen, "--json", result, "--plot", picture)
    assert done.exit_code == 0, done.stderr
    assert "Finished: bounds 1, reach 0." in " ".join(done.stdout.split())
    (_, mine) = json.loads(result.read_text())["runs"]
    assert (mine["engine"], mine["note"]) == ("reach", "reachability is all that I know")
    done = run("report", result, "-o", page)
    assert done.exit_code == 0, done.stderr
    assert "It knows how far pseudonyms get." in page.read_text()


@pytest.mark.usefixtures("newcomers")
def test_a_new_format_is_recognized_and_its_problems_are_taken_as_posed(tmp_path: Path) -> None:
    path, result = tmp_path / "source.bin", tmp_path / "result.json"
    path.write_bytes(b"MINE\0\1\2")
    for said in ((), ("--format", "mine")):
        done = run("verify", path, *said, "--json", result)
        assert done.exit_code == 0, done.stderr
        assert "the sightings that the problem lists (2 sightings)" in done.stdout
        done = run("compare", path, *said, "--engines", "bounds", "--json", result)
        assert done.exit_code == 0, done.stderr
        assert "adversary" not in json.loads(result.read_text())["provenance"]["parameters"]
    assert run("report", result, "-o", tmp_path / "page.html").exit_code == 0


@pytest.mark.usefixtures("newcomers")
def test_a_new_kind_of_result_has_its_page(tmp_path: Path) -> None:
    result, page = tmp_path / "crowds.json", tmp_path / "crowds.html"
    result.write_text('{"crowds": [3, 4]}')
    assert run("report", result).exit_code == 0
    assert "2 crowds" in page.read_text()


@pytest.mark.usefixtures("newcomers")
def test_a_new_attack_and_a_new_pseudonymizer_run_in_the_contest_and_its_page(
    contest: Path,
) -> None:
    chosen = ("--attacks", "I1,T1,ABC", "--pseudonymization", "ordered", "--anonymisers", "A1,A5")
    for workers in (1, 2):
        folder = contest / f"results{workers}"
        files = (contest / "org.csv", contest / "ref.csv", "-o", folder, "--workers", workers)
        done = run("contest", "run", *files, *chosen)
        assert done.exit_code == 0, done.output
        lines = (folder / "scores.csv").read_text().splitlines()
        found = [line.split(",")[:6] for line in lines if ",ABC," in line]
        assert ["A1", "ordered", "yes", "ABC", "reid", "0.0"] in found
    page = contest / "page.html"
    done = run("report", contest / "results1", "-o", page)
    assert done.exit_code == 0, done.stderr
    assert "Nobody is hidden." in page.read_text()
    assert "The users in their own order." in page.read_text()


@pytest.mark.usefixtures("newcomers")
def test_a_new_attack_is_a_command(contest: Path) -> None:
    public, table = contest / "pub.csv", contest / "etable.csv"
    cells = Cells.of_regions(np.zeros((6, 40), np.int32), 1024, 41)
    write_public(public, in_order(cells, None).publish(cells))
    done = run("contest", "attack", "abc", contest / "ref.csv", public, "-o", table)
    assert done.exit_code == 0, done.stderr
    assert "ABC: 6 answers" in done.stderr


@pytest.mark.usefixtures("newcomers")
def test_a_new_measure_is_given_and_its_help_says_what_it_is(contest: Path) -> None:
    done = run("contest", "utility", contest / "org.csv", contest / "ref.csv", "--json")
    (found,) = json.loads(done.stdout)["others"]
    assert (found["users"], found["steps"]) == (6, 40)
    assert "VF-TV" in found
    assert "parts: how much is shown" in words(run("contest", "utility", "--help").stdout)


def test_a_method_has_names_of_its_own() -> None:
    again = next(iter(ATTACKERS))
    said = "attacker 'I1' is already registered"
    with pytest.raises(InputError, match=said), ATTACKERS.registered(again):
        pass
    for methods in (ANONYMISERS, ATTACKERS):
        assert all(about(method) for method in methods)


def test_the_documentation_lists_all_measures_and_methods(root: Path) -> None:
    page = (root / "docs" / "synthesize.md").read_text(encoding="utf-8")
    assert [one.name for one in MEASURES if f"\n| {one.name} | " not in page] == []
    page = (root / "docs" / "contest.md").read_text(encoding="utf-8")
    known = [method.short for methods in (ANONYMISERS, ATTACKERS) for method in methods]
    assert [name for name in known if name not in page] == []


def test_a_newcomer_is_unknown_again_when_it_is_gone(table: Path) -> None:
    newcomers = (("--engine", "reach"), ("--adversary", "last"), ("--format", "mine"))
    for option, name in newcomers:
        done = run("verify", table, "--k", 2, option, name)
        assert done.exit_code == 2
        assert f"'{name}'" in done.stderr
