//! What the program says about itself.

use super::options::Topic;

const PROGRAM: &str = "\
Inspect and run saved models.

usage: ferrograph inspect PATH [OPTION]...
       ferrograph run PATH [OPTION]...
       ferrograph help COMMAND
       ferrograph --version

inspect prints what the model in the folder PATH holds; run calls a signature of it. `ferrograph help COMMAND` and
`ferrograph COMMAND --help` say what a command takes. The program of the Python package has two more commands: `versions`
prints the versions of what is installed, `explain NAME` what a class of errors means.

The exit status is 0 where all went well, 1 where a model, a file, a value or the run failed, 2 for a command line that is
none.
";

const INSPECT: &str = "\
Print the tags, signatures, functions and objects of a saved model.

usage: ferrograph inspect PATH [--graph NAME] [--json] [--serve[=PORT]]

PATH is the folder of the model; with --serve also a Chrome trace, or a document of the inspector.

  --graph NAME    print the graph of a signature or function instead
  --json          print one JSON object
  --serve[=PORT]  show graphs, plans and times as a page at an address of this machine
";

const RUN: &str = "\
Call a signature of a saved model, and print what it gives.

usage: ferrograph run PATH [--signature NAME] [--input NAME=VALUE]... [--inputs FILE.npz] [--output FILE.npz] [--json]

PATH is the folder of the model.

  --signature NAME     the signature: serving_default, or the only one, unless named
  --input NAME=VALUE   the value of an input, may be repeated
  --inputs FILE.npz    the values of inputs by their names
  --output FILE.npz    write what the signature gives there, instead of printing it
  --json               print one JSON object, with --output as well

A VALUE that ends in .npy is the array in that file, and @FILE the array in a file of any name. Any other VALUE is JSON:
1.5, [[1, 2], [3, 4]], true, \"text\". The dtype is that of the input, the dimensions are those of the lists. For an input
of strings, text that begins with none of \" [ { is the string itself. Further:

  NaN, infinities   NaN, Infinity, -Infinity, within lists as strings: [1, \"NaN\"]
  complex numbers   pairs: [0.5, -1]
  other bytes       their base64: {\"b64\": \"/w==\"}

examples: ferrograph run model --input x=1.5
          ferrograph run model --input 'x=[[1, 2]]' --input name=red --json
          ferrograph run model --input x=x.npy --output found.npz
";

/// What is printed about a topic.
pub(super) fn text(topic: Topic) -> &'static str {
    match topic {
        Topic::Program => PROGRAM,
        Topic::Inspect => INSPECT,
        Topic::Run => RUN,
    }
}
