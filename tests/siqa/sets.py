"""Sets of question rows whose truth can be told from their texts, by other rules than the code under test has."""

from __future__ import annotations

import random
import re
from typing import Any

Row = dict[str, Any]
DIMENSIONS = ("scientific_validity", "scientific_completeness", "cognitive_clarity", "disciplinary_conformity")
HOW_OPTIONS = ["Excellent", "Good", "Fair", "Poor"]


def is_present(number: int) -> bool:
    """What a made-up image shows: whether it has the part of that number. Four in five have it."""
    return random.Random(f"present {number}").random() < 0.8


def holds(row: Row) -> bool:
    """Whether the answer of a row is the right one for its own question and options."""
    said = row["options"]["ABCD".index(row["answer"])]
    if row["question_type"] == "yes_no":
        number, state = re.fullmatch(r"Is part (\d+) (present|missing)\?", row["question"]).groups()  # type: ignore[union-attr]
        return bool(said == ("Yes" if is_present(int(number)) == (state == "present") else "No"))
    if row["question_type"] == "what":
        return bool(said == f"part {re.sub(r'[^0-9]', '', row['question'])}")
    return bool(said == HOW_OPTIONS[int(re.sub(r"[^0-9]", "", row["question"])) % 4])


def base(number: int, kind: str) -> Row:
    return {
        "row_id": f"qa-{number:05d}", "paper_id": f"p{number % 97}", "figure_id": f"f{number % 13}",
        "images": [f"images/{number % 400}.png"], "caption": "ünïcode “caption” \u2028 with <tags>",
        "question_type": kind,
        "dimension": DIMENSIONS[number % 4], "image_category": f"category {number % 7}",
        "provenance": f'{{"figure_row_id": "figure-{number % 400}"}}',
        "question_plain": "", "question_negated": "", "negated": "no",
    }  # fmt: skip


def yes_no_row(number: int, negated: bool = False, both: bool = True) -> Row:
    plain, turned = f"Is part {number} present?", f"Is part {number} missing?"
    yes = is_present(number) != negated
    told = {"question_plain": plain, "question_negated": turned} if both else {}
    return {**base(number, "yes_no"), "question": turned if negated else plain, "options": ["Yes", "No"],
            "answer": "A" if yes else "B", **told, "negated": "yes" if negated else "no"}  # fmt: skip


def what_row(number: int, fixed: bool = False) -> Row:
    wrong = [f"part {number + more}" for more in (1, 2)]
    options = [f"part {number}", *reversed(wrong), "None of the above" if fixed else f"part {number + 3}"]
    return {**base(number, "what"), "question": f"Which part has number {number}?", "options": options, "answer": "A"}


def how_row(number: int) -> Row:
    return {**base(number, "how"), "question": f"How good is part {number}?", "options": list(HOW_OPTIONS),
            "answer": "ABCD"[number % 4]}  # fmt: skip


def question_set(size: int = 2000) -> list[Row]:
    """As many rows of all types, three in ten Yes/No rows negated; answers of What all stand first."""
    draw = random.Random("set")
    return [
        yes_no_row(number, draw.random() < 0.3) if number % 3 == 0 else what_row(number, draw.random() < 0.1)
        if number % 3 == 1 else how_row(number)
        for number in range(size)
    ]  # fmt: skip
