"""One budget of a run over all workers.

Each worker tells what it has spent in all, and asks for so many calls. Totals instead of additions
mean that a message which was lost or came twice changes nothing, and that a governor which is
started anew knows the state as soon as the workers have spoken.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TypeAlias

from data_juicer_ext.models.budget.run_budget import Budget, Spent
from data_juicer_ext.models.types import Failure


@dataclass(frozen=True)
class BudgetLimits:
    """What a run may spend, as in `Budget`; the run is known by its folder, a path or an address of object storage."""

    run_dir: str
    max_cost: float = 0.0
    max_calls: int = 0
    spent_cost: float = 0.0
    spent_calls: int = 0


@dataclass(frozen=True)
class Claim:
    """What one worker says: all that it spent so far, and for how many calls it asks now.

    `number` grows with each claim of a worker; an earlier one that comes later is ignored.
    """

    worker: str
    number: int
    spent: Spent
    wanted: int


class SharedBudget:
    """The budget of one run for all its workers. Not thread-safe."""

    def __init__(self, limits: BudgetLimits) -> None:
        Budget(limits.max_cost, limits.max_calls, limits.spent_cost, limits.spent_calls)  # checks them
        self._limits = limits
        self._numbers: dict[str, int] = {}
        self._spent: dict[str, Spent] = {}

    @property
    def spent(self) -> Spent:
        """What all workers have spent, earlier runs included."""
        parts = self._spent.values()
        return Spent(
            self._limits.spent_cost + sum(part.cost for part in parts),
            self._limits.spent_calls + sum(part.calls for part in parts),
            sum(part.unpriced_calls for part in parts),
            sum(part.in_flight for part in parts),
        )

    def claim(self, claim: Claim) -> tuple[int, Failure | None]:
        """How many of the wanted calls may go out, and why not the others."""
        if claim.number <= self._numbers.get(claim.worker, 0):
            return 0, None
        self._numbers[claim.worker] = claim.number
        self._spent[claim.worker] = claim.spent
        whole = self.spent
        # A call in flight counts as one that ended, for `max_calls`, and has cost nothing yet.
        rest = Budget(self._limits.max_cost, self._limits.max_calls, whole.cost, whole.calls + whole.in_flight)
        granted, refused = 0, None
        while granted < claim.wanted and (refused := rest.admit()) is None:
            granted += 1
        in_flight = claim.spent.in_flight + granted
        self._spent[claim.worker] = replace(claim.spent, in_flight=in_flight)
        return granted, refused

    def gone(self, worker: str) -> None:
        """A worker has died: what it had in flight may have been paid for, and counts as calls."""
        part = self._spent.get(worker)
        if part is not None:
            self._spent[worker] = replace(part, calls=part.calls + part.in_flight, in_flight=0)

    def parts(self) -> dict[str, Spent]:
        """What each worker has spent, for a successor."""
        return dict(self._spent)

    def restore(self, parts: Mapping[str, Spent]) -> None:
        """Take over the parts of workers that have not spoken since."""
        for worker, part in parts.items():
            self._spent.setdefault(worker, part)


class LocalBudget:
    """The budget of a run that is one process."""

    def __init__(self, limits: BudgetLimits) -> None:
        spent = (limits.spent_cost, limits.spent_calls)
        self.budget = Budget(limits.max_cost, limits.max_calls, *spent)
        self.spend, self.release = self.budget.spend, self.budget.release

    async def admit(self) -> Failure | None:
        return self.budget.admit()


AskClaim: TypeAlias = Callable[[Claim], Awaitable["tuple[int, Failure | None]"]]


class GovernedBudget:
    """A worker's part in a budget that workers share. `ask` takes a claim to the governor.

    All calls that wait at once go into one claim. `ask` waits for a governor that is away: without
    one, nothing is spent. Lives on one event loop.
    """

    def __init__(self, ask: AskClaim, worker: str) -> None:
        self._ask = ask
        self._worker = worker
        self._spent = Spent()
        self._number = 0
        self._waiting: deque[asyncio.Future[Failure | None]] = deque()
        self._untold = False
        self._claiming: asyncio.Task[None] | None = None

    async def admit(self) -> Failure | None:
        """Let one call go out (None), or say why not. After None, `spend` or `release` must follow."""
        turn: asyncio.Future[Failure | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._tell()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.result() is None:  # admitted just before
                self.release()
            raise

    def spend(self, cost: float | None) -> None:
        """An admitted call has ended and cost `cost` US dollars; None where the price is unknown."""
        spent = self._spent
        self._spent = Spent(
            spent.cost + (cost or 0.0), spent.calls + 1, spent.unpriced_calls + (cost is None), spent.in_flight - 1
        )
        self._tell()

    def release(self) -> None:
        """An admitted call was not sent after all."""
        self._spent = replace(self._spent, in_flight=self._spent.in_flight - 1)
        self._tell()

    def _tell(self) -> None:
        self._untold = True
        if self._claiming is None or self._claiming.done():
            self._claiming = asyncio.ensure_future(self._claim())

    async def _claim(self) -> None:
        while self._untold:
            self._untold = False
            waiting = [turn for turn in self._waiting if not turn.done()]
            self._waiting.clear()
            self._number += 1
            claim = Claim(self._worker, self._number, self._spent, len(waiting))
            try:
                granted, refused = await self._ask(claim)
            except Exception as error:
                text = f"the budget of the run cannot be asked ({type(error).__name__}): run the same command again"
                granted, refused = 0, Failure("internal", text, retryable=True)
            self._admit(waiting, granted, refused)

    def _admit(self, waiting: list[asyncio.Future[Failure | None]], granted: int, refused: Failure | None) -> None:
        for place, turn in enumerate(waiting):
            if place >= granted:
                if refused is None:  # the claim was overtaken
                    self._waiting.append(turn)
                    self._untold = True
                elif not turn.done():
                    turn.set_result(refused)
            elif turn.done():  # cancelled meanwhile: its call is given back with the next claim
                self._untold = True
            else:
                self._spent = replace(self._spent, in_flight=self._spent.in_flight + 1)
                turn.set_result(None)


RunBudget: TypeAlias = LocalBudget | GovernedBudget


class Admission:
    """Lets one call out once, and tells the budget exactly once how that ended.

    A context: what was admitted and has not been spent at its end is given back, also where the call is cancelled.
    """

    def __init__(self, budget: RunBudget) -> None:
        self._budget = budget
        self._held = False

    async def admit(self) -> Failure | None:
        """Let the call go out (None), or say why not."""
        refused = await self._budget.admit()
        self._held = refused is None
        return refused

    def spend(self, cost: float | None) -> None:
        """The call has ended and cost `cost` US dollars (None: not known); nothing where it was not admitted."""
        if self._held:
            self._held = False
            self._budget.spend(cost)

    def __enter__(self) -> "Admission":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._held:
            self._budget.release()
