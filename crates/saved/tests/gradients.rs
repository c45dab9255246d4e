//! Gradients that models register: found, damaged, and without what they need.

use ferrograph_formats::messages::{
    FunctionDef, SavedKind, SavedModel, SavedObjectGraph, Structure, StructuredList,
    StructuredValue,
};
use ferrograph_graph::Graph;
use ferrograph_saved::SavedFile;
use ferrograph_tensor::{ErrorKind, Result};
use prost::Message;
use std::path::Path;
use std::sync::Arc;

fn recorded() -> SavedModel {
    let path = "../../tests/saved/gradients/recorded/model/saved_model.pb";
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    SavedModel::decode(&bytes[..]).unwrap()
}

fn library(model: &mut SavedModel) -> &mut Vec<FunctionDef> {
    let graph = model.meta_graphs[0].graph_def.as_mut().unwrap();
    &mut graph.library.as_mut().unwrap().function
}

fn objects(model: &mut SavedModel) -> &mut SavedObjectGraph {
    model.meta_graphs[0].object_graph_def.as_mut().unwrap()
}

/// The functions that are gradients.
fn gradients(model: &SavedModel) -> Vec<String> {
    let graph = model.meta_graphs[0].graph_def.as_ref().unwrap();
    let registered = &graph.library.as_ref().unwrap().registered_gradients;
    registered.iter().map(|g| g.gradient_func.clone()).collect()
}

/// All functions of a model, each sound.
fn read(model: SavedModel) -> Result<Vec<Arc<Graph>>> {
    let file = SavedFile::of(model, None)?;
    let mut functions = file.functions();
    let names = file.function_names();
    let graphs = names
        .iter()
        .map(|n| Ok(file.concrete(&mut functions, n)?.graph));
    let graphs = graphs.collect::<Result<Vec<_>>>()?;
    assert!(
        graphs
            .iter()
            .all(|g| ferrograph_graph::verify(g).is_empty())
    );
    Ok(graphs)
}

/// How many nodes there are of an operation, in regions, too.
fn count(graph: &Graph, op: &str) -> usize {
    let nodes = graph.nodes.iter().map(|n| {
        let regions = n.op.regions();
        let inside: usize = regions.iter().map(|r| count(r.graph, op)).sum();
        inside + usize::from(n.op.name() == op)
    });
    nodes.sum()
}

fn total(graphs: &[Arc<Graph>], op: &str) -> usize {
    graphs.iter().map(|g| count(g, op)).sum()
}

#[test]
fn each_registered_gradient_is_found() {
    let graphs = read(recorded()).unwrap();
    assert!(total(&graphs, "CustomGradient") >= gradients(&recorded()).len());
}

#[test]
fn a_missing_function_is_named() {
    let mut model = recorded();
    let missing = gradients(&model)[0].clone();
    library(&mut model).retain(|f| f.signature.as_ref().unwrap().name != missing);
    let e = read(model).err().unwrap();
    assert_eq!(e.kind(), ErrorKind::NotFound);
    assert!(e.message().contains(&missing), "{}", e.message());
    assert!(e.message().contains("IdentityN"), "{}", e.message());
}

#[test]
fn a_gradient_of_other_arguments_is_refused() {
    for name in gradients(&recorded()) {
        let mut model = recorded();
        let function = library(&mut model).iter_mut();
        let mut function = function.filter(|f| f.signature.as_ref().unwrap().name == name);
        let signature = function.next().unwrap().signature.as_mut().unwrap();
        let mut more = signature.input_arg[0].clone();
        more.name = "more".into();
        signature.input_arg.insert(0, more);
        let text = read(model).err().unwrap().to_string();
        assert!(text.contains(&name) && text.contains("takes"), "{text}");
    }
}

#[test]
fn a_gradient_of_other_results_is_refused() {
    let name = gradients(&recorded())[0].clone();
    let values = vec![StructuredValue { kind: None }; 7];
    let many = Structure::List(StructuredList { values });
    for results in [None, Some(StructuredValue { kind: Some(many) })] {
        let mut model = recorded();
        let all = &mut objects(&mut model).concrete_functions;
        all.get_mut(&name).unwrap().output_signature = results;
        let text = read(model).err().unwrap().to_string();
        assert!(text.contains(&name) && text.contains("gives"), "{text}");
    }
}

/// What a gradient captured that does not reach it makes it unknown, not the model.
#[test]
fn tensors_that_are_not_there_leave_gradients_unknown() {
    let before = total(&read(recorded()).unwrap(), "ForeignGradient");
    for name in ["no_such_tensor:0", ""] {
        let mut model = recorded();
        for node in &mut objects(&mut model).nodes {
            if let Some(SavedKind::Captured(c)) = &mut node.kind {
                name.clone_into(&mut c.name);
            }
        }
        assert!(total(&read(model).unwrap(), "ForeignGradient") > before);
    }
    let mut model = recorded();
    for node in &mut objects(&mut model).nodes {
        if let Some(SavedKind::Captured(c)) = &mut node.kind {
            c.concrete_function = "no_such_function".into();
        }
    }
    assert!(total(&read(model).unwrap(), "ForeignGradient") > before);
}

/// A gradient that calls the function in which it stands is unknown.
#[test]
fn gradients_in_rings_are_unknown() {
    let mut model = recorded();
    let graph = model.meta_graphs[0].graph_def.as_mut().unwrap();
    let library = graph.library.as_mut().unwrap();
    let user = library.function.iter().find(|f| {
        f.node_def
            .iter()
            .any(|n| n.attr.contains_key("_gradient_op_type"))
            && f.signature.as_ref().unwrap().input_arg.len() == 1
    });
    let user = user.unwrap().signature.as_ref().unwrap().name.clone();
    let names: Vec<String> = library
        .registered_gradients
        .iter()
        .map(|g| g.gradient_func.clone())
        .collect();
    for function in &mut library.function {
        let name = &function.signature.as_ref().unwrap().name;
        if names.contains(name) {
            let call = ferrograph_formats::messages::NodeDef {
                name: "again".into(),
                op: user.clone(),
                input: vec![
                    function.signature.as_ref().unwrap().input_arg[0]
                        .name
                        .clone(),
                ],
                ..Default::default()
            };
            function.node_def.push(call);
        }
    }
    // Some call it with a tensor of another dtype: that is an error like any other.
    match read(model) {
        Ok(graphs) => assert!(total(&graphs, "ForeignGradient") > 0),
        Err(e) => assert!(!e.message().is_empty()),
    }
}
