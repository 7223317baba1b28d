"""Run folders with rows for each form, and with everything in them that raters must not see."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, PngImagePlugin

from tests.report.run_folders import RunFolder

# Words that stand for what must not reach a blind rater; each is in its own place of a row, a file or the ledger.
SECRETS = {
    "row_id": "qa-s3cretrow", "paper_id": "s3cretpaper", "figure_id": "s3cretfigure", "label": "fig:s3cretlabel",
    "file": "s3cretfile", "metadata": "s3cretmeta", "context": "s3cretcontext", "claim": "s3cretclaim",
    "model": "s3cretmodel", "place": "s3cretplace.tex", "votes": "s3cretvote", "venue": "s3cretvenue",
    "generator": "s3cretgenerator", "score": "s3cretscore", "domain": "s3cretdomain", "type": "s3crettype",
}  # fmt: skip


def figure(folder: RunFolder, name: str, seed: int = 0, size: tuple[int, int] = (640, 400), bars: int = 5) -> str:
    """A bar chart as PNG, whose file tells in every way that it can where it is from."""
    chance, image = random.Random(seed), Image.new("RGB", size, "white")
    draw, (width, height) = ImageDraw.Draw(image), size
    for bar in range(bars):
        left, top = width * (bar + 0.6) / (bars + 1), height * chance.uniform(0.15, 0.7)
        draw.rectangle((left, top, left + width * 0.6 / (bars + 1), height * 0.88), fill="#2b6ca3")
    draw.line((width * 0.06, height * 0.88, width * 0.97, height * 0.88), fill="black", width=3)
    said = PngImagePlugin.PngInfo()
    said.add_text("Author", SECRETS["metadata"])
    exif = Image.Exif()
    exif[0x010E] = SECRETS["metadata"]
    (folder.path / "images").mkdir(parents=True, exist_ok=True)
    path = folder.path / "images" / f"{SECRETS['file']}-{name}.png"
    image.save(path, pnginfo=said, exif=exif, icc_profile=SECRETS["metadata"].encode())
    return str(path)


def question(folder: RunFolder, index: int, **changed: Any) -> dict[str, Any]:
    """A kept question with its origin, and a claim from the second of its two citing paragraphs."""
    sentence = f"Series {index} of Figure~\\ref{{{SECRETS['label']}}} rises, as {SECRETS['context']} has it."
    paragraphs = [f"An earlier paragraph, {SECRETS['context']}.", f"Before it. {sentence} After it."]
    places = [
        {"place": f"{SECRETS['place']}:{n}", "section": "Results", "paragraph": p} for n, p in enumerate(paragraphs)
    ]
    source = {"sentence": sentence, "paragraph": 1, "place": f"{SECRETS['place']}:1", "section": "Results"}
    row = {
        "row_id": f"{SECRETS['row_id']}-{index}", "paper_id": f"{SECRETS['paper_id']}-{index % 2}",
        "figure_id": f"{index}:{SECRETS['figure_id']}", "domain": SECRETS["domain"], "licence": "",
        "venue": SECRETS["venue"], "year": "", "images": [figure(folder, str(index), index)],
        "caption": f"Caption {index}: bars of five series.",
        "label": SECRETS["label"], "number": str(index), "labels": json.dumps([SECRETS["label"]]),
        "context": "\n\n".join(paragraphs), "context_places": json.dumps(places),
        "provenance": json.dumps({"source": source, "steps": [{"tag": SECRETS["votes"], "model": SECRETS["model"]}]}),
        "claim": f"The figure shows {SECRETS['claim']} {index}.",
        "question": f"Which bar is highest in chart {index}?",
        "options": ["the first", "the second", "the third", "none"],
        "answer": "ABCD"[index % 4],
        "rationale": f"Bar {index} stands out.", "figure_type": SECRETS["type"], "question_type": "",
        "image_flags": "[]",
        "quality_overall": 7.5, "judgement": json.dumps({"note": SECRETS["score"]}),
    }  # fmt: skip
    return {**row, **changed}


def trail(folder: RunFolder, row: dict[str, Any], letters: str = "", verdict: str = "keep", stop: str = "") -> None:
    """What the ledger says of a question from its figure on; `stop` is the step that refuses it, or leaves it open."""
    source = json.loads(row["provenance"])["source"]
    index, place = (
        row["row_id"],
        {"paper_id": row["paper_id"], "figure_id": row["figure_id"], "model": SECRETS["model"]},
    )
    seen = {"images": row["images"], "number": row["number"], "caption": row["caption"]}
    folder.note("figure_rows", f"figure-{index}", reason="image", detail=seen, **place)
    claim = {"row_id": f"claim-{index}", "claim": row["claim"], **source}
    folder.note("claim_extractor", f"figure-{index}", reason="claims", detail={"claims": [claim]}, **place)
    asked = {"made": index, "question": row["question"], "options": row["options"], "answer": row["answer"]}
    folder.note("mcq_generator", f"claim-{index}", reason="question", detail=asked, spent={"calls": 1}, **place)
    letters = letters or row["answer"] * 3
    agree = letters.count(row["answer"])
    details = {
        "source_consistency": {"letters": [row["answer"]], "quote": SECRETS["votes"]},
        "visual_dependence": {"hits": 0, "needed": 1, "draws": ["none"]},
        "vision_vote": {"agree": agree, "against": len(letters) - agree, "failed": 0, "n": 3, "majority": 2,
                        "draws_made": len(letters), "letters": list(letters)},
    }  # fmt: skip
    for tag, detail in details.items():
        stops = tag == stop
        reason = {"keep": "agrees", "drop": "no_majority", "undecided": "call_failed:timeout"}[
            verdict if stops else "keep"
        ]
        detail = {"message": "the call timed out"} if stops and verdict == "undecided" else detail
        folder.note(tag, index, verdict if stops else "keep", reason, detail=detail, spent={"calls": 1}, **place)
        if stops:
            return


def questions_run(tmp_path: Path, kept: int = 4) -> RunFolder:
    """A run of VeriSciQA: kept questions (the second with a divided vote), three refused ones, one undecided."""
    folder = RunFolder(tmp_path)
    rows = [question(folder, index) for index in range(kept)]
    for index, row in enumerate(rows):
        trail(folder, row, f"{row['answer']}{'X' if index == 1 else row['answer']}{row['answer']}")
    for index, stop in enumerate(("source_consistency", "visual_dependence", "vision_vote"), 20):
        same = {"figure_id": rows[0]["figure_id"], "paper_id": rows[0]["paper_id"]}
        trail(folder, question(folder, index, **same), "XXY", "drop", stop)
    left = question(folder, 30)
    trail(folder, left, "", "undecided", "vision_vote")
    folder.run.undecided.write({**left, "undecided": {"tag": "vision_vote", "message": "the call timed out"}})
    folder.end(rows)
    return folder


def figures_run(tmp_path: Path, count: int = 3) -> RunFolder:
    """A run with scored figures, in turns: with caption and citing text, a caption alone, citing text alone."""
    folder = RunFolder(tmp_path)
    rows = []
    for index in range(count):
        row = question(folder, index, quality=json.dumps({"scores": {"VC": 8}, "overall": 8, "note": SECRETS["score"]}))
        row = {
            key: row[key]
            for key in row
            if key not in ("question", "options", "answer", "rationale", "claim", "judgement")
        }
        text = [{"section": "Results", "place": SECRETS["place"],
                 "paragraph": f"Figure {index} shows that the bars of citedword rise higher than before."}]  # fmt: skip
        row["context_places"] = json.dumps(text if index % 3 != 1 else [])
        row["caption"] = f"Captionword {index}: five bars." if index % 3 != 2 else ""
        rows.append(row)
        folder.note("figure_quality", row["row_id"], reason="scored", detail={"scores": {"VC": 8}, "overall": 8})
    folder.end(rows)
    return folder


def images_run(tmp_path: Path, count: int = 3) -> RunFolder:
    """A run with rated images."""
    folder = RunFolder(tmp_path)
    rows = []
    for index in range(count):
        row = question(folder, index)
        keep = ("row_id", "paper_id", "figure_id", "images", "provenance", "venue", "domain")
        rated = {"rating": json.dumps({"note": SECRETS["score"]}), "rating_perception": 4.2, "caption": ""}
        rows.append({**{key: row[key] for key in keep}, **rated})
        folder.note("siqa_rating", row["row_id"], reason="rated")
    folder.end(rows)
    return folder


def diagrams_run(tmp_path: Path, count: int = 3, **columns: Any) -> RunFolder:
    """A run with judged diagrams; the generated one of row 0 is 400 pixels high, its reference 300, and so on."""
    folder = RunFolder(tmp_path)
    rows = []
    for index in range(count):
        drawn = (
            figure(folder, f"gen-{index}", index, (640, 400)),
            figure(folder, f"ref-{index}", index + 50, (640, 300)),
        )
        row = {
            "row_id": f"{SECRETS['row_id']}-{index}", "paper_id": SECRETS["paper_id"],
            "instance_id": f"i-{SECRETS['figure_id']}", "paper_text": SECRETS["context"],
            "caption": f"Caption {index} of both.", "aspect_ratio": "16:9", "images": list(drawn),
            "diagram_type": "AF", "generator": SECRETS["generator"],
            "judgement": json.dumps({"note": SECRETS["score"]}), "s_final": 0.61,
        }  # fmt: skip
        rows.append({**row, **columns})
        folder.note("diagram_judge", row["row_id"], reason="judged")
    folder.end(rows)
    return folder


def calibration_file(folder: RunFolder, levels: list[int]) -> Path:
    """Reference images with a consensus for each."""
    lines = []
    for index, level in enumerate(levels):
        image = figure(folder, f"calibration-{index}", 90 + index)
        lines.append({"image": image, "perception": level + 0.25, "knowledge": 6 - level + 0.25})
    path = folder.path.parent / "calibration.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
