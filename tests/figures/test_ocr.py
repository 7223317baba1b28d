"""The shared OCR engine: scores, thresholds, one per process."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from data_juicer_ext.figures import ocr
from tests.locks import waits_for
from tests.offline.drawings import bar_chart


def test_every_piece_has_a_score_and_the_unsure_can_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = (ocr.OcrLine("sure", 0, 0, 9, 9, 0.9), ocr.OcrLine("unsure", 0, 9, 9, 18, 0.3))
    monkeypatch.setattr(ocr, "_read", lambda image: pieces)
    chart = bar_chart(tmp_path / "a.png", ["P", "Q"], [1.0, 2.0], title="Never read before")
    assert [piece.text for piece in ocr.read_picture(chart).pieces] == ["sure"]
    assert ocr.read_picture(chart, least_score=0.0).pieces == pieces


def test_upright_text_is_turned_and_scored(tmp_path: Path) -> None:
    chart = bar_chart(tmp_path / "a.png", ["Inn", "Isar"], [3.5, 8.5], title="Water level")
    title = next(piece for piece in ocr.read_picture(chart).pieces if piece.upright)
    assert title.text == "Water level" and 0.6 < title.score <= 1.0


def test_the_engine_works_in_one_thread(tmp_path: Path) -> None:
    import cv2

    ocr.read_picture(bar_chart(tmp_path / "a.png", ["A1", "B2"], [3.5, 8.5]))
    assert cv2.getNumThreads() == 1 and ocr._engine is not None


def test_a_forked_process_makes_its_own_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "_engine", object())
    with ocr._lock:
        child = os.fork()
        if not child:
            os._exit(0 if ocr._engine is None and ocr._lock.acquire(timeout=1) else 1)
    assert os.waitpid(child, 0)[1] == 0 and ocr._engine is not None


def test_what_is_missing_is_said_before_the_first_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ocr.ocr_problem() == ""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "rapidocr" else object())
    assert "data-juicer-ext[ocr]" in ocr.ocr_problem() and "rapidocr" in ocr.ocr_problem()


def test_a_piece_that_reads_better_turned_has_the_score_of_that_reading() -> None:
    piece, page = ocr.OcrLine("1l", 0, 0, 9, 40, 0.4), Image.new("RGB", (50, 50))
    for text, score, read in (("Rate ", 0.9, ("Rate", 0.9)), ("no", 0.3, ("1l", 0.4)), ("", 0.9, ("1l", 0.4))):
        texts, scores = ([text], [score]) if text else (None, None)
        found = ocr._turned(lambda *_, **__: SimpleNamespace(txts=texts, scores=scores), page, piece)  # noqa: B023
        assert (found.text, found.score) == read


def test_one_figure_is_read_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "_read", lambda image: ())
    chart = bar_chart(tmp_path / "a.png", ["P", "Q"], [1.0, 2.0], title="Never read before either")
    assert waits_for(ocr._lock, lambda: ocr.read_picture(chart))
