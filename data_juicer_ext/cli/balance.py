"""`dj-ext balance`: a set of SIQA questions with as many Yes as No, and its answers spread over the letters."""

import argparse
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path

from data_juicer_ext.cli.inputs import rows_of
from data_juicer_ext.errors import UsageError
from data_juicer_ext.siqa.answer_balance import Balanced, BalanceOrder, balance, line_of
from data_juicer_ext.siqa.set_counts import comparison, count_rows
from data_juicer_ext.storage.atomic_file import replace_lines

_SHOWN = 10  # refused rows


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    part = commands.add_parser("balance", help="SIQA questions: share of Yes, letters of What, images per category")
    add = part.add_argument
    add("rows", type=Path, help="question rows: an export, a file or a folder")
    add("--out", type=Path, required=True, metavar="FILE", help="JSON Lines, written at once at the end")
    add("--yes-share", type=_share, default=Fraction(1, 2), metavar="SHARE", help="(default: 0.5)")
    add("--drop", action="store_true", help="drop Yes/No rows where turning questions is not enough")
    add("--max-per-category", type=int, default=0, metavar="N", help="images per category at most (default: all)")
    add("--category-column", default="image_category", metavar="COLUMN", help="that names it (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="another choice (default: 0)")
    part.set_defaults(run=_balance)


def _share(text: str) -> Fraction:
    try:
        return Fraction(Decimal(text))
    except (InvalidOperation, ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"{text} is no number such as 0.5") from error


def _balance(given: argparse.Namespace) -> int:
    if given.max_per_category < 0:
        raise UsageError(
            f"--max-per-category {given.max_per_category}: write a whole number from 1 on, or leave it out"
        )
    rows = rows_of(given.rows)
    order = BalanceOrder(given.yes_share, given.max_per_category, given.category_column, given.drop, given.seed)
    found = balance(rows, order)
    refused = {row_id for row_id, _ in found.refused}
    before = count_rows({r["row_id"]: r for r in rows if r["row_id"] not in refused}.values(), given.category_column)
    after = count_rows(found.rows, given.category_column)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    replace_lines(given.out, map(line_of, found.rows), synced=True)
    print("\n".join([*comparison(before, after), *_done(found, order), str(given.out)]))
    return 1 if found.refused or (found.missing and not order.drop) else 0


def _done(found: Balanced, order: BalanceOrder) -> list[str]:
    lines = [f"turned around: {found.turned} Yes/No rows; moved to another letter: {found.moved} What rows"]
    if order.max_per_category:
        lines.append(f"left out by category: {found.dropped_by_category} rows")
    if found.missing:
        short = f"the share of Yes would need {found.missing} more rows with a negated question"
        lines.append(
            f"{short}: {found.dropped_yes_no} Yes/No rows left out instead" if order.drop else
            f"{short}; run siqa_refine_mapper on more of them, or leave rows out with --drop"
        )  # fmt: skip
    lines += [f"refused: {row_id}: {why}" for row_id, why in found.refused[:_SHOWN]]
    if len(found.refused) > _SHOWN:
        lines.append(f"refused: {len(found.refused) - _SHOWN} more rows")
    return lines
