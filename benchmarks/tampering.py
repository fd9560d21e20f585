"""Is a changed certificate ever accepted though what it claims is false? Random problems, by kind.

    python benchmarks/tampering.py --certificates 10000

True certificates of random problems are changed, once or several times, in what they claim, in
their witnesses and proofs, in their problem, rule or k, and sealed again by whoever changed them;
or bytes of their files are changed, and nothing is sealed again. A reader who has the data, and
demands the k and the rule that were asked, replays them. Brute force says whether what is accepted
is true. A row of the table is a kind of change: how many there were, how many were refused, and how
many were accepted and are true (what was changed was not needed, or means the same). Exit status 1
if one was accepted that is false.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.certify.certify import certify
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.verify.verification import verify
from tests.oracles import domains_of
from tests.random_problems import random_problem
from tests.tampered import Domains, Random, accepted, is_true, tampered

OF_EACH = 50  # changes of one certificate
BYTES = "bytes of a file, not sealed again"
WAYS = ("refused", "accepted and true", "accepted and FALSE")


def original(random: Random, number: int) -> tuple[Certificate, Domains]:
    """A true certificate, and what brute force says of its problem."""
    asked = random_problem(random, max_users=5, max_zones=7)
    k = 2 if number % 2 else None
    asked = asked if k is None else replace(asked, requirements=None)
    engine = ("dp", "auto", "cpsat")[number % 3]
    own = certify(verify(asked, k=k, engine=engine, keep_grounds=True))
    return own, domains_of(asked)


Changed = tuple[str, Certificate | None]


def sealed_again(own: Certificate, random: Random, folder: Path) -> Changed:
    """A changed certificate, every second one through files; None: it cannot be written."""
    try:
        kind, changed = tampered(own, random)
    except InputError:
        return "what cannot be written down", None
    if random.integers(2):
        return kind, changed
    try:
        return kind, read_certificates(write_certificates(folder / "sealed", [changed]))[0]
    except InputError:
        return kind, None


def not_sealed_again(
    own: Certificate, random: Random, folder: Path
) -> tuple[str, Certificate | None]:
    """A certificate with other bytes in one of its files."""
    made = write_certificates(folder / "bytes", [own])
    path = sorted(made.iterdir())[random.integers(len(list(made.iterdir())))]
    content = bytearray(path.read_bytes())
    for place in random.choice(len(content), random.integers(1, 4), replace=False).tolist():
        content[place] ^= int(random.integers(1, 256))  # so that it is another byte
    path.write_bytes(content)
    try:
        return BYTES, read_certificates(made)[0]
    except InputError:
        return BYTES, None


def main() -> int:
    """Change certificates, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--certificates", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    random, counts = np.random.default_rng(given.seed), Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as name:
        for number in range(given.certificates):
            if number % OF_EACH == 0:
                own, domains = original(random, number // OF_EACH)
            change = not_sealed_again if number % 5 == 0 else sealed_again
            kind, changed = change(own, random, Path(name))
            is_accepted = changed is not None and accepted(changed, own)
            way = 0 if not is_accepted else 1 if is_true(changed, domains) else 2
            counts[kind, WAYS[way]] += 1
    print("| change | number |", " | ".join(WAYS), "|")
    print("| --- |" + " ---: |" * (len(WAYS) + 1))
    for kind in sorted({kind for kind, _ in counts}):
        of_kind = [counts[kind, way] for way in WAYS]
        print(f"| {kind} | {sum(of_kind)} |", " | ".join(map(str, of_kind)), "|")
    return int(any(way == WAYS[2] for _, way in counts))


if __name__ == "__main__":
    sys.exit(main())
