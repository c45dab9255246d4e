"""Labels of sequences: the loss over their alignments, its slopes, and decoders."""

import math

from .texts import CASES, call

__all__ = ["CASES"]

T, B, C = 6, 3, 4
SCORES = [
    [[round(3 * math.sin(7 * t + 5 * b + 3 * c + 1), 3) for c in range(C)] for b in range(B)]
    for t in range(T)
]
LABELS = [[1, 2, 0], [3, 3, 1], [2, 0, 0]]
LENGTHS, TIMES = [2, 3, 1], [6, 5, 3]


def scores(m, dtype="float32"):
    return m.constant(SCORES, dtype)


def loss_and_slopes(m, dtype="float32", labels=LABELS, **fields):
    """The losses, and the gradient of their weighted sum."""
    x = scores(m, dtype)
    fields = {"label_length": LENGTHS, "logit_length": TIMES, **fields}
    with m.GradientTape() as tape:
        tape.watch(x)
        loss = m.nn.ctc_loss(labels, x, **fields)
        total = m.reduce_sum(loss * m.constant([1.0, -2.0, 0.5], loss.dtype))
    return [loss, tape.gradient(total, x)]


def sparse(m, values=(1, 2, 3, 3, 1, 2)):
    places = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 0]]
    return m.SparseTensor(places, m.constant(values, m.int32), [3, 3])


call("ctc_loss", lambda m: loss_and_slopes(m, blank_index=0))
call("ctc_loss default blank", lambda m: loss_and_slopes(m))
call("ctc_loss float16", lambda m: loss_and_slopes(m, "float16", blank_index=0))
call(
    "ctc_loss blank amid",
    lambda m: loss_and_slopes(m, labels=[[1, 3, 0], [3, 3, 1], [0, 0, 0]], blank_index=2),
)
call(
    "ctc_loss blank last",
    lambda m: loss_and_slopes(m, labels=[[1, 2, 0], [2, 2, 1], [0, 0, 0]], blank_index=-1),
)
call(
    "ctc_loss no labels",
    lambda m: loss_and_slopes(m, label_length=[0, 3, 1], blank_index=0),
)
call(
    "ctc_loss unique",
    lambda m: loss_and_slopes(m, unique=m.nn.ctc_unique_labels(LABELS), blank_index=0),
)
call(
    "ctc_loss batch major",
    lambda m: m.nn.ctc_loss(
        LABELS,
        m.transpose(scores(m), [1, 0, 2]),
        LENGTHS,
        TIMES,
        logits_time_major=False,
        blank_index=0,
    ),
)
for d in ("float32", "float64"):
    call(
        f"ctc_loss sparse {d}",
        lambda m, d=d: loss_and_slopes(m, d, sparse(m), label_length=None, blank_index=0),
    )
call("ctc_loss sparse without blank", lambda m: loss_and_slopes(m, labels=sparse(m)))
call(
    "ctc_loss sparse too long",
    lambda m: loss_and_slopes(m, labels=sparse(m), logit_length=[6, 2, 3], blank_index=0),
)


def decoded(found):
    """Sparse matrices and scores, one after the other."""
    paths, scores = found
    parts = [part for p in paths for part in (p.indices, p.values, p.dense_shape)]
    return [*parts, scores]


for merge in (True, False):
    for blank in (None, 0, -2, 9):
        call(
            f"ctc_greedy_decoder {merge} {blank}",
            lambda m, r=merge, b=blank: decoded(m.nn.ctc_greedy_decoder(scores(m), TIMES, r, b)),
        )
for width, paths in ((100, 1), (2, 2), (3, 3), (1, 1), (1, 2)):
    call(
        f"ctc_beam_search_decoder {width} {paths}",
        lambda m, w=width, n=paths: decoded(m.nn.ctc_beam_search_decoder(scores(m), TIMES, w, n)),
    )
call("ctc_unique_labels", lambda m: list(m.nn.ctc_unique_labels(LABELS)))
call(
    "collapse_repeated",
    lambda m: list(m.nn.collapse_repeated(m.constant([[1, 1, 2, 0], [3, 3, 3, 3]]), [3, 4])),
)
