"""Combinations that are documented and that an operation refuses, by name.

Each says the operation, the dtypes, and where it is not all of them the forms and the executors.
A combination that no longer is refused fails the matrix, so that the list shrinks.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """Combinations of the rows that go by a name."""

    row: str
    dtypes: tuple
    reason: str
    forms: tuple | None = None
    executors: tuple | None = None

    def covers(self, combination):
        """Whether a combination is one of these."""
        return (
            str(combination.row) == self.row
            and combination.dtype in self.dtypes
            and (self.forms is None or combination.form in self.forms)
            and (self.executors is None or combination.executor in self.executors)
        )


EXCEPTIONS: tuple[Refusal, ...] = ()
