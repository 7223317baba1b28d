"""Figure row to a row a claim."""

import json
from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.calls.row_calls import Calls
from data_juicer_ext.models.types import Failure
from data_juicer_ext.ops.base.model_mapper import ModelMapper
from data_juicer_ext.ops.base.outcome import Outcome, undecided
from data_juicer_ext.ops.base.run_op import OWN_OPERATORS
from data_juicer_ext.prompts import request
from data_juicer_ext.qa.arxiv_domains import spelled_out
from data_juicer_ext.qa.claims import ClaimParse, parse_claims, trace_claim
from data_juicer_ext.rows import CLAIM_ROW, FIGURE_ROW, claim_row

OP_NAME = "claim_extractor_mapper"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class ClaimExtractorMapper(ModelMapper):
    """Extracts atomic claims about a figure from its citing paragraphs.

    Input: figure rows. Output: claim rows, none for a figure that no paragraph cites or about
    which the model finds no claim. One text call a figure, without the figure. Each claim carries
    the sentence, paragraph and place it comes from in `provenance`. Source: VeriSciQA, Eq. 2.
    """

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
