"""Train a two-layer network on scans of handwritten digits, one graph an epoch.

The whole epoch is one traced function: its `for` walks the batches inside the graph, with the
gradient and the update of the weights in its body. The same function then runs eagerly, to compare.

    python examples/digits.py [FOLDER]

With a folder, the trained network is saved there, for Python and for `examples/serve.rs`.
"""

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import ferrograph as fg
import matplotlib
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

Array = NDArray[Any]

SEED = 0
BATCH = 32
PIXELS = 64
HIDDEN = 128
EPOCHS = 40
EAGER_EPOCHS = 3
LEARNING_RATE = 0.2
REQUIRED_ACCURACY = 0.96
PLOT = Path(__file__).with_name("digits_loss.png")


class Network(fg.Module):
    """Pixels -> ReLU -> one logit a digit."""

    def __init__(self, rng: np.random.Generator, n_pixels: int, n_classes: int):
        super().__init__()

        def weights(n_in: int, n_out: int) -> fg.Variable:
            scale = np.sqrt(2 / n_in)
            return fg.Variable((scale * rng.standard_normal((n_in, n_out))).astype(np.float32))

        self.w1, self.b1 = weights(n_pixels, HIDDEN), fg.Variable(fg.zeros([HIDDEN]))
        self.w2, self.b2 = weights(HIDDEN, n_classes), fg.Variable(fg.zeros([n_classes]))
        self.weights = [self.w1, self.b1, self.w2, self.b2]

    def logits(self, images: fg.Tensor) -> fg.Tensor:
        hidden = fg.nn.relu(fg.matmul(images, self.w1) + self.b1)
        return fg.matmul(hidden, self.w2) + self.b2

    @fg.function
    def train_epoch(self, images: fg.Tensor, labels: fg.Tensor) -> fg.Tensor:
        """One pass over the images in the order given; the mean loss."""
        n_batches = fg.shape(images)[0] // BATCH
        total = fg.constant(0.0)
        for i in fg.range(n_batches):
            batch = slice(i * BATCH, (i + 1) * BATCH)
            with fg.GradientTape() as tape:
                logits = self.logits(images[batch])
                loss = fg.reduce_mean(
                    fg.nn.sparse_softmax_cross_entropy_with_logits(
                        labels=labels[batch], logits=logits
                    )
                )
            gradients = tape.gradient(loss, self.weights)
            for variable, gradient in zip(self.weights, gradients, strict=True):
                variable.assign_sub(LEARNING_RATE * gradient)
            total += loss
        return total / fg.cast(n_batches, fg.float32)

    @fg.function(input_signature=[fg.TensorSpec([None, PIXELS], fg.float32, name="images")])
    def classify(self, images: fg.Tensor) -> dict[str, fg.Tensor]:
        """How likely each digit is."""
        return {"scores": fg.nn.softmax(self.logits(images))}

    @fg.function
    def accuracy(self, images: fg.Tensor, labels: fg.Tensor) -> fg.Tensor:
        hits = fg.equal(fg.argmax(self.logits(images), axis=1), labels)
        return fg.reduce_mean(fg.cast(hits, fg.float32))


def load(rng: np.random.Generator) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Shuffled images in 0..1 and labels: four fifths to train on, one fifth to test."""
    digits: Any = load_digits()
    order = rng.permutation(len(digits.target))
    images = (digits.data[order] / 16).astype(np.float32)
    labels = digits.target[order].astype(np.int64)
    n_train = len(order) * 4 // 5
    return (images[:n_train], labels[:n_train]), (images[n_train:], labels[n_train:])


def run_epoch(
    network: Network, rng: np.random.Generator, images: Array, labels: Array
) -> tuple[float, float]:
    """One epoch in a fresh order: its loss and the seconds it took."""
    order = rng.permutation(len(labels))
    shuffled = fg.constant(images[order]), fg.constant(labels[order])
    start = time.perf_counter()
    loss = float(network.train_epoch(*shuffled).numpy())
    return loss, time.perf_counter() - start


def show_progress(epoch: int, loss: float) -> None:
    bar = ("#" * (30 * epoch // EPOCHS)).ljust(30, ".")
    end = "\n" if epoch == EPOCHS else ""
    print(
        f"\r[{bar}] epoch {epoch:2d}/{EPOCHS}  loss {loss:.4f}",
        end=end,
        file=sys.stderr,
        flush=True,
    )


def plot(losses: list[float]) -> None:
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.semilogy(range(1, len(losses) + 1), losses)
    axes.set(xlabel="epoch", ylabel="training loss", title="Handwritten digits")
    axes.grid(alpha=0.3)
    figure.savefig(PLOT, dpi=120)


def main() -> None:
    rng = np.random.default_rng(SEED)
    train, test = load(rng)
    network = Network(rng, n_pixels=PIXELS, n_classes=10)

    losses: list[float] = []
    traced: list[float] = []
    for epoch in range(1, EPOCHS + 1):
        loss, seconds = run_epoch(network, rng, *train)
        losses.append(loss)
        traced.append(seconds)
        show_progress(epoch, loss)
    accuracy = float(network.accuracy(*map(fg.constant, test)).numpy())
    n_traces = network.train_epoch.experimental_get_tracing_count()

    fg.config.run_functions_eagerly(True)
    eager = [run_epoch(network, rng, *train)[1] for _ in range(EAGER_EPOCHS)]
    fg.config.run_functions_eagerly(False)

    plot(losses)
    slow, fast = statistics.median(eager), statistics.median(traced[1:])
    print(f"test accuracy      {accuracy:8.4f}   ({len(test[1])} images)")
    print(f"traces             {n_traces:8d}")
    print(f"first epoch        {traced[0] * 1e3:8.2f} ms, tracing included")
    print(f"epoch, traced      {fast * 1e3:8.2f} ms")
    print(f"epoch, eager       {slow * 1e3:8.2f} ms   ({slow / fast:.1f} times as long)")
    print(f"loss curve         {PLOT}")
    if len(sys.argv) > 1:
        fg.saved_model.save(network, sys.argv[1], signatures=network.classify)
        print(f"saved model        {sys.argv[1]}")
    if accuracy < REQUIRED_ACCURACY:
        sys.exit(f"the accuracy is below {REQUIRED_ACCURACY}")


if __name__ == "__main__":
    main()
