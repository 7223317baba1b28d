"""The offline model as a model: tasks, formats, failures, and figures read by OCR."""

from __future__ import annotations

import asyncio
import builtins
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.figures import ocr
from data_juicer_ext.models.types import Answer, Failure, Message, Model, Request, Result
from data_juicer_ext.offline import OfflineModel
from data_juicer_ext.offline import model as offline_model
from tests.offline.drawings import bar_chart, diagram

PARAGRAPHS = [r"As Fig.~\ref{fig:r} shows, the runoff of Inn is 31.4 mm and the runoff of Drau is 18.2 mm."]


def ask(task: str, images: tuple[str, ...] = (), **fields: Any) -> Result:
    request = Request((Message("system", "rules"), Message("user", "x" * 40, images)), task=task, fields=fields)
    return asyncio.run(OfflineModel().ask(request))


def text(result: Result) -> str:
    assert isinstance(result, Answer), result
    return result.text


def vote(image: str, question: str, *options: str, caption: str = "Rivers.") -> tuple[str, str]:
    answer = text(ask("verisciqa/vision_vote", (image,), domain="", caption=caption, question=question,
                      options=list(options)))  # fmt: skip
    found = re.fullmatch(r"<rationale>(.+)</rationale>\n<option>(\w+)</option>", answer, re.S)
    assert found
    return found.group(2), found.group(1)


def test_it_is_a_model() -> None:
    assert isinstance(OfflineModel(), Model)
    assert OfflineModel().name == "offline"


def test_claims_question_and_checks_in_the_formats_of_the_prompts() -> None:
    base = {"domain": "geo", "label": "fig:r", "paragraphs": PARAGRAPHS}
    claims = text(ask("verisciqa/claim_extraction", labels=["fig:r"], **base))
    assert claims == (
        "<Patterns>\n1. The figure shows that the runoff of Inn is 31.4 mm.\n"
        "2. The figure shows that the runoff of Drau is 18.2 mm.\n</Patterns>"
    )
    claim = "The figure shows that the runoff of Inn is 31.4 mm."
    made = text(ask("verisciqa/mcq_generation", caption="Rivers.", claim=claim, **base))
    found = re.fullmatch(
        r"<question>What is the runoff of Inn\?</question>\n<options>\n((?:[A-D]\. .+\n)+)</options>\n"
        r"<answer>([A-D])</answer>", made
    )  # fmt: skip
    assert found
    options = [line[3:] for line in found.group(1).splitlines()]
    checked = {"question": "What is the runoff of Inn?", "options": options}
    source = text(ask("verisciqa/source_consistency", labels=["fig:r"], **base, **checked))
    assert source.endswith(f"<option>{found.group(2)}</option>") and source.startswith("<analysis>")
    blind = text(ask("verisciqa/visual_dependence", domain="geo", caption="Rivers.", **checked))
    assert blind == "<option>None</option>"
    told = text(ask("verisciqa/visual_dependence", domain="geo", caption="The runoff of Inn is 31.4 mm.", **checked))
    assert told == f"<option>{found.group(2)}</option>"


def test_nothing_to_say() -> None:
    none = text(ask("verisciqa/claim_extraction", domain="", label="a", labels=["a"], paragraphs=["It rains."]))
    assert none == "<Patterns>None</Patterns>"
    fields = {"domain": "", "label": "a", "caption": "", "paragraphs": []}
    assert text(ask("verisciqa/mcq_generation", claim="The figure shows that it is nice.", **fields)) == "None"


def test_equal_requests_get_equal_answers_and_tokens_are_estimates() -> None:
    fields = {"domain": "", "label": "fig:r", "labels": ["fig:r"], "paragraphs": PARAGRAPHS}
    first, second = (ask("verisciqa/claim_extraction", **fields) for _ in range(2))
    assert isinstance(first, Answer) and isinstance(second, Answer)
    assert (first.text, first.usage, first.model) == (second.text, second.usage, "offline")
    assert first.usage.estimated and first.usage.prompt_tokens == 12
    assert first.usage.completion_tokens == -(-len(first.text) // 4)


def test_unknown_tasks_and_missing_fields_are_failures() -> None:
    unknown = ask("siqa/rate")
    assert isinstance(unknown, Failure) and unknown.kind == "bad_request" and "siqa/rate" in unknown.message
    missing = ask("verisciqa/mcq_generation", claim="x")
    assert isinstance(missing, Failure) and missing.kind == "bad_request" and "caption" in missing.message


def test_a_defect_is_a_failure_and_no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[str]:
        raise RuntimeError("boom")

    monkeypatch.setattr("data_juicer_ext.offline.model.figure_claims", broken)
    failed = ask("verisciqa/claim_extraction", domain="", label="a", labels=["a"], paragraphs=["x"])
    assert isinstance(failed, Failure) and failed.kind == "internal" and "boom" in failed.message


VOTE = {"domain": "", "caption": "", "question": "What is the runoff of Inn?", "options": ["1", "2"]}


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, None])
def test_a_broken_or_missing_image_is_bad_image(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "figure.png"
    if content is not None:
        path.write_bytes(content)
    failed = ask("verisciqa/vision_vote", (str(path),), **VOTE)
    assert isinstance(failed, Failure) and failed.kind == "bad_image" and not failed.retryable
    assert "figure.png" in failed.message


def test_no_image_and_too_many_pixels_are_bad_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert getattr(ask("verisciqa/vision_vote", **VOTE), "kind", "") == "bad_image"
    monkeypatch.setattr(ocr, "PIXEL_LIMIT", 99)
    Image.new("L", (10, 10)).save(tmp_path / "big.png")
    failed = ask("verisciqa/vision_vote", (str(tmp_path / "big.png"),), **VOTE)
    assert isinstance(failed, Failure) and "too many" in failed.message


def test_without_ocr_the_failure_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] == "rapidocr":
            raise ImportError("No module named 'rapidocr'")
        return kept(name, *rest, **named)

    monkeypatch.setattr(ocr, "_engine", None)
    monkeypatch.setattr(builtins, "__import__", refuse)
    Image.new("RGB", (32, 32), (1, 2, 3)).save(tmp_path / "never_seen.png")
    failed = ask("verisciqa/vision_vote", (str(tmp_path / "never_seen.png"),), **VOTE)
    assert isinstance(failed, Failure) and "pip install 'data-juicer-ext[ocr]'" in failed.message


def test_a_bar_chart_is_read(tmp_path: Path) -> None:
    image = bar_chart(tmp_path / "bars.png", ["Inn", "Drau", "Enns", "Mur"], [31.4, 18.2, 44.7, 25.9])
    letter, rationale = vote(image, "What is the runoff of Drau?", "31.4 mm", "18.2 mm", "20.4 mm")
    assert letter == "B" and '"18.2"' in rationale and '"Drau"' in rationale
    assert vote(image, "What is the runoff of Enns?", "31.4 mm", "18.2 mm", "47.4 mm")[0] == "None"
    assert vote(image, "Which of these has the highest runoff?", "Inn", "Drau", "Enns", "Mur")[0] == "C"
    assert vote(image, "Which of the two has the lower runoff: Inn or Mur?", "Mur", "Inn")[0] == "A"
    assert vote(image, "What does the vertical axis show?", "the area", "the runoff")[0] == "B"


def test_a_block_diagram_is_read(tmp_path: Path) -> None:
    image = diagram(tmp_path / "blocks.png", [("Antenna", ""), ("Amplifier", "3 stages"), ("Recorder", "16 bits")])
    assert vote(image, "How many stages does the amplifier have?", "16", "3")[0] == "B"
    letter, rationale = vote(image, "What does the amplifier feed?", "the recorder", "the antenna")
    assert letter == "A" and "arrow" in rationale
    assert vote(image, "What does the recorder feed?", "the amplifier", "the antenna")[0] == "None"


def test_arrows_have_a_direction(tmp_path: Path) -> None:
    image = diagram(tmp_path / "back.png", [("Antenna", ""), ("Amplifier", ""), ("Recorder", "")], backward=True)
    assert vote(image, "What does the amplifier feed?", "the recorder", "the antenna")[0] == "B"


def test_many_requests_at_once_share_one_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = bar_chart(tmp_path / "many.png", ["Isar", "Lech"], [12.5, 63.0])
    read: list[int] = []
    kept = ocr._read
    monkeypatch.setattr(ocr, "_read", lambda shown: read.append(1) or kept(shown))
    fields = {"domain": "", "caption": "", "question": "What is the runoff of Lech?", "options": ["12.5", "63.0"]}
    request = Request((Message("user", "", (image,)),), task="verisciqa/vision_vote", fields=fields)

    async def all_at_once() -> list[Result]:
        return await asyncio.gather(*(OfflineModel().ask(request) for _ in range(12)))

    answers = {text(result) for result in asyncio.run(all_at_once())}
    assert len(answers) == 1 and answers.pop().endswith("<option>B</option>")
    assert len(read) == 1


def test_a_figure_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = bar_chart(tmp_path / "once.png", ["Po", "Arno"], [3.5, 9.5])
    first = vote(image, "What is the runoff of Arno?", "3.5", "9.5")
    monkeypatch.setattr(ocr, "_read", lambda _: pytest.fail("read again"))
    assert vote(image, "What is the runoff of Arno?", "3.5", "9.5") == first


@pytest.mark.parametrize(
    ("field", "texts"), [("a\n\nb\n\n \n\n", ["a", "b"]), ("a\nb", ["a\nb"]), ("", []), (["a", 1], ["a", "1"])]
)
def test_a_field_of_texts_is_a_list_or_paragraphs(field: object, texts: list[str]) -> None:
    assert offline_model._strings(field) == texts
