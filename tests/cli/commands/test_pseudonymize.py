"""``mixsafe pseudonymize``, and the whole way through the contest around it."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.io.contest.reading import read_id_table, read_public, read_traces
from mixsafe.io.contest.writing import write_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.answer import MinimumZones
from mixsafe.remedies import fewest_zones
from mixsafe.report.reporting import report
from mixsafe_cli.app import app

N_USERS, N_STEPS, N_REGIONS = 12, 40, 1024


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def done(*arguments: object) -> str:
    found = run(*arguments)
    assert found.exit_code == 0, found.stderr
    return str(found.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Original and reference traces of a dozen users in a few regions."""
    random = np.random.default_rng(7)
    for name, first in (("org.csv", 41), ("ref.csv", 1)):
        region = random.integers(6, size=(N_USERS, N_STEPS)).astype(np.int32) * 33
        write_traces(tmp_path / name, TraceMatrix(region, first))
    return tmp_path


@pytest.mark.parametrize("method", ["shuffle", "mixzone"])
def test_the_way_from_anonymize_to_score_is_open(folder: Path, method: str) -> None:
    org, ref, ano, pub, table = (folder / f"{n}.csv" for n in ("org", "ref", "ano", "pub", "ids"))
    done("contest", "anonymize", "A4", org, "--param", "4,1", "-o", ano, "--seed", 1)
    options = ("--method", method, "-o", pub, "--table", table, "--seed", 1, "--quiet")
    done("pseudonymize", ano, "--original", org, *options)
    for attack in ("I2", "I3", "LINK"):
        done("contest", "attack", attack, ref, pub, "-o", folder / "e.csv", "--seed", 1)
        score = float(done("contest", "score", "reid", table, folder / "e.csv", "--quiet"))
        assert 0 <= score <= 1
    done("contest", "attack", "T2", ref, pub, "-o", folder / "t.csv", "--seed", 1)
    assert 0 <= float(done("contest", "score", "trace", org, folder / "t.csv", "--quiet")) <= 1


def test_who_knows_the_table_finds_everybody(folder: Path) -> None:
    pub, table = folder / "pub.csv", folder / "ids.csv"
    done("pseudonymize", folder / "org.csv", "--method", "mixzone", "-o", pub, "--table", table)
    answer = folder / "e.csv"
    users = [line.split(",")[2] for line in table.read_text().splitlines()[1:]]
    answer.write_text("user_id\n" + "".join(f"{user}\n" for user in users))
    assert float(done("contest", "score", "reid", table, answer, "--quiet")) == 0.0


def test_original_traces_alone_go_into_a_folder(folder: Path) -> None:
    out = folder / "release"
    options = ("--method", "mixzone", "-o", out, "--k", 2, "--json", "-")
    answer = json.loads(done("pseudonymize", folder / "org.csv", *options))
    assert sorted(str(path.relative_to(out)) for path in out.glob("*/*")) == [
        "publish/pubtraces.csv",
        "secret/ptable.csv",
        "secret/ptable.secret.json",
    ]
    assert answer["cells"]["shown"] == N_USERS * N_STEPS
    listed = sum(len(entry["times"]) for entry in answer["not_private"])
    assert answer["cells"]["private"] + listed == N_USERS * N_STEPS
    original = read_traces(folder / "org.csv", N_REGIONS)
    users = read_id_table(out / "secret" / "ptable.csv").user
    public = read_public(out / "publish" / "pubtraces.csv", N_REGIONS)
    assert np.array_equal(original.region[users, np.arange(N_STEPS)], public.code)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (("--method", "shuffle"), ("Each person has one pseudonym", "Publish ", "Keep secret: ")),
        (
            ("--method", "mixzone", "--k", 2, "--zones", "minimum"),
            ("All 12 people pass; ", " published cells can be of 2 people or more.", "Suppressed",
             "pseudonyms exchanged at random in each, of ", "stretches of time of users, "),
        ),
    ],
)  # fmt: skip
def test_terminal_and_page_say_the_same(
    folder: Path, options: tuple[object, ...], facts: tuple[str, ...]
) -> None:
    made = folder / "made.json"
    asked = (*options, "-o", folder / "release", "--json", made)
    terminal = " ".join(done("pseudonymize", folder / "org.csv", *asked).split())
    document = json.loads(made.read_text())["document"]
    page = report(made)
    assert document["sentence"] in page
    assert terminal.startswith(f"{document['word'].upper()} {document['sentence']}")
    for fact in facts:
        assert fact in terminal
        assert fact in page


def test_the_page_of_a_release_lists_who_is_exposed(folder: Path) -> None:
    sightings, made = folder / "seen.csv", folder / "made.json"
    seen = "".join(f"3,{time}\n" for time in [0, *range(41, 41 + N_STEPS)])
    sightings.write_text(f"user_id,time_id\n{seen}")
    asked = ("--method", "mixzone", "--k", 2, "--adversary", sightings, "-o", folder / "release")
    terminal = done("pseudonymize", folder / "org.csv", *asked, "--json", made)
    assert "1 of 12 people fails; " in terminal
    assert "--enforce suppresses cells until nobody fails." in terminal
    document = json.loads(made.read_text())["document"]
    (table,) = (part for part in document["parts"] if part["kind"] == "table")
    assert table["rows"][0] == ["3", "fails", N_STEPS]
    del document["sentence"]
    made.write_text(json.dumps({**json.loads(made.read_text()), "document": document}))
    refused = run("report", made)
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)


def test_an_enforced_release_hides_what_is_counted(folder: Path) -> None:
    out = folder / "release"
    # Seen at home and never elsewhere, at every time: nothing can hide user 1.
    sightings = folder / "seen.csv"
    seen = "".join(f"1,{time}\n" for time in [0, *range(41, 41 + N_STEPS)])
    sightings.write_text(f"user_id,time_id\n{seen}")
    options = ("--method", "mixzone", "-o", out, "--k", 2, "--adversary", sightings, "--json", "-")
    source = folder / "org.csv"
    assert json.loads(done("pseudonymize", source, *options))["users_failing"] == [1]
    answer = json.loads(done("pseudonymize", source, *options, "--enforce"))
    assert answer["users_failing"] == []
    assert answer["suppressed"] == N_STEPS
    assert (out / "publish" / "pubtraces.csv").read_text().count("*") == N_STEPS


def test_the_certificate_of_a_release_is_about_the_times_at_which_it_shows_users(
    folder: Path,
) -> None:
    out, proofs, sightings = folder / "release", folder / "proofs", folder / "seen.csv"
    seen = "".join(f"1,{time}\n" for time in [0, *range(41, 41 + N_STEPS)])
    sightings.write_text(f"user_id,time_id\n{seen}")
    asked = ("--k", 2, "--adversary", sightings, "--rule", "every")
    options = ("--method", "mixzone", "-o", out, *asked, "--quiet", "--certificates", proofs)
    source = folder / "org.csv"
    done("pseudonymize", source, *options)
    found = run("check", proofs, "--source", source, *asked, "--json", "-")
    told = json.loads(found.stdout)
    assert (found.exit_code, told["users_by_verdict"]["unsafe"] > 0) == (1, True)
    assert (told["k"], told["unsafe_claimed"], told["undecided"]) == (2, 0, 0)
    answer = json.loads(done("pseudonymize", source, *options[:-3], "--enforce", "--json", "-",
                             "--certificates", proofs))  # fmt: skip
    told = json.loads(done("check", proofs, "--k", 2, "--rule", "every", "--json", "-"))
    assert told["requirements"] == answer["cells"]["shown"] == told["safe_replayed"]
    assert told["users_by_verdict"]["safe"] < N_USERS  # user 1 is never shown, and not asked about


def test_a_shuffle_has_no_certificate(folder: Path) -> None:
    options = ("--method", "shuffle", "-o", folder / "x", "--certificates", folder / "proofs")
    found = run("pseudonymize", folder / "org.csv", *options)
    assert (found.exit_code, len(found.stderr.splitlines())) == (2, 1)
    assert "a static shuffle verifies nothing" in found.stderr


@pytest.mark.parametrize("adversary", ["endpoints", "none"])
def test_in_a_minimum_of_zones_the_same_users_pass(folder: Path, adversary: str) -> None:
    out, source = folder / "release", folder / "org.csv"
    options = ("--method", "mixzone", "-o", out, "--k", 2, "--adversary", adversary, "--json", "-")
    every = json.loads(done("pseudonymize", source, *options))
    fewest = json.loads(done("pseudonymize", source, *options, "--zones", "minimum"))
    assert fewest["users_failing"] == every["users_failing"] == []
    about = fewest["minimum_zones"]
    assert fewest["zones"] == about["minimum"] == about["bound"] < about["zones_there_are"]
    assert about["zones_there_are"] == every["zones"]
    assert about["requirements"] == N_USERS
    # Where nothing is exchanged, pseudonyms stay: most of the table does.
    table = read_id_table(out / "secret" / "ptable.csv").user
    moved = np.count_nonzero((table[:, 1:] != table[:, :-1]).any(axis=0))
    assert moved <= fewest["zones"]


def test_a_limit_of_time_gives_a_set_with_a_bound(folder: Path) -> None:
    options = ("--method", "mixzone", "-o", folder / "x", "--zones", "minimum", "--json", "-")
    limit = ("--time-limit", 1e-9)
    about = json.loads(done("pseudonymize", folder / "org.csv", *options, *limit))["minimum_zones"]
    assert about["bound"] <= about["minimum"]
    assert (about["bound"] == about["minimum"]) == (about["status"] == "optimal")


def test_a_minimum_that_is_not_found_in_time_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_time(problem: Problem, **_: object) -> MinimumZones:
        return MinimumZones(problem, "count", "auto", "undecided", None, 0, (), notes=("late",))

    monkeypatch.setattr(fewest_zones, "minimum_zones", out_of_time)
    options = ("--method", "mixzone", "-o", folder / "x", "--zones", "minimum")
    found = run("pseudonymize", folder / "org.csv", *options)
    assert (found.exit_code, len(found.stderr.splitlines())) == (2, 1)
    assert "late; give more --time-limit" in found.stderr
    assert not (folder / "x" / "publish" / "pubtraces.csv").exists()


def test_a_command_that_fails_leaves_no_folders(folder: Path) -> None:
    (folder / "bad.csv").write_text("user_id,time_id,reg_id\n1,1,none\n")
    asked = ("pseudonymize", "--method", "shuffle")
    for output in ("new", "new/inner"):
        failed = run(*asked, folder / "bad.csv", "-o", folder / output)
        assert failed.exit_code == 2
        assert not (folder / "new").exists()
    refused = run(*asked, folder / "org.csv", "-o", folder / "ref.csv" / "inner")
    assert refused.exit_code == 2
    assert "is a file, not a folder" in refused.stderr


def test_a_seed_repeats_a_release_is_kept_secret_and_none_does_not_repeat(folder: Path) -> None:
    def release(*seed: object) -> tuple[str, str]:
        done(
            "pseudonymize", folder / "org.csv", "--method", "shuffle", "-o", folder / "out/", *seed
        )
        secret = json.loads((folder / "out" / "secret" / "ptable.secret.json").read_text())["seed"]
        return (folder / "out" / "publish" / "pubtraces.csv").read_text(), str(secret)

    (folder / "out").mkdir()
    assert release("--seed", 5) == release("--seed", 5)
    assert release("--seed", 5)[1] == "5"
    assert release()[0] != release()[0]
    assert release()[1] == "None"


@pytest.mark.parametrize("method", ["shuffle", "mixzone"])
def test_what_is_published_is_one_file_in_the_order_of_pseudonyms_without_the_seed(
    folder: Path, method: str
) -> None:
    """One file for everybody: neither its order nor its time tells of anybody."""
    out, seed = folder / "release", 90817263544
    options = ("--method", method, "-o", out, "--seed", seed, "--quiet")
    done("pseudonymize", folder / "org.csv", *options)
    (public,) = (out / "publish").iterdir()
    head, *rows = public.read_text(encoding="utf-8").splitlines()
    assert head == "pse_id,time_id,reg_id"
    told = [tuple(map(int, row.split(","))) for row in rows]
    pseudonyms, times = range(N_USERS + 1, 2 * N_USERS + 1), range(41, 41 + N_STEPS)
    assert [row[:2] for row in told] == [(one, at) for one in pseudonyms for at in times]
    assert str(seed) not in public.read_text(encoding="utf-8")
    assert str(seed) in (out / "secret" / "ptable.secret.json").read_text(encoding="utf-8")


def test_pseudonyms_are_given_without_a_look_at_the_traces(folder: Path) -> None:
    """With one seed a user has the same pseudonym, whatever her traces."""
    traces, tables = read_traces(folder / "org.csv", N_REGIONS), set()
    for who in (np.arange(N_USERS), np.arange(N_USERS)[::-1], np.roll(np.arange(N_USERS), 5)):
        write_traces(folder / "other.csv", TraceMatrix(traces.region[who], traces.first_time))
        options = ("--method", "shuffle", "-o", folder / "release", "--seed", 4, "--quiet")
        done("pseudonymize", folder / "other.csv", *options)
        tables.add((folder / "release" / "secret" / "ptable.csv").read_text(encoding="utf-8"))
    assert len(tables) == 1


@pytest.mark.parametrize("method", ["shuffle", "mixzone"])
def test_how_a_user_writes_a_set_of_regions_is_not_published(folder: Path, method: str) -> None:
    """User 1 begins each set with another region than user 2: both are in one place."""
    org, ano, out = folder / "two.csv", folder / "ano.csv", folder / "out"
    write_traces(org, TraceMatrix(np.zeros((2, 3), np.int32), 41))
    ano.write_text("reg_id\n2 1\n3 2 1\n2 1\n1 2\n1 2 3\n1 2\n", encoding="utf-8")
    options = ("--method", method, "-o", out, "--quiet", "--seed", 1)
    asked = () if method == "shuffle" else ("--k", 2, "--adversary", "none")
    done("pseudonymize", ano, "--original", org, *options, *asked)
    rows = (out / "publish" / "pubtraces.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split(",")[2] for row in rows] == ["1 2", "1 2 3", "1 2"] * 2
    secret = (out / "secret" / "ptable.secret.json").read_text(encoding="utf-8")
    zones = json.loads(secret).get("zones")
    assert zones == (None if method == "shuffle" else 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "shuffle", "-o", "pub.csv"], "--table is missing"),
        (["--method", "shuffle", "-o", "pub.csv", "--table", "pub.csv"], "the same file"),
        (["--method", "shuffle", "-o", "pub.csv", "--table", "t.csv", "--k", "3"], "--k cannot"),
        (["--method", "swap", "-o", "x"], "--method 'swap' is unknown"),
        (["--method", "mixzone", "-o", "x", "--zones", "some"], "--zones 'some' is unknown"),
        (["--method", "mixzone", "-o", "x", "--zones", "minimum", "--enforce"], "--enforce cannot"),
        (["--method", "mixzone", "-o", "x", "--k", "1"], "--k 1 is not from 2"),
        (["--method", "mixzone", "-o", "x", "--adversary", "nobody"], "neither a known one"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    folder: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = run("pseudonymize", "org.csv", *arguments)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert not (folder / "pub.csv").exists()


def test_cells_without_users_need_the_original(folder: Path) -> None:
    (folder / "ano.csv").write_text("reg_id\n1\n")
    found = run("pseudonymize", folder / "ano.csv", "--method", "shuffle", "-o", folder)
    assert found.exit_code == 2
    assert "--original" in found.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--method rotate", "needs the times of rotation"),
        ("--method rotate --rotate sometimes", "not a schedule"),
        ("--method rotate --rotate every:99", "no rotation"),
        ("--method rotate --rotate daily --zones all", "in no mix zones"),
        ("--method shuffle --rotate daily", "static shuffle"),
        ("--method mixzone --rotate daily --zones minimum", "chooses among mix zones"),
        ("--method mixzone --max-step 0", "max-step"),
    ],
)
def test_rules_of_exchange_that_do_not_fit_are_refused_in_one_line(folder, options, message):
    found = run("pseudonymize", folder / "org.csv", *options.split(), "-o", folder / "made")
    assert found.exit_code == 2
    assert message in found.stderr
    assert found.stderr.count("\n") == 1


def test_rotation_changes_pseudonyms_at_its_times_only(folder):
    """An audit by the same options does not contradict what was seen."""
    done("pseudonymize", folder / "org.csv", "--method", "rotate", "--rotate", "every:15",
         "--max-step", "5", "--engine", "bounds", "--seed", "1", "-o", folder / "made")  # fmt: skip
    user = read_id_table(folder / "made" / "secret" / "ptable.csv").user
    changes = np.flatnonzero((user[:, 1:] != user[:, :-1]).any(axis=0)) + 2
    assert set(changes.tolist()) <= {16, 31}
    assert len(changes)
    seen = (folder / "org.csv").read_text().splitlines()
    (folder / "seen.csv").write_text("\n".join([seen[0], seen[1], seen[-1]]) + "\n")
    public = folder / "made" / "publish" / "pubtraces.csv"
    found = run("audit", public, "--knowledge", folder / "seen.csv", "--exchange", "none",
                "--rotate", "every:15", "--max-step", "5", "--engine", "bounds")  # fmt: skip
    assert found.exit_code in (0, 1, 3, 4), found.stderr
    assert "All pseudonyms change at 2 scheduled times, and at no other time" in found.stdout


@pytest.mark.parametrize("said", [("--seed", 90817263544), ("--seed=90817263544",)])
def test_the_json_names_source_and_release_by_hash_and_never_the_seed(
    folder: Path, said: tuple[object, ...]
) -> None:
    out, answer = folder / "release", folder / "made.json"
    options = ("--method", "shuffle", "-o", out, "--json", answer, "--quiet")
    done("pseudonymize", folder / "org.csv", *options, *said)
    text = answer.read_text(encoding="utf-8")
    assert "90817263544" not in text
    found = json.loads(text)
    assert found["seeded"]
    (read,), (written,) = found["provenance"]["inputs"], found["provenance"]["outputs"]
    for told, path in ((read, folder / "org.csv"), (written, out / "publish" / "pubtraces.csv")):
        assert told["sha256"] == sha256(path.read_bytes()).hexdigest()
        assert told["name"] == path.name
    assert sha256((out / "secret" / "ptable.csv").read_bytes()).hexdigest() not in text
    done("pseudonymize", folder / "org.csv", *options)
    assert not json.loads(answer.read_text(encoding="utf-8"))["seeded"]


def test_a_score_names_a_release_of_its_table_only(folder: Path) -> None:
    out = folder / "release"
    done("pseudonymize", folder / "org.csv", "--method", "shuffle", "-o", out, "--quiet")
    table, pub = out / "secret" / "ptable.csv", out / "publish" / "pubtraces.csv"
    guess = folder / "guess.csv"
    guess.write_text("user_id\n" + "1\n" * N_USERS)
    score = ("contest", "score", "reid", table, guess, "--json", folder / "score.json", "-q")
    done(*score, "--release", pub)
    told = json.loads((folder / "score.json").read_text())["provenance"]["inputs"]
    assert told[0]["sha256"] == sha256(pub.read_bytes()).hexdigest()
    short = folder / "short.csv"
    rows = [row.split(",") for row in pub.read_text().splitlines()[1 : 1 + N_STEPS * 6]]
    moved = [f"{int(one) - 6},{time},{region}" for one, time, region in rows]
    short.write_text("\n".join(["pse_id,time_id,reg_id", *moved, ""]))
    refused = run(*score, "--release", short)
    assert refused.exit_code == 2
    assert "it has 6 pseudonyms at 40 times, and the table 12 at 1" in refused.stderr
