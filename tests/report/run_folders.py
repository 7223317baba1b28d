"""Run folders made by hand: a ledger, an export and figures, with whatever content a test asks for."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from PIL import Image

from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.ledger import Entry, Spending

FILTERS = ("source_consistency", "visual_dependence", "vision_vote")


class RunFolder:
    """A run folder that entries are written into; each `begin` is one more run."""

    def __init__(self, folder: Path, **about: Any) -> None:
        self.path, self.export = folder / "run", folder / "pairs.jsonl"
        self.about = {"executor": "default", "recipe": ["r.yaml"], "export_path": str(self.export), **about}
        self.begin()

    def begin(self) -> None:
        """Start one more run into the folder."""
        self.run = run_records.begin(self.path, self.about)

    def image(self, name: str, colour: str = "navy", size: tuple[int, int] = (120, 80)) -> str:
        """A figure's file."""
        (self.path / "images").mkdir(parents=True, exist_ok=True)
        path = self.path / "images" / f"{name}.png"
        Image.new("RGB", size, colour).save(path)
        return str(path)

    def note(self, tag: str, row_id: str, verdict: Any = "keep", reason: str = "", **more: Any) -> None:
        """One line of the ledger; `spent` may hold numbers of a spending."""
        operator = more.pop("operator", f"{tag}_filter" if tag in FILTERS else f"{tag}_mapper")
        spent = Spending(**more.pop("spent", {}))
        more.setdefault("made", int(verdict == "keep"))
        entry = Entry(row_id, operator, tag, verdict, reason or verdict, spending=spent, model=more.pop("model", "m"),
                      **more)  # fmt: skip
        self.run.ledger.record(entry)

    def end(self, rows: list[dict[str, Any]] | None = None) -> None:
        """End the run, with the rows that it exports."""
        if rows is not None:
            self.export.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run_records.end(self.run)


def qa_row(index: int, image: str = "", /, **changed: Any) -> dict[str, Any]:
    """An exported question about one of three figures of paper `p0` or `p1`."""
    row = {
        "row_id": f"qa-{index}", "paper_id": f"p{index % 2}", "figure_id": f"{index % 3}:fig", "domain": "cs.CL",
        "images": [image], "caption": f"Caption {index}.", "number": str(index % 3), "claim": "The figure shows it.",
        "question": f"Question {index}?", "options": ["1", "22", "333", "4444"], "answer": "ABCD"[index % 4],
        "rationale": "Seen.", "figure_type": "Bar Chart" if index % 2 else "Line Plot", "question_type": "",
        "provenance": json.dumps({"source": {"sentence": "It is so.", "place": "main.tex:3"}}), "image_flags": "[]",
    }  # fmt: skip
    return {**row, **changed}


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._rows: list[list[str]] | None = None
        self._cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            name = dict(attrs).get("id") or f"unnamed-{len(self.tables)}"
            self._rows = self.tables.setdefault(name, [])
        elif tag == "tr" and self._rows is not None:
            self._rows.append([])
        elif tag in ("td", "th") and self._rows:
            self._rows[-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False
        elif tag == "table":
            self._rows = None

    def handle_data(self, data: str) -> None:
        if self._cell and self._rows and self._rows[-1]:
            self._rows[-1][-1] += data.strip("\n")


def tables(page: str) -> dict[str, list[list[str]]]:
    """The tables of a page by id, each a list of rows without its head."""
    parser = _Tables()
    parser.feed(page)
    return {name: rows[1:] for name, rows in parser.tables.items()}


def number(cell: str) -> int:
    """A counted cell."""
    return int(cell.replace(",", "").rstrip("*"))
