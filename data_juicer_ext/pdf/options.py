"""What a caller can set when a PDF is read, and the error for one that cannot be read."""

from dataclasses import dataclass

from data_juicer_ext.errors import DjExtError, UsageError


class PdfError(DjExtError, ValueError):  # a finding about a file, reported as a reason
    """A PDF cannot be read; the message says what is wrong with it and what to do, `reason` in one word.

    Reasons: `missing_file`, `not_a_pdf`, `broken`, `encrypted`, `no_pages`, `no_text` (scanned), `too_large`,
    `time_limit`, `crashed`.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = self.flag = reason


@dataclass(frozen=True)
class PdfOptions:
    """Settings of one extraction.

    :param dpi: resolution of the images of figures.
    :param max_side: longest side in pixels of an image; larger ones are drawn at a lower resolution.
    :param seconds: time limit for one document. What is found in four fifths of it is kept; a document that
        does not come to that is given up.
    :param max_pages: most pages that are read; the rest is left out, with a note.
    :param max_bytes: most bytes of a file.
    :param threads: threads of the layout model.
    """

    dpi: int = 300
    max_side: int = 5000
    seconds: float = 300.0
    max_pages: int = 2000
    max_bytes: int = 300_000_000
    threads: int = 1

    def __post_init__(self) -> None:
        """Raises UsageError for a value outside what is allowed."""
        if not 20 <= self.dpi <= 1200:
            raise UsageError("dpi lies between 20 and 1200")
        if not 64 <= self.max_side <= 20_000:
            raise UsageError("max_side lies between 64 and 20000 pixels")
        if not 1 <= self.seconds <= 36_000:
            raise UsageError("seconds lies between 1 and 36000")
        if min(self.max_pages, self.max_bytes, self.threads) < 1:
            raise UsageError("max_pages, max_bytes and threads are positive")
