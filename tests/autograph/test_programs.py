"""Whole programs: traced they give what they give eagerly."""

# ruff: noqa: RET505, SIM108, E741 - as users write

import ferrograph as fg
import numpy as np
import pytest


def mandelbrot(real, imaginary, limit):
    """The steps after which points leave the circle of radius 2."""
    zr, zi = fg.zeros_like(real), fg.zeros_like(imaginary)
    counts = fg.zeros(real.shape, fg.int32)
    for _ in fg.range(limit):
        inside = zr * zr + zi * zi < 4.0
        if not fg.reduce_any(inside):
            break
        zr, zi = (
            fg.where(inside, zr * zr - zi * zi + real, zr),
            fg.where(inside, 2.0 * zr * zi + imaginary, zi),
        )
        counts += fg.cast(inside, fg.int32)
    return counts


def sieve(n):
    """The primes below n, in a list that grows."""
    composite = fg.zeros([n], fg.bool)
    primes = []
    for candidate in fg.range(2, n):
        if composite[candidate]:
            continue
        primes.append(candidate)
        if candidate * candidate < n:
            multiples = fg.range(candidate * candidate, n, candidate)
            marks = fg.ones_like(multiples, fg.bool)
            composite = fg.tensor_scatter_nd_update(composite, multiples[:, None], marks)
    return fg.stack(primes), len(primes)


def k_means(points, centres, limit):
    moved, rounds = 1.0, 0
    labels = fg.zeros([len(points)], fg.int64)
    while moved > 1e-4 and rounds < limit:
        distances = fg.reduce_sum((points[:, None] - centres[None]) ** 2, axis=2)
        labels = fg.argmin(distances, axis=1)
        sums = fg.math.unsorted_segment_sum(points, labels, 2)
        counts = fg.math.unsorted_segment_sum(fg.ones([len(points)]), labels, 2)
        new = sums / fg.maximum(counts, 1.0)[:, None]
        moved = fg.reduce_max(fg.abs(new - centres))
        centres = new
        rounds += 1
    return centres, labels, rounds


class Life:
    """Conway's game: an object whose method changes its board."""

    def __init__(self, board):
        self.board = board
        self.generation = 0

    def neighbours(self):
        total = fg.zeros_like(self.board)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    total += fg.roll(self.board, [dy, dx], [0, 1])
        return total

    def step(self):
        near = self.neighbours()
        alive = (near == 3) | ((self.board == 1) & (near == 2))
        self.board = fg.cast(alive, fg.int32)
        self.generation += 1


def game_of_life(board, limit):
    life = Life(board)
    for _ in fg.range(limit):
        before = life.board
        life.step()
        if fg.reduce_all(life.board == before):
            break
    return life.board, life.generation


def dynamic_rnn(inputs, lengths, weights):
    """An Elman cell over batches of sequences of different lengths."""
    state = fg.zeros([inputs.shape[0], weights.shape[1]])
    outputs = fg.TensorArray(fg.float32, size=0, dynamic_size=True)
    for t in fg.range(fg.reduce_max(lengths)):
        new = fg.tanh(fg.matmul(fg.concat([inputs[:, t], state], 1), weights))
        state = fg.where((t < lengths)[:, None], new, state)
        outputs = outputs.write(t, state)
    return fg.transpose(outputs.stack(), [1, 0, 2]), state


def beam_search(scores, width):
    """The best paths through a table of steps and tokens, each step penalising repeats."""
    totals = fg.zeros([1])
    paths = fg.zeros([1, 0], fg.int32)
    for t in range(scores.shape[0]):
        options = totals[:, None] + scores[t][None]
        if t > 0:
            last = paths[:, -1]
            options -= 0.5 * fg.one_hot(last, scores.shape[1])
        flat = fg.reshape(options, [-1])
        totals, places = fg.math.top_k(flat, k=width)
        beams, tokens = places // scores.shape[1], places % scores.shape[1]
        paths = fg.concat([fg.gather(paths, beams), tokens[:, None]], 1)
    return totals, paths


def edit_distance(a, b):
    """Dynamic programming over two words, row by row."""
    row = fg.range(len(b) + 1)
    for i in fg.range(len(a)):
        left = i + 1
        cells = [left]
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            left = min(left + 1, row[j + 1] + 1, row[j] + cost)
            cells.append(left)
        row = fg.stack(cells)
    return row[-1]


def knapsack(weights, values, capacity):
    best = fg.zeros([capacity + 1], fg.int32)
    for w, v in zip(weights, values):  # noqa: B905
        shifted = fg.concat([fg.zeros([w], fg.int32), best[: capacity + 1 - w] + v], 0)
        allowed = fg.range(capacity + 1) >= w
        best = fg.where(allowed, fg.maximum(best, shifted), best)
    return best[capacity]


def collatz(start, limit):
    """The longest chain below a limit, with an early return."""
    best, longest = start, 0
    for n in fg.range(start, limit):
        steps, k = 0, n
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
            if steps > 200:
                return n, -1
        if steps > longest:
            best, longest = n, steps
    return best, longest


def binary_search(xs, wanted):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] == wanted:
            return middle
        elif xs[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return -1


def depth_first(edges, start, wanted):
    """Steps of a search over a graph with a stack that is a Python list."""
    n = edges.shape[0]
    seen = fg.zeros([n], fg.bool)
    stack, steps = [start], 0
    while stack:
        node = stack.pop()
        if seen[node]:
            continue
        steps += 1
        if node == wanted:
            break
        seen = seen | (fg.range(n) == node)
        for other in fg.range(n):
            if edges[node, other] > 0 and not seen[other]:
                stack.append(other)
    else:
        steps = -steps
    return steps


def newton(a, tolerance):
    x, rounds = a, 0
    while True if rounds == 0 else abs(x * x - a) > tolerance:
        x = 0.5 * (x + a / x)
        rounds += 1
    return x, rounds


def gradient_descent(x, steps):
    history = []
    for _ in fg.range(steps):
        with fg.GradientTape() as tape:
            tape.watch(x)
            if x > 2.0:
                loss = x * x
            else:
                loss = (x - 1.0) ** 2
        x = x - 0.3 * tape.gradient(loss, x)
        history.append(loss)
    return x, fg.stack(history)


def interpreter(program, x):
    """A stack machine: Python data drives, tensors flow."""
    stack = []
    for op, argument in program:
        match op:
            case "push":
                stack.append(x * argument)
            case "add":
                stack.append(stack.pop() + stack.pop())
            case "max" if argument:
                a, b = stack.pop(), stack.pop()
                stack.append(a if a > b else b)
            case "dup":
                stack.append(stack[-1])
            case _:
                raise ValueError(op)
    return stack


CODE = [("push", 2), ("push", -3), ("max", True), ("dup", 0), ("add", 0)]
ROW = np.linspace(-2.0, 0.6, 12, dtype=np.float32)
GLIDER = np.zeros([6, 6], np.int32)
GLIDER[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
BLOCK = np.zeros([5, 5], np.int32)
BLOCK[1:3, 1:3] = 1
POINTS = np.array([[0, 0], [0, 1], [5, 5], [6, 5], [1, 0]], np.float32)
EDGES = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]], np.int32)
NUMBERS = np.random.RandomState(0)
PROGRAMS = [
    (mandelbrot, np.tile(ROW, (8, 1)), np.tile(ROW[:8, None], (1, 12)), 30),
    (mandelbrot, np.full([2, 2], 3.0, np.float32), np.zeros([2, 2], np.float32), 30),
    (sieve, np.int32(60)),
    (sieve, np.int32(3)),
    (k_means, POINTS, POINTS[:2], 20),
    (game_of_life, GLIDER, np.int32(7)),
    (game_of_life, BLOCK, np.int32(7)),
    (
        dynamic_rnn,
        NUMBERS.randn(3, 5, 2).astype(np.float32),
        np.array([5, 2, 3], np.int32),
        NUMBERS.randn(6, 4).astype(np.float32),
    ),
    (beam_search, NUMBERS.randn(5, 4).astype(np.float32), 3),
    (edit_distance, np.array([1, 2, 3, 4], np.int32), np.array([2, 3, 5], np.int32)),
    (knapsack, np.array([2, 3, 4, 5], np.int32), np.array([3, 4, 5, 8], np.int32), 9),
    (collatz, np.int32(1), np.int32(30)),
    (binary_search, np.array([1, 3, 5, 8, 13], np.int32), np.int32(8)),
    (binary_search, np.array([1, 3, 5, 8, 13], np.int32), np.int32(4)),
    (depth_first, EDGES, np.int32(0), np.int32(3)),
    (depth_first, EDGES, np.int32(2), np.int32(3)),
    (newton, np.float32(2.0), np.float32(1e-5)),
    (gradient_descent, np.float32(8.0), np.int32(4)),
    (interpreter, CODE, np.int32(4)),
    (interpreter, CODE, np.int32(-4)),
]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


@pytest.mark.parametrize(("f", "arguments"), [(p[0], p[1:]) for p in PROGRAMS])
def test_program(f, arguments):
    tensors = [fg.constant(a) if isinstance(a, (np.ndarray, np.generic)) else a for a in arguments]
    expected, found = plain(f(*tensors)), plain(fg.function(f)(*tensors))
    assert len(expected) == len(found) if isinstance(expected, list) else True
    pairs = zip(expected, found, strict=True) if isinstance(expected, list) else [(expected, found)]
    for want, got in pairs:
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_known_answers():
    assert fg.function(sieve)(fg.constant(20))[0].numpy().tolist() == [2, 3, 5, 7, 11, 13, 17, 19]
    a, b = fg.constant([1, 2, 3, 4]), fg.constant([2, 3, 5])
    assert int(fg.function(edit_distance)(a, b)) == 2
    assert [int(v) for v in fg.function(collatz)(fg.constant(1), fg.constant(30))] == [27, 111]
