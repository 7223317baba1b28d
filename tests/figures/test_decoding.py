from __future__ import annotations

import io
import threading

import pytest
from PIL import Image, ImageFile

from data_juicer_ext.figures import decoding
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


def test_two_that_enter_at_once_leave_it_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is held up between setting the switch and saying that it is inside."""
    set_once, go_on = threading.Event(), threading.Event()

    class Switch:
        lenient = True

        @property
        def LOAD_TRUNCATED_IMAGES(self) -> bool:  # noqa: N802 - Pillow's name
            return self.lenient

        @LOAD_TRUNCATED_IMAGES.setter
        def LOAD_TRUNCATED_IMAGES(self, lenient: bool) -> None:  # noqa: N802
            self.lenient = lenient
            if not set_once.is_set():
                set_once.set()
                go_on.wait(10)

    switch = Switch()
    monkeypatch.setattr(decoding, "ImageFile", switch)

    def enter() -> None:
        with strict_decoding():
            pass

    threads = [threading.Thread(target=enter) for _ in range(2)]
    threads[0].start()
    set_once.wait(10)
    threads[1].start()
    threads[1].join(0.2)
    go_on.set()
    for thread in threads:
        thread.join()
    assert switch.lenient
