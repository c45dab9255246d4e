//! The files of `tests/passes`: a graph, and what passes make of it.
//!
//! ```text
//! // what the case shows
//! graph "f" (...) { ... }
//! ---- the name of a pass | all | effects
//! the graph after it, or "unchanged"; for effects the nodes with those that each must follow
//! ```
//!
//! Every part starts from the first graph. With `BLESS=1` in the environment the files are written anew instead of
//! compared.

use ferrograph_graph::{Graph, text, verify};
use ferrograph_transform::{effect_edges, optimised, pass_counts, run_pass};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a file says, with what passes make of its graph now.
fn actual(content: &str) -> String {
    let mut parts = content.split("---- ");
    let head = parts.next().unwrap();
    let mut actual = head.to_owned();
    for part in parts {
        let (name, _) = part.split_once('\n').expect("a name and a text");
        let graph = text::parse(head, ferrograph_ops::registry()).expect("a graph");
        assert!(verify(&graph).is_empty(), "{:?}", verify(&graph));
        write!(actual, "---- {name}\n{}", made(&graph, name)).unwrap();
    }
    actual
}

fn made(graph: &Arc<Graph>, name: &str) -> String {
    if name == "effects" {
        return listed_edges(graph);
    }
    let made = match name {
        "all" => optimised(graph),
        pass => run_pass(graph, pass),
    };
    let made = made.expect("a graph");
    assert!(verify(&made).is_empty(), "{:?}", verify(&made));
    assert_eq!(made.inputs.len(), graph.inputs.len());
    match Arc::ptr_eq(&made, graph) {
        true => "unchanged\n".to_owned(),
        false => text::print(&made),
    }
}

fn listed_edges(graph: &Graph) -> String {
    let mut list = String::new();
    for ((id, node), before) in graph.iter().zip(effect_edges(graph)) {
        if !before.is_empty() {
            let names: Vec<String> = before.iter().map(|id| id.to_string()).collect();
            writeln!(list, "{id} {} after {}", node.name, names.join(", ")).unwrap();
        }
    }
    list
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn passes_make_what_the_files_say() {
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    let mut differing = Vec::new();
    for file in files() {
        let content = std::fs::read_to_string(&file).unwrap();
        let actual = actual(&content);
        if bless {
            std::fs::write(&file, &actual).unwrap();
        } else if actual != content {
            differing.push(format!("{}:\n{actual}", file.display()));
        }
    }
    let list = differing.join("\n");
    assert!(
        differing.is_empty(),
        "BLESS=1 accepts what differs:\n{list}"
    );
}

#[test]
fn every_pass_has_a_file() {
    let texts: Vec<String> = (files().iter())
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    for pass in pass_counts() {
        let line = format!("---- {}\n", pass.name);
        assert!(texts.iter().any(|t| t.contains(&line)), "{}", pass.name);
    }
}
