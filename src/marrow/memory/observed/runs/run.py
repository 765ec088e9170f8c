"""What a test run came to."""

from __future__ import annotations

from dataclasses import dataclass

from ..lines import counted


@dataclass(frozen=True, slots=True)
class Failure:
    """One test that failed: its name, where, and what was said."""

    test: str
    place: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """`seconds` as the runner writes it, without the unit; empty when it says nothing."""

    runner: str
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    seconds: str = ""
    failures: tuple[Failure, ...] = ()

    @property
    def ok(self) -> bool:
        return not (self.failed or self.errors or self.failures)

    @property
    def counts(self) -> str:
        """`3 failed, 1 error, 40 passed in 2.1 s`."""
        parts = [f"{self.failed} failed"] if self.failed else []
        parts += [counted(self.errors, "error")] if self.errors else []
        parts += [f"{self.passed} passed"] if self.passed else []
        parts += [f"{self.skipped} skipped"] if self.skipped else []
        told = ", ".join(parts) or ("no counts" if self.ok else counted(len(self.failures), "failure"))
        return f"{told} in {self.seconds} s" if self.seconds else told


def number(text: str | None) -> int:
    """A count as a runner writes it; 0 for none, and for one that no run has."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0
