"""``mixsafe report``, and what other commands write for it."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe.model.course import MemoryLimits
from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app
from tests.support.fuzz_cases import contest_traces
from tests.support.memory import commands_have


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """What verify says about the four walkers by another name, with everything that is asked."""
    path = tmp_path / "result.json"
    verified = run("verify", "--k", 2, "--engine", "bounds", "--json", path, "--quiet")
    assert verified.exit_code == 1, verified.output
    return path


def test_a_result_becomes_a_page_that_says_how_to_repeat_it(result: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    made = run("report", result, "-o", page)
    assert made.exit_code == 0, made.output
    text = page.read_text(encoding="utf-8")
    assert f"mixsafe verify --k 2 --engine bounds --json {result.name} --quiet" in text
    assert sha256(sample("town").read_bytes()).hexdigest() in text
    assert "The adversary saw every person before the first and at the last step" in text


def test_the_same_result_gives_the_same_bytes(result: Path, tmp_path: Path) -> None:
    pages = []
    for name in ("one.html", "two.html"):
        assert run("report", result, "-o", tmp_path / name, "-q").exit_code == 0
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_nothing_is_overwritten_unasked(result: Path) -> None:
    target = result.with_suffix(".html")
    assert run("report", result).exit_code == 0
    before = target.read_bytes()
    target.write_text("mine")
    refused = run("report", result)
    assert refused.exit_code == 2
    assert "the file exists" in refused.output
    assert target.read_text() == "mine"
    assert run("report", result, "-o", target).exit_code == 0
    assert target.read_bytes() == before


def test_the_result_itself_is_never_overwritten(result: Path) -> None:
    refused = run("report", result, "-o", result)
    assert refused.exit_code == 2
    assert "would overwrite an input" in refused.output
    assert json.loads(result.read_text())["document"]["word"] == "Invalid"


def test_a_problem_says_itself_what_the_adversary_knows(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    source = tmp_path / "walkers.json"
    source.write_text(json.dumps(four_walkers))
    answer = json.loads(run("verify", source, "--json", "-").stdout)
    facts = {fact["label"]: fact["value"] for fact in answer["document"]["facts"]}
    assert facts["Adversary"] == (
        "The adversary has the sightings that the problem lists (2 sightings)"
    )
    assert "2 sightings of 1 person." in json.dumps(answer["document"]["evidence"])
    assert "adversary" not in answer["provenance"]["parameters"]


def test_many_problems_stay_a_line_each_without_more(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    source, out = tmp_path / "p.jsonl", tmp_path / "out.jsonl"
    source.write_text(f"{json.dumps(four_walkers)}\n" * 2)
    assert run("verify", source, "--json", out, "-q").exit_code == 0
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert ["provenance" in answer for answer in answers] == [False, False]
    kinds = {part["kind"] for answer in answers for part in answer["document"]["parts"]}
    assert kinds == {"table", "text"}  # what only pages show is not there
    assert run("report", out).exit_code == 0


@pytest.mark.parametrize("name", ["picture.png", "picture.svg"])
def test_verify_draws_its_pictures(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    done = run("verify", "--k", 3, "--engine", "bounds", "--plot", target, "-q")
    assert done.exit_code in (1, 3), done.output
    assert target.stat().st_size > 10_000


def test_a_picture_of_another_kind_is_refused_before_any_work(tmp_path: Path) -> None:
    refused = run("verify", "--k", 3, "--plot", tmp_path / "picture.pdf")
    assert refused.exit_code == 2
    assert "--plot" in refused.output
    both = tmp_path / "x.svg"
    same = run("verify", "--k", 3, "--plot", both, "--json", both)
    assert same.exit_code == 2
    assert "--json and --plot are the same file" in same.output


def test_optimize_tells_which_zones_are_enough(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    source, out = tmp_path / "walkers.json", tmp_path / "answer.json"
    source.write_text(json.dumps(four_walkers))
    assert run("optimize", source, "--json", out, "-q").exit_code == 0
    assert run("report", out, "-q").exit_code == 0
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    assert "1 mix zone is enough, and no fewer. This is proven." in page
    assert "1, 2, 3" in page


@pytest.mark.parametrize("name", ["zones.png", "zones.svg"])
def test_optimize_draws_the_zones(four_walkers: dict[str, Any], tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "walkers.json", tmp_path / name
    source.write_text(json.dumps(four_walkers))
    assert run("optimize", source, "--plot", target, "-q").exit_code == 0
    assert target.stat().st_size > 5_000
    first = target.read_bytes()
    assert run("optimize", source, "--plot", target, "-q").exit_code == 0
    assert target.read_bytes() == first


def test_optimize_draws_one_problem_and_no_other_kind_of_file(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    source = tmp_path / "p.jsonl"
    source.write_text(f"{json.dumps(four_walkers)}\n" * 2)
    several = run("optimize", source, "--plot", tmp_path / "x.svg")
    assert several.exit_code == 2
    assert "--plot is for one problem, not 2" in several.output
    assert run("optimize", source, "--plot", tmp_path / "x.pdf").exit_code == 2


def test_assumed_knowledge_is_drawn_and_says_where_it_comes_from(tmp_path: Path) -> None:
    release, reference = tmp_path / "release.csv", tmp_path / "reference.csv"
    release.write_text("pse_id,time_id,reg_id\n3,1,5\n3,2,5\n4,1,6\n4,2,7\n")
    reference.write_text("user_id,time_id,reg_id\n1,1,5\n1,2,5\n2,1,6\n2,2,7\n")
    picture, result = tmp_path / "draws.svg", tmp_path / "draws.json"
    done = run(
        "audit", release, "--exchange", "none", "--k", 2, "--assume", 1, "--reference", reference,
        "--draws", 3, "--steps-per-day", 2, "--plot", picture, "--json", result, "-q",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "people not protected" in picture.read_text(encoding="utf-8")
    provenance = json.loads(result.read_text())["provenance"]
    assert [file["what"] for file in provenance["inputs"]] == ["release", "reference"]
    assert provenance["parameters"]["draws"] == 3
    assert run("report", result, "-q").exit_code == 0


def test_a_comparison_says_where_it_comes_from(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    source, out = tmp_path / "walkers.json", tmp_path / "times.json"
    source.write_text(json.dumps(four_walkers))
    done = run("compare", source, "--engines", "bounds", "--json", out, "-q")
    assert done.exit_code == 0, done.output
    assert run("report", out, "-q").exit_code == 0
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    assert sha256(source.read_bytes()).hexdigest() in page
    assert f"mixsafe compare {source.name} --engines bounds" in page


def test_a_result_decided_group_by_group_says_where_it_comes_from_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands_have(MemoryLimits(whole_bytes=0), monkeypatch)
    out = tmp_path / "result.json"
    assert run("verify", "--k", 2, "--engine", "bounds", "--json", out, "-q").exit_code == 1
    assert json.loads(out.read_text())["document"]
    assert run("report", out, "-q").exit_code == 0
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    assert sha256(sample("town").read_bytes()).hexdigest() in page


@pytest.fixture
def assessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """What commands wrote about six people who walk in the contest's regions, and their release."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org.csv").write_bytes(contest_traces(users=6, days=1))
    pub = tmp_path / "release" / "publish" / "pubtraces.csv"
    quick = ("--engine", "bounds", "-q")
    org, k, out = "org.csv", ("--k", 2), "--json"
    guess = "release/secret/ptable.csv"  # an attack that finds everybody
    for words in (
        ("verify", org, *k, *quick, out, "verify.json", "--certificates", "proofs"),
        ("check", "proofs", "-q", out, "check.json"),
        ("weigh", "verify.json", "-q", out, "weigh.json"),
        ("breaking", org, *k, "--at-most", 1, "-q", out, "breaking.json"),
        ("protect", org, *k, *quick, "--leave-out", out, "protect.json"),
        ("pseudonymize", org, "--method", "mixzone", *k, *quick, "-o", "release", out, "made.json"),
        ("contest", "score", "reid", guess, guess, "--release", pub, "-q", out, "reid.json"),
        ("contest", "score", "trace", org, "traces.csv", "-q", out, "trace.json"),
        ("contest", "score", "utility", org, "traces.csv", "-q", out, "utility.json"),
        ("audit", pub, "--knowledge", "seen.csv", *k, *quick, out, "audit.json"),
    ):
        if "traces.csv" in words:
            regions = [line.split(",")[2] for line in (tmp_path / org).read_text().splitlines()]
            (tmp_path / "traces.csv").write_text("".join(f"{one}\n" for one in regions))
        if "seen.csv" in words:
            seen = "".join((tmp_path / org).read_text().splitlines(keepends=True)[:2])
            (tmp_path / "seen.csv").write_text(seen)
        made = run(*words)
        assert made.exit_code in (0, 1, 3, 4), made.output
    return {path.stem: path for path in tmp_path.glob("*.json")}


def test_an_officer_gets_one_page_of_what_commands_wrote(
    assessed: dict[str, Path], tmp_path: Path
) -> None:
    officer = ("report", *assessed.values(), "--for", "officer")
    done = run(*officer, "--purpose", "Bus lines")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "officer.html").read_text(encoding="utf-8")
    for command in ("verify", "check", "weigh", "breaking", "protect", "pseudonymize", "audit"):
        assert f"<code>mixsafe {command} " in page
    assert "Bus lines" in page
    assert "100% of its guesses are right" in page
    assert sha256((tmp_path / "org.csv").read_bytes()).hexdigest() in page
    assert run(*officer, "--edition", "external").exit_code == 0
    external = (tmp_path / "officer_external.html").read_text(encoding="utf-8")
    release = sha256((tmp_path / "release" / "publish" / "pubtraces.csv").read_bytes()).hexdigest()
    assert release in external
    for secret in ("org.csv", "pubtraces", "verify.json", "proofs", "seen.csv"):
        assert secret not in external.replace("mixsafe weigh verify.json", "").replace(
            "--json verify.json", ""
        ), secret


def test_results_of_different_data_are_refused_by_hash(
    assessed: dict[str, Path], result: Path
) -> None:
    done = run("report", assessed["verify"], result, "--for", "officer")
    assert done.exit_code == 2
    assert sha256(sample("town").read_bytes()).hexdigest()[:12] in done.output
    alone = run("report", assessed["verify"], assessed["audit"], "--for", "officer")
    assert alone.exit_code == 2
    assert "give the JSON of the pseudonymize that made the release" in alone.output


def test_no_hash_of_a_secret_table_is_written(assessed: dict[str, Path], tmp_path: Path) -> None:
    table = sha256((tmp_path / "release" / "secret" / "ptable.csv").read_bytes()).hexdigest()
    told = json.loads(assessed["reid"].read_text())
    assert [one["what"] for one in told["provenance"]["inputs"]] == ["release", "answers 1"]
    for name in ("made", "audit", "trace"):
        assert table not in assessed[name].read_text(), name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--purpose", "buses"), "--purpose cannot be given: it is for --for officer"),
        (("--edition", "external"), "--edition cannot be given"),
        (("--for", "judge"), "--for 'judge' is unknown; use one of officer"),
        (("--for", "officer", "--edition", "third"), "--edition 'third' is unknown"),
    ],
)
def test_options_of_the_officers_page_are_checked(
    result: Path, options: tuple[str, ...], words: str
) -> None:
    done = run("report", result, *options)
    assert done.exit_code == 2
    assert words in done.output


def test_other_pages_are_of_one_result(result: Path) -> None:
    done = run("report", result, result)
    assert done.exit_code == 2
    assert "a page is of one result; give one, or --for officer" in done.output
