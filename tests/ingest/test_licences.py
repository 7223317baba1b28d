from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_juicer_ext.ingest.licences import NAMES, REDISTRIBUTABLE, chosen, read_licence


@pytest.mark.parametrize(
    ("stated", "name", "text"),
    [
        ("http://creativecommons.org/licenses/by/4.0/", "cc-by", "cc-by-4.0"),
        ("https://creativecommons.org/licenses/by/3.0", "cc-by", "cc-by-3.0"),
        ("http://creativecommons.org/licenses/by-sa/4.0/", "cc-by-sa", "cc-by-sa-4.0"),
        ("http://creativecommons.org/licenses/by-nc-sa/4.0/", "cc-by-nc-sa", "cc-by-nc-sa-4.0"),
        ("http://creativecommons.org/licenses/by-nc-nd/4.0/", "cc-by-nc-nd", "cc-by-nc-nd-4.0"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "cc0", "cc0-1.0"),
        ("http://creativecommons.org/licenses/publicdomain/", "public-domain", "public-domain"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "arxiv", "arxiv-nonexclusive-distrib-1.0"),
        ("http://arxiv.org/licenses/assumed-1991-2003/", "arxiv", "arxiv-assumed-1991-2003"),
        ("CC BY 4.0", "cc-by", "cc-by-4.0"),
        ("CC BY-NC-SA 4.0", "cc-by-nc-sa", "cc-by-nc-sa-4.0"),
        ("cc-by-4.0", "cc-by", "cc-by-4.0"),
        ("CC0", "cc0", "cc0"),
        ("", "none", ""),
        ("  ", "none", ""),
        (None, "none", ""),
        (4, "none", ""),
        ("all rights reserved", "other", "all rights reserved"),
        ("http://example.org/?creativecommons.org/licenses/by/4.0/", "other", None),
        ("http://creativecommons.org.example.org/licenses/by/4.0/", "other", None),
        ("http://creativecommons.org/licenses/by-nc-sa-x/4.0/", "other", None),
    ],
)
def test_what_a_catalogue_states(stated: object, name: str, text: str | None) -> None:
    licence = read_licence(stated)
    assert licence.name == name
    assert licence.text == (stated if text is None else text)


@given(st.text(max_size=60))
def test_every_licence_has_a_known_name(stated: str) -> None:
    licence = read_licence(stated)
    assert licence.name in NAMES and (licence.name == "none") == (licence.text == "")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",".join(REDISTRIBUTABLE), REDISTRIBUTABLE),
        ("CC0, cc-by", ("cc-by", "cc0")),
        ("cc-by-nc*", ("cc-by-nc", "cc-by-nc-sa", "cc-by-nc-nd")),
        ("any", NAMES[:-1]),
        ("any,none", NAMES),
    ],
)
def test_names_that_are_chosen(text: str, names: tuple[str, ...]) -> None:
    assert set(chosen(text)) == set(names)


@pytest.mark.parametrize("text", ["", " , ", "cc-bi", "cc-by cc0", "non*"])
def test_words_that_fit_no_licence(text: str) -> None:
    with pytest.raises(ValueError, match="--licence"):
        chosen(text)
