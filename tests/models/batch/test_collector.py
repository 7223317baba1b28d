from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from data_juicer_ext.models.batch.collector import BatchCollector
from data_juicer_ext.models.types import Answer, Message, Request, Result


def request(text: str) -> Request:
    return Request((Message("user", text),), "test")


class Asker:
    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def answer_many(self, requests: Mapping[str, Request]) -> Mapping[str, Result]:
        self.batches.append(list(requests))
        await asyncio.sleep(0.01)
        if "bad" in requests:
            raise OSError("no folder")
        return {key: Answer(asked.messages[0].text, "m") for key, asked in requests.items()}


def test_requests_of_a_moment_are_one_batch_and_later_ones_another() -> None:
    asker = Asker()

    async def main() -> list[Result]:
        collector = BatchCollector(asker, quiet=0.05)
        first = await asyncio.gather(*(collector.ask(key, request(key)) for key in "abc"))
        return [*first, await collector.ask("d", request("d"))]

    results = asyncio.run(main())
    assert [result.text for result in results if isinstance(result, Answer)] == ["a", "b", "c", "d"]
    assert asker.batches == [["a", "b", "c"], ["d"]]


def test_an_error_of_the_interface_reaches_all_who_wait() -> None:
    async def main() -> list[object]:
        collector = BatchCollector(Asker(), quiet=0.01)
        asked = (collector.ask(key, request(key)) for key in ("bad", "b"))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    assert [type(error) for error in asyncio.run(main())] == [OSError, OSError]


def test_who_stops_waiting_is_not_sent() -> None:
    asker = Asker()

    async def main() -> None:
        collector = BatchCollector(asker, quiet=0.05)
        tasks = [asyncio.ensure_future(collector.ask(key, request(key))) for key in "ab"]
        await asyncio.sleep(0.01)
        tasks[0].cancel()
        await tasks[1]
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]

    asyncio.run(main())
    assert asker.batches == [["b"]]
