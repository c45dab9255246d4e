"""Traces of runs in event files, as tensorflow 2.21 writes them."""

import glob
import gzip
import json
import threading

import ferrograph as fg
import pytest
from ferrograph._src.values import wire

# The serialised metadata that tensorflow writes beside the graphs of a run.
METADATA = b"\n\x1d\n\x18graph_run_metadata_graph\x12\x011"


def parts(message, *numbers):
    """The contents of the fields that lie behind those numbers, one inside the other."""
    found = [message]
    for number in numbers:
        found = [value for m in found for n, _, value, _ in wire.fields(m) if n == number]
    return found


def summaries(folder):
    """Tag, metadata and string of each value of the event file in a folder."""
    (path,) = glob.glob(f"{folder}/events*")
    events = [record.numpy() for record in fg.data.TFRecordDataset(path)]
    for event in events:
        for value in parts(event, 5, 1):
            yield parts(value, 1)[0], parts(value, 9)[0], parts(value, 8, 8)[0]


def graphs(run):
    """The operations of the functions' graphs in the record of a run."""
    return [[parts(node, 2)[0].decode() for node in parts(graph, 1)] for graph in parts(run, 4, 2)]


@fg.function
def inner(x):
    return 2.0 * x


@fg.function
def outer(x):
    return inner(x) + 1.0


@pytest.fixture
def writer(tmp_path):
    made = fg.summary.create_file_writer(str(tmp_path))
    yield made
    fg.summary.trace_off()
    made.close()


def test_the_graphs_of_functions_that_ran(tmp_path, writer):
    inner(fg.constant([1.0]))
    fg.summary.trace_on(graph=True)
    outer(fg.constant([1.0]))
    outer(fg.constant([2.0]))
    fg.function(lambda: fg.fill([2], 7))()  # gone when it is written
    with writer.as_default():
        assert fg.summary.trace_export("run", step=3) is None
    writer.close()
    ((tag, metadata, run),) = summaries(tmp_path)
    assert (tag, metadata) == (b"run", METADATA)
    assert graphs(run) == [
        ["Placeholder", "PartitionedCall", "Const", "AddV2", "Identity"],
        ["Const", "Const", "Fill", "Identity"],
    ]
    library = parts(run, 4, 2, 2, 1, 1, 1)
    assert [name.startswith(b"__inference_inner") for name in library] == [True]


def test_functions_of_other_threads_and_what_no_message_holds(tmp_path, writer):
    @fg.function
    def called(x):
        return fg.py_function(lambda x: x, [x], fg.float32) * 2.0

    fg.summary.trace_on()
    thread = threading.Thread(target=called, args=(fg.constant(1.0),))
    thread.start()
    thread.join()
    with writer.as_default(step=1), fg.name_scope("scope"):
        fg.summary.trace_export("run")
    writer.close()
    ((tag, _, run),) = summaries(tmp_path)
    assert tag == b"scope/run"
    assert graphs(run) == [["Placeholder", "EagerPyFunc", "Const", "Mul", "Identity"]]
    assert parts(run, 4, 2, 1, 3) == [b"x", b"EagerPyFunc", b"Const", b"mul"]


def test_the_profile_beside_it(tmp_path, writer):
    folder = tmp_path / "times"
    fg.summary.trace_on(graph=True, profiler=True, profiler_outdir=folder)
    outer(fg.constant([1.0]))
    with writer.as_default():
        fg.summary.trace_export("run", step=0)
    writer.close()
    ((_, metadata, _),) = summaries(tmp_path)
    assert metadata == b"\n\x17\n\x12graph_run_metadata\x12\x011"
    (path,) = glob.glob(f"{folder}/plugins/profile/*/*.trace.json.gz")
    with gzip.open(path) as file:
        names = {event["name"] for event in json.load(file)["traceEvents"]}
    assert any(name.startswith("__inference_outer") for name in names)


def test_without_graphs_and_without_calls(tmp_path, writer):
    with writer.as_default():
        fg.summary.trace_on(graph=False)
        outer(fg.constant([1.0]))
        fg.summary.trace_export("none", step=0)
        fg.summary.trace_on()
        fg.summary.trace_export("empty", step=0)
    writer.close()
    assert [(tag, run) for tag, _, run in summaries(tmp_path)] == [(b"none", b""), (b"empty", b"")]


def test_what_is_refused(writer):
    with pytest.raises(ValueError, match="Must enable trace before export"):
        fg.summary.trace_export("run", step=0)
    fg.summary.trace_on()
    with pytest.warns(UserWarning, match="already enabled"):
        fg.summary.trace_on()
    with writer.as_default():
        with pytest.raises(ValueError, match="No step set"):
            fg.summary.trace_export("run")
        fg.summary.trace_export("run", step=0)  # the trace went on
    fg.summary.trace_on()
    fg.summary.trace_off()
    fg.summary.trace_off()
    with pytest.raises(ValueError, match="Must enable trace"):
        fg.summary.trace_export("run", step=0)
    with pytest.warns(UserWarning, match="No `profiler_outdir`"):
        fg.summary.trace_on(profiler=True)


def test_without_a_writer_nothing_is_written():
    fg.summary.trace_on()
    assert fg.summary.trace_export("run", step=0) is None
    with pytest.raises(ValueError, match="Must enable trace"):
        fg.summary.trace_export("run", step=0)


def test_traced_functions_neither_begin_nor_end_it():
    @fg.function
    def traced(x):
        fg.summary.trace_on()
        fg.summary.trace_export("run", step=0)
        fg.summary.trace_off()
        return x

    with pytest.warns(UserWarning, match="inside a fg.function") as warned:
        traced(fg.constant(1.0))
    assert len(warned) == 3
    with pytest.raises(ValueError, match="Must enable trace"):
        fg.summary.trace_export("run", step=0)
