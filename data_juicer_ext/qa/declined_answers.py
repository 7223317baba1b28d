"""Answers that choose nothing: the word None, and declining in a model's own words."""

import re

_NONE = re.compile(
    r"none|n/?a|null|nil|no\s(?:valid\s|correct\s|single\s|suitable\s)?(?:answer|option|choice)"
    r"|(?:none|neither)\sof\s(?:the\s)?(?:above|these|them|those|(?:given\s|provided\s|listed\s|available\s)?"
    r"(?:options|choices|answers|alternatives))"
    r"|(?:none|neither)\sof\s(?:the\s)?(?:options|choices|answers)\s(?:is|are)\s(?:correct|right|supported)"
    r"|null\sanswer|not\sanswerable|unanswerable|没有|无",
    re.I,
)
_SUBJECT = r"(?:question|answer|option|choice|it|this|that|which|one|figure|image|information|caption|text|value)"
_DECLINES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b{_SUBJECT}\b[^.;\n]{{0,60}}\b(?:can\s?not|can['’]t|could\s?not|couldn['’]t)\s(?:\w{{1,12}}ly\s)?be\s"
        r"(?:determined|decided|answered|inferred|established|identified|concluded|known|verified|seen|deduced)",
        r"^\W{0,4}(?:can\s?not|can['’]t|unable\sto|not\spossible\sto)\s(?:be\s)?(?:\w{1,12}ly\s)?(?:determine|decide|answer|infer|tell|say|know)\w{0,3}\b",
        r"\b(?:insufficient|inadequate)\s(?:\w{1,12}\s)?(?:information|info|data|context|evidence|details?)\b",
        r"\b(?:not|isn['’]t|no)\s(?:\w{1,12}\s)?(?:enough|sufficient)\s(?:\w{1,12}\s)?"
        r"(?:information|info|data|context|evidence|details?)\b",
        r"\b(?:information|caption|text|context|paragraph|description)\b[^.;\n]{0,60}\b(?:is|are)\s"
        r"(?:insufficient|not\s(?:enough|sufficient|provided|available|given))\b",
        r"\b(?:I|we)\s(?:am\s|are\s|'m\s)?(?:can\s?not|can['’]t|could\s?not|couldn['’]t|unable\sto|not\sable\sto)\s"
        r"(?:\w{1,12}ly\s)?(?:determine|decide|answer|tell|say|infer|see|view|access|identify|choose|select|pick"
        r"|provide|assist|help|verify|know|process|analy[sz]e|open)\b",
        r"\b(?:I|we)['’]?(?:m|re|\sam|\sare)\s(?:sorry|unable|not\sable|not\ssure|unsure)\b",
        r"\b(?:I|we)\s(?:don['’]t|do\snot)\s(?:know|have\s(?:access|enough|sufficient|the\s(?:image|figure)))\b",
        r"\b(?:impossible|not\spossible)\sto\s(?:\w{1,12}ly\s)?(?:determine|decide|answer|tell|say|infer|know|choose)\b",
        r"\bno\s(?:figure|image|picture)\s(?:\w{1,12}\s){0,2}(?:provided|attached|available|given|visible|shown)\b",
        r"\b(?:cannot|can['’]t|can\snot)\s(?:\w{1,12}ly\s)?be\s(?:determined|decided|answered)\b",
        r"^\W{0,4}(?:unknown|undetermined|unclear|uncertain)\W{0,4}\Z",
        r"\b(?:undeterminable|indeterminate|undecidable)\b",
        r"无法(?:确定|判断|回答|得知)|不能确定|信息不足",
    )
)


def is_none(text: str) -> bool:
    """Whether all of `text` (markup stripped) is a None: "None.", "N/A", "none of the above"."""
    return _NONE.fullmatch(" ".join(text[:200].split()).strip(" .!;:,()[]\"'")) is not None


def declines(text: str) -> tuple[int, int] | None:
    """The span in `text` where the writer says that the question cannot be answered, or None.

    Only the first and the last sentence count: an aside in a rationale ("the exact value cannot be
    determined, but ...") is no refusal to answer.
    """
    sentences = [(match.start(), match.group()) for match in re.finditer(r"[^.!?\n]{1,4000}[.!?\n]?", text)]
    sentences = [(start, body) for start, body in sentences if any(map(str.isalnum, body))]
    for start, sentence in [*sentences[:1], *sentences[-1:]]:
        for pattern in _DECLINES:
            match = pattern.search(sentence)
            if match:
                return start + match.start(), start + match.end()
    return None
