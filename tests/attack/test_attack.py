"""A part of the attack: all of it is ``make attack``."""

import random

import hostile_calls
import known
import processes
import pytest
import surface

# What the part takes: about a minute on two cores.
_UNITS, _CALLS = 160, 14
_SCENARIOS, _LEAKS = 14, 4


def _some(values, n, seed):
    values = list(values)
    return random.Random(seed).sample(values, min(n, len(values)))


def test_hostile_calls_end_with_documented_exceptions():
    names = [target.name for target in surface.targets()]
    assert len(names) > 1000
    units = [(name, mode) for name in names for mode in hostile_calls.MODES]
    # A busy machine is no hang: that is judged where the attack runs by itself.
    outcome = hostile_calls.sweep(_some(units, _UNITS, 0), _CALLS, patience=60)
    assert outcome.n_calls > _UNITS * _CALLS
    assert outcome.counts["ok"] > outcome.n_calls // 20
    assert known.unexpected(outcome.failures) == []


def test_scenarios_end_well():
    everything = processes.everything()
    chosen = [p for p in everything if p[0] == "scenarios.py"]
    leaks = [p for p in everything if p[0] == "leaks.py"]
    picked = _some(chosen, _SCENARIOS, 0) + _some(leaks, _LEAKS, 0)
    assert known.unexpected(processes.failures(picked)) == []


def test_faults_are_seen(tmp_path):
    class Broken(BaseException):
        pass

    from judge import fault

    assert fault(TypeError("x")) is None
    assert fault(Broken("x")) and fault(SystemError("x"))
    assert fault(TypeError("outer.<locals>.inner() got an argument"))
    assert processes.failure(("scenarios.py", "no_such_scenario")).startswith("exit 1")


@pytest.mark.parametrize("call, pattern, _", known.KNOWN)
def test_known_failures_have_reasons(call, pattern, _):
    assert call and pattern and _
