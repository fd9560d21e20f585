"""Sealed certificates in folders: a forgery for everything that reading refuses."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.io.certificates import certificate_writer
from mixsafe.io.certificates.certificate_folder import TABLES, StoredTable, TableWriter
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import check_folder, write_certificates
from mixsafe.model.answer.certificate import ClauseProofs, HallSets
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.csr import Ragged
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.requirement import Rule
from tests.support.certificates import (
    Claim,
    Exchange,
    Written,
    claims_in,
    in_pieces,
    sealed_again,
    witnesses_in,
)
from tests.support.strategies import problem

ASKED = Written(
    problem(3, 4, [(1, [0, 1]), (3, [1, 2])], [(0, 0)], [(0, 2, 2), (2, 2, 2), (1, 4, 3)]),
    Rule("every"),
    None,
    (
        Claim(0, 2, 2, 2, Verdict.SAFE, witnesses=(0, 1), decided_by="swap"),
        Claim(2, 2, 2, 2, Verdict.UNSAFE, candidates=(2,), decided_by="reachability"),
        Claim(1, 4, 4, 3, Verdict.UNDECIDED),
    ),
    ((), (Exchange(1, (0, 1), (1, 0)),)),
)
"""A claim of each verdict."""

Change = Callable[[dict[str, Any], dict[str, pa.Table]], object]


def written(folder: Path, change: Change = lambda manifest, tables: None) -> Path:
    """A certificate that was changed, and sealed by who changed it."""
    write_certificates(folder, [ASKED.certificate])
    sealed_again(folder, change)
    return folder


def part(**changes: object) -> Change:
    """Says something else of the problem."""
    return lambda manifest, _: manifest["parts"][0].update(changes)


def column(table: str, name: str, values: object, kind: pa.DataType | None = None) -> Change:
    """Has another column."""

    def change(_: dict[str, Any], tables: dict[str, pa.Table]) -> None:
        whole = tables[table]
        place = whole.schema.get_field_index(name)
        tables[table] = whole.set_column(place, name, pa.array(values, kind or whole[name].type))

    return change


def test_what_was_sealed_is_read(tmp_path: Path) -> None:
    (found,) = read_certificates(written(tmp_path))
    assert claims_in(found.claims) == ASKED.claims
    assert witnesses_in(found) == ASKED.witnesses
    assert (found.rule, found.k) == (ASKED.rule, None)


def test_all_that_a_certificate_says_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = ASKED.certificate
    zones = replace(
        one.problem.zones,
        users=np.array(["Zürich", "b", "c"], object),
        axis=TimeAxis(4, 1_700_000_000, 60, "Asia/Tokyo"),
    )
    named = replace(
        one,
        problem=replace(one.problem, name="Zürich", zones=zones),
        rule=Rule("share", 1 / 3),
        hall_sets=HallSets(np.array([2], np.int32), Ragged.of([[0, 1]]), Ragged.of([[0, 1]])),
        clause_proofs=ClauseProofs(
            *(np.array([n], np.int32) for n in (2, 2, 0, 4)),
            *(Ragged.of([numbers]) for numbers in ([0, 2], [2], [1, 5], [-1, 2, 0, 0])),
        ),
        adversary="endpoints",
        engine="auto",
    )
    write_certificates(tmp_path / "new", [named])
    (found,) = read_certificates(tmp_path / "new")
    assert (found.problem.name, found.rule) == ("Zürich", named.rule)
    assert (found.adversary, found.engine) == ("endpoints", "auto")
    assert found.problem.zones.users.tolist() == zones.users.tolist()
    assert found.problem.zones.axis == zones.axis
    assert found.hall_sets.tokens[0].tolist() == [0, 1]
    assert found.clause_proofs.lemmas[0].tolist() == [-1, 2, 0, 0]


def named(*names: str) -> Change:
    """Has users who are called by whole numbers."""

    def change(manifest: dict[str, Any], tables: dict[str, pa.Table]) -> None:
        told = manifest["parts"][0]
        told["user_ids"], told["rows"]["users"] = "integers", len(names)
        tables["users"] = pa.table({"user_id": pa.array(names, pa.string())})

    return change


CLAIMS = "columns of claims differ in length"
COLUMNS = "columns are missing, unknown, or have the wrong type"
ROWS = "some rows of"

FORGERIES: dict[str, tuple[Change, str]] = {
    "another format": (lambda m, _: m.update(format="mixsafe certificate 99"), "its format is"),
    "a key more": (lambda m, _: m.update(more=1), "keys are missing or unknown"),
    "a key less": (lambda m, _: m.pop("version"), "keys are missing or unknown"),
    "a version that is no text": (lambda m, _: m.update(version=3), "keys are missing or unknown"),
    "files that are no object": (lambda m, _: m.update(files=[]), "files are missing or unknown"),
    "a file more": (
        lambda m, _: m["files"].update({"../claims.parquet": "0"}),
        "files are missing or unknown",
    ),
    "a file less": (lambda m, _: m["files"].pop("claims.parquet"), "files are missing or unknown"),
    "no problems": (lambda m, _: m.update(parts=[]), "the certificate contains no problem"),
    "problems that are no list": (
        lambda m, _: m.update(parts={}),
        "the certificate contains no problem",
    ),
    "a problem that is no object": (
        lambda m, _: m.update(parts=[1]),
        "keys of a problem are missing or unknown",
    ),
    "a problem that says more": (part(more=1), "keys of a problem are missing or unknown"),
    "a problem that says less": (
        lambda m, _: m["parts"][0].pop("k"),
        "keys of a problem are missing or unknown",
    ),
    "a name that is no text": (part(name=3), "column 'name': the value has the wrong type"),
    "a k that is a truth value": (part(k=True), "column 'k': the value has the wrong type"),
    "a k that is no whole number": (part(k=2.0), "column 'k': the value has the wrong type"),
    "a k beside requirements": (part(k=2), "both a k for all users and requirements"),
    "a rule that is no text": (part(rule=3), "column 'rule': the value has the wrong type"),
    "a rule that does not exist": (part(rule="most"), "unknown rule 'most'"),
    "a share of nothing": (part(rule="share:0"), "share"),
    "users that are no number": (part(users="3"), "column 'users': the value has the wrong type"),
    "more users than can be": (part(users=2**40), "reading it takes 76,965.8 GB of memory"),
    "less than no users": (part(users=-1), "the number of users is negative: -1"),
    "users called by something else": (
        part(user_ids="colours"),
        "unknown kind of user names 'colours'",
    ),
    "names of users that are not there": (part(user_ids="texts"), " names for "),
    "a user's name in two ways": (named("1", "01", "2"), "a user name occurs twice"),
    "a name that is no number": (named("1", "one", "2"), "a user name is not a 64-bit integer"),
    "a horizon of nothing": (part(steps=0), "the horizon must be at least 1 step, not 0"),
    "another problem's hash": (part(problem="0" * 64), "does not match its hash"),
    "another horizon": (part(steps=5), "does not match its hash"),
    "another first step": (part(first=7), "does not match its hash"),
    "a sighting changed": (column("sightings", "time", [1]), "does not match its hash"),
    "a zone at another step": (column("zones", "time", [2, 3]), "does not match its hash"),
    "a requirement changed": (
        column("requirements", "k", [2, 2, 2]),
        "does not match its hash",
    ),
    "a zone of nobody": (column("zones", "users", [[0, 1], []]), "fewer than two users"),
    "a zone of users who do not exist": (column("zones", "users", [[0, 1], [1, 7]]), "unknown us"),
    "tables that are missing": (
        lambda m, _: m["parts"][0]["rows"].pop("claims"),
        "tables are missing",
    ),
    "a number of rows that is none": (
        lambda m, _: m["parts"][0]["rows"].update(claims=3.0),
        "a number of rows is not an integer from 0 on",
    ),
    "a negative number of rows": (
        lambda m, _: m["parts"][0]["rows"].update(claims=-3),
        "a number of rows is not an integer from 0 on",
    ),
    "a claim that belongs to no problem": (
        lambda m, _: m["parts"][0]["rows"].update(claims=2),
        "some rows of 'claims' belong to no problem",
    ),
    "a witness that is not there": (
        lambda m, _: m["parts"][0]["rows"].update(witnesses=3),
        "some rows of 'witnesses' belong to no problem",
    ),
    "columns of another name": (
        lambda _, t: t.update(claims=t["claims"].rename_columns([*"abcdefghi"])),
        COLUMNS,
    ),
    "a column more": (
        lambda _, t: t.update(claims=t["claims"].append_column("more", pa.array([1, 2, 3]))),
        COLUMNS,
    ),
    "columns in another order": (
        lambda _, t: t.update(claims=t["claims"].select(t["claims"].column_names[::-1])),
        COLUMNS,
    ),
    "steps that are texts": (column("claims", "from", ["2", "2", "4"], pa.string()), COLUMNS),
    "steps that are no whole numbers": (
        column("claims", "from", [2.0, 2.5, 4.0], pa.float64()),
        COLUMNS,
    ),
    "a value that is missing": (column("claims", "to", [2, None, 4]), "a value is missing"),
    "a value of a list that is missing": (
        column("claims", "witnesses", [[0, None], [], []]),
        "a value is missing",
    ),
    "a list that is missing": (column("claims", "witnesses", [[0, 1], None, []]), "is missing"),
    "a verdict that does not exist": (column("claims", "verdict", [0, 1, 3]), "unknown verdict"),
    "a verdict below all": (column("claims", "verdict", [0, 1, -1]), "unknown verdict"),
    "an argument that does not exist": (
        column("claims", "decided_by", [3, 200, 0]),
        "unknown argument",
    ),
    "an exchange without its size": (
        column("witnesses", "sizes", [[], []]),
        "the rows do not fit the exchanges",
    ),
    "an exchange of another size": (
        column("witnesses", "sizes", [[], [3]]),
        "the rows do not fit the exchanges",
    ),
    "an exchange of a negative size": (
        column("witnesses", "sizes", [[], [-2]]),
        "the rows do not fit the exchanges",
    ),
    "a token less than rows": (
        column("witnesses", "tokens", [[], [1]]),
        "do not have one token per row",
    ),
    "a token more than rows": (
        column("witnesses", "tokens", [[], [1, 0, 0]]),
        "do not have one token per row",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused_for_what_is_wrong_though_it_is_sealed(
    name: str, tmp_path: Path
) -> None:
    change, message = FORGERIES[name]
    folder = written(tmp_path / "certificate", change)
    with pytest.raises(InputError, match=message) as refused:
        read_all(folder)
    assert str(folder) in str(refused.value)


def test_whoever_is_said_to_be_without_data_makes_it_another_problem(tmp_path: Path) -> None:
    """Nobody would count her, so her failing could be hidden, and the hash be the same."""
    asked = problem(4, 4, [(1, [0, 1]), (3, [1, 2])], [(0, 0)], [(0, 2, 2), (2, 2, 2), (1, 4, 3)])
    write_certificates(tmp_path, [replace(ASKED, problem=asked).certificate])
    sealed_again(tmp_path, part(absent=[3]))
    with pytest.raises(InputError, match="does not match its hash"):
        read_all(tmp_path)


@pytest.mark.parametrize("number", [2, 8, 9])
def test_former_formats_are_refused_with_what_to_do(number: int, tmp_path: Path) -> None:
    written(tmp_path, lambda manifest, _: manifest.update(format=f"mixsafe certificate {number}"))
    with pytest.raises(InputError, match=r"of an earlier version.*write it again"):
        read_certificates(tmp_path)


def read_all(folder: Path) -> None:
    for certificate in read_certificates(folder):
        list(certificate.witnesses.pieces())


@pytest.mark.parametrize("name", [*(f"{table}.parquet" for table in TABLES)])
def test_what_was_changed_after_it_was_sealed_is_refused(tmp_path: Path, name: str) -> None:
    path = written(tmp_path) / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="changed or damaged"):
        read_certificates(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match="cannot read"):
        read_certificates(tmp_path)


def test_a_manifest_that_was_changed_or_has_no_seal_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path) / "manifest.json"
    text = path.read_text()
    path.write_text(text.replace('"every"', '"some"'))
    with pytest.raises(InputError, match="changed or damaged"):
        read_certificates(tmp_path)
    found = json.loads(text)
    del found["sha256"]
    path.write_text(json.dumps(found))
    with pytest.raises(InputError, match="changed or damaged"):
        read_certificates(tmp_path)


def test_the_order_of_keys_and_blanks_do_not_break_the_seal(tmp_path: Path) -> None:
    path = written(tmp_path) / "manifest.json"
    path.write_text(json.dumps(dict(sorted(json.loads(path.read_text()).items())), indent=4))
    assert len(read_certificates(tmp_path)) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"parts": [], "parts": []}', "an object contains a key twice"),
        ('{"parts": ', "not JSON: .* at character 11"),
        ("[" * 100_000, "unreadable JSON"),
        (f'{{"k": {"9" * 5000}}}', "unreadable JSON"),
        ("[1, 2]", "not a certificate"),
        ('{"k": 3}', "not a certificate"),
        ("", "not JSON"),
        ("null", "not a certificate"),
        ('{"format": 3}', "not a certificate"),
    ],
)
def test_what_is_no_manifest_is_refused_without_a_traceback(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_certificates(tmp_path)


def test_bytes_that_are_no_text_and_a_file_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(b'{"format": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        read_certificates(tmp_path)


def test_a_file_that_is_no_table_is_refused_though_it_is_sealed(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "claims.parquet").write_bytes(b"PAR1 and nothing else")
    sealed_again(tmp_path, lambda *_: None, read=("manifest",))
    with pytest.raises(InputError, match="the Parquet file is damaged"):
        read_certificates(tmp_path)


@pytest.mark.parametrize("flipped", [0x01, 0x7F, 0x80])
def test_a_changed_byte_of_a_tables_end_is_refused_or_does_no_harm(
    tmp_path: Path, flipped: int
) -> None:
    """A column's name that was no text, and fewer rows than none, were called bugs."""
    writer = TableWriter(tmp_path, "sightings")
    writer.add(np.arange(3), np.arange(3))
    writer.close()
    path = tmp_path / "sightings.parquet"
    content = path.read_bytes()
    length, refused = int.from_bytes(content[-8:-4], "little") + 8, 0
    for at in range(len(content) - length, len(content)):
        changed = bytearray(content)
        changed[at] ^= flipped
        path.write_bytes(changed)
        try:
            table = StoredTable(tmp_path, "sightings")
            table.memory(0, len(table))
            table.rows(0, min(len(table), 3))
        except InputError:
            refused += 1
    assert refused > length / 2


@pytest.mark.parametrize("name", ["certificate.json", "certificate.jsonl"])
def test_a_certificate_of_format_1_is_refused_with_what_to_do(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"format": "mixsafe certificate 1"}')
    for path in (tmp_path, tmp_path / name):
        with pytest.raises(InputError, match=r"of an earlier version.*write it again") as refused:
            read_certificates(path)
        assert "\n" not in str(refused.value)


def test_a_folder_without_a_certificate_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="no certificate found"):
            read_certificates(path)


def test_several_certificates_are_read_one_by_one(tmp_path: Path) -> None:
    few = replace(ASKED, claims=ASKED.claims[:1], witnesses=())
    write_certificates(tmp_path, (one.certificate for one in (ASKED, few, ASKED)))
    found = read_certificates(tmp_path)
    assert [len(one.claims) for one in found] == [3, 1, 3]
    assert [claims_in(one.claims) for one in found[::2]] == [ASKED.claims] * 2
    assert [witnesses_in(one) for one in found] == [ASKED.witnesses, (), ASKED.witnesses]
    assert claims_in(found[-1].claims) == ASKED.claims
    with pytest.raises(IndexError):
        found[3]


def test_what_is_read_in_pieces_is_all_of_it(tmp_path: Path) -> None:
    swap = (Exchange(1, (0, 1), (1, 0)),)
    pool = ((), swap, swap, (), swap, (*swap, Exchange(3, (1, 2), (2, 0))), (), ())
    many = replace(ASKED, witnesses=pool)
    several = [in_pieces(one.certificate, 5) for one in (many, ASKED, many)]
    write_certificates(tmp_path, several, group=4)
    assert parquet.read_metadata(tmp_path / "witnesses.parquet").num_row_groups > 4
    assert [witnesses_in(one) for one in read_certificates(tmp_path)] == [
        pool,
        ASKED.witnesses,
        pool,
    ]
    assert len(list(read_certificates(tmp_path)[0].witnesses.pieces())) > 1


def test_nothing_is_certified_where_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no problem to certify"):
        write_certificates(tmp_path / "new", [])
    assert not (tmp_path / "new").exists()


def test_a_certificate_takes_the_place_of_another_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    folder.mkdir()
    (folder / "certificate.jsonl").write_text("of an earlier version")
    write_certificates(folder, [ASKED.certificate] * 2)

    def fails() -> Any:
        yield ASKED.certificate
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_certificates(folder, fails())
    assert len(read_certificates(folder)) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["proofs"]


def test_a_folder_that_cannot_be_made_is_refused_before_any_long_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="this is a file"):
        check_folder(tmp_path / "file")
    with pytest.raises(InputError, match="does not exist"):
        check_folder(tmp_path / "none" / "here")
    with pytest.raises(InputError, match="contains files other than a certificate"):
        check_folder(tmp_path)
    check_folder(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    monkeypatch.setattr(certificate_writer.os, "access", lambda *_: False)
    with pytest.raises(InputError, match="not writable"):
        check_folder(tmp_path / "new")
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("length", [1, 1_000])
def test_the_memory_of_a_table_is_not_estimated_at_half_of_it(tmp_path: Path, length: int) -> None:
    """Lists of one value each take most: their offsets are longer than they are."""
    rows = 100_000 // length
    lists = Ragged(np.arange(rows + 1) * length, np.zeros(rows * length, np.int32))
    writer = TableWriter(tmp_path, "closures")
    writer.add(np.zeros(rows, np.int32), lists, lists)
    writer.close()
    table, before = StoredTable(tmp_path, "closures"), pa.total_allocated_bytes()
    time, *found = table.rows(0, rows)
    held = time.nbytes + sum(one.ptr.nbytes + one.values.nbytes for one in found)
    assert sum(table.memory(0, rows)) >= held + pa.total_allocated_bytes() - before
