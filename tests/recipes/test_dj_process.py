"""`dj-process` itself, as users start it: whole recipes in processes of their own."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext.report.summary import summary
from data_juicer_ext.runs import run_records
from data_juicer_ext.runs.exported_rows import read_rows
from data_juicer_ext.runs.ledger import decisions
from tests.fake_openai import FakeServer
from tests.forks import programs
from tests.host import REPO, SHARED_PAPERS, dj_process, with_parameters, write_rows
from tests.recipes.runs import MAIN_FILES, configured, environment, kept, latex_paper, verdicts
from tests.scripted import STEPS, ScriptedModels, step_of

pytestmark = pytest.mark.host


@pytest.fixture
def models() -> ScriptedModels:
    return ScriptedModels()


@pytest.fixture
def server(models: ScriptedModels) -> Iterator[FakeServer]:
    with FakeServer(models) as server:
        yield server


@pytest.mark.slow
def test_the_sample_papers_make_right_pairs_offline_and_the_same_on_ray(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (REPO / "examples" / "papers.jsonl").read_text().splitlines()]
    for name in ("local", "ray"):
        (tmp_path / name).mkdir()
    local = configured("quickstart", tmp_path / "local", rows)
    on_ray = configured("quickstart", tmp_path / "ray", rows)
    on_ray |= {"executor_type": "ray", "ray_address": "local", "export_path": str(tmp_path / "ray" / "out")}
    for config in (local, on_ray):
        config["process"] = with_parameters(config["process"], paper_root=str(REPO / "examples"))
    done = dj_process(local, tmp_path / "local")
    assert done.returncode == 0, done.stderr[-3000:]
    first = kept(local)
    assert len(first) >= 5
    for again in range(2):
        done = dj_process(on_ray, tmp_path / "ray")
        assert done.returncode == 0, done.stderr[-3000:]
        assert kept(on_ray) == first, f"run {again + 1} on Ray"
    assert verdicts(tmp_path / "ray" / "run") == verdicts(tmp_path / "local" / "run")
    assert dj_process(local, tmp_path / "local").returncode == 0
    assert kept(local) == first
    text = summary(tmp_path / "ray" / "run")
    assert f"kept pairs: {len(first)}" in text and "papers read" in text


@pytest.mark.skipif(not SHARED_PAPERS.is_dir(), reason="the six real papers are not on this machine")
def test_real_papers_go_through_every_step_and_the_requests_are_right(server: FakeServer, tmp_path: Path) -> None:
    rows = [{"paper_id": name, "paper_path": name, "domain": "physics.comp-ph"} for name in MAIN_FILES]
    config = configured("verisciqa", tmp_path, rows)
    config["process"] = with_parameters(config["process"], paper_root=str(SHARED_PAPERS))
    done = dj_process(config, tmp_path, env=environment(server), afresh=True)
    assert done.returncode == 0, done.stderr[-3000:]
    entries = decisions(tmp_path / "run", run_records.run_ids(tmp_path / "run")[-1])
    figures = [e for e in entries if e["tag"] == "figure_rows" and e["verdict"] == "keep"]
    extracted = [e for e in entries if e["tag"] == "claim_extractor"]
    assert len(figures) == len(extracted) >= 50
    assert {e["paper_id"] for e in figures} == set(MAIN_FILES)
    assert "undecided" not in {e["verdict"] for e in entries}
    asked = Counter(step_of(request.body) for request in server.requests)
    assert asked["claims"] == sum(e["reason"] != "no_citing_paragraph" for e in extracted)
    kept_rows = list(read_rows(Path(config["export_path"])))
    assert kept_rows and all(asked[step] > 0 for step in STEPS)
    by_question = {row["question"]: row for row in kept_rows}
    checked = Counter[str]()
    for request in server.requests:
        step = step_of(request.body)
        assert request.body["temperature"] == 1.0
        assert bool(request.images) == (step == "vote")
        for image in request.images:
            assert image.mime in ("image/png", "image/jpeg")
            assert image.data.startswith(b"\x89PNG" if image.mime == "image/png" else b"\xff\xd8")
        row = next((row for question, row in by_question.items() if question in request.user_text), None)
        if row is not None:
            checked[step] += 1
            paragraph = json.loads(row["context_places"])[0]["paragraph"]
            words = paragraph.split()[:6]
            with_text = " ".join(words) in " ".join(request.user_text.split())
            assert with_text == (step in ("questions", "source")) or "<" in " ".join(words)
            if ":" in row["label"]:  # else it is a word that a caption may hold as well
                assert (row["label"] in request.user_text) == (step in ("questions", "source"))
    assert all(checked[step] for step in ("source", "blind_text", "blind_vision", "vote"))


def test_an_outage_leaves_rows_undecided_and_the_same_job_decides_them_later(
    server: FakeServer, models: ScriptedModels, tmp_path: Path
) -> None:
    rows = [latex_paper(tmp_path / "papers", f"paper{n}", 2) for n in range(3)]
    config = configured("verisciqa", tmp_path, rows, backoff=0.01, max_tries=3)
    models.broken = {"vote"}
    done = dj_process(config, tmp_path, "--job_id", "one", env=environment(server))
    assert done.returncode == 0, done.stderr[-3000:]
    assert kept(config) == []
    waiting = [json.loads(line) for line in (tmp_path / "run" / "undecided.jsonl").read_text().splitlines()]
    assert waiting and {row["undecided"]["tag"] for row in waiting} == {"vision_vote"}
    assert f"{len(waiting)} rows are UNDECIDED" in done.stderr and "Run the same command again" in done.stderr
    models.broken = set()
    done = dj_process(config, tmp_path, "--job_id", "one", env=environment(server))
    assert done.returncode == 0, done.stderr[-3000:]
    assert kept(config) and "UNDECIDED" not in done.stderr
    assert {row["row_id"] for row in waiting} >= set(kept(config))
    assert (tmp_path / "run" / "undecided.jsonl").read_text() == ""


def test_bad_papers_cost_themselves_only(server: FakeServer, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    rows = [latex_paper(papers, "good", 2)]
    (papers / "broken.tar.gz").write_bytes(b"\x1f\x8b\x08\x00not really")
    (papers / "prose.tex").write_text("\\documentclass{article}\\begin{document}No figures.\\end{document}")
    latin = "\\documentclass{article}\\begin{document}Séries: Figure \\ref{f} shows é.\n\n" + (
        "\\begin{figure}\\includegraphics{x.png}\\caption{Données}\\label{f}\\end{figure}\\end{document}"
    )
    (papers / "latin").mkdir()
    (papers / "latin" / "main.tex").write_bytes(latin.encode("latin-1"))
    (papers / "latin" / "x.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    escape = io_tar(papers / "escape.tar", {"../../evil.tex": "x", "main.tex": "\\documentclass{article}"
                    "\\begin{document}\\begin{figure}\\includegraphics{../../../etc/passwd.png}\\caption{C}"
                    "\\label{f}\\end{figure} \\ref{f}\\end{document}"})  # fmt: skip
    for name in ("missing.tar.gz", "broken.tar.gz", "prose.tex", "latin", escape.name):
        rows.append({"paper_id": name, "paper_path": str(papers / name), "domain": "", "text": ""})
    rows.append({"paper_id": "nothing", "paper_path": "", "domain": "", "text": ""})
    rows.append({"paper_id": "gz", "paper_path": str(papers / "one.gz"), "domain": "", "text": ""})
    (papers / "one.gz").write_bytes(gzip.compress(latin.encode()))
    config = configured("verisciqa", tmp_path, rows)
    done = dj_process(config, tmp_path, env=environment(server))
    assert done.returncode == 0, done.stderr[-3000:]
    assert {e["paper_id"] for e in _entries(tmp_path, "claim_extractor")} == {"good"}
    read = {e["paper_id"]: e for e in _entries(tmp_path, "latex_figure_context")}
    assert set(read) == {row["paper_id"] for row in rows}
    unreadable = {name for name, entry in read.items() if entry["reason"] == "unreadable_paper"}
    assert unreadable == {"missing.tar.gz", "broken.tar.gz", "nothing"}
    assert read["prose.tex"]["reason"] == "no_figures"
    for name in unreadable:
        assert name in done.stderr
    assert "evil.tex" in json.dumps(read["escape.tar"]["detail"]["notes"])
    flags = {e["paper_id"]: e["detail"].get("flags", []) for e in _entries(tmp_path, "figure_rows")}
    assert "image_unreadable" in flags["latin"] and "image_missing" in flags["gz"]
    assert "image_path_refused" in flags["escape.tar"]
    assert not list(tmp_path.parent.rglob("evil.tex"))


def _entries(folder: Path, tag: str) -> list[dict[str, Any]]:
    run_dir = folder / "run"
    return [e for e in decisions(run_dir, run_records.run_ids(run_dir)[-1]) if e["tag"] == tag]


def io_tar(path: Path, members: dict[str, str]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, text in members.items():
            source = path.parent / "member"
            source.write_text(text)
            tar.add(source, arcname=name)
            source.unlink()
    return path


def test_no_key_stops_before_the_first_row(tmp_path: Path) -> None:
    config = configured("verisciqa", tmp_path, [latex_paper(tmp_path / "papers", "paper", 1)])
    done = dj_process(config, tmp_path)
    assert done.returncode != 0
    assert "OPENAI_API_KEY" in done.stderr and "api_model: offline" in done.stderr
    assert not list((tmp_path / "run").rglob("*.png"))


@pytest.mark.parametrize(
    ("text", "says"),
    [('{"paper_id": "p", "title": "t"}\n', "none of the columns paper_path, text"), ("", "papers.jsonl is empty")],
)
def test_a_dataset_that_can_not_work_is_named(text: str, says: str, tmp_path: Path) -> None:
    config = configured("quickstart", tmp_path, [])
    (tmp_path / "papers.jsonl").write_text(text)
    recipe_file = tmp_path / "recipe.yaml"
    done = dj_process(config, tmp_path) if text else None
    if done is not None:
        assert done.returncode != 0 and says in done.stderr
    checked = subprocess.run(
        [str(programs() / "dj-ext"), "check", str(recipe_file)] if text else
        [str(programs() / "dj-ext"), "check", str(REPO / "recipes" / "quickstart.yaml"),
         "--dataset", str(tmp_path / "papers.jsonl")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 1 and says in checked.stdout


def test_the_wheel_alone_runs_the_recipe_from_another_folder(server: FakeServer, tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(REPO)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    home = tmp_path / "venv"
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    # The dependencies come from this environment; the package itself only from the wheel.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    subprocess.run(
        [str(home / "bin" / "pip"), "install", "--quiet", "--no-index", "--no-deps", "--force-reinstall", str(wheel)],
        check=True,
    )  # fmt: skip
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    rows = [latex_paper(tmp_path / "papers", f"paper{n}", 3) for n in range(4)]
    write_rows(elsewhere / "papers.jsonl", rows)
    listed = _run(home, "dj-ext", "recipes", "--to", "mine", cwd=elsewhere)
    assert (elsewhere / "mine" / "recipes" / "verisciqa.yaml").is_file(), listed
    where = _run(home, "python", "-c", "import data_juicer_ext; print(data_juicer_ext.__file__)", cwd=elsewhere)
    assert str(home) in where
    start = "import sys; from data_juicer.tools.process_data import main; sys.exit(main())"
    _run(
        home, "python", "-c", start, "--config", "mine/recipes/verisciqa.yaml",
        cwd=elsewhere, env=environment(server),
    )  # fmt: skip
    assert list(read_rows(elsewhere / "outputs" / "verisciqa" / "pairs.jsonl"))


def _run(home: Path, *command: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(home / "bin" / command[0]), *command[1:]],
        cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
