"""Which faults cosmic-ray has no operator for: ours, in its interface.

Its own `AddNot` reads `not a or b` and passes over `elif` and comprehensions, and its `ExceptionReplacer` writes a name
that the module does not have; `BranchNegated` and `ExceptionChanged` stand for them here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Name

Node = Any  # parso's nodes have no common typed interface
Change = tuple[Node, str]
CALLS = ("atom_expr", "power")
KEYED_CALLS = ("get", "pop", "setdefault")
STRING_KEY = re.compile(r"""(['"])[\w.-]+\1""")


class Replacement(Operator):  # type: ignore[misc]  # cosmic-ray is not typed
    """Replaces the code of one node by a text; a subclass says which nodes, and by what."""

    example: tuple[str, str]

    def changes(self, node: Node) -> Iterator[Change]:
        """The parts of `node` (or the node itself) that can be replaced, each with its new code."""
        raise NotImplementedError

    def mutation_positions(self, node: Node) -> Iterator[tuple[Any, Any]]:
        return ((part.start_pos, part.end_pos) for part, _ in self.changes(node))

    def mutate(self, node: Node, index: int) -> Node:
        part, text = list(self.changes(node))[index]
        leaf = Name(text, part.start_pos, part.get_first_leaf().prefix)
        if part is node:
            return leaf
        siblings = part.parent.children
        siblings[siblings.index(part)] = leaf
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return (Example(*cls.example),)


def code(node: Node) -> str:
    return str(node.get_code(include_prefix=False))


class BranchNegated(Replacement):
    """`if`, `elif`, `while`, a conditional expression or a comprehension's filter takes the other way."""

    example = ("if a or b: pass", "if not (a or b): pass")

    def changes(self, node: Node) -> Iterator[Change]:
        if node.type in ("if_stmt", "while_stmt", "comp_if"):
            pairs = zip(node.children, node.children[1:], strict=False)
            conditions = [after for word, after in pairs if code(word) in ("if", "elif", "while")]
        else:
            conditions = [node.children[2]] if node.type == "test" and code(node.children[1]) == "if" else []
        yield from ((found, f"not ({code(found)})") for found in conditions if code(found) != "True")


class MembershipFlipped(Replacement):
    """`in` becomes `not in`, and the other way round."""

    example = ("x in y", "x not in y")

    def changes(self, node: Node) -> Iterator[Change]:
        if node.type == "comparison":
            for word in node.children[1::2]:
                if code(word) in ("in", "not in"):
                    yield word, "not in" if code(word) == "in" else "in"


class ExceptionChanged(Replacement):
    """A handler waits for another exception, or another one is raised."""

    example = ("try: pass\nexcept OSError: pass", "try: pass\nexcept ArithmeticError: pass")

    def changes(self, node: Node) -> Iterator[Change]:
        if node.type == "except_clause":
            waited = node.children[1]
            several = waited.children[1].children[::2] if waited.type == "atom" else [waited]
            yield from ((each, "ArithmeticError") for each in several)
        elif node.type == "raise_stmt" and node.children[1].type in CALLS:
            callee, trailer = node.children[1].children[:2]
            if callee.type == "name" and code(trailer).startswith("(") and code(callee) != "NotImplementedError":
                yield callee, "ArithmeticError"


class ReturnedNone(Replacement):
    """A function returns None instead of its value."""

    example = ("def f(): return 1", "def f(): return None")

    def changes(self, node: Node) -> Iterator[Change]:
        if node.type == "return_stmt" and code(node.children[1]) != "None":
            yield node.children[1], "None"


class KeyRenamed(Replacement):
    """The key of a dictionary or a column, written or read, gets another name."""

    example = ('row["id"]', 'row["id_renamed"]')

    def changes(self, node: Node) -> Iterator[Change]:
        if node.type == "string" and STRING_KEY.fullmatch(node.value) and self.is_key(node):
            yield node, f"{node.value[:-1]}_renamed{node.value[-1]}"

    def is_key(self, node: Node) -> bool:
        after, before, parent = node.get_next_sibling(), node.get_previous_sibling(), node.parent
        if parent.type in ("dictorsetmaker", "atom"):
            return after is not None and code(after) == ":"
        if parent.type == "trailer":
            return code(before) == "[" or self.is_keyed_call(parent)
        return parent.type == "arglist" and before is None and self.is_keyed_call(parent.parent)

    def is_keyed_call(self, trailer: Node) -> bool:
        called = trailer.get_previous_sibling() if trailer.type == "trailer" else None
        return called is not None and called.type == "trailer" and code(called)[1:] in KEYED_CALLS


class ContextRemoved(Replacement):
    """A block runs without its lock, transaction or `suppress`; blocks that name their context (`as`) stay."""

    example = ("with lock: pass", "if True: pass")

    def changes(self, node: Node) -> Iterator[Change]:
        block = node.children[1] if node.type == "async_stmt" else node
        is_whole = node.type == "async_stmt" or getattr(node.parent, "type", "") != "async_stmt"
        if block.type == "with_stmt" and is_whole:
            contexts = block.children[1:-2:2]
            if all(context.type != "with_item" for context in contexts):
                yield node, f"if True:{block.children[-1].get_code()}"


class ArgumentDropped(Replacement):
    """A call leaves out one of its keyword arguments (an empty `**{}` holds its place)."""

    example = ("f(a, k=1)", "f(a, **{})")

    def changes(self, node: Node) -> Iterator[Change]:
        if node.type == "argument" and code(node.children[1]) == "=":
            call = node.parent.parent if node.parent.type == "arglist" else node.parent
            if call.type == "trailer":
                yield node, "**{}"


class StatementRemoved(Replacement):
    """A call made for its effect, or an augmented assignment, is left out."""

    example = ("f(a)\n", "pass\n")

    def changes(self, node: Node) -> Iterator[Change]:
        if node.type == "simple_stmt":
            first = node.children[0]
            is_call = first.type in CALLS and code(first.children[-1]).startswith("(")
            is_augmented = (
                first.type == "expr_stmt" and first.children[1].type == "operator" and code(first.children[1]) != "="
            )
            if is_call or is_augmented:
                yield first, "pass"


OURS = (
    BranchNegated, MembershipFlipped, ExceptionChanged, ReturnedNone, KeyRenamed, ContextRemoved, ArgumentDropped,
    StatementRemoved,
)  # fmt: skip
