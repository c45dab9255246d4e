"""What the inspector says of functions, and where it says it: documents, files, servers."""

import html
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import ferrograph as fg
import pytest

COMMAND = [sys.executable, "-m", "ferrograph"]


def graphs(page, trace=0):
    return page.data["traces"][trace]["graphs"]


def nodes(page, graph=0):
    return graphs(page)[graph]["nodes"]


def roles(page, op):
    """What the regions of the first node of that operation are for, with their operations."""
    (node, *_) = [node for node in nodes(page) if node["op"] == op]
    return {
        region["role"]: [n["op"] for n in graphs(page)[region["graph"]]["nodes"]]
        for region in node["regions"]
    }


def text_of(page, line):
    """The source line that a document has for a place."""
    file, number, _ = line
    for piece in page.data["sources"]:
        at = number - piece["first"]
        if piece["file"] == file and 0 <= at < len(piece["lines"]):
            return piece["lines"][at].strip()
    raise AssertionError(f"{line} is not in {[s['file'] for s in page.data['sources']]}")


def test_a_graph_has_its_values_types_and_lines():
    @fg.function
    def f(x, y):
        return x * y + 1.0

    f(fg.ones([2, 3]), fg.ones([3]))
    page = fg.inspect(f)
    assert page.data["title"] == "f"
    assert page.data["traces"][0]["signature"] == "x: float32[2,3], y: float32[3]"
    by_op = {node["op"]: node for node in nodes(page)}
    mul = by_op["Mul"]
    assert [nodes(page)[n]["name"] for n, _ in mul["inputs"]] == ["x", "y"]
    assert mul["types"] == ["float32[2,3]"]
    assert mul["flops"] == 6 and mul["bytes"] == 24
    assert text_of(page, mul["line"]) == "return x * y + 1.0"
    assert by_op["Const"]["attrs"]["value"] == "float32 [] {1.0}"
    outputs = [nodes(page)[n]["op"] for n, _ in graphs(page)[0]["outputs"]]
    assert outputs == ["Identity"]


def test_branches_loops_and_calls_are_regions():
    @fg.function
    def inner(x):
        return fg.tanh(x)

    @fg.function
    def f(x):
        if fg.reduce_sum(x) > 0.0:
            x += 1.0
        else:
            x = fg.exp(x)
        while fg.reduce_sum(x) < 10.0:
            x = x * 2.0
        return inner(x)

    f(fg.ones([2]))
    page = fg.inspect(f)
    operations = {node["op"]: node for node in nodes(page) if node["regions"]}
    branch, loop, call = (
        next(op for op in operations if part in op) for part in ("If", "While", "Call")
    )
    found = roles(page, branch)
    assert "AddV2" in found["then"] and "Exp" in found["else"]
    found = roles(page, loop)
    assert found.keys() == {"condition", "body"}
    assert "Less" in found["body"] and "Mul" in found["body"]
    assert "Tanh" in roles(page, call)["call"]
    steps = page.data["traces"][0]["plan"]["steps"]
    assert {"", "then", "else", "condition", "body"} >= {step["role"] for step in steps}
    assert {step["depth"] for step in steps} == {0, 1}


def test_gradients_and_variables_are_shown():
    v = fg.Variable([1.0, 2.0])

    @fg.function
    def f(x):
        with fg.GradientTape() as tape:
            loss = fg.reduce_sum(x * v)
        v.assign_sub(tape.gradient(loss, v))
        return loss

    f(fg.ones([2]))
    page = fg.inspect(f)
    operations = [node["op"] for node in nodes(page)]
    assert "ReadVariableOp" in operations and "AssignSubVariableOp" in operations
    assert any(type.startswith("resource") for node in nodes(page) for type in node["types"])


def test_a_plan_has_its_fusion_groups_and_memory():
    @fg.function
    def f(x):
        return fg.reduce_sum(fg.tanh(x) * 2.0 + 1.0) * fg.reduce_max(x)

    f(fg.ones([100, 100]))
    plan = fg.inspect(f).data["traces"][0]["plan"]
    (group,) = [step["fused"] for step in plan["steps"] if step["fused"]]
    names = [operation for operation, _, _ in group["members"]]
    assert {"Tanh", "Mul", "AddV2", "Sum"} <= set(names)
    assert all(name and line for _, name, line in group["members"])
    assert 40000 <= group["read"] < 40100
    assert plan["flops"] > 10000
    inputs = [slot for slot in plan["slots"] if slot["place"] == "input"]
    assert [slot["bytes"] for slot in inputs] == [40000]
    slab = [slot for slot in plan["slots"] if slot["place"] == "slab"]
    assert all(slot["offset"] + slot["bytes"] <= plan["slab"] for slot in slab)
    used = {number for step in plan["steps"] for number in step["reads"] + step["writes"]}
    assert used <= set(range(len(plan["slots"])))


def test_the_plan_is_that_of_the_last_call():
    @fg.function(input_signature=[fg.TensorSpec([None], fg.float32)])
    def f(x):
        return fg.reduce_sum(x + 1.0)

    concrete = f.get_concrete_function()
    (trace,) = fg.inspect(concrete).data["traces"]
    assert trace["plan"] is None and "shapes of a call" in trace["without_plan"]
    for n in (3, 5):
        f(fg.ones([n]))
        (trace,) = fg.inspect(concrete).data["traces"]
        inputs = [slot for slot in trace["plan"]["slots"] if slot["place"] == "input"]
        assert [slot["bytes"] for slot in inputs] == [4 * n]
    assert float(f(fg.ones([5]))) == 10.0


def test_a_trace_of_fixed_shapes_has_a_plan_before_any_call():
    concrete = fg.function(lambda x: x + 1.0).get_concrete_function(fg.TensorSpec([4], fg.float32))
    page = fg.inspect(concrete)
    assert page.data["traces"][0]["plan"]["steps"]
    assert page.data["retraces"] == []


def test_retraces_say_what_differed():
    @fg.function
    def f(x):
        return x + 1

    f(fg.constant(1))
    f(fg.constant(1.0))
    first, second = fg.inspect(f).data["retraces"]
    assert (first["kind"], second["kind"]) == ("first trace", "retrace")
    (cause,) = second["causes"]
    assert "int32 -> float32" in cause["text"]
    assert second["nearest"] == 1
    assert Path(__file__).name in second["call_site"]


def test_a_profile_gives_times_by_line():
    @fg.function
    def f(x):
        y = x @ x
        return fg.reduce_sum(y)

    x = fg.ones([64, 64])
    with fg.profile() as taken:
        f(x)
    page = fg.inspect(f, taken)
    steps = {step["operation"]: step for step in page.data["profile"]["steps"]}
    product = steps["MatMul"]
    assert text_of(page, product["line"]) == "y = x @ x"
    assert 0 < product["own"] <= product["total"]
    events = [e for e in page.data["profile"]["events"] if e["ph"] == "X"]
    (event,) = [e for e in events if e["name"] == "MatMul"]
    file, number, function = product["line"]
    assert event["args"]["line"] == f"{file}:{number} in {function}"


def test_functions_that_were_not_traced_have_a_page():
    page = fg.inspect(fg.function(lambda x: x))
    assert page.data["traces"] == [] and "<!doctype html>" in page.html
    assert repr(page) == "<Inspection of <lambda>: 0 traces>"


def test_methods_are_inspected():
    class Model:
        @fg.function
        def call(self, x):
            return x + 1

    model = Model()
    model.call(fg.constant(1))
    assert len(fg.inspect(model.call).data["traces"]) == 1


@pytest.mark.parametrize("value", [1, None, len, fg.constant(1.0), "f"])
def test_other_values_are_refused(value):
    with pytest.raises(TypeError, match="inspect: function must be a traced function"):
        fg.inspect(value)


def test_other_profiles_are_refused():
    with pytest.raises(TypeError, match="inspect: profile must be a profile or None, got 'p'"):
        fg.inspect(fg.function(lambda x: x), "p")


HOSTILE = "</script><img src=x onerror=alert(1)><!--\u2028"


def data_of(page):
    """The document within a page."""
    text = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(text[1])


def hostile_function():
    scope = {"fg": fg}
    source = f"@fg.function\ndef f(x):\n    return x + 1  # {HOSTILE[:-1]}\n"
    exec(compile(source, f"/{HOSTILE}.py", "exec"), scope)
    return scope["f"]


def test_text_of_the_program_stays_text():
    f = hostile_function()
    f(fg.constant(1))
    made = fg.inspect(f)
    page = made.html
    assert HOSTILE[:9] in made.data["traces"][0]["graphs"][0]["nodes"][1]["line"][0]
    assert page.count("</script>") == page.count("<script") == 2
    assert "<img" not in page and "<!--" not in page and "\u2028" not in page
    assert data_of(page) == made.data


def test_of_long_files_what_is_used_is_shown(tmp_path):
    lines = ["import ferrograph as fg"] + [f"# {n}" for n in range(2, 401)]
    lines[99:101] = ["def g(x):", "    return fg.tanh(x)"]
    lines[299:302] = ["@fg.function", "def f(x):", "    return g(x) + 1.0"]
    (tmp_path / "long.py").write_text("\n".join(lines))
    scope = {}
    exec(compile("\n".join(lines), str(tmp_path / "long.py"), "exec"), scope)
    scope["f"](fg.constant(1.0))
    pieces = fg.inspect(scope["f"]).data["sources"]
    own = [piece for piece in pieces if piece["file"].endswith("long.py")]
    assert pieces[0] == own[0]
    for piece in own:
        first, last = piece["first"] - 1, piece["first"] - 1 + len(piece["lines"])
        assert piece["lines"] == lines[first:last]
    shown = [line for piece in own for line in piece["lines"]]
    assert "    return fg.tanh(x)" in shown and "    return g(x) + 1.0" in shown
    assert len(shown) < 40


def test_half_a_surrogate_pair_does_no_harm():
    page = fg.inspect(fg.function(lambda x: x))
    page.data["title"] = "a\ud800b"
    assert data_of(page.html)["title"] == "a?b"


def test_a_notebook_shows_the_page_in_a_frame():
    f = fg.function(lambda x: x + 1)
    f(fg.constant(1))
    page = fg.inspect(f)
    shown = page._repr_html_()
    frame = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" [^<>]*></iframe>', shown
    )
    assert html.unescape(frame[1]) == page.html


def test_cells_of_a_notebook_have_their_numbers(run_python):
    done = run_python("""
        from IPython.core.interactiveshell import InteractiveShell

        shell = InteractiveShell.instance()
        shell.run_cell("import ferrograph as fg", store_history=True)
        shell.run_cell(
            "@fg.function\\ndef f(x):\\n    y = x + 1\\n    return y", store_history=True
        )
        shell.run_cell("_ = f(fg.constant(1)), f(fg.constant(2.0))", store_history=True)
        shell.run_cell("page = fg.inspect(f)", store_history=True)
        data = shell.user_ns["page"].data
        print({s["file"]: s["lines"] for s in data["sources"]}["In [2]"][2].strip())
        (graph,) = data["traces"][0]["graphs"]
        print([n["line"][:2] for n in graph["nodes"] if n["op"] == "AddV2"])
        print(data["retraces"][1]["call_site"].partition(":")[0])
    """)
    assert done.stdout.splitlines() == ["y = x + 1", "[['In [2]', 3]]", "In [3]"]


def test_a_page_is_saved(tmp_path):
    f = fg.function(lambda x: x + 1)
    f(fg.constant(1))
    page = fg.inspect(f)
    page.save(tmp_path / "page.html")
    page.save(tmp_path / "data.json")
    assert (tmp_path / "page.html").read_text("utf-8") == page.html
    assert json.loads((tmp_path / "data.json").read_text("utf-8")) == page.data


def asked(port, host=None, path="/", method="GET"):
    """The status and the body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def port_of(address):
    return int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", address)[1])


def check_server(port, page):
    assert asked(port) == (200, page)
    assert asked(port, host=f"localhost:{port}") == (200, page)
    assert asked(port, host="attacker.example")[0] == 421
    assert asked(port, host=f"attacker.example:{port}")[0] == 421
    assert asked(port, path="/other")[0] == 404
    assert asked(port, method="POST")[0] in (405, 501)


def test_a_page_is_served_to_this_machine():
    page = fg.inspect(fg.function(lambda x: x))
    port = port_of(page.serve())
    check_server(port, page.html)
    with pytest.raises(fg.errors.UnavailableError, match=f"port {port} of 127.0.0.1"):
        fg.inspect(fg.function(lambda x: x)).serve(port)
    page.close()
    page.close()
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        pass


def test_show_opens_a_browser(monkeypatch):
    import webbrowser

    found = []

    def opened(address):
        with urllib.request.urlopen(address, timeout=20) as answer:
            found.append(answer.read().decode())
        return True

    monkeypatch.setattr(webbrowser, "open", opened)
    page = fg.inspect(fg.function(lambda x: x))
    page.show()
    assert found == [page.html]


def test_show_says_where_there_is_no_browser(monkeypatch, capsys):
    import webbrowser

    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    fg.inspect(fg.function(lambda x: x)).show()
    assert "no browser was found" in capsys.readouterr().out


@pytest.fixture
def served():
    """Runs ``ferrograph inspect --serve`` and gives the port; it is interrupted at the end."""
    running = []

    def serve(path):
        process = subprocess.Popen(
            [*COMMAND, "inspect", "--serve", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        line = process.stdout.readline()
        assert line, process.stderr.read()
        return port_of(line.split()[0])

    yield serve
    for process in running:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (130, "", "")


def test_the_program_serves_a_saved_model(tmp_path, served):
    class Model(fg.Module):
        def __init__(self):
            self.w = fg.Variable([[1.0, 2.0]])

        @fg.function(input_signature=[fg.TensorSpec([2, 1], fg.float32, name="x")])
        def call(self, x):
            if fg.reduce_sum(x) > 0.0:
                return x @ self.w
            return x @ -self.w

    fg.saved_model.save(Model(), str(tmp_path / "model"))
    port = served(tmp_path / "model")
    status, page = asked(port)
    assert status == 200
    check_server(port, page)
    data = data_of(page)
    assert data["title"] == "model"
    names = [trace["name"] for trace in data["traces"]]
    assert "serving_default" in names and "call" in names
    trace = data["traces"][names.index("call")]
    assert trace["signature"] == "x: float32[2,1]"
    assert trace["plan"]["steps"]
    operations = {node["op"] for graph in trace["graphs"] for node in graph["nodes"]}
    assert "MatMul" in operations


def test_the_program_serves_a_trace(tmp_path, served):
    f = fg.function(lambda x: x @ x)
    with fg.profile() as taken:
        f(fg.ones([8, 8]))
    taken.to_chrome_trace(tmp_path / "trace.json")
    data = data_of(asked(served(tmp_path / "trace.json"))[1])
    assert data["title"] == "trace.json" and data["traces"] == []
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert data["profile"] == {"steps": None, "events": events}


def test_the_program_serves_saved_data(tmp_path, served):
    f = fg.function(lambda x: x + 1)
    f(fg.constant(1))
    page = fg.inspect(f)
    page.save(tmp_path / "data.json")
    assert asked(served(tmp_path / "data.json")) == (200, page.html)


def test_a_port_that_is_taken_is_named(tmp_path):
    (tmp_path / "trace.json").write_text("[]")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*COMMAND, "inspect", f"--serve={port}", str(tmp_path / "trace.json")],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"ferrograph: port {port} of 127.0.0.1 can't be served: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "needs JSON"),
        ('{"a": 1}', "holds neither a Chrome trace"),
        ("\xff", "can't be read as text"),
    ],
)
def test_other_files_are_refused(tmp_path, text, said):
    (tmp_path / "a.json").write_bytes(text.encode("latin-1"))
    done = subprocess.run(
        [*COMMAND, "inspect", "--serve", str(tmp_path / "a.json")], capture_output=True, text=True
    )
    assert done.returncode == 1 and said in done.stderr
    assert len(done.stderr.splitlines()) == 1
