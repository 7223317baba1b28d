"""A row that is written, with its images: what the writers of all formats take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FOLDER = "images"
"""The folder of an export that holds copied images."""


@dataclass(frozen=True)
class Picture:
    """One image: its name in an export, its MIME type, and its bytes."""

    name: str
    mime: str
    data: bytes

    @property
    def path(self) -> str:
        """Where the copy lies, relative to the export."""
        return f"{FOLDER}/{self.name}"


@dataclass(frozen=True)
class Picked:
    """One row of a split: its columns without images and without machine paths, and its images."""

    split: str
    row: Mapping[str, Any]
    pictures: tuple[Picture, ...]

    @property
    def provenance(self) -> str:
        """Where the row comes from, as JSON text."""
        return str(self.row.get("provenance") or "{}")
