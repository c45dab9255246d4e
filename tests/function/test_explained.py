"""Graphs, plans and reports of traces as text, pictures and pages."""

import html.parser
import re
import time

import ferrograph as fg
import pytest


@fg.function
def settled(x, n):
    while n > 0:
        x = x * 2.0 if fg.reduce_sum(x) > 3.0 else x - 1.0
        n -= 1
    return x


@pytest.fixture
def graph():
    concrete = settled.get_concrete_function(
        fg.TensorSpec([3], fg.float32), fg.TensorSpec([], fg.int32)
    )
    return concrete.graph


def chain(n):
    def f(x):
        for _ in range(n // 2):
            x = x * 0.5 + 1.0
        return x

    return fg.function(f).get_concrete_function(fg.TensorSpec([], fg.float32)).graph


class Page(html.parser.HTMLParser):
    """What a page holds: its tags, that they close, and its text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data + " "


def test_a_graph_prints_as_its_text(graph):
    lines = str(graph).splitlines()
    assert re.fullmatch(r'graph "__inference_settled_\d+" \(%0, %1\) \{', lines[0])
    assert any("StatelessWhile" in line for line in lines)
    assert repr(graph) == f"<Graph {graph.name!r}>"


def test_a_graph_that_is_built_has_no_text_yet():
    seen = []

    @fg.function
    def f(x):
        inside = (x + 1.0).graph
        seen.append((str(inside), inside._repr_html_()))
        with pytest.raises(ValueError, match="still being built"):
            inside.to_dot()
        return x

    f(fg.constant(1.0))
    assert seen == [("<Graph 'graph'>", None)]


def test_dot_draws_each_node_once_with_what_it_holds_inside(graph):
    dot = graph.to_dot()
    assert dot.count("{") == dot.count("}")
    names = re.findall(r"^ *(n\w*) \[", dot, flags=re.MULTILINE)
    assert len(names) == len(set(names)) > 15
    edges = re.findall(r"^ *(n\w*) -> (n\w*) ", dot, flags=re.MULTILINE)
    assert {end for edge in edges for end in edge} <= set(names)
    for held in ("while_cond", "while_body", "cond_true", "cond_false"):
        assert f'label="{held}"' in dot
    assert 'label="float32 [3]"' in dot


def test_dot_escapes_names():
    f = fg.function(lambda x: x + 1.0, experimental_implements=None)
    f._name = 'a"b\\c'
    dot = f.get_concrete_function(fg.TensorSpec([], fg.float32)).graph.to_dot()
    assert dot.startswith('digraph "__inference_a')
    assert len(re.findall(r'(?<!\\)(?:\\\\)*"', dot.splitlines()[0])) == 2


def test_the_page_of_a_graph_is_escaped_and_by_itself(graph):
    text = graph._repr_html_()
    page = Page(text)
    for word in ("StatelessWhile", "cond_true", "int32 []", "test_explained.py"):
        assert word in page.text
    assert "&lt;" in text
    assert not any("src" in attrs or "href" in attrs for _, attrs in page.tags)


def test_the_page_of_2000_nodes_is_small_and_quick():
    graph = chain(2000)
    begin = time.process_time()
    text = graph._repr_html_()
    assert time.process_time() - begin < 2.0
    assert len(text) < 1 << 20
    assert Page(text).text.count("AddV2") >= 1000


def test_a_plan_is_explained():
    f = fg.function(lambda x, n: fg.tanh(x["a"]) * 2.0 + n)
    text = f.explain_plan({"a": fg.ones([80, 80])}, 1.0)
    head, plan = text.split("\n", 1)
    assert re.match(r"1 steps of 3 operations, \d+ flops a call, 0 bytes shared", head)
    assert plan.startswith('plan "__inference_')
    assert "<pre>" in text._repr_html_() and "&quot;" in text._repr_html_()
    assert f.experimental_get_tracing_count() == 1


def test_the_cost_of_a_loop_is_that_of_an_iteration():
    @fg.function
    def f(n):
        i = fg.constant(0)
        while i < n:
            i += 1
        return i

    head = f.explain_plan(fg.constant(3)).partition("\n")[0]
    assert "operations, 3 flops a call with one iteration of each loop, " in head


def test_the_plan_of_a_method_is_explained():
    class Scale(fg.Module):
        def __init__(self):
            super().__init__()
            self.by = fg.Variable(2.0)

        @fg.function
        def __call__(self, x):
            return x * self.by

    assert "Mul" in Scale().__call__.explain_plan(fg.ones([2]))


def test_a_plan_of_wrong_arguments_is_refused():
    f = fg.function(lambda x: x)
    with pytest.raises(TypeError, match="x"):
        f.explain_plan()


def test_reports_of_traces_print_as_before_and_show_themselves():
    f = fg.function(lambda x: x + 1)
    f(fg.constant(1)), f(fg.constant(2.0))
    for text in (f.explain(), fg.trace_report()):
        assert isinstance(text, str) and f"{text}" == str(text)
        assert "&lt;lambda&gt;" in text._repr_html_()
