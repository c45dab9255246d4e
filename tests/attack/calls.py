"""Hostile calls of everything public: a unit is a target and a mode."""

import random

import ferrograph as fg
import surface
from hostile import HOSTILE, PLAIN

MODES = ("eager", "traced", "symbolic")
BATCH = 24
_BENIGN_TRIES = 60


def units(only="", seed=0):
    """All units whose target's name contains this, in the order that the seed says."""
    names = [t.name for t in surface.targets() if only in t.name]
    found = [f"{name} {mode}" for name in names for mode in MODES]
    random.Random(seed).shuffle(found)
    return found


class Attack:
    """The calls of one target in one mode, the same ones for the same seed."""

    def __init__(self, target, mode, specimens, seed, n_calls):
        self.target, self.mode, self.specimens = target, mode, specimens
        self.n_calls, self.random = n_calls, random.Random(f"{target.name} {seed}")
        self.least, self.most, self.keywords = target.signature()

    def run(self, report):
        """Make all calls."""
        for names in self.arguments(self.benign(report)):
            kept = report.attempt(self.text(self.mode, names), self.work(report, self.mode, names))
            if kept is not None:
                self.specimens.keep(kept[0])
            _settle()

    def benign(self, report):
        """Arguments of a call that succeeds, None where none was found."""
        for _ in range(_BENIGN_TRIES):
            n = self.random.randint(self.least, max(self.least, min(self.most, self.least + 1)))
            names = [self.random.choice(list(PLAIN)) for _ in range(n)]
            work = self.work(report, "eager", names)
            # What is found is needed again by a process that goes on behind an attempt.
            behind = report.is_behind
            kept = report.again(work) if behind else report.attempt(self.text("eager", names), work)
            if kept is not None:
                self.specimens.keep(kept[0])
                return names
        return None

    def arguments(self, found):
        """Lists of named makers: each hostile value in each place, then hostile values alone."""
        wanted = []
        for place in range(len(found or ())):
            for name in HOSTILE:
                wanted.append([*found[:place], name, *found[place + 1 :]])
        while len(wanted) < (self.n_calls if self.most else 1):
            n = self.random.randint(self.least, max(self.most, self.least))
            wanted.append([self.random.choice(list(HOSTILE)) for _ in range(n)])
        self.random.shuffle(wanted)
        return wanted[: self.n_calls]

    def text(self, mode, names):
        return f"{self.target.name}({', '.join(names)}) {mode}"

    def work(self, report, mode, names):
        """The call, which gives its result as a tuple of one."""
        dice = random.Random(f"{self.target.name} {report.number}")
        return lambda: (_called(self, mode, names, dice),)


def _called(attack, mode, names, dice):
    target = attack.target
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


def _maker(name):
    return HOSTILE[name] if name in HOSTILE else PLAIN[name]


def _settle():
    """Undo what a call may have switched on."""
    fg.config.run_functions_eagerly(False)
    assert fg.executing_eagerly()


class Runner:
    """Runs units, each with the same instances of public classes to begin with."""

    def __init__(self, seed, n_calls):
        self.seed, self.n_calls = seed, n_calls
        self._known = {t.name: t for t in surface.targets()}
        self._specimens = surface.Specimens()

    def run(self, unit, report):
        """Make the calls of a unit."""
        name, mode = unit.split()
        target = self._known[name]
        Attack(target, mode, self._specimens.copy(), self.seed, self.n_calls).run(report)
