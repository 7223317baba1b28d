"""The same recipe on Ray: outages, recovery, and exports that hold just the last run's rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fake_openai import FakeServer
from tests.host import dj_process, with_parameters
from tests.recipes.runs import configured, environment, kept, latex_paper, verdicts
from tests.scripted import ScriptedModels

pytestmark = [pytest.mark.host, pytest.mark.ray, pytest.mark.slow]


def test_outages_and_recovery_on_ray(tmp_path: Path) -> None:
    models = ScriptedModels()
    rows = [latex_paper(tmp_path / "papers", f"paper{n}", 2) for n in range(3)]
    on_ray = configured("verisciqa_ray", tmp_path, rows, backoff=0.01, max_tries=2)
    (tmp_path / "local").mkdir()
    local = configured("verisciqa", tmp_path / "local", rows, backoff=0.01, max_tries=2)
    with FakeServer(models) as server:
        env = environment(server)
        assert dj_process(local, tmp_path / "local", env=env).returncode == 0
        expected = kept(local)
        assert expected
        # The second outage starts without stored answers, where the export holds the rows of a good run.
        for broken, run_dir in (("vote", "run"), ("", "run"), ("source", "other"), ("", "other")):
            models.broken = {broken}
            on_ray["process"] = with_parameters(on_ray["process"], run_dir=str(tmp_path / run_dir))
            done = dj_process(on_ray, tmp_path, env=env)
            assert done.returncode == 0, done.stderr[-3000:]
            undecided = [json.loads(line) for line in (tmp_path / run_dir / "undecided.jsonl").read_text().splitlines()]
            assert kept(on_ray) == ([] if broken else expected), f"with {broken or 'nothing'} broken"
            assert bool(undecided) == bool(broken)
            assert ("rows are UNDECIDED" in done.stderr) == bool(broken)
    assert verdicts(tmp_path / "run") == verdicts(tmp_path / "local" / "run")
