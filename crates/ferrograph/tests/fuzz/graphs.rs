//! Graphs as text and as messages, and saved models.

use super::{damaged, fuzz};
use ferrograph_formats::messages;
use ferrograph_graph::text;
use ferrograph_saved::{Functions, SavedFile, fingerprint_of, graph_message, graph_of, model_of};
use prost::Message;
use std::path::Path;

/// What graphs may take.
const MOST: usize = 64 << 20;

/// A branch on a variable, as the tests of saved graphs have it.
const GRAPH: &str = include_str!("../../../saved/tests/branches.txt");

#[test]
fn graphs() {
    let registry = ferrograph_data::registry();
    let graph = text::parse(GRAPH, registry).unwrap();
    fuzz(
        "texts of graphs",
        &[GRAPH.as_bytes().to_vec()],
        MOST,
        |file| {
            let file = String::from_utf8_lossy(file);
            text::parse(&file, registry).map(drop)
        },
    );
    let message = graph_message(&graph).unwrap();
    fuzz(
        "messages of graphs",
        &[message.encode_to_vec()],
        MOST,
        |file| {
            let message = messages::GraphDef::decode(file).map_err(|e| damaged(&e))?;
            let graph = graph_of(
                &message,
                "g",
                &["x".into(), "v".into()],
                &["if".into()],
                None,
            )?;
            drop(ferrograph_graph::verify(&graph));
            Ok(())
        },
    );
}

#[test]
fn models() {
    let files = ["recorded/model", "gradients/recorded/model"].map(|folder| {
        let path = format!("../../tests/saved/{folder}/saved_model.pb");
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
    });
    fuzz("saved models", &files, MOST, |file| {
        let read = SavedFile::of(model_of(file, None)?, None)?;
        let mut functions: Functions<'_> = read.functions();
        for name in read.function_names() {
            drop(ferrograph_graph::verify(
                read.concrete(&mut functions, name)?.graph.as_ref(),
            ));
        }
        Ok(())
    });
}

#[test]
fn fingerprints() {
    let model = [0x08, 1];
    let file = fingerprint_of(&model, "0123");
    fuzz("fingerprints", &[file], MOST, |file| {
        model_of(&model, Some(file)).map(drop)
    });
}
