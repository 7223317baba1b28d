from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data_juicer_ext import ops
from data_juicer_ext.ops.base import run_op
from data_juicer_ext.ops.base.host_results import replace_rows, to_rows
from data_juicer_ext.ops.filter.vision_vote_filter import VisionVoteFilter
from data_juicer_ext.ops.host.running_recipe import RecipeError
from data_juicer_ext.ops.mapper.figure_rows_mapper import FigureRowsMapper
from data_juicer_ext.ops.recipe.operator_reference import own_classes, reference
from data_juicer_ext.runs import run_records

OPERATORS = {
    path.stem for kind in ("mapper", "filter") for path in Path(ops.__file__).parent.glob(f"{kind}/*_{kind}.py")
}


def test_a_fresh_process_has_every_operator_registered() -> None:
    code = "from data_juicer.ops import OPERATORS; print(*OPERATORS.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(own_classes()) <= set(done.stdout.split()) and set(own_classes()) == OPERATORS


def test_importing_the_package_imports_no_host() -> None:
    code = (
        "import sys, data_juicer_ext.prompts, data_juicer_ext.qa.letter_answers, data_juicer_ext.latex.paper,"
        " data_juicer_ext.models.client, data_juicer_ext.report.summary;"
        " print(*(name for name in ('data_juicer', 'ray', 'torch', 'openai', 'rapidocr') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_torch_is_stood_in_for_where_it_is_not_installed() -> None:
    code = (
        "import importlib.util, data_juicer_ext.ops; from data_juicer.utils import model_utils;"
        " model_utils.free_models(); print(type(model_utils.torch).__name__, importlib.util.find_spec('torch') is None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    name, missing = done.stdout.split()[-2:]
    assert (name == "TorchStandIn") == (missing == "True")


def test_no_two_results_share_a_fingerprint(run_dir: Path) -> None:
    from data_juicer.utils.fingerprint_utils import Hasher

    op = VisionVoteFilter(run_dir=str(run_dir))
    assert Hasher.hash(op.compute_stats) != Hasher.hash(op.compute_stats)


def test_an_operator_goes_to_another_process_and_stays_in_its_run(run_dir: Path) -> None:
    op = VisionVoteFilter(run_dir=str(run_dir))
    again = pickle.loads(pickle.dumps(op.run_info))
    assert again.run_id == op.run_info.run_id and again.run_dir == op.run_info.run_dir


def test_all_operators_of_a_process_share_one_run(run_dir: Path) -> None:
    assert VisionVoteFilter(run_dir=str(run_dir)).run_info is FigureRowsMapper(run_dir=str(run_dir)).run_info


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"draws": 2, "majority": 3}, "majority: 3"),
        ({"api_model": "gpt", "model_params": {"api_key_env": "NO_SUCH_KEY"}}, "NO_SUCH_KEY"),
        ({"ray_execution_mode": "actor"}, "Ray tasks"),
    ],
)
def test_a_wrong_parameter_stops_the_run_plainly(
    parameters: dict[str, Any], says: str, run_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        VisionVoteFilter(run_dir=str(run_dir), **parameters)
    assert stopped.value.code == 2
    said = capfd.readouterr().err
    assert says in said and "data_juicer_ext: vision_vote_filter:" in said


def test_a_run_folder_that_is_a_file_stops_the_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit):
        FigureRowsMapper(run_dir=str(tmp_path / "file"))
    assert "can't be written" in capfd.readouterr().err


def test_rows_and_batches() -> None:
    samples: dict[str, Any] = {"a": [1, 2], "b": ["x", "y"]}
    assert to_rows(samples) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert to_rows({}) == []
    made = replace_rows(samples, [{"c": 3, "d": 4}], ("c",))
    assert made is samples == {"c": [3]}


def test_the_reference_in_the_docs_is_the_one_of_the_code(repo: Path) -> None:
    assert (repo / "docs" / "operators.md").read_text(encoding="utf-8") == reference()


def test_every_parameter_is_documented() -> None:
    rows = [line for line in reference().splitlines() if line.startswith("| `")]
    assert rows and not [row for row in rows if row.rstrip().endswith("|  |")]


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_what_a_batch_recorded_is_written_down_when_it_is_done(name: str) -> None:
    operator = own_classes()[name]
    method = "compute_stats_batched" if name.endswith("_filter") else "process_batched"
    assert getattr(operator, method).writes_down


def test_nodes_are_asked_once_for_all_shards(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(run_op, "_ASKED", set())
    monkeypatch.setattr(run_op, "running", lambda: {"executor_type": "ray"})
    monkeypatch.setattr(run_op.ray_nodes, "check_shared", lambda config, place, announced: asked.append(announced))
    for _ in range(2):
        run = run_records.begin(run_dir, {})
        with run_op.taking_part(run):
            for _ in range(2):
                assert run_op.current_run(str(run_dir)) is run
    assert len(asked) == 1 and asked[0].startswith(f"{run_dir}/runs/")


def test_a_node_that_sees_nothing_ends_a_run_in_shards(run_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(*places: object) -> None:
        raise RecipeError("run_dir: the node a does not see it")

    monkeypatch.setattr(run_op, "_ASKED", set())
    monkeypatch.setattr(run_op, "running", lambda: {"executor_type": "ray"})
    monkeypatch.setattr(run_op.ray_nodes, "check_shared", blind)
    with run_op.taking_part(run_records.begin(run_dir, {})), pytest.raises(RecipeError, match="does not see"):
        run_op.current_run(str(run_dir))
