"""One call's place in the budget of its run."""

from types import TracebackType

from data_juicer_ext.models.budget.shared_budget import RunBudget
from data_juicer_ext.models.types import Failure


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
