"""Convolutions, pools and what stands beside them in layers."""

from shapes.arrays import case, ints

PADDINGS = ("VALID", "SAME")
for padding in PADDINGS:
    for stride in (1, 2, 3):
        case(
            f"conv1d {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv1d(x, k, s, p),
            (2, 9, 3),
            (2, 3, 4),
        )
        case(
            f"conv2d {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv2d(x, k, s, p),
            (2, 9, 8, 3),
            (2, 3, 3, 4),
        )
        case(
            f"conv3d {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv3d(x, k, [1, s, s, s, 1], p),
            (1, 5, 6, 7, 2),
            (2, 2, 2, 2, 3),
        )
        case(
            f"depthwise_conv2d {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.depthwise_conv2d(x, k, [1, s, s, 1], p),
            (2, 9, 8, 3),
            (2, 3, 3, 2),
        )
        case(
            f"separable_conv2d {padding} {stride}",
            lambda m, x, d, k, p=padding, s=stride: m.nn.separable_conv2d(x, d, k, [1, s, s, 1], p),
            (2, 9, 8, 3),
            (2, 3, 3, 2),
            (1, 1, 6, 5),
        )
        case(
            f"dilation2d {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.dilation2d(
                x, k, [1, s, s, 1], p, "NHWC", [1, 2, 1, 1]
            ),
            (2, 9, 8, 3),
            (2, 3, 3),
        )
        case(
            f"erosion2d {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.erosion2d(
                x, k, [1, s, s, 1], p, "NHWC", [1, 1, 1, 1]
            ),
            (2, 9, 8, 3),
            (2, 3, 3),
        )
        for pool in ("max_pool1d", "avg_pool1d"):
            case(
                f"{pool} {padding} {stride}",
                lambda m, x, f=pool, p=padding, s=stride: getattr(m.nn, f)(x, 2, s, p),
                (2, 9, 3),
            )
        for pool in ("max_pool2d", "avg_pool2d"):
            case(
                f"{pool} {padding} {stride}",
                lambda m, x, f=pool, p=padding, s=stride: getattr(m.nn, f)(x, [3, 2], s, p),
                (2, 9, 8, 3),
            )
        for pool in ("max_pool3d", "avg_pool3d"):
            case(
                f"{pool} {padding} {stride}",
                lambda m, x, f=pool, p=padding, s=stride: getattr(m.nn, f)(x, 2, s, p),
                (1, 5, 6, 7, 2),
            )
        case(
            f"max_pool {padding} {stride}",
            lambda m, x, p=padding, s=stride: m.nn.max_pool(x, 2, s, p),
            (2, 9, 8, 3),
        )
        case(
            f"avg_pool of three axes {padding} {stride}",
            lambda m, x, p=padding, s=stride: m.nn.avg_pool(x, [2], s, p, "NWC"),
            (2, 9, 3),
        )
        case(
            f"pool {padding} {stride}",
            lambda m, x, p=padding, s=stride: m.nn.pool(x, [2, 2], "MAX", [s, s], p),
            (2, 9, 8, 3),
        )
        case(
            f"max_pool_with_argmax {padding} {stride}",
            lambda m, x, p=padding, s=stride: m.nn.max_pool_with_argmax(x, 2, s, p),
            (2, 9, 8, 3),
        )
    case(
        f"conv2d dilated {padding}",
        lambda m, x, k, p=padding: m.nn.conv2d(x, k, 1, p, dilations=[1, 2, 3, 1]),
        (2, 9, 8, 3),
        (2, 2, 3, 4),
    )
    case(
        f"conv2d strided and dilated {padding}",
        lambda m, x, k, p=padding: m.nn.conv2d(x, k, 2, p, dilations=2),
        (2, 9, 8, 3),
        (2, 2, 3, 4),
    )
    case(
        f"conv2d channels first {padding}",
        lambda m, x, k, p=padding: m.nn.conv2d(x, k, 2, p, "NCHW"),
        (2, 3, 9, 8),
        (2, 2, 3, 4),
    )
    case(
        f"conv2d grouped {padding}",
        lambda m, x, k, p=padding: m.nn.conv2d(x, k, 2, p),
        (2, 9, 8, 4),
        (2, 2, 2, 6),
    )
    case(
        f"convolution {padding}",
        lambda m, x, k, p=padding: m.nn.convolution(x, k, [2, 1], p),
        (2, 9, 8, 3),
        (2, 3, 3, 4),
    )
    case(
        f"convolution dilated {padding}",
        lambda m, x, k, p=padding: m.nn.convolution(x, k, None, p, dilations=[2, 2]),
        (2, 9, 8, 3),
        (2, 3, 3, 4),
    )
    case(
        f"atrous_conv2d {padding}",
        lambda m, x, k, p=padding: m.nn.atrous_conv2d(x, k, 2, p),
        (2, 9, 8, 3),
        (2, 3, 3, 4),
    )
    case(
        f"depthwise_conv2d dilated {padding}",
        lambda m, x, k, p=padding: m.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], p, dilations=[2, 2]),
        (2, 9, 8, 3),
        (2, 3, 3, 2),
    )
    case(
        f"pool dilated {padding}",
        lambda m, x, p=padding: m.nn.pool(x, [2, 2], "AVG", padding=p, dilations=[2, 1]),
        (2, 9, 8, 3),
    )
    case(
        f"conv1d channels first {padding}",
        lambda m, x, k, p=padding: m.nn.conv1d(x, k, 2, p, "NCW"),
        (2, 3, 9),
        (2, 3, 4),
    )
    case(
        f"conv3d channels first {padding}",
        lambda m, x, k, p=padding: m.nn.conv3d(x, k, [1, 1, 2, 2, 2], p, "NCDHW"),
        (1, 2, 5, 6, 7),
        (2, 2, 2, 2, 3),
    )
    case(
        f"max_pool2d channels first {padding}",
        lambda m, x, p=padding: m.nn.max_pool2d(x, 2, 2, p, "NCHW"),
        (2, 3, 9, 8),
    )
    for stride in (1, 2):
        case(
            f"conv2d_transpose {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv2d_transpose(
                x, k, [2, *(_long(n, k_, s, p) for n, k_ in ((4, 3), (5, 2))), 6], s, p
            ),
            (2, 4, 5, 3),
            (3, 2, 6, 3),
        )
        case(
            f"conv2d_transpose computed {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv2d_transpose(
                x,
                k,
                [m.shape(x)[0], _long(4, 3, s, p), m.shape(x)[2] * s + _more(2, s, p), 6],
                s,
                p,
            ),
            (2, 4, 5, 3),
            (3, 2, 6, 3),
        )
        case(
            f"conv2d_transpose stacked {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv2d_transpose(
                x,
                k,
                m.stack([m.shape(x)[0], _long(4, 3, s, p), _long(5, 2, s, p), m.shape(k)[2]]),
                s,
                p,
            ),
            (2, 4, 5, 3),
            (3, 2, 6, 3),
        )
        case(
            f"conv1d_transpose {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv1d_transpose(
                x, k, [m.shape(x)[0], _long(4, 3, s, p), 6], s, p
            ),
            (2, 4, 3),
            (3, 6, 3),
        )
        case(
            f"conv3d_transpose {padding} {stride}",
            lambda m, x, k, p=padding, s=stride: m.nn.conv3d_transpose(
                x, k, [m.shape(x)[0], *[_long(n, 2, s, p) for n in (2, 3, 4)], 5], s, p
            ),
            (1, 2, 3, 4, 2),
            (2, 2, 2, 5, 2),
        )
    case(
        f"atrous_conv2d_transpose {padding}",
        lambda m, x, k, p=padding: m.nn.atrous_conv2d_transpose(
            x, k, [2, 6 if p == "VALID" else 4, 7 if p == "VALID" else 5, 6], 2, p
        ),
        (2, 4, 5, 3),
        (2, 2, 6, 3),
    )


def _more(kernel, stride, padding):
    return max(kernel - stride, 0) if padding == "VALID" else 0


def _long(size, kernel, stride, padding):
    return size * stride + _more(kernel, stride, padding)


EXPLICIT = [[0, 0], [1, 2], [0, 3], [0, 0]]
case(
    "conv2d explicit",
    lambda m, x, k: m.nn.conv2d(x, k, 2, EXPLICIT),
    (2, 9, 8, 3),
    (2, 3, 3, 4),
)
case(
    "depthwise_conv2d explicit",
    lambda m, x, k: m.nn.depthwise_conv2d(x, k, [1, 2, 2, 1], EXPLICIT),
    (2, 9, 8, 3),
    (2, 3, 3, 2),
)
case(
    "max_pool explicit",
    lambda m, x: m.nn.max_pool(x, [3, 4], 2, [[0, 0], [1, 2], [0, 3], [0, 0]]),
    (2, 9, 8, 3),
)
for name in ("fractional_max_pool", "fractional_avg_pool"):
    case(
        name,
        lambda m, x, f=name: getattr(m.nn, f)(x, [1.0, 1.5, 1.3, 1.0], seed=1),
        (2, 9, 8, 3),
    )
case("bias_add", lambda m, x, b: m.nn.bias_add(x, b), (2, 3, 4), (4,))
case("bias_add first", lambda m, x, b: m.nn.bias_add(x, b, "NC..."), (2, 3, 4), (3,))
case("lrn", lambda m, x: m.nn.lrn(x), (2, 3, 4, 5))
case(
    "batch_normalization",
    lambda m, x, a: m.nn.batch_normalization(x, a, a, a, a, 0.1),
    (2, 3, 4),
    (4,),
)
case("moments", lambda m, x: m.nn.moments(x, [0, 1]), (2, 3, 4))
case("moments kept", lambda m, x: m.nn.moments(x, [0, -1], keepdims=True), (2, 3, 4))
case("moments shifted", lambda m, x, s: m.nn.moments(x, [0], s), (2, 3, 4), (3, 4))
case("weighted_moments", lambda m, x, w: m.nn.weighted_moments(x, [1], w), (2, 3), (2, 3))
case("dropout", lambda m, x: m.nn.dropout(x, 0.5), (2, 3, 4))
case("dropout of rows", lambda m, x: m.nn.dropout(x, 0.5, noise_shape=[2, 1, 4]), (2, 3, 4))
case(
    "stateless_dropout",
    lambda m, x: m.nn.experimental.stateless_dropout(x, 0.5, [1, 2]),
    (2, 3, 4),
)
case("softmax", lambda m, x: m.nn.softmax(x, 1), (2, 3, 4))
case("log_softmax", lambda m, x: m.nn.log_softmax(x, 0), (2, 3, 4))
case("crelu", lambda m, x: m.nn.crelu(x, 1), (2, 3, 4))
case("gelu", lambda m, x: m.nn.gelu(x), (2, 3, 4))
case("leaky_relu", lambda m, x: m.nn.leaky_relu(x), (2, 3, 4))
case(
    "softmax cross entropy",
    lambda m, a, b: m.nn.softmax_cross_entropy_with_logits(a, b),
    (2, 3, 4),
    (2, 3, 4),
)
case(
    "softmax cross entropy along an axis",
    lambda m, a, b: m.nn.softmax_cross_entropy_with_logits(a, b, axis=1),
    (2, 3, 4),
    (2, 3, 4),
)
case(
    "sparse softmax cross entropy",
    lambda m, a, b: m.nn.sparse_softmax_cross_entropy_with_logits(a, b),
    ints(0, 1),
    (2, 3),
)
case(
    "sparse softmax cross entropy of more axes",
    lambda m, a, b: m.nn.sparse_softmax_cross_entropy_with_logits(a, b),
    [[0, 1, 1], [1, 0, 2]],
    (2, 3, 4),
)
case(
    "sigmoid cross entropy",
    lambda m, a, b: m.nn.sigmoid_cross_entropy_with_logits(a, b),
    (2, 3),
    (2, 3),
)
case(
    "weighted cross entropy",
    lambda m, a, b: m.nn.weighted_cross_entropy_with_logits(a, b, 2.0),
    (2, 3),
    (2, 3),
)
case("log_poisson_loss", lambda m, a, b: m.nn.log_poisson_loss(a, b), (2, 3), (2, 3))
case(
    "embedding_lookup", lambda m, t, i: m.nn.embedding_lookup(t, i), (5, 4), [[0, 1, 2], [3, 4, 0]]
)
case(
    "embedding_lookup clipped",
    lambda m, t, i: m.nn.embedding_lookup(t, i, max_norm=1.0),
    (5, 4),
    [[0, 1, 2], [3, 4, 0]],
)
case("l2_normalize", lambda m, x: m.nn.l2_normalize(x, [0, 1]), (2, 3))
case("l2_loss", lambda m, x: m.nn.l2_loss(x), (2, 3))
case("top_k", lambda m, x: m.math.top_k(x, 2), (3, 4))
case("top_k of a tensor", lambda m, x, k: m.math.top_k(x, k), (3, 4), ints(2)[0])
case("in_top_k", lambda m, t, p: m.math.in_top_k(t, p, 2), ints(0, 1, 2), (3, 4))
case("zero_fraction", lambda m, x: m.math.zero_fraction(x), (2, 3))
case(
    "nce_loss",
    lambda m, w, b, i, x: m.nn.nce_loss(w, b, i, x, 3, 5),
    (5, 4),
    (5,),
    [[0], [1]],
    (2, 4),
)
case(
    "sampled_softmax_loss",
    lambda m, w, b, i, x: m.nn.sampled_softmax_loss(w, b, i, x, 3, 5),
    (5, 4),
    (5,),
    [[0], [1]],
    (2, 4),
)
case(
    "ctc_loss",
    lambda m, a, b, c, d: m.nn.ctc_loss(a, b, c, d, blank_index=0),
    ints(1, 2, 1, 1).reshape(2, 2),
    (5, 2, 4),
    ints(2, 1),
    ints(5, 4),
)
case(
    "ctc_greedy_decoder",
    lambda m, x, n: (lambda r: (r[0][0].values, r[1]))(m.nn.ctc_greedy_decoder(x, n)),
    (5, 2, 4),
    ints(5, 4),
)
