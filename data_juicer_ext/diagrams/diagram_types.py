"""The 11 types of scientific diagrams, the classes that are no diagrams to be judged, and answers that name one.

Source: SciDiagBench, sections 3.2 and 4.2.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from data_juicer_ext.errors import UsageError
from data_juicer_ext.qa.answer_tags import without_thinking
from data_juicer_ext.qa.json_answer import parse_json_object

PARSER_VERSION = "diagram-type-1"


@dataclass(frozen=True)
class DiagramClass:
    """A type or a refused class: its code, its name, and what belongs to it."""

    code: str
    name: str
    about: str


TYPES: dict[str, DiagramClass] = {
    made.code: made
    for made in (
        DiagramClass("TL", "Timeline", "events or milestones along an axis of time"),
        DiagramClass("LD", "Lineage Dendrogram", "a tree of descent: what branched off from what"),
        DiagramClass("PE", "Phased Evolution", "one system passing through distinct stages, each drawn as a state"),
        DiagramClass("AF", "Algorithmic Framework", "the modules of a method and how data runs through them"),
        DiagramClass("CSA", "Computer System Architecture", "hardware and software in layers, with their interfaces"),
        DiagramClass("CF", "Conceptual Framework", "abstract constructs and how they relate; nothing is computed"),
        DiagramClass("TR", "Technical Roadmap", "the steps of a study or protocol, with its branches and decisions"),
        DiagramClass("GA", "Graphical Abstract", "the whole paper at a glance, from question to finding"),
        DiagramClass("ESD", "Experimental Setup Diagram", "apparatus and instruments and how they are connected"),
        DiagramClass("IC", "Illustrative Case", "one concrete example, worked through to explain something"),
        DiagramClass("MD", "Mechanism Diagram", "causes and effects: how parts act on each other and change state"),
    )
}
"""The types by code."""

REFUSED: dict[str, DiagramClass] = {
    made.code: made
    for made in (
        DiagramClass("plot", "Plot", "charts of data: curves, bars, points, heatmaps"),
        DiagramClass("table", "Table", "rows and columns of text or numbers"),
        DiagramClass("data_map", "Data-driven map", "geography with measured values on it"),
        DiagramClass(
            "math_physics", "Mathematical or physical phenomenon", "computed geometry, fields, optics, orbits"
        ),
        DiagramClass("chemistry", "Chemical structure or reaction", "structural formulas and reaction schemes"),
        DiagramClass("cad", "Mechanical CAD", "engineering drawings of mechanical parts"),
        DiagramClass("photo", "Photo or imaging", "photographs, micrographs, scans, and panels that hold such"),
        DiagramClass("other", "Other", "anything else that is no scientific diagram"),
    )
}
"""The classes that are refused, by code: what software or sensors make better, or what is no diagram."""

_ALIASES = {
    "TL": ("time line",), "LD": ("dendrogram", "phylogenetic tree"), "AF": ("algorithm framework",),
    "CSA": ("system architecture",), "TR": ("technology roadmap",), "ESD": ("experimental setup",),
    "MD": ("mechanistic diagram",), "plot": ("plots", "chart"), "table": ("tables",),
    "data_map": ("map", "maps", "data map", "data driven maps"),
    "math_physics": ("math physics", "mathematical phenomenon", "physical phenomenon"),
    "chemistry": ("chemical structure", "chemical reaction", "chemical"), "cad": ("mechanical cad diagram",),
    "photo": ("photos", "photograph", "imaging", "micrograph"), "other": ("none of these", "none"),
}  # fmt: skip
_ANSWER_CHARACTERS = 80  # an answer without JSON is no longer than a class with some words around it


@dataclass(frozen=True)
class TypeParse:
    """What an answer names: one of `TYPES` (kind "type"), one of `REFUSED` ("refused"), or neither ("unparsable")."""

    kind: Literal["type", "refused", "unparsable"]
    code: str = ""
    problem: str = ""


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def _known() -> dict[str, str]:
    known: dict[str, str] = {}
    for made in (*TYPES.values(), *REFUSED.values()):
        known |= {_plain(name): made.code for name in (made.code, made.name, *_ALIASES.get(made.code, ()))}
    return known


_BY_NAME = _known()
# Codes of types are sought among words as they are written: "if" and "ic" are no types. Short names would be
# found in longer ones ("map" in "roadmap" not, but "architecture" in a sentence), so longer ones are sought first.
_DENIAL = re.compile(r"\b(?:not|no|neither|rather|except)\b")
_NAMES = sorted((name for name in _BY_NAME if len(name) > 3), key=len, reverse=True)


def parse_type(text: str) -> TypeParse:
    """The class that an answer names, by code or long name; in a JSON object under "class" or "type", or bare."""
    told = without_thinking(text).strip()
    found = parse_json_object(told)
    value = _named(found) if found is not None else told
    if not value or len(value) > _ANSWER_CHARACTERS:
        return TypeParse("unparsable", problem="no class was named")
    codes = class_of(value)
    if len(codes) != 1:
        return TypeParse(
            "unparsable", problem=f"{value[:_ANSWER_CHARACTERS]!r} names {len(codes)} of the classes, not one"
        )
    [code] = codes
    return TypeParse("type" if code in TYPES else "refused", code)


def _named(found: Mapping[str, Any]) -> str:
    value = next((found[key] for key in ("class", "type", "diagram_type") if key in found), "")
    return value.strip() if isinstance(value, str) else ""


def class_of(value: str) -> list[str]:
    """The codes of all classes that a few words name, each once; [] for none."""
    plain = _plain(value)
    if plain in _BY_NAME:
        return [_BY_NAME[plain]]
    if _DENIAL.search(plain):
        return []
    codes = [code for code in TYPES if re.search(rf"(?<![A-Za-z]){code}(?![A-Za-z])", value)]
    rest = f" {plain} "
    for name in _NAMES:
        if f" {name} " in rest:
            codes.append(_BY_NAME[name])
            rest = rest.replace(f" {name} ", "  ")
    return list(dict.fromkeys(codes))


def type_code(value: str) -> str:
    """The code of the type that a cell of the column `diagram_type` names. Raises UsageError for anything else."""
    codes = class_of(value.strip())
    if len(codes) == 1 and codes[0] in TYPES:
        return codes[0]
    said = f"diagram_type is {value!r}" if value.strip() else "diagram_type is empty"
    raise UsageError(f"{said}: one of {', '.join(TYPES)} is needed (diagram_type_mapper finds it)")
