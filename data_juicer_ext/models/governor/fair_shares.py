"""How slots are shared among workers: each gets what it asks for, up to a level that is equal for all."""

from collections.abc import Sequence


def fair_slots(limit: int, demands: Sequence[int], turn: int = 0) -> list[int]:
    """The max-min fair share of each demand in `limit` slots; the shares add up to `limit` at most.

    Where there are more demands than slots, each share is 0 or 1, and another `turn` favours others:
    within ceil(demands / limit) successive turns each has had a slot.
    """
    shares = [0] * len(demands)
    hungry = sorted((place for place, demand in enumerate(demands) if demand > 0), key=lambda place: demands[place])
    left, first = limit, 0
    while first < len(hungry) and demands[hungry[first]] <= left // (len(hungry) - first):
        shares[hungry[first]] = demands[hungry[first]]
        left -= demands[hungry[first]]
        first += 1
    rest = sorted(hungry[first:])
    if not rest:
        return shares
    level, more = divmod(left, len(rest))
    start = 0 if level else turn * more % len(rest)
    for place, who in enumerate(rest[start:] + rest[:start]):
        shares[who] = level + (place < more)
    return shares
