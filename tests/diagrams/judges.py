"""A scripted judge of diagrams: its scores hang on what is in each image, never on which comes first."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from tests.fake_openai import images_of, text_of
from tests.scripted import digest


def asked_ids(system: str) -> list[str]:
    """The ids of the criteria that a request asks for."""
    return re.findall(r'^\s*"([^"]+)": \{"first"', system, re.M)


def look(data: bytes) -> str:
    """What an image shows, whatever its encoding: its pixels."""
    with Image.open(io.BytesIO(data)) as image:
        return hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()


def score(seen: str, criterion: str) -> float:
    """What the judge gives an image on a criterion: 0.5 to 10."""
    return (1 + digest(f"{seen} {criterion}") % 20) / 2


def judge(body: dict[str, Any], **changes: Any) -> str:
    """The responder; `changes` replace single criteria's entries (None takes one out)."""
    first, second = (look(image.data) for image in images_of(body))
    given: dict[str, Any] = {
        name: {"first": score(first, name), "second": score(second, name), "reason": f"marks of {name}"}
        for name in asked_ids(text_of(body, "system"))
    }
    given |= {name: value for name, value in changes.items() if name in given}
    return json.dumps({name: value for name, value in given.items() if value is not None})


def drawing(path: Path, seed: int, size: tuple[int, int] = (320, 200)) -> str:
    """A drawing of a few boxes, another for each seed."""
    image = Image.new("RGB", size, "white")
    canvas = ImageDraw.Draw(image)
    for place in range(4):
        left, top = digest(f"{seed} {place} x") % (size[0] - 70), digest(f"{seed} {place} y") % (size[1] - 50)
        canvas.rectangle((left, top, left + 60, top + 40), fill=(40 * place, 90, 200 - seed % 100), outline="black")
    image.save(path)
    return str(path)


def pair_row(name: str, generated: str, reference: str, **changes: Any) -> dict[str, Any]:
    """A row of a generated diagram and its reference."""
    return {
        "row_id": name, "paper_id": f"paper of {name}", "instance_id": f"instance of {name}", "generator": "drawbot",
        "paper_text": "The encoder feeds the decoder.", "caption": "Overview of the method.", "aspect_ratio": "",
        "diagram_type": "AF", "images": [generated, reference], **changes,
    }  # fmt: skip
