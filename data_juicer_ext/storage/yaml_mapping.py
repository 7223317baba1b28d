"""How is a YAML file of settings read?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any


def read_mapping(path: Path, error: Callable[[str], Exception]) -> dict[Any, Any]:
    """The mapping in a YAML file; what is wrong with another one is raised as `error`, and names the file."""
    import yaml  # takes a while, and few commands need it

    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as raised:
        raise error(f"{path} can't be read ({raised.strerror or raised}): check the path") from raised
    except (yaml.YAMLError, ValueError) as raised:  # ValueError: no UTF-8, or a date that is none
        raise error(f"{path} is not YAML: {' '.join(str(raised).split())}") from raised
    if not isinstance(value, dict):
        raise error(f"{path} is no mapping of names to values")
    return value
