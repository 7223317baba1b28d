"""Where a run folder may lie, and what an operator says about places that will not do."""

from pathlib import Path

import pytest

from data_juicer_ext.models.config.endpoint import ConfigError
from data_juicer_ext.ops.base.paper_mapper import root
from data_juicer_ext.ops.base.run_op import run_folder, run_place
from data_juicer_ext.ops.filter.vision_vote_filter import VisionVoteFilter
from data_juicer_ext.ops.host.running_recipe import RecipeError, trying
from data_juicer_ext.ops.mapper.latex_figure_context_mapper import LatexFigureContextMapper
from data_juicer_ext.storage import file_access
from tests.s3_server import S3


def test_a_path_or_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DJ_EXT_RUN_DIR", "s3://bucket/run/")
    assert run_place("${DJ_EXT_RUN_DIR}") == "s3://bucket/run"
    assert run_place("run") == run_place(f"file://{tmp_path}/run") == str(tmp_path / "run") == str(run_folder("run"))
    with pytest.raises(ConfigError, match="dj-process and dj-ext run work; name a folder"):
        run_folder("s3://bucket/run")
    with pytest.raises(ConfigError, match="run_dir: https://host/run is no address"):
        run_place("https://host/run")


def test_batches_take_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJ_EXT_RUN_DIR", "s3://bucket/run")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    with trying(), pytest.raises(RecipeError, match="mode: batch keeps in the run folder"):
        VisionVoteFilter(api_model="m", model_params={"mode": "batch"}, run_dir="${DJ_EXT_RUN_DIR}")


def test_a_root_that_nothing_can_be_read_from(s3: S3) -> None:
    file_access.write(s3.at("papers/a.tex"), b"x")
    assert root("paper_root", s3.at("papers")) == s3.at("papers") and root("paper_root", "/papers") == "/papers"
    with pytest.raises(ConfigError, match=r"image_root: gs://x can't be read: .*gcsfs"):
        root("image_root", "gs://x")
    with trying(), pytest.raises(RecipeError, match="there is no bucket s3://no-bucket-of-ours"):
        LatexFigureContextMapper(paper_root="s3://no-bucket-of-ours/papers")
