"""What the providers of vision models take, by name: `model_params.image_profile`.

| profile | longest side | bytes a file | sent as it is |
| --- | --- | --- | --- |
| `openai` | 2048 | 5 MB | PNG, JPEG, WEBP |
| `dashscope` | 2048 | 7 MB | PNG, JPEG, WEBP, BMP, TIFF |
| `anthropic-compatible` | 1568 | 3.75 MB | PNG, JPEG, WEBP |
| `local` | 1536 | 20 MB | PNG, JPEG |

OpenAI scales into 2048 x 2048 at high detail and takes 50 MB a request, so that 5 MB leave room for
several. DashScope takes 10 MB and Anthropic 5 MB a file as base64, which adds a third; Anthropic scales
down above 1568. Servers of one's own set no limit: 1536 are about 3,000 tokens at 28 pixels a patch,
and llama.cpp reads no WEBP.
Animated files are sent as their first frame, everything else as PNG or JPEG.
"""

from __future__ import annotations

from data_juicer_ext.figures.image_parts import ImageLimits

DEFAULT_PROFILE = "openai"

PROFILES: dict[str, ImageLimits] = {
    "openai": ImageLimits(formats=("PNG", "JPEG", "WEBP")),
    "dashscope": ImageLimits(max_bytes=7_000_000, formats=("PNG", "JPEG", "WEBP", "BMP", "TIFF")),
    "anthropic-compatible": ImageLimits(1568, 3_750_000, formats=("PNG", "JPEG", "WEBP")),
    "local": ImageLimits(1536, 20_000_000),
}
