"""Check release wheels: their size, their tag, and the symbols that their library asks glibc for.

    python .ci/wheels.py FOLDER

Each Linux wheel must have a manylinux tag, and its library may ask for no version of a symbol that
the tag does not promise. The exit status is 1 if there is anything to report.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

MOST_BYTES = 16_000_000
TAG = re.compile(r"-(cp\d+)-(cp\d+t?)-manylinux_(\d+)_(\d+)_(\w+)\.whl$")
GLIBC = re.compile(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?$")


def symbols(library: bytes) -> Iterator[str]:
    """The versions of symbols that a library asks others for, such as GLIBC_2.28."""
    for section in ELFFile(io.BytesIO(library)).iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for _, versions in section.iter_versions():
                yield from (version.name for version in versions)


def problems(wheel: Path) -> Iterator[str]:
    """What is wrong with a wheel."""
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        yield f"{wheel.name} has {size:,} bytes, of {MOST_BYTES:,} at most"
    tag = TAG.search(wheel.name)
    if tag is None:
        yield f"{wheel.name} has no manylinux tag"
        return
    floor = int(tag[3]), int(tag[4])
    with zipfile.ZipFile(wheel) as files:
        libraries = [name for name in files.namelist() if name.endswith(".so")]
        if not libraries:
            yield f"{wheel.name} has no library"
        for name in libraries:
            for symbol in sorted(set(symbols(files.read(name)))):
                found = GLIBC.match(symbol)
                if found and (int(found[1]), int(found[2])) > floor:
                    yield f"{wheel.name}: {name} asks for {symbol}, beyond its tag"


def main(folder: Path) -> int:
    wheels = sorted(folder.glob("*.whl"))
    found = [line for wheel in wheels for line in problems(wheel)]
    if not wheels:
        found = [f"{folder} has no wheel"]
    for wheel in wheels:
        print(f"{wheel.stat().st_size:>12,}  {wheel.name}")
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
