"""Every public object goes through cloudpickle and pickle to a process that has imported neither
the package nor what would have been a lucky import.

In the first process each module is asked for its names in a fork that has imported the package
alone; in the second, which has imported nothing else, the pickles are read.
"""

import subprocess
import sys

import pytest

WRITE = """
import json, os, pickle, sys
from types import ModuleType
import cloudpickle
import ferrograph as fg
from ferrograph._src.context.coverage import NAMESPACES

OF_KERAS = {"keras", "initializers", "losses", "metrics", "optimizers"}

def opened(space):
    value = fg
    for part in space.split(".") if space else ():
        value = getattr(value, part)
    return value

def written(space):
    module = opened(space)
    for name in dir(module):
        if name.startswith("_") or (not space and name in OF_KERAS):
            continue
        value = getattr(module, name)
        full = f"{space}.{name}".lstrip(".")
        for how in (cloudpickle, pickle):
            if how is pickle and isinstance(value, ModuleType):
                continue  # which pickle has no form for
            data = how.dumps(value)
            by_value = b"_make_function" in data or b"_make_skeleton" in data
            assert not by_value, f"{full} is pickled by value"
            yield json.dumps([full, how.__name__, data.hex()])

for space in NAMESPACES:
    pid = os.fork()
    if pid == 0:
        try:
            with open(f"{space or 'top'}.jsonl", "w") as file:
                file.writelines(line + "\\n" for line in written(space))
        except BaseException as e:
            print(space, repr(e), flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0, space
"""

READ = """
import json, os, pickle, sys
from pathlib import Path
import cloudpickle

assert "ferrograph" not in sys.modules

def check(full, value):
    import ferrograph
    found = ferrograph
    for part in full.split("."):
        found = getattr(found, part)
    assert value is found or value == found or repr(value) == repr(found), full

count = 0
for file in sorted(Path(".").glob("*.jsonl")):
    lines = file.read_text().splitlines()
    count += len(lines)
    pid = os.fork()
    if pid == 0:
        try:
            rows = [json.loads(line) for line in lines]
            read = [(full, pickle.loads(bytes.fromhex(data))) for full, _, data in rows]
            for full, value in read:
                check(full, value)
        except BaseException as e:
            print(file, repr(e), flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0, file
print(count)
"""


def test_every_public_object_is_pickled_by_its_name(run_python):
    pytest.importorskip("cloudpickle", reason="the test extra brings cloudpickle")
    run_python(WRITE, timeout=300)
    done = run_python(READ, timeout=300)
    assert int(done.stdout.split()[-1]) > 3000


CLASSES = """
import pickle, sys, cloudpickle
import ferrograph as fg
classes = [fg.Tensor, fg.RaggedTensor, fg.SparseTensor, fg.data.Dataset, fg.TensorSpec]
rows = [*classes, {"class": fg.RaggedTensor, "again": fg.RaggedTensor}]
if sys.argv[1] == "after":
    fg.as_tensorflow()
    assert fg.RaggedTensor.__module__.startswith("tensorflow.python")
    rows.append(type(fg.constant(1)))
for how in (pickle, cloudpickle):
    for row in rows:
        for protocol in (4, 5):
            data = how.dumps(row, protocol=protocol)
            found = pickle.loads(data)
            assert found is row or found == row
            print(data.hex())
"""

READ_CLASSES = """
import pickle, sys
rows = [pickle.loads(bytes.fromhex(line)) for line in sys.stdin]
assert "tensorflow" not in sys.modules
import ferrograph as fg
assert fg.RaggedTensor in rows and fg.Tensor in rows and fg.SparseTensor in rows
assert {"class": fg.RaggedTensor, "again": fg.RaggedTensor} in rows
print(len(rows))
"""


def answer_of(code, *arguments, input=None):
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, input=input, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("when", ["before", "after"])
def test_classes_are_pickled_by_the_names_that_every_process_has(when):
    written = answer_of(CLASSES, when)
    assert int(answer_of(READ_CLASSES, input=written)) == (24 if when == "before" else 28)
