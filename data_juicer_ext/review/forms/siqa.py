"""Scientific images, rated for perception and knowledge on five levels (SIQA, section 4 and appendix C)."""

from collections.abc import Sequence

from data_juicer_ext.review.forms.form import Form, FormStage, asks
from data_juicer_ext.rows import Row


class SIQA(Form):
    """The image alone, two levels from 1 (Bad) to 5 (Excellent)."""

    name = "siqa"

    def stages(self, row: Row) -> Sequence[FormStage]:
        """One stage."""
        return [FormStage("image", [], list(asks(self.name, 1, 5).values()))]
