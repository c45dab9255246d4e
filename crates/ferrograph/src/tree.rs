//! The objects of a model: the ways to them, and the tree that they form.

use crate::restore::{Object, Restored};
use ferrograph_formats::messages::SavedKind;
use ferrograph_ops::VariableCell;
use ferrograph_saved::SavedFile;
use hashbrown::HashMap;
use std::collections::VecDeque;

/// What all ways together may take: deep and wide models have shorter names, damaged ones none.
const MOST_TEXT: usize = 64 << 20;

/// The way to each object from the root, the shortest one, in the order of their distance.
pub(crate) struct Ways {
    all: Vec<(String, usize)>,
    by_way: HashMap<String, usize>,
    children: Vec<HashMap<String, usize>>,
}

impl Ways {
    pub fn of(file: &SavedFile) -> Ways {
        let n = file.objects().nodes.len();
        let named = |number| file.children(number).map(|(c, name)| (name.to_owned(), c));
        let children = (0..n).map(|number| named(number).collect()).collect();
        let mut ways = Ways {
            all: Vec::new(),
            by_way: HashMap::new(),
            children,
        };
        let (mut seen, mut queue) = (vec![false; n], VecDeque::from([(String::new(), 0)]));
        let mut left = MOST_TEXT;
        seen[0] = true;
        while let Some((way, number)) = queue.pop_front() {
            for (child, name) in file.children(number) {
                if std::mem::replace(&mut seen[child], true) {
                    continue;
                }
                let way = match way.is_empty() {
                    true => name.to_owned(),
                    false => format!("{way}.{name}"),
                };
                if way.len() > left {
                    return ways;
                }
                left -= way.len();
                ways.all.push((way.clone(), child));
                ways.by_way.insert(way.clone(), child);
                queue.push_back((way, child));
            }
        }
        ways
    }

    /// The objects with the ways to them, the root aside.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.all.iter().map(|(way, number)| (way.as_str(), *number))
    }

    /// The object at the end of a way, which need not be the shortest one; the root for none.
    pub fn number_of(&self, way: &str) -> Option<usize> {
        if let Some(known) = self.by_way.get(way) {
            return Some(*known);
        }
        let mut number = 0;
        for name in way.split('.').filter(|n| !n.is_empty()) {
            number = *self.children.get(number)?.get(name)?;
        }
        Some(number)
    }
}

/// The objects as an indented tree, each where the shortest way leads.
pub(crate) fn described(model: &Restored) -> String {
    let n = model.file.objects().nodes.len();
    let mut out = String::new();
    let mut seen = vec![false; n];
    seen[0] = true;
    // Whom the shortest way leads through.
    let mut parents = vec![usize::MAX; n];
    let mut queue = VecDeque::from([0]);
    while let Some(number) = queue.pop_front() {
        for (child, _) in model.file.children(number) {
            if !std::mem::replace(&mut seen[child], true) {
                parents[child] = number;
                queue.push_back(child);
            }
        }
    }
    let mut shown = vec![false; n];
    let mut stack: Vec<(usize, usize, String)> = vec![(0, 0, "root".into())];
    while let Some((number, depth, name)) = stack.pop() {
        if std::mem::replace(&mut shown[number], true) || out.len() > MOST_TEXT {
            continue;
        }
        let indent = "  ".repeat(depth.min(64));
        out.push_str(&format!("{indent}{name}: {}\n", kind_of(model, number)));
        let children: Vec<_> = model.file.children(number).collect();
        for (child, name) in children.into_iter().rev() {
            if parents[child] == number {
                stack.push((child, depth + 1, name.to_owned()));
            }
        }
    }
    out
}

/// What an object is.
pub(crate) fn kind_of(model: &Restored, number: usize) -> String {
    match &model.objects[number] {
        Object::Variable(handle) => match VariableCell::of(handle) {
            Ok(cell) => format!("variable {}", cell.spec),
            Err(_) => "variable".into(),
        },
        Object::Constant(tensor) => format!("tensor {}", tensor.spec()),
        Object::Asset(_) => match model.file.kind(number) {
            Some(SavedKind::Asset(a)) => {
                let name = model.file.asset(a.asset_file_def_index);
                format!("file {:?}", name.unwrap_or_default())
            }
            _ => "file".into(),
        },
        Object::Resource(_) => "table".into(),
        Object::Function(_, traces) => match traces.len() {
            1 => "function of 1 trace".into(),
            n => format!("function of {n} traces"),
        },
        Object::Trace(trace) => format!("trace {}", trace.name()),
        Object::Parts => match model.file.kind(number) {
            Some(SavedKind::User(u)) => match u.identifier.as_str() {
                "trackable_list_wrapper" => "list".into(),
                "trackable_tuple_wrapper" => "tuple".into(),
                "trackable_dict_wrapper" => "dict".into(),
                "signature_map" => "signatures".into(),
                _ => "object".into(),
            },
            _ => "object".into(),
        },
    }
}
