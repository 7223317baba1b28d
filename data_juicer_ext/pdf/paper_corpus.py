"""Which rows of a corpus of papers are taken: years, metadata, and each file once.

No row can tell by itself whether another one has the same file. So the first to ask for a file claims it, by a
small file (or object) named by its SHA-256 in a folder that all processes of a run share; whoever comes later reads
who has it. A claim stays, so that reruns and resumed runs decide alike.
"""

import contextlib
import errno
import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.storage import file_access, papers
from data_juicer_ext.storage.addresses import as_path, is_remote, under
from data_juicer_ext.storage.atomic_file import part_of

_CHUNK = 8 << 20
_AT_ONCE = 16  # requests to object storage
_WAITS = 40  # times that an empty claim is read again, while its writer is about to write it
_WAIT_SECONDS = 0.05
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


@dataclass(frozen=True)
class CorpusRules:
    """Which rows are taken.

    :param min_year: the first year (0: no bound). :param max_year: the last one (0: no bound).
    :param required: columns that must hold something.
    :param year_key: the column with the year.
    """

    min_year: int = 0
    max_year: int = 0
    required: tuple[str, ...] = ("venue", "year")
    year_key: str = "year"

    def refusal(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Why a row is refused, in one word and in a sentence; ("", "") for one that is taken."""
        missing = [name for name in self.required if str(row.get(name) or "").strip() in ("", "0")]
        if missing:
            return "missing_metadata", f"the row has no {' and no '.join(missing)}"
        given = str(row.get(self.year_key) or "").strip()
        if not (self.min_year or self.max_year) or not given:
            return "", ""
        try:
            year = int(float(given))
        except (ValueError, OverflowError):
            return "bad_year", f"{self.year_key} is {given[:40]!r}, which is no year"
        if year < self.min_year or (self.max_year and year > self.max_year):
            bounds = f"{self.min_year or '...'} to {self.max_year or '...'}"
            return "year_out_of_range", f"the year {year} is not in {bounds}"
        return "", ""


def sha256_of(place: str | Path) -> str:
    """The SHA-256, in hex, of the bytes of a file or of the object at an address.

    Raises OSError: IsADirectoryError for a folder, StorageError where object storage fails.
    """
    digest = hashlib.sha256()
    for part in papers.parts(place, _CHUNK):
        digest.update(part)
    return digest.hexdigest()


class Claims:
    """Who has which file, in a folder that processes and machines may share: a path, or an address."""

    def __init__(self, folder: str | Path) -> None:
        self._place = str(folder)
        self._folder = as_path(folder)

    def claim(self, digest: str, owner: str) -> str:
        """Claim the file with this SHA-256 for `owner`; who has it: `owner`, or who came before. Raises OSError."""
        if is_remote(self._place):
            return self._claim_object(f"{digest[:2]}/{digest}", owner)
        place = self._folder / digest[:2] / digest
        with contextlib.suppress(FileNotFoundError):
            if known := place.read_text(encoding="utf-8"):
                return known
        place.parent.mkdir(parents=True, exist_ok=True)
        written = part_of(place)
        written.write_text(owner, encoding="utf-8")
        try:
            return owner if _put(written, place) else self._read(place, written, owner)
        finally:
            written.unlink(missing_ok=True)

    def _claim_object(self, name: str, owner: str) -> str:
        address = under(self._place, name)
        return owner if file_access.create(address, owner.encode()) else file_access.read(address).decode()

    @staticmethod
    def _read(place: Path, written: Path, owner: str) -> str:
        for _ in range(_WAITS):
            if known := place.read_text(encoding="utf-8"):
                return known
            time.sleep(_WAIT_SECONDS)
        written.replace(place)  # who made it ended before it wrote its name
        return owner

    def settle(self, papers_of: Iterable[tuple[str, str | Path]]) -> None:
        """Claim each file that several papers (id, path or address) share for the smallest id among them.

        Only files of equal size are read. Files that cannot be read are left out. Raises StorageError where object
        storage fails, OSError where the folder can't be written.
        """
        given = list(papers_of)
        with ThreadPoolExecutor(_AT_ONCE if any(is_remote(place) for _, place in given) else 1) as pool:
            alike: dict[int, list[tuple[str, str | Path]]] = {}
            for paper, length in zip(given, pool.map(_size, [place for _, place in given]), strict=True):
                if length is not None:
                    alike.setdefault(length, []).append(paper)
            read = [paper for those in alike.values() if len(those) > 1 for paper in those]
            shared: dict[str, list[str]] = {}
            for (owner, _), digest in zip(read, pool.map(_digest, [place for _, place in read]), strict=True):
                if digest:
                    shared.setdefault(digest, []).append(owner)
        for digest, owners in shared.items():
            if len(owners) > 1:
                self.claim(digest, min(owners))


def _size(place: str | Path) -> int | None:
    try:
        return papers.size(place)
    except papers.StorageError:
        raise
    except (OSError, ValueError):
        return None


def _digest(place: str | Path) -> str:
    try:
        return sha256_of(place)
    except papers.StorageError:
        raise
    except OSError:
        return ""


def _put(written: Path, place: Path) -> bool:
    try:
        os.link(written, place)
        return True
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    try:
        handle = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return False
    with os.fdopen(handle, "wb") as file:
        file.write(written.read_bytes())
    return True
