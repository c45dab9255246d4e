"""Records what tensorflow reads: ``python tests/ops/jpegs/record.py``, where Pillow is, too."""

import hashlib
import json
import sys
from pathlib import Path

FILE = Path(__file__).parent / "record.json"


def summed(data: bytes) -> str:
    """A short sum of bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def read(tf, file: bytes, settings: dict) -> str:
    """Shape and sum of the pixels, or that there are none."""
    crop = settings.get("crop_window")
    try:
        found = (tf.io.decode_and_crop_jpeg if crop else tf.io.decode_jpeg)(file, **settings)
        found = found.numpy()
    except tf.errors.InvalidArgumentError:
        return "refused"
    return f"{'x'.join(map(str, found.shape))} {summed(found.tobytes())}"


def main() -> None:
    import tensorflow as tf

    sys.path.insert(0, str(Path(__file__).parents[1]))
    from jpegs.cases import files, reads

    record = {
        name: {"file": summed(file)} | {key: read(tf, file, how) for key, how in reads(name)}
        for name, file in files().items()
    }
    FILE.write_text(json.dumps(record, indent=0) + "\n")


if __name__ == "__main__":
    main()
