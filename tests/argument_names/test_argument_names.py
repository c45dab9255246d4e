"""What ``inspect`` tells of public functions: the parameters and defaults of tensorflow 2.21.

``recorded.txt`` is made by ``record.py``. What is told by ``signature`` is told by
``getfullargspec``, which does not look behind wrappers.
"""

import inspect
import pathlib

import ferrograph as fg
import pytest

from argument_names.record import found, signature

LINES = (pathlib.Path(__file__).parent / "recorded.txt").read_text().splitlines()
RECORDED = dict(line.rstrip().split(": ", 1) if ": " in line else (line[:-1], "") for line in LINES)
FUNCTIONS = {
    name: function
    for name in RECORDED
    if (function := found(fg, name)) is not None and not inspect.isclass(function)
}

KEYWORDS = "raw operations take keywords only, where tensorflow's take them mostly"
NO_LAYOUT = "layouts over several devices are left out"
FOLLOWS = "None stands for the recorded default, which follows other arguments"
MORE = "takes what tensorflow takes, and more"
POLICY = "what indices beyond the end do is not a setting"
# Names whose parameters differ, each with the reason.
DIFFERENT = {
    "autograph.experimental.set_loop_options": "None stands for an option that is not set",
    "config.experimental.set_virtual_device_configuration": MORE,
    "data.experimental.index_table_from_dataset": FOLLOWS,
    "data.experimental.table_from_dataset": FOLLOWS,
    "experimental.numpy.iinfo": MORE,
    "experimental.numpy.max": "NumPy's order of parameters",
    "experimental.numpy.min": "NumPy's order of parameters",
    "experimental.numpy.pad": MORE,
    "experimental.numpy.sign": "NumPy's `out` and `where` are not there",
    "fftnd": "the same function as in `signal`",
    "ifftnd": "the same function as in `signal`",
    "rfftnd": "the same function as in `signal`",
    "irfftnd": "the same function as in `signal`",
    "fill": NO_LAYOUT,
    "function": "further settings of traces stand at the end",
    "graph_util.import_graph_def": "`op_dict` has had no effect for long",
    "import_graph_def": "`op_dict` has had no effect for long",
    "nn.depthwise_conv2d_backprop_filter": FOLLOWS,
    "nn.depthwise_conv2d_backprop_input": FOLLOWS,
    "nn.experimental.stateless_dropout": FOLLOWS,
    "nn.weighted_cross_entropy_with_logits": MORE,
    "ragged.constant": FOLLOWS,
    "ragged.range": FOLLOWS,
    "raw_ops.BlockLSTMV2": KEYWORDS,
    "raw_ops.Bucketize": KEYWORDS,
    "raw_ops.CudnnRNN": KEYWORDS,
    "raw_ops.FusedBatchNormV2": KEYWORDS,
    "raw_ops.FusedBatchNormV3": KEYWORDS,
    "raw_ops.ImageProjectiveTransformV3": KEYWORDS,
    "raw_ops.UniqueV2": KEYWORDS,
    "raw_ops.UniqueWithCountsV2": KEYWORDS,
    "scatter_nd": POLICY,
    "tensor_scatter_nd_add": POLICY,
    "tensor_scatter_nd_max": POLICY,
    "tensor_scatter_nd_min": POLICY,
    "tensor_scatter_nd_sub": POLICY,
    "sparse.eye": FOLLOWS,
    "sparse.split": "the arguments that are needed have no default",
}


def test_every_function_has_its_recorded_parameters():
    told = {name: signature(function) for name, function in FUNCTIONS.items()}
    wrong = {name for name in told if told[name] != RECORDED[name]}
    shown = [f"{name}\n  {told[name]}\n  {RECORDED[name]}" for name in wrong - set(DIFFERENT)]
    assert not shown, "\n".join(sorted(shown))
    assert not set(DIFFERENT) - wrong - (set(DIFFERENT) - set(told)), "no longer different"


@pytest.mark.parametrize("start", "abcdefghijklmnopqrstuvwxyzA")
def test_both_ways_to_ask_agree(start):
    wrong = []
    for name, function in FUNCTIONS.items():
        if name[0] != start:
            continue
        parameters = inspect.signature(function).parameters.values()
        spec = inspect.getfullargspec(function)
        by_place = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        defaults = [p.default for p in by_place if p.default is not p.empty]
        if spec.args != [p.name for p in by_place] or list(spec.defaults or ()) != defaults:
            wrong.append(f"{name}: {spec}")
        if spec.kwonlyargs != [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]:
            wrong.append(f"{name}: {spec}")
    assert not wrong, "\n".join(wrong)
