"""Blind rating: of a row goes out what its form shows at the stage that an annotator has reached, and nothing else."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data_juicer_ext.ratings.rating_file import Rating, now
from data_juicer_ext.ratings.stages import StageAnswer, StagesFile
from data_juicer_ext.review.calibration import ABOVE, Calibration, Result
from data_juicer_ext.review.forms.form import Form, FormStage, Values, images_of
from data_juicer_ext.review.review_sample import ReviewItem, ordered, side_of
from data_juicer_ext.review.review_session import Desk, LockedError, ShownItem, reason_of, seconds_of


class RateDesk(Desk[ReviewItem]):
    """Rating of `items` by `form`, in an order of each annotator's own unless `given_order`.

    With a `calibration`, who has not passed it gets its reference images first.
    """

    mode = "rate"

    def __init__(
        self,
        run_dir: Path,
        form: Form,
        items: Sequence[ReviewItem],
        seed: int = 0,
        given_order: bool = False,
        calibration: Calibration | None = None,
        preset: str = "",
    ) -> None:
        super().__init__(run_dir, preset)
        self.form, self.form_name, self.title = form, form.name, form.title
        self._items, self._seed, self._given_order = list(items), seed, given_order
        self._calibration = calibration
        self._stages = StagesFile(run_dir / "review" / "stages.jsonl")

    def about(self) -> dict[str, Any]:
        """What the page is told before anybody has given a name."""
        return {**super().about(), "form": self.form.name, "pair": self.form.pair, "intro": self.form.intro}

    def _list(self, annotator: str) -> dict[str, Any]:
        shown = self._list_of(annotator)
        items = [{"id": self._issue(one, one.item.row_id), "done": self._rating(one) is not None} for one in shown]
        return {"items": items, "calibration": self._round(annotator)}

    def _list_of(self, annotator: str) -> list[ShownItem[ReviewItem]]:
        number = self._open_round(annotator)
        if number and self._calibration:
            items = ordered(self._calibration.items, annotator, self._seed + number)
        else:
            items = self._items if self._given_order else ordered(self._items, annotator, self._seed)
        return [ShownItem(annotator, item, position, number) for position, item in enumerate(items)]

    def _view(self, shown: ShownItem[ReviewItem]) -> dict[str, Any]:
        row, stages = shown.item.row, self.form.stages(shown.item.row)
        answers, final = self._answers(shown), self._given(shown)
        reached = len(stages) - 1 if final is not None else _reached(stages, answers)
        stage, values = stages[reached], {} if final is None else final
        locked = [
            {**ask.shown(), "value": _first(answers, earlier).values.get(ask.key, values.get(ask.key))}
            for earlier in stages[:reached]
            for ask in earlier.asks
        ]
        return {
            "images": len(images_of(row)), "blocks": [b for s in stages[: reached + 1] for b in s.blocks],
            "asks": [ask.shown() for ask in stage.asks], "locked": locked, "stage": reached, "stages": len(stages),
            "stage_name": stage.name, "next": stages[reached + 1].name if reached + 1 < len(stages) else "",
            "needs_reason": stage.needs_reason, "done": final is not None,
            "values": {ask.key: values[ask.key] for ask in stage.asks if ask.key in values},
            "reason": self._reason(shown, stage, answers),
        }  # fmt: skip

    def _images(self, shown: ShownItem[ReviewItem]) -> tuple[str, ...]:
        images = images_of(shown.item.row)
        return images[::-1] if self.form.pair and self._side(shown) > 0 else images

    def _save(self, shown: ShownItem[ReviewItem], answer: Mapping[str, Any]) -> dict[str, Any]:
        stages, answers = self.form.stages(shown.item.row), self._answers(shown)
        done = self._given(shown) is not None
        reached = len(stages) - 1 if done else _reached(stages, answers)
        if answer.get("stage") != reached:
            raise LockedError("This part has been answered and is locked. Reload the page.")
        stage = stages[reached]
        said = StageAnswer(
            stage.checked(answer.get("values")), reason_of(answer, stage.needs_reason), seconds_of(answer)
        )
        if len(stages) > 1:
            self._stages.append(self._key_of(shown), stage.name, said)
        if reached + 1 < len(stages):
            return {"saved": True, "finished": False}
        self._finish(shown, stages, answers, said)
        return {"saved": True, "finished": True, **self._after(shown)}

    def _finish(
        self,
        shown: ShownItem[ReviewItem],
        stages: Sequence[FormStage],
        answers: Mapping[str, list[StageAnswer]],
        last: StageAnswer,
    ) -> None:
        parts = [*(_first(answers, stage) for stage in stages[:-1]), last]
        before = self._given(shown) or {}  # for the earlier stages, where their answers are in no file any more
        values: Values = {**before, **{key: value for part in parts for key, value in part.values.items()}}
        names = [f"{stage.name}: " if len(stages) > 1 else "" for stage in stages]
        side = self._side(shown)
        self._ratings.append(
            Rating(
                shown.annotator, self.form.name, shown.item.row_id, self.form.stored(shown.item.row, values, side),
                "\n".join(f"{name}{part.reason}" for name, part in zip(names, parts, strict=True) if part.reason),
                item=shown.position, seconds=round(sum(part.seconds for part in parts), 1), time=now(),
                calibration=shown.round > 0, round=shown.round,
                shown_first=("generated" if side < 0 else "reference") if self.form.pair else "",
            )
        )  # fmt: skip

    def _after(self, shown: ShownItem[ReviewItem]) -> dict[str, Any]:
        """How the round of the calibration went, where this answer was its last one."""
        over = shown.round > 0 and self._open_round(shown.annotator) != shown.round
        return {"calibration": self._round(shown.annotator)} if over else {}

    def _open_round(self, annotator: str) -> int:
        """The round of the calibration that an annotator is in; 0 where they may rate. A full round is closed."""
        calibration = self._calibration
        if calibration is None or calibration.passed(annotator):
            return 0
        number = len(calibration.rounds(annotator)) + 1
        given = {}
        for item in calibration.items:
            rating = self._rating(ShownItem(annotator, item, 0, number))
            if rating is None:
                return number
            given[item.row_id] = rating.ratings
        calibration.finish(annotator, given)
        return self._open_round(annotator)

    def _round(self, annotator: str) -> dict[str, Any] | None:
        if self._calibration is None:
            return None
        rounds = self._calibration.rounds(annotator)
        passed = self._calibration.passed(annotator)
        return {"passed": passed, "round": 0 if passed else len(rounds) + 1, "above": ABOVE,
                "images": len(self._calibration.items), "last": _told(rounds[-1]) if rounds else None}  # fmt: skip

    def _rating(self, shown: ShownItem[ReviewItem]) -> Rating | None:
        """The annotator's answer; one of another round of the calibration is none."""
        rating = self._rating_of(shown.annotator, shown.item.row_id)
        return rating if rating is not None and rating.round == shown.round else None

    def _given(self, shown: ShownItem[ReviewItem]) -> Values | None:
        rating = self._rating(shown)
        return None if rating is None else self.form.given(shown.item.row, rating.ratings, self._side(shown))

    def _answers(self, shown: ShownItem[ReviewItem]) -> Mapping[str, list[StageAnswer]]:
        return self._stages.of(self._key_of(shown))

    def _key_of(self, shown: ShownItem[ReviewItem]) -> tuple[str, str, str]:
        return shown.annotator, self.form.name, shown.item.row_id

    def _reason(self, shown: ShownItem[ReviewItem], stage: FormStage, answers: Mapping[str, list[StageAnswer]]) -> str:
        if answers:
            return answers[stage.name][-1].reason if stage.name in answers else ""
        rating = self._rating(shown)
        return rating.reason if rating else ""

    def _side(self, shown: ShownItem[ReviewItem]) -> int:
        return side_of(shown.annotator, shown.item.row_id, self._seed)


def _reached(stages: Sequence[FormStage], answers: Mapping[str, list[StageAnswer]]) -> int:
    return next((place for place, stage in enumerate(stages[:-1]) if stage.name not in answers), len(stages) - 1)


def _first(answers: Mapping[str, list[StageAnswer]], stage: FormStage) -> StageAnswer:
    return answers[stage.name][0] if stage.name in answers else StageAnswer({}, "", 0.0)


def _told(result: Result) -> dict[str, Any]:
    return {"round": result.round, "passed": result.passed, "srcc": dict(result.srcc), "notes": dict(result.notes)}
