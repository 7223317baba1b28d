"""What papers and models may write to break out of a page, or to make it unreadable."""

from __future__ import annotations

from tests.report.run_folders import RunFolder, qa_row

MARK = "ranByTheRow"  # the id that the page gets, or the address that is asked for, if anything gets out
RUN = f"document.documentElement.id=`{MARK}`"
TEXTS = (
    f"<script>{RUN}</script>",
    f"</style></title></textarea><img src=x onerror='{RUN}'>",
    f'"><svg onload={RUN}>',
    f"' autofocus onfocus='{RUN}",
    f"<a href=\"javascript:{RUN}\">x</a><iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/{MARK}'><base href=http://127.0.0.1:9/>",
    f"{{{{ 7*7 }}}}{{% raw %}}${{{MARK}}}<!--<!]]>&#60;b&#62;&amp;",
    "\u202egnp.exe \u2067שלום\u2066 مرحبا \u200f\u2028\u2029\U000e0041",
    "nul \x00 bell \x07 escape \x1b[2J surrogate \ud800 \udfff",
    "w" * 1_000_000,
    "<b>" * 350_000,
    "\u0301" * 5_000 + "zalgo",
)


def hostile_folder(folder: RunFolder) -> RunFolder:
    """A run whose every text is hostile: exported, refused and undecided rows, reasons, models, papers."""
    rows = []
    for index, text in enumerate(TEXTS):
        place = {"paper_id": text[:300] if index % 2 else f"p{index}", "figure_id": f"{index}:{text[:200]}"}
        image = folder.image(f"i{index}")
        options = [text, f"{text} b", "c", text[::-1]]
        rows.append(qa_row(index, image, caption=text, question=text, options=options, rationale=text, claim=text,
                           domain=text[:500], figure_type=text[:500], number=text, licence=text, **place,
                           provenance={"source": {"sentence": text, "place": text}, "steps": [{"tag": text}]},
                           image_flags=f'["{index}"]', quality_overall=float(index)))  # fmt: skip
        claim = {"row_id": f"claim-{index}", "claim": text, "sentence": text, "place": text}
        folder.note("claim_extractor", f"figure-{index}", made=1, detail={"claims": [claim]}, model=text[:500], **place)
        made = {"made": f"r-{index}", "question": text, "options": options, "answer": "B"}
        folder.note("mcq_generator", f"claim-{index}", detail=made, model=text[:500], spent={"calls": 1}, **place)
        folder.note("source_consistency", f"r-{index}", "drop", text[:2000], detail={"letters": [text], "quote": text},
                    **place)  # fmt: skip
        folder.note("vision_vote", f"qa-{index}", "keep", detail={"letters": [text, "A"]}, **place)
        folder.note(f"tag {text[:500]}", f"u-{index}", "undecided", f"error:{text[:500]}", detail={"message": text},
                    operator="vision_vote_filter", **place)  # fmt: skip
    folder.end(rows)
    return folder
