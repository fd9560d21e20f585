"""Mutants of a module: the same code with one small thing wrong each."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_DELETED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """One small thing that is wrong.

    Parameters
    ----------
    name
        ``function: what is there -> what is there instead``, the same wherever the line moves to;
        with ``#2`` where a function has it twice.
    line
        Where it is.
    module, old, new
        The whole module, what is there, and what is there instead.
    """

    name: str
    line: int
    module: ast.Module
    old: ast.AST
    new: ast.AST

    @property
    def tree(self) -> ast.Module:
        """The module with the change."""
        ast.copy_location(self.new, self.old)
        memo = {id(self.old): self.new}
        return ast.fix_missing_locations(copy.deepcopy(self.module, memo))


def mutants(file: Path) -> Iterator[Mutant]:
    """All mutants of a module, in the order of its lines."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    known = Counter[str]()
    for where, old, new in _changes(tree, ""):
        name = f"{where}: {_short(old)} -> {_short(new)}"
        known[name] += 1
        if known[name] > 1:
            name += f" #{known[name]}"
        place = old.target if isinstance(old, ast.comprehension) else old
        yield Mutant(name, getattr(place, "lineno", 0), tree, old, new)


def _short(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _changes(node: ast.AST, where: str) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Name of the function, what is there, and what is there instead."""
    for child in _code_of(node):
        if _is_for_types(child):
            continue
        inside = where
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inside = f"{where}.{child.name}" if where else child.name
        for new in _instead(child):
            yield inside or "module", child, new
        yield from _changes(child, inside)


def _code_of(node: ast.AST) -> list[ast.AST]:
    """What is inside, without annotations, decorators, docstrings, words and imports."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return []
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return []  # a check that two lists are as long as each other
    if isinstance(node, ast.AnnAssign):
        return [] if node.value is None else [node.value]
    if isinstance(node, ast.FunctionDef):
        return [*node.args.defaults, *filter(None, node.args.kw_defaults), *_body(node.body)]
    if isinstance(node, ast.Module | ast.ClassDef):
        return _body(node.body)
    return list(ast.iter_child_nodes(node))


def _body(statements: list[ast.stmt]) -> list[ast.AST]:
    return [
        one
        for one in statements
        if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _instead(node: ast.AST) -> Iterator[ast.AST]:
    """All that can be wrong with one piece of code."""
    if isinstance(node, ast.Compare):
        yield from _compared(node)
    elif isinstance(node, ast.BoolOp):
        yield from _joined(node)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _COMPUTED:
        yield _changed(node, op=_COMPUTED[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant):
        yield from _other_values(node)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield _changed(node, test=ast.UnaryOp(ast.Not(), copy.deepcopy(node.test)))
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield _changed(node, ifs=[])
    if isinstance(node, _DELETED) or _is_bare_return(node) or _is_stored(node):
        yield ast.Pass()


def _changed(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _compared(node: ast.Compare) -> Iterator[ast.AST]:
    for place, op in enumerate(node.ops):
        for other in _COMPARED[type(op)]:
            yield _changed(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])


def _joined(node: ast.BoolOp) -> Iterator[ast.AST]:
    """``and`` for ``or`` and the other way round; and without each of the conditions."""
    yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for place in range(len(node.values)):
        rest = [*node.values[:place], *node.values[place + 1 :]]
        yield _changed(node, values=rest) if len(rest) > 1 else copy.deepcopy(rest[0])


def _other_values(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)


def _is_bare_return(node: ast.AST) -> bool:
    return isinstance(node, ast.Return) and node.value is None


def _is_stored(node: ast.AST) -> bool:
    """Whether it writes into something that is there already."""
    return isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple)
