//! What a graph that is being traced tells of its values.

use ferrograph_graph::{Leaves, Trace, Val, ValueId};
use ferrograph_ops::{Identity, LeafOps, Placeholder};
use ferrograph_tensor::{DType, Tensor, TensorSpec};
use std::sync::Arc;

fn id(val: &Val) -> ValueId {
    match val {
        Val::Sym(sym) => sym.value,
        Val::Eager(_) => panic!("an eager value"),
    }
}

#[test]
fn a_value_has_a_graph_of_its_own_unless_an_argument_is_behind_it() {
    let trace = Trace::new("f", None);
    let spec = TensorSpec::scalar(DType::Float32);
    let x = trace.add_arg(Arc::new(Placeholder::from(spec)), "x", None);
    let of_argument = trace.add(Arc::new(Identity), &[x.unwrap()], None, None);
    assert!(
        trace
            .behind(id(&of_argument.unwrap()[0]))
            .unwrap()
            .is_none()
    );

    let constant = trace
        .add(
            LeafOps.constant(Tensor::scalar(2.0f32).unwrap()),
            &[],
            None,
            None,
        )
        .unwrap();
    let of_constant = trace
        .add(Arc::new(Identity), &[id(&constant[0])], None, None)
        .unwrap();
    let (graph, captured) = trace.behind(id(&of_constant[0])).unwrap().unwrap();
    assert!(captured.is_empty() && graph.inputs.is_empty());
    assert_eq!(graph.outputs, [id(&of_constant[0])]);
    trace.seal(vec![]).unwrap();
}
