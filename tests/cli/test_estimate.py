"""`dj-ext estimate` as users start it, held against what the scripted endpoint was really asked."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from data_juicer_ext.cli.main import main
from tests.estimate.billing import Billing
from tests.fake_openai import FakeServer, Reply
from tests.forks import programs
from tests.host import REPO, SHARED_PAPERS, write_rows
from tests.recipes.runs import environment
from tests.runner.driving import asked, write_recipe
from tests.scripted import STEPS, TEXT_MODEL, VISION_MODEL

PRICE = 2.0
TAGS = ("claim_extractor", "mcq_generator", "source_consistency", "visual_dependence_text",
        "visual_dependence_vision", "vision_vote")  # fmt: skip
needs_papers = pytest.mark.skipif(not SHARED_PAPERS.is_dir(), reason=f"the six papers are not at {SHARED_PAPERS}")


@dataclass
class Desk:
    """A folder with a recipe and papers, and the endpoint that the recipe's models are at."""

    folder: Path
    server: FakeServer
    billing: Billing

    def dj_ext(self, *arguments: str) -> tuple[int, str]:
        """Exit code and what was said."""
        (self.folder / "prices.yaml").write_text(
            yaml.safe_dump({"models": {name: {"input": PRICE, "output": PRICE} for name in (TEXT_MODEL, VISION_MODEL)}})
        )
        clean = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        done = subprocess.run(
            [str(programs() / "dj-ext"), *arguments, "--dataset", "papers.jsonl"],
            cwd=self.folder, capture_output=True, text=True, timeout=240, check=False,
            env={**clean, **environment(self.server), "DJ_EXT_PRICES": str(self.folder / "prices.yaml"),
                 "PYTHONPATH": str(REPO)},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def estimate(self, *arguments: str) -> dict[str, Any]:
        """The estimate as JSON."""
        code, said = self.dj_ext("estimate", "verisciqa.yaml", *arguments, "--json", "estimate.json")
        assert code == 0, said
        self.said = said
        return dict(json.loads((self.folder / "estimate.json").read_text()))

    def run(self) -> int:
        """Run the recipe; how many pairs were kept."""
        code, said = self.dj_ext("run", "verisciqa.yaml")
        assert code == 0, said
        return len((self.folder / "dj_ext_run" / "pairs.jsonl").read_text().splitlines())


def desk(folder: Path, papers: list[dict[str, Any]], characters: float) -> Iterator[Desk]:
    write_rows(folder / "papers.jsonl", papers)
    write_recipe(folder)
    billing = Billing(characters)
    with FakeServer(billing) as server:
        yield Desk(folder, server, billing)


@pytest.fixture
def examples(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "papers").symlink_to(REPO / "examples" / "papers")
    rows = [json.loads(line) for line in (REPO / "examples" / "papers.jsonl").read_text().splitlines()]
    yield from desk(tmp_path, rows, characters=4.0)


@pytest.fixture
def six(tmp_path: Path) -> Iterator[Desk]:
    rows = [
        {"paper_id": path.name, "paper_path": str(path), "domain": "cs.LG"} for path in sorted(SHARED_PAPERS.iterdir())
    ]
    yield from desk(tmp_path, rows, characters=3.4)


def per_step(estimate: dict[str, Any], name: str) -> dict[str, float]:
    found = {step["tag"]: step[name]["likely"] for step in estimate["steps"]}
    return {step: found[tag] for step, tag in zip(STEPS, TAGS, strict=True)}


@pytest.mark.host
def test_the_sample_papers(examples: Desk) -> None:
    free = examples.estimate()
    assert examples.server.count == 0 and not (examples.folder / "dj_ext_run").exists()
    assert free["basis"] == "assumptions" and free["dataset_rows"] == 3 and free["pilot"] is None

    piloted = examples.estimate("--pilot", "30")
    paid = examples.server.count
    assert paid > 50 and piloted["pilot"]["calls"] == paid and piloted["pilot"]["drawn"] == piloted["rows"] == 6
    spent = PRICE * (sum(examples.billing.prompt.values())) / 1e6
    assert piloted["pilot"]["cost"] == pytest.approx(spent, rel=0.2)
    kept = examples.run()
    assert examples.server.count == paid, "the run pays for what the pilot has paid for"

    # All rows were in the pilot: it is the run.
    assert piloted["survivors"] == {"low": kept, "likely": kept, "high": kept}
    billed, calls = examples.billing.prompt, examples.billing.calls
    assert per_step(piloted, "calls") == pytest.approx(calls)
    assert per_step(piloted, "prompt_tokens") == pytest.approx(billed)
    # Without it, what one call of each step takes is known all the same.
    for step in STEPS:
        one = per_step(free, "prompt_tokens")[step] / per_step(free, "calls")[step]
        assert one == pytest.approx(billed[step] / calls[step], rel=0.15), step


@needs_papers
@pytest.mark.host
@pytest.mark.slow
def test_six_real_papers(six: Desk) -> None:
    piloted = six.estimate("--pilot", "30", "--seed", "4")
    assert piloted["pilot"]["drawn"] == 30 < piloted["rows"] and "from 6 papers" in six.said
    whole = six.estimate("--pilot", "1000")  # all rows, so that the truth is known
    kept, paid = six.run(), six.server.count
    assert six.server.count == paid and max(asked(six.server.requests).values()) <= 3  # the draws of a vote
    assert whole["survivors"]["likely"] == kept
    billed = sum(six.billing.prompt.values())
    assert sum(per_step(piloted, "prompt_tokens").values()) == pytest.approx(billed, rel=0.15)
    assert sum(per_step(whole, "prompt_tokens").values()) == pytest.approx(billed, rel=0.01)
    assert piloted["steps"][0]["prompt_tokens"]["likely"] == pytest.approx(six.billing.prompt["claims"], rel=0.02)
    _twenty_pilots(Path(whole["pilot"]["folder"]), kept)


def _twenty_pilots(folder: Path, kept: int) -> None:
    """Pilots of 30 of the rows that `folder` holds the fate of."""
    from data_juicer_ext.estimate.assumptions import load_assumptions
    from data_juicer_ext.estimate.estimate_recipe import listing_of
    from data_juicer_ext.estimate.from_pilot import from_pilot
    from data_juicer_ext.estimate.paid_rows import Drawn, draw_rows, frame
    from data_juicer_ext.estimate.pilot_sample import PilotStep, read_sample
    from data_juicer_ext.estimate.recipe_steps import plan
    from data_juicer_ext.runs.exported_rows import read_rows
    from tests.estimate.test_from_pilot import binomial_width
    from tests.host import recipe

    rows, steps = list(read_rows(folder / "drawn.jsonl")), plan(recipe("verisciqa")).known
    population = frame(Drawn(len(rows), tuple(rows)), rows, steps, load_assumptions().characters)
    truth = read_sample(folder, rows, range(len(rows)), [listing_of(step) for step in steps])

    def seen(step: PilotStep, places: list[int]) -> PilotStep:
        return replace(
            step, **{name: value[places] for name, value in vars(step).items() if isinstance(value, np.ndarray)}
        )

    held, ratios = 0, []
    for seed in range(20):
        places = draw_rows(rows, 30, seed)
        sample = replace(truth, places=tuple(places), steps=tuple(seen(step, places) for step in truth.steps))
        found = from_pilot(population, steps, sample).survivors
        held += found.low <= kept <= found.high
        claims, survived = (float(sample.steps[place].rows_out.sum()) for place in (0, -1))
        ratios.append((found.high - found.low) / binomial_width(survived, claims, claims / 30 * len(rows)))
    assert 13 <= held <= 19
    assert max(ratios) <= 1.5


@pytest.mark.host
def test_a_budget_bounds_the_pilot(examples: Desk) -> None:
    # Two rows take 0.027 US dollars and all six 0.09; what a slow machine asks twice comes on top.
    found = examples.estimate("--pilot", "30", "--max-cost", "0.05")
    pilot = found["pilot"]
    assert 0 < pilot["decided"] < 6 and pilot["unreached"] == 6 - pilot["decided"]
    assert 0.05 <= pilot["cost"] < 0.11  # what was in flight when it was reached is paid for
    assert "The budget ended the pilot" in examples.said and any("budget" in said for said in found["assumed"])


@pytest.mark.host
def test_a_pilot_whose_calls_fail_says_why(examples: Desk) -> None:
    examples.server.responder = lambda body: Reply("no such model", status=404)
    code, said = examples.dj_ext("estimate", "verisciqa.yaml", "--pilot", "30")
    assert code == 1 and "Traceback" not in said
    assert "6 rows are UNDECIDED" in said and "no such model" in said
    assert "0 of the pilot's 6 rows were decided" in said


def test_nothing_is_estimated_for_what_would_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_recipe(tmp_path, draws=0)
    papers = write_rows(tmp_path / "papers.jsonl", [{"paper_id": "p", "paper_path": "x"}])
    assert main(["estimate", str(path), "--dataset", str(papers)]) == 1
    said = capsys.readouterr().out
    assert "draws" in said and "nothing was estimated" in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--pilot", "5"], "needs a key"),
        (["--pilot", "-1"], "--pilot: -1 will not do"),
        (["--pilot", "1"], "one row says nothing"),
        (["--max-cost", "2"], "without --pilot nothing is spent"),
        (["--papers", "-3"], "--papers: -3 will not do"),
        (["--dataset", "gone.jsonl"], "there is no file gone.jsonl"),
    ],
)
def test_wrong_use_says_what_is_right(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_recipe(tmp_path)
    papers = write_rows(tmp_path / "papers.jsonl", [{"paper_id": "p", "paper_path": "x"}])
    given = [] if "--dataset" in arguments else ["--dataset", str(papers)]
    assert main(["estimate", str(path), *given, *arguments]) == 1
    assert says in capsys.readouterr().out


def test_no_model_of_others_is_called_in_the_free_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_recipe(tmp_path)
    config = yaml.safe_load(path.read_text())
    config["process"].insert(0, {"extract_keyword_mapper": {"api_model": "gpt-4o"}})
    path.write_text(yaml.safe_dump(config))
    papers = write_rows(tmp_path / "papers.jsonl", [{"paper_id": "p", "paper_path": "x"}])
    assert main(["estimate", str(path), "--dataset", str(papers)]) == 1
    assert "extract_keyword_mapper may call a model" in capsys.readouterr().out


def test_an_empty_dataset_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "papers.jsonl"
    empty.touch()
    assert main(["estimate", str(write_recipe(tmp_path)), "--dataset", str(empty)]) == 1
    assert "is empty; it needs one row per paper" in capsys.readouterr().out


def test_a_limit_in_dollars_needs_prices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("DJ_EXT_TEXT_MODEL", "nobody-knows")
    papers = write_rows(tmp_path / "papers.jsonl", [{"paper_id": "p", "paper_path": "x"}])
    given = ["estimate", str(write_recipe(tmp_path)), "--dataset", str(papers), "--pilot", "5", "--max-cost", "1"]
    assert main(given) == 1
    said = capsys.readouterr().out
    assert "can't bound the calls of nobody-knows" in said and "o4-mini" not in said


@pytest.mark.parametrize(("file", "says"), [("keep: 3", "not a mapping"), ("[1", "is not YAML")])
def test_wrong_assumptions_are_named(file: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.yaml").write_text(file)
    assert main(["estimate", str(write_recipe(tmp_path)), "--assume", str(tmp_path / "own.yaml")]) == 2
    assert says in capsys.readouterr().err
