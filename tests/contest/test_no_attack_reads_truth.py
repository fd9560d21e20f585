"""No attack gets at the truth: not in what it is given, not in files, not in random numbers.

Protects every figure: an attack has the reference traces and the release. The original traces and
the table of pseudonyms must be out of its reach. Each check is shown to notice an attack that does
get at them.
"""

import sys
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from inspect import signature
from pathlib import Path
from runpy import run_path
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.contest.base.parts import Believer
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscations import NoObfuscation, PlanarLaplace
from mixsafe.contest.pseudonymizers import MIXZONE, PSEUDONYMIZERS, SHUFFLE
from mixsafe.contest.registry import ATTACKERS
from mixsafe.contest.run import Plan, run
from mixsafe.contest.tournament.challenges import IDP
from mixsafe.contest.tournament.hold import PSEUDONYMIZE, Tournament, hold
from mixsafe.contest.tournament.teams import DataSet, Team
from mixsafe.contest.workers import sealed
from mixsafe.io.contest.writing import write_id_table, write_public, write_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells, IdTable
from mixsafe_cli.app import app
from tests.support.reachable import reachable, truth_among
from tests.support.small_contest import small_regions

USERS = 8
RULES = Rules(regions=small_regions(), steps_per_day=4, home_steps=2)

FROM_FILE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class MostAlike:
    """MINE, re-identification: the user with most cells in common with a track."""

    short: ClassVar[str] = "MINE"
    long: ClassVar[str] = "MINE-MostAlike"
    answers: ClassVar[str] = "ids"

    def attack(self, reference, release, random):
        same = release.code[:, None] == reference.traces.region[None]
        return same.sum(axis=2).argmax(axis=1).astype(np.int32)
'''


def attackers_of_file(root, path):
    """The attackers in a file, read as ``benchmarks/contest_attacks.py`` reads them."""
    return run_path(str(root / "benchmarks" / "contest_attacks.py"))["attackers_in"](path)


@pytest.fixture(scope="module")
def attackers(tmp_path_factory):
    """Every registered attacker, told of exchanges and not; and one that is a file."""
    path = tmp_path_factory.mktemp("attacks") / "mine.py"
    path.write_text(FROM_FILE)
    root = Path(__file__).parents[2]
    shipped = [
        kind(*settings)
        for kind in ATTACKERS
        for settings in ([(0,), (1,)] if _told_of_exchanges(kind) else [()])
    ]
    return [*shipped, *attackers_of_file(root, path)]


def _told_of_exchanges(kind):
    return [one.name for one in fields(kind)] == ["exchanged"]


def traces(seed):
    """Original and reference traces of users who keep to one region half of the time.

    Both are views of one array, as traces in memory often are.
    """
    random = np.random.default_rng(seed)
    home = random.integers(16, size=(USERS, 1))
    other = random.integers(16, size=(USERS, 16))
    region = np.where(random.random((USERS, 16)) < 0.5, home, other).astype(np.int32)
    return TraceMatrix(region[:, 8:], 9), TraceMatrix(region[:, :8])


@dataclass(frozen=True)
class Watched:
    """An attacker whose arguments are searched for the truth, before and after it runs."""

    inner: object
    search: object

    @property
    def short(self):
        return self.inner.short

    @property
    def answers(self):
        return self.inner.answers

    def attack(self, reference, release, random):
        given = (self.inner, reference, release, random)
        self.search(*given)
        answer = self.inner.attack(reference, release, random)
        self.search(*given)
        return answer


@pytest.mark.parametrize("how", [SHUFFLE, MIXZONE])
@pytest.mark.parametrize(
    "method", [NoObfuscation(), PlanarLaplace(4, 1)], ids=lambda one: one.short
)
def test_nothing_that_a_run_gives_to_an_attack_leads_to_the_truth(attackers, how, method):
    original, known = traces(1)
    seed, found = 5, []
    redrawn = partial(_redrawn, method.anonymise(original, RULES, np.random.RandomState(seed)), how)
    table = redrawn([seed, 0, PSEUDONYMIZERS.names().index(how)])

    def search(*given):
        found.append(truth_among(reachable(*given), original, table, redrawn))

    watched = [Watched(one, search) for one in attackers]
    run(original, Reference(known, RULES), Plan([method], {how: watched}, seed))
    assert len(found) == 2 * len(attackers)
    assert not any(found)


def _redrawn(cells, how, entropy):
    """The table that a seed gives."""
    return PSEUDONYMIZERS[how].table(cells, np.random.default_rng(entropy))


@pytest.mark.parametrize("how", [SHUFFLE, MIXZONE])
def test_nothing_that_a_tournament_gives_to_a_team_leads_to_the_truth(attackers, how):
    """One attacker after the other is every team's; the release of each team is attacked."""
    found, victims = [], [traces(seed) for seed in (1, 2)]

    def search(*given):
        for number, (original, _) in enumerate(victims):
            redrawn = partial(_redrawn, Cells.of_regions(original.region, 16, 9), how)
            table = redrawn([7, 0, PSEUDONYMIZE, number])
            found.append(truth_among(reachable(*given), original, table, redrawn))

    for attacker in attackers:
        kind = "identifier" if attacker.answers == "ids" else "inferrer"
        teams = [Team(name, NoObfuscation(), **{kind: Watched(attacker, search)}) for name in "ab"]
        sets = [DataSet(original, known) for original, known in victims]
        hold(Tournament(teams, sets, RULES, 7, how, IDP))
    # Two teams attack one release each; it is searched twice, for the truth of both.
    assert len(found) == 2 * 2 * 2 * len(attackers)
    assert not any(found)


def hidden_in_a_closure(original, table):
    return lambda: original.region


def a_view(original, table):
    return original.region[2:, ::2]


def a_view_of_a_view(original, table):
    return {"kept": [original.region[1:][1:]]}


def the_table_itself(original, table):
    return [table]


def pseudonyms_as_a_list(original, table):
    return table.pseudonym[:, 0].tolist()


def a_copy_in_other_order(original, table):
    return np.asfortranarray(original.region).T.astype(np.int64) + 1


def text(original, table):
    return {"text": original.region.tobytes()}


def a_generator(original, table):
    return (row for row in original.region)


def the_seed(original, table):
    return np.random.default_rng(3).spawn(1)[0]


@pytest.mark.parametrize(
    "plant",
    [
        hidden_in_a_closure, a_view, a_view_of_a_view, the_table_itself, pseudonyms_as_a_list,
        a_copy_in_other_order, text, a_generator, the_seed,
    ],
)  # fmt: skip
def test_the_search_notices_truth_wherever_it_is_hidden(plant):
    original, known = traces(1)
    redrawn = partial(_redrawn, Cells.of_regions(original.region, 16, 9), SHUFFLE)
    table = redrawn(3)
    reference = Reference(known, RULES)
    assert not truth_among(reachable(reference), original, table, redrawn)
    # As an attribute of what every attack gets.
    object.__setattr__(reference, "planted", plant(original, table))
    assert truth_among(reachable(reference), original, table, redrawn)


def test_sealed_streams_give_the_same_numbers_and_forget_their_seed():
    stream = np.random.default_rng([1, 2]).spawn(2)[1]
    closed = sealed(stream)
    assert closed.bit_generator.seed_seq.entropy != [1, 2]
    assert np.array_equal(closed.integers(1000, size=50), stream.integers(1000, size=50))
    children = [sealed(one).spawn(1)[0].random() for one in np.random.default_rng(1).spawn(2)]
    assert children[0] != children[1]


@dataclass(frozen=True)
class Redraws:
    """CHEAT, re-identification: draws the pseudonyms again from the seed of its random numbers."""

    short: ClassVar[str] = "CHEAT"
    long: ClassVar[str] = "CHEAT-Redraws"
    answers: ClassVar[str] = "ids"

    def attack(self, reference, release, random):
        entropy = random.bit_generator.seed_seq.entropy
        return PSEUDONYMIZERS[SHUFFLE].table(release, np.random.default_rng(entropy)).user[:, 0]


def test_pseudonyms_cannot_be_drawn_again():
    """Of 400 users chance finds one; ten or more once in ten million runs."""
    random = np.random.default_rng(1)
    region = random.integers(16, size=(400, 16)).astype(np.int32)
    known = Reference(TraceMatrix(region[:, :8]), RULES)
    (outcome,) = run(
        TraceMatrix(region[:, 8:], 9), known, Plan([NoObfuscation()], {SHUFFLE: [Redraws()]})
    )
    assert 400 * (1 - outcome.privacy["CHEAT"].value) < 10


def test_two_truths_that_show_the_same_are_answered_alike(attackers):
    """Who is who is replaced; the release is what it was."""
    original, known = traces(1)
    cells = Cells.of_regions(original.region, 16, 9)
    table = PSEUDONYMIZERS[SHUFFLE].table(cells, np.random.default_rng(2))
    release = table.publish(cells)
    other = IdTable(np.random.default_rng(3).permutation(table.user))
    truth = replace(cells, code=release.code[other.pseudonym[:, 0]])  # another original
    assert not np.array_equal(truth.code, cells.code)
    same = other.publish(truth)
    for attacker in attackers:
        answers = [
            attacker.attack(Reference(known, RULES), one, np.random.default_rng(3))
            for one in (release, same)
        ]
        assert answers[0].tobytes() == answers[1].tobytes(), attacker.short


def test_an_attack_is_given_nothing_else():
    """Nor does a reference have a place for more."""
    assert {one.name for one in fields(Reference)} == {"traces", "rules", "trained"}
    for kind in ATTACKERS:
        names = set(signature(kind.attack).parameters)
        assert names == {"self", "reference", "release", "random"}
        believe = getattr(kind, "believe", Believer.believe)
        assert set(signature(believe).parameters) == names


@contextmanager
def files_opened():
    """Paths of the files that are opened while a block runs."""
    opened = []
    _listening.append(opened)
    try:
        yield opened
    finally:
        _listening.remove(opened)


_listening: list[list[str]] = []


def _hear(event, arguments):
    if event == "open" and _listening and isinstance(arguments[0], str | bytes | Path):
        _listening[-1].append(str(arguments[0]))


@pytest.fixture(scope="session")
def audited():
    """Opened files are listened to from now on; audit hooks stay until Python ends."""
    sys.addaudithook(_hear)


def write_regions(path):
    regions, rows = RULES.regions, ["reg_id,y_id,x_id,y(center),x(center),hospital"]
    for region in range(16):
        y, x = divmod(region, 4)
        centre = 35.65 + (y + 0.5) * 0.1 / 32, 139.68 + (x + 0.5) * 0.12 / 32
        numbers = region + 1, y + 1, x + 1, *centre, int(regions.hospital[region])
        rows.append(",".join(map(str, numbers)))
    path.write_text("\n".join(rows) + "\n")


TRUTH = ("org.csv", "orgtraces_team001_data01_IDP.csv", "ptable.csv", "ptable.secret.json")


def lay_out(folder, truth):
    """What attackers get, and beside it the truth as it is, another one, or none."""
    folder.mkdir()
    original, known = traces(1)
    cells = Cells.of_regions(original.region, 16, 9)
    table = PSEUDONYMIZERS[SHUFFLE].table(cells, np.random.default_rng(2))
    write_public(folder / "pub.csv", table.publish(cells))
    write_traces(folder / "ref.csv", known)
    write_regions(folder / "regions.csv")
    if truth == "replaced":
        original, table = traces(9)[0], IdTable(table.user[::-1].copy())
    elif truth == "permuted":
        original = replace(original, region=original.region[::-1])
        table = IdTable(np.roll(table.user, 1, axis=0))
    if truth != "absent":
        for name in TRUTH[:2]:
            write_traces(folder / name, original)
        write_id_table(folder / "ptable.csv", table)
        (folder / "ptable.secret.json").write_text("{}")


@pytest.mark.parametrize("kind", list(ATTACKERS), ids=lambda kind: kind.short)
def test_answers_are_the_same_byte_for_byte_whatever_truth_lies_beside(kind, tmp_path, audited):
    answers, monkey = {}, pytest.MonkeyPatch()
    for truth in ("as it is", "replaced", "permuted", "absent"):
        folder = tmp_path / truth
        lay_out(folder, truth)
        words = ["contest", "attack", kind.short, "ref.csv", "pub.csv", "-o", "answer.csv"]
        words += ["--regions", "regions.csv", "--steps-per-day", "4", "--seed", "1"]
        with monkey.context() as patch, files_opened() as opened:
            patch.chdir(folder)
            result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        answers[truth] = (folder / "answer.csv").read_bytes()
        assert "pub.csv" in {Path(path).name for path in opened}
        assert not {Path(path).name for path in opened} & set(TRUTH)
    assert len(set(answers.values())) == 1


def test_an_attack_that_opens_the_truth_is_noticed(tmp_path, audited):
    lay_out(tmp_path / "beside", "as it is")
    with files_opened() as opened:
        (tmp_path / "beside" / "ptable.csv").read_text()
    assert {Path(path).name for path in opened} & set(TRUTH)
