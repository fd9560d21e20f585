"""JSON of a file, one value or one per line, and the keys of its first bytes."""

import json

import pytest

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_json
from mixsafe.io.files.json_values import json_values, key_paths


@pytest.mark.parametrize("rows", [1, 3, 1000, 2001])
def test_values_of_lines_have_their_lines(rows, tmp_path):
    """However many are parsed at once; blank lines count."""
    path = tmp_path / "v.jsonl"
    path.write_text("\n" + "\n\n".join(json.dumps({"n": n}) for n in range(rows)))
    found = list(json_values(path))
    assert [one.value for one in found] == [{"n": n} for n in range(rows)]
    lines = [None] if rows == 1 else [2 * n + 2 for n in range(rows)]
    assert [one.line for one in found] == lines


def test_values_may_have_lines_in_them(tmp_path):
    """As jq writes them; and a record separator before each."""
    path = tmp_path / "v.json"
    for mark in ("", "\x1e"):
        path.write_text("".join(f"{mark}{json.dumps({'n': n}, indent=1)}\n" for n in range(3)))
        assert list(json_values(path)) == [({"n": n}, 3 * n + 1) for n in range(3)]
    path.write_text('{\n"n": 1\n}\n{\n"n": \n}')
    with pytest.raises(InputError, match="line 6: this is not JSON"):
        list(json_values(path))


@pytest.mark.parametrize("bad", ['{"n": 1', '{"n": 1} {}', '{"n": 1, "n": 2}', '{"n": 1},{}', "]["])
def test_the_line_at_fault_is_named(bad, tmp_path):
    """Also in a block of lines that were parsed at once."""
    path = tmp_path / "v.jsonl"
    path.write_text("\n".join(['{"n": 1}'] * 1500 + [bad] + ['{"n": 1}'] * 9))
    with pytest.raises(InputError) as caught:
        list(json_values(path))
    assert caught.value.line == 1501


def test_only_wanted_keys_are_kept(tmp_path):
    """At any depth; what they are for is memory."""
    path = tmp_path / "v.json"
    path.write_text('{"a": [{"b": 1, "c": {"a": 2}}], "c": 3}')
    assert next(json_values(path, frozenset("ab"))).value == {"a": [{"b": 1}]}
    path.write_text('{"a": 1, "c": 1, "c": 1}')
    with pytest.raises(InputError, match="column 'c': an object has this key twice"):
        list(json_values(path, frozenset("a")))


PATHS = {
    '{"a": {"b": [1, {"c": "d"}]}, "e": 1}': {".a", ".a.b", ".a.b[].c", ".e"},
    '[{"a": 1}, {"b": [[{"c": 2}]]}]': {"[].a", "[].b", "[].b[][].c"},
    '{"a": 1}\n{"b": "x\\"y: {"}\n': {".a", ".b"},
    '{"a": "b", "c": {"d': {".a", ".c"},
    "]}{": set(),
}


@pytest.mark.parametrize("text", PATHS)
def test_paths_of_keys(text):
    """Texts with brackets and quotation marks are no keys, and the end may be missing."""
    assert key_paths(text.encode()) == PATHS[text]


def test_what_json_takes_is_told_before_it_is_read(tmp_path, monkeypatch):
    """Its text twice, and its values."""
    path = tmp_path / "v.json"
    text = json.dumps([{"lat": n, "lon": n} for n in range(1000)]).encode()
    path.write_bytes(text)
    monkeypatch.setattr("mixsafe.machinery.memory.default_memory", lambda: 5 * len(text))
    with pytest.raises(InputError, match="reading it takes"):
        check_json(path, text)
    monkeypatch.setattr("mixsafe.machinery.memory.default_memory", lambda: 15 * len(text))
    check_json(path, text)
