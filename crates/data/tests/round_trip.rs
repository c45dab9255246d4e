//! Every registered operation is made, printed, read back and found the same.

use ferrograph_data::registry;
use ferrograph_graph::{Attr, Graph, GraphBuilder, Node, OpRef, Role, text};
use ferrograph_ops::Placeholder;
use ferrograph_tensor::{DType, Dim, Error, PartialShape, Tensor, TensorSpec};
use smallvec::smallvec;
use std::sync::Arc;

type Named = (String, Attr);

/// A graph that gives its only input.
fn passing() -> Attr {
    let mut b = GraphBuilder::new("passing");
    let spec = TensorSpec::new(DType::Float32, PartialShape::new(&[Dim::UNKNOWN]));
    let node = b.add(Arc::new(Placeholder::from(spec)), &[], None, None);
    let input = b.node(node.unwrap()).outputs[0];
    Attr::Graph(Arc::new(b.finish(vec![input], 1, vec![input])))
}

/// Any value of a kind, by the name that errors give the kind.
fn sample(kind: &str) -> Attr {
    let shape = PartialShape::new(&[Dim::UNKNOWN, Dim::new(2)]);
    match kind {
        "Bool" => Attr::Bool(true),
        "Int" => Attr::Int(1),
        "Float" => Attr::Float(0.1),
        "Str" => Attr::str("a \"word\"\n"),
        "DType" => Attr::DType(DType::Float32),
        "Shape" => Attr::Shape(shape),
        "Bools" => Attr::Bools(vec![true, false]),
        "Ints" => Attr::Ints(vec![0]),
        "Floats" => Attr::Floats(vec![0.1, -0.0]),
        "Strs" => Attr::Strs(vec![b"\xff".as_slice().into()]),
        "DTypes" => Attr::DTypes(vec![DType::Float32, DType::Int64]),
        "Shapes" => Attr::Shapes(vec![shape, PartialShape::UNKNOWN]),
        "Tensor" => Attr::Tensor(Tensor::vector(&[0.1f32, f32::NAN]).unwrap()),
        "Graph" => passing(),
        other => panic!("no value of kind {other}"),
    }
}

/// What an operation demands of attributes beyond their kinds.
fn demanded(op: &str) -> Vec<(&'static str, Attr)> {
    match op {
        "MirrorPad" | "MirrorPadGrad" => vec![("mode", Attr::str("SYMMETRIC"))],
        "RangeDataset" => vec![
            ("output_types", Attr::DTypes(vec![DType::Int64])),
            ("output_shapes", Attr::Shapes(vec![PartialShape::scalar()])),
        ],
        _ => vec![],
    }
}

/// The attribute and kind that an error says is missing.
fn missing(e: &Error) -> Option<(&str, &str)> {
    let (_, rest) = e.message().split_once("attribute ")?;
    let (name, rest) = rest.split_once(" (")?;
    let (kind, _) = rest.split_once(") is missing")?;
    Some((name, kind))
}

/// The attribute and a value of it that an error names as one that it may have.
fn allowed(e: &Error) -> Option<(&str, &str)> {
    let (before, rest) = e.message().split_once(" must be \"")?;
    Some((before.rsplit(' ').next()?, rest.split_once('"')?.0))
}

/// The operation of that name with samples of all the attributes that it asks for.
fn made(name: &str) -> OpRef {
    let demanded = demanded(name).into_iter();
    let mut attrs: Vec<Named> = demanded.map(|(n, a)| (n.to_owned(), a)).collect();
    loop {
        let refused = match registry().make(name, &attrs) {
            Ok(op) => return op,
            Err(e) => e,
        };
        if let Some((attr, value)) = allowed(&refused)
            && let Some(given) = attrs.iter_mut().find(|(n, _)| n == attr)
            && given.1 != Attr::str(value)
        {
            given.1 = Attr::str(value);
            continue;
        }
        let Some((attr, kind)) = missing(&refused) else {
            panic!("{name} is refused: {refused}");
        };
        assert!(attrs.iter().all(|(n, _)| n != attr), "{refused}");
        attrs.push((attr.to_owned(), sample(kind)));
    }
}

fn graph_of(op: OpRef) -> Graph {
    let node = Node {
        op,
        inputs: smallvec![],
        outputs: smallvec![],
        control: smallvec![],
        name: "node".into(),
        origin: None,
    };
    Graph::new("f".into(), vec![node], vec![], vec![], 0, vec![])
}

/// Attributes are equal; graphs, which are equal only as themselves, print the same.
fn assert_same(a: &OpRef, b: &OpRef) {
    let (x, y) = (a.attrs(), b.attrs());
    assert_eq!(a.name(), b.name());
    assert_eq!(x.iter().count(), y.iter().count(), "{x:?} and {y:?}");
    for ((n, x), (m, y)) in x.iter().zip(y.iter()) {
        let is_same = match (x, y) {
            (Attr::Graph(x), Attr::Graph(y)) => text::print(x) == text::print(y),
            _ => x == y,
        };
        assert!(n == m && is_same, "{}: {n} {x:?} and {m} {y:?}", a.name());
    }
}

#[test]
fn every_operation_comes_back_from_its_text() {
    let names = registry().names();
    assert!(names.len() > 250, "{}", names.len());
    for name in names {
        let op = made(name);
        let printed = text::print(&graph_of(op.clone()));
        let back = text::parse(&printed, registry()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_same(&op, &back.nodes[0].op);
        assert!(
            *op == *made(name) || op.attrs().iter().any(|(_, a)| matches!(a, Attr::Graph(_))),
            "{name} does not equal itself"
        );
    }
}

#[test]
fn operations_are_rebuilt_with_the_graphs_they_hold() {
    for name in registry().names() {
        let op = made(name);
        let regions = op.regions();
        if regions.is_empty() || regions.iter().any(|r| r.role == Role::Function) {
            continue;
        }
        let same = regions.iter().map(|r| r.with(r.graph.clone())).collect();
        let again = op.with_regions(same).expect("it takes graphs");
        assert!(*op == *again, "{name} comes back as {again:?}");
    }
}
