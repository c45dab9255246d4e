"""Steps that do not depend on one another run at once, with the bits that they give in order."""

import json
import os
import sys

import processor_time
import pytest

# Plans that are verified run their parallel chains at once, whichever way is faster.
PROGRAM = """
import hashlib, json
import ferrograph as fg

fg.random.set_seed(1)
weights = [fg.Variable(fg.random.normal([80, 80], seed=i) * 0.1) for i in range(8)]
biases = [fg.Variable(fg.random.normal([80], seed=90 + i)) for i in range(8)]
calls = fg.Variable(0)

def chain(x, i):
    for _ in range(3):
        x = fg.nn.relu(x @ weights[i] + biases[i])
    return fg.nn.softmax(x)

@fg.function
def chains(x):
    h = fg.tanh(x)
    return [chain(h, i) for i in range(8)]

@fg.function
def added(x):
    h = fg.tanh(x)
    total = fg.zeros_like(h)
    for i in range(8):
        total = total + chain(h, i)
    calls.assign_add(1)
    return total, fg.reduce_max(total, axis=0)

@fg.function
def looped(x):
    for _ in fg.range(3):
        a, b = chain(x, 0), chain(x, 1)
        x = a + b
    return x

@fg.function
def updated(x):
    with fg.GradientTape() as tape:
        loss = fg.add_n([fg.reduce_sum(chain(x, i) ** 2) for i in range(4)])
    gradients = tape.gradient(loss, weights[:4])
    for w, g in zip(weights, gradients):
        w.assign_sub(0.01 * g)
    return loss, [w.read_value() for w in weights]

x = fg.random.normal([80, 80], seed=7)
parallel, bits = {}, {}
for f in (chains, added, looped, updated):
    parallel[f.__name__] = f.explain_plan(x).count("parallel steps")
    digest = hashlib.sha256()
    for _ in range(4):
        for tensor in fg.nest.flatten(f(x)):
            digest.update(tensor.numpy().tobytes())
    bits[f.__name__] = digest.hexdigest()
print(json.dumps([parallel, bits, int(calls)]))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the program says with 1, 2 and 4 threads."""
    path = tmp_path_factory.mktemp("chains") / "program.py"
    path.write_text(PROGRAM)
    return {n: run(path, n) for n in (1, 2, 4)}


def run(path, n_threads):
    names = {"FERROGRAPH_NUM_THREADS": str(n_threads), "FERROGRAPH_VERIFY": "1"}
    done = processor_time.run(
        [sys.executable, str(path)],
        env=os.environ | names,
        capture_output=True,
        text=True,
        seconds=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_independent_chains_run_at_once(found):
    for n_threads in (2, 4):
        parallel = found[n_threads][0]
        assert all(parallel.values()), parallel


def test_one_thread_runs_nothing_at_once(found):
    assert not any(found[1][0].values())


def test_bits_do_not_depend_on_the_number_of_threads(found):
    assert found[1][1:] == found[2][1:] == found[4][1:]
