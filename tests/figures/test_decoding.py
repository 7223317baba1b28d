from __future__ import annotations

import io
import threading

import pytest
from PIL import Image, ImageFile

from data_juicer_ext.figures.decoding import strict_decoding


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)


def truncated() -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((64, 64), 50).save(buffer, "PNG")
    return buffer.getvalue()[:900]


def test_a_truncated_file_raises_inside_and_only_inside(lenient: None) -> None:
    Image.open(io.BytesIO(truncated())).load()
    with strict_decoding(), pytest.raises(OSError, match="truncated"):
        Image.open(io.BytesIO(truncated())).load()
    Image.open(io.BytesIO(truncated())).load()


def test_it_stays_strict_until_the_last_thread_has_left(lenient: None) -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with strict_decoding():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait(10)
    with strict_decoding():
        pass
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False
    leave.set()
    thread.join()
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True
