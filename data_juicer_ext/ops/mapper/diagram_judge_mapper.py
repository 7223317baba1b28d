"""Judges a generated diagram beside its reference."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_juicer_ext.diagrams.anonymous_pair import anonymous, generated_first, run_row_id
from data_juicer_ext.diagrams.copied_reference import MAX_HASH_DISTANCE, MIN_PIXEL_SIMILARITY, compare, is_copy
from data_juicer_ext.diagrams.criteria import CriteriaSet, TypeCriteria, load_criteria
from data_juicer_ext.diagrams.dimension_weights import own_weights
from data_juicer_ext.diagrams.judge_answers import PARSER_VERSION, JudgeAnswer, answer_model, order_scores
from data_juicer_ext.diagrams.judgement import FIELDS, ImageFacts, asked_fields, told
from data_juicer_ext.diagrams.pair_row import MAX_PAPER_TOKENS, DiagramPair, misfit, nearest, pair_of
from data_juicer_ext.diagrams.scoring import OrderScores, PairJudgement, judged
from data_juicer_ext.figures.image_preparation import ImageError, UnreachableImageError
from data_juicer_ext.judging.judge_reports import parse_report
from data_juicer_ext.models.config.endpoint import expand_environment
from data_juicer_ext.models.event_loop import shared
from data_juicer_ext.ops.authoring import (
    Calls,
    Failure,
    ModelMapper,
    Outcome,
    between,
    count,
    operator,
    request,
    undecided,
)
from data_juicer_ext.rows import to_json
from data_juicer_ext.storage.addresses import under
from data_juicer_ext.storage.papers import StorageError

OP_NAME = "diagram_judge_mapper"

_FLAT = ("s_final", "s_gen", "s_ref", "order_flipped", "contaminated", "run_index")
_LOOKING_AT_ONCE = 2  # decoded images may take hundreds of megabytes


@dataclass(frozen=True)
class _Run:
    """The scores of one run over a pair."""

    index: int
    orders: tuple[OrderScores, ...]
    judged: PairJudgement


@operator(OP_NAME)
class DiagramJudgeMapper(ModelMapper):
    """Scores a generated diagram beside its reference, by criteria of its type; the judge knows neither.

    The first run keeps the `row_id`, later ones get their own; `instance_id` holds the pair's. Pairs whose calls fail
    or whose scores are all 0 are undecided. Calls a row: `runs`, twice as many with `both_orders`.

    Input columns: `images` (generated diagram, reference), `diagram_type`, `paper_text`, `caption`; optional
        `aspect_ratio` and `paper_id`.
    Output columns: the same rows, one per run, with `judgement` (JSON), `s_final` (0 to 1; 0.5: as good as the
        reference), `s_gen` and `s_ref` (0 to 10), `order_flipped` (1, 0; -1 where one order was shown), `contaminated`
        (1: the diagram copies its reference), `run_index`, and the target `aspect_ratio` where there was none.
    Source: SciDiagBench, section 3.3.
    """

    needs = ("row_id", "images", "diagram_type", "paper_text", "caption")
    makes = ("instance_id", "aspect_ratio", "judgement", *_FLAT, "provenance")
    template = "scidiag/judge"
    fields = FIELDS
    repair_template = "scidiag/repair"
    parser_version = PARSER_VERSION

    def __init__(
        self,
        criteria_file: str = "",
        weights: dict[str, Any] | None = None,
        both_orders: bool = False,
        runs: int = 1,
        json_schema: bool = False,
        judge_development: bool = False,
        max_paper_tokens: int = MAX_PAPER_TOKENS,
        max_hash_distance: int = MAX_HASH_DISTANCE,
        min_pixel_similarity: float = MIN_PIXEL_SIMILARITY,
        *args: Any,
        **kwargs: Any,
    ):
        """
        :param criteria_file: YAML file of criteria (see docs/scidiag.md); where empty, the shipped one.
        :param weights: weights of Structure, Content and Aesthetics by type, instead of the file's or the
            shipped ones: {AF: {Structure: 0.5, Content: 0.3, Aesthetics: 0.2}}. The three sum to 1.
        :param both_orders: show each pair in both orders and average the scores, instead of one order drawn by hash.
        :param runs: how often each pair is judged, 1 to 20; a row out for each, to measure stability by.
        :param json_schema: send the JSON schema of the answer as `response_format`; for endpoints that take it.
        :param judge_development: judge pairs of papers that the criteria were aligned with, instead of leaving
            them out (reason `development_paper`).
        :param max_paper_tokens: the most tokens of `paper_text` that a judge sees (four characters per token),
            100 to 1,000,000.
        :param max_hash_distance: bits, 0 to 64, that the perceptual hashes of a diagram and its copy may differ in.
        :param min_pixel_similarity: ink, 0 to 1, that a diagram and its copy have in common at least.
        """
        with self.checked_parameters():
            self.runs = count("runs", runs, 1, 20)
            self.max_paper_tokens = count("max_paper_tokens", max_paper_tokens, 100, 1_000_000)
            self.max_hash_distance = count("max_hash_distance", max_hash_distance, 0, 64)
            between("min_pixel_similarity", min_pixel_similarity, 0.0, 1.0)
            own = expand_environment(criteria_file)
            self.criteria: CriteriaSet = load_criteria(Path(own) if own else None)
            self.weights = own_weights(weights)
        self.min_pixel_similarity, self.judge_development = float(min_pixel_similarity), judge_development
        self.both_orders, self.json_schema = both_orders, json_schema
        if kwargs.get("sampling_params") is None:
            kwargs["sampling_params"] = {"temperature": 0}
        super().__init__(*args, **kwargs)

    async def decide(self, row: dict[str, Any], calls: Calls) -> Outcome:
        """One pair to its scores."""
        try:
            pair = pair_of(self._with_type(row), self.max_paper_tokens)
            criteria = self._criteria(pair.code)
        except ValueError as error:
            return Outcome("undecided", "error:unusable_row", message=str(error))
        if str(row.get("paper_id") or "") in self.criteria.development and not self.judge_development:
            return Outcome("drop", "development_paper", message="the criteria were aligned with pairs of this paper")
        try:
            seen = await self._seen(pair)
        except (UnreachableImageError, StorageError) as error:
            return Outcome("undecided", "storage", message=str(error))
        except ImageError as error:
            return Outcome("undecided", "bad_image", message=str(error))
        runs = await asyncio.gather(*(self._run(row, pair, criteria, seen, n, calls) for n in range(self.runs)))
        for run in runs:
            if isinstance(run, Outcome):
                return run
        return self._kept(row, pair, criteria, seen, [run for run in runs if isinstance(run, _Run)])

    def _with_type(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row; for an estimate, which makes no call that could find its type, as if it had some type."""
        if hasattr(self, "run_info") or str(row.get("diagram_type") or "").strip():
            return row
        return {**row, "diagram_type": next(iter(self.criteria.types))}

    def _criteria(self, code: str) -> TypeCriteria:
        found = self.criteria.of(code)
        return TypeCriteria(code, self.weights[code], found.criteria) if code in self.weights else found

    async def _seen(self, pair: DiagramPair) -> ImageFacts:
        if not hasattr(self, "run_info"):  # an estimate keeps nothing and sends nothing
            return ImageFacts((pair.generated, pair.reference))
        async with shared("diagram images", lambda: asyncio.Semaphore(_LOOKING_AT_ONCE)):
            return await asyncio.to_thread(self._look, pair)

    def _look(self, pair: DiagramPair) -> ImageFacts:
        limits = self.endpoint.image_limits
        folder = under(self.run_info.images, "diagrams")
        generated, reference = anonymous((pair.generated, pair.reference), folder, limits)
        alike = compare(pair.generated, pair.reference, limits.max_pixels)
        target = pair.aspect_ratio or nearest(reference.width, reference.height)
        return ImageFacts(
            (generated.path, reference.path), target, generated.width / generated.height,
            misfit(target, generated.width, generated.height), alike.hash_distance, alike.pixel_similarity,
            is_copy(alike, self.max_hash_distance, self.min_pixel_similarity), generated.flags, reference.flags,
        )  # fmt: skip

    async def _run(
        self, row: dict[str, Any], pair: DiagramPair, criteria: TypeCriteria, seen: ImageFacts, index: int, calls: Calls
    ) -> _Run | Outcome:
        drawn = generated_first(str(row["row_id"]), index)
        shown = (drawn, not drawn) if self.both_orders else (drawn,)
        orders = await asyncio.gather(*(self._order(pair, criteria, seen, first, index, calls) for first in shown))
        for order in orders:
            if isinstance(order, Outcome):
                return order
        given = tuple(order for order in orders if isinstance(order, OrderScores))
        made = judged(criteria, given)
        if made.overall.final is None:
            return Outcome("undecided", "both_zero", message="all scores of both diagrams are 0")
        return _Run(index, given, made)

    async def _order(
        self, pair: DiagramPair, criteria: TypeCriteria, seen: ImageFacts, first: bool, run: int, calls: Calls
    ) -> OrderScores | Outcome:
        """The scores of a pair in one order, `first` saying whether the generated diagram comes first."""
        model = answer_model(criteria.ids)
        images = seen.images if first else (seen.images[1], seen.images[0])
        asked = request(self.template, self._sampling(model), images, run, **asked_fields(pair, criteria))
        answer = await calls.ask_parsed(
            asked, lambda text: parse_report(text, model), lambda parse: parse.problem, self.repair_template
        )
        if isinstance(answer, Failure):
            return undecided(answer)
        parsed, _ = answer
        if parsed.report is None:
            return Outcome("undecided", "unparsable", message=parsed.problem)
        return order_scores(parsed.report, first)

    def _sampling(self, model: type[JudgeAnswer]) -> dict[str, Any]:
        if not self.json_schema:
            return self.sampling
        schema = {"name": "scores", "schema": model.model_json_schema()}
        return {"response_format": {"type": "json_schema", "json_schema": schema}, **self.sampling}

    def _kept(
        self, row: dict[str, Any], pair: DiagramPair, criteria: TypeCriteria, seen: ImageFacts, runs: list[_Run]
    ) -> Outcome:
        made = [self._row(row, pair, criteria, seen, run) for run in runs]
        detail = {name: [scored[name] for scored in made] for name in ("s_final", "order_flipped")}
        return Outcome("keep", "scored", made, detail={**detail, "contaminated": int(seen.copied)})

    def _row(
        self, row: dict[str, Any], pair: DiagramPair, criteria: TypeCriteria, seen: ImageFacts, run: _Run
    ) -> dict[str, Any]:
        base = str(row["row_id"])
        judgement = told(pair, criteria, self.criteria.fingerprint, seen, run.orders, run.judged)
        flipped = run.judged.flipped
        return {
            **row, "row_id": run_row_id(base, run.index), "instance_id": base, "diagram_type": pair.code,
            "aspect_ratio": seen.aspect_ratio, "judgement": to_json(judgement),
            **{name: float(judgement[name]) for name in ("s_final", "s_gen", "s_ref")},
            "order_flipped": -1 if flipped is None else int(flipped), "contaminated": int(seen.copied),
            "run_index": run.index, "provenance": row.get("provenance") or "{}",
        }  # fmt: skip
