"""A part of the attack: all of it is ``make attack``."""

import random

import calls
import graph_programs
import known
import pickles
import processes
import surface
import watched
from judge import fault

# What the part takes: about a minute and a half.
_UNITS, _CALLS, _PROGRAMS, _DAMAGES, _GRAPHS = 160, 14, 120, 12, 3
_SCENARIOS, _LEAKS = 14, 4
# A busy machine is no hang: that is judged where the attack runs by itself.
_PATIENCE = 60


def _some(values, n, seed):
    values = list(values)
    return random.Random(seed).sample(values, min(n, len(values)))


def test_hostile_calls_end_with_documented_exceptions():
    assert len(surface.targets()) > 1000
    units = calls.units()[:_UNITS]
    outcome = watched.watch(("calls", 0, _CALLS), units, calls.BATCH, 2, _PATIENCE)
    assert outcome.n_calls > _UNITS * _CALLS
    assert outcome.counts["ok"] > outcome.n_calls // 20
    assert known.unexpected(outcome.failures) == []


def test_random_programs_give_one_result():
    units = graph_programs.units(_PROGRAMS)
    outcome = watched.watch(("graph_programs", 0, 0), units, graph_programs.BATCH, 2, _PATIENCE)
    assert outcome.counts["ok"] > _PROGRAMS * len(graph_programs.EXECUTORS)
    assert known.unexpected(outcome.failures) == []


def test_damaged_pickles_are_refused_or_used():
    units = pickles.units(_GRAPHS)
    outcome = watched.watch(("pickles", 0, _DAMAGES), units, 12, 2, _PATIENCE)
    assert outcome.counts["refused"] > outcome.n_calls // 2
    assert known.unexpected(outcome.failures) == []


def test_scenarios_end_well():
    everything = processes.everything()
    chosen = [p for p in everything if p[0] == "scenarios.py"]
    leaks = [p for p in everything if p[0] == "leaks.py"]
    picked = _some(chosen, _SCENARIOS, 0) + _some(leaks, _LEAKS, 0)
    assert known.unexpected(processes.failures(picked)) == []


def test_faults_are_seen():
    class Broken(BaseException):
        pass

    assert fault(TypeError("x")) is None
    assert fault(Broken("x")) and fault(SystemError("x"))
    assert fault(graph_programs.Different("x"))
    assert fault(TypeError("outer.<locals>.inner() got an argument"))
    assert processes.failure(("scenarios.py", "no_such_scenario")).startswith("exit 1")


def test_known_failures_have_reasons():
    for call, pattern, reason in known.KNOWN:
        assert call and pattern and reason
