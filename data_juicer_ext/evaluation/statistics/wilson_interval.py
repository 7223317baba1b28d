"""Shares with Wilson intervals."""

from data_juicer_ext.evaluation.statistics.value_with_interval import Measure, undefined


def share(hits: int, tried: int, what: str = "rows") -> Measure:
    """`hits` of `tried` as a share, 0 to 1, with Wilson's 95% score interval; not defined for none of `what`.

    Wilson's interval does not leave 0 to 1 and holds up for few rows and for shares near 0 or 1 (E. B. Wilson, 1927).
    Raises ValueError where hits are not within 0 and `tried`.
    """
    if not 0 <= hits <= tried:
        raise ValueError(f"{hits} of {tried} is no share")
    if not tried:
        return undefined(f"no {what}")
    from scipy import stats  # type: ignore[import-untyped]  # here, as it takes a second

    low, high = stats.binomtest(hits, tried).proportion_ci(method="wilson")
    return Measure(hits / tried, "", float(low), float(high))
