"""The smallest part of a program that gets the same verdict."""

from __future__ import annotations

import dataclasses
import signal
from pathlib import Path
from typing import Any

from . import run
from .kit import Program

SECONDS = 1.0  # that an eager run of a part may take


def shrunk(program: Program, stream: Path) -> Program:
    """``program`` without the lines that its verdict does not need."""
    kind = _sort(run.run(program, stream))
    lines, at = program.text.split("\n"), 0
    while at < len(lines):
        for end in (_end(lines, at), at + 1):
            rest = lines[:at] + lines[end:]
            smaller = dataclasses.replace(program, text="\n".join(rest))
            if _same(smaller, kind, stream):
                lines = rest
                break
            rest = lines[:at] + _dedented(lines[at + 1 : end]) + lines[end:]
            smaller = dataclasses.replace(program, text="\n".join(rest))
            if end > at + 1 and _same(smaller, kind, stream):
                lines = rest
                break
        else:
            at += 1
    return dataclasses.replace(program, text="\n".join(lines))


def _end(lines: list[str], at: int) -> int:
    """The line behind the block that starts at one."""
    depth, end = _depth(lines[at]), at + 1
    while end < len(lines) and lines[end].strip() and _depth(lines[end]) > depth:
        end += 1
    return end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _dedented(lines: list[str]) -> list[str]:
    return [line[4:] for line in lines]


def _sort(verdict: run.Verdict) -> tuple[str, str]:
    """What a smaller program has to keep of a verdict: its kind, and the class of an error."""
    return verdict.kind, verdict.why.split(" ")[0] if verdict.kind != "different" else ""


def _fails(place: run.Place, values: tuple) -> bool:
    """Whether a program fails eagerly, or never ends."""
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        place.reset()
        return place.outcome(place.program, tuple(map(run.fg.constant, values))).kind == "raises"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _late(number: int, frame: Any) -> None:
    raise TimeoutError


def _same(program: Program, kind: tuple[str, str], stream: Path) -> bool:
    """Whether a program still runs eagerly and gets that verdict."""
    try:
        place = run.Place(program, stream)
        if any(_fails(place, values) for values in run.INPUTS):
            return False
        return _sort(run.run(program, stream)) == kind
    except Exception:  # a text that is no program any more
        return False
