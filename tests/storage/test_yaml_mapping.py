from pathlib import Path

import pytest

from data_juicer_ext.errors import DjExtError
from data_juicer_ext.storage.yaml_mapping import read_mapping


class OwnError(DjExtError):
    pass


def test_a_mapping_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("one: 1\ntwo: [é]\n", "utf-8")
    assert read_mapping(tmp_path / "a.yaml", OwnError) == {"one": 1, "two": ["é"]}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a: [", "is not YAML"),
        (b"a: \xff", "is not YAML: .*utf-8"),
        (b"a: 2024-99-99", "is not YAML: month"),
        (b"[1]", "is no mapping"),
        (b"", "is no mapping"),
    ],
)
def test_another_file_is_named_by_the_callers_error(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(content)
    with pytest.raises(OwnError, match=rf"a\.yaml {says}"):
        read_mapping(tmp_path / "a.yaml", OwnError)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(OwnError, match=r"a\.yaml can't be read \(No such file or directory\): check the path"):
        read_mapping(tmp_path / "a.yaml", OwnError)
