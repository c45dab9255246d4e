"""Which signatures a saved model has, and what their arguments are called."""

import ferrograph as fg
import pytest

V = fg.TensorSpec([3], fg.float32)


def saved(model, folder, **options):
    fg.saved_model.save(model, str(folder / "m"), **options)
    return fg.saved_model.load(str(folder / "m")).signatures


def arguments(input_signature, folder):
    """The names of the arguments of the signature that a function of two arguments becomes."""
    model = fg.Module()
    model.f = fg.function(lambda a, b=None: fg.constant(1.0), input_signature=input_signature)
    return sorted(saved(model, folder)["serving_default"].structured_input_signature[1])


@pytest.mark.parametrize(
    ("input_signature", "names"),
    [
        ([V], ["a"]),
        ([[V, V]], ["a", "a_1"]),
        ([{"x": V, "y": V}], ["a", "a_1"]),
        ([[fg.TensorSpec([3], name="q"), V]], ["a", "q"]),
        ([V, [V, V]], ["a", "b", "b_1"]),
        ([fg.TensorSpec([3], name="b"), V], ["b", "b_1"]),
    ],
)
def test_arguments_are_called_as_recorded(input_signature, names, tmp_path):
    assert arguments(input_signature, tmp_path) == names


def test_arguments_in_structures_arrive_where_they_belong(tmp_path):
    model = fg.Module()
    model.f = fg.function(lambda a: a["y"] - a["x"], input_signature=[{"y": V, "x": V}])
    serve = saved(model, tmp_path)["serving_default"]
    x, y = fg.constant([1.0, 2.0, 3.0]), fg.constant([7.0, 7.0, 7.0])
    assert serve(a=x, a_1=y)["output_0"].numpy().tolist() == [6.0, 5.0, 4.0]


class Two(fg.Module):
    @fg.function(input_signature=[V])
    def double(self, x):
        return {"twice": 2 * x}

    @fg.function
    def any_shape(self, x):
        return x

    @fg.function(input_signature=[V])
    def nothing(self, x):
        pass


def test_the_one_function_that_can_be_is_the_signature(tmp_path):
    signatures = saved(Two(), tmp_path)
    assert list(signatures) == ["serving_default"]
    assert signatures["serving_default"](x=fg.ones([3]))["twice"].numpy().tolist() == [2, 2, 2]


def test_of_several_functions_none_is(tmp_path):
    model = Two()
    model.other = fg.function(lambda x: x, input_signature=[V])
    assert list(saved(model, tmp_path)) == []
    assert list(saved(Two(), tmp_path, signatures={})) == []


def test_an_object_names_the_function_that_serves_it(tmp_path):
    class Named(Two):
        @property
        def _default_save_signature(self):
            return fg.function(lambda y: y + 1, input_signature=[V])

    (serve,) = saved(Named(), tmp_path).values()
    assert serve(y=fg.zeros([3]))["output_0"].numpy().tolist() == [1, 1, 1]

    class Unable(Two):
        @property
        def _default_save_signature(self):
            raise ValueError("not built")

    (serve,) = saved(Unable(), tmp_path).values()
    assert "twice" in serve(x=fg.zeros([3]))


def test_a_function_and_its_signature_are_saved_once(tmp_path):
    model = fg.Module()
    spec = fg.TensorSpec([None], name="x")
    model.double = fg.function(lambda x: x + x, input_signature=[spec])
    fg.saved_model.save(model, tmp_path, signatures=model.double)
    assert (tmp_path / "saved_model.pb").read_bytes().count(b"AddV2") == 1
    loaded = fg.saved_model.load(tmp_path)
    assert loaded.double(fg.constant([2.0])).numpy().tolist() == [4.0]
    assert loaded.signatures["serving_default"](x=fg.constant([2.0]))["output_0"].numpy() == [4.0]
