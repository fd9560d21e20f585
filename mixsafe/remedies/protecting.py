"""Finding what makes data pass: remedies are tried one after the other, and verified."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import DEFAULT
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.extract.pose import pose
from mixsafe.extract.positions import persons
from mixsafe.extract.zones import Extraction
from mixsafe.geometry.grid import CellSize
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.arguments import limits_of
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.adversary import apart_rows
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule, checked_k
from mixsafe.remedies.publication import (
    Asking,
    Flags,
    Form,
    Ladders,
    Publication,
    allows_more,
    form_of,
    ladders_of,
    more_rotations,
)
from mixsafe.remedies.remedy import (
    HIDE,
    LEAVE_OUT,
    Cost,
    Option,
    Protection,
    PublishedFixes,
    Remedy,
)
from mixsafe.remedies.suppression import Hiding, largest_group
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import answer


@dataclass(frozen=True)
class Trial:
    """How remedies are tried.

    Parameters
    ----------
    settings
        Who decides.
    course
        Of one remedy.
    """

    settings: Settings
    course: Course

    def of(self, option: Option, asked: Publication) -> Remedy:
        """Try one remedy; ``asked``: the question about everybody in its form."""
        if option.also == LEAVE_OUT:
            return self.without(option, asked)
        alone = self.alone(replace(option, also=None), asked)
        return alone if option.also is None else self.hiding(option, asked, alone)

    def besides(self, option: Option, asked: Publication, alone: Remedy) -> Remedy:
        """What is done besides a form; ``alone``: the form by itself."""
        helped = self.without if option.also == LEAVE_OUT else self.hiding
        return helped(option, asked, alone)

    def alone(self, option: Option, asked: Publication) -> Remedy:
        """What verify says of everybody."""
        began = time.monotonic()
        self.course.progress(f"remedy {option.number}, {option.name}", 0, 0)
        found = answer(*asked.among(asked.everybody), self.settings, self.course)
        cost = _cost(asked, option.form)
        return Remedy(option, found.verdict, cost, found, time.monotonic() - began)

    def without(self, option: Option, asked: Publication, alone: Remedy | None = None) -> Remedy:
        """Leave people out; ``alone`` is what verify says of everybody, if it is known."""
        began = time.monotonic()
        self.course.progress(f"remedy {option.number}, {option.name}", 0, 0)
        first = None if alone is None else alone.answer
        group = largest_group(asked, self.settings, self.course, first)
        cost = _cost(asked, option.form, lambda fixes: group.kept[fixes.user])
        verdict = Verdict.UNDECIDED if group.at_best.any() else Verdict.UNSAFE
        if group.answer is not None:
            verdict = group.answer.verdict
        return Remedy(option, verdict, cost, group.answer, time.monotonic() - began, group=group)

    def hiding(self, option: Option, asked: Publication, alone: Remedy) -> Remedy:
        """Hide stretches; nothing is left to decide once it is known what verify says."""
        began = time.monotonic()
        if alone.answer is None:
            raise ValueError("stretches are hidden by what verify says")
        hiding = Hiding(alone.answer)
        cost = _cost(asked, option.form, lambda one: ~hiding.covers(one.user, one.step))
        seconds = time.monotonic() - began
        return Remedy(option, hiding.verdict, cost, alone.answer, seconds, hiding=hiding)


def _cost(
    asked: Publication, form: Form, published: Callable[[PublishedFixes], Flags] | None = None
) -> Cost:
    """What is lost of traces; ``published``: which fixes are left; None: all of the form."""
    if asked.traces is None:
        return Cost()
    fixes = PublishedFixes(asked.traces, form)
    return fixes.cost(None if published is None else published(fixes))


def may_hide(asked: Publication) -> bool:
    """Whether stretches may be hidden: everybody is asked about, alike, and candidates count.

    Requirements of the problem's own name people. Whose cells are hidden would say where these are.
    So it would with distinct places: at which places candidates are depends on who is where. And in
    the paper's reading, in which two people who are seen may be one: if they were, all that was
    seen of both would be of one person, and other cells would be hidden.
    """
    known = asked.problem.knowledge
    read_alike = known.distinct or not len(apart_rows(replace(known, distinct=True)))
    return read_alike and asked.query.k is not None and asked.query.distinct_places is None


def options(
    asked: Publication, form: Form, ladders: Ladders, *, only_leave_out: bool = False
) -> tuple[Option, ...]:
    """All remedies, numbered: each form by itself, and together with what may be done besides.

    Parameters
    ----------
    asked, form
        The question about the data as they are, and how these are published.
    ladders
        Other forms.
    only_leave_out
        Nothing but leaving people out.
    """
    also = (LEAVE_OUT, HIDE) if may_hide(asked) and not only_leave_out else (LEAVE_OUT,)
    forms = [(None, form), *((name, rung) for name, rungs in ladders.items() for rung in rungs)]
    found = [(name, rung, more) for name, rung in forms for more in (None, *also)]
    return tuple(Option(number, *one) for number, one in enumerate(found, 1))


def usual_options(
    asking: Asking,
    form: Form,
    cell_sizes: Sequence[CellSize] | None,
    time_steps: Sequence[int] | None,
    rotations: Sequence[str] | None,
) -> tuple[Option, ...]:
    """All remedies, of ladders that are named or the usual ones: as for :func:`protect`.

    A rotation within a limit of movement is one zone of everybody with a relation, which is hard:
    there none is usual. Problems say themselves when pseudonyms change.
    """
    asked = asking(form)
    if isinstance(asking.data, Problem) or (rotations is None and asked.rules.need_fixes):
        rotations = ()
    elif rotations is None:
        rotations = more_rotations(asked.problem.zones.axis, form.rotate, asked.steps_per_day)
    return options(asked, form, ladders_of(form, cell_sizes, time_steps, rotations))


def protected(
    asking: Asking,
    choices: Sequence[Option],
    settings: Settings,
    course: Course,
    *,
    all_rungs: bool = False,
) -> Protection:
    """Try remedies until it is known what passes.

    Each form is tried by itself. Of a ladder, the mildest rung that passes is found. Where a form
    fails, people are left out, or stretches are hidden, besides.

    Parameters
    ----------
    asking
        The question.
    choices
        Remedies in their order, as of :func:`options`.
    settings
        Who decides.
    course
        Of the whole run. The data as they are and leaving people out get a third of the time that
        is left, each; the ladders share the rest. What was not decided in its share is tried again
        in the time that others did not need.
    all_rungs
        Decide all rungs of all ladders, also where a milder form passes.
    """
    (now, *more), ladders = _by_form(choices)
    asked = asking(now.form)
    trial = Trial(settings, course.share(1 / 3 if ladders else 1 / 2))
    as_it_is = trial.alone(now, asked)
    trial = Trial(settings, course.share(1 / 3 if ladders else 1))
    without = trial.without(more[0], asked, as_it_is)
    found = [as_it_is, without]
    if not as_it_is.passes:
        found += [trial.hiding(one, asked, as_it_is) for one in more[1:]]
    if all_rungs or not as_it_is.passes:
        decide = _each if all_rungs else _mildest
        for place, rungs in enumerate(ladders):
            part = course.share(1 / (len(ladders) - place))
            found += _climbed(rungs, asking, settings, part, decide)
    found = _tried_again(found, asking, settings, course)
    group = found[1].group
    if group is None:
        raise ValueError("people are left out of the data as they are")
    return Protection(asked.problem.name, asked.rule, tuple(found), group, asking)


def _tried_again(
    found: Sequence[Remedy], asking: Asking, settings: Settings, course: Course
) -> list[Remedy]:
    """The remedies, of which undecided ones had a second trial in the time that is left."""
    remedies = list(found)
    undecided = [place for place, one in enumerate(remedies) if one.verdict is Verdict.UNDECIDED]
    if course.left == float("inf"):
        return remedies
    for done, place in enumerate(undecided):
        if not course.left:
            break
        option = remedies[place].option
        trial = Trial(settings, course.share(1 / (len(undecided) - done)))
        again = trial.of(option, asking(option.form))
        if again.verdict is not Verdict.UNDECIDED:
            spent = remedies[place].seconds + again.seconds
            remedies[place] = replace(again, seconds=spent)
    return remedies


def _by_form(choices: Sequence[Option]) -> tuple[list[Option], list[list[list[Option]]]]:
    """Remedies of the data as they are; and, for each ladder, those of each of its rungs."""
    forms = [list(some) for _, some in groupby(choices, key=lambda one: (one.ladder, one.form))]
    of_ladders = groupby(forms[1:], key=lambda some: some[0].ladder)
    return forms[0], [list(rungs) for _, rungs in of_ladders]


_Rungs = Sequence[Sequence[Option]]
"""For each form of a ladder, the form by itself, and what may be done besides."""

_Decided = Iterator[tuple[int, Remedy]]
"""Rungs that were decided, by their place on the ladder."""


def _climbed(
    rungs: _Rungs,
    asking: Asking,
    settings: Settings,
    course: Course,
    decide: Callable[[_Rungs, Sequence[Publication], Settings, Course], _Decided],
) -> list[Remedy]:
    """Remedies of a ladder: forms by themselves, and what helps those that fail.

    Half of the time is for the forms by themselves; ``decide`` chooses them.
    """
    asked = [asking(one[0].form) for one in rungs]
    alone = dict(sorted(decide(rungs, asked, settings, course.share(1 / 2))))
    fails = [rung for rung, one in alone.items() if not one.passes]
    found = list(alone.values())
    for done, rung in enumerate(fails):
        trial = Trial(settings, course.share(1 / (len(fails) - done)))
        found += [trial.besides(one, asked[rung], alone[rung]) for one in rungs[rung][1:]]
    return sorted(found, key=lambda one: one.option.number)


def _each(
    rungs: _Rungs, asked: Sequence[Publication], settings: Settings, course: Course
) -> _Decided:
    """Decide all forms of a ladder."""
    for rung, options_of_form in enumerate(rungs):
        trial = Trial(settings, course.share(1 / (len(rungs) - rung)))
        yield rung, trial.alone(options_of_form[0], asked[rung])


def _mildest(
    rungs: _Rungs, asked: Sequence[Publication], settings: Settings, course: Course
) -> _Decided:
    """Decide forms of a ladder until the mildest one that passes is known.

    Where each rung only allows more exchanges than the one before, halves of the ladder are enough
    (docs/develop/facts.md); otherwise, and where distinct places count, which are fewer in larger
    cells, the rungs are decided one after the other.
    """

    def decide(rung: int, left: int) -> Remedy:
        trial = Trial(settings, course.share(1 / left))
        return trial.alone(rungs[rung][0], asked[rung])

    posed = [one.among(one.everybody)[0] for one in asked]
    nested = all(one.query.distinct_places is None for one in asked) and all(
        allows_more(mild, strong) for mild, strong in pairwise(posed)
    )
    del posed
    if not nested:
        for rung, found in _each(rungs, asked, settings, course):
            yield rung, found
            if found.passes:
                return
        return
    low, high = 0, len(rungs)  # those below `low` do not pass, and `high` does, if there is one
    rung = high - 1
    while low < high:
        found = decide(rung, (high - low).bit_length())
        yield rung, found
        low, high = (low, rung) if found.passes else (rung + 1, high)
        rung = (low + high - 1) // 2


@dataclass(frozen=True)
class _Posing:
    """The question of :func:`protect`, posed about data in any form.

    Parameters
    ----------
    query, adversary
        What is asked of everybody, and what the adversary knows.
    rules, as_it_is
        Which exchanges are possible in the data as they are, and their form. Of this form alone it
        is told what a follower makes of the mix zones.
    cell_size, time_step
        Where a form has none of its own: those of the data as they are.
    min_users, steps_per_day
        As for :func:`protect`.
    """

    query: Query
    adversary: str
    rules: ExchangeRules
    as_it_is: Form
    cell_size: CellSize
    time_step: int
    min_users: int
    steps_per_day: int

    def __call__(self, data: Traces | MixZones | Extraction | Problem, form: Form) -> Publication:
        """The question about data in a form; a problem is posed already."""
        if isinstance(data, Problem):
            return Publication(data, self.query)
        problem = pose(
            data,
            adversary=self.adversary,
            cell_size=form.cell_size or self.cell_size,
            time_step=form.time_step or self.time_step,
            min_users=self.min_users,
            steps_per_day=self.steps_per_day,
            placed=self.query.distinct_places is not None,
            followed=form == self.as_it_is,
        )
        rules = replace(self.rules, rotate=form.rotate)
        traces = data if isinstance(data, Traces) else None
        return Publication(problem, self.query, rules, traces, self.steps_per_day, self.min_users)


def protect(
    source: Traces | MixZones | Extraction | Problem,
    k: int | None = None,
    *,
    rule: Rule | str | None = None,
    distinct_places: int | None = None,
    adversary: str = DEFAULT,
    cell_size: CellSize = 100.0,
    time_step: int = 60,
    min_users: int = 2,
    steps_per_day: int = 20,
    rules: ExchangeRules | None = None,
    keep_together: bool = False,
    cell_sizes: Sequence[CellSize] | None = None,
    time_steps: Sequence[int] | None = None,
    rotations: Sequence[str] | None = None,
    all_rungs: bool = False,
    limits: SolveLimits | None = None,
    time_limit: float | None = None,
    progress: Progress = no_progress,
) -> Protection:
    """Find what makes a data set pass, and what it costs.

    Parameters
    ----------
    source
        What is to be published, or a problem.
    k, rule
        Candidates that a user needs, and when a user passes, as for :func:`mixsafe.verify`; k may
        be None for a problem with requirements.
    distinct_places
        Distinct places at which the candidates must be, as for :func:`mixsafe.verify`.
    adversary, cell_size, time_step, min_users, steps_per_day, rules, keep_together
        How the problem is posed: as for :func:`mixsafe.pose`; for a problem they are not used.
    cell_sizes, time_steps
        Of traces: larger cells and longer steps to try, in this order, as for
        :func:`mixsafe.remedies.publication.ladders_of`; empty: none.
    rotations
        Schedules by which all pseudonyms change more often, to try in this order; None: those of
        :func:`mixsafe.remedies.publication.more_rotations`, or none where the rules limit how
        far people get; empty: none.
    all_rungs
        Decide all larger cells, longer steps and rotations, also where a milder form passes.
    limits
        Of the whole run.
    time_limit
        Instead of limits: seconds.
    progress
        Called with stage, questions settled and questions asked.

    Returns
    -------
    Protection
        ``.verdict``, ``.table`` with a row per remedy, and ``.group``: the largest group of people
        who pass among themselves, with ``.table``, a row per person.

    Raises
    ------
    InputError
        Nothing is asked, a value out of range, or a ladder that the source cannot have.

    Examples
    --------
    >>> import mixsafe
    >>> found = mixsafe.protect(mixsafe.load(mixsafe.sample("town")), 3)
    >>> found.group.exact
    True
    """
    limits = limits_of(limits, time_limit)
    query = Query(checked_k(k), None, Rule.of(rule), distinct_places=distinct_places)
    exchange = ExchangeRules() if rules is None else rules
    form = Form(rotate=exchange.rotate)
    if isinstance(source, Traces):
        # Who is one person does not depend on the form.
        source = persons(
            source, cell_size=cell_size, time_step=time_step, keep_together=keep_together
        )
        form = form_of(source, cell_size, time_step, exchange.rotate)
    elif cell_sizes or time_steps:
        raise InputError("larger cells and longer steps need traces", hint="give the traces")
    if rotations and isinstance(source, Problem):
        raise InputError("a problem says itself when pseudonyms change", hint="give the traces")
    posing = _Posing(
        query, adversary, exchange, form, cell_size, time_step, min_users, steps_per_day
    )
    asking = Asking(source, posing, f"--adversary {adversary}")
    choices = usual_options(asking, form, cell_sizes, time_steps, rotations)
    course = Course.begin(limits, progress)
    return protected(asking, choices, Settings(), course, all_rungs=all_rungs)
