"""Functions of neural networks: activations, losses, normalisation, lookups."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.ops.activations import (
    batch_normalization,
    bias_add,
    crelu,
    embedding_lookup,
    gelu,
    l2_loss,
    leaky_relu,
    local_response_normalization,
    log_softmax,
    moments,
    normalize_moments,
    silu,
    softmax,
    sufficient_statistics,
    weighted_moments,
)
from .._src.ops.activations import local_response_normalization as lrn
from .._src.ops.activations import silu as swish
from .._src.ops.blocks import depth_to_space, space_to_batch, space_to_depth
from .._src.ops.convolutions import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    separable_conv2d,
)
from .._src.ops.dropouts import dropout
from .._src.ops.elementwise import elu, relu, relu6, selu, sigmoid, softplus, softsign, tanh
from .._src.ops.losses import (
    compute_average_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from .._src.ops.numeric import l2_normalize
from .._src.ops.pools import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    dilation2d,
    erosion2d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    pool,
)
from .._src.ops.reductions import zero_fraction
from .._src.ops.sorting import in_top_k, top_k
from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental
    from .._src.interfaces.patches_and_orders import (
        approx_max_k,
        approx_min_k,
        batch_norm_with_global_normalization,
    )
    from .._src.ops.candidates import (
        all_candidate_sampler,
        compute_accidental_hits,
        fixed_unigram_candidate_sampler,
        nce_loss,
        sampled_softmax_loss,
    )
    from .._src.ops.fractional import fractional_avg_pool, fractional_max_pool
    from .._src.ops.isotonic import isotonic_regression
    from .._src.sparse.ctc import (
        collapse_repeated,
        ctc_beam_search_decoder,
        ctc_greedy_decoder,
        ctc_loss,
        ctc_unique_labels,
    )
    from .._src.sparse.embedding import embedding_lookup_sparse, safe_embedding_lookup_sparse

__all__ = [
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fractional_avg_pool",
    "fractional_max_pool",
    "gelu",
    "in_top_k",
    "isotonic_regression",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]

if not TYPE_CHECKING:
    _LAZY = {
        "all_candidate_sampler": "ops.candidates:all_candidate_sampler",
        "approx_max_k": "interfaces.patches_and_orders:approx_max_k",
        "approx_min_k": "interfaces.patches_and_orders:approx_min_k",
        "batch_norm_with_global_normalization": "interfaces.patches_and_orders:batch_norm_with_global_normalization",  # noqa: E501
        "collapse_repeated": "sparse.ctc:collapse_repeated",
        "compute_accidental_hits": "ops.candidates:compute_accidental_hits",
        "ctc_beam_search_decoder": "sparse.ctc:ctc_beam_search_decoder",
        "ctc_greedy_decoder": "sparse.ctc:ctc_greedy_decoder",
        "ctc_loss": "sparse.ctc:ctc_loss",
        "ctc_unique_labels": "sparse.ctc:ctc_unique_labels",
        "embedding_lookup_sparse": "sparse.embedding:embedding_lookup_sparse",
        "fixed_unigram_candidate_sampler": "ops.candidates:fixed_unigram_candidate_sampler",
        "fractional_avg_pool": "ops.fractional:fractional_avg_pool",
        "fractional_max_pool": "ops.fractional:fractional_max_pool",
        "isotonic_regression": "ops.isotonic:isotonic_regression",
        "nce_loss": "ops.candidates:nce_loss",
        "safe_embedding_lookup_sparse": "sparse.embedding:safe_embedding_lookup_sparse",
        "sampled_softmax_loss": "ops.candidates:sampled_softmax_loss",
    }
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
