"""Requests through the provider's batch interface: half the price, answers within a day.

A batch goes on at the provider when our process ends; what was submitted is on disk (see
`batch_records`), and asking for the same requests again polls the same batches.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import openai

from data_juicer_ext.figures.image_preparation import ImageError
from data_juicer_ext.models.batch.openai_api import BatchApi
from data_juicer_ext.models.batch.records import BatchRecords, Submission
from data_juicer_ext.models.batch.results import EXPIRED, BatchLine, decision_of_batch, failure, read_lines, result_of
from data_juicer_ext.models.config.endpoint import EndpointConfig
from data_juicer_ext.models.event_loop import on_loop
from data_juicer_ext.models.http.refused_parameters import ParameterRules
from data_juicer_ext.models.http.retry import RetryDecision, decide
from data_juicer_ext.models.prepared_request import prepare_request
from data_juicer_ext.models.types import Failure, Request, Result

POLL_S = 30.0
MAX_REQUESTS = 50_000  # of one batch, at OpenAI and DashScope
MAX_BYTES = 100_000_000  # of its file; OpenAI takes 200 MB, and it stands in memory here
EXPIRED_ATTEMPTS = 2  # what expired is submitted once more
ATTEMPTS = 4  # and what was refused for a parameter again with other ones, which costs nothing
ENDED = ("completed", "failed", "expired", "cancelled")


class BatchClient:
    """A model behind an endpoint's batch interface. `folder` keeps what was submitted.

    `poll` is the number of seconds between two looks at the batches. One process at a time may use a folder.
    """

    def __init__(self, config: EndpointConfig, folder: str | Path, poll: float = POLL_S) -> None:
        self._config = config
        self._records = BatchRecords(folder)
        self._poll = poll
        self._rules = ParameterRules(config.model)

    async def answer_many(self, requests: Mapping[str, Request]) -> Mapping[str, Result]:
        """The result of each request, under its key (which is unique in the folder: the request key).

        Returns when all batches have ended, up to a day later. Requests of earlier runs that are in a batch already are
        not submitted again. An error of one request is that one's `Failure`. Raises StoreError where the folder cannot
        be read or written. Cancelling leaves the batches running: the same call goes on with them.
        """
        return await on_loop(self._answer_many(requests))

    async def _answer_many(self, requests: Mapping[str, Request]) -> dict[str, Result]:
        api = BatchApi(self._config)
        try:
            run = _BatchRun(self._config, api, self._records, self._rules, requests)
            await run.resume()
            for attempt in range(1, ATTEMPTS + 1):
                await run.submit(attempt)
                while run.open:
                    await run.look()
                    if run.open:
                        await asyncio.sleep(self._poll)
            return run.results
        finally:
            await api.close()


class _BatchRun:
    """One call of `answer_many`: what is open, what has come back."""

    def __init__(
        self,
        config: EndpointConfig,
        api: BatchApi,
        records: BatchRecords,
        rules: ParameterRules,
        requests: Mapping[str, Request],
    ) -> None:
        self._config, self._api, self._records, self._rules = config, api, records, rules
        self._requests = requests
        self.results: dict[str, Result] = {}
        self.open: dict[str, Submission] = {}
        self._again: set[str] = set()

    async def resume(self) -> None:
        """Take up the batches of earlier runs that hold any of our requests."""
        lost = []
        for submission in self._records.load(self._config.endpoint):
            if self._ours(submission):
                if submission.batch_id:
                    self.open[submission.token] = submission
                else:
                    lost.append(submission)
        if lost:
            await self._find(lost)

    async def _find(self, lost: list[Submission]) -> None:
        """Batches of which a killed run could not note the id; those that the provider never saw are dropped."""
        try:
            newest = await self._api.newest()
        except (openai.APIError, ValueError) as error:  # submitting them again could buy them twice
            for submission in lost:
                self._fail(self._ours(submission), decide(error), submission.attempt)
            return
        known = {str((batch.get("metadata") or {}).get("dj_ext")): batch for batch in newest}
        for submission in lost:
            batch = known.get(submission.token)
            if batch is None:
                self._records.forget(submission)
            else:
                self.open[submission.token] = self._records.created(submission, str(batch["id"]))

    def _ours(self, submission: Submission) -> list[str]:
        out = set(submission.released)
        return [key for key in submission.keys if key in self._requests and key not in out]

    async def submit(self, attempt: int) -> None:
        """Send what is in no batch and has no result yet."""
        taken = {key for submission in self.open.values() for key in self._ours(submission)}
        waiting = [key for key in self._requests if key not in taken and key not in self.results]
        if attempt > 1:
            waiting = [key for key in waiting if key in self._again]
        async for keys, lines in self._chunks(waiting):
            await self._create(keys, lines, attempt)

    async def _chunks(self, keys: list[str]) -> AsyncIterator[tuple[list[str], bytes]]:
        chunk: list[str] = []
        lines = bytearray()
        for key in keys:
            line = await self._line(key)
            if isinstance(line, Failure):
                self.results[key] = line
                continue
            if chunk and (len(chunk) >= MAX_REQUESTS or len(lines) + len(line) > MAX_BYTES):
                yield chunk, bytes(lines)
                chunk, lines = [], bytearray()
            chunk.append(key)
            lines += line
        if chunk:
            yield chunk, bytes(lines)

    async def _line(self, key: str) -> bytes | Failure:
        request = self._requests[key]
        try:
            prepared = await prepare_request(request, self._config.image_limits)
            body = {**self._rules.apply(request.sampling), "model": self._config.model, "messages": prepared.messages}
            line = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}
            return json.dumps(line).encode("ascii") + b"\n"
        except (ImageError, TypeError, ValueError) as error:
            decision = decide(error)
            assert decision is not None
            return failure(self._config, decision)

    async def _create(self, keys: list[str], lines: bytes, attempt: int) -> None:
        submission: Submission | None = None
        try:
            file_id = await self._api.upload(lines)
            submission = self._records.begin(self._config.endpoint, keys, attempt)
            batch = await self._api.create(file_id, {"dj_ext": submission.token})
            self.open[submission.token] = self._records.created(submission, str(batch["id"]))
        except (openai.APIError, KeyError, ValueError) as error:
            refused = isinstance(error, openai.APIStatusError) and error.status_code < 500
            if submission is not None and refused:
                self._records.forget(submission)
            # Else it may have been made all the same: the record stays, and a later run looks for it.
            self._fail(keys, decide(error), attempt)

    def _fail(self, keys: list[str], decision: RetryDecision | None, attempt: int) -> None:
        assert decision is not None
        self.results.update({key: failure(self._config, decision, tries=attempt) for key in keys})

    async def look(self) -> None:
        """Ask how the open batches stand, and read those that have ended."""
        for submission in list(self.open.values()):
            try:
                batch = await self._api.get(submission.batch_id)
                if batch.get("status") in ENDED:
                    lines = await self._lines(batch)
                    del self.open[submission.token]
                    self._take(submission, batch, lines)
            except openai.NotFoundError:  # providers keep batches for some weeks only
                del self.open[submission.token]
                self._again.update(self._ours(submission))
                self._records.forget(submission)
            except (openai.APIError, ValueError) as error:
                del self.open[submission.token]  # the batch goes on: a later run polls it again
                self._fail(self._ours(submission), decide(error), submission.attempt)

    async def _lines(self, batch: Mapping[str, Any]) -> dict[str, BatchLine]:
        found: dict[str, BatchLine] = {}
        for name in ("error_file_id", "output_file_id"):
            if batch.get(name):
                raw = await self._api.content(str(batch[name]))
                found.update({line.key: line for line in read_lines(raw, self._config.url)})
        return found

    def _take(self, submission: Submission, batch: Mapping[str, Any], lines: Mapping[str, BatchLine]) -> None:
        expired = batch.get("status") == "expired"
        without: list[str] = []
        for key in self._ours(submission):
            line = lines.get(key)
            if self._worth_another(key, line, expired, submission.attempt):
                self._again.add(key)
                without.append(key)
                continue
            self.results[key] = self._result(key, line, batch, submission.attempt)
            if isinstance(self.results[key], Failure):
                without.append(key)
        if without:
            self._records.release(submission, without)

    def _worth_another(self, key: str, line: BatchLine | None, batch_expired: bool, attempt: int) -> bool:
        if line is None or line.expired:
            return attempt < EXPIRED_ATTEMPTS and (line is not None or batch_expired)
        error = line.outcome
        if not isinstance(error, openai.APIStatusError) or attempt >= ATTEMPTS:
            return False
        return self._rules.learn(error, self._requests[key].sampling)

    def _result(self, key: str, line: BatchLine | None, batch: Mapping[str, Any], attempt: int) -> Result:
        seconds = _seconds(batch)
        if line is None:
            return failure(self._config, decision_of_batch(batch), seconds, attempt)
        if line.expired:
            expired = RetryDecision(
                "transient", "server", f"did not come to the request in time ({EXPIRED})", answered=False
            )
            return failure(self._config, expired, seconds, attempt)
        return result_of(line, self._config, self._requests[key], seconds, attempt)


def _seconds(batch: Mapping[str, Any]) -> float:
    ends = [batch.get(f"{name}_at") for name in ("completed", "expired", "cancelled", "failed")]
    end = next((moment for moment in ends if isinstance(moment, int | float)), None)
    start = batch.get("created_at")
    return max(0.0, float(end - start)) if end is not None and isinstance(start, int | float) else 0.0
