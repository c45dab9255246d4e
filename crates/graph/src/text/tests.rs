//! Round trips and refusals, over a registry of two made-up operations.

use super::{parse, print};
use crate::{
    Attr, AttrDecl, AttrKind, Attrs, Decl, Graph, GraphBuilder, Inputs, Kind, NodeId, Op, Port,
    Registry, Specs, op_object, verify,
};
use ferrograph_tensor::{
    Complex32, DType, Dim, Object, PartialShape, Result, Tensor, TensorSpec, bf16, f16,
};
use smallvec::smallvec;
use std::sync::Arc;

#[derive(Debug)]
struct Source(TensorSpec);

const fn attr(name: &'static str, kind: AttrKind) -> AttrDecl {
    AttrDecl {
        name,
        kind,
        default: None,
    }
}

static SOURCE: Decl = Decl {
    attrs: &[
        attr("dtype", AttrKind::DType),
        attr("shape", AttrKind::Shape),
    ],
    ..Decl::new("Placeholder", &[], &[])
};

impl Op for Source {
    op_object!();
    fn decl(&self) -> &'static Decl {
        &SOURCE
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("dtype", Attr::DType(self.0.dtype))
            .with("shape", Attr::Shape(self.0.shape.clone()))
    }
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![self.0.clone()])
    }
}

/// An operation that keeps whatever attribute `a` it is given, and gives two outputs like its two inputs.
#[derive(Debug)]
struct Any(Attr);

static ANY: Decl = Decl {
    attrs: &[attr("a", AttrKind::Int)],
    ..Decl::new("Any", &[Port::new("inputs", Kind::Each("T"))], &[])
};

impl Op for Any {
    op_object!();
    fn decl(&self) -> &'static Decl {
        &ANY
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("a", self.0.clone())
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![inputs.spec(0).clone(), inputs.spec(1).clone()])
    }
}

#[derive(Debug)]
struct Host;

impl Object for Host {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn registry() -> Registry {
    let mut r = Registry::new();
    r.row(&SOURCE, |a| {
        Ok(Arc::new(Source(TensorSpec::new(
            a.dtype("dtype")?,
            a.shape("shape")?,
        ))))
    });
    r.row(&ANY, |a| match a.find("a") {
        Some(a) => Ok(Arc::new(Any(a.clone()))),
        None => a.int("a").map(|i| Arc::new(Any(Attr::Int(i))) as _),
    });
    r
}

fn graph_of(attrs: &[Attr]) -> Graph {
    let mut b = GraphBuilder::new("f \"quoted\"");
    let spec = TensorSpec::new(
        DType::Float32,
        PartialShape::new(&[Dim::UNKNOWN, Dim::new(3)]),
    );
    let first = b.add(Arc::new(Source(spec)), &[], Some("x"), None).unwrap();
    let second = b.add(
        Arc::new(Source(TensorSpec::unknown(DType::Int32))),
        &[],
        Some("y"),
        None,
    );
    let (x, y) = (b.node(first).outputs[0], b.node(second.unwrap()).outputs[0]);
    b.value_mut(y).constant = Some(Box::new(Tensor::vector(&[1i32, -2]).unwrap()));
    let mut last = x;
    for attr in attrs {
        let node = b
            .add(Arc::new(Any(attr.clone())), &[x, y], None, None)
            .unwrap();
        b.add_control(node, &[NodeId::new(0), first]);
        last = b.node(node).outputs[1];
        b.value_mut(last).known = Some(Box::new(smallvec![None, Some(-3)]));
    }
    b.finish(vec![x, y], 1, vec![last, x])
}

fn attrs() -> Vec<Attr> {
    let words: Vec<Arc<[u8]>> = vec![b"a\"\n\\\xff".as_slice().into(), b"".as_slice().into()];
    let t = |t: Result<Tensor>| Attr::Tensor(t.unwrap());
    vec![
        Attr::Bool(true),
        Attr::Int(i64::MIN),
        Attr::Float(1.0),
        Attr::Float(1e300),
        Attr::Float(-0.0),
        Attr::Float(f64::NEG_INFINITY),
        Attr::Float(f64::INFINITY),
        Attr::Float(f64::from_bits(0x7ff8_0000_0000_0123)),
        Attr::Str(b"caf\xc3\xa9 \"\\\x00".as_slice().into()),
        Attr::DType(DType::BFloat16),
        Attr::Shape(PartialShape::UNKNOWN),
        Attr::Shape(PartialShape::scalar()),
        Attr::Ints(vec![]),
        Attr::Ints(vec![-1, 7]),
        Attr::DTypes(vec![DType::String, DType::Bool]),
        Attr::DTypes(vec![]),
        Attr::Bools(vec![true, false]),
        Attr::Bools(vec![]),
        Attr::Floats(vec![1.0, -0.0, f64::NAN, f64::NEG_INFINITY]),
        Attr::Floats(vec![]),
        Attr::Strs(vec![
            b"a, \"b\"".as_slice().into(),
            b"\xff".as_slice().into(),
        ]),
        Attr::Strs(vec![]),
        Attr::Shapes(vec![
            PartialShape::UNKNOWN,
            PartialShape::scalar(),
            PartialShape::new(&[Dim::UNKNOWN, Dim::new(0)]),
        ]),
        Attr::Shapes(vec![]),
        t(Tensor::from_slice([2, 0], &[0u8; 0])),
        t(Tensor::vector(&[
            0.1f32,
            f32::MIN_POSITIVE / 3.0,
            f32::NAN,
            -f32::INFINITY,
            -0.0,
        ])),
        t(Tensor::vector(&[
            f16::from_f32(0.1),
            f16::from_bits(0x7e01),
        ])),
        t(Tensor::vector(&[bf16::from_f32(3.25)])),
        t(Tensor::of_float8(
            DType::Float8E4M3FN,
            [4].into(),
            [1.5, -0.0, f64::NAN, -448.0].into_iter(),
        )),
        t(Tensor::scalar(Complex32::new(f32::NAN, -2.5))),
        t(Tensor::vector(&[true, false])),
        t(Tensor::scalar(u64::MAX)),
        t(Tensor::from_strings([2].into(), words)),
        Attr::Graph(Arc::new(graph_of(&[Attr::Int(1)]))),
    ]
}

#[test]
fn every_kind_of_attribute_comes_back() {
    let graph = graph_of(&attrs());
    let text = print(&graph);
    let back = parse(&text, &registry()).unwrap();
    assert_eq!(print(&back), text);
    assert!(verify(&back).is_empty(), "{:?}", verify(&back));
    assert_eq!(
        (back.n_args, back.inputs.len(), &*back.name),
        (1, 2, "f \"quoted\"")
    );
    for (a, b) in graph.nodes.iter().zip(&back.nodes) {
        let (a, b) = (a.op.attrs(), b.op.attrs());
        let holds_graph = matches!(a.get("a"), Some(Attr::Graph(_)));
        assert!(holds_graph || a == b, "{a:?} came back as {b:?}");
    }
}

#[test]
fn the_text_is_what_the_grammar_says() {
    let text = "graph \"f\" (%0; %1) {\n  \
         %0 = Placeholder \"x\" {dtype: float32, shape: shape [?,3]} () : float32 [?,3]\n  \
         %1 = Placeholder \"y\" {dtype: int32, shape: shape <unknown>} () : int32 <unknown> is int32 [2] {1, -2}\n  \
         %2, %3 = Any \"Any\" {a: 4} (%0, %1) after (n0) : float32 [?,3], float32 [?,3] known [?, 5]\n  \
         return %3\n}\n";
    assert_eq!(print(&parse(text, &registry()).unwrap()), text);
    let commented = text.replace("%0 = ", "// a comment, %9\n%0 = ");
    assert_eq!(print(&parse(&commented, &registry()).unwrap()), text);
}

#[test]
fn values_without_a_maker_are_numbered_away() {
    let mut graph = graph_of(&[Attr::Int(1), Attr::Int(2)]);
    graph.nodes.remove(2);
    let text = print(&graph);
    assert_eq!(print(&parse(&text, &registry()).unwrap()), text);
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let cases = [
        (
            "graph \"f\" () {\n  return %0\n}",
            "line 3: no node above makes %0",
        ),
        (
            "graph \"f\" () {\n  Nonsense \"x\" ()\n  return\n}",
            "line 2: Nonsense: there is no operation Nonsense",
        ),
        (
            "graph \"f\" () {\n\n  Any \"x\" {a: what} ()\n  return\n}",
            "line 3: expected the value of an attribute, got \"what\"",
        ),
        (
            "graph \"f\" () {\n  Any \"x\" {a: object \"f\"} ()\n  return\n}",
            "line 2: an object of the host language cannot be read from text",
        ),
        (
            "graph \"f\" () {\n  Any \"x\" {a: tensor int8 [2] {1, 300}} ()\n  return\n}",
            "line 2: \"300\" is no i8",
        ),
        (
            "graph \"f\" () {\n  Any \"x\" {a: tensor int8 [2] {1}} ()\n  return\n}",
            "line 2: 1 elements do not fill shape [2]",
        ),
        (
            "graph \"f\" () {\n  Any \"x ()\n  return\n}",
            "line 2: a string is not closed",
        ),
        (
            "graph \"f\" () {\n  Any \"x\" {a: 1} () after (n0)\n  return\n}",
            "line 2: n0 is no earlier node",
        ),
        (
            "graph \"f\" () { return } x",
            "line 1: expected the end, got \"x\"",
        ),
        ("graph \"f\" () {", "line 1: expected a name, got the end"),
        ("graph \"f\" () { # }", "line 1: unexpected character '#'"),
    ];
    for (text, message) in cases {
        assert_eq!(
            parse(text, &registry()).unwrap_err().message(),
            message,
            "{text}"
        );
    }
    let deep = "graph \"f\" () { Any \"x\" {a: ".repeat(5000);
    assert!(
        parse(&deep, &registry())
            .unwrap_err()
            .message()
            .contains("too deeply")
    );
    let far = "graph \"f\" () {\n%4000000000 = Any \"x\" {a: 1} () : int32 []\nreturn }";
    assert!(
        parse(far, &registry())
            .unwrap_err()
            .message()
            .contains("too large")
    );
}

#[test]
fn known_host_objects_are_left_out() {
    let text = "graph \"f\" (%0) {\n  %0 = Any \"x\" {a: 1} () : int32 [] is object \"a \\\"cell\\\"\"\n  return %0\n}";
    let graph = parse(text, &registry()).unwrap();
    assert!(graph.value(graph.outputs[0]).constant.is_none());
    assert!(!print(&graph).contains("object"));
}

#[test]
fn host_objects_print() {
    let graph = graph_of(&[Attr::Object(Arc::new(Host))]);
    assert!(print(&graph).contains("{a: object \"Host\"}"));
}

#[test]
fn damaged_text_never_panics() {
    let text = print(&graph_of(&attrs()));
    for end in (0..text.trim_end().len()).step_by(3) {
        assert!(parse(&text[..end], &registry()).is_err());
        let damaged = format!("{}{}", &text[..end], &text[(end + 2).min(text.len())..]);
        let _ = parse(&damaged, &registry());
    }
}
