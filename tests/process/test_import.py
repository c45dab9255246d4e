"""Importing is quick and quiet."""

import importlib
import json

import ferrograph as fg
import pytest

# Modules of the standard library that would take a part of the time of the import, each.
HEAVY = {"ast", "dis", "inspect", "linecache", "numbers", "re", "string", "textwrap", "tokenize"}
HEAVY |= {"traceback", "typing"}


def test_import_loads_little(run_python):
    done = run_python(
        """
        import json, sys

        before = set(sys.modules)
        import ferrograph

        loaded = sorted(set(sys.modules) - before)
        print(json.dumps({"loaded": loaded, "numpy": "numpy" in sys.modules}))
        """
    )
    shown = json.loads(done.stdout)
    own = [name for name in shown["loaded"] if name.split(".")[0] == "ferrograph"]
    assert len(own) <= 63, own
    assert not shown["numpy"], "the import loads numpy"
    assert not HEAVY & set(shown["loaded"])


def test_the_first_call_loads_little(run_python):
    done = run_python(
        """
        import json, sys

        first = set(sys.modules)
        import ferrograph as fg
        before = set(sys.modules)

        @fg.function
        def doubled(x):
            if x < 0.0:
                x = -x
            while x < 10.0:
                x = x * 2.0
            return x

        assert float(doubled(fg.constant(3.0))) == 12.0
        after = set(sys.modules)
        print(json.dumps([sorted(after - first), sorted(after - before)]))
        """
    )
    loaded, by_the_call = json.loads(done.stdout)
    assert not HEAVY & set(loaded)
    own = [name for name in by_the_call if name.startswith("ferrograph")]
    assert len(own) <= 66, own


def test_the_first_call_loads_what_it_needs(run_python):
    done = run_python(
        """
        import json, sys

        import numpy
        before = set(sys.modules)
        import ferrograph as fg

        @fg.function
        def summed(x):
            for i in fg.range(3):
                x = x + 1.0 if fg.reduce_sum(x) > 0.0 else x * 2.0
            return x

        assert summed(fg.constant(numpy.ones(2))).numpy().tolist() == [4.0, 4.0]
        print(json.dumps(sorted(set(sys.modules) - before)))
        """
    )
    loaded = json.loads(done.stdout)
    assert not [name for name in loaded if name.startswith("numpy")]
    modules = {name.rpartition(".")[2] for name in loaded}
    assert not {"copy", "quantifiers", "string_ops", "texts", "zlib"} & modules


def test_loading_a_model_loads_little(run_python, tmp_path):
    model = fg.Module()
    model.w = fg.Variable([[1.0, 2.0]])
    spec = fg.TensorSpec([None, 1])
    model.serve = fg.function(lambda x: x @ model.w, input_signature=[spec])
    fg.saved_model.save(model, tmp_path, signatures=model.serve)
    done = run_python(
        f"""
        import json, sys
        import ferrograph as fg

        model = fg.saved_model.load({str(tmp_path)!r})
        assert model.serve(fg.constant([[2.0]])).numpy().tolist() == [[2.0, 4.0]]
        print(json.dumps(sorted(sys.modules)))
        """
    )
    parts = {name.partition("._src.")[2].partition(".")[0] for name in json.loads(done.stdout)}
    assert "saved" in parts
    assert not {"control_flow", "data", "ragged", "sparse", "tables"} & parts


def test_import_prints_nothing(run_python):
    done = run_python("import ferrograph")
    assert (done.stdout, done.stderr) == ("", "")


def test_import_starts_no_threads(run_python):
    done = run_python(
        """
        import os
        import ferrograph

        print(len(os.listdir("/proc/self/task")))
        """
    )
    assert done.stdout.strip() == "1"


SPACES = [
    "autodiff",
    "autograph.errors",
    "autograph.experimental",
    "config",
    "data",
    "data.experimental",
    "dtypes",
    "errors",
    "experimental",
    "types.experimental",
]


# What loads the installed Keras, whose classes are not ours.
OF_KERAS = {"keras", "initializers", "losses", "metrics", "optimizers"}


def public_classes():
    """The classes of the public namespaces."""
    for space in [fg, *(importlib.import_module(f"ferrograph.{name}") for name in SPACES)]:
        for name in {*dir(space), *getattr(space, "_LAZY", ())} - OF_KERAS:
            found = getattr(space, name, None)
            if isinstance(found, type) and found.__module__.startswith("ferrograph"):
                yield found


@pytest.mark.parametrize("cls", sorted(set(public_classes()), key=repr), ids=repr)
def test_a_class_is_found_where_it_says(cls):
    assert "_src" not in cls.__module__
    assert getattr(importlib.import_module(cls.__module__), cls.__qualname__) is cls


@pytest.mark.parametrize(
    "again",
    [
        "for name in [n for n in sys.modules if n.startswith('ferrograph')]:\n"
        "    del sys.modules[name]\n"
        "import ferrograph",
        "import importlib.util as util\n"
        "name = '_interpreters' if util.find_spec('_interpreters') else '_xxsubinterpreters'\n"
        "interpreters = __import__(name)\n"
        "failed = interpreters.run_string(interpreters.create(), 'import ferrograph')\n"
        "if failed: raise ImportError(failed.msg)",
    ],
    ids=["modules taken out", "another interpreter"],
)
def test_a_second_front_end_is_refused(run_python, again):
    done = run_python(
        f"""
        import sys
        import ferrograph as fg

        try:
            exec({again!r})
        except Exception as error:
            print(error)
        print(float(fg.function(lambda x: x + 1)(1.0)))
        """
    )
    first, last = done.stdout.splitlines()[-2:]
    # From Python 3.12 on Python itself refuses the native half in another interpreter.
    assert any(said in first for said in ("imported once in a process", "in subinterpreters"))
    assert last == "2.0"
