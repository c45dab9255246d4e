//! Command lines.

use crate::suggest::nearest;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What a command line asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    Help(Topic),
    Version,
    Inspect(Inspect),
    Run(Run),
}

/// What help is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Topic {
    Program,
    Inspect,
    Run,
}

/// To look at a model.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Inspect {
    pub path: PathBuf,
    pub graph: Option<String>,
    pub json: bool,
    /// Whether a page is served, and at which port; 0 is any.
    pub serve: Option<u16>,
}

/// To run a signature of a model.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Run {
    pub path: PathBuf,
    pub signature: Option<String>,
    pub input: Vec<(String, Given)>,
    pub inputs: Option<PathBuf>,
    pub output: Option<PathBuf>,
    pub json: bool,
}

/// The value of an input.
#[derive(Debug, PartialEq)]
pub(super) enum Given {
    /// The array in a file.
    File(PathBuf),
    /// A value as text.
    Text(String),
}

const COMMANDS: [&str; 3] = ["inspect", "run", "help"];

const HELP: [&str; 2] = ["-h", "--help"];

/// What the arguments ask for.
///
/// # Errors
/// A sentence that says what is wrong with them.
pub(super) fn parse(args: Vec<OsString>) -> Result<Action, String> {
    let mut args = Args {
        rest: args.into_iter(),
        path: None,
    };
    let Some(first) = args.rest.next() else {
        return Err("a command is missing: inspect or run".into());
    };
    match first.to_str() {
        Some("-h" | "--help" | "help") => args.help(),
        Some("-V" | "--version") => Ok(Action::Version),
        Some("inspect") => args.inspect(),
        Some("run") => args.run(),
        _ => Err(no_command(&first)),
    }
}

fn no_command(name: &OsStr) -> String {
    match nearest(&name.to_string_lossy(), COMMANDS) {
        Some(near) => format!("there is no command {name:?}; did you mean {near}?"),
        None => format!("there is no command {name:?}: inspect and run are the two"),
    }
}

fn no_option(command: &str, option: &str, own: &[&str]) -> String {
    match nearest(option, own.iter().chain(&HELP).copied()) {
        Some(near) => format!("{command} has no option {option}; did you mean {near}?"),
        None => format!(
            "{command} has no option {option}: {} are there",
            own.join(", ")
        ),
    }
}

struct Args {
    rest: std::vec::IntoIter<OsString>,
    path: Option<PathBuf>,
}

impl Args {
    /// The next option with its value where that stands in the same argument; the path is taken on the way.
    fn option(&mut self) -> Result<Option<(String, Option<OsString>)>, String> {
        for arg in self.rest.by_ref() {
            let Some(text) = arg.to_str().filter(|t| t.starts_with('-')) else {
                if self.path.replace(PathBuf::from(&arg)).is_some() {
                    return Err(format!("one path is expected, {arg:?} is another one"));
                }
                continue;
            };
            return Ok(Some(match text.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.into())),
                None => (text.to_owned(), None),
            }));
        }
        Ok(None)
    }

    fn value(&mut self, option: &str, own: Option<OsString>) -> Result<OsString, String> {
        own.or_else(|| self.rest.next())
            .ok_or_else(|| format!("{option} needs a value"))
    }

    fn text(&mut self, option: &str, own: Option<OsString>) -> Result<String, String> {
        let value = self.value(option, own)?;
        let text = value.into_string();
        text.map_err(|v| format!("{option} is no text: {v:?}"))
    }

    fn path(self, command: &str) -> Result<PathBuf, String> {
        self.path
            .ok_or_else(|| format!("{command} needs the folder of a model"))
    }

    fn help(mut self) -> Result<Action, String> {
        let about = self.rest.next();
        if let Some(more) = self.rest.next() {
            return Err(format!(
                "help is about one command, {more:?} is another one"
            ));
        }
        match about.as_ref().map(|name| name.to_str()) {
            None | Some(Some("help" | "-h" | "--help")) => Ok(Action::Help(Topic::Program)),
            Some(Some("inspect")) => Ok(Action::Help(Topic::Inspect)),
            Some(Some("run")) => Ok(Action::Help(Topic::Run)),
            Some(_) => Err(no_command(&about.unwrap_or_default())),
        }
    }

    fn inspect(mut self) -> Result<Action, String> {
        let mut what = Inspect::default();
        while let Some((option, own)) = self.option()? {
            match &option[..] {
                "--graph" => what.graph = Some(self.text(&option, own)?),
                "--json" => what.json = flag(&option, own)?,
                "--serve" => what.serve = Some(port(own)?),
                "-h" | "--help" => return Ok(Action::Help(Topic::Inspect)),
                _ => {
                    return Err(no_option(
                        "inspect",
                        &option,
                        &["--graph", "--json", "--serve"],
                    ));
                }
            }
        }
        what.path = self.path("inspect")?;
        Ok(Action::Inspect(what))
    }

    fn run(mut self) -> Result<Action, String> {
        let mut what = Run::default();
        while let Some((option, own)) = self.option()? {
            match &option[..] {
                "--signature" => what.signature = Some(self.text(&option, own)?),
                "--input" => {
                    let value = self.value(&option, own)?;
                    what.input.push(named(&value)?);
                }
                "--inputs" => what.inputs = Some(self.value(&option, own)?.into()),
                "--output" => what.output = Some(self.value(&option, own)?.into()),
                "--json" => what.json = flag(&option, own)?,
                "-h" | "--help" => return Ok(Action::Help(Topic::Run)),
                _ => {
                    let all = ["--signature", "--input", "--inputs", "--output", "--json"];
                    return Err(no_option("run", &option, &all));
                }
            }
        }
        what.path = self.path("run")?;
        Ok(Action::Run(what))
    }
}

/// An option that takes no value.
fn flag(option: &str, own: Option<OsString>) -> Result<bool, String> {
    match own {
        None => Ok(true),
        Some(value) => Err(format!("{option} takes no value, got {value:?}")),
    }
}

/// The port behind `--serve=`, any where none is given.
fn port(own: Option<OsString>) -> Result<u16, String> {
    let Some(own) = own else { return Ok(0) };
    let port = own.to_str().and_then(|text| text.parse().ok());
    port.ok_or_else(|| format!("--serve=PORT needs a number up to 65535, got {own:?}"))
}

/// The name of an input, and its value: a file where that begins with `@` or ends in `.npy`, else text.
fn named(value: &OsStr) -> Result<(String, Given), String> {
    let pair = value.to_str().and_then(|v| v.split_once('='));
    let Some((name, given)) = pair.filter(|(name, given)| !name.is_empty() && !given.is_empty())
    else {
        return Err(format!(
            "--input is NAME=VALUE or NAME=FILE.npy, got {value:?}"
        ));
    };
    let given = match given.strip_prefix('@') {
        Some("") => return Err(format!("--input {name}=@ names no file")),
        Some(path) => Given::File(path.into()),
        None if given.ends_with(".npy") => Given::File(given.into()),
        None => Given::Text(given.to_owned()),
    };
    Ok((name.to_owned(), given))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Action, String> {
        parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn options_stand_anywhere() {
        let run = parsed("run --input x=a=b.npy m --output=o.npz --input y=@c --json").unwrap();
        let file = |path: &str| Given::File(path.into());
        let want = Run {
            path: "m".into(),
            input: vec![("x".into(), file("a=b.npy")), ("y".into(), file("c"))],
            output: Some("o.npz".into()),
            json: true,
            ..Run::default()
        };
        assert_eq!(run, Action::Run(want));
    }

    #[test]
    fn what_is_no_file_is_a_value() {
        for text in ["1.5", "-1", "[1,[2]]", "true", "\"a.npy\"", "x.npz", "a=b"] {
            let found = named(OsStr::new(&format!("x={text}"))).unwrap();
            assert_eq!(found, ("x".into(), Given::Text(text.into())));
        }
    }

    #[test]
    fn help_is_about_the_program_or_a_command() {
        for (line, topic) in [
            ("help", Topic::Program),
            ("--help", Topic::Program),
            ("help help", Topic::Program),
            ("help run", Topic::Run),
            ("--help inspect", Topic::Inspect),
            ("run m --help", Topic::Run),
            ("inspect -h", Topic::Inspect),
        ] {
            assert_eq!(parsed(line).unwrap(), Action::Help(topic), "{line}");
        }
    }

    #[test]
    fn a_page_is_served_at_any_port_or_at_one() {
        for (line, port) in [("inspect --serve m", 0), ("inspect m --serve=8080", 8080)] {
            let inspect = Inspect {
                path: "m".into(),
                serve: Some(port),
                ..Inspect::default()
            };
            assert_eq!(parsed(line).unwrap(), Action::Inspect(inspect));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, said) in [
            ("", "a command is missing"),
            ("look m", "there is no command \"look\": inspect and run"),
            (
                "inspct m",
                "there is no command \"inspct\"; did you mean inspect?",
            ),
            ("help rnu", "there is no command \"rnu\"; did you mean run?"),
            ("help run inspect", "help is about one command"),
            ("inspect", "needs the folder"),
            ("inspect m n", "\"n\" is another one"),
            ("inspect m --graph", "--graph needs a value"),
            ("inspect m --json=yes", "--json takes no value, got \"yes\""),
            (
                "inspect m --input x=y",
                "inspect has no option --input: --graph, --json, --serve",
            ),
            (
                "inspect m --grpah x",
                "no option --grpah; did you mean --graph?",
            ),
            (
                "run m --ouput x",
                "no option --ouput; did you mean --output?",
            ),
            ("inspect m --serve=x", "--serve=PORT needs a number"),
            ("run m --halp", "no option --halp; did you mean --help?"),
            ("run m --input x", "--input is NAME=VALUE or NAME=FILE.npy"),
            ("run m --input =1", "--input is NAME=VALUE or NAME=FILE.npy"),
            ("run m --input x=@", "--input x=@ names no file"),
        ] {
            let found = parsed(line).unwrap_err();
            assert!(found.contains(said), "{line}: {found}");
        }
    }
}
