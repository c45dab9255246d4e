"""Every name that Keras 3.10 to 3.15 asks of its TensorFlow backend, public and private.

``keras_cases/asked_names.txt`` lists them, read from Keras' wheels by ``record_names.py``;
``keras_cases/known_answers.py`` says which are not there, and why.
"""

import runpy
from pathlib import Path

CASES = Path(__file__).parent / "keras_cases"
ASKED = [
    line.split()[0]
    for line in (CASES / "asked_names.txt").read_text().splitlines()
    if not line.startswith("#")
]
KNOWN = runpy.run_path(str(CASES / "known_answers.py"))
PROGRAM = """
import importlib
from ferrograph._src.context.coverage import hint
tensorflow = fg.as_tensorflow()

def resolve(name):
    parts = name.split(".")
    found = tensorflow
    for n, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(".".join(parts[:n]))
    return found

def is_explained(name):
    parts = name.split(".")[1:]
    hints = [hint(".".join(parts[:n]), parts[n], (), {}, "fg") for n in range(len(parts))]
    return any("it is left out" in said or "it is planned" in said for said in hints)

for name in NAMES:
    try:
        resolve(name)
        print("there", name)
    except (ImportError, AttributeError):
        print("explained" if is_explained(name) else "absent", name)
"""


def resolved(run_python, names):
    """Which of the names are there, explained in docs/coverage.md, and absent."""
    done = run_python(f"import ferrograph as fg\nNAMES = {names!r}\n" + PROGRAM)
    found = {"there": set(), "explained": set(), "absent": set()}
    for line in done.stdout.splitlines():
        kind, name = line.split()
        found[kind].add(name)
    return found


def test_every_name_is_there_or_says_why_not(run_python):
    found = resolved(run_python, [name for name in ASKED if name[0] != "."])
    assert found["absent"] == set(KNOWN["ABSENT"])
    assert len(found["there"]) > 450


def test_every_private_attribute_is_there_or_of_another(run_python):
    attributes = KNOWN["ATTRIBUTES"]
    assert {name[1:] for name in ASKED if name[0] == "."} == set(attributes)
    owned = [f"tensorflow.{owner}.{name}" for name, owner in attributes.items() if " " not in owner]
    found = resolved(run_python, [name for name in owned if "_keras_" not in name])
    assert not found["absent"] and len(found["there"]) >= 7


def test_tensors_take_what_keras_sets_on_them():
    import ferrograph as fg

    for name, owner in KNOWN["ATTRIBUTES"].items():
        if owner == "Tensor":
            x = fg.constant([1.0])
            setattr(x, name, 5)
            assert getattr(x, name) == 5
