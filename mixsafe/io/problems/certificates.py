"""Certificates as JSON: one object, or one per line, each sealed with a hash of its content."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mixsafe.errors import InputError
from mixsafe.io.files.atomic import write_text
from mixsafe.io.files.content import cannot_read, text_head_of
from mixsafe.io.problems.problem import problem_of
from mixsafe.io.problems.problem_writer import problem_object
from mixsafe.model.answer.certificate import Certificate, Claim, Exchange, Witness
from mixsafe.model.answer.verdict import Argument, Verdict
from mixsafe.model.question.requirement import Rule

FORMAT = "mixsafe certificate 1"
NAMES = ("certificate.json", "certificate.jsonl")
"""Of the file in a folder of certificates: for one problem, and for several."""

_KEYS = {"format", "part", "problem", "rule", "k", "claims", "witnesses", "sha256"}
_CLAIM = {"user", "from", "to", "k", "verdict"}
_MORE = {"safe": {"witnesses"}, "unsafe": {"candidates", "decided_by"}, "undecided": set[str]()}
_ARGUMENTS = {argument.word for argument in Argument}


def certificate_object(certificate: Certificate, part: tuple[int, int]) -> dict[str, Any]:
    """A certificate as a JSON object, sealed.

    Parameters
    ----------
    certificate
        What to write.
    part
        Its number in the file, from 0, and how many there are: none can be taken out.
    """
    found: dict[str, Any] = {
        "format": FORMAT,
        "part": part,
        "problem": problem_object(certificate.problem, asked=certificate.k is None),
        "rule": str(certificate.rule),
        "k": certificate.k,
        "claims": [_claim_object(claim) for claim in certificate.claims],
        "witnesses": certificate.witnesses,
    }
    return {**found, "sha256": seal(found)}


def seal(found: dict[str, Any]) -> str:
    """SHA-256 of an object's content, whatever the order of its keys and its blanks."""
    content = json.dumps(found, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def _claim_object(claim: Claim) -> dict[str, Any]:
    found: dict[str, Any] = {
        "user": claim.row,
        "from": claim.start,
        "to": claim.end,
        "k": claim.k,
        "verdict": claim.verdict.value,
    }
    if claim.verdict is Verdict.SAFE:
        found["witnesses"] = claim.witnesses
    if claim.verdict is Verdict.UNSAFE:
        found |= {"candidates": claim.candidates, "decided_by": claim.decided_by}
    return found


def check_folder(folder: Path) -> None:
    """Refuse a folder for certificates that cannot be made or used, before any long work.

    Raises
    ------
    InputError
        It is a file, or it cannot be made or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError("certificates need a folder, and this is a file", file=folder)
    if not folder.exists() and not folder.absolute().parent.is_dir():
        raise InputError("the folder that it is to be in does not exist", file=folder)
    place = folder if folder.exists() else folder.absolute().parent
    if not os.access(place, os.W_OK):
        raise InputError("certificates cannot be written there", file=folder)


def write_certificates(
    folder: str | os.PathLike[str], certificates: Sequence[Certificate], *, lines: bool
) -> Path:
    """Write ``certificate.json``, or ``certificate.jsonl`` with a certificate per line.

    The folder is made if it is missing. It holds one such file at a time: the one of the other
    name, if it is there, is of an earlier run and goes.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    check_folder(Path(folder))
    Path(folder).mkdir(exist_ok=True)
    target, other = Path(folder) / NAMES[lines], Path(folder) / NAMES[not lines]
    parts = [certificate_object(one, (n, len(certificates))) for n, one in enumerate(certificates)]
    write_text(target, "".join(f"{_text(part)}\n" for part in parts))
    other.unlink(missing_ok=True)
    return target


def _text(found: dict[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def read_certificates(path: str | os.PathLike[str]) -> list[Certificate]:
    """Certificates of a file, or of the file in a folder.

    Raises
    ------
    InputError
        There is no such file, it is not a certificate, or its content is not what was sealed.
    """
    file = _file_of(Path(path))
    text_head_of(file)
    try:
        text = file.read_bytes().decode("utf-8")
    except OSError as error:
        raise cannot_read(file, error) from None
    except UnicodeDecodeError:
        raise InputError("there are bytes that are not UTF-8", file=file) from None
    numbered = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    name = os.fspath(file)
    if _is_whole(numbered):
        return [_certificate(text, _Place(name, None), (0, 1))]
    return [
        _certificate(line, _Place(name, number), (part, len(numbered)))
        for part, (number, line) in enumerate(numbered)
    ]


def _file_of(path: Path) -> Path:
    """The certificate's file."""
    if not path.is_dir():
        return path
    there = [path / name for name in NAMES if (path / name).exists()]
    if len(there) != 1:
        what = "two certificates" if there else "no certificate"
        raise InputError(f"the folder holds {what}", file=path, hint="name a file")
    return there[0]


def _is_whole(numbered: list[tuple[int, str]]) -> bool:
    """Whether the lines are one object, not an object each."""
    first = numbered[0][1].strip()
    return len(numbered) == 1 or not (first.startswith("{") and first.endswith("}"))


def _certificate(text: str, place: _Place, part: tuple[int, int]) -> Certificate:
    """The certificate that a text holds, which is this part of the file."""
    try:
        found = json.loads(text, object_pairs_hook=place.keys_once)
    except json.JSONDecodeError as error:
        place.refuse(f"not JSON: {error.msg.lower()} at character {error.pos + 1}")
    except (RecursionError, ValueError) as error:
        place.refuse(f"not JSON that can be read: {error}")
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        place.refuse(f"not a certificate: its format is not '{FORMAT}'")
    sealed = {key: value for key, value in found.items() if key != "sha256"}
    if found.get("sha256") != seal(sealed):
        place.refuse("the content is not what was sealed: it was changed or damaged")
    if set(found) != _KEYS:
        place.refuse("its keys are not those of a certificate")
    if found["part"] != list(part):
        place.refuse(f"not part {part[0]} of {part[1]}: a certificate is missing or misplaced")
    return place.certificate(found)


@dataclass(frozen=True)
class _Place:
    """Makes certificates of JSON objects; says where something is wrong."""

    file: str
    line: int | None

    def refuse(self, message: str, key: str | None = None) -> NoReturn:
        raise InputError(message, file=self.file, line=self.line, column=key)

    def keys_once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object; refused if it says something twice."""
        found = dict(pairs)
        if len(found) < len(pairs):
            self.refuse("an object has a key twice")
        return found

    def certificate(self, found: dict[str, Any]) -> Certificate:
        problem = problem_of(found["problem"], "problem", self.file, self.line)
        rule, k = found["rule"], found["k"]
        if not isinstance(rule, str):
            self.refuse("not a text", "rule")
        if k is not None and (type(k) is not int or problem.requirements is not None):
            self.refuse("not a whole number, or beside requirements", "k")
        if not isinstance(found["claims"], list) or not isinstance(found["witnesses"], list):
            self.refuse("claims and witnesses are lists")
        claims = tuple(self._claim(one) for one in found["claims"])
        witnesses = tuple(self._witness(one) for one in found["witnesses"])
        return Certificate(problem, self._rule(rule), k, claims, witnesses)

    def _rule(self, text: str) -> Rule:
        try:
            return Rule.parse(text)
        except InputError as error:
            self.refuse(error.message, "rule")

    def _claim(self, found: object) -> Claim:
        if not isinstance(found, dict) or not isinstance(found.get("verdict"), str):
            self.refuse("a claim is an object with a verdict", "claims")
        verdict = found["verdict"]
        if verdict not in _MORE or set(found) != _CLAIM | _MORE[verdict]:
            self.refuse("a claim does not have the keys of its verdict", "claims")
        row, start, end, k = self._whole([found[key] for key in ("user", "from", "to", "k")])
        by = found.get("decided_by", "-")
        if not isinstance(by, str) or by not in _ARGUMENTS:
            self.refuse(f"{json.dumps(by)[:40]} is no argument", "decided_by")
        candidates = self._whole(found.get("candidates", []))
        if list(candidates) != sorted(set(candidates)):
            self.refuse("candidates are not ascending", "candidates")
        witnesses = self._whole(found.get("witnesses", []))
        return Claim(row, start, end, k, Verdict(verdict), witnesses, candidates, by)

    def _witness(self, found: object) -> Witness:
        if not isinstance(found, list):
            self.refuse("a witness is a list of exchanges", "witnesses")
        return tuple(self._exchange(one) for one in found)

    def _exchange(self, found: object) -> Exchange:
        if not isinstance(found, list) or len(found) != 3:
            self.refuse("an exchange is [time, rows, tokens]", "witnesses")
        (time,) = self._whole(found[:1])
        return Exchange(time, self._whole(found[1]), self._whole(found[2]))

    def _whole(self, found: object) -> tuple[int, ...]:
        """A list of whole numbers from 0."""
        if not isinstance(found, list) or any(type(n) is not int or n < 0 for n in found):
            self.refuse(f"{json.dumps(found)[:40]} is not a list of whole numbers from 0")
        return tuple(found)
