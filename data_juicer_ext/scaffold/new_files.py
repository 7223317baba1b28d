"""Files that are written all or not at all, and never over one that is there."""

from dataclasses import dataclass, field
from pathlib import Path

from data_juicer_ext.errors import UsageError


@dataclass
class NewFiles:
    """What is to be written below `folder`, by relative path.

    `new` files must not be there; `shared` ones (sample rows) are left as they are if they are; `appended` texts go
    to the end of a file.
    """

    folder: Path
    new: dict[str, str] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    appended: dict[str, str] = field(default_factory=dict)

    def write(self) -> list[str]:
        """Write everything; the paths that were written or changed.

        Raises UsageError, with nothing written, where a new file is there already.
        """
        there = [path for path in self.new if (self.folder / path).exists()]
        if there:
            raise UsageError(f"{', '.join(there)} in {self.folder} exist already and are left as they are")
        missing = {path: text for path, text in self.shared.items() if not (self.folder / path).exists()}
        for path, text in {**self.new, **missing}.items():
            _write(self.folder / path, text, "x")
        for path, text in self.appended.items():
            _write(self.folder / path, text, "a")
        return [*self.new, *missing, *self.appended]


def _write(path: Path, text: str, mode: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
