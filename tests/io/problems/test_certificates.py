"""Sealed certificates in files: a forgery for everything that reading refuses."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mixsafe.errors import InputError
from mixsafe.io.problems.certificates import (
    certificate_object,
    check_folder,
    read_certificates,
    seal,
    write_certificates,
)
from mixsafe.model.answer.certificate import Certificate, Claim, Exchange
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.requirement import Rule
from tests.strategies import problem

ASKED = Certificate(
    problem(3, 4, [(1, [0, 1]), (3, [1, 2])], [(0, 0)], [(0, 2, 2), (2, 2, 2), (1, 4, 3)]),
    Rule("every"),
    None,
    (
        Claim(0, 2, 2, 2, Verdict.SAFE, witnesses=(0, 1)),
        Claim(2, 2, 2, 2, Verdict.UNSAFE, candidates=(2,), decided_by="reachability"),
        Claim(1, 4, 4, 3, Verdict.UNDECIDED),
    ),
    ((), (Exchange(1, (0, 1), (1, 0)),)),
)
"""A claim of each verdict."""

Change = Callable[[dict[str, Any]], object]


def written(change: Change, folder: Path) -> Path:
    """A certificate that was changed, and sealed by who changed it."""
    found = json.loads(json.dumps(certificate_object(ASKED, (0, 1))))
    del found["sha256"]
    change(found)
    path = folder / "certificate.json"
    path.write_text(json.dumps({**found, "sha256": seal(found)}))
    return path


def claim(place: int, **changes: object) -> Change:
    return lambda found: found["claims"][place].update(changes)


def witness(made: object) -> Change:
    return lambda found: found["witnesses"].append(made)


def test_what_was_sealed_is_read(tmp_path: Path) -> None:
    (found,) = read_certificates(written(lambda _: None, tmp_path))
    assert found.claims == ASKED.claims
    assert found.witnesses == ASKED.witnesses
    assert (found.rule, found.k) == (ASKED.rule, None)


NO_LIST = "is not a list of whole numbers from 0"

FORGERIES: dict[str, tuple[Change, str]] = {
    "another format": (lambda found: found.update(format="mixsafe certificate 2"), "its format is"),
    "a key more": (lambda found: found.update(more=1), "keys are not those of a certificate"),
    "a key less": (lambda found: found.pop("rule"), "keys are not those of a certificate"),
    "another part": (lambda found: found.update(part=[1, 2]), "not part 0 of 1"),
    "a problem that is none": (lambda found: found.update(problem=[]), "a problem is an object"),
    "a rule that is no text": (lambda found: found.update(rule=3), "column 'rule': not a text"),
    "a rule that does not exist": (
        lambda found: found.update(rule="most"),
        "column 'rule': unknown rule 'most'",
    ),
    "a k beside requirements": (
        lambda found: found.update(k=2),
        "column 'k': not a whole number, or",
    ),
    "a k that is a truth value": (
        lambda found: [found["problem"].pop("requirements"), found.update(k=True)],
        "column 'k': not a whole number, or",
    ),
    "a k that is no whole number": (
        lambda found: [found["problem"].pop("requirements"), found.update(k=2.0)],
        "column 'k': not a whole number, or",
    ),
    "claims that are no list": (lambda found: found.update(claims={}), "are lists"),
    "witnesses that are no list": (lambda found: found.update(witnesses="01"), "are lists"),
    "a claim that is no object": (
        lambda found: found["claims"].append([0, 2, 2, 2, "safe", [0]]),
        "a claim is an object with a verdict",
    ),
    "a claim without a verdict": (
        lambda found: found["claims"][0].pop("verdict"),
        "a claim is an object with a verdict",
    ),
    "a verdict that is no text": (claim(0, verdict=["safe"]), "an object with a verdict"),
    "a verdict that does not exist": (claim(2, verdict="sure"), "the keys of its verdict"),
    "a safe claim with candidates": (claim(0, candidates=[0]), "the keys of its verdict"),
    "an unsafe claim with witnesses": (claim(1, witnesses=[0]), "the keys of its verdict"),
    "an undecided claim with witnesses": (claim(2, witnesses=[0]), "the keys of its verdict"),
    "an unsafe claim without a reason": (
        lambda found: found["claims"][1].pop("decided_by"),
        "the keys of its verdict",
    ),
    "a claim without its user": (
        lambda found: found["claims"][0].pop("user"),
        "the keys of its verdict",
    ),
    "a negative user": (claim(0, user=-1), NO_LIST),
    "a user that is a truth value": (claim(0, user=False), NO_LIST),
    "a step that is no whole number": (claim(0, **{"from": 2.0}), NO_LIST),
    "a last step that is a text": (claim(0, to="2"), NO_LIST),
    "a k of a claim that is nothing": (claim(0, k=None), NO_LIST),
    "a negative witness index": (claim(0, witnesses=[0, -1]), NO_LIST),
    "witnesses of a claim that are no list": (claim(0, witnesses="01"), NO_LIST),
    "witnesses of a claim that are a number": (claim(0, witnesses=2), NO_LIST),
    "candidates that are an object": (claim(1, candidates={}), NO_LIST),
    "an argument that does not exist": (claim(1, decided_by="luck"), "is no argument"),
    "an argument that is a list": (claim(1, decided_by=["reachability"]), "is no argument"),
    "candidates out of order": (claim(1, candidates=[2, 1]), "candidates are not ascending"),
    "a candidate twice": (claim(1, candidates=[2, 2]), "candidates are not ascending"),
    "a negative candidate": (claim(1, candidates=[-1, 2]), NO_LIST),
    "a witness that is no list": (witness({}), "a witness is a list of exchanges"),
    "an exchange that is no list": (witness(["abc"]), r"an exchange is \[time, rows, tokens\]"),
    "an exchange of two parts": (witness([[1, [0, 1]]]), "an exchange is"),
    "an exchange of four parts": (witness([[1, [0, 1], [1, 0], []]]), "an exchange is"),
    "an exchange before all steps": (witness([[-1, [0, 1], [1, 0]]]), NO_LIST),
    "an exchange of negative rows": (witness([[1, [0, -1], [1, 0]]]), NO_LIST),
    "an exchange of negative tokens": (witness([[1, [0, 1], [1, -2]]]), NO_LIST),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused_for_what_is_wrong_though_it_is_sealed(
    name: str, tmp_path: Path
) -> None:
    change, message = FORGERIES[name]
    path = written(change, tmp_path)
    with pytest.raises(InputError, match=message) as refused:
        read_certificates(path)
    assert str(path) in str(refused.value)


def test_what_was_changed_after_it_was_sealed_is_refused(tmp_path: Path) -> None:
    path = written(lambda _: None, tmp_path)
    path.write_text(path.read_text().replace('"k": 3', '"k": 2'))
    with pytest.raises(InputError, match="changed or damaged"):
        read_certificates(path)


def test_a_seal_that_is_left_out_is_refused(tmp_path: Path) -> None:
    path = written(lambda _: None, tmp_path)
    found = json.loads(path.read_text())
    del found["sha256"]
    path.write_text(json.dumps(found))
    with pytest.raises(InputError, match="changed or damaged"):
        read_certificates(path)


def test_the_order_of_keys_and_blanks_do_not_break_the_seal(tmp_path: Path) -> None:
    path = written(lambda _: None, tmp_path)
    found = json.loads(path.read_text())
    path.write_text(json.dumps(dict(sorted(found.items())), indent=2))
    assert read_certificates(path)[0].claims == ASKED.claims


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"claims": [], "claims": []}', "an object has a key twice"),
        ('{"problem": {"users": 3, "users": 4}}', "an object has a key twice"),
        ('{"format": ', "not JSON: .* at character 12"),
        ("[" * 100_000, "not JSON that can be read"),
        (f'{{"k": {"9" * 5000}}}', "not JSON that can be read"),
        ("[1, 2]", "not a certificate"),
        ('{"k": 3}', "not a certificate"),
    ],
)
def test_what_is_no_certificate_is_refused_without_a_traceback(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_certificates(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(b'{"format": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        read_certificates(path)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines[1:], "line 1.*not part 0 of 2"),
        (lambda lines: lines[:-1], "line 1.*not part 0 of 2"),
        (lambda lines: [lines[1], lines[0], lines[2]], "line 1.*not part 0 of 3"),
        (lambda lines: [*lines, lines[2]], "line 1.*not part 0 of 4"),
        (lambda lines: [lines[0], lines[0], lines[2]], "line 2.*not part 1 of 3"),
    ],
)
def test_no_certificate_of_several_is_missing_doubled_or_misplaced(
    change: Any, line: str, tmp_path: Path
) -> None:
    path = write_certificates(tmp_path, [ASKED] * 3, lines=True)
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))
    with pytest.raises(InputError, match=line):
        read_certificates(path)


def test_one_of_several_certificates_alone_is_not_the_whole(tmp_path: Path) -> None:
    path = write_certificates(tmp_path, [ASKED] * 2, lines=True)
    path.write_text(path.read_text().splitlines()[0])
    with pytest.raises(InputError, match="not part 0 of 1"):
        read_certificates(path)


def test_a_certificate_of_one_k_for_all_is_read_as_it_was_written(tmp_path: Path) -> None:
    everybody = problem(2, 3, [(1, [0, 1])])
    written = Certificate(everybody, Rule("every"), 2, (Claim(0, 2, 2, 2, Verdict.UNDECIDED),), ())
    write_certificates(tmp_path / "new", [written], lines=False)
    (found,) = read_certificates(tmp_path / "new")
    assert (found.k, found.claims) == (2, written.claims)


def test_a_certificate_may_be_broken_into_lines_anywhere(tmp_path: Path) -> None:
    path = written(lambda _: None, tmp_path)
    sealed = json.loads(path.read_text())
    problem_last = {key: sealed[key] for key in sorted(sealed, key=lambda key: key == "problem")}
    path.write_text(json.dumps(problem_last).replace('"problem": {', '"problem":\n{'))
    assert path.read_text().splitlines()[-1][0] == "{"
    assert len(read_certificates(path)) == 1


def test_names_stay_readable_in_the_file(tmp_path: Path) -> None:
    named = replace(ASKED, problem=replace(ASKED.problem, name="Zürich"))
    path = write_certificates(tmp_path, [named], lines=False)
    assert "Zürich" in path.read_text(encoding="utf-8")
    assert read_certificates(path)[0].problem.name == "Zürich"


def test_an_archive_and_a_file_that_cannot_be_read_are_refused_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "packed").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(InputError, match="it is a gzip archive"):
        read_certificates(tmp_path / "packed")
    path = written(lambda _: None, tmp_path)

    def fails(_: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", fails)
    with pytest.raises(InputError, match="cannot read: input/output error"):
        read_certificates(path)


def test_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="this is a file"):
        write_certificates(tmp_path / "file", [ASKED], lines=False)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(InputError, match="cannot be written there"):
        check_folder(tmp_path)


def test_a_folder_holds_one_file_of_certificates(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no certificate"):
        read_certificates(tmp_path)
    for lines in (False, True, False):
        write_certificates(tmp_path, [ASKED], lines=lines)
        assert len(list(tmp_path.iterdir())) == 1
        assert len(read_certificates(tmp_path)) == 1
    (tmp_path / "certificate.jsonl").write_text("{}")
    with pytest.raises(InputError, match="holds two certificates"):
        read_certificates(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused_before_any_long_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="this is a file"):
        check_folder(tmp_path / "file")
    with pytest.raises(InputError, match="does not exist"):
        check_folder(tmp_path / "none" / "here")
    check_folder(tmp_path)
    check_folder(tmp_path / "new")
    assert not (tmp_path / "new").exists()
