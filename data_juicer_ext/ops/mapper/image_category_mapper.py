"""Figure row to the same row with its image's functional category."""

from typing import Any

from data_juicer.ops.base_op import OPERATORS

from data_juicer_ext.annotation.class_answers import ClassParse
from data_juicer_ext.annotation.image_categories import (
    IMAGE_CATEGORIES,
    CategoryError,
    classes_of,
    listed,
    parse_category,
)
from data_juicer_ext.models.types import Request
from data_juicer_ext.ops.base.class_mapper import ClassMapper, images_of
from data_juicer_ext.ops.base.run_op import DEFAULT_RUN_DIR, OWN_OPERATORS
from data_juicer_ext.ops.host.running_recipe import stop
from data_juicer_ext.prompts import request

OP_NAME = "image_category_mapper"
OWN_OPERATORS.append(OP_NAME)


@OPERATORS.register_module(OP_NAME)
class ImageCategoryMapper(ClassMapper):
    """Sorts images by what they are for: data plot, molecular or chemical structure, reaction or process scheme, ...

    Input: figure rows. Output: the same rows with `image_category`, for a balanced sample (`dj-ext sample`). One
    vision call an image, with its caption. The list of categories is a parameter. A row whose category can't be
    read, after one repair, is undecided. Source: SIQA, section 3.2 (which has seven categories and names none).
    """

    needs = ("row_id", "images", "caption")
    makes = ("image_category", "provenance")
    template = "annotation/image_category"
    fields = ("caption", "categories")
    column = "image_category"

    def __init__(
        self,
        categories: list[dict[str, str]] | None = None,
        api_model: str = "offline",
        api_endpoint: str | None = None,
        model_params: dict[str, Any] | None = None,
        sampling_params: dict[str, Any] | None = None,
        max_cost: float = 0.0,
        max_calls: int = 0,
        run_dir: str = DEFAULT_RUN_DIR,
        tag: str = "",
        *args: Any,
        **kwargs: Any,
    ):
        """
        Initialization method.

        :param categories: the categories, each with its `name` and, optional, a `description` of what it is for; where
            empty, the seven of docs/annotation.md.
        :param api_model: the vision model's name at its endpoint, `offline` for the embedded one; may be
            `${NAME}` or `${NAME:-default}`.
        :param api_endpoint: the path behind the base URL; chat completions where empty.
        :param model_params: endpoint settings (base_url, api_key_env, max_concurrency, timeout,
            ...; see docs/models.md).
        :param sampling_params: sent to the provider as they are (temperature, max_tokens, ...).
        :param max_cost: US dollars that all runs into the run folder may spend on model calls; when
            they are spent no new call goes out, and the rest is undecided. 0: no limit.
        :param max_calls: the same in calls. 0: no limit.
        :param run_dir: the run folder.
        :param tag: the name of this listing in ledger and stats; where empty, the operator's without `_mapper`.
        """
        try:
            self.categories = IMAGE_CATEGORIES if categories is None else listed(categories)
            self.classes = classes_of(self.categories)
        except CategoryError as error:
            stop(f"{OP_NAME}: {error}")
        common = (api_model, api_endpoint, model_params, sampling_params, max_cost, max_calls, run_dir, tag)
        super().__init__(*common, *args, **kwargs)

    def asked(self, row: dict[str, Any]) -> Request:
        """The request about one image."""
        told = [{"name": name, "description": about} for name, about in self.categories.items()]
        return request(self.template, self.sampling, images_of(row), caption=row["caption"], categories=told)

    def parse(self, text: str) -> ClassParse:
        """How an answer is read."""
        return parse_category(text, self.classes)
