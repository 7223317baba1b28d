"""What the dataset card says in words, by kind and format."""

from data_juicer_ext.export.rows.row_kinds import FIGURES, PAIRS, SIQA_S, SIQA_U

WHAT = {
    PAIRS.name: "Each row is a question about a figure of a scientific paper, with options of which one is right.",
    SIQA_U.name: "Each row is a question about the quality of a scientific image along one of four dimensions, "
    "answered with Yes or No, with one of four levels, or with one of several options.",
    SIQA_S.name: "Each row is a scientific image that a model has rated from 1 (Bad) to 5 (Excellent), for "
    "perception and for knowledge.",
    FIGURES.name: "Each row is a figure of a scientific paper with scores from 1 to 10 on visual clarity (VC), "
    "structure and layout (SL), consistency with caption (C) and text (CTX), and misleading risk (MR, 10 is the "
    "lowest). Dimensions without evidence are null, not low.",
}
SPLITS = (
    "No paper is in two splits, and papers that show the same picture (the same bytes, or renderings whose perceptual "
    "hashes are near and whose pixels agree) are in one. Rows without a paper go by their images."
)
FILES = {
    "hf": 'Parquet files with the images inside, for `datasets.load_dataset("FOLDER")`. `images` is a list of the '
    "feature Image. Columns with nested values hold them as JSON text, `provenance` among them.",
    "parquet": "Plain Parquet files. `images` is a list, `image_files` has the names. Columns with nested values hold "
    "them as JSON text, `provenance` among them.",
    "ms-swift": "JSON Lines with `messages` and `images` for ms-swift. Paths are relative to this folder: set "
    "`ROOT_IMAGE_DIR` to it. Each dialogue holds one `<image>` an image.",
    "llava": "One JSON list a split, for LLaVA. Paths are relative to this folder: pass it as `--image_folder`. Each "
    "dialogue begins with one `<image>` an image.",
    "openai": "JSON Lines with `messages` for OpenAI's chat API. Images are data URLs in parts of their own, and the "
    "text is as it was. A file holds at most 50,000 examples and 500 MB, an example at most 10 images of 10 MB each; "
    "a split that is larger goes on in a second file.",
    "jsonl": "JSON Lines, one object per row, with nested values as they are: `datasets` (4.7 or later) loads them as "
    "its type Json.",
}
ESCAPED = (
    "Where the text of a row holds what a trainer or a tokenizer takes for a token (`<image>`, `<|image_pad|>`, "
    "`[IMG]`, ...), a backslash follows the first character: `<\\image>`. One that had backslashes there got one more; "
    "taking one away gives the text back (`data_juicer_ext.export.formats.trainer_tokens.unescape`)."
)
SEVERAL_IMAGES = "Their `image` is a list, which LLaVA-NeXT reads and LLaVA 1.5 does not."
IMAGES_EMBEDDED = "Images are inside the files, as PNG or JPEG without metadata."
IMAGES_COPIED = (
    "Images are in `images/`, as PNG or JPEG without metadata; a file's name is the SHA-256 of what is in it."
)
OTHER_FILES = (
    "`sources.jsonl` lists the papers with licence, venue and year. `provenance.jsonl`, where it is there, holds the "
    "other columns of each row with its file and line: where it comes from and what each step took. `left_out.jsonl`, "
    "where it is there, names the rows that are not in the set. `export.json` lists the files."
)
UNDECIDED = "no verdict could be given, as a call failed. They are not in this set."
DECIDED = "No row of the run is undecided."
NO_MAKERS = "The rows do not say which models made them."
OFFLINE = (
    "`offline` is the rule-based model that comes along, a baseline to try a recipe with. **Rows that it made are no "
    "data to train on or to publish.**"
)
LICENCES = (
    "Figures, captions and text stay under the licence of the paper that they are from (`licence`); who passes them on "
    "has to give credit as it asks."
)
LICENCE_UNKNOWN = "The licence of {rows} rows is not known: **do not pass them on before it is.**"
FLAGS = {
    "first_frame": "first frame taken",
    "turned": "turned upright",
    "flattened": "transparency laid on white",
    "converted": "brought to eight bits a channel",
    "rgb": "brought to RGB",
    "jpeg": "compressed as JPEG",
    "scaled_down": "scaled down",
}
SHORTCUTS = (
    "How often rules that do not look at the figure are right. Rows of models are those of the check without the "
    "figure, and count all questions that the run asked, not only these."
)
NOT_REVIEWED = "People have not accepted each row: what is here is what the run kept."
LIMITS_OF_ALL = (
    "Papers can be wrong, and so can what models read in them.",
    "A paper's licence need not hold for figures that it took from elsewhere.",
    "Splits keep papers and pictures apart, not authors, data sets or topics.",
)
UNDECIDED_LIMIT = "The run has undecided rows: a later export of it may hold more."
_QUESTIONS = (
    "Questions, options and answers were written and checked by models. A share of them is wrong: a claim may not be "
    "what the figure shows, or the right option may be arguable.",
    "A model that was asked without the figure sets the bar for what needs it: a stronger one may tell more answers.",
)
LIMITS = {
    PAIRS.name: (*_QUESTIONS, "Near-duplicates are looked for among the questions about one figure, not over all."),
    SIQA_U.name: ("Questions and answers were written by models, whose taste they share.",),
    SIQA_S.name: (
        "Ratings are a model's. They are no mean opinion scores of people.",
        "A level stands for a fifth of the scale from 1 to 5; the score itself is in the columns `rating_*`.",
    ),
    FIGURES.name: (
        "Scores are a model's, under the protocol and call budget that each row names. They are no reviewers' scores.",
    ),
}
