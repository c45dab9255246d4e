"""Arguments of a wrong kind are named, with what was given, not what Python says of them."""

import re

import ferrograph as fg
import numpy as np
import pytest
from test_wrong_shapes import KINDS, UNCHECKED

T = fg.constant([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]])
V, S = T[0], T[0, 0]
SPARSE = fg.sparse.from_dense(T)
IMAGES = fg.ones([1, 4, 4, 3])

# What is called, and what its error must say: the argument.
CALLS = {
    "Assert: data": lambda: fg.debugging.Assert(True, S),
    "Assert: summarize": lambda: fg.debugging.Assert(True, [S], summarize=T),
    "assert_rank_in: ranks": lambda: fg.debugging.assert_rank_in(T, None),
    "assert_same_float_dtype: tensors": lambda: fg.debugging.assert_same_float_dtype(S),
    "assert_shapes: shapes": lambda: fg.debugging.assert_shapes(T[:, :0]),
    "approx_top_k: recall_target": lambda: fg.approx_top_k(T, 1, recall_target=V),
    "approx_top_k: reduction_dimension": lambda: fg.math.approx_min_k(T, 1, [0]),
    "extract_volume_patches: ksizes": lambda: fg.extract_volume_patches(T, 1, 1, "SAME"),
    "identity_n: input": lambda: fg.identity_n(S),
    "shape_n: input": lambda: fg.shape_n(None),
    "stack: values": lambda: fg.stack(0.5),
    "strings.join: inputs": lambda: fg.strings.join(3),
    "space_to_batch: block_shape": lambda: fg.space_to_batch(T, [[2]], [[0, 0]]),
    "batch_to_space: block_shape": lambda: fg.batch_to_space(T, T, [[0, 0]]),
    "reverse_sequence: seq_axis": lambda: fg.reverse_sequence(T, [1, 2]),
    "dynamic_stitch: indices": lambda: fg.dynamic_stitch(1, T),
    "lstsq: fast": lambda: fg.linalg.lstsq(T, T, fast=T),
    "tridiagonal_solve: perturb_singular": lambda: fg.linalg.tridiagonal_solve(
        T, V, perturb_singular=T
    ),
    "eigh_tridiagonal: alpha": lambda: fg.linalg.eigh_tridiagonal(1.0, V),
    "norm: ord": lambda: fg.linalg.normalize(T, None),
    "isotonic_regression: decreasing": lambda: fg.nn.isotonic_regression(V, decreasing=T),
    "pooling_ratio": lambda: fg.nn.fractional_max_pool(IMAGES, [[1]]),
    "uniform_sampler": lambda: fg.nn.experimental.general_dropout(T, 0.5, T),
    "batch_norm_with_global_normalization: scale": lambda: (
        fg.nn.batch_norm_with_global_normalization(IMAGES, 0.0, 1.0, 0.0, 1.0, 0.0, V)
    ),
    "safe_embedding_lookup_sparse: sparse_ids": lambda: fg.nn.safe_embedding_lookup_sparse(T, V),
    "convert_image_dtype: saturate": lambda: fg.image.convert_image_dtype(T, "uint8", T),
    "extract_glimpse: centered": lambda: fg.image.extract_glimpse(IMAGES, [2, 2], [[0, 0]], V),
    "sizes": lambda: fg.image.extract_patches(IMAGES, 2, [1] * 4, [1] * 4, "SAME"),
    "aspect_ratio_range": lambda: fg.image.sample_distorted_bounding_box(
        [4, 4, 3], [[[0.0, 0.0, 1.0, 1.0]]], aspect_ratio_range=[V, 1.0]
    ),
    "pad_to_max_output_size": lambda: fg.image.non_max_suppression_padded(
        fg.ones([3, 4]), V, 1, pad_to_max_output_size=V
    ),
    "central_fraction": lambda: fg.image.central_crop(IMAGES, None),
    "window_fn": lambda: fg.signal.inverse_mdct(T, window_fn=T),
    "linear_to_mel_weight_matrix: lower_edge_hertz": lambda: fg.signal.linear_to_mel_weight_matrix(
        lower_edge_hertz=V
    ),
    "transform's n": lambda: fg.signal.idct(T, n=[1, 2]),
    "sparse.bincount: axis": lambda: fg.sparse.bincount([1], axis=[1, 2]),
    "sparse.concat: sp_inputs": lambda: fg.sparse.concat(0, SPARSE),
    "sparse.mask: a": lambda: fg.sparse.mask(T, 0),
    "sparse_dense_matmul": lambda: fg.sparse.sparse_dense_matmul(T, T, adjoint_b=True),
    "sparse.cross_hashed: num_buckets": lambda: fg.sparse.cross_hashed([[["a"]]], [1, 2]),
    "ragged.stack: axis": lambda: fg.ragged.stack([V], axis=[0]),
    "ragged.constant: inner_shape": lambda: fg.ragged.constant([], inner_shape=np.ones((2, 2))),
    "fake_quant_with_min_max_args: min": lambda: fg.quantization.fake_quant_with_min_max_args(
        V, None
    ),
    "quantize_and_dequantize: num_bits": lambda: fg.quantization.quantize_and_dequantize_v2(
        V, 0.0, 1.0, num_bits=[1]
    ),
    "make_tensor_proto: verify_shape": lambda: fg.make_tensor_proto(T, verify_shape=T),
    "make_ndarray": lambda: fg.make_ndarray(T),
    "strings.ngrams: ngram_width": lambda: fg.strings.ngrams([["a"]], 0.5),
    "tensordot: axes": lambda: fg.tensordot(T, T, "a"),
    "take_along_axis: indices": lambda: fg.experimental.numpy.take_along_axis(V, [0.5], 0),
}


@pytest.mark.parametrize("what", CALLS)
def test_the_argument_is_named(what):
    with pytest.raises(KINDS) as found:
        CALLS[what]()
    text = str(found.value)
    assert what in text and not UNCHECKED.search(text), text
    assert re.search(r"got|must|needs", text), text


@pytest.mark.parametrize(
    "call",
    [
        lambda x: fg.make_tensor_proto(x),
        lambda x: fg.identity_n(x),
        lambda x: fg.ragged.boolean_mask(x, x > 0.0),
    ],
    ids=["proto", "list", "mask"],
)
def test_what_a_trace_does_not_know_is_named(call):
    unknown = fg.TensorSpec(None)
    with pytest.raises((TypeError, ValueError), match="known|must say how many"):
        fg.function(call, input_signature=[unknown], autograph=False).get_concrete_function()


def test_a_message_may_be_anything():
    fg.debugging.assert_equal(T, T, message=T)
    with pytest.raises(fg.errors.InvalidArgumentError, match="does not hold everywhere"):
        fg.debugging.assert_equal(T, T + 1.0, message=T)


def test_lists_are_taken_from_tensors():
    """As the slices along the first axis, eagerly and in a trace that knows how many."""
    for wrap in (lambda f: f, fg.function):
        assert wrap(lambda: fg.add_n(T))().numpy().tolist() == [5.0, 3.0, 9.0]
        assert [len(s) for s in wrap(lambda: fg.shape_n(T))()] == [1, 1]
        assert len(wrap(lambda: fg.identity_n(T))()) == 2
        assert wrap(lambda: fg.unstack(T, num=0))() == []


def test_numbers_are_taken_from_tensors_and_arrays():
    pooled = fg.nn.max_pool(IMAGES, np.array([2, 2]), fg.constant([2, 2]), "SAME")
    assert pooled.shape == [1, 2, 2, 3]
    plain = fg.random.split([1, 2], 3)
    assert np.array_equal(fg.random.split([1, 2], 3, alg=3), plain)
    assert np.array_equal(fg.random.split([1, 2], 3, alg=fg.constant(1)), plain)
    hashed = fg.strings.to_hash_bucket_fast(["a"], fg.constant(7))
    assert np.array_equal(hashed, fg.strings.to_hash_bucket_fast(["a"], 7))
    assert fg.random.stateless_binomial([2], [1, 2], 4.0, 1).numpy().tolist() == [4, 4]
