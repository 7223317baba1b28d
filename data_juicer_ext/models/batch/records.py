"""Which requests are in which batch, kept on disk so that a killed run goes on instead of paying again.

One JSON file per batch. It is written before the batch is created, with a token that the batch carries as metadata:
where a run died between the provider's creation and our note of it, the token finds the batch again.
"""

import json
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from data_juicer_ext.models.store.interface import StoreError
from data_juicer_ext.storage.atomic_file import replace_lines


@dataclass(frozen=True)
class Submission:
    """One batch: the keys of its requests, its `batch_id` ("" while not known), the `attempt` (from 1).

    `released` keys are out of it: they came back without an answer and may be asked for anew.
    """

    token: str
    endpoint: str
    keys: tuple[str, ...]
    batch_id: str = ""
    attempt: int = 1
    released: tuple[str, ...] = field(default=())


class BatchRecords:
    """The submissions of one run folder. One process at a time. Raises StoreError."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def load(self, endpoint: str) -> list[Submission]:
        """All submissions to `endpoint`."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            try:
                data = json.loads(path.read_text("utf-8"))
                submission = Submission(
                    **{**data, "keys": tuple(data["keys"]), "released": tuple(data.get("released", ()))}
                )
            except (OSError, ValueError, TypeError, KeyError) as error:
                raise StoreError(
                    f"{path} does not read as a record of a submitted batch ({type(error).__name__}); "
                    "move it away to have its requests submitted, and paid for, again"
                ) from error
            if submission.endpoint == endpoint:
                found.append(submission)
        return found

    def begin(self, endpoint: str, keys: Iterable[str], attempt: int) -> Submission:
        """Note a batch that is about to be created."""
        return self._write(Submission(uuid.uuid4().hex, endpoint, tuple(keys), attempt=attempt))

    def created(self, submission: Submission, batch_id: str) -> Submission:
        """Note the id of a batch."""
        return self._write(replace(submission, batch_id=batch_id))

    def release(self, submission: Submission, keys: Iterable[str]) -> Submission:
        """Let requests that brought no answer be submitted again."""
        return self._write(replace(submission, released=tuple(dict.fromkeys((*submission.released, *keys)))))

    def forget(self, submission: Submission) -> None:
        """Drop a batch that was never created."""
        (self._folder / f"{submission.token}.json").unlink(missing_ok=True)

    def _write(self, submission: Submission) -> Submission:
        path = self._folder / f"{submission.token}.json"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            replace_lines(path, [json.dumps(asdict(submission))], synced=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error}") from error
        return submission
