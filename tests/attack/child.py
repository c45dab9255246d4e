"""The calls, in a process that they may end: ``child.py CALLS SEED [NUMBER ...]``.

Units come on standard input, ``name mode``, one a line. Before each call its number and text go to
standard output, after it ``ok`` or what was wrong; so the parent knows which one ended the process.
The numbers are those of calls of the first unit that did: it goes on behind the last of them.
"""

import io
import os
import random
import resource
import sys
import warnings

import ferrograph as fg
import surface
from hostile import HOSTILE, PLAIN
from judge import fault

_MEMORY = 6 << 30
_BENIGN_TRIES = 60


class Attack:
    """The calls of one target, the same ones for the same seed."""

    def __init__(self, target, specimens, seed, calls):
        self.target, self.specimens, self.calls = target, specimens, calls
        self.random = random.Random(f"{target.name} {seed}")
        self.least, self.most, self.keywords = target.signature()

    def benign(self, calls):
        """Arguments of a call that succeeds, None where none was found."""
        for _ in range(_BENIGN_TRIES):
            n = self.random.randint(self.least, max(self.least, min(self.most, self.least + 1)))
            names = [self.random.choice(list(PLAIN)) for _ in range(n)]
            if calls.search(self, names):
                return names
        return None

    def arguments(self, found):
        """Lists of named makers: each hostile value in each place, then hostile values alone."""
        wanted = []
        for place in range(len(found or ())):
            for name in HOSTILE:
                wanted.append([*found[:place], name, *found[place + 1 :]])
        while len(wanted) < (self.calls if self.most else 1):
            n = self.random.randint(self.least, max(self.most, self.least))
            wanted.append([self.random.choice(list(HOSTILE)) for _ in range(n)])
        self.random.shuffle(wanted)
        return wanted[: self.calls]


def _maker(name):
    return HOSTILE[name] if name in HOSTILE else PLAIN[name]


class Calls:
    """Runs the calls of one unit and says what came of them; ``fatal`` ones end the process."""

    def __init__(self, out, fatal):
        self.out, self.fatal, self.number = out, fatal, 0
        self.start = max(fatal, default=0)

    def search(self, attack, names):
        """Make a call to see whether it succeeds, also where it was made before."""
        again = self.number + 1 <= self.start
        if not again:
            return self.run(attack, "eager", names)
        self.number += 1
        if self.number in self.fatal:
            return False
        try:
            self._call(attack, "eager", names)
        except BaseException:
            return False
        return True

    def run(self, attack, mode, names):
        """Make the call if it is not one of those before; whether it succeeded."""
        self.number += 1
        if self.number <= self.start:
            return False
        text = f"{attack.target.name}({', '.join(names)}) {mode}"
        self.out.write(f"{self.number}\t{text.encode('unicode_escape').decode()}\t")
        self.out.flush()
        try:
            result = self._call(attack, mode, names)
        except BaseException as e:
            wrong = fault(e)
            self.out.write("refused\n" if wrong is None else f"WRONG {_one_line(wrong)}\n")
            return False
        attack.specimens.keep(result)
        self.out.write("ok\n")
        return True

    def _call(self, attack, mode, names):
        target, dice = attack.target, random.Random(f"{attack.target.name} {self.number}")
        values = [_maker(name)() for name in names]
        if target.kind is not None:
            instances = attack.specimens.of(target.kind)
            if not instances:
                raise TypeError("no instance is known")
            values = [dice.choice(instances), *values]
        keywords = {}
        if attack.keywords and values and dice.random() < 0.3:
            keywords = {dice.choice(attack.keywords): values.pop()}
        if mode == "eager":
            result = target.function(*values, **keywords)
        elif mode == "traced":
            result = fg.function(lambda: target.function(*values, **keywords))()
        else:
            result = fg.function(lambda *a: target.function(*a, **keywords))(*values)
        repr(result)
        return result


def _one_line(text):
    return " ".join(text.split()).encode("unicode_escape").decode()[:300]


def _settle():
    """Undo what a call may have switched on."""
    fg.config.run_functions_eagerly(False)
    assert fg.executing_eagerly()


def main():
    calls_each, seed, *fatal = (int(a) for a in sys.argv[1:])
    limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w", buffering=1 << 16)
    sys.stdout = sys.stderr = io.StringIO()
    units = [line.split() for line in sys.stdin.read().splitlines()]
    known = {t.name: t for t in surface.targets()}
    specimens = surface.Specimens()
    for name, mode in units:
        out.write("unit\n")
        calls, fatal = Calls(out, fatal), []
        attack = Attack(known[name], specimens, seed, calls_each)
        for names in attack.arguments(attack.benign(calls)):
            calls.run(attack, mode, names)
            _settle()
        sys.stdout.seek(0)
        sys.stdout.truncate()
    out.write("done\n")
    out.flush()
    # What is left may not end the process well, which other scenarios look at.
    os._exit(0)


if __name__ == "__main__":
    main()
