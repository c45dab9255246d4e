"""Every refusal of AutoGraph names the construct, shows the line, gives the reason and the rewrite.

The refusals are found in the text of the package; each has a program here that meets it.
"""

# ruff: noqa: F821, F841, B007, B023, RET503, RET504, RET505, SIM103, SIM108, PERF, E711, B905
# ruff: noqa: C400 - the functions are wrong on purpose

import array
import ast
import collections
import contextlib
import copy
import dataclasses
import functools
import inspect
import itertools
import os
import queue
import re
import sys
import time
import traceback
import types
import weakref
from fractions import Fraction
from pathlib import Path

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.native import _core

SOURCE = Path(fg.__file__).parent / "_src"
NOT_REFUSALS = {
    "autograph/convert/parse.py": "the function then runs as plain Python",
    "autograph/inspection.py": "errors of `to_graph` and `to_code`, outside of a trace",
    "autograph/convert/jumps.py:lower": "the function then runs as plain Python",
    "autograph/convert/stack_depth.py": "of long expressions, which Python itself hardly compiles",
    "autograph/runtime/arithmetic.py": "Python's own",
    "autograph/runtime/special_results.py": "Python's own",
    "autograph/runtime/callees.py:_class.make": "Python's own",
    "autograph/runtime/builtins.py:_pow": "said of tensors outside of a trace, too",
    "autograph/runtime/failures.py:assert_stmt": "the user's own",
    "autograph/runtime/failures.py:passed_on": "passes on another refusal",
    "autograph/runtime/matching.py:_class": "Python's own errors of class patterns",
    "autograph/runtime/names.py:raise_as_local": "Python's own",
    "autograph/runtime/frame_builtins.py:frame_at:0": "Python's own",
    "staging/write_barriers.py:check_set": "Python's own",
    "graph_view/forms.py": "what messages say of their own fields, outside of a trace",
    "autograph/runtime/names.py:_Names.__missing__:1": "Python's own",
    "staging/retrace.py:check_lazy_variables:0": "as functions say it that make a variable a call",
    "staging/tensor_indexing.py:under_key": "Python's own",
    "staging/iteration.py:Cursor.__next__": "Python's own",
    "staging/conditional.py:_raise_both": "the user's own",
    "graph_view/graph.py": "errors of the methods of graphs and operations",
    "staging/tensor_lists.py:Grown.__getattr__": "Python's protocols ask",
    "staging/while_loops.py:stage_while_loop:0": "an argument of `while_loop`",
    "staging/tensor_indexing.py:stage_in": "Python's own",
    "heap/walk.py:attribute_of": "caught where places are looked for",
    "heap/walk.py:item_of": "caught where places are looked for",
    "heap/walk.py:_found": "caught where places are looked for",
    "heap/location.py:_read": "caught where places are looked for",
    "staging/merging.py:_built": "a proxy of such an object is met in its place",
    "staging/loop_state.py:_collect": "arguments of `while_loop`",
    "staging/loop_state.py:dimensions": "arguments of `while_loop`",
    "heap/references.py:explain": "says of C code what `Stale` says",
    "symbolic/values.py:to_tensor:1": "its callers say where",
    "symbolic/values.py:to_tensor:2": "its callers say where",
}


def raises():
    """The refusals in the text: file, function, number among those of the function, lines."""
    found = {}
    for folder in ("autograph", "graph_view", "heap", "staging", "symbolic"):
        for file in sorted((SOURCE / folder).rglob("*.py")):
            name = file.relative_to(SOURCE).as_posix()
            for site, node in _raises(ast.parse(file.read_text()), name, ""):
                number = sum(key.startswith(f"{site}:") for key in found)
                found[f"{site}:{number}"] = node.lineno, node.end_lineno
    return found


def _raises(node, file, scope):
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{scope}.{child.name}" if scope else child.name
        if isinstance(child, ast.Raise) and child.exc is not None and not _is_retrace(child.exc):
            yield f"{file}:{scope}", child
        yield from _raises(child, file, inner)


def _is_retrace(raised):
    """Whether what is raised begins a trace again, which no user sees."""
    called = getattr(raised, "func", raised)
    return isinstance(called, ast.Name) and called.id.startswith("Retrace")


def is_refusal(site):
    file, function, _ = site.split(":")
    return not {file, f"{file}:{function}", site} & set(NOT_REFUSALS)


SITES = raises()
REFUSALS = [site for site in SITES if is_refusal(site)]

PROGRAMS = {}
one, another = fg.Variable(1), fg.Variable(2)


class Watched:
    pass


def meets(site, *args):
    """Say which refusal a function meets."""

    def note(function):
        PROGRAMS.setdefault(site, []).append((function, args or (1,)))
        return function

    return note


@meets("heap/references.py:_refuse_views:0")
def array_beside_a_view_of_it(x):
    box = Watched()
    box.all = np.zeros((2, 2))
    box.row = box.all[0]
    if x > 0:
        box.row[0] = 1.0
    return float(box.all.sum())


@meets("heap/external_effects.py:form.call:0")
def counted_references(x):
    return x + sys.getrefcount(x)


@meets("heap/external_effects.py:form.call:0")
def array_resized_after_a_branch(x):
    held = np.arange(3)
    if x > 0:
        view = held[1:]
    held.resize(5)
    return x + held[0]


@meets("autograph/runtime/names.py:own_names:1")
def names_in_order_of_which_a_loop_sets_one(x):
    for i in fg.range(3):
        x = x + 1
    return x + len(dir())


@meets("autograph/runtime/names.py:_Names.__missing__:0")
def name_that_one_branch_sets(x):
    if x > 0:
        first = [1, 2]
    return x + locals()["first"][0]


@meets("autograph/runtime/names.py:_Names.get:0")
def name_that_may_be_set(x):
    if x > 0:
        first = [1, 2]
    return x + ("first" in locals())


@meets("autograph/runtime/names.py:_Names._refuse:0")
def names_of_which_a_branch_sets_one(x):
    if x > 0:
        first = [1, 2]
    return x + len(locals())


@meets("autograph/runtime/names.py:own_names:0")
def names_in_an_expression(x):
    return x + len(sorted(name for name in locals() if name in "xy"))


@meets("staging/tensor_indexing.py:_stacked:0")
def objects_in_the_order_of_tensors(x):
    made = [types.SimpleNamespace(v=x), types.SimpleNamespace(v=2)]
    return sorted(made, key=lambda held: held.v)[0].v


@meets("staging/tensor_indexing.py:_stacked:1")
def number_put_among_vectors(x):
    rows = [fg.zeros([3]), fg.ones([3])]
    rows[fg.cast(x, fg.int32)] = 5.0
    return rows[0]


@meets("staging/tensor_indexing.py:_stacked:2")
def grown_list_by_a_tensor(x):
    first, second = [1], [2]
    for i in fg.range(3):
        first.append(i)
        second.append(i)
    return x + len([first, second][fg.cast(x > 0, fg.int32)])


@meets("staging/tensor_indexing.py:_stacked:3")
def truth_put_among_numbers(x):
    held = [1, 2]
    held[fg.cast(x, fg.int32)] = True
    return held[0]


@meets("staging/tensor_indexing.py:_columns:0")
def shorter_list_put_where_a_tensor_says(x):
    rows = [[0, 0], [0, 0]]
    rows[fg.cast(x, fg.int32)] = [1]
    return rows[0]


@meets("heap/aliasing.py:Element.refuse_identity:0")
def element_of_a_grown_list_is_what_was_added(x):
    first = [5]
    held = [first]
    for i in fg.range(fg.cast(x, fg.int32)):
        held.append([i])
    return x + (1 if held[0] is first else 2)


@meets("autograph/runtime/builtins.py:_len:0")
def length_of_a_text(x):
    text = "a"
    if x > 0:
        text = "ab"
    return len(text)


@meets("heap/snapshot.py:refuse_finalizers:0")
def end_of_what_is_watched(x):
    held = Watched()
    watching = weakref.ref(held)
    if x > 0:
        held = None
    return x if watching() is None else x + 1


@meets("heap/external_effects.py:form.call:0")
def folder_made_in_a_branch(x):
    if x > 0:
        os.mkdir("of a test")
    return x


@meets("autograph/runtime/loops.py:_rest:0")
def endless_for_left_by_a_tensor(x):
    for i in itertools.count():
        if x > i:
            break
    return x


@meets("autograph/runtime/builtins.py:_taken_out:0")
def tuple_of_a_dataset_of_unknown_length(x):
    return tuple(fg.data.Dataset.range(3).filter(lambda v: v > 1))


@meets("autograph/runtime/matching.py:_deferred:0")
def part_of_a_pattern_with_effects(x):
    class Counted:
        n = 0

        @property
        def z(self):
            Counted.n += 1
            return 1

    match (x, Counted()):
        case (0, Counted(z=found)):
            return found
    return x


def defaulted(a=1):
    return a


def give_default(function, value):
    function.__defaults__ = (value,)


@meets("heap/references.py:invalidate:0")
def default_of_a_function_of_the_module(x):
    if x > 1:
        give_default(defaulted, 3)
    return defaulted()


@meets("autograph/runtime/matching.py:_or:0")
def captures_of_alternatives(x):
    match (x, 2):
        case (1, v) | (v, 2):
            return v
    return x


@meets("autograph/runtime/sequences.py:elements:0")
def comprehension_over_a_dataset(x):
    return [v + x for v in fg.data.Dataset.range(3)]


@meets("autograph/runtime/sequences.py:certain:0")
def set_with_a_filter(x):
    return len({v for v in (1, 2) if v > x})


@meets("autograph/runtime/iterators.py:islice:0")
def sliced_iterator(x):
    return list(itertools.islice(range(9), x))


@meets("staging/tensor_indexing.py:check_index:0", 1.0)
def item_by_a_float(x):
    return [1, 2][x]


@meets("symbolic/python_scalars.py:refuse_truth_of_several:0", [[1, 2], [3, 4]])
def greatest_row(x):
    return max(x)


@meets("symbolic/python_scalars.py:single_element:0", [1, 2])
def number_of_a_vector(x):
    return int(x)


@meets("autograph/runtime/builtins.py:_number:0", 1j)
def number_of_a_complex_one(x):
    return int(x)


@meets("symbolic/values.py:to_tensor:0")
def integer_beyond_64_bits(x):
    n = 1
    if x > 0:
        n = 2**70
    return n


@meets("autograph/runtime/texts.py:formatted:0")
def centred(x):
    return f"{x:^9d}"


@meets("heap/aliasing.py:MayAliasSet.refuse:0")
def list_chosen_and_changed(x):
    a, b = [1], [2]
    c = a if x > 0 else b
    c[0] = 3
    return a[0]


@meets("symbolic/merged_objects.py:note_arrays:1")
def array_chosen_and_added_to(x):
    a, b = np.zeros(2), np.ones(2)
    c = a if x > 0 else b
    c += 1.0
    return a


@meets("symbolic/merged_objects.py:refuse_arrays:0")
def array_added_to_under_a_second_name(x):
    a = np.zeros(2)
    view = a
    for i in fg.range(x):
        view += 1.0
    return a


@meets("symbolic/merged_objects.py:refuse_identity:0")
def identity_of_a_chosen_tensor(x):
    y = x + 1
    if x > 0:
        y = x
    return x if y is x else y


@meets("staging/loop_state.py:refuse_copies:0")
def identity_in_a_loop(x):
    a, b, n = [1], [2], 0
    for _ in fg.range(x):
        n = n + 1 if a is b else n
        a = b
    return n


@meets("staging/loop_state.py:refuse_partition:0")
def list_replaced_after_a_store(x):
    a = [1, 2]
    b = a
    for _ in fg.range(x):
        b[0] = x
        a = list(a)
    return a[0]


@meets("staging/while_loops.py:_condition:0")
def counted_in_the_condition(x):
    calls = {"n": 0}

    def going(i):
        calls["n"] += 1
        return i < 3

    fg.while_loop(going, lambda i: [i + 1], [x])
    return calls["n"]


@meets("staging/while_loops.py:_check_carried:0")
def members_in_a_while_loop(x):
    seen = {0}

    def body(i):
        seen.add(1)
        return i + 1

    fg.while_loop(lambda i: i < 3, body, [0])
    return len(seen)


@meets("staging/while_loops.py:_check_carried:1")
def first_set_in_a_mapped_function(x):
    kept = Box()

    def row(v):
        if not hasattr(kept, "w"):
            kept.w = 2
        return v

    fg.map_fn(row, fg.range(3))
    return kept.w


@meets("staging/while_loops.py:_check_carried:2")
def grows_in_code_that_is_not_converted(x):
    @fg.autograph.experimental.do_not_convert
    def inner():
        items = []

        def body(i):
            items.append(i)
            return [i + 1]

        fg.while_loop(lambda i: i < 3, body, [x])
        return len(items)

    return inner()


@meets("staging/conditional.py:_is_left_alone:0")
def grows_in_one_function_of_cond(x):
    @fg.autograph.experimental.do_not_convert
    def inner():
        items = []

        def yes():
            items.append(1)
            return x

        fg.cond(x > 0, yes, lambda: x)
        return len(items)

    return inner()


@meets("staging/loop_variables.py:Variables.results:0")
def other_structure(x):
    pair = (x, x)
    for i in fg.range(3):
        pair = (x, x, x)
    return pair


@meets("staging/loop_variables.py:Variables.results:1")
def object_replaced(x):
    thing = object()
    while x < 3:
        x = x + (1 if thing else 2)
        thing = object()
    return x


@meets("staging/loop_variables.py:Variables.result:0")
def tensor_that_becomes_none(x):
    y = x
    while x < 3:
        x = x + 1
        y = None
    return y


@meets("staging/loop_variables.py:Variables.result:1")
def other_dtype_after_an_iteration(x):
    y = x
    for i in fg.range(3):
        y = fg.cast(y, fg.float32) * 0.5
    return y


@meets("staging/loop_variables.py:Variables._check_shape:0", [1])
def other_shape_after_an_iteration(x):
    while fg.size(x) < 3:
        x = fg.concat([x, x], 0)
    return x


@meets("staging/loop_variables.py:Variables._check_shape:0")
def other_shape_in_while_loop(x):
    return fg.while_loop(lambda v: fg.size(v) < 3, lambda v: [fg.concat([v, v], 0)], [x[None]])


@meets("staging/conditional.py:_merge:0")
def set_in_one_branch(x):
    if x > 0:
        y = x
    return y


@meets("staging/iteration.py:Cursor._refuse:0")
def list_of_an_advanced_iterator(x):
    numbers = iter((1, 2))
    if x > 0:
        x = x + next(numbers)
    return x + len(list(numbers))


@meets("heap/snapshot.py:refuse_finalizers_left:0")
def object_left_by_iterations(x):
    for i in fg.range(x):
        held = Leaving()
    return x + i


@meets("heap/snapshot.py:refuse_nested_names:0")
def name_set_by_a_trace_in_a_branch(x):
    n = 0

    @fg.function
    def counted(v):
        nonlocal n
        n += 1
        return v

    if x > 0:
        counted(x)
    return x + n


@meets("heap/walk.py:refuse_keys:0")
def key_with_effects(x):
    known = {Counted(): 1}
    if x > 0:
        known["b"] = 2
    return x + len(known)


@meets("heap/adapters/base.py:Hidden.hold:0")
def attributes_hidden_by_their_class(x):
    held = Hiding()
    held.a = x
    if x > 0:
        held.a = x + 1
    return held.a


@meets("heap/own_attributes.py:check_order:0")
def order_of_attributes_by_a_tensor(x):
    held = Box()
    if x > 0:
        held.a, held.b = x, x
    else:
        held.b, held.a = x, x
    return x + list(vars(held)).index("b")


@meets("staging/side_effects.py:changes:0")
def order_of_attributes_with_a_name(x):
    held = Box()
    held.a, held.b = x, x
    names = vars(held)
    if x > 0:
        del held.a
        held.a = x
    return x + list(names).index("b")


@meets("staging/side_effects.py:_refuse_iterators:0")
def iterator_of_python_advanced(x):
    found = iter(lambda: 1, 2)
    if x > 0:
        next(found)
    return x + next(found)


@meets("autograph/runtime/shared_iterators.py:refuse:0")
def any_of_a_kept_iterator(x):
    found = iter([1, 2, 3])
    seen = any(k > x for k in found)
    return seen, sum(found)


@meets("autograph/runtime/shared_iterators.py:refuse:0")
def generator_that_ends_left_by_a_tensor(x):
    for k in ended_generator():
        if k > x:
            return k
    return x


def ended_generator():
    try:
        yield 1
        yield 2
    finally:
        log.append("ended")


@meets("staging/side_effects.py:refuse_opaque:0")
def queue_in_a_branch(x):
    jobs = queue.SimpleQueue()
    if x > 0:
        jobs.put("a")
    return x


@meets("staging/merging.py:Chosen._get:0")
def library_list_in_a_loop(x):
    kept = collections.UserList([x])
    for i in fg.range(3):
        kept.append(i)
    return x


@meets("staging/side_effects.py:_undo:0")
def iterator_advanced(x):
    numbers = reversed([1, 2])
    if x > 0:
        x = x + next(numbers)
    return x + next(numbers)


@meets("staging/iteration.py:Source.__iter__:0")
def set_over_a_range(x):
    return len({1 for v in enumerate(fg.range(x))})


@meets("staging/tensor_indexing.py:check_rows:0")
def for_over_a_scalar(x):
    for v in x:
        x = x + v
    return x


@meets("staging/tensor_lists.py:_unfit")
def list_of_different_structures(x):
    items = [x]
    for i in fg.range(3):
        items.append((x, x))
    return len(items)


@meets("staging/tensor_lists.py:_unfit")
def list_of_objects(x):
    items = []
    for i in fg.range(3):
        items.append(object())
    return len(items)


@meets("staging/tensor_lists.py:_unfit")
def list_of_different_dtypes(x):
    items = [x]
    for i in fg.range(3):
        items.append(fg.cast(x, fg.float32))
    return len(items)


@meets("staging/tensor_lists.py:Grown.refuse_return:0")
def grown_list_returned(x):
    items = []
    for i in fg.range(3):
        items.append(x)
    return items


@meets("staging/tensor_lists.py:Grown._refuse:0")
def grown_list_in_a_tuple(x):
    items = []
    for i in fg.range(3):
        items.append(x)
    return tuple(items)


@meets("staging/loops.py:_run:0")
def another_name_each_time(x):
    held = Box()
    for i in fg.range(3):
        setattr(held, f"v{time.monotonic_ns()}", x + i)
    return x


@meets("staging/while_loops.py:stage_while_loop:1")
def another_item_each_time(x):
    kept = [0] * 9973

    def body(i):
        time.sleep(0.001)  # no two traces meet the same millisecond, and with it the same item
        kept[time.monotonic_ns() // 1_000_000 % 9973] += 1
        return [i + 1]

    fg.while_loop(lambda i: i < 3, body, [x])
    return kept[0]


@meets("staging/loops.py:_refuse_early:0")
def read_too_early(x):
    while x < 3:
        x = x + before
        before = x
    return x


@meets("staging/loops.py:_may_join:0")
def none_that_is_a_value_in_the_loop(x):
    y = None
    while x < 3:
        x = x + (1 if y is None else 2)
        y = x
    return x


@meets("staging/loops.py:_may_join:1")
def attribute_that_is_none(x):
    box.value = None
    for i in fg.range(x):
        box.value = x if box.value is None else box.value + x
    return box.value


@meets("staging/loops.py:_may_join:2")
def first_set_in_a_for(x):
    for i in fg.range(x):
        y = i
    return y


@meets("staging/while_loops.py:_body:0")
def body_of_too_many_values(x):
    return fg.while_loop(lambda v: v < 3, lambda v: [v, v], [x])


@meets("staging/variant_proxies.py:perform:0")
def tensor_for_an_array(x):
    counts = array.array("i", [1])
    if x > 0:
        counts[0] = 2
    counts[0] = x
    return counts[0]


@meets("staging/variant_proxies.py:perform:1")
def tensor_for_an_array_of_numpy(x):
    counts = np.zeros(2)
    if x > 0:
        counts[0] = 2
    counts[0] = x
    return counts[0]


@meets("staging/variants.py:merge:0")
def too_many_contents(x):
    seen = set()
    for i in range(17):
        if x > i:
            seen.add(i)
    return len(seen)


@meets("heap/references.py:_refuse_names:0")
def dict_under_two_names(x):
    held = {"a": 1}
    other = held
    if x > 0:
        held["b"] = 2
    return len(other)


@meets("heap/references.py:_refuse_others:0")
def dict_in_a_tuple(x):
    held = {"a": 1}
    pair = held, x
    if x > 0:
        held["b"] = 2
    return len(pair[0])


@meets("staging/variant_proxies.py:VariantProxy._ferrograph_refuse:0")
def members_unpacked(x):
    seen = {1}
    if x > 0:
        seen.add(2)
    first, *others = seen
    return first


@meets("staging/variant_proxies.py:VariantProxy.refuse_return:0")
def members_returned(x):
    seen = {1}
    if x > 0:
        seen.add(2)
    return seen


@meets("heap/references.py:_checked:0")
def path_of_modules_that_gains_one(x):
    if x > 0:
        sys.path.append("of a test")
    return x + len(sys.path)


@meets("heap/references.py:_checked:1")
def stack_of_contexts_that_gains_one(x):
    log = [0]
    with contextlib.ExitStack() as stack:
        if x > 0:
            stack.callback(log.append, 1)
    return x + len(log)


@meets("heap/liveness.py:refuse_running:0")
def list_extended_while_it_is_run_over(x):
    items = [1, 2]
    for v in items:
        if x > v:
            items.append(3)
    return x + len(items)


@meets("staging/iteration.py:Cursor._items:0")
def iterator_over_a_list_that_grows(x):
    items = [1, 2]
    found = iter(items)
    if x > 0:
        items.append(3)
    return x + next(found)


@meets("autograph/runtime/quantifiers.py:_refuse_binding:0")
def name_set_as_any_goes(x):
    found = x
    if any((found := v) > 2 for v in (x, x + 1, x + 2)):
        return found
    return -found


@meets("symbolic/python_scalars.py:refuse_string:0")
def chosen_text_asked_for_its_class(x):
    word = "one"
    if x > 1:
        word = "more"
    return x + (1 if isinstance(word, str) else 2)


@meets("heap/aliasing.py:MayAliasSet.refuse_identity:0")
def identity_of_a_chosen_list(x):
    first, second = [1], [2]
    chosen = first if x > 0 else second
    return x + (1 if chosen is first else 2)


@meets("heap/liveness.py:refuse_running:1")
def list_longer_under_an_iterator(x):
    items = [3, 1]
    left = reversed(items)
    if x > 0:
        items.append(2)
    return sum(left)


@meets("heap/liveness.py:refuse_running:2")
def list_longer_that_a_factory_copies(x):
    items = [3, 1]
    made = collections.defaultdict(items.copy)
    if x > 0:
        items.append(2)
    return made["a"]


@meets("heap/liveness.py:refuse_iterated:0")
def deque_changed_under_an_iterator(x):
    items = collections.deque([3, 1], maxlen=2)
    left = iter(items)
    if x > 0:
        items.append(2)
    return sum(left)


@meets("staging/iteration.py:Source.refuse_next:0")
def next_of_a_reversed_list(x):
    items = [3, 1]
    if x > 0:
        items.append(2)
    return next(reversed(items))


run_text = eval


@meets("autograph/runtime/frame_builtins.py:_run:0")
def text_by_another_name(x):
    n = 1
    if x > 0:
        n = 2
    return run_text("n")


@meets("autograph/runtime/frame_builtins.py:_run:1")
def names_set_by_a_text(x):
    if x > 0:
        exec("n = 1")
    return x


@meets("autograph/runtime/frame_builtins.py:_refuse_hidden:0")
def text_in_a_branch(x):
    n = 1
    if x > 0:
        x = x + eval("n")
    return x


@meets("autograph/runtime/frame_builtins.py:_names:0")
def names_by_another_name(x):
    ask = locals
    if x > 0:
        x = x + len(ask())
    return x


@meets("autograph/runtime/frame_builtins.py:frame_at:1")
def names_of_a_frame(x):
    if x > 0:
        x = x + len(sys._getframe().f_locals)
    return x


@meets("staging/write_barriers.py:_check_sets_tensor:0")
def shape_of_an_array_set_behind_a_tensor(x):
    counts = np.zeros(4)
    if x > 0:
        counts = counts + 1.0
    counts.shape = (2, 2)
    return counts


@meets("heap/references.py:_put_back:0")
def array_longer_under_a_view(x):
    held = array.array("i", [1, 2, 3])
    if x > 2:
        held[0] = 5

    def first(value):
        memoryview(held)[0] = value

    for _ in fg.range(3):
        if x > 1:
            held += array.array("i", [1])
        first(4)
    return held[2] + len(held)


@meets("staging/variant_proxies.py:_with:0")
def bytes_shown(x):
    held = bytearray(b"ab")
    if x > 0:
        held[0] = 1
    return memoryview(held)[0]


@meets("staging/variant_proxies.py:_merge:0")
def call_that_keeps_an_object(x):
    held = {"l": 1}
    if x > 0:
        held["m"] = 2
    return x + functools.partial(len, held)()


@meets("symbolic/python_scalars.py:refuse_number:0")
def class_of_a_number(x):
    k = 1
    if x > 0:
        k = 2.5
    return x + 1 if isinstance(k, int) else x


@meets("symbolic/python_scalars.py:refuse_truth:0")
def product_of_a_truth(x):
    found = False
    if x > 0:
        found = True
    return found * 3


@meets("staging/tensor_indexing.py:_refuse_parts:0")
def text_within_a_text(x):
    word = 1
    if x > 0:
        word = 2
    return x + (1 if word in "abc" else 2)


@meets("staging/tensor_indexing.py:_is_unequal:0")
def number_among_fractions(x):
    k = 1
    if x > 0:
        k = 2
    return x + (1 if k in [Fraction(1), Fraction(2)] else 2)


@meets("symbolic/merged_objects.py:note_arrays:0")
def view_of_what_a_branch_changed(x):
    held = np.zeros(2)
    if x > 0:
        held[0] = 1.0
        view = held[::-1]
    else:
        view = held[:]
    held[1] = 2.0
    return view * 1.0


@meets("symbolic/merged_objects.py:refuse_variable_identity:0")
def identity_of_a_chosen_variable(x):
    chosen = one if x > 0 else another
    return 1 if chosen is another else 2


@meets("staging/loops.py:stage_for:0")
def loop_over_a_list_that_it_grows(x):
    items, total = [0], 0
    for i in fg.range(3):
        items.append(i)
    for v in items:
        items.append(5)
        total += v
    return total


@meets("heap/aliasing.py:Element.refuse:0")
def element_of_a_grown_list_changed(x):
    items = []
    for i in fg.range(3):
        items.append([i])
    items[0].append(4)
    return items[0][0]


@meets("autograph/runtime/texts.py:_of_float:0")
def float_with_more_digits(x):
    total = 0.0
    for _ in fg.range(3):
        total += 0.1
    return f"{total:.12f}"


@meets("symbolic/abstract_value.py:_refuse_late:0")
def variable_chosen_and_assigned(x):
    chosen = one if x > 0 else another
    one.assign(3)
    return chosen * x


@meets("symbolic/merged_objects.py:refuse_in_place:0")
def array_under_two_names_added_to(x):
    k = 1.0
    if x > 0:
        k = 2.0
    held = np.zeros(2)
    other = held
    held += k
    return other[0]


@meets("staging/variant_proxies.py:_merge:1")
def list_of_one_content(x):
    held = {"l": [1]}
    if x > 0:
        held["l"] = [2, 3]
    return len(held["l"])


@meets("staging/side_effects.py:refuse_shadowed:0")
def attribute_of_an_object_and_its_class(x):
    class Kind:
        v = 1

    held = Kind()
    if x > 0:
        held.v = 5
    else:
        Kind.v = 7
    return x + held.v


class Shown:
    v = 1


@meets("heap/own_attributes.py:check_class_attribute:0")
def class_set_after_its_object(x):
    class Kind:
        v = 1

    held = Kind()
    if x > 0:
        held.v = 5
    Kind.v = 7
    return x + held.v


@meets("heap/own_attributes.py:check_classes:0")
def class_set_by_the_graph_after_its_object(x):
    held = Shown()
    if x > 0:
        held.v = 5
    if x > 1:
        Shown.v = 7
    return x + held.v


@meets("staging/iteration.py:Cursor._refuse_endless:0")
def elements_until_they_end(x):
    numbers = iter([1, 2, 3])
    if x > 0:
        next(numbers)
    try:
        while True:
            x = x + next(numbers)
    except StopIteration:
        return x


@meets("staging/retrace.py:mark_left:0")
def iterator_that_ends_in_a_branch(x):
    found = [next(iter(())) if x > k else k for k in range(4)]
    return len(found)


@meets("symbolic/merged_objects.py:_refuse_beside:0")
def array_of_two_names_added_to(x):
    held = np.zeros(2) if x > 0 else np.ones(2)
    other = held
    other += 1
    return x + held[0]


@meets("autograph/runtime/unconverted_calls.py:popping.pop:0")
def member_of_a_changed_set(x):
    held = {1, 2, 3}
    if x > 0:
        held.add(4)
    return x + held.pop()


@meets("autograph/runtime/unconverted_calls.py:asking.ask:0")
def arrays_compared_by_numpy(x):
    return np.array_equal(x, 3)


@meets("symbolic/merged_objects.py:refuse_rows:0")
def rows_of_a_chosen_array(x):
    held = np.zeros((2, 2)) if x > 0 else np.ones((2, 2))
    return held[[0, 1]]


@meets("symbolic/merged_objects.py:mark_array:0")
def matrices_chosen(x):
    held = np.matrix([[1, 2], [3, 4]])
    if x > 0:
        held = held * 2
    return held * held


@meets("symbolic/python_scalars.py:refuse_number:0")
def element_of_a_chosen_array_printed(x):
    held = np.zeros(2) if x > 0 else np.ones(2)
    fg.print(held[0] + 1)
    return x


@meets("symbolic/merged_objects.py:refuse_array_text:0")
def array_or_tensor_printed(x):
    held = np.zeros(2) if x > 0 else fg.zeros(2, fg.float64)
    fg.print(held)
    return x


@meets("symbolic/merged_objects.py:refuse_replaced:0")
def array_replaced_after_its_view_was_written(x):
    held = np.array([1, 2])
    shown = held[:]
    for _ in fg.range(x):
        shown[1] = 9
        held = held * 2
    return held


@meets("symbolic/merged_objects.py:_refuse_operator:0")
def bits_of_an_array_and_a_fraction(x):
    held = np.array([1, 2]) if x > 0 else np.array([3, 4])
    return held & np.float64(2)


@meets("autograph/runtime/builtins.py:_of_numpys:0")
def number_of_an_array_that_was_chosen(x):
    held = np.array([1]) if x > 0 else np.array([3])
    return int(held)


@meets("heap/own_attributes.py:refuse_presence:0")
def attributes_of_an_object_that_may_have_its_own(x):
    held = Shown()
    if x > 0:
        held.v = 5
    return x + len(vars(held))


@meets("heap/own_attributes.py:copying.call:0")
def copy_of_an_object_that_may_have_its_own(x):
    held = Shown()
    if x > 0:
        held.v = 5
    return x + copy.copy(held).v


@meets("staging/write_barriers.py:losing:0")
def attribute_deleted_in_a_loop(x):
    held = Shown()
    held.v = 5
    for _ in fg.range(x):
        del held.v
    return x + held.v


@meets("staging/write_barriers.py:check_own:0")
def attribute_taken_from_the_dict_in_a_loop(x):
    held = Shown()
    held.v = 5
    for _ in fg.range(x):
        held.v += 1
        held.__dict__.pop("v", None)
    return x + held.v


@meets("heap/own_attributes.py:refuse_held_dict:0")
def attributes_held_by_another_name(x):
    held = Shown()
    fields = held.__dict__
    if x > 0:
        held.v = 5
    return x + len(fields)


class Derived:
    """A class from which programs derive others."""


@meets("autograph/runtime/unconverted_calls.py:deriving.derive:0")
def classes_derived_in_a_branch(x):
    if x > 0:
        made = type("Made", (Derived,), {})
    return x + len(Derived.__subclasses__())


@meets("autograph/runtime/caches.py:counting.count:0")
def counted_calls_in_a_branch(x):
    doubled = functools.lru_cache(lambda v: v * 2)
    if x > 0:
        doubled(3)
    return x + doubled.cache_info().misses


@meets("staging/loop_variables.py:Variables._first:0")
def carried_integer_beyond_int32(x):
    held = {"large": 3_000_000_000}

    def count():
        nonlocal x, held
        x = x + 1

    i = fg.constant(0)
    while i < 2:
        i = i + 1
        count()
        x = (x + held["large"] % 97) % 97
    return x


@meets("autograph/runtime/caches.py:_first.call:1")
def cached_function_that_drops_what_it_gave(x):
    listed = functools.lru_cache(maxsize=1)(lambda v: [v])
    first = listed(1)
    if x > 0:
        listed(2)
    return x if listed(1) is first else -x


@meets("heap/location.py:_put_typed:0")
def name_of_a_function(x):
    def inner():
        return x

    def rename():
        inner.__name__ = "other"

    if x > 0:
        rename()
    return x if inner.__name__ == "other" else -x


@meets("autograph/runtime/caches.py:_first.call:0")
def cached_function_with_effects(x):
    calls = []

    @functools.lru_cache
    def cached(n):
        calls.append(n)
        return n

    if x > 0:
        x = x + cached(1)
    return x + len(calls)


@meets("autograph/runtime/special_methods.py:_refuse_end:0")
def iterator_that_a_tensor_ends(x):
    steps = Ending()
    if x > 0:
        steps.at += 1
    for v in steps:
        x = x + v
    return x


@meets("heap/invalidated.py:Invalidated._ferrograph_refuse:0")
def outside_object_read_again(x):
    if x > 0:
        log.append("a")
    return x + len(log)


@meets("heap/invalidated.py:Invalidated._ferrograph_refuse:0")
def outside_object_in_c_code(x):
    if x > 0:
        log.append("a")
    return x + list.__len__(log)


@meets("staging/merging.py:as_left.give:0")
def object_changed_or_replaced(x):
    point = Point(x, x)
    if x > 0:
        point = Point(x, -x)
    else:
        point.a = -x
    return point.a + point.b


@meets("staging/loops.py:iterate:0")
def item_removed_in_a_loop(x):
    held = {"k": x}
    for i in fg.range(3):
        x = x + held.get("k", 0)
        del held["k"]
    return x


@meets("heap/reachable.py:Walk._follow:0")
def too_many_objects(x):
    if x > 0:
        x = x + len(many)
    return x


@meets("staging/merging.py:_scalar:0")
def attribute_of_one_branch(x):
    held = Box()
    if x > 0:
        held.value = x
    return held.value


@meets("staging/regions.py:Conditional.merge:0")
def structures_of_branches(x):
    return (x, x) if x > 0 else x


@meets("staging/regions.py:Conditional.merge:1")
def views_of_branches(x):
    items = {"a": 1}
    view = items.values()
    if x > 0:
        view = items.values()
    return x + sum(view)


@meets("staging/regions.py:Conditional._refuse_objects:0")
def objects_of_branches(x):
    thing = object()
    if x > 0:
        thing = object()
    return x if thing else -x


@meets("staging/regions.py:Conditional._add_outputs:0")
def dtypes_of_branches(x):
    if x > 0:
        y = fg.cast(x, fg.float32)
    else:
        y = x
    return y


@meets("staging/regions.py:Conditional._refuse_none:0")
def none_of_a_branch(x):
    y = None
    if x > 0:
        y = x
    return y


@meets("symbolic/values.py:predicate:0", [1, 2])
def condition_of_several_elements(x):
    if x > 0:
        x = -x
    return x


@meets("symbolic/values.py:truth:0")
def condition_of_a_variant(x):
    handle = _core.emit("TensorListReserve", (-1, 0), {"element_dtype": fg.float32})
    return x if handle else -x


@meets("tensor")
def value_of_a_tensor(x):
    return x.numpy() + 1


@meets("tensor")
def method_of_a_text(x):
    text = "a"
    if x > 0:
        text = "b"
    return text.upper()


class Box:
    pass


@dataclasses.dataclass
class Point:
    a: object
    b: object


class Leaving:
    def __del__(self):
        pass


class Counted:
    n = 0

    def __hash__(self):
        Counted.n += 1
        return 5


class Hiding:
    __dict__ = property(lambda self: {})


class Steps:
    at = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        return self.at


class Ending(Steps):
    def __next__(self):
        if self.at > 3:
            raise StopIteration
        self.at += 1
        return self.at


box = Box()
log = []
many = []


@pytest.fixture(autouse=True)
def outside_objects(request):
    """The objects outside of the programs as they are at first."""
    log.clear()
    call = getattr(request.node, "callspec", None)
    wanted = call is not None and too_many_objects in call.params.values()
    many[:] = [[] for _ in range(260_000 if wanted else 0)]
    yield
    many.clear()


def refusal(function, args):
    """The error that a traced function meets, and the refusal in the text that raised it."""
    fg.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(Exception) as info:  # noqa: PT011 - any
            fg.function(function)(*map(fg.constant, args))
    finally:
        fg.debugging.enable_traceback_filtering()
    error = info.value
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/_src/" in f.filename]
    for site, (first, last) in SITES.items():
        file = str(SOURCE / site.split(":")[0])
        if any(f.filename == file and first <= f.lineno <= last for f in frames[-1:]):
            return error, site
    return error, None


def check_parts(error, function):
    """The four parts: what is wrong with which construct, the line, the caret, the rewrite."""
    problem, place, line, caret, *rest = str(error).split("\n")
    assert re.search(r"[`'\"]|\b(list|pattern|tensor|iterat|comprehension|branch or loop)", problem)
    assert len(problem) > 30
    first = function.__code__.co_firstlineno
    found = re.fullmatch(rf"  {re.escape(__file__)}:(\d+)(:\d+)?", place)
    assert found, place
    assert first <= int(found[1]) <= first + 30
    assert line.strip() and caret.strip() == "^" * len(line.strip())
    assert len(rest) >= 1 and len(rest[-1]) > 25 and rest[-1].endswith((".", "`"))
    assert re.match(r"[A-Z`]", rest[-1])


ROWS = [(site, *row) for site, rows in PROGRAMS.items() for row in rows]


@pytest.mark.parametrize(
    ("site", "function", "args"), ROWS, ids=lambda v: getattr(v, "__name__", "")
)
def test_a_refusal_has_its_four_parts(site, function, args):
    error, found = refusal(function, args)
    if site == "tensor":
        with pytest.raises(AttributeError) as info:
            fg.function(function)(*map(fg.constant, args))
        error = info.value
    elif site == "staging/tensor_lists.py:_unfit":
        assert found.startswith("staging/tensor_lists.py:")
    else:
        assert found == site
    check_parts(error, function)


def test_every_refusal_has_a_program():
    met = {site for site in PROGRAMS if site in REFUSALS}
    lists = {s for s in REFUSALS if s.startswith("staging/tensor_lists.py:") and "_refuse" not in s}
    assert set(REFUSALS) - met - lists == set()
    assert set(PROGRAMS) - met == {"tensor", "staging/tensor_lists.py:_unfit"}


def test_what_is_no_refusal_exists():
    names = {part for site in SITES for part in (site.split(":")[0], site.rpartition(":")[0], site)}
    assert set(NOT_REFUSALS) <= names


def cured(function, error, indent):
    """The function with the statement that the error gives, pasted as it says."""
    cure = re.search(r"`(fg\..*|\w+ = fg\..*?)`(?= as|,| before)", str(error).split("\n")[-1])[1]
    lines = inspect.getsource(function).split("\n")[1:]
    at = next(i for i, text in enumerate(lines) if re.match(r"    (while|for) ", text))
    lines.insert(at + (1 if indent else 0), "    " * (2 if indent else 1) + cure)
    return cure, "\n".join(lines)


@pytest.mark.parametrize(
    ("function", "argument", "indent"),
    [(other_shape_after_an_iteration, [1], True), (other_dtype_after_an_iteration, 1, False)],
)
def test_the_cure_works_as_it_is_pasted(tmp_path, function, argument, indent):
    error, _ = refusal(function, [argument])
    _, text = cured(function, error, indent)
    file = tmp_path / "cured.py"
    file.write_text(f"import ferrograph as fg\n\n{text}")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    made = names[function.__name__]
    expected = made(fg.constant(argument))
    assert fg.function(made)(fg.constant(argument)).numpy().tolist() == expected.numpy().tolist()


def test_the_cures_of_functions_are_pasted_into_the_call():
    first, second = fg.constant([1]), fg.constant(0)

    def looped(a, n, **options):
        grows = lambda v, i: (fg.concat([v, v], 0), i + 1)  # noqa: E731
        return fg.while_loop(lambda v, i: i < 3, grows, (a, n), **options)

    with pytest.raises(ValueError, match="loop variable 0") as error:
        fg.function(looped)(first, second)
    cure = re.search(r"`(shape_invariants=.*)`", str(error.value))[1]
    assert cure == "shape_invariants=[fg.TensorShape([None]), fg.TensorShape([])]"
    names = {"looped": looped, "fg": fg}
    cured = fg.function(eval(f"lambda a, n: looped(a, n, {cure})", names))
    assert cured(first, second)[0].numpy().tolist() == [1] * 8

    def mapped(a, **options):
        return fg.map_fn(lambda v: fg.cast(v, fg.float32), a, **options)

    for form in (mapped, fg.function(mapped)):
        with pytest.raises(TypeError) as error:
            form(first)
    cure = re.search(r"`(fn_output_signature=.*)`", str(error.value))[1]
    assert eval(f"mapped(first, {cure})", {**names, "mapped": mapped, "first": first}).numpy() == 1


def test_both_lines_are_shown():
    error, _ = refusal(dtypes_of_branches, [1])
    lines = str(error).split("\n")
    assert any("the `if` branch: float32" in line for line in lines)
    assert "    y = fg.cast(x, fg.float32)" in lines
    error, _ = refusal(other_dtype_after_an_iteration, [1])
    assert any("after an iteration: float32" in line for line in str(error).split("\n"))
