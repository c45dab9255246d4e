"""``python -m tests.autograph.programs --count 50000 --report``: shares by family.

With ``--show FAMILY SEED`` the text of one program and its verdict.
"""

import argparse
import collections
import tempfile
from pathlib import Path

from . import kit, run, shrink, workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--family", help="programs of this family only")
    parser.add_argument("--report", action="store_true", help="shares by family")
    parser.add_argument("--wrong", type=int, default=20, help="how many wrong programs to name")
    parser.add_argument("--show", nargs=2, metavar=("FAMILY", "SEED"))
    options = parser.parse_args()
    if options.show:
        show(options.show[0], int(options.show[1]))
        return
    if options.family:
        work = [(options.family, options.start + i) for i in range(options.count)]
    else:
        work = workers.seeds_of(options.count, options.start)
    found, wrong = [], 0
    for verdict in workers.verdicts(work, options.workers):
        found.append(verdict)
        if verdict["verdict"] in ("different", "crash", "hang") and wrong < options.wrong:
            wrong += 1
            kind, family, seed = verdict["verdict"], verdict["family"], verdict["seed"]
            print(f"{kind}: {family!r} {seed}: {verdict['why']}", flush=True)
    report(found, by_family=options.report)


def show(family: str, seed: int) -> None:
    program = kit.make(workers.FAMILIES[family], seed)
    for number, line in enumerate(program.text.split("\n"), 1):
        print(f"{number:4} {line}")
    with tempfile.TemporaryDirectory() as folder:
        stream = Path(folder, "printed")
        verdict = run.run(program, stream)
        print(*verdict, sep="\n")
        if verdict.kind != "equal":
            print("\nIts smallest part of that verdict:\n" + shrink.shrunk(program, stream).text)


def report(found: list[dict], by_family: bool) -> None:
    groups = {"all": found}
    if by_family:
        for verdict in found:
            groups.setdefault(verdict["family"], []).append(verdict)
    print(f"{'':32}{'programs':>9}" + "".join(f"{v:>11}" for v in run.VERDICTS))
    order = ["all", *workers.FAMILIES]
    for name, verdicts in sorted(groups.items(), key=lambda group: order.index(group[0])):
        counts = collections.Counter(v["verdict"] for v in verdicts)
        shares = "".join(f"{counts[v] / len(verdicts):>11.1%}" for v in run.VERDICTS)
        print(f"{name:32}{len(verdicts):>9}{shares}")


if __name__ == "__main__":
    main()
