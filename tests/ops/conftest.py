"""Scripted models at a fake endpoint, and figure rows for them to work on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data_juicer_ext.rows import Figure, dump_figures
from tests.fake_openai import FakeServer
from tests.host import recipe, with_parameters
from tests.scripted import TEXT_MODEL, VISION_MODEL, ScriptedModels


@pytest.fixture
def models() -> ScriptedModels:
    return ScriptedModels()


@pytest.fixture
def server(models: ScriptedModels, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer(models) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("DJ_EXT_TEXT_MODEL", TEXT_MODEL)
        monkeypatch.setenv("DJ_EXT_VISION_MODEL", VISION_MODEL)
        yield server


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def process(run_dir: Path) -> list[dict[str, Any]]:
    """The shipped recipe from figures on, with short waits."""
    steps = recipe("verisciqa")["process"][1:]
    return with_parameters(steps, run_dir=str(run_dir), model_params={"backoff": 0.005, "max_tries": 3})


@pytest.fixture
def papers(tmp_path: Path) -> list[dict[str, Any]]:
    """Twelve paper rows with 0 to 3 figures; every figure is cited twice."""
    image = tmp_path / "figure.png"
    Image.new("RGB", (64, 48), "white").save(image)
    return [paper(str(image), number, number % 4) for number in range(12)]


def paper(image: str, number: int, figures: int) -> dict[str, Any]:
    made = [
        Figure(
            figure_id=f"{index}:fig:{index}", number=str(index), label=f"fig:{index}", labels=[f"fig:{index}"],
            caption=f"Caption {index} of paper {number}.", images=[image],
            context=[f"As Figure~\\ref{{fig:{index}}} of paper {number} shows, series {n} rises." for n in (1, 2)],
            context_places=["main.tex:3", "main.tex:9"], section=["Results", "Discussion"],
        )
        for index in range(1, figures + 1)
    ]  # fmt: skip
    return {"paper_id": f"paper-{number}", "domain": "cs.CL", "figures": dump_figures(made)}
