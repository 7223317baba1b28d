"""Names the functional category of an image."""

from typing import Any

from data_juicer_ext.annotation.class_answers import ClassParse
from data_juicer_ext.annotation.image_categories import IMAGE_CATEGORIES, classes_of, listed, parse_category
from data_juicer_ext.ops.authoring import Request, operator, request
from data_juicer_ext.ops.base.model_kinds import ClassMapper, images_of

OP_NAME = "image_category_mapper"


@operator(OP_NAME)
class ImageCategoryMapper(ClassMapper):
    """Sorts images by what they are for: data plot, molecular or chemical structure, reaction or process scheme, ...

    One vision call an image, with its caption. The list of categories is a parameter. A row whose category can't be
    read, after one repair, is undecided.

    Input columns: figure rows.
    Output columns: the same rows with `image_category`, for a balanced sample (`dj-ext sample`).
    Source: SIQA, section 3.2 (which has seven categories and names none).
    """

    needs = ("row_id", "images", "caption")
    makes = ("image_category", "provenance")
    template = "annotation/image_category"
    fields = ("caption", "categories")
    column = "image_category"

    def __init__(self, categories: list[dict[str, str]] | None = None, *args: Any, **kwargs: Any):
        """
        :param categories: the categories, each with its `name` and, optional, a `description` of what it is for; where
            empty, the seven of docs/annotation.md.
        """
        with self.checked_parameters():
            self.categories = IMAGE_CATEGORIES if categories is None else listed(categories)
            self.classes = classes_of(self.categories)
        super().__init__(*args, **kwargs)

    def asked(self, row: dict[str, Any]) -> Request:
        """The request about one image."""
        told = [{"name": name, "description": about} for name, about in self.categories.items()]
        return request(self.template, self.sampling, images_of(row), caption=row["caption"], categories=told)

    def parse(self, text: str) -> ClassParse:
        """How an answer is read."""
        return parse_category(text, self.classes)
