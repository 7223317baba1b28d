from __future__ import annotations

import asyncio

from data_juicer_ext.models.types import Answer, Failure, Message, Request, Result
from data_juicer_ext.offline import OfflineModel, plugin_rules
from data_juicer_ext.offline.plugin_rules import instead, offline_rule, rule_for


def ask(task: str, **fields: str) -> Result:
    return asyncio.run(OfflineModel().ask(Request((Message("user", "?", ("a.png",)),), task=task, fields=fields)))


def test_a_task_of_another_package_is_answered_by_its_rule() -> None:
    try:
        offline_rule("theirs/ask")(lambda fields, images: f"{fields['word']} {images}")
        answer = ask("theirs/ask", word="ice")
        assert isinstance(answer, Answer) and answer.text == "ice ('a.png',)" and answer.model == "offline"
        missing = ask("theirs/ask")
        assert isinstance(missing, Failure) and missing.kind == "bad_request" and "word" in missing.message
    finally:
        del plugin_rules._rules["theirs/ask"]


def test_a_task_without_a_rule_is_refused_with_what_to_do() -> None:
    answer = ask("theirs/other")
    assert isinstance(answer, Failure) and answer.kind == "bad_request" and not answer.retryable
    assert "theirs/other" in answer.message and "offline_rule" in answer.message


def test_a_rule_instead_of_another_holds_only_within() -> None:
    offline_rule("theirs/ask")(lambda fields, images: "first")
    try:
        with instead("theirs/ask", lambda fields, images: Failure("server", "down", True)):
            failed = ask("theirs/ask")
        assert isinstance(failed, Failure) and failed.kind == "server"
        again = ask("theirs/ask")
        assert isinstance(again, Answer) and again.text == "first"
    finally:
        del plugin_rules._rules["theirs/ask"]
    with instead("verisciqa/mcq_generation", lambda fields, images: "instead"):
        answer = ask("verisciqa/mcq_generation")
    assert isinstance(answer, Answer) and answer.text == "instead" and rule_for("verisciqa/mcq_generation") is None
