"""Coverage of the public API: what is present, what is planned, and what is left out on purpose.

``make generate`` reads this table and the declarations and writes ``docs/coverage.md``; a public
module reads it when it is asked for a name that it does not have. What is declared
is there, whether ``PLANNED`` still lists it or not.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

__all__ = ["LEFT_OUT", "NAMESPACES", "PLANNED", "hint"]

# What each public module is about: its documentation.
NAMESPACES = {
    "": """ferrograph: numerical Python that is traced once and runs as graphs on a Rust core.

Programs written for the documented TensorFlow API run with ``import ferrograph as tf``; here the
package is called ``fg``.

>>> import ferrograph as fg
>>> @fg.function
... def area(r):
...     return 3.0 * r * r
>>> float(area(fg.constant(2.0)))
12.0
""",
    "array_api": ("The Python array API standard: what ``__array_namespace__`` of tensors gives."),
    "array_api.fft": "Fourier transforms of the array API standard.",
    "array_api.linalg": "Linear algebra of the array API standard.",
    "audio": "Sound from and to the contents of files.",
    "autodiff": "Derivatives: tapes and forward mode.",
    "autograph": "AutoGraph: Python's control flow on tensors becomes control flow of the graph.",
    "autograph.errors": "Exceptions of the conversion and of staged control flow.",
    "autograph.experimental": "Functions of AutoGraph that steer the conversion.",
    "bitwise": "Operations on the bits of integers.",
    "compat": "Strings as bytes and as text.",
    "config": "Settings and devices.",
    "config.experimental": "Settings of devices, of determinism and of memory.",
    "config.optimizer": "Settings of the passes over graphs.",
    "config.threading": "How many threads compute.",
    "data": "Datasets: pipelines of elements that are computed when they are asked for.",
    "data.experimental": (
        "Experimental parts of datasets: functions for ``Dataset.apply``, and older names."
    ),
    "debugging": "Assertions and checks.",
    "distribute": "Strategies of one replica, and where the program is in them.",
    "distribute.experimental": "What values are made for.",
    "dtypes": "Element types of tensors.",
    "dtypes.experimental": "Floats of one byte, which are stored, moved and cast.",
    "errors": "The exceptions of ferrograph, and the numbers of their classes.",
    "experimental": "Parts of the API whose documents call them experimental.",
    "experimental.dlpack": "Tensors from and to DLPack capsules.",
    "experimental.numpy": "Functions on tensors with the names and the promotion of NumPy.",
    "experimental.numpy.random": "Random numbers with NumPy's names and dtypes.",
    "io": "Files, and what their contents are: tensors, numbers, lines of fields, pictures.",
    "io.gfile": "The file system: files that are opened, and functions on files and folders.",
    "image": "Images: sizes, crops, colours, boxes, files.",
    "linalg": "Linear algebra: products, norms, diagonals and bands of matrices.",
    "lookup": "Tables: values by keys.",
    "lookup.experimental": "Tables whose keys come and go.",
    "math": "Mathematics: elementwise functions, reductions, segments, sorting and counting.",
    "math.special": "Special functions.",
    "nest": (
        "Nested structures: lists, tuples, mappings and their like, with values at the leaves."
    ),
    "nn": "Functions of neural networks: activations, losses, normalisation, lookups.",
    "nn.experimental": "Dropout with seeds or with given random numbers.",
    "profiler": "Profiles, as programs ask for them; ``fg.profile`` makes them.",
    "profiler.experimental": "Blocks of a program that are to be profiled.",
    "quantization": "Floats rounded to the steps of quantized numbers.",
    "graph_util": "Graphs of other programs.",
    "queue": "Queues: elements that wait in line.",
    "ragged": "Ragged tensors: rows of different lengths.",
    "saved_model": "Saved models: functions, variables and objects in files that need no code.",
    "random": "Random numbers.",
    "random.experimental": "Older names of generators and of seeds.",
    "raw_ops": "Operations under the names of their kernels, called by keyword.",
    "sets": "Sets: each row along the last axis of a tensor, or of a sparse tensor, is one.",
    "signal": "Signals: Fourier and cosine transforms, frames and windows.",
    "sparse": "Sparse tensors: the elements that are not zero, and their coordinates.",
    "strings": "Functions of string tensors.",
    "summary": "Summaries of a run, which TensorBoard shows.",
    "summary.experimental": "The step of summaries, and parts of them.",
    "testing": "Assertions for tests of programs.",
    "test": "Checks of gradients against finite differences.",
    "train": "Training: checkpoints, the objects whose values they hold, and examples as messages.",
    "train.experimental": "How checkpoints are spread over files.",
    "version": "Of which version the package is.",
    "types": "Types for annotations and checks: ``types.experimental``.",
    "types.experimental": (
        "Classes of traced functions, of the types of their arguments, and of what converts to "
        "tensors."
    ),
}

# Names that are due, by their module: those that nothing declares yet are planned.
PLANNED = {
    "": """
        CriticalSection DeviceSpec NoneTensorSpec OptionalSpec TensorArraySpec approx_top_k
        constant_initializer conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2 edit_distance
        eig eigvals extract_volume_patches fftnd fingerprint get_current_name_scope get_logger
        get_static_value gradients group hessians ifftnd import_graph_def irfftnd
        is_symbolic_tensor make_ndarray make_tensor_proto matrix_square_root no_op
        ones_initializer ragged_fill_empty_rows ragged_fill_empty_rows_grad random_index_shuffle
        random_normal_initializer random_uniform_initializer register_tensor_conversion_function
        required_space_to_batch_paddings rfftnd space_to_batch_nd timestamp tuple
        zeros_initializer
    """,
    "audio": """
        decode_wav encode_wav
    """,
    "config": """
        LogicalDevice LogicalDeviceConfiguration experimental_functions_run_eagerly
        experimental_run_functions_eagerly get_logical_device_configuration
        get_soft_device_placement get_visible_devices set_logical_device_configuration
        set_soft_device_placement set_visible_devices
    """,
    "config.optimizer": """
        get_experimental_options get_jit set_experimental_options set_jit
    """,
    "data.experimental": """
        AutotuneAlgorithm TFRecordWriter enable_debug_mode
    """,
    "debugging": """
        disable_check_numerics enable_check_numerics get_log_device_placement
        set_log_device_placement
    """,
    "dtypes": """
        cast complex saturate_cast
    """,
    "dtypes.experimental": """
        float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2
        float8_e5m2fnuz int2 int4 uint2 uint4
    """,
    "experimental": """
        DynamicRaggedShape Optional RowPartition StructuredTensor async_clear_error async_scope
        dispatch_for_api dispatch_for_binary_elementwise_apis
        dispatch_for_binary_elementwise_assert_apis dispatch_for_unary_elementwise_apis
        enable_strict_mode float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz
        float8_e5m2 float8_e5m2fnuz function_executor_type int2 int4
        uint2 uint4 unregister_dispatch_for
    """,
    "image": """
        ResizeMethod adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_jpeg_quality
        adjust_saturation central_crop combined_non_max_suppression convert_image_dtype
        crop_and_resize crop_to_bounding_box decode_and_crop_jpeg decode_bmp decode_gif
        decode_image decode_jpeg decode_jxl decode_png decode_webp draw_bounding_boxes encode_jpeg
        encode_png extract_glimpse extract_jpeg_shape extract_patches flip_left_right flip_up_down
        generate_bounding_box_proposals grayscale_to_rgb hsv_to_rgb image_gradients is_jpeg
        non_max_suppression non_max_suppression_overlaps non_max_suppression_padded
        non_max_suppression_with_scores pad_to_bounding_box per_image_standardization psnr
        random_brightness random_contrast random_crop random_flip_left_right random_flip_up_down
        random_hue random_jpeg_quality random_saturation resize resize_with_crop_or_pad
        resize_with_pad rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv rot90
        sample_distorted_bounding_box sobel_edges ssim ssim_multiscale stateless_random_brightness
        stateless_random_contrast stateless_random_crop stateless_random_flip_left_right
        stateless_random_flip_up_down stateless_random_hue stateless_random_jpeg_quality
        stateless_random_saturation stateless_sample_distorted_bounding_box total_variation
        transpose yiq_to_rgb yuv_to_rgb
    """,
    "io": """
        FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature TFRecordOptions
        TFRecordWriter VarLenFeature decode_and_crop_jpeg decode_bmp
        decode_compressed decode_gif decode_image decode_jpeg decode_json_example
        decode_jxl decode_png decode_proto decode_webp deserialize_many_sparse
        encode_jpeg encode_png encode_proto extract_jpeg_shape is_jpeg
        match_filenames_once matching_files parse_example parse_sequence_example
        parse_single_example parse_single_sequence_example parse_tensor read_file
        serialize_many_sparse serialize_sparse serialize_tensor write_file write_graph
    """,
    "linalg": """
        LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag
        LinearOperatorBlockLowerTriangular LinearOperatorCirculant LinearOperatorCirculant2D
        LinearOperatorCirculant3D LinearOperatorComposition LinearOperatorDiag
        LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity
        LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate
        LinearOperatorLowerTriangular LinearOperatorPermutation LinearOperatorScaledIdentity
        LinearOperatorToeplitz LinearOperatorTridiag LinearOperatorZeros banded_triangular_solve
        cholesky cholesky_solve det eig eigh eigh_tridiagonal eigvals eigvalsh expm inv logdet
        logm lstsq lu lu_matrix_inverse lu_reconstruct lu_solve matrix_rank pinv qr slogdet solve
        sqrtm svd triangular_solve tridiagonal_matmul tridiagonal_solve
    """,
    "lookup": """
        KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex
        TextFileInitializer
    """,
    "math": """
        approx_max_k approx_min_k sobol_sample
    """,
    "nn": """
        all_candidate_sampler approx_max_k approx_min_k atrous_conv2d atrous_conv2d_transpose
        avg_pool avg_pool1d avg_pool2d avg_pool3d batch_norm_with_global_normalization
        collapse_repeated compute_accidental_hits conv1d conv1d_transpose conv2d conv2d_transpose
        conv3d conv3d_transpose conv_transpose convolution ctc_beam_search_decoder
        ctc_greedy_decoder ctc_loss ctc_unique_labels depthwise_conv2d
        depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input dilation2d erosion2d
        fixed_unigram_candidate_sampler fractional_avg_pool fractional_max_pool
        isotonic_regression learned_unigram_candidate_sampler max_pool max_pool1d max_pool2d
        max_pool3d max_pool_with_argmax nce_loss pool safe_embedding_lookup_sparse
        sampled_softmax_loss separable_conv2d with_space_to_batch
    """,
    "quantization": """
        fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient
    """,
    "queue": """
        FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
    """,
    "ragged": """
        cross cross_hashed
    """,
    "random": """
        Algorithm Generator all_candidate_sampler create_rng_state fixed_unigram_candidate_sampler
        gamma get_global_generator learned_unigram_candidate_sampler log_uniform_candidate_sampler
        poisson set_global_generator stateless_binomial stateless_gamma
        stateless_parameterized_truncated_normal stateless_poisson uniform_candidate_sampler
    """,
    "random.experimental": """
        Algorithm Generator create_rng_state get_global_generator index_shuffle
        set_global_generator stateless_fold_in stateless_shuffle stateless_split
    """,
    "signal": """
        dct fft fft2d fft3d fftnd fftshift frame hamming_window hann_window idct ifft ifft2d
        ifft3d ifftnd ifftshift inverse_mdct inverse_stft inverse_stft_window_fn irfft irfft2d
        irfft3d irfftnd kaiser_bessel_derived_window kaiser_window linear_to_mel_weight_matrix
        mdct mfccs_from_log_mel_spectrograms overlap_and_add rfft rfft2d rfft3d rfftnd stft
        vorbis_window
    """,
    "sparse": """
        bincount cross cross_hashed mask sampled_addmm
    """,
    "strings": """
        bytes_split ngrams split to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong
        unicode_decode unicode_decode_with_offsets unicode_encode unicode_script unicode_split
        unicode_split_with_offsets unicode_transcode
    """,
    "summary": """
        SummaryWriter audio create_file_writer create_noop_writer flush graph histogram image
        record_if scalar should_record_summaries text trace_export trace_off trace_on write
    """,
    "test": """
        Benchmark TestCase assert_equal_graph_def benchmark_config
        disable_with_predicate gpu_device_name is_built_with_cuda is_built_with_gpu_support
        is_built_with_rocm is_built_with_xla is_cpu_target_available is_gpu_available main
        with_eager_op_as_function
    """,
    "train": """
        BytesList Checkpoint CheckpointManager CheckpointOptions CheckpointView Example
        ExponentialMovingAverage Feature FeatureList FeatureLists Features FloatList Int64List
        SequenceExample TrackableView checkpoints_iterator get_checkpoint_state latest_checkpoint
        list_variables load_checkpoint load_variable
    """,
    "version": """
        COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER
        GRAPH_DEF_VERSION_MIN_PRODUCER VERSION
    """,
}

# Names that will not come, by the reason.
LEFT_OUT = {
    "the interface of TensorFlow 1 is not planned": """
        compat.v1 compat.forward_compatible compat.forward_compatibility_horizon
        compat.dimension_at_index compat.dimension_value
    """,
    "there are no quantized numbers": """
        qint16 qint32 qint8 quint16 quint8 quantization.dequantize quantization.quantize
        quantization.quantized_concat
    """,
    "one process on one machine computes": """
        config.experimental_connect_to_cluster config.experimental_connect_to_host
        train.ClusterDef train.ClusterSpec train.JobDef train.ServerDef train.Coordinator
        data.experimental.SHARD_HINT data.experimental.distributed_save
        data.experimental.copy_to_device data.experimental.prefetch_to_device saved_model.TPU
        saved_model.GPU nn.RNNCellDeviceWrapper distribute.CrossDeviceOps
        distribute.HierarchicalCopyAllReduce distribute.NcclAllReduce
        distribute.ReductionToOneDevice distribute.InputOptions distribute.InputReplicationMode
        distribute.ParameterServerStrategy distribute.Server test.create_local_cluster
    """,
    "it extends TensorFlow's own binary": """
        experimental.register_filesystem_plugin load_library load_op_library
        sysconfig.CXX11_ABI_FLAG sysconfig.CXX_VERSION
        sysconfig.MONOLITHIC_BUILD sysconfig.get_build_info sysconfig.get_compile_flags
        sysconfig.get_include sysconfig.get_lib sysconfig.get_link_flags
    """,
    "an operation's gradient is declared with it; {FG}.custom_gradient gives another": """
        RegisterGradient no_gradient AggregationMethod
    """,
    "it belongs to graphs that are built and run by hand": """
        guarantee_const parallel_stack nondifferentiable_batch_function check_pinned
        data.experimental.from_variant data.experimental.to_variant
        data.experimental.get_model_proto data.experimental.make_saveable_from_iterator
        data.experimental.DatasetInitializer
    """,
    "profiles are made in the process: with {FG}.profile() as p": """
        profiler.experimental.client profiler.experimental.server
    """,
    "it wraps the cells of an older Keras": """
        nn.RNNCellDropoutWrapper nn.RNNCellResidualWrapper
    """,
    "databases are read through a generator: {FG}.data.Dataset.from_generator": """
        data.experimental.SqlDataset
    """,
}

# Modules of the API that nothing is there of yet.
_PLANNED_MODULES = frozenset(PLANNED) - frozenset(NAMESPACES) - {""}

# Names of TensorFlow 1, and of parts that this project leaves alone.
_LEFT_OUT_MODULES = {
    "feature_column": "Keras' preprocessing layers took its place",
    "lite": "it belongs to another runtime",
    "mlir": "it belongs to TensorFlow's own compiler",
    "tpu": "hardware that needs a vendor's compiler is not planned",
    "xla": "it belongs to TensorFlow's own compiler",
}


def hint(
    namespace: str,
    name: str,
    there: Iterable[str],
    elsewhere: Mapping[str, str],
    package: object,
) -> str:
    """What to say behind "has no attribute": where the name stands, what the function of that name
    ``elsewhere`` is called here, or which is like it. ``package`` is the program's name for the
    package."""
    full = f"{namespace}.{name}" if namespace else name
    if full in _PLANNED_MODULES or name in PLANNED.get(namespace, "").split():
        return ": it is planned, and not there yet (docs/coverage.md)"
    if full in _LEFT_OUT_MODULES:
        return f": it is left out, as {_LEFT_OUT_MODULES[full]}"
    for reason, names in LEFT_OUT.items():
        if full in names.split():
            return f": it is left out, as {reason.format(FG=package)}"
    if not namespace and name in elsewhere:
        return f": use {package}.{elsewhere[name]}"
    near = difflib.get_close_matches(name, [n for n in there if n[0] != "_"], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
