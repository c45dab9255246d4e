//! The model that another program saved, and hostile variants of it.

use ferrograph::{Argument, ErrorKind, IntoValue, Model, Output, Value};
use ndarray::{Array, Array4, ArrayD, array};
use std::path::{Path, PathBuf};

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/saved/recorded/model")
}

fn model() -> Model {
    Model::load(recorded()).unwrap()
}

fn tensor(array: impl IntoValue) -> Argument {
    Argument::tensor(array).unwrap()
}

fn floats(value: &Value) -> ArrayD<f32> {
    value.array::<f32>().unwrap()
}

fn near(found: &ArrayD<f32>, want: &[f32]) {
    assert_eq!(found.len(), want.len());
    for (a, b) in found.iter().zip(want) {
        assert!((a - b).abs() <= 2e-5 * b.abs() + 1e-6, "{a} and {b}");
    }
}

/// Numbers that were recorded, from the file of results.
fn results(name: &str) -> Vec<f32> {
    let text = std::fs::read_to_string(recorded().join("../results.json")).unwrap();
    let at = text.find(&format!("\"{name}\":")).unwrap();
    let rest = &text[at + name.len() + 3..];
    let mut depth = 0;
    let end = rest.char_indices().find(|(_, c)| {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        depth == 0 && matches!(c, ',' | '}' | ']')
    });
    let numbers = rest[..end.unwrap().0].split(['[', ']', ',', ' ']);
    let numbers = numbers.filter(|n| !n.is_empty());
    numbers.map(|n| n.parse().unwrap()).collect()
}

#[test]
fn functions_give_what_was_recorded() {
    let model = model();
    let call = |way: &str, arg: Argument| model.function(way).unwrap().call([arg]).unwrap();

    let dense = call("dense", tensor(array![[1.0f32, 2.0], [-3.0, 0.5]]));
    near(
        &floats(dense.get("y").unwrap().tensor().unwrap()),
        &results("y"),
    );
    near(
        &floats(dense.get("half").unwrap().tensor().unwrap()),
        &results("half"),
    );

    let images = Array::range(0.0f32, 128.0, 1.0) / 100.0;
    let images: Array4<f32> = images.into_shape_with_order((2, 8, 8, 1)).unwrap();
    near(
        &floats(call("conv", tensor(images)).tensor().unwrap()),
        &results("conv"),
    );

    let rows = Array::range(0.0f32, 12.0, 1.0) / 10.0;
    let rows = rows.into_shape_with_order((2, 3, 2)).unwrap();
    let found = call("recurrent", tensor(rows));
    near(
        &floats(found.at(0).unwrap().tensor().unwrap()),
        &results("states"),
    );
    near(
        &floats(found.at(1).unwrap().tensor().unwrap()),
        &results("last"),
    );

    let grown = call("grow", tensor(3.0f32));
    near(
        &floats(grown.at(0).unwrap().tensor().unwrap()),
        &results("grown"),
    );
    let n = grown
        .at(1)
        .unwrap()
        .tensor()
        .unwrap()
        .item::<i32>()
        .unwrap();
    assert_eq!(vec![n as f32], results("n"));

    let look = call("look", tensor(array!["b", "z", "a"]));
    let look = look.tensor().unwrap().array::<i64>().unwrap();
    assert_eq!(look, array![8, -1, 7].into_dyn());

    let values = Value::of(array![1.0f32, 2.0, 3.0]).unwrap();
    let splits = Value::of(array![0i64, 2, 2, 3]).unwrap();
    let found = call("ragged", Argument::Parts(vec![values, splits]));
    near(
        &floats(found.at(0).unwrap().tensor().unwrap()),
        &results("sums"),
    );
    let doubled = found.at(1).unwrap();
    near(
        &floats(doubled.part("flat_values").unwrap()),
        &results("doubled"),
    );
    let splits = doubled
        .part("row_splits_0")
        .unwrap()
        .array::<i64>()
        .unwrap();
    assert_eq!(splits, array![0, 2, 2, 3].into_dyn());

    near(
        &floats(call("count", tensor(1.0f32)).tensor().unwrap()),
        &results("first"),
    );
    near(
        &floats(call("count", tensor(1.0f32)).tensor().unwrap()),
        &results("second"),
    );
    let counted = model.variables().get("layers.0").unwrap().read().unwrap();
    near(&floats(&counted), &results("second"));
    let fresh = self::model()
        .variables()
        .get("layers.0")
        .unwrap()
        .read()
        .unwrap();
    assert_eq!(fresh.item::<f32>().unwrap(), 1.0);
}

#[test]
fn traces_are_chosen_by_plain_values() {
    let model = model();
    let choose = model.function("choose").unwrap();
    assert_eq!(choose.traces().len(), 2);
    let x = tensor(array![1.0f32, 2.0]);
    let found = |o: Output| floats(o.tensor().unwrap());
    let plain = found(choose.call([x.clone()]).unwrap());
    near(&plain, &results("plain"));
    near(
        &found(choose.call([x.clone(), true.into()]).unwrap()),
        &results("training"),
    );
    let named = choose.call_with([x.clone()], [("training", true)]).unwrap();
    near(&found(named), &results("training"));
    let by_name: Vec<(&str, Argument)> = vec![("x", x.clone()), ("scale", 2.0.into())];
    near(
        &found(choose.call_with([], by_name).unwrap()),
        &results("plain"),
    );

    let refused = choose
        .call([tensor(array![1.0f32, 2.0, 3.0]), true.into()])
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    let text = refused.to_string();
    assert!(
        text.contains("no saved trace fits this call. The closest one is\n"),
        "{text}"
    );
    assert!(
        text.contains("argument \"x\" is float32[3], not float32[2]"),
        "{text}"
    );
    assert!(text.contains("\nOther saved traces:\n"), "{text}");
    let refused = choose.call([]).unwrap_err().to_string();
    assert_eq!(refused, "choose() misses argument \"x\"");
    let refused = choose
        .call_with([x.clone()], [("x", 1.0)])
        .unwrap_err()
        .to_string();
    assert_eq!(refused, "choose() got two values for argument \"x\"");
    let refused = choose
        .call_with([x], [("other", 1.0)])
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("it takes the keywords [\"scale\"]"),
        "{refused}"
    );
    // A number is taken for a scalar tensor.
    let grown = model.function("grow").unwrap().call([3.into()]).unwrap();
    near(&found(grown.at(0).unwrap().clone()), &results("grown"));
}

#[test]
fn signatures_take_names() {
    let model = model();
    let names: Vec<&str> = model.signatures().iter().map(|s| s.name()).collect();
    assert_eq!(names, ["dense"]);
    let dense = model.signature("dense").unwrap();
    assert_eq!(
        dense.to_string(),
        "dense(x: float32[?,2]) -> half: float32[?,2], y: float32[?,2]"
    );
    assert_eq!(dense.inputs()[0].shape(), Some(vec![None, Some(2)]));
    let said = |inputs: Vec<(&str, Value)>| dense.run(inputs).unwrap_err().to_string();
    let x = Value::of(array![[1.0f32, 2.0]]).unwrap();
    let double = Value::of(array![[1.0f64, 2.0]]).unwrap();
    assert_eq!(
        said(vec![("x", double)]),
        "signature \"dense\": input \"x\" is float64[1,2], not float32[?,2]"
    );
    assert_eq!(
        said(vec![]),
        "signature \"dense\" misses input \"x\"; it takes x: float32[?,2]"
    );
    assert_eq!(
        said(vec![("z", x.clone())]),
        "signature \"dense\" has no input \"z\"; it takes x: float32[?,2]"
    );
    assert_eq!(
        said(vec![("x", x.clone()), ("x", x.clone())]),
        "input \"x\" is given twice"
    );
    let answer = dense.run([("x", &x)]).unwrap();
    let error = answer.get("z").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no output \"z\"; there are [\"half\", \"y\"]"
    );
    let error = model.signature("serving_default").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("it has [\"dense\"]"), "{error}");
}

#[test]
fn a_model_tells_what_it_holds() {
    let model = model();
    assert_eq!(model.tags(), ["serve"]);
    let functions = model.functions();
    let functions: Vec<&str> = functions.iter().map(|f| f.name()).collect();
    let want = [
        "choose",
        "conv",
        "count",
        "dense",
        "grow",
        "look",
        "pick",
        "ragged",
        "recurrent",
        "slope",
    ];
    let mut sorted = functions.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, want);
    let variables = model.variables();
    let mut found: Vec<String> = variables.iter().map(|(w, v)| format!("{w}: {v}")).collect();
    found.sort_unstable();
    let want = [
        "b: float32[2]",
        "kernel: float32[3,3,1,4]",
        "layers.0: float32[]",
        "layers.1.scale: float32[]",
        "w: float32[2,2]",
    ];
    assert_eq!(found, want);
    let tree = model.tree();
    for line in [
        "  layers: list",
        "    1: dict",
        "      scale: variable",
        "  table: table",
    ] {
        assert!(tree.contains(&format!("\n{line}")), "{line} in\n{tree}");
    }
    assert!(model.graph_text("dense").unwrap().contains("MatMul"));
    let error = model.function("layers.7.f").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no function \"layers.7.f\"; it has ["),
        "{error}"
    );
    assert!(model.graph_text("nothing").is_err());
    let error = Model::load_tagged(recorded(), &["gpu"]).unwrap_err();
    assert!(error.to_string().contains("none with [\"gpu\"]"), "{error}");
    assert!(Model::load_tagged(recorded(), &["serve"]).is_ok());
}

#[test]
fn threads_share_a_model() {
    let model = model();
    std::thread::scope(|scope| {
        for i in 0..4 {
            let model = &model;
            scope.spawn(move || {
                let dense = model.signature("dense").unwrap();
                for n in 1..20 {
                    let x = Array::from_elem((n, 2), i as f32);
                    let half = dense.run([("x", &x)]).unwrap();
                    assert_eq!(
                        half.get("half").unwrap().view::<f32>().unwrap(),
                        (x / 2.0).into_dyn()
                    );
                }
            });
        }
    });
}

/// A copy of the recorded model that goes with the test.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str) -> Copy {
        let folder = std::env::temp_dir().join(format!("ferrograph-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("variables")).unwrap();
        for file in ["saved_model.pb", "variables/variables.index"] {
            std::fs::copy(recorded().join(file), folder.join(file)).unwrap();
        }
        let data = "variables/variables.data-00000-of-00001";
        std::fs::copy(recorded().join(data), folder.join(data)).unwrap();
        Copy(folder)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn damaged_models_are_errors() {
    let copy = Copy::new("damaged");
    let file = copy.0.join("saved_model.pb");
    let whole = std::fs::read(&file).unwrap();
    let run = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        // There is no fingerprint: a flipped bit may make another sound model, which then runs.
        match Model::load(&copy.0) {
            Err(e) => {
                assert!(!e.to_string().is_empty());
                assert_ne!(e.kind(), ErrorKind::Internal, "{e}");
            }
            Ok(model) => {
                let _ = (
                    model.tree(),
                    model.functions(),
                    model.variables().iter().len(),
                );
                for signature in model.signatures() {
                    let _ = signature.run([("x", array![[1.0f32, 2.0]])]);
                }
            }
        }
    };
    let mut state = 88172645463325252u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % n as u64).unwrap()
    };
    for _ in 0..400 {
        let mut damaged = whole.clone();
        let bit = random(whole.len() * 8);
        damaged[bit / 8] ^= 1 << (bit % 8);
        run(&damaged);
    }
    for _ in 0..50 {
        run(&whole[..random(whole.len())]);
    }
}

#[test]
fn a_model_without_its_values_is_an_error() {
    let copy = Copy::new("valueless");
    std::fs::remove_dir_all(copy.0.join("variables")).unwrap();
    let error = Model::load(&copy.0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    std::fs::create_dir_all(copy.0.join("variables")).unwrap();
    let error = Model::load(copy.0.join("saved_model.pb")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

#[test]
fn tables_that_change_have_what_they_had() {
    let model = Model::load(recorded().join("../counts")).unwrap();
    let call = |way: &str, arg: Argument| model.function(way).unwrap().call([arg]).unwrap();
    let counts = call("count", tensor(array!["a", "b", "c"]));
    let counts = counts.tensor().unwrap().array::<i64>().unwrap();
    assert_eq!(counts, array![6i64, 3, 1].into_dyn());
    let weights = call("weigh", tensor(array![7i64, 9, 8]));
    let weights = floats(weights.tensor().unwrap());
    assert_eq!(weights, array![0.5f32, 1.5, -1.0].into_dyn());
}

#[test]
fn functions_with_gradients_of_their_own_run() {
    let folder = recorded().join("../../gradients/recorded/model");
    let model = Model::load(folder).unwrap();
    let wanted = [
        ("clipped", 4.0),
        ("variable", 6.0),
        ("recomputed", 3.637_189_6),
        ("branch_around", 16.0),
        ("loop", 256.0),
        ("loop_around", 128.0),
        ("nested_other", 10.0),
    ];
    for (name, want) in wanted {
        let found = model.function(name).unwrap();
        let found = found.call([tensor(ndarray::arr0(2.0f32))]).unwrap();
        near(&floats(found.tensor().unwrap()), &[want]);
    }
}
