"""Extracts claims from a figure row."""

import json
from collections.abc import Mapping
from typing import Any

from data_juicer_ext.ops.authoring import Calls, Failure, ModelMapper, Outcome, operator, request, undecided
from data_juicer_ext.ops.base.dry_run import filler
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.claims import ClaimParse, parse_claims, trace_claim
from data_juicer_ext.rows import CLAIM_ROW, FIGURE_ROW, claim_row

OP_NAME = "claim_extractor_mapper"


@operator(OP_NAME)
class ClaimExtractorMapper(ModelMapper):
    """Extracts atomic claims about a figure from its citing paragraphs.

    One text call per figure, without the figure. Each claim carries the sentence, paragraph and place it comes from in
    `provenance`.

    Input columns: figure rows.
    Output columns: claim rows, none for a figure that no paragraph cites or about which the model finds no claim.
    Source: VeriSciQA, Eq. 2.
    """

    funnel_label = "claims"
    table_1_line = "Atomic claims extracted"
    rows_assumption = ("claims_per_figure", "claims from a figure that is cited")
    needs = FIGURE_ROW
    makes = CLAIM_ROW
    replaces = True
    template = "verisciqa/claim_extraction"
    fields = ("domain", "label", "labels", "paragraphs")

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One figure row to its claims."""
        places = json.loads(row["context_places"])
        paragraphs = [place["paragraph"] for place in places]
        if not any(paragraph.strip() for paragraph in paragraphs):
            return Outcome("drop", "no_citing_paragraph")
        labels = json.loads(row["labels"])
        asked = request(self.template, self.sampling, domain=spelled_out(row["domain"]), label=row["label"],
                        labels=labels, paragraphs=paragraphs)  # fmt: skip
        answer = await calls.ask_parsed(asked, parse_claims, _problem, self.repair_template)
        if isinstance(answer, Failure):
            return undecided(answer)
        parsed, _ = answer
        if parsed.kind != "claims":
            return Outcome("drop", "no_claims" if parsed.kind == "none" else "unparsable")
        made = [claim_row(row, claim, _source(claim, places, labels)) for claim in parsed.claims]
        told = [{"row_id": r["row_id"], "claim": r["claim"], **json.loads(r["provenance"])["source"]} for r in made]
        return Outcome("keep", "claims", made, detail={"claims": told})

    def row_after(self, row: dict[str, Any], characters: Mapping[str, int]) -> dict[str, Any]:
        """A claim row of an assumed length."""
        return claim_row(row, filler(characters["claim"]), {})


def _problem(parsed: ClaimParse) -> str:
    return (parsed.problem or "no numbered list of claims was found") if parsed.kind == "unparsable" else ""


def _source(claim: str, places: list[dict[str, str]], labels: list[str]) -> dict[str, Any]:
    """Where the claim comes from: sentence, paragraph index, and its place in the paper."""
    found = trace_claim(claim, [place["paragraph"] for place in places], labels)
    if found is None:
        return {"sentence": "", "paragraph": -1, "place": "", "section": ""}
    place = places[found.paragraph]
    return {"sentence": found.sentence, "paragraph": found.paragraph,
            "place": place["place"], "section": place["section"]}  # fmt: skip
