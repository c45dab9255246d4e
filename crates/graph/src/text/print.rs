//! Graphs to text.

use super::tensor::Exact;
use crate::{Attr, Graph, Node, ValueId, ValueInfo};
use ferrograph_tensor::{DType, Element, PartialShape, Tensor, with_element};
use std::fmt::Write;

/// The text form of a graph; its grammar is the module's.
pub fn print(graph: &Graph) -> String {
    let mut printer = Printer {
        out: String::new(),
        indent: 0,
    };
    printer.graph(graph);
    printer.out.push('\n');
    printer.out
}

/// A tensor as the grammar writes one.
pub fn print_tensor(tensor: &Tensor) -> String {
    let mut printer = Printer {
        out: String::new(),
        indent: 0,
    };
    printer.tensor(tensor);
    printer.out
}

/// What the text form calls each value: its own number, or where some values are made by no node the place in which
/// it is made.
struct Numbering(Option<Vec<usize>>);

impl Numbering {
    fn of(graph: &Graph) -> Numbering {
        let n_made: usize = graph.nodes.iter().map(|n| n.outputs.len()).sum();
        if n_made == graph.values.len() {
            return Numbering(None);
        }
        let mut numbers = vec![usize::MAX; graph.values.len()];
        let made = graph.nodes.iter().flat_map(|n| &n.outputs);
        for (i, v) in made.enumerate() {
            numbers[v.index()] = i;
        }
        Numbering(Some(numbers))
    }

    fn get(&self, v: ValueId) -> usize {
        match &self.0 {
            Some(numbers) => numbers[v.index()],
            None => v.index(),
        }
    }
}

struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut f: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            f(self, item);
        }
    }

    fn put(&mut self, text: impl std::fmt::Display) {
        let _ = write!(self.out, "{text}");
    }

    fn values(&mut self, values: &[ValueId], numbers: &Numbering) {
        self.list(values, |p, v| p.put(format_args!("%{}", numbers.get(*v))));
    }

    fn string(&mut self, bytes: &[u8]) {
        self.put(format_args!("\"{}\"", bytes.escape_ascii()));
    }

    fn graph(&mut self, graph: &Graph) {
        let numbers = Numbering::of(graph);
        self.put("graph ");
        self.string(graph.name.as_bytes());
        self.put(" (");
        let (args, captures) = graph.inputs.split_at(graph.n_args.min(graph.inputs.len()));
        self.values(args, &numbers);
        if !captures.is_empty() {
            self.put("; ");
            self.values(captures, &numbers);
        }
        self.put(") {");
        self.indent += 1;
        for node in &graph.nodes {
            self.line();
            self.node(graph, node, &numbers);
        }
        self.line();
        self.put("return");
        if !graph.outputs.is_empty() {
            self.put(" ");
            self.values(&graph.outputs, &numbers);
        }
        self.indent -= 1;
        self.line();
        self.put("}");
    }

    fn node(&mut self, graph: &Graph, node: &Node, numbers: &Numbering) {
        if !node.outputs.is_empty() {
            self.values(&node.outputs, numbers);
            self.put(" = ");
        }
        self.put(node.op.name());
        self.put(" ");
        self.string(node.name.as_bytes());
        let attrs = node.op.attrs();
        if !attrs.is_empty() {
            self.put(" {");
            self.list(attrs.iter(), |p, (name, attr)| {
                p.put(format_args!("{name}: "));
                p.attr(attr);
            });
            self.put("}");
        }
        self.put(" (");
        self.values(&node.inputs, numbers);
        self.put(")");
        if !node.control.is_empty() {
            self.put(" after (");
            self.list(&node.control, |p, n| p.put(n));
            self.put(")");
        }
        if !node.outputs.is_empty() {
            self.put(" : ");
            let own = match attrs.get("value") {
                Some(Attr::Tensor(t)) => Some(t),
                _ => None,
            };
            self.list(&node.outputs, |p, v| p.info(graph.value(*v), own));
        }
    }

    fn info(&mut self, info: &ValueInfo, own: Option<&Tensor>) {
        self.put(format_args!("{} {}", info.spec.dtype, info.spec.shape));
        if let Some(constant) = &info.constant {
            self.put(" is ");
            let is_own = own.is_some_and(|t| {
                t.dtype() == constant.dtype()
                    && t.shape() == constant.shape()
                    && t.shares_storage(constant)
            });
            if is_own {
                self.put("const");
            } else {
                self.tensor(constant);
            }
        }
        if let Some(known) = &info.known {
            self.put(" known [");
            self.list(known.iter(), |p, k| match k {
                Some(k) => p.put(k),
                None => p.put("?"),
            });
            self.put("]");
        }
    }

    fn attr(&mut self, attr: &Attr) {
        match attr {
            Attr::Bool(x) => self.put(x),
            Attr::Int(x) => self.put(x),
            Attr::Float(x) => x.print(&mut self.out),
            Attr::Str(x) => self.string(x),
            Attr::DType(x) => self.put(x),
            Attr::Shape(x) => self.shape(x),
            Attr::Bools(x) => self.listed("bools", x, |p, x| p.put(x)),
            Attr::Ints(x) => self.listed("ints", x, |p, x| p.put(x)),
            Attr::Floats(x) => self.listed("floats", x, |p, x| x.print(&mut p.out)),
            Attr::Strs(x) => self.listed("strings", x, |p, x| p.string(x)),
            Attr::DTypes(x) => self.listed("dtypes", x, |p, x| p.put(x)),
            Attr::Shapes(x) => self.listed("shapes", x, |p, x| p.put(x)),
            Attr::Tensor(x) => {
                self.put("tensor ");
                self.tensor(x);
            }
            Attr::Graph(x) => self.graph(x),
            Attr::Object(x) => {
                self.put("object ");
                self.string(format!("{x:?}").as_bytes());
            }
        }
    }

    fn listed<T>(&mut self, kind: &str, items: &[T], f: impl FnMut(&mut Self, &T)) {
        self.put(kind);
        self.put(" [");
        self.list(items, f);
        self.put("]");
    }

    fn shape(&mut self, shape: &PartialShape) {
        self.put(format_args!("shape {shape}"));
    }

    fn tensor(&mut self, t: &Tensor) {
        if let Ok(object) = t.as_object() {
            self.put("object ");
            self.string(format!("{object:?}").as_bytes());
            return;
        }
        self.put(format_args!("{} {} {{", t.dtype(), t.shape()));
        if t.dtype() == DType::String {
            self.list(t.as_strings().unwrap_or(&[]), |p, x| p.string(x));
        } else if t.dtype().float8().is_some() {
            self.list(t.bytes(), |p, x| p.put(format_args!("{x:#04x}")));
        } else {
            with_element!(t.dtype(), dense, T => self.elements::<T>(t), else => ());
        }
        self.put("}");
    }

    fn elements<T: Element + Exact>(&mut self, t: &Tensor) {
        self.list(t.as_slice::<T>().unwrap_or(&[]), |p, x| x.print(&mut p.out));
    }
}
