"""Which faults can be put into a module, by kind, and which places are left alone?"""

from __future__ import annotations

import ast
import difflib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

from benchmarks.power import operators as ours

PROVIDED = OperatorProvider()
COMPARISON = "ReplaceComparisonOperator"


def provided(*names: str) -> list[Any]:
    return [PROVIDED[name]() for name in names]


def flips(*pairs: str) -> list[Any]:
    return provided(*(f"{COMPARISON}_{pair}" for pair in pairs))


# Of cosmic-ray's comparisons those that a slip of the hand makes; not, say, `==` to `<`, which any test notices.
KINDS: dict[str, list[Any]] = {
    "comparison flipped": [
        *flips("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is", "Lt_GtE", "GtE_Lt", "Gt_LtE", "LtE_Gt"),
        ours.MembershipFlipped(),
    ],
    "boundary moved": flips("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt"),
    "branch negated": [ours.BranchNegated()],
    "boolean changed": provided("ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    "number changed": provided("NumberReplacer"),
    "not removed": provided("ReplaceUnaryOperator_Delete_Not"),
    "and/or swapped": provided("ReplaceAndWithOr", "ReplaceOrWithAnd"),
    "break/continue swapped": provided("ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    "exception changed": [ours.ExceptionChanged()],
    "return value lost": [ours.ReturnedNone()],
    "key renamed": [ours.KeyRenamed()],
    "lock or context removed": [ours.ContextRemoved()],
    "argument dropped": [ours.ArgumentDropped()],
    "statement removed": [ours.StatementRemoved()],
}
LOGS = {"log", "logger", "_log", "_logger", "logging"}
TYPES = {"Literal", "Annotated", "TypeVar", "NewType", "cast"}
# Frozen or not, with slots or not, cached for how many: nothing that a test sees.
SILENT_DECORATORS = ("@dataclass", "@dataclasses.dataclass", "@lru_cache", "@functools.lru_cache")
# A text for people, how files of other systems are read, an assertion.
SILENT_ARGUMENTS = {"help", "metavar", "description", "epilog", "encoding", "strict"}
# One more or less of so many bytes, pixels or seconds is no fault.
LARGE_NUMBER = 1000


@dataclass(frozen=True)
class Fault:
    """One change to one module: `occurrence` counts what `operator` can change in it; `line` is 1-based."""

    kind: str
    operator: Any
    occurrence: int
    line: int

    def applied(self, source: str) -> str | None:
        """The module with the fault; None where that is no Python, or means the same."""
        changed = mutate_code(source, self.operator, self.occurrence)
        try:
            same = changed is None or ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source))
            compile(changed or "", "mutant", "exec")
        except SyntaxError:
            return None
        return None if same else str(changed)


def faults_in(source: str) -> dict[str, list[Fault]]:
    """Every fault that can be put into the module, by kind; places that mean nothing to a test are left out."""
    nodes = list(ast_nodes(get_ast(source)))
    found: dict[str, list[Fault]] = defaultdict(list)
    for kind, choices in KINDS.items():
        for operator in choices:
            counted = 0
            for node in nodes:
                for (line, _), _ in operator.mutation_positions(node):
                    if not is_silent(node):
                        found[kind].append(Fault(kind, operator, counted, line))
                    counted += 1
    return dict(found)


def is_silent(node: Any) -> bool:
    """Whether a change of the node is none that a test could see: types, log and help texts, assertions, `__all__`."""
    if node.type == "number" and node.value.isdigit() and int(node.value) >= LARGE_NUMBER:
        return True
    return any(is_silent_place(inner, outer) for inner, outer in outwards(node))


def outwards(node: Any) -> Iterator[tuple[Any, Any]]:
    """Parts and what they stand in: the node's first part and the node, the node and its parent, up to the module."""
    if hasattr(node, "children"):
        yield node.children[0], node
    while node.parent is not None:
        yield node, node.parent
        node = node.parent


def is_silent_place(inner: Any, outer: Any) -> bool:
    match outer.type:
        case "tfpdef" | "assert_stmt" | "import_from":
            return True
        case "funcdef":
            return ours.code(inner.get_previous_sibling() or inner) == "->"
        case "argument":
            return ours.code(outer.children[0]) in SILENT_ARGUMENTS
        case "annassign":
            return inner is outer.children[1]
        case "decorator":
            return ours.code(outer).startswith(SILENT_DECORATORS)
        case "if_stmt":
            return ours.code(outer.children[1]) in ("TYPE_CHECKING", '__name__ == "__main__"')
        case "expr_stmt":
            return ours.code(outer).startswith("__all__")
        case "atom_expr" | "power":
            return ours.code(outer.children[0]) in LOGS | TYPES
        case "simple_stmt":
            return ours.code(outer).startswith(tuple(f"{name}." for name in LOGS))
    return False


def diff(before: str, after: str) -> str:
    """The changed lines of a module, `-` before and `+` after."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    return "\n".join(line for line in lines if not line.startswith("@@"))
