"""Gradients of the program's own in saved models.

``gradients/recorded`` is of tensorflow 2.21: a model, what its functions give, and their gradients.
``gradients/record.py`` reads there what is saved here.
"""

import importlib.util
import json
from pathlib import Path

import ferrograph as fg
import numpy as np
import pytest

HERE = Path(__file__).parent / "gradients"
RECORDED = HERE / "recorded"
WANTED = json.loads((RECORDED / "results.json").read_text())
SCALAR = fg.TensorSpec([], fg.float32, name="x")

_spec = importlib.util.spec_from_file_location("saved_gradients_of_tests", HERE / "programs.py")
programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)

# Their gradients hold nodes whose gradients tensorflow does not save.
ONLY_FIRST = {"recomputed", "recomputed_with_variable", "rows"}


@pytest.fixture(scope="module")
def model():
    return fg.saved_model.load(RECORDED / "model")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "m"
    fg.saved_model.save(programs.make(fg), folder)
    return folder


def same(got, want):
    """Where tensorflow finds no way, zeros are the same."""
    assert len(got) == len(want)
    for found, wanted in zip(got, want, strict=True):
        if found is None or wanted is None:
            assert not np.any(found or 0) and not np.any(wanted or 0)
        else:
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6)


def sourced(model):
    """A model with the variables that gradients are asked for."""
    model.w = model.v = model.e = fg.Variable(1.0)
    return model


def check(model, name, order, staged):
    value, found = programs.gradients(fg, model, name, order, staged)
    if order == 1:
        same(value, WANTED[name]["value"])
        same(found, WANTED[name]["first"])
    elif WANTED[name]["second"] is not None:
        # As many gradients as the first order has, in the order of the sources.
        same(found or [None] * len(WANTED[name]["second"]), WANTED[name]["second"])


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", programs.NAMES)
def test_a_recorded_model_has_its_gradients(model, name, staged):
    check(model, name, 1, staged)


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", [n for n in programs.NAMES if n not in ONLY_FIRST])
def test_gradients_of_recorded_gradients(model, name, staged):
    check(model, name, 2, staged)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", programs.NAMES)
def test_a_model_saved_here_has_its_gradients(saved, name, order):
    check(fg.saved_model.load(saved), name, order, False)


def test_models_are_saved_again_with_their_gradients(model, saved, tmp_path):
    sizes = []
    for i, first in enumerate([model, fg.saved_model.load(saved)]):
        loaded = first
        for k in range(3):
            folder = tmp_path / f"{i}{k}"
            fg.saved_model.save(loaded, folder)
            sizes.append((folder / "saved_model.pb").stat().st_size)
            loaded = fg.saved_model.load(folder)
        for name in programs.NAMES:
            check(loaded, name, 1, False)
        assert sizes[-1] < 1.02 * sizes[-2], "models grow as they are saved again"


def test_a_gradient_that_was_not_saved_is_named():
    loaded = fg.saved_model.load(RECORDED / "left")
    assert float(loaded.clipped(fg.constant(2.0))) == 4.0
    with pytest.raises(fg.errors.NotFoundError, match=r"IdentityN.*experimental_custom_gradients"):
        programs.gradients(fg, sourced(loaded), "clipped")


def test_gradients_can_be_left_out(tmp_path):
    clipped = programs.make(fg).clipped
    model = fg.Module()
    model.clipped = clipped
    options = fg.saved_model.SaveOptions(experimental_custom_gradients=False)
    fg.saved_model.save(model, tmp_path / "m", options=options)
    fg.saved_model.save(fg.saved_model.load(tmp_path / "m"), tmp_path / "n")
    for folder in ("m", "n"):
        loaded = fg.saved_model.load(tmp_path / folder)
        assert float(loaded.clipped(fg.constant(2.0))) == 4.0
        with pytest.raises(fg.errors.NotFoundError, match="no gradient"):
            programs.gradients(fg, sourced(loaded), "clipped")


def test_second_gradients_that_were_not_saved_are_named(model):
    with pytest.raises(fg.errors.NotFoundError, match="no gradient .*was saved"):
        programs.gradients(fg, model, "recomputed", 2)


def test_rows_of_a_variable_are_gradients_of_all_of_it(tmp_path):
    @fg.custom_gradient
    def picked(x, i):
        return fg.gather(x, i), lambda dy: (fg.IndexedSlices(dy * 3.0, i, [3, 2]), None)

    specs = [fg.TensorSpec([3, 2], fg.float32), fg.TensorSpec([None], fg.int32)]
    model = fg.Module()
    model.f = fg.function(lambda x, i: picked(x, i), input_signature=specs)
    fg.saved_model.save(model, tmp_path / "m")
    loaded = fg.saved_model.load(tmp_path / "m")
    x = fg.Variable(fg.ones([3, 2]))
    with fg.GradientTape() as tape:
        y = loaded.f(x, [0, 0, 2])
    assert tape.gradient(y, x).numpy().tolist() == [[6.0, 6.0], [0.0, 0.0], [3.0, 3.0]]
