//! Each invariant of the graph verifier, broken by itself.

use ferrograph_graph::{
    Branch, Decl, Graph, Inputs, Node, NodeId, Op, Region, Specs, Trace, ValueId, ValueInfo,
    op_object, text, verify,
};
use ferrograph_ops::{Identity, Placeholder, While};
use ferrograph_tensor::{DType, PartialShape, Result, Tensor, TensorSpec};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

const SOUND: &str = r#"graph "f" (%0, %1; %2) {
  %0 = Placeholder "x" {dtype: float32, shape: shape [3]} () : float32 [3]
  %1 = Placeholder "y" {dtype: float32, shape: shape [3]} () : float32 [3]
  %2 = Placeholder "capture" {dtype: resource, shape: shape []} () : resource []
  %3 = ReadVariableOp "read" {dtype: float32, shape: shape [3]} (%2) : float32 [3]
  %4 = AddV2 "add" (%0, %3) : float32 [3]
  %5 = PartitionedCall "call" {f: graph "g" (%0) {
    %0 = Placeholder "x" {dtype: float32, shape: shape [3]} () : float32 [3]
    %1 = Mul "mul" (%0, %0) : float32 [3]
    return %1
  }} (%4) after (n3) : float32 [3]
  %6 = Shape "shape" {out_type: int32} (%5) : int32 [1] known [3]
  %7 = Const "const" {value: tensor int32 [2] {7, 8}} () : int32 [2] is const
  return %5, %6
}"#;

fn sound() -> Graph {
    let graph = text::parse(SOUND, ferrograph_ops::registry()).unwrap();
    Arc::into_inner(graph).unwrap()
}

fn faults(graph: &Graph) -> Vec<String> {
    verify(graph).iter().map(ToString::to_string).collect()
}

/// Breaks a sound graph, and expects just this one fault.
#[track_caller]
fn breaks(how: impl FnOnce(&mut Graph), expected: &str) {
    let mut graph = sound();
    how(&mut graph);
    assert_eq!(faults(&graph), [format!("graph f: {expected}")]);
}

fn v(i: usize) -> ValueId {
    ValueId::new(i)
}

#[test]
fn a_sound_graph_has_no_fault() {
    assert_eq!(faults(&sound()), [""; 0]);
}

#[test]
fn values_come_from_earlier_nodes() {
    breaks(
        |g| g.nodes[4].inputs[1] = v(6),
        "node n4 add (AddV2): takes %6, which no earlier node makes",
    );
    breaks(
        |g| g.nodes[4].inputs[1] = v(99),
        "node n4 add (AddV2): takes %99, which no earlier node makes",
    );
}

#[test]
fn values_are_made_once_by_the_output_they_name() {
    breaks(
        |g| g.values[7].node = NodeId::new(4),
        "node n7 const (Const): output 0 is not %7",
    );
    breaks(
        |g| g.values[7].index = 1,
        "node n7 const (Const): output 0 is not %7",
    );
    breaks(
        |g| g.nodes[7].outputs[0] = v(6),
        "node n7 const (Const): output 0 is not %6",
    );
    breaks(
        |g| g.nodes[7].outputs[0] = v(99),
        "node n7 const (Const): output 0 is not %99",
    );
}

#[test]
fn inputs_are_placeholders() {
    breaks(
        |g| g.inputs.push(v(4)),
        "input %4 is not made by a Placeholder",
    );
    breaks(
        |g| g.inputs.push(v(99)),
        "input %99 is not made by a Placeholder",
    );
    breaks(|g| g.inputs.push(v(0)), "%0 is two inputs");
    breaks(
        |g| {
            g.inputs.remove(1);
        },
        "node n1 y (Placeholder): is no input",
    );
}

#[test]
fn arguments_come_before_captures() {
    breaks(|g| g.n_args = 4, "4 arguments among 3 inputs");
}

#[test]
fn outputs_are_made() {
    breaks(|g| g.outputs.push(v(8)), "output %8 is not made");
}

#[test]
fn names_are_unique() {
    breaks(
        |g| g.nodes[4].name = "x".into(),
        "node n4 x (AddV2): the name is taken",
    );
}

#[test]
fn control_predecessors_come_earlier() {
    breaks(
        |g| g.nodes[5].control = smallvec![NodeId::new(5)],
        "node n5 call (PartitionedCall): runs after n5, which does not come earlier",
    );
    breaks(
        |g| g.nodes[5].control = smallvec![NodeId::new(99)],
        "node n5 call (PartitionedCall): runs after n99, which does not come earlier",
    );
}

#[test]
fn recorded_types_are_those_inferred() {
    let mut graph = sound();
    graph.values[4].spec.shape = PartialShape::of_rank(2);
    assert_eq!(
        faults(&graph),
        [
            "graph f: node n4 add (AddV2): %4 is float32[3], recorded as float32[?,?]",
            "graph f: node n5 call (PartitionedCall): region g takes float32[3] as input 0 and is fed float32[?,?]",
        ]
    );
    breaks(
        |g| g.values[6].spec.dtype = DType::Int64,
        "node n6 shape (Shape): %6 is int32[1], recorded as int64[1]",
    );
    let mut open = sound();
    open.values[4].spec.shape = PartialShape::UNKNOWN;
    assert_eq!(faults(&open), [""; 0], "an open type fits");
}

#[test]
fn nodes_have_as_many_outputs_as_inferred() {
    let more = |g: &mut Graph| {
        g.nodes[7].outputs.push(v(8));
        g.values.push(ValueInfo {
            node: NodeId::new(7),
            index: 1,
            spec: TensorSpec::scalar(DType::Int32),
            constant: None,
            known: None,
        });
    };
    breaks(more, "node n7 const (Const): has 2 outputs, should have 1");
}

#[test]
fn inference_accepts_the_inputs() {
    let mut graph = sound();
    graph.nodes[4].inputs[1] = v(2);
    let found = faults(&graph);
    let [fault] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(
        fault.starts_with("graph f: node n4 add (AddV2): is refused by inference: "),
        "{fault}"
    );
}

#[test]
fn constants_fit_their_types() {
    let constant = |t: Tensor| move |g: &mut Graph| g.values[4].constant = Some(Box::new(t));
    breaks(
        constant(Tensor::vector(&[1.0f32]).unwrap()),
        "node n4 add (AddV2): %4 of float32[3] is the constant float32[1]",
    );
    breaks(
        constant(Tensor::vector(&[1i32, 2, 3]).unwrap()),
        "node n4 add (AddV2): %4 of float32[3] is the constant int32[3]",
    );
}

#[test]
fn known_elements_fit_types_and_constants() {
    breaks(
        |g| g.values[4].known = Some(Box::new(smallvec![None; 3])),
        "node n4 add (AddV2): %4 of float32[3] has 3 known elements",
    );
    breaks(
        |g| g.values[7].known = Some(Box::new(smallvec![None])),
        "node n7 const (Const): %7 of int32[2] has 1 known elements",
    );
    breaks(
        |g| g.values[7].known = Some(Box::new(smallvec![None, Some(9)])),
        "node n7 const (Const): %7 is [7, 8], known as [None, Some(9)]",
    );
    breaks(
        |g| g.values[6].known = Some(Box::new(smallvec![Some(9)])),
        "node n6 shape (Shape): %6 is known as [Some(9)], which is [Some(3)]",
    );
    let mut agrees = sound();
    agrees.values[7].known = Some(Box::new(smallvec![None, Some(8)]));
    assert_eq!(faults(&agrees), [""; 0]);
}

#[test]
fn what_reads_a_resource_takes_one() {
    let mut graph = sound();
    graph.nodes[3].inputs[0] = v(0);
    let found = faults(&graph).join("\n");
    assert!(
        found.contains("node n3 read (ReadVariableOp): has the effect Reads and takes no resource"),
        "{found}"
    );
}

#[test]
fn regions_are_verified() {
    let mut inner = Graph::new(
        "inner".into(),
        sound().nodes,
        sound().values,
        sound().inputs,
        2,
        sound().outputs,
    );
    inner.nodes[4].name = "x".into();
    let broken = Arc::new(inner);
    breaks_in_region(&broken);
}

/// A call of a broken graph: the fault is found at its place, and once.
fn breaks_in_region(broken: &Arc<Graph>) {
    let mut graph = sound();
    let call = ferrograph_ops::Call::of(broken.clone());
    graph.nodes[5].op = Arc::new(call);
    graph.nodes[5].inputs = smallvec![v(0), v(1), v(2)];
    graph.nodes[5].outputs.push(v(8));
    graph.values.push(ValueInfo {
        node: NodeId::new(5),
        index: 1,
        spec: TensorSpec::new(DType::Int32, PartialShape::of_rank(1)),
        constant: None,
        known: None,
    });
    assert_eq!(
        faults(&graph),
        ["graph inner: node n4 x (AddV2): the name is taken"]
    );
}

/// Runs a graph, and says that this has no effect.
#[derive(Debug)]
struct Understated(Arc<Graph>);

impl Op for Understated {
    op_object!();
    fn decl(&self) -> &'static Decl {
        static DECL: Decl = Decl::new("Understated", &[], &[]);
        &DECL
    }
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(Specs::new())
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        smallvec![Region::call(&self.0)]
    }
}

#[test]
fn an_operation_has_no_weaker_effect_than_its_regions() {
    const PRINTS: &str = r#"graph "prints" () {
      %0 = Const "text" {value: tensor string [] {"text"}} () : string [] is const
      PrintV2 "print" (%0)
      return
    }"#;
    let prints = text::parse(PRINTS, ferrograph_ops::registry()).unwrap();
    let mut graph = sound();
    graph.nodes.push(Node {
        op: Arc::new(Understated(prints)),
        inputs: smallvec![],
        outputs: smallvec![],
        control: smallvec![],
        name: "calm".into(),
        origin: None,
    });
    assert_eq!(
        faults(&graph),
        ["graph f: node n8 calm (Understated): region prints has the effect World, its node Pure"]
    );
}

#[test]
fn a_breach_ends_a_trace_with_a_list() {
    let trace = Trace::new("f", None);
    let spec = TensorSpec::scalar(DType::Float32);
    let x = trace.add_arg(Arc::new(Placeholder::from(spec)), "x", None);
    let x = x.unwrap();
    trace.add(Arc::new(Identity), &[x], None, None).unwrap();
    trace
        .with_builder(|b| b.value_mut(v(1)).spec.dtype = DType::Bool)
        .unwrap();
    let error = trace.seal(vec![x]).err().unwrap().to_string();
    assert!(
        error.contains("graph f: node n1 Identity (Identity): %1 is float32[], recorded as bool[]"),
        "{error}"
    );
}

const LOOP: &str = r#"graph "f" (%0, %1; %2) {
  %0 = Placeholder "x" {dtype: float32, shape: shape [3]} () : float32 [3]
  %1 = Placeholder "p" {dtype: bool, shape: shape []} () : bool []
  %2 = Placeholder "capture" {dtype: resource, shape: shape []} () : resource []
  %3 = StatelessWhile "while" {
    cond: graph "cond" (%0) {
      %0 = Placeholder "p" {dtype: bool, shape: shape []} () : bool []
      return %0
    }, cond_inputs: ints [1],
    body: graph "body" (%0) {
      %0 = Placeholder "x" {dtype: float32, shape: shape [3]} () : float32 [3]
      return %0
    }, body_inputs: ints [0],
    T: dtypes [float32], output_shapes: shapes [[3]]
  } (%0, %1, %2) : float32 [3]
  return %3
}"#;

/// A loop with these regions in the place of its own.
fn faults_of_loop(change: impl FnOnce(&mut Graph, &mut Graph, &mut [Vec<u32>; 2])) -> Vec<String> {
    let parsed = text::parse(LOOP, ferrograph_ops::registry()).unwrap();
    let mut graph = Arc::into_inner(parsed).unwrap();
    let op = graph.nodes[3].op.clone();
    let op = op.downcast::<While>().unwrap();
    let (mut cond, mut body) = (copy(&op.cond.graph), copy(&op.body.graph));
    let mut inputs = [op.cond.inputs.clone(), op.body.inputs.clone()];
    change(&mut cond, &mut body, &mut inputs);
    let [cond_inputs, body_inputs] = inputs;
    let branch = |graph: Graph, inputs| Branch {
        graph: Arc::new(graph),
        inputs,
    };
    graph.nodes[3].op = Arc::new(While {
        cond: branch(cond, cond_inputs),
        body: branch(body, body_inputs),
        vars: op.vars.clone(),
        recorded: None,
    });
    faults(&graph)
}

fn copy(graph: &Graph) -> Graph {
    Graph::new(
        graph.name.clone(),
        graph.nodes.clone(),
        graph.values.clone(),
        graph.inputs.clone(),
        graph.n_args,
        graph.outputs.clone(),
    )
}

#[test]
fn regions_are_fed_what_they_take() {
    assert_eq!(faults_of_loop(|_, _, _| ()), [""; 0]);
    let at = "graph f: node n3 while (StatelessWhile): region";
    let found = faults_of_loop(|_, _, inputs| inputs[1] = vec![0, 1]);
    assert_eq!(found, [format!("{at} body takes 1 inputs and is fed 2")]);
    let found = faults_of_loop(|_, _, inputs| inputs[1] = vec![9]);
    assert_eq!(
        found,
        [format!("{at} body is fed input 9, which there is not")]
    );
    let found = faults_of_loop(|_, _, inputs| inputs[0] = vec![0]);
    let text = "cond takes bool[] as input 0 and is fed float32[3]";
    assert_eq!(found, [format!("{at} {text}")]);
}

#[test]
fn regions_give_what_their_role_says() {
    let at = "graph f: node n3 while (StatelessWhile): region";
    let found = faults_of_loop(|cond, _, _| cond.outputs.clear());
    assert_eq!(found, [format!("{at} cond is a condition and gives ()")]);
    let found = faults_of_loop(|_, body, _| {
        body.values[0].spec.shape = PartialShape::of_rank(1);
        body.nodes[0].op = Arc::new(Placeholder::from(TensorSpec::new(
            DType::Float32,
            PartialShape::of_rank(1),
        )));
    });
    assert_eq!(found, [""; 0], "an open type fits");
    let found = faults_of_loop(|_, body, _| {
        let spec = TensorSpec::scalar(DType::Float32);
        body.values[0].spec = spec.clone();
        body.nodes[0].op = Arc::new(Placeholder::from(spec));
    });
    let fed = format!("{at} body takes float32[] as input 0 and is fed float32[3]");
    let given = format!("{at} body gives (float32[]), should give (float32[3])");
    assert_eq!(found, [fed, given]);
}
