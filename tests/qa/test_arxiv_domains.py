from __future__ import annotations

import pytest

from data_juicer_ext.qa.arxiv_domains import archive, spelled_out


@pytest.mark.parametrize(
    ("category", "name", "counted"),
    [
        ("cs.CL", "computer science (computation and language)", "cs"),
        ("cs.CV", "computer science (computer vision and pattern recognition)", "cs"),
        ("astro-ph.GA", "astrophysics (astrophysics of galaxies)", "astro-ph"),
        ("astro-ph", "astrophysics", "astro-ph"),
        ("cond-mat.mtrl-sci", "condensed matter physics (materials science)", "cond-mat"),
        ("hep-th", "theoretical high energy physics", "hep-th"),
        ("math-ph", "mathematical physics", "math-ph"),
        ("q-bio.NC", "quantitative biology (neurons and cognition)", "q-bio"),
        ("physics.flu-dyn", "physics (fluid dynamics)", "physics"),
        ("quant-ph", "quantum physics", "quant-ph"),
        ("eess.SP", "electrical engineering and systems science (signal processing)", "eess"),
        ("stat.ML cs.LG", "statistics (machine learning)", "stat"),
        ("cmp-lg", "computer science (computation and language)", "cs"),
        ("cs.XX", "computer science", "cs"),
        ("", "science", ""),
        ("Materials Science", "Materials Science", "Materials Science"),
        ("bio.rxiv", "bio.rxiv", "bio.rxiv"),
    ],
)
def test_categories(category: str, name: str, counted: str) -> None:
    assert (spelled_out(category), archive(category)) == (name, counted)


def test_the_twenty_archives_are_known() -> None:
    archives = (
        "astro-ph cond-mat cs econ eess gr-qc hep-ex hep-lat hep-ph hep-th math math-ph nlin nucl-ex nucl-th physics "
        "q-bio q-fin quant-ph stat"
    )
    names = [spelled_out(name) for name in archives.split()]
    assert len(set(names)) == 20
    assert [archive(name) for name in archives.split()] == archives.split()
