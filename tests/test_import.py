"""Importing is quick and quiet."""

import json


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
    assert len(own) <= 60, own
    assert not shown["numpy"], "the import loads numpy"


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
