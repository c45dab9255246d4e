//! What nodes, arguments and results of a graph are called in files.

use crate::vocabulary::public_output;
use ferrograph_graph::{Attr, Decl, Graph, Kind, Node, NodeId, ValueId};
use hashbrown::{HashMap, HashSet};

/// What the nodes of a graph and the arguments of its function are called.
pub struct Names {
    /// The arguments.
    pub args: Vec<String>,
    /// The nodes that represent inputs.
    pub inputs: HashSet<NodeId>,
    // For each value that is an input of the graph, the argument that feeds it.
    fed: HashMap<ValueId, usize>,
    taken: HashSet<String>,
    // Whether outputs are named by their numbers alone, as in graphs, rather than by ports, as in functions.
    numbers: bool,
    // Of nodes that call functions of the library by name: what the results of these are called.
    results: HashMap<NodeId, Vec<String>>,
    // Of nodes that give something before their outputs here: how much.
    before: HashMap<NodeId, u32>,
}

impl Names {
    /// The names in a message of a graph, whose inputs are nodes.
    pub fn of_graph() -> Names {
        Names {
            args: Vec::new(),
            inputs: HashSet::new(),
            fed: HashMap::new(),
            taken: HashSet::new(),
            numbers: true,
            results: HashMap::new(),
            before: HashMap::new(),
        }
    }

    /// The names in a function of that many arguments; `fed` says which of them feeds each input.
    pub fn of(graph: &Graph, n_args: usize, fed: &[u32]) -> Names {
        let inputs: HashSet<NodeId> = graph.inputs.iter().map(|v| graph.value(*v).node).collect();
        let others = graph.iter().filter(|(id, _)| !inputs.contains(id));
        let mut names = Names {
            args: Vec::new(),
            taken: others.map(|(_, n)| n.name.to_string()).collect(),
            inputs: inputs.clone(),
            ..Names::of_graph()
        };
        names.numbers = false;
        let mut hints = vec![None; n_args];
        for (v, &arg) in graph.inputs.iter().zip(fed) {
            names.fed.insert(*v, arg as usize);
            let name = &graph.node(graph.value(*v).node).name;
            hints[arg as usize].get_or_insert_with(|| name.to_string());
        }
        for (i, hint) in hints.into_iter().enumerate() {
            let name = names.free(&plain(&hint.unwrap_or_else(|| format!("unused_{i}"))));
            names.taken.insert(name.clone());
            names.args.push(name);
        }
        names
    }

    /// A name for a further node.
    pub fn further(&mut self, hint: &str) -> String {
        let name = self.free(hint);
        self.taken.insert(name.clone());
        name
    }

    /// The first input of the graph that an argument feeds.
    pub fn fed_by(&self, graph: &Graph, arg: usize) -> Option<ValueId> {
        let mut inputs = graph.inputs.iter();
        inputs.find(|v| self.fed.get(*v) == Some(&arg)).copied()
    }

    /// A name that nothing else has.
    fn free(&self, hint: &str) -> String {
        let mut name = hint.to_owned();
        let mut n = 0;
        while self.taken.contains(&name) {
            n += 1;
            name = format!("{hint}_{n}");
        }
        name
    }

    /// What that many results of the function are called.
    pub fn results(&self, n: usize) -> Vec<String> {
        (0..n).map(|i| self.free(&format!("output_{i}"))).collect()
    }

    /// Notes that a node calls a function of which this is what its results are called.
    pub fn calls(&mut self, node: NodeId, results: Vec<String>) {
        self.results.insert(node, results);
    }

    /// Notes that a node gives so many values before its outputs here.
    pub fn gives_before(&mut self, node: NodeId, n: u32) {
        self.before.insert(node, n);
    }

    /// How a node takes a value.
    pub fn value(&self, graph: &Graph, v: ValueId) -> String {
        if let Some(arg) = self.fed.get(&v) {
            return self.args[*arg].clone();
        }
        let info = graph.value(v);
        let node = graph.node(info.node);
        if self.numbers {
            return match info.index {
                0 => node.name.to_string(),
                n => format!("{}:{n}", node.name),
            };
        }
        if let Some(result) =
            (self.results.get(&info.node)).and_then(|all| all.get(info.index as usize))
        {
            return format!("{}:{result}:0", node.name);
        }
        let (port, at) = port_of(node, info.index as usize);
        let at = at + self.before.get(&info.node).map_or(0, |n| *n as usize);
        format!("{}:{port}:{at}", node.name)
    }
}

/// A name as arguments have them: small letters, digits and underscores.
fn plain(name: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '_',
    };
    let name: String = name.chars().map(plain).collect();
    match name.starts_with(|c: char| c.is_ascii_lowercase()) {
        true => name,
        false => format!("arg_{name}"),
    }
}

/// The public name of the port that an output of a node belongs to, and its number there.
fn port_of(node: &Node, index: usize) -> (&str, usize) {
    let (op, decl) = (node.op.name(), node.op.decl());
    let attrs = node.op.attrs();
    let counts = counts_of(decl, node.outputs.len(), |name| attrs.get(name));
    let mut at = index;
    for (port, size) in decl.outputs.iter().zip(counts) {
        if at < size {
            return (public_output(op, port.name), at);
        }
        at -= size;
    }
    ("output", index)
}

/// How many of `n` values each port of outputs has, by the attributes; a list whose attribute is not there has what the
/// others leave.
pub fn counts_of<'a>(decl: &Decl, n: usize, attr: impl Fn(&str) -> Option<&'a Attr>) -> Vec<usize> {
    let count = |kind: Kind| match kind {
        Kind::List(_, _, name) | Kind::Copies(_, name) | Kind::Each(name) => match attr(name) {
            Some(Attr::Int(n)) => usize::try_from(*n).ok(),
            Some(Attr::DTypes(all)) => Some(all.len()),
            _ => None,
        },
        _ => Some(1),
    };
    let known: Vec<_> = decl.outputs.iter().map(|p| count(p.kind)).collect();
    let rest = n.saturating_sub(known.iter().flatten().sum());
    known
        .into_iter()
        .map(|count| count.unwrap_or(rest))
        .collect()
}
