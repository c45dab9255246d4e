"""Records the windows that tensorflow draws: ``python tests/ops/images/record_windows.py``."""

import json
import pathlib

import numpy as np
import tensorflow as tf

FILE = pathlib.Path(__file__).parent / "windows.json"
WHOLE = [[[0.0, 0.0, 1.0, 1.0]]]
TWO = [[[0.1, 0.2, 0.5, 0.9], [0.3, 0.3, 0.9, 0.6]]]
NONE = np.zeros((1, 0, 4), np.float32)
SQUARE = {"min_object_covered": 0.9, "aspect_ratio_range": [1.0, 1.0], "area_range": [0.1, 0.2]}
USUAL = {"aspect_ratio_range": [3 / 4, 4 / 3], "area_range": [0.08, 1.0], "max_attempts": 10}


def cases():
    """Sizes, boxes, seeds and settings."""
    for i in range(4):
        for sizes in ([64, 48, 3], [7, 5, 1], [300, 400, 3], [1, 1, 3]):
            for boxes in (WHOLE, TWO):
                yield sizes, boxes, [i, 7 + i], {}
    half = {"min_object_covered": 0.5, "aspect_ratio_range": [0.5, 2.0], "area_range": [0.3, 0.8]}
    yield [100, 80, 3], TWO, [5, 6], half | {"max_attempts": 20}
    yield [100, 80, 3], TWO, [5, 6], SQUARE | {"max_attempts": 3}
    yield [100, 80, 3], NONE, [5, 6], {"use_image_if_no_bounding_boxes": True}
    for i in range(6):
        yield [224, 180, 3], WHOLE, [1000 * i + 1, i], USUAL


def drawn(kind, sizes, boxes, seed, settings):
    """A row of the record."""
    if kind == "stateless":
        found = tf.image.stateless_sample_distorted_bounding_box(sizes, boxes, seed, **settings)
    else:
        tf.random.set_seed(seed[0])
        found = tf.image.sample_distorted_bounding_box(sizes, boxes, seed[1], **settings)
    numbers = [x.numpy().ravel().tolist() for x in found]
    return [kind, sizes, None if boxes is NONE else boxes, seed, settings, numbers]


def main():
    rows = [drawn("stateless", *case) for case in cases()]
    # A seed of 0 is none to the stateful form, which then draws anything.
    rows += [drawn("stateful", *case) for case in cases() if case[2][1] != 0]
    FILE.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")


if __name__ == "__main__":
    main()
