"""Is a changed certificate ever accepted though what it claims is false? Random problems, by kind.

    python benchmarks/tampering.py --certificates 10000
    python benchmarks/tampering.py --certificates 2000 --proofs    # what shows unsafe claims only
    python benchmarks/tampering.py --certificates 1000 --of audit

True certificates of random problems, of all commands that give some in turn, are changed, once or
several times, in what they claim, in their witnesses, proofs, bases, cores and counts, in their
problem, rule or k, or in their files, and sealed again by whoever changed them; or bytes of their
files are changed, and nothing is sealed again. A reader who has the data, and demands the k and the
rule that were asked, replays them. Brute force says whether what is accepted is true. A row of the
table is a kind of change: how many there were, how many were refused, and how many were accepted
and are true (what was changed was not needed, or means the same). Exit status 1 if one was accepted
that is false.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.certify.certify import certify
from mixsafe.check.checker import Checked
from mixsafe.errors import InputError
from mixsafe.extract.adversaries import knowledge
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Cells
from mixsafe.release.enforce import Demand
from mixsafe.release.exchange import visible_zones
from mixsafe.release.pseudonymize import release_exchanged
from mixsafe.verify.verification import verify
from tests.support.audit_certificates import drawn
from tests.support.oracles import domains_of, number_of_assignments, zones_of
from tests.support.random_problems import random_problem
from tests.support.tampered import KINDS, Change, Domains, Random, accepted, is_true, tampered
from tests.support.tampered_anew import ANEW_KINDS
from tests.support.tampered_audits import AUDIT_KINDS
from tests.support.tampered_files import FILE_KINDS
from tests.support.tampered_minima import MINIMUM_KINDS, MinimumTruth, certified
from tests.support.tampered_proofs import (
    CORE_PROOF_KINDS,
    PROOF_KINDS,
    cores_with_proofs,
    with_proofs,
)

OF_EACH = 50  # changes of one certificate
BYTES = "bytes of a file, not sealed again"
WAYS = ("refused", "accepted and true", "accepted and FALSE")


class Original(NamedTuple):
    """A true certificate, how it may be changed, and whether what is accepted of one is true."""

    certificate: Certificate
    kinds: Mapping[str, Change]
    is_true: Callable[[Certificate, Checked], bool]


def by_domains(certificate: Certificate, domains: Domains, more: Mapping[str, Change]) -> Original:
    """One whose claims are true if brute force says so; half of them show all by proofs."""
    if len(certificate.claims) % 2:
        certificate = with_proofs(certificate)
    kinds = {**KINDS, **PROOF_KINDS, **ANEW_KINDS, **more}
    return Original(certificate, kinds, lambda one, _: is_true(one, domains))


def of_verify(random: Random) -> Iterator[Original]:
    """Certificates of problems with requirements, and of all times, by several engines."""
    number = 0
    while True:
        asked = random_problem(random, max_users=5, max_zones=7)
        k = 2 if number % 2 else None
        asked = asked if k is None else replace(asked, requirements=None)
        engine = ("dp", "auto", "cpsat")[number % 3]
        own = certify(verify(asked, k=k, engine=engine, keep_proof_data=True))
        yield by_domains(own, domains_of(asked), {})
        number += 1


def of_audit(random: Random) -> Iterator[Original]:
    """Certificates of audits of small releases."""
    for one in drawn(1 << 30, int(random.integers(1 << 30))):
        yield by_domains(one.certificate, one.truth, AUDIT_KINDS)


def of_optimize(random: Random) -> Iterator[Original]:
    """Certificates of minimum sets, weighed in turn by count and by members."""
    number = 0
    while True:
        asked = random_problem(random, max_users=4, max_zones=6)
        truth = MinimumTruth(asked)
        own = certified(asked, "members" if number % 2 else "count")
        if number % 4 < 2:
            own = cores_with_proofs(own)
        kinds = {**KINDS, **PROOF_KINDS, **ANEW_KINDS, **MINIMUM_KINDS, **CORE_PROOF_KINDS}
        yield Original(own, kinds, truth.holds)
        number += 1


def of_pseudonymize(random: Random) -> Iterator[Original]:
    """Certificates of releases, some of whose cells were suppressed."""
    number = 0
    while True:
        shape = int(random.integers(2, 5)), int(random.integers(2, 6))
        cells = Cells.of_regions(random.integers(4, size=shape), 3)
        zones = visible_zones(cells)
        known = knowledge("none" if number % 2 else "endpoints", zones)
        demand = Demand(2, known, Rule("every"), certified=True)
        found = release_exchanged(cells, demand, random, enforced=bool(random.integers(2)))
        asked = None if found.privacy is None else found.privacy.asked
        if asked is None or number_of_assignments(zones_of(asked.problem)) > 2000:
            continue
        yield by_domains(certify(asked), domains_of(asked.problem), {})
        number += 1


COMMANDS = {
    "verify": of_verify,
    "audit": of_audit,
    "optimize": of_optimize,
    "pseudonymize": of_pseudonymize,
}

Changed = tuple[str, Certificate | None]


def sealed_again(own: Original, random: Random, folder: Path) -> Changed:
    """A changed certificate, every fourth one through files; None: it cannot be written."""
    try:
        kind, changed = tampered(own.certificate, random, own.kinds)
    except InputError:
        return "what cannot be written down", None
    if random.integers(4):
        return kind, changed
    try:
        return kind, read_certificates(write_certificates(folder / "sealed", [changed]))[0]
    except InputError:
        return kind, None


def files_changed(own: Original, random: Random, folder: Path) -> Changed:
    """A certificate whose files were changed, and sealed again."""
    made = write_certificates(folder / "files", [own.certificate])
    kind = str(random.choice(list(FILE_KINDS)))
    FILE_KINDS[kind](made, random)
    try:
        return kind, read_certificates(made)[0]
    except InputError:
        return kind, None


def not_sealed_again(own: Original, random: Random, folder: Path) -> Changed:
    """A certificate with other bytes in one of its files."""
    made = write_certificates(folder / "bytes", [own.certificate])
    path = sorted(made.iterdir())[random.integers(len(list(made.iterdir())))]
    content = bytearray(path.read_bytes())
    for place in random.choice(len(content), random.integers(1, 4), replace=False).tolist():
        content[place] ^= int(random.integers(1, 256))  # so that it is another byte
    path.write_bytes(content)
    try:
        return BYTES, read_certificates(made)[0]
    except InputError:
        return BYTES, None


def only_proofs(own: Original) -> Original:
    """The same with proofs of all unsafe claims or cores; these alone, and minima, are changed."""
    shown, chosen = own.certificate, own.certificate.chosen
    if chosen is None:
        shown = with_proofs(shown)
    elif not all(len(core.hall_sets) for core in chosen.cores):
        shown = cores_with_proofs(shown)
    kinds = PROOF_KINDS if chosen is None else {**MINIMUM_KINDS, **CORE_PROOF_KINDS}
    return own._replace(certificate=shown, kinds=kinds)


def outcome(own: Original, changed: Certificate | None) -> str:
    """What became of a changed certificate."""
    found = None if changed is None else accepted(changed, own.certificate)
    if changed is None or found is None:
        return WAYS[0]
    return WAYS[1] if own.is_true(changed, found) else WAYS[2]


def show(what: str, counts: Counter[tuple[str, str]]) -> None:
    """Print a table."""
    print(f"| {what} | number |", " | ".join(WAYS), "|")
    print("| --- |" + " ---: |" * (len(WAYS) + 1))
    for row in sorted({row for row, _ in counts}):
        of_row = [counts[row, way] for way in WAYS]
        print(f"| {row} | {sum(of_row):,} |", " | ".join(f"{n:,}" for n in of_row), "|")


def main() -> int:
    """Change certificates, and print what became of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--certificates", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--proofs", action="store_true", help="what shows unsafe claims only")
    parser.add_argument("--of", choices=COMMANDS, help="certificates of this command only")
    given = parser.parse_args()
    random = np.random.default_rng(given.seed)
    by_kind, by_command = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    drawing = {
        command: one(random) for command, one in COMMANDS.items() if given.of in (None, command)
    }
    with tempfile.TemporaryDirectory() as name:
        for number in range(given.certificates):
            if number % OF_EACH == 0:
                command = list(drawing)[number // OF_EACH % len(drawing)]
                own = next(drawing[command])
                own = only_proofs(own) if given.proofs else own
            turn = 1 if given.proofs else number % 10
            change = {0: not_sealed_again, 5: files_changed}.get(turn, sealed_again)
            kind, changed = change(own, random, Path(name))
            way = outcome(own, changed)
            by_kind[kind, way] += 1
            by_command[command, way] += 1
    show("change", by_kind)
    print()
    show("certificate of", by_command)
    return int(any(way == WAYS[2] for _, way in by_kind))


if __name__ == "__main__":
    sys.exit(main())
