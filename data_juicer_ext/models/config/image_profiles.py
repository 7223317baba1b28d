"""What the providers of vision models take, by name: `model_params.image_profile`.

| profile | longest side | bytes per file | sent as it is | its models are shown |
| --- | --- | --- | --- | --- |
| `openai` | 2048 | 5 MB | PNG, JPEG, WEBP | 1,536 patches of 32 x 32 pixels |
| `openai-tiles` | 2048 | 5 MB | PNG, JPEG, WEBP | 768 pixels on the shorter side |
| `dashscope` | 2048 | 7 MB | PNG, JPEG, WEBP, BMP, TIFF | 1,280 patches of 28 x 28 pixels |
| `gemini` | 3072 | 5 MB | PNG, JPEG, WEBP | all of it |
| `anthropic-compatible` | 1568 | 3.75 MB | PNG, JPEG, WEBP | 1.15 million pixels |
| `local` | 1536 | 20 MB | PNG, JPEG | all of it |

Where a provider's models differ, the numbers are those of the one that is shown least, so that small text is rather
flagged too often. Animated files are sent as their first frame, everything else as PNG or JPEG.
"""

from data_juicer_ext.figures.image_preparation import ImageLimits

DEFAULT_PROFILE = "openai"

_OPENAI = ("PNG", "JPEG", "WEBP")

PROFILES: dict[str, ImageLimits] = {
    # developers.openai.com/api/docs/guides/images-vision: detail "high" scales into 2048 x 2048 and, for
    # o4-mini, gpt-4.1-mini and -nano, gpt-5-mini and -nano, to 1,536 patches (later models: 2,500). There is
    # no limit per file; 5 MB leave room for several within the 50 MB per request that held until 2026.
    "openai": ImageLimits(formats=_OPENAI, seen_pixels=1536 * 32 * 32),
    # The same page: GPT-4o, GPT-4.1 and the o-series but o4-mini see tiles, after the shorter side is 768.
    "openai-tiles": ImageLimits(formats=_OPENAI, seen_short_side=768),
    # help.aliyun.com/zh/model-studio/vision lists the formats. A data URL may have 10,485,760 bytes (the
    # endpoint's own error text, QwenLM/qwen-code issue 1880), of which base64 takes a quarter. Without
    # `vl_high_resolution_images` an image is shown as 1,280 tokens at most (QwenLM/qwen-code, on its
    # estimate of image tokens); a token is 28 x 28 pixels for Qwen2.5-VL, 32 x 32 for Qwen3-VL.
    "dashscope": ImageLimits(
        max_bytes=7_000_000, formats=("PNG", "JPEG", "WEBP", "BMP", "TIFF"), seen_pixels=1280 * 28 * 28
    ),
    # ai.google.dev/gemini-api/docs/image-understanding: 20 MB per request. firebase.google.com/docs/ai-logic/
    # input-file-requirements: formats, and larger images are scaled into 3072 x 3072. Vertex AI: 7 MB per file.
    "gemini": ImageLimits(3072, 5_000_000, formats=("PNG", "JPEG", "WEBP")),
    # platform.claude.com/docs/en/build-with-claude/vision: above 1568 pixels or 1.15 million pixels an image is
    # scaled down (the models since Opus 4.7: 2576). 5,242,880 bytes of base64 a file are the least that its
    # clouds take ("image exceeds 5 MB maximum"), which 3.75 MB become.
    "anthropic-compatible": ImageLimits(1568, 3_750_000, formats=("PNG", "JPEG", "WEBP"), seen_pixels=1_150_000),
    # vLLM and SGLang leave scaling to the model's processor, which for Qwen2.5-VL allows 12,845,056 pixels
    # (its preprocessor_config.json); 1536 are about 3,000 tokens at 28 pixels a patch. llama.cpp reads no
    # WEBP (ollama/ollama pull request 17755), nor did Ollama before it (issue 11410).
    "local": ImageLimits(1536, 20_000_000),
}
