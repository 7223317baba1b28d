"""Names the type of a diagram, and leaves out figures that are none."""

from typing import Any

from data_juicer_ext.diagrams.diagram_types import PARSER_VERSION, REFUSED, TYPES, TypeParse, parse_type
from data_juicer_ext.diagrams.pair_row import images_of
from data_juicer_ext.ops.authoring import Calls, Failure, ModelMapper, Outcome, operator, request, undecided

OP_NAME = "diagram_type_mapper"


@operator(OP_NAME)
class DiagramTypeMapper(ModelMapper):
    """Finds the type of a diagram, one of 11, from its image and caption; other classes are refused.

    Plots, tables, data-driven maps, mathematical and physical phenomena, chemical structures, CAD drawings, photos
    and others are left out, reason `refused_class:<class>` in the ledger. A row that has a type keeps it, without a
    call. One vision call per row.

    Input columns: figure rows, or pairs whose second image is the reference, which alone is looked at.
    Output columns: the same rows with `diagram_type`, a code: TL timeline, LD lineage dendrogram, PE phased
        evolution, AF algorithmic framework, CSA computer system architecture, CF conceptual framework, TR technical
        roadmap, GA graphical abstract, ESD experimental setup, IC illustrative case, MD mechanism.
    Source: SciDiagBench, section 3.2.
    """

    needs = ("row_id", "images", "caption")
    makes = ("diagram_type", "provenance")
    template = "scidiag/type"
    fields = ("types", "refused", "caption")
    repair_template = "scidiag/repair"
    parser_version = PARSER_VERSION

    def __init__(self, pairs: bool = True, *args: Any, **kwargs: Any):
        """
        :param pairs: the images of a row are a generated diagram and its reference, and the reference tells the
            type. False: they are files of one figure, and all are looked at.
        """
        self.pairs = pairs
        if kwargs.get("sampling_params") is None:
            kwargs["sampling_params"] = {"temperature": 0}
        super().__init__(*args, **kwargs)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One row to its type."""
        given = str(row.get("diagram_type") or "").strip()
        if given:
            parsed = parse_type(given)
            if parsed.kind == "unparsable":
                return Outcome("undecided", "error:unknown_type", message=f"diagram_type: {parsed.problem}")
            return self._decided(row, parsed, "given")
        images = images_of(row)[1:2] if self.pairs else images_of(row)
        if not images:
            needed = "the second is the reference" if self.pairs else "one at least is needed"
            return Outcome("undecided", "error:no_image", message=f"images holds {len(images_of(row))} files: {needed}")
        types, refused = ([vars(made) for made in classes.values()] for classes in (TYPES, REFUSED))
        asked = request(self.template, self.sampling, tuple(images), caption=str(row.get("caption") or ""),
                        types=types, refused=refused)  # fmt: skip
        answer = await calls.ask_parsed(asked, parse_type, lambda parse: parse.problem, self.repair_template)
        return undecided(answer) if isinstance(answer, Failure) else self._decided(row, answer[0], "typed")

    def _decided(self, row: dict[str, Any], parsed: TypeParse, reason: str) -> Outcome:
        if parsed.kind == "unparsable":
            return Outcome("undecided", "unparsable", message=parsed.problem)
        if parsed.kind == "refused":
            refused = REFUSED[parsed.code]
            return Outcome("drop", f"refused_class:{refused.code}", message=f"{refused.name}: no diagram to be judged")
        made = {**row, "diagram_type": parsed.code, "provenance": row.get("provenance") or "{}"}
        return Outcome("keep", reason, [made], detail={"diagram_type": parsed.code})
