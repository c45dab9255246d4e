"""What there is to attack: read from the package, so that what is added is attacked without a line.

A target is a function, a class, a method or a special method, named as users reach it.
"""

import inspect
import pkgutil
import types

import ferrograph as fg
from hostile import PLAIN

# Names that end or replace what runs the attack, each with its reason.
NOT_CALLED = {
    "config.run_functions_eagerly": "changes what all later calls do",
    "config.experimental_run_functions_eagerly": "changes what all later calls do",
    "experimental.dispatch_for_api": "changes what later calls do",
    "register_tensor_conversion_function": "changes the classes that later calls are given",
    "test.main": "runs tests and ends the process",
    "data.experimental.assert_cardinality": "",
}
_SKIPPED_SPECIALS = {
    "__new__",
    "__init_subclass__",
    "__subclasshook__",
    "__class_getitem__",
    "__getattribute__",
    "__del__",
    "__dir__",
    "__enter__",
    "__exit__",
    "__sizeof__",
    "__setattr__",
    "__delattr__",
    "__releasebuffer__",
}


class Target:
    """One thing to call: ``make`` gives what is called, after its instance where it has one."""

    def __init__(self, name, function, kind=None, is_property=False):
        self.name, self.function, self.kind = name, function, kind
        self.is_property = is_property

    def signature(self):
        """The numbers of positional parameters it takes, least and most, and its keywords."""
        if self.is_property:
            return 0, 0, []
        try:
            params = list(inspect.signature(self.function).parameters.values())
        except (TypeError, ValueError):
            return 0, 2, []
        if self.kind is not None and params and not inspect.ismethod(self.function):
            params = params[1:]
        positional = [p for p in params if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        least = sum(p.default is p.empty for p in positional)
        variadic = any(p.kind is p.VAR_POSITIONAL for p in params)
        keywords = [p.name for p in params if p.kind is p.KEYWORD_ONLY]
        return least, min(len(positional), 6) + 2 * variadic, keywords


# Modules of the installed Keras, another project's, which need not be there.
KERAS = {"keras", "initializers", "losses", "metrics", "optimizers"}


def modules():
    """The public modules by their names below the package, but for ``KERAS``."""
    found = {"": fg}
    for info in pkgutil.walk_packages(fg.__path__, "ferrograph."):
        name = info.name.removeprefix("ferrograph.")
        if name not in KERAS and not any(part.startswith("_") for part in name.split(".")):
            found[name] = __import__(info.name, fromlist=["_"])
    return found


def targets():
    """All targets, by name; an object that has several names is attacked under the first."""
    found, seen = [], set()
    for space, module in sorted(modules().items()):
        for name in sorted(set(dir(module)) - (set() if space else KERAS)):
            value = getattr(module, name)
            full = f"{space}.{name}" if space else name
            if isinstance(value, types.ModuleType) or full in NOT_CALLED or id(value) in seen:
                continue
            seen.add(id(value))
            if isinstance(value, type):
                found += _members(full, value)
            if callable(value):
                found.append(Target(full, value))
    for kind in _instance_kinds():
        if id(kind) not in seen:
            seen.add(id(kind))
            found += _members(kind.__qualname__, kind)
    return sorted(found, key=lambda t: t.name)


def _instance_kinds():
    """Classes that users meet only as what functions give."""
    f = fg.function(lambda x: x)
    concrete = f.get_concrete_function(fg.TensorSpec([]))
    made = [fg.constant(1.0), f, concrete, concrete.graph, concrete.inference_fn]
    made += [iter(fg.data.Dataset.range(2)), fg.constant(1.0).ref(), concrete.function_type]
    return [type(x) for x in made]


def _members(full, kind):
    """Methods, properties and special methods that the package gives a class."""
    found, names = [], set()
    for base in kind.__mro__:
        if not base.__module__.startswith("ferrograph"):
            continue
        for name, value in vars(base).items():
            if name in names or name in _SKIPPED_SPECIALS:
                continue
            names.add(name)
            special = name.startswith("__") and name.endswith("__")
            if name.startswith("_") and not special:
                continue
            if isinstance(value, (staticmethod, classmethod)):
                found.append(Target(f"{full}.{name}", getattr(kind, name)))
            elif not special and type(value).__name__ in ("property", "getset_descriptor"):
                found.append(Target(f"{full}.{name}", _reader(name), kind, True))
            elif callable(value):
                found.append(Target(f"{full}.{name}", value, kind))
    return found


def _reader(name):
    def read(self):
        return getattr(self, name)

    return read


def _operators():
    """A linear operator of each class."""
    linalg, pair = fg.linalg, [2.0, 3.0]
    full = linalg.LinearOperatorFullMatrix([[2.0, 1.0], [0.0, 3.0]])
    yield from (full, linalg.LinearOperatorLowerTriangular([[2.0, 0.0], [1.0, 3.0]]))
    yield from (linalg.LinearOperatorDiag(pair), linalg.LinearOperatorIdentity(2))
    yield from (linalg.LinearOperatorScaledIdentity(2, 3.0), linalg.LinearOperatorZeros(2))
    yield from (linalg.LinearOperatorHouseholder(pair), linalg.LinearOperatorPermutation([1, 0]))
    yield from (linalg.LinearOperatorToeplitz(pair, pair), linalg.LinearOperatorCirculant(pair))
    yield linalg.LinearOperatorTridiag([[1.0, 0.0], pair, [0.0, 1.0]])
    yield linalg.LinearOperatorLowRankUpdate(full, [[1.0], [2.0]])
    yield linalg.LinearOperatorCirculant2D([pair])
    yield linalg.LinearOperatorCirculant3D([[pair]])
    for kind in ("Kronecker", "BlockDiag", "Composition"):
        yield getattr(linalg, f"LinearOperator{kind}")([full, full])
    yield linalg.LinearOperatorBlockLowerTriangular([[full], [full, full]])
    yield from (linalg.LinearOperatorAdjoint(full), linalg.LinearOperatorInversion(full))


def _initialisers():
    yield from (fg.zeros_initializer(), fg.ones_initializer(), fg.constant_initializer(1))
    yield from (fg.random_normal_initializer(), fg.random_uniform_initializer())


class Specimens:
    """Instances of public classes: what calls gave, the first few of each class."""

    def __init__(self):
        self._found = {}
        for make in PLAIN.values():
            self.keep(make())
        v = fg.Variable([1.0, 2.0])
        f = fg.function(lambda x: x * v)
        concrete = f.get_concrete_function(fg.TensorSpec([2]))
        for value in (
            *(v, f, concrete, concrete.graph, concrete.graph.get_operations()[0]),
            *(concrete.inference_fn, concrete.function_type, fg.constant(1.0).ref()),
            *(iter(fg.data.Dataset.range(2)), fg.TensorArray(fg.float32, 2), fg.GradientTape()),
            *(fg.IndexedSlices(fg.ones([1, 2]), fg.constant([0])), fg.Module(), fg.float32),
        ):
            self.keep(value)
        for value in [*_operators(), fg.test.TestCase(), *_initialisers()]:
            self.keep(value)

    def copy(self):
        """The same instances, to which others may come."""
        made = Specimens.__new__(Specimens)
        made._found = {kind: list(known) for kind, known in self._found.items()}
        return made

    def keep(self, value):
        """Remember a value for targets that need an instance of its class."""
        for kind in type(value).__mro__:
            if kind.__module__.startswith("ferrograph"):
                known = self._found.setdefault(kind, [])
                if len(known) < 3:
                    known.append(value)

    def of(self, kind):
        """The instances of a class, none where no call gave one."""
        return self._found.get(kind, [])
