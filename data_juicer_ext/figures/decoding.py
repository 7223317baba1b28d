"""Strict decoding: a truncated image is an error.

Data-Juicer switches Pillow to fill the missing part of a truncated file with grey, for the whole
process. A figure with its lower half missing must not reach a model or a dataset.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import ImageFile

_lock = threading.Lock()
_inside = 0
_before = False


@contextmanager
def strict_decoding() -> Iterator[None]:
    """Within it Pillow raises for truncated files; threads may be in it at once."""
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                ImageFile.LOAD_TRUNCATED_IMAGES = _before
