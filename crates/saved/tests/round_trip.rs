//! Graphs of text to messages and back.

use ferrograph_formats::messages::{FunctionDefLibrary, GraphDef, SavedModel};
use ferrograph_graph::text;
use ferrograph_saved::{Functions, Library, fingerprint_of, graph_message, graph_of, model_of};
use ferrograph_tensor::ErrorKind;
use prost::Message;
use std::sync::Arc;

/// A branch on a variable.
const BRANCHES: &str = include_str!("branches.txt");

fn parsed(text: &str) -> Arc<ferrograph_graph::Graph> {
    text::parse(text, ferrograph_data::registry()).unwrap()
}

#[test]
fn branches_come_back_as_they_run() {
    let graph = parsed(BRANCHES);
    let mut library = Library::new();
    let name = library.add(&graph).unwrap();
    let bytes = library.finish().encode_to_vec();
    let library = FunctionDefLibrary::decode(&bytes[..]).unwrap();
    let back = Functions::new(&library).graph(&name).unwrap();
    assert!(ferrograph_graph::verify(&back).is_empty());
    assert_eq!(back.inputs.len(), 2);
    let specs = |g: &ferrograph_graph::Graph| g.output_specs().cloned().collect::<Vec<_>>();
    assert_eq!(specs(&back), specs(&graph));
    let ops: Vec<_> = back.nodes.iter().map(|n| n.op.name()).collect();
    assert_eq!(
        ops,
        [
            "Placeholder",
            "Placeholder",
            "ReadVariableOp",
            "Const",
            "Greater",
            "StatelessIf"
        ]
    );
}

/// What comes after a call waits for all of it, also for what only reads: who joins functions would else be free to run a
/// later write before that.
#[test]
fn what_follows_a_call_waits_for_its_reads() {
    let mut library = Library::new();
    library.add(&parsed(BRANCHES)).unwrap();
    let function = library.finish().function.pop().unwrap();
    let reads = function.node_def.iter();
    let reads = reads.filter(|node| node.op == "ReadVariableOp");
    let reads: Vec<_> = reads.map(|node| &node.name).collect();
    assert_eq!(reads.len(), 1);
    assert!(function.control_ret.contains_key(reads[0]));
    assert!(
        function
            .signature
            .unwrap()
            .control_output
            .contains(reads[0])
    );
}

#[test]
fn graphs_name_outputs_by_numbers() {
    let graph = parsed(BRANCHES);
    let message = graph_message(&graph).unwrap();
    let bytes = message.encode_to_vec();
    let message = GraphDef::decode(&bytes[..]).unwrap();
    let (inputs, outputs) = (["x".to_owned(), "v:0".to_owned()], ["if".to_owned()]);
    let back = graph_of(&message, "g", &inputs, &outputs, None).unwrap();
    assert!(ferrograph_graph::verify(&back).is_empty());
    assert_eq!(back.nodes.len(), graph.nodes.len());
}

#[test]
fn damaged_libraries_are_read_or_refused() {
    let mut library = Library::new();
    let name = library.add(&parsed(BRANCHES)).unwrap();
    let whole = library.finish().encode_to_vec();
    let mut refused = 0;
    for bit in 0..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let read = FunctionDefLibrary::decode(&damaged[..]);
        let graph = read.map(|l| Functions::new(&l).graph(&name).is_err());
        refused += usize::from(graph.unwrap_or(true));
    }
    assert!(refused > whole.len());
}

#[test]
fn functions_may_call_themselves_and_rings_are_refused() {
    use ferrograph_formats::messages::{
        AttrContent, AttrValue, FunctionDef, NameAttrList, NodeDef, OpDef,
    };
    let func = NameAttrList {
        name: "f".into(),
        ..NameAttrList::default()
    };
    let value = Some(AttrContent::Func(Box::new(func)));
    let call = NodeDef {
        name: "call".into(),
        op: "PartitionedCall".into(),
        attr: [("f".to_owned(), AttrValue { value })].into(),
        ..NodeDef::default()
    };
    let function = FunctionDef {
        signature: Some(OpDef {
            name: "f".into(),
            ..OpDef::default()
        }),
        node_def: vec![call],
        ..FunctionDef::default()
    };
    let mut library = FunctionDefLibrary {
        function: vec![function],
        ..FunctionDefLibrary::default()
    };
    let graph = Functions::new(&library).graph("f").unwrap();
    assert!(graph.nodes[0].op.name().ends_with("RecursiveCall"));
    library.function[0].node_def[0].input = vec!["^call".into()];
    let e = Functions::new(&library).graph("f").err().unwrap();
    assert!(e.message().contains("follows itself"), "{}", e.message());
    library.function[0].node_def[0].op = "NoSuchOperation".into();
    library.function[0].node_def[0].input.clear();
    let e = Functions::new(&library).graph("f").err().unwrap();
    let text = e.message();
    assert!(
        text.contains("\"call\"") && text.contains("NoSuchOperation"),
        "{text}"
    );
}

#[test]
fn a_fingerprint_tells_of_each_flipped_bit() {
    let model = SavedModel {
        saved_model_schema_version: 1,
        meta_graphs: Vec::new(),
    };
    let bytes = model.encode_to_vec();
    let print = fingerprint_of(&bytes, "u");
    assert!(model_of(&bytes, Some(&print)).is_ok());
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let e = model_of(&damaged, Some(&print)).err().unwrap();
        assert_eq!(e.kind(), ErrorKind::DataLoss);
    }
}
